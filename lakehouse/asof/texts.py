"""SQL is read from files, one statement a file, and never made of strings.

A line `--: include NAME A B` is replaced by `sql/NAME.sql`, in which `{{1}}`, `{{2}}` read A, B.
Whole-line comments are left out.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

_INCLUDE: Final = re.compile(r"^[ \t]*--: include (\w+)([^\n]*)$", re.MULTILINE)
_COMMENT: Final = re.compile(r"^[ \t]*--.*(?:\n|$)", re.MULTILINE)


@cache
def sql(verb: str, *words: str) -> str:
    """The text of `sql/<verb>.sql` with what it includes; `{{1}}` reads the first word."""
    return _COMMENT.sub("", _included(verb, words)).strip()


def _included(name: str, words: tuple[str, ...]) -> str:
    text = files(__package__).joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")
    for place, word in enumerate(words, start=1):
        text = text.replace(f"{{{{{place}}}}}", word)
    return _INCLUDE.sub(lambda found: _included(found[1], tuple(found[2].split())).strip(), text)

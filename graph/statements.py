"""Cypher is read from files, one statement a file, and never made of strings.

A line `//: include NAME VARIABLE` is replaced by the fragment `graph/cypher/NAME.cypher`, in
which the fragment's own variable (declared in its first line, `//: variable r`) reads VARIABLE.
Whole-line comments are left out. Other packages load their own files through the same function.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final, LiteralString

from lakehouse.model.errors import ConfigurationError

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_INCLUDE: Final = re.compile(r"^[ \t]*//: include (\w+) (\w+)[ \t]*$", re.MULTILINE)
_VARIABLE: Final = re.compile(r"^//: variable (\w+)[ \t]*$", re.MULTILINE)
_COMMENT: Final = re.compile(r"^[ \t]*//.*(?:\n|$)", re.MULTILINE)


@cache
def statement(name: str, package: str = "graph") -> LiteralString:
    """The text of `<package>/cypher/<name>.cypher`, fragments included, comments left out."""
    return _COMMENT.sub("", _included(_read(package, name))).strip()


@cache
def statements(name: str, package: str = "graph") -> tuple[LiteralString, ...]:
    """The statements of a file that holds several, each ended by a semicolon."""
    return tuple(part.strip() for part in statement(name, package).split(";") if part.strip())


def fragment(name: str, variable: str) -> str:
    """The fragment `graph/cypher/<name>.cypher` written for that variable."""
    text = _read("graph", name)
    declared = _VARIABLE.search(text)
    if declared is None:
        raise ConfigurationError(
            f"graph/cypher/{name}.cypher is no fragment: it declares no variable",
            remedy="Start it with a line `//: variable r`.",
        )
    own = re.escape(declared.group(1))
    inner = _included(re.sub(rf"\b{own}\b(?=[.\[ ]|$)", variable, _VARIABLE.sub("", text)))
    return _COMMENT.sub("", inner).strip()


def _included(text: str) -> str:
    return _INCLUDE.sub(lambda found: fragment(found.group(1), found.group(2)), text)


def _read(package: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"{name!r} does not name a Cypher file", remedy="Use lower case letters, digits and _."
        )
    place = files(package).joinpath("cypher", f"{name}.cypher")
    try:
        return place.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigurationError(
            f"{package}/cypher/{name}.cypher does not exist",
            remedy="Reinstall beliefgraph: the installation is not complete.",
        ) from None

"""PyIceberg's settings file: which one counts, and what it says, read without PyIceberg.

PyIceberg reads the same file while it is imported, so a wrong one must be found without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import strictyaml

from lakehouse.model.errors import ConfigurationError

NAME: Final = ".pyiceberg.yaml"
_HOME: Final = "PYICEBERG_HOME"
_REMEDY: Final = "Write it as PyIceberg documents: plain YAML, no { } or [ ]."


def check_named(environ: Mapping[str, str]) -> None:
    """ConfigurationError where `PYICEBERG_HOME` names no folder that holds a settings file.

    PyIceberg would look elsewhere, and the lake would lie where nobody meant it to.
    """
    named = environ.get(_HOME)
    if named and not (Path(named) / NAME).is_file():
        raise ConfigurationError(
            f"{_HOME} is {named}, where no {NAME} lies",
            remedy=f"Name the folder that holds {NAME}, or unset {_HOME}.",
        )


def read(environ: Mapping[str, str]) -> dict[str, Any]:
    """The settings of the first file found, keys in lower case; {} where there is none.

    All values are text, as PyIceberg takes them. ConfigurationError for a file that it cannot read.
    """
    for folder in (environ.get(_HOME), environ.get("HOME"), str(Path.cwd())):
        file = Path(folder) / NAME if folder else None
        if file and file.is_file():
            return _parse(file)
    return {}


def _parse(file: Path) -> dict[str, Any]:
    try:
        found = strictyaml.load(file.read_text(encoding="utf-8")).data
    except (UnicodeDecodeError, OSError) as wrong:
        raise ConfigurationError(f"{file} cannot be read: {wrong}", remedy=_REMEDY) from wrong
    except (strictyaml.YAMLError, AttributeError) as wrong:  # It trips over control characters.
        # Neither its words nor its trace are passed on: they quote the file, which holds logins.
        mark = getattr(wrong, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        raise ConfigurationError(
            f"{file} is not the YAML that PyIceberg reads{place}", remedy=_REMEDY
        ) from None
    if not isinstance(found, dict) or not isinstance(found.get("catalog", {}), dict):
        raise ConfigurationError(f"{file} holds no settings", remedy=_REMEDY)
    return {str(key).lower(): value for key, value in found.items()}

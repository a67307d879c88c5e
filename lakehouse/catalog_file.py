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
    except (strictyaml.YAMLError, UnicodeDecodeError, OSError) as wrong:
        raise ConfigurationError(
            f"{file} cannot be read: {' '.join(str(wrong).split())}",
            remedy="Write it as PyIceberg documents: plain YAML, no { } or [ ].",
        ) from wrong
    if not isinstance(found, dict) or not isinstance(found.get("catalog", {}), dict):
        raise ConfigurationError(
            f"{file} holds no settings", remedy="Write it as PyIceberg documents."
        )
    return {str(key).lower(): value for key, value in found.items()}

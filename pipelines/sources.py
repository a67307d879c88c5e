"""Where declared sources are found: those that ship, and those in BELIEFGRAPH_HOME/sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from graph.server import home_from
from lakehouse.model.errors import ConfigurationError, InputError
from pipelines.extract.declaration import Declaration
from pipelines.extract.loading import load

SHIPPED: Final = Path(__file__).parent / "defs" / "sources"


def own_folder(environ: Mapping[str, str]) -> Path:
    """Where a user puts the YAMLs of own sources."""
    return home_from(environ) / "sources"


def declared(environ: Mapping[str, str]) -> dict[str, Declaration]:
    """Every declared source by name; ConfigurationError where two share one."""
    paths = [*sorted(SHIPPED.glob("*/defs.yaml")), *sorted(own_folder(environ).glob("**/*.yaml"))]
    return by_name(load(path) for path in paths)


def by_name(declarations: Iterable[Declaration]) -> dict[str, Declaration]:
    """Declarations by source name."""
    found: dict[str, Declaration] = {}
    for one in declarations:
        if one.name in found:
            raise ConfigurationError(
                f"source {one.name!r} is declared twice: {found[one.name].path} and {one.path}",
                remedy="Give one of them another name.",
            )
        found[one.name] = one
    return found


def choose(name: str, environ: Mapping[str, str]) -> Declaration:
    """The source of that name, or the one whose YAML the name is the path of."""
    found = declared(environ)
    if name in found:
        return found[name]
    if name.endswith((".yaml", ".yml")) and Path(name).is_file():
        return _installed(Path(name), found, own_folder(environ))
    raise InputError(
        f"unknown source {name!r}",
        remedy=f"Declared: {', '.join(sorted(found))}. Put the YAML of a new one into "
        f"{own_folder(environ)}.",
    )


def _installed(path: Path, found: Mapping[str, Declaration], own: Path) -> Declaration:
    given = load(path)
    known = found.get(given.name)
    if known is not None and known.path.resolve() == path.resolve():
        return known
    raise InputError(
        f"source {given.name!r} of {path} is not among the declared sources of this home",
        remedy=f"Copy the YAML into {own}, so that later runs find it too.",
    )

"""Checks of `doctor` on what is installed here: the interpreter, the packages, their names."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Final

from lakehouse.model.counted import counted
from queries.surfaces.cli import DISTRIBUTION
from queries.surfaces.findings import Finding, Level, Premises

PACKAGES: Final = ("lakehouse", "graph", "queries", "pipelines")
OLDEST_PYTHON: Final = (3, 11)
_REQUIRED: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*([^;]*)(;.*)?$")
_BOUND: Final = re.compile(r"(>=|==|<)\s*([0-9][0-9.]*)")


def python(_: Premises) -> Iterator[Finding]:
    """The interpreter is new enough."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield Finding(
            "python", Level.PROBLEM, f"Python {version} is too old", "Use Python 3.11 or newer."
        )
    else:
        yield Finding("python", Level.FINE, f"Python {version}")


def packages(_: Premises) -> Iterator[Finding]:
    """Every package that the distribution requires is there, in a version it allows."""
    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield Finding(
            "packages",
            Level.PROBLEM,
            "the distribution beliefgraph is not installed here",
            "Install it: pip install beliefgraph (in a checkout: pip install -e .).",
        )
        return
    checked = 0
    for line in required:
        found = _REQUIRED.match(line)
        if found is None or (found.group(3) and "extra" in found.group(3)):
            continue
        checked += 1
        yield from _package(found.group(1), found.group(2).strip())
    yield Finding("packages", Level.FINE, f"{counted(checked, 'required package')} looked at")


def _package(name: str, wanted: str) -> Iterator[Finding]:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        yield Finding(
            "packages",
            Level.PROBLEM,
            f"{name} {wanted} is missing",
            f"pip install '{name}{wanted}'",
        )
        return
    if not all(_allows(sign, bound, version) for sign, bound in _BOUND.findall(wanted)):
        yield Finding(
            "packages",
            Level.PROBLEM,
            f"{name} is {version}, and {wanted} is needed",
            f"pip install '{name}{wanted}'",
        )


def _allows(sign: str, bound: str, version: str) -> bool:
    wanted, found = _numbers(bound), _numbers(version)
    width = max(len(wanted), len(found))
    wanted += (0,) * (width - len(wanted))
    found += (0,) * (width - len(found))
    return {">=": found >= wanted, "<": found < wanted, "==": found == wanted}[sign]


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found.group().split("."))) if found else ()


def names(_: Premises) -> Iterator[Finding]:
    """No other distribution claims one of the names that ours are imported by."""
    claims = metadata.packages_distributions()
    foreign = [
        (package, other)
        for package in PACKAGES
        for other in sorted(set(claims.get(package, ())) - {DISTRIBUTION})
    ]
    for package, other in foreign:
        yield Finding(
            "names",
            Level.PROBLEM,
            f"the distribution {other!r} installs a package {package!r} too: which of the two is "
            "imported is chance",
            f"pip uninstall {other}, or give beliefgraph an environment of its own.",
        )
    if not foreign:
        yield Finding("names", Level.FINE, "no other distribution claims " + ", ".join(PACKAGES))

"""A plan that Neo4j tells, as facts: its operators as they run, what it seeks, what it cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

Plan = Mapping[str, Any]
"""As the driver gives it for EXPLAIN (`summary.plan`) and PROFILE (`summary.profile`)."""

_INDEXED: Final = re.compile(r":(\w+)\(([\w, ]+)\)")
_PROPERTY: Final = re.compile(r"\([a-z]")


def as_run(plan: Plan) -> Iterator[str]:
    """In the order in which they give their first rows; a seek is told by what it seeks in.

    `Entity(id)`, `BELIEF(key, valid_from)`: a label or type, and the properties of its index.
    """
    for child in plan.get("children", ()):
        yield from as_run(child)
    name = _name(plan)
    if name.endswith("Seek"):
        label, properties = _INDEXED.findall(plan["args"]["Details"])[0]
        name = f"{label}({properties})"
    yield name


def is_seek(step: str) -> bool:
    """Is this step of `as_run` a seek?"""
    return _PROPERTY.search(step) is not None


def hits(profile: Plan) -> int:
    """The database hits of all of it; PROFILE alone tells them."""
    return int(profile["args"]["DbHits"]) + sum(map(hits, profile.get("children", ())))


def _name(plan: Plan) -> str:
    return str(plan["operatorType"]).partition("@")[0]

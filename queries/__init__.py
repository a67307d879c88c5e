"""As-of reads over the graph: one basis a question, the evidence beside every answer.

The names below are loaded when first used, so that listing the commands loads no driver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from queries.answers import Answer, Believed, Evidence, Path
    from queries.basis import Basis
    from queries.differences import Differences, Different
    from queries.engine import Question, Reply
    from queries.memory import Memory
    from queries.raw import RawAnswer
    from queries.streaming import States
    from queries.surfaces.composition import opened
    from queries.view import View

__all__ = [
    "Answer",
    "Basis",
    "Believed",
    "Differences",
    "Different",
    "Evidence",
    "Memory",
    "Path",
    "Question",
    "RawAnswer",
    "Reply",
    "States",
    "View",
    "opened",
]

_HOMES: Final = {
    "Answer": "answers",
    "Basis": "basis",
    "Believed": "answers",
    "Different": "differences",
    "Differences": "differences",
    "Evidence": "answers",
    "Memory": "memory",
    "Path": "answers",
    "Question": "engine",
    "RawAnswer": "raw",
    "Reply": "engine",
    "States": "streaming",
    "View": "view",
    "opened": "surfaces.composition",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'queries' has no attribute {name!r}")
    return getattr(import_module(f"queries.{_HOMES[name]}"), name)

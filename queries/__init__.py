"""As-of reads over the graph: one basis a question, the evidence beside every answer.

The names below are loaded when first used, so that listing the commands loads no driver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from queries.answers import Answer, Believed, Evidence, Path
    from queries.basis import Basis
    from queries.engine import Question, Reply
    from queries.memory import Memory
    from queries.raw import RawAnswer
    from queries.surfaces.composition import opened
    from queries.view import View

__all__ = [
    "Answer",
    "Basis",
    "Believed",
    "Evidence",
    "Memory",
    "Path",
    "Question",
    "RawAnswer",
    "Reply",
    "View",
    "opened",
]

_HOMES: Final = {
    "Answer": "answers",
    "Basis": "basis",
    "Believed": "answers",
    "Evidence": "answers",
    "Memory": "memory",
    "Path": "answers",
    "Question": "engine",
    "RawAnswer": "raw",
    "Reply": "engine",
    "View": "view",
    "opened": "surfaces.composition",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'queries' has no attribute {name!r}")
    return getattr(import_module(f"queries.{_HOMES[name]}"), name)

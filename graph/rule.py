"""The reading rule and its mask for queries, from the one place where they are written.

Query files include them (`//: include rule r`, `//: include mask r`, and `access` where a
query states its own clocks, as histories do). The parameters are those of `parameters`.
"""

from __future__ import annotations

from graph.statements import fragment
from lakehouse.model.errors import InputError
from lakehouse.model.instants import FOREVER


def rule(variable: str = "r") -> str:
    """The condition under which that edge variable is believed and may be read."""
    return fragment("rule", variable)


def access(variable: str = "r") -> str:
    """Listener and clearance alone."""
    return fragment("access", variable)


def mask(variable: str = "r") -> str:
    """The columns recorded_to, closed_by and reason as they read at $known_at."""
    return fragment("mask", variable)


def parameters(*, valid_at: int, known_at: int, listener: int, clearance: int) -> dict[str, int]:
    """The rule's parameters, checked; `listener` is one bit of the mask, as a power of two."""
    if listener <= 0 or listener & (listener - 1):
        raise InputError(
            f"listener {listener} is not one bit",
            remedy="Give the bit of one listener (Listeners.bit).",
        )
    return {
        "valid_at": valid_at,
        "known_at": known_at,
        "listener": listener,
        "clearance": clearance,
    }


def masked(
    recorded_to: int, closed_by: str | None, reason: str | None, known_at: int
) -> tuple[int, str | None, str | None]:
    """What `mask` returns, for answers that are put together in Python."""
    if known_at < recorded_to:
        return FOREVER, None, None
    return recorded_to, closed_by, reason

"""The rectangle that an answer lies in, found by asking on either side of every bound of its key.

An answer at a point needs none. They are needed to tell since when and for how long it is so, and
for access: a belief is classified by the strictest of all that ever supported a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from lakehouse.asof.relations import Statements
from lakehouse.model.errors import IntegrityError
from lakehouse.model.instants import FOREVER

_LINES: Final = pa.schema(
    [("line", pa.int64()), ("subject", pa.large_string()), ("predicate", pa.large_string())]
)
_AT_ONCE: Final = 32
"""Keys whose grids are asked together."""
_VERBS: Final = ("cut", "weigh", "credit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rectangle:
    """One belief over both periods (µs UTC), as section 3 of DESIGN cuts it.

    `slot` is the object where the predicate has many values, else "". `object` is what the origin
    said, erased or not. `ends` is the exclusive end on the valid axis with both open ends as
    `FOREVER`, `stated_to` what the origin stated. `heard_at` is when the origin was recorded.
    """

    subject: str
    predicate: str
    slot: str
    object: str
    object_kind: str
    erased: bool
    origin: str
    episode_id: str
    heard_at: int
    valid_from_basis: str
    stated_to: int
    valid_from: int
    ends: int
    recorded_from: int
    recorded_to: int
    mask: int
    trust: int
    classification: int
    strictest: int
    opened_by: str

    @property
    def valid_to(self) -> int:
        """The end of its valid period; an open one is of the kind that the origin stated."""
        return self.stated_to if self.ends == FOREVER else self.ends


def rectangles(
    statements: Statements, keys: Sequence[tuple[str, str]], known_to: int | None
) -> list[list[Rectangle]]:
    """The rectangles of each key (AsOf.rectangles)."""
    statements.let(known_to=FOREVER - 1 if known_to is None else known_to)
    found: list[list[Rectangle]] = [[] for _ in keys]
    for first in range(0, len(keys), _AT_ONCE):
        for row in _cut(statements, keys[first : first + _AT_ONCE]).to_pylist():
            line = row.pop("line")
            found[first + line].append(Rectangle(**row))
    return found


def _cut(statements: Statements, keys: Sequence[tuple[str, str]]) -> pa.Table:
    lines = {
        "line": range(len(keys)),
        "subject": [subject for subject, _ in keys],
        "predicate": [predicate for _, predicate in keys],
    }
    statements.about({subject for subject, _ in keys})
    statements.table("lines", pa.Table.from_pydict(lines, _LINES))
    statements.do("rule_off")
    statements.gather("gather_keys", "name_lines")
    statements.do("face", statements.erasure)
    for verb in _VERBS:
        statements.do(verb)
    return statements.ask("tell_rectangles")


def covering(
    found: Iterable[Rectangle], slot: str, valid_at: int, known_at: int, listener: int
) -> Rectangle:
    """The one that holds at that pair of instants for the listener with that bit."""
    for one in found:
        if (
            one.slot == slot
            and one.valid_from <= valid_at < one.ends
            and one.recorded_from <= known_at < one.recorded_to
            and one.mask & listener
        ):
            return one
    raise IntegrityError(
        f"what is believed at {valid_at} as known at {known_at} lies in no rectangle",
        remedy="Report this: two ways of the same SQL disagree.",
    )

"""What the lake holds of each source, and how much of it is past its retention; nothing is removed.

It counts from the landing: since then we have it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lakehouse.model.retention import Retention
from lakehouse.open_sql import OpenLake
from lakehouse.open_sql.opened import text

_DAY: Final = 86_400_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One source: its episodes, the first landing (µs UTC), how many are past which time.

    `retention` is None where no declaration is recorded: the source has only landed. `due` are
    past what the source states, `erasable` past its compliance floor (the due ones among them);
    what was erased counts in neither.
    """

    source: str
    retention: Retention | None
    episodes: int
    oldest: int | None
    erasable: int
    due: int


def held(
    lake: OpenLake, declarations: Mapping[str, Mapping[str, Any]], gone: Collection[str], now: int
) -> list[Held]:
    """Of each source of the lake's tenant, at `now` (µs UTC); `declarations` are by source.

    `gone` are the ids of destroyed keys: a payload that needs one of them was erased.
    """
    stated = {name: Retention.from_declaration(body) for name, body in declarations.items()}
    limits = {
        "sources": list(stated),
        "floors": [now - one.floor * _DAY for one in stated.values()],
        "keeps": [None if one.keep is None else now - one.keep * _DAY for one in stated.values()],
        "gone": list(gone),
    }
    found = lake.connection.execute(text("retention"), limits).to_arrow_table()
    return [Held(retention=stated.get(row["source"]), **row) for row in found.to_pylist()]

"""What the lake says before and after upkeep: fingerprints of rows and of what is believed.

Of every tenant, at a fixed position: the committed rows of each table, and the belief state as
known at the first, the middle and the last instant at which its ledger moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lakehouse.codec_commits import entries_of
from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import Stage
from lakehouse.open_sql import OpenLake
from lakehouse.open_sql.opened import text
from lakehouse.scan import find
from lakehouse.store import Store
from lakehouse.tables import COMMITS, TABLES

_BATCHED: Final = tuple(
    name for name, spec in TABLES.items() if "batch_id" in spec.arrow.names and spec is not COMMITS
)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """By (tenant, what): a count and a digest. `position` is the last commit that counts."""

    position: int
    found: Mapping[tuple[str, str], tuple[int, int]]


def fingerprints(store: Store, position: int | None = None) -> Fingerprints:
    """Of all tenants up to a position (the newest if None)."""
    entries = entries_of(find(store.load(COMMITS), COMMITS))
    last = max((entry.commit.position for entry in entries), default=0)
    upto = last if position is None else position
    moved: dict[str, set[int]] = {}
    for entry in entries:
        commit = entry.commit
        if commit.position <= upto:
            instants = moved.setdefault(commit.tenant, set())
            instants.update({commit.ledger_to} if commit.stage is Stage.EXTRACT else ())
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for tenant, instants in moved.items():
        rows = OpenLake(store, tenant, position=upto)
        for name in _BATCHED:
            found[tenant, name] = _pair(rows, "fingerprint_rows", f"stored_{name}")
        ordered = sorted(instants)
        for at in sorted({*ordered[:1], *ordered[len(ordered) // 2 :][:1], *ordered[-1:]}):
            known = OpenLake(store, tenant, position=upto, known_at=at)
            found[tenant, f"beliefs known at {at}"] = _pair(known, "fingerprint_state", "beliefs")
    return Fingerprints(upto, found)


def check_same(store: Store, before: Fingerprints) -> None:
    """IntegrityError, naming the first difference, where the lake does not say the same now."""
    after = fingerprints(store, before.position).found
    for key, told in before.found.items():
        if after.get(key) != told:
            tenant, what = key
            raise IntegrityError(
                f"upkeep changed {what} of tenant {tenant}: {told[0]:,} rows before, "
                f"{after.get(key, (0, 0))[0]:,} after",
                remedy="Stop upkeep. The snapshots before it are retained: "
                "`beliefgraph lake snapshots`; read them with `beliefgraph lake at`.",
            )


def _pair(lake: OpenLake, verb: str, relation: str) -> tuple[int, int]:
    (row,) = lake.sql(text(verb).replace("{{relation}}", relation)).to_pylist()
    return int(row["number"]), int(row["digest"] or 0)

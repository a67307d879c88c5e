"""Which ids of a batch the lake holds already, asked before it is let in.

Most often none: the bounds of the files tell that, else one column of what they leave.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lakehouse.admission import Landed, check_new
from lakehouse.batches import Batches
from lakehouse.codec_beliefs import OPENED
from lakehouse.columns import values
from lakehouse.commit_log import Admit
from lakehouse.pruning import is_equal
from lakehouse.stamping import Entry
from lakehouse.table_spec import TableSpec
from lakehouse.tables import BELIEFS, EPISODES, STATEMENTS


class Known:
    """Looks ids up among the rows of given entries."""

    def __init__(self, batches: Batches) -> None:
        self._rows = batches.rows

    def landed(
        self, tenant: str, entries: Sequence[Entry], ids: Collection[str]
    ) -> dict[str, Landed]:
        """What these land entries hold of the ids."""
        if not ids or not entries:
            return {}
        columns = ("episode_id", "digest", "location")
        for wanted in (columns[:1], columns):
            rows = self._rows(EPISODES, tenant, entries, wanted, named={"episode_id": ids})
            if not rows.num_rows:
                return {}
        return {
            episode_id: Landed(digest, location)
            for episode_id, digest, location in zip(
                *(values(rows, column) for column in columns), strict=True
            )
        }

    def of(
        self,
        spec: TableSpec,
        tenant: str,
        entries: Sequence[Entry],
        *,
        column: str,
        names: Collection[str],
    ) -> set[str]:
        """Which of the names the column of these entries' rows holds."""
        if not names or not entries:
            return set()
        opened = is_equal("kind", OPENED) if spec is BELIEFS else None
        about = {column: names}
        rows = self._rows(spec, tenant, entries, (column,), named=about, exactly=opened)
        return set(values(rows, column))

    def new_only(self, spec: TableSpec, tenant: str, ids: Sequence[str]) -> Admit:
        """A check that raises where given entries hold one of the ids; each is looked at once."""
        looked = 0
        column = {STATEMENTS: "statement_id", BELIEFS: "belief_id"}[spec]
        kind = spec.name.removesuffix("s")

        def check(entries: Sequence[Entry]) -> None:
            nonlocal looked
            fresh = [entry for entry in entries if entry.commit.position > looked]
            check_new(kind, self.of(spec, tenant, fresh, column=column, names=ids))
            looked = entries[-1].commit.position if entries else looked

        return check

"""The small tables that are read whole: commits, what was published, the definitions in force."""

from __future__ import annotations

import json

from lakehouse.codec_commits import Definition, definitions_of, publications_of
from lakehouse.commit_log import CommitLog
from lakehouse.model.ledger import Commit, Publication, Stage
from lakehouse.scan import FileCache
from lakehouse.stamping import Now, select
from lakehouse.store import Store
from lakehouse.tables import DEFINITIONS, PUBLICATIONS


class Registers:
    """Their reading methods (the promises stand in the port)."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._log = CommitLog(store, now)
        self._publications = FileCache(PUBLICATIONS, publications_of)
        self._definitions = FileCache(DEFINITIONS, definitions_of)

    def commits(self, tenant: str, *, after: int = 0, stage: Stage | None = None) -> list[Commit]:
        """The tenant's commits beyond a position, oldest first."""
        return [e.commit for e in select(self._log.entries(), tenant, stage, after=after)]

    def publications(self, tenant: str) -> list[Publication]:
        """Publications of a tenant, oldest first."""
        found = self._publications.of(self._store.load(PUBLICATIONS))
        ordered = sorted(found, key=lambda numbered: numbered[0])
        return [publication for _, publication in ordered if publication.tenant == tenant]

    def definitions(self, tenant: str, kind: str) -> dict[str, dict[str, object]]:
        """The newest version of each definition of that kind, by name."""
        found: list[Definition] = self._definitions.of(self._store.load(DEFINITIONS))
        newest: dict[str, dict[str, object]] = {}
        for row in sorted(found, key=lambda row: (row.name, row.version)):
            if (row.tenant, row.kind) == (tenant, kind):
                newest[row.name] = json.loads(row.body)
        return newest

    def tenants(self) -> list[str]:
        """Tenants that hold a commit or a definition, sorted."""
        defined = self._definitions.of(self._store.load(DEFINITIONS))
        committing = {entry.commit.tenant for entry in self._log.entries()}
        return sorted(committing | {row.tenant for row in defined})

    def _watermark(self, tenant: str) -> int | None:
        return max((p.watermark for p in self.publications(tenant)), default=None)

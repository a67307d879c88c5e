"""The small tables that are read whole: what was published, and the definitions in force."""

from __future__ import annotations

import json

from lakehouse.codec_commits import Definition, definitions_of, publications_of
from lakehouse.model.ledger import Publication
from lakehouse.scan import FileCache
from lakehouse.store import Store
from lakehouse.tables import DEFINITIONS, PUBLICATIONS


class Registers:
    """Their reading methods (the promises stand in the port)."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._publications = FileCache(PUBLICATIONS, publications_of)
        self._definitions = FileCache(DEFINITIONS, definitions_of)

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

    def _watermark(self, tenant: str) -> int | None:
        return max((p.watermark for p in self.publications(tenant)), default=None)

"""The lake as a second engine: the same questions, the same answers, without the graph.

Watermark and position are those that were published, so both engines answer alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import tzinfo
from pathlib import Path

from lakehouse.asof.asof import AsOf
from lakehouse.asof.lake import LakeStatements
from lakehouse.catalog import opening
from lakehouse.iceberg import IcebergLedger
from lakehouse.keys import TenantKeys, check_tenant
from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS
from lakehouse.model.ledger import Clock, Stage
from lakehouse.model.listeners import Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.snapshots import expired
from lakehouse.store import Store
from lakehouse.tables import STATEMENTS
from queries.basis import Instant, State, asked, settle
from queries.lake_view import LakeBasis, LakeView


@dataclass(frozen=True, slots=True)
class Named:
    """What an earlier basis named: the published position, and snapshot ids by table."""

    position: int
    snapshots: Mapping[str, int | None]


class LakeMemory:
    """Opens views on a lake. It needs no server: definitions, too, come from the ledger."""

    def __init__(self, home: Path, environ: Mapping[str, str]) -> None:
        """The lake that `lakehouse.iceberg.open_ledger` opens for the same arguments."""
        with opening(home, environ) as catalog:
            self._store = Store(catalog)
        self._ledger = IcebergLedger(self._store, TenantKeys(home))

    def tenants(self) -> list[str]:
        """The tenants of whom something was published."""
        return [name for name in self._ledger.tenants() if self._ledger.publications(name)]

    def view(
        self,
        tenant: str,
        *,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        listener: str = "trust>=0",
        clearance: int | str,
        strict: bool = False,
        zone: tzinfo | None = None,
        named: Named | None = None,
    ) -> LakeView:
        """A view at one basis; arguments and errors are those of `Memory.view`.

        `named` is what an earlier basis named: its position and snapshots are read where they
        still can be, else the rows of today, and the basis says which.
        """
        check_tenant(tenant)
        known = self._ledger.tenants()
        if tenant not in known:
            raise InputError(
                f"unknown tenant {tenant!r}",
                remedy="Known ones: " + ", ".join(known) + ".",
                tenant=tenant,
            )
        body = self._ledger.definitions(tenant, "listeners").get("listeners")
        listeners = Listeners.from_record(body)
        settings = asked(
            tenant,
            listeners,
            valid_at=valid_at,
            known_at=known_at,
            listener=listener,
            clearance=clearance,
            strict=strict,
            zone=zone,
        )
        state, through = self._published(tenant)
        basis = asdict(settle(settings, state))
        statements, proof = self._statements(tenant, through, named)
        return LakeView(
            AsOf(statements, self._many(tenant), listeners),
            self._ledger,
            LakeBasis(**{**basis, "snapshots": statements.snapshots}, proof=proof),
            state.attested_to,
        )

    def _statements(
        self, tenant: str, through: int, named: Named | None
    ) -> tuple[LakeStatements, tuple[str, ...]]:
        """The statements to ask, and how the snapshots that were named bear on them."""
        at = named.snapshots.get(STATEMENTS.name) if named else None
        if named is None or at is None:
            return LakeStatements(self._store, tenant, through=through), ()
        if expired(self._store, {STATEMENTS.name: at}):
            why = f"snapshot {at} of statements has expired"
        else:
            then = self._through(tenant, named.position)
            statements = LakeStatements(self._store, tenant, through=then, at=at)
            if statements.complete:
                return statements, (f"read at the snapshot the basis names, {at} of statements",)
            why = f"snapshot {at} of statements does not hold all that the position names"
        rows = LakeStatements(self._store, tenant, through=through)
        return rows, (f"{why}; answered from rows",)

    def _through(self, tenant: str, position: int) -> int:
        """The extract position that the believe commit at a position had consumed; 0 for none."""
        believed = self._ledger.commits(tenant, stage=Stage.BELIEVE)
        return next((c.through for c in believed if c.position == position), 0)

    def _published(self, tenant: str) -> tuple[State, int]:
        """What was published last, and the extract position that it had consumed."""
        told = self._ledger.publications(tenant)
        newest = told[-1] if told else None
        position = newest.position if newest else 0
        through = self._through(tenant, position)
        attested = [
            commit.ledger_to
            for commit in self._ledger.commits(tenant, stage=Stage.EXTRACT)
            if commit.position <= through and commit.clock is Clock.ATTESTED
        ]
        state = State(
            position=position,
            watermark=newest.watermark if newest else None,
            epoch=newest.epoch if newest else 0,
            generation=0,
            digest=newest.digest if newest else "",
            attested_to=max(attested, default=ALWAYS),
        )
        return state, through

    def _many(self, tenant: str) -> list[str]:
        found = self._ledger.definitions(tenant, "predicates")
        return [name for name, body in found.items() if body["cardinality"] == Cardinality.MANY]

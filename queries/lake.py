"""The lake as a second engine: the same questions, the same answers, without the graph.

Watermark and position are those that were published, so both engines answer alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lakehouse.asof.asof import AsOf
from lakehouse.asof.asof import Question as AsOfQuestion
from lakehouse.asof.lake import LakeStatements
from lakehouse.iceberg import IcebergLedger
from lakehouse.keys import TenantKeys
from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS
from lakehouse.model.ledger import Clock, Stage
from lakehouse.model.listeners import Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.snapshots import expired
from lakehouse.store import open_store
from lakehouse.tables import STATEMENTS
from lakehouse.vault import open_vault
from queries.basis import Asked, Basis, State, settle
from queries.engine import Engine, Question, Reply
from queries.lake_basis import LakeBasis
from queries.lake_view import LakeView


@dataclass(frozen=True, slots=True)
class Named:
    """What an earlier basis named: the published position, and snapshot ids by table."""

    position: int
    snapshots: Mapping[str, int | None]


class LakeMemory(Engine[LakeView]):
    """Opens views on a lake. It needs no server: definitions, too, come from the ledger."""

    def __init__(
        self, home: Path, environ: Mapping[str, str], *, named: Named | None = None
    ) -> None:
        """The lake that `lakehouse.iceberg.open_ledger` opens for the same arguments.

        `named` is what an earlier basis named: views read its position and snapshots where they
        still can be, else the rows of today, and their basis says which.
        """
        self._named = named
        self._store = open_store(home, environ)
        self._ledger = IcebergLedger(self._store, TenantKeys(home), open_vault(home, environ))

    def tenants(self) -> list[str]:
        """The tenants of whom something was published."""
        return [name for name in self._ledger.tenants() if self._ledger.publications(name)]

    def _listeners(self, tenant: str) -> Listeners:
        known = self._ledger.tenants()
        if tenant not in known:
            raise InputError(
                f"unknown tenant {tenant!r}",
                remedy="Known ones: " + ", ".join(known) + ".",
                tenant=tenant,
            )
        return self._declared(tenant)

    def _view(self, settings: Asked) -> LakeView:
        state, through = self._published(settings.tenant)
        statements, proof = self._statements(settings.tenant, through)
        told = _naming(settle(settings, state), statements, proof)
        return LakeView(self._asof(statements), self._ledger, told, state.attested_to)

    def _replies(
        self, tenant: str, questions: Sequence[Question], settings: Sequence[Asked]
    ) -> Iterable[Reply]:
        state, through = self._published(tenant)
        bases = [settle(one, state) for one in settings]
        statements = LakeStatements(self._store, tenant, through=through)
        asked = [
            AsOfQuestion(one.entity, one.predicate, basis.valid_at, basis.known_at, basis.listener)
            for one, basis in zip(questions, bases, strict=True)
        ]
        found = self._asof(statements).believed(asked, clearance=settings[0].clearance)
        return map(Reply, questions, [_naming(basis, statements) for basis in bases], found)

    def _asof(self, statements: LakeStatements) -> AsOf:
        tenant = statements.tenant
        return AsOf(statements, self._many(tenant), self._declared(tenant))

    def _declared(self, tenant: str) -> Listeners:
        return Listeners.from_record(self._ledger.definitions(tenant, "listeners").get("listeners"))

    def _statements(self, tenant: str, through: int) -> tuple[LakeStatements, tuple[str, ...]]:
        """The statements to ask, and how the snapshots that were named bear on them."""
        named = self._named
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


def _naming(basis: Basis, statements: LakeStatements, proof: tuple[str, ...] = ()) -> LakeBasis:
    """The basis with the snapshots that were read."""
    return LakeBasis(**{**asdict(basis), "snapshots": statements.snapshots}, proof=proof)

"""The engines that answer from a real Neo4j: written in bulk, or by the product's whole line.

Every engine prefixes its tenants with a name of its own, so that any number of runs may share
one server, and removes what it wrote when it is left.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Final

from neo4j import Driver

from graph.projector import RepairNeeded, project
from graph.publish import publish
from graph.repair import repair
from graph.rows import Nodes, Row, confirms_row, edge_row
from graph.schema import VERSION
from graph.verify import verify
from graph.writer import Writer
from lakehouse.believe import believe
from lakehouse.memory import MemoryLedger
from lakehouse.model import fold as folding
from lakehouse.model.episodes import Episode
from lakehouse.model.ledger import Clock, Extracted
from lakehouse.model.statements import Statement
from queries.engine import Question
from queries.memory import Memory
from tests.histories import MOST_CLEARANCE, Answer, Asked, History, Reached, Rectangle, Told

_BEYOND: Final = 2**60
"""A watermark above every instant that is asked."""
_PUBLISH: Final = (
    "UNWIND $tenants AS tenant MERGE (p:Projection {tenant: tenant}) "
    "SET p.watermark = $watermark, p.position = 1, p.epoch = 0, p.generation = 1, "
    "p.schema_version = $version"
)
_FORGET: Final = (
    "MATCH (n:Entity|Value|Episode|Projection) WHERE n.tenant STARTS WITH $prefix "
    "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS"
)


@dataclass
class _Rows:
    """What many tenants need, by the statement that writes it."""

    entities: list[Row] = field(default_factory=list)
    values: list[Row] = field(default_factory=list)
    episodes: list[Row] = field(default_factory=list)
    linked: list[Row] = field(default_factory=list)
    literal: list[Row] = field(default_factory=list)
    confirms: list[Row] = field(default_factory=list)
    mentions: list[Row] = field(default_factory=list)

    def add(self, history: History) -> None:
        """Fold the history and take up its rows."""
        found = folding.fold(history.statements, history.cardinality, history.listeners)
        nodes, heads = Nodes(history.tenant), headers(history.statements)
        objects = {}
        for belief in found.beliefs:
            row = edge_row(belief, nodes.add(belief), heads[belief.episode_id], None)
            objects[belief.belief_id] = belief.linked
            (self.literal if belief.linked is None else self.linked).append(row)
        for support in found.supports:
            nodes.add_support(support, objects[support.belief_id])
            self.confirms.append(confirms_row(support, None))
        self.entities += nodes.entity_rows()
        self.values += nodes.value_rows()
        self.episodes += nodes.episode_rows(heads)
        self.mentions += nodes.mention_rows()

    def write(self, writer: Writer) -> None:
        """All of it, nodes first."""
        for name, rows, lane_at in (
            ("entities", self.entities, 0),
            ("values", self.values, 0),
            ("episodes", self.episodes, 0),
            ("open_belief", self.linked, 0),
            ("open_attribute", self.literal, 0),
            ("open_confirms", self.confirms, 1),
            ("first_mentions", self.mentions, 1),
        ):
            assert writer.write(name, rows, what=name, lane_at=lane_at) == len(rows)


class GraphEngine:
    """Loaded by the rows of `graph`, read by the verbs of `queries`."""

    def __init__(self, driver: Driver, database: str) -> None:
        self._driver = driver
        self._database = database
        self._prefix = f"g{uuid.uuid4().hex[:8]}."
        self._histories: dict[str, History] = {}
        self._memory = Memory(
            driver,
            database,
            listeners=lambda tenant: self._histories[tenant].listeners,
            close=lambda: None,
        )

    def __enter__(self) -> GraphEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._driver.session(database=self._database) as session:
            session.run(_FORGET, prefix=self._prefix).consume()

    def load(self, histories: Sequence[History]) -> None:
        """Write all of them together."""
        rows = _Rows()
        ours = [self._own(history) for history in histories]
        for history in ours:
            rows.add(history)
        rows.write(Writer(self._driver, self._database, None))
        self._driver.execute_query(
            _PUBLISH,
            tenants=[history.tenant for history in ours],
            watermark=_BEYOND,
            version=VERSION,
            database_=self._database,
        )

    def ask(self, questions: Sequence[Asked]) -> list[Answer]:
        """A thousand questions a statement (`Memory.believed`), tenant by tenant."""
        places: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        for place, question in enumerate(questions):
            places[question.tenant, question.clearance].append(place)
        answers: list[Answer] = [{} for _ in questions]
        for (tenant, clearance), mine in places.items():
            asked = [Question(*questions[place][1:6]) for place in mine]
            replies = self._memory.believed(self._prefix + tenant, asked, clearance=clearance)
            for place, reply in zip(mine, replies, strict=True):
                answers[place] = dict(reply.values)
        return answers

    def reach(self, questions: Sequence[Reached]) -> list[dict[str, int]]:
        """`View.paths`, one by one."""
        return [
            {
                path.end: path.length
                for path in self._memory.view(
                    self._prefix + question.tenant,
                    valid_at=question.valid_at,
                    known_at=question.known_at,
                    listener=question.listener,
                    clearance=MOST_CLEARANCE,
                )
                .paths(question.start, question.hops)
                .paths
            }
            for question in questions
        ]

    def told(self, question: Told) -> frozenset[Rectangle]:
        """`View.history`."""
        view = self._memory.view(
            self._prefix + question.tenant,
            valid_at=0,
            known_at=question.known_at,
            listener=question.listener,
            clearance=MOST_CLEARANCE,
        )
        return frozenset(
            Rectangle(b.object, b.valid_from, b.valid_to, b.recorded_from, b.recorded_to)
            for b in view.history(question.subject, question.predicate).beliefs
        )

    def _own(self, history: History) -> History:
        tenant = self._prefix + history.tenant
        said = tuple(replace(s, tenant=tenant) for s in history.statements)
        ours = replace(history, tenant=tenant, statements=said)
        self._histories[tenant] = ours
        return ours


class LineEngine(GraphEngine):
    """Loaded batch after batch: ledger, believe, project, verify, publish."""

    BATCHES: Final = 3

    def load(self, histories: Sequence[History]) -> None:
        """Each history in `BATCHES` batches, cut between recorded instants."""
        for history in histories:
            self._run(self._own(history))

    def _run(self, history: History) -> None:
        tenant, ledger = history.tenant, MemoryLedger()
        heads = headers(history.statements)
        for batch in batches(history.statements, self.BATCHES):
            began = max(s.recorded_at for s in batch)
            ledger.land(tenant, [heads[name] for name in {s.episode_id for s in batch}])
            ledger.append_statements(
                tenant,
                [Extracted(s) for s in batch],
                clock=Clock.ATTESTED,
                through=ledger.commits(tenant)[-1].position,
            )
            assert believe(ledger, tenant, history.cardinality, history.listeners)
            self._project(ledger, tenant, began)

    def _project(self, ledger: MemoryLedger, tenant: str, began: int) -> None:
        try:
            project(ledger, self._driver, self._database, tenant)
        except RepairNeeded:
            repair(ledger, self._driver, self._database, tenant)
        found = verify(ledger, self._driver, self._database, tenant)
        assert found.differences == ()
        told = publish(ledger, self._driver, self._database, tenant, began_at=began, verified=found)
        assert told is not None and told.watermark == began


def headers(statements: Iterable[Statement]) -> dict[str, Episode]:
    """An episode for each that the statements name, as its first statement has it."""
    return {
        s.episode_id: Episode(
            tenant=s.tenant,
            episode_id=s.episode_id,
            source=s.source or "test",
            source_key=s.episode_id,
            payload=b"{}",
            attested_at=s.recorded_at,
            trust=s.trust,
            classification=s.classification,
            tags=s.tags,
        )
        for s in reversed(list(statements))
    }


def batches(statements: Sequence[Statement], most: int) -> list[list[Statement]]:
    """At most so many batches, each with whole recorded instants."""
    instants = sorted({s.recorded_at for s in statements})
    size = -(-len(instants) // most)
    cuts = [set(instants[start : start + size]) for start in range(0, len(instants), size)]
    return [[s for s in statements if s.recorded_at in cut] for cut in cuts]

"""A graph in the hands of a test: what is done with it, and what is done to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import LiteralString

from neo4j import Driver

from graph import state as states
from graph.comparison import Kind
from graph.drop import drop
from graph.projector import Projected, project
from graph.publish import publish
from graph.repair import Repaired, repair
from graph.rows import EDGE
from graph.verify import Verified, verify
from graph.verify_last import verify_last
from lakehouse.ledger import Progress
from lakehouse.model.ledger import Publication
from tests.contracts.projection_story import Story

COLUMNS = [name for name in EDGE if name != "belief_id"]
"""Every property of an edge that can be altered and leave it the same belief's."""


class Stopped(Exception):
    """What a killed projector looks like from inside."""


def stopping(stop_at: int) -> tuple[list[str], Progress]:
    """A progress callback that dies at its n-th call (0: never), and what it has heard."""
    heard: list[str] = []

    def tell(text: str) -> None:
        heard.append(text)
        if len(heard) == stop_at:
            raise Stopped(text)

    return heard, tell


@dataclass
class Graph:
    """The driver with its database, and what the tests do with both."""

    driver: Driver
    database: str

    def project(self, story: Story, stop_at: int = 0) -> int:
        """Project; with `stop_at` the progress callback dies at its n-th call."""
        heard, tell = stopping(stop_at)
        project(story.ledger, self.driver, self.database, story.tenant, progress=tell)
        return len(heard)

    def remake(self, story: Story) -> Projected:
        """Drop, then project all of it again."""
        drop(self.driver, self.database, story.tenant)
        return project(story.ledger, self.driver, self.database, story.tenant)

    def verify(self, story: Story) -> Verified:
        """Compare with the story's ledger."""
        return verify(story.ledger, self.driver, self.database, story.tenant)

    def verify_last(self, story: Story) -> Verified:
        """Compare what was touched since."""
        return verify_last(story.ledger, self.driver, self.database, story.tenant)

    def mend(self, story: Story, stop_at: int = 0) -> Repaired:
        """Repair what is there; with `stop_at` the progress callback dies at its n-th call."""
        _, tell = stopping(stop_at)
        done = repair(story.ledger, self.driver, self.database, story.tenant, progress=tell)
        assert isinstance(done, Repaired)
        return done

    def publish(self, story: Story, began_at: int, verified: Verified) -> Publication | None:
        """Move the watermark."""
        return publish(
            story.ledger, self.driver, self.database, story.tenant,
            began_at=began_at, verified=verified,
        )  # fmt: skip

    def state(self, story: Story) -> states.State:
        """The Projection node."""
        found = states.read(self.driver, self.database, story.tenant)
        assert found is not None
        return found

    def ask(self, cypher: LiteralString, **values: object) -> list[list[object]]:
        """Rows of a statement."""
        with self.driver.session(database=self.database) as session:
            return [record.values() for record in session.run(cypher, values)]


def green(graph: Graph, story: Story) -> Verified:
    """The full comparison, which finds nothing."""
    verified = graph.verify(story)
    assert verified.differences == ()
    assert verified.equal
    return verified


TAMPERINGS = {
    "deleted": ("MATCH (:Entity {tenant: $t})-[r:ATTRIBUTE]->() DELETE r", Kind.MISSING),
    "deleted link": ("MATCH (:Entity {tenant: $t})-[r:BELIEF]->() DELETE r", Kind.MISSING),
    "deleted confirmation": ("MATCH ()-[r:CONFIRMS {tenant: $t}]->() DELETE r", Kind.MISSING),
    "deleted mention": ("MATCH ()-[r:MENTIONS {tenant: $t}]->() DELETE r", Kind.MISSING),
    "doubled": (
        "MATCH (s:Entity {tenant: $t})-[r:ATTRIBUTE]->(o) WITH s, r, o LIMIT 1 "
        "CREATE (s)-[c:BELIEF]->(o) SET c = properties(r)",
        Kind.DOUBLED,
    ),
    "doubled mention": (
        "MATCH (e)-[r:MENTIONS {tenant: $t}]->(s) WITH e, r, s LIMIT 1 "
        "CREATE (e)-[c:MENTIONS]->(s) SET c = properties(r)",
        Kind.DOUBLED,
    ),
    "foreign": (
        "MATCH (s:Entity {tenant: $t})-[r:ATTRIBUTE]->(o) WITH s, r, o LIMIT 1 "
        "CREATE (s)-[c:ATTRIBUTE]->(o) SET c = r {.*, belief_id: $t + 'x'}",
        Kind.FOREIGN,
    ),
    "from outside": (
        "MATCH (o:Entity {tenant: $t}) WITH o LIMIT 1 "
        "CREATE (:Entity {id: $t + 'x/y', tenant: $t + 'x'})-[:BELIEF {belief_id: $t}]->(o)",
        Kind.FOREIGN,
    ),
    "foreign confirmation": (
        "MATCH (e)-[r:CONFIRMS {tenant: $t}]->(s) WITH e, r, s LIMIT 1 "
        "CREATE (e)-[c:CONFIRMS]->(s) SET c = r {.*, support_id: $t + 'x'}",
        Kind.FOREIGN,
    ),
    "foreign node": ("CREATE (:Entity {id: $t + '/zzz', tenant: $t})", Kind.FOREIGN),
    "moved": (
        "MATCH (s:Entity {id: $t + '/zone:A'})-[r:ATTRIBUTE]->(o) "
        "MATCH (n:Entity {id: $t + '/zone:B'}) WITH n, r, o, properties(r) AS p DELETE r "
        "CREATE (n)-[c:ATTRIBUTE]->(o) SET c = p",
        Kind.ALTERED,
    ),
    "moved to another value": (
        "MATCH (s:Entity {id: $t + '/zone:A'})-[r:ATTRIBUTE]->(o) "
        "MATCH (n:Value {tenant: $t, text: 'Zürich'}) WITH s, n, r, properties(r) AS p DELETE r "
        "CREATE (s)-[c:ATTRIBUTE]->(n) SET c = p",
        Kind.ALTERED,
    ),
    "value rewritten": (
        "MATCH (n:Value {tenant: $t, text: '3600'}) SET n.text = '1'", Kind.ALTERED,
    ),
    "type rewritten": ("MATCH (n:Entity {tenant: $t}) SET n.type = 'cat'", Kind.ALTERED),
    "label taken": ("MATCH (n:TimeZone {tenant: $t}) REMOVE n:TimeZone", Kind.ALTERED),
    "episode rewritten": ("MATCH (n:Episode {tenant: $t}) SET n.trust = 3", Kind.ALTERED),
    "added property": (
        "MATCH ()-[r:ATTRIBUTE {tenant: $t}]->() SET r.note = 'hello'", Kind.ALTERED,
    ),
    "from a value": (
        "MATCH (s:Entity {tenant: $t})-[r:BELIEF]->(o) MATCH (v:Value {tenant: $t}) "
        "WITH r, o, v LIMIT 1 CREATE (v)-[c:BELIEF]->(o) SET c = r {.*, belief_id: $t + 'x'}",
        Kind.FOREIGN,
    ),
    "confirmed by an entity": (
        "MATCH ()-[r:CONFIRMS {tenant: $t}]->(s) WITH r, s LIMIT 1 "
        "CREATE (s)-[c:CONFIRMS]->(s) SET c = r {.*, support_id: $t + 'x'}",
        Kind.FOREIGN,
    ),
    "from nowhere": (
        "MATCH (:Entity {tenant: $t})-[r:ATTRIBUTE]->(o) WITH r LIMIT 1 "
        "CREATE ({tenant: $t + 'x'})-[c:ATTRIBUTE]->({tenant: $t + 'x'}) "
        "SET c = r {.*, belief_id: $t + 'x'}",
        Kind.FOREIGN,
    ),
    "from nobody's entity": (
        "MATCH (:Entity {tenant: $t})-[r:ATTRIBUTE]->() WITH r LIMIT 1 "
        "CREATE (:Entity {tenant: $t + 'x'})-[c:ATTRIBUTE]->(:Value {tenant: $t + 'x'}) "
        "SET c = r {.*, belief_id: $t + 'x'}",
        Kind.FOREIGN,
    ),
    "from nobody's episode": (
        "MATCH ()-[r:CONFIRMS {tenant: $t}]->() WITH r LIMIT 1 "
        "CREATE (:Episode {id: $t + 'x/e', tenant: $t + 'x'})"
        "-[c:CONFIRMS]->(:Entity {tenant: $t + 'x'}) SET c = r {.*, support_id: $t + 'x'}",
        Kind.FOREIGN,
    ),
    "value labelled": ("MATCH (n:Value {tenant: $t}) SET n:Entity:Old", Kind.ALTERED),
    "entity labelled": ("MATCH (n:Entity {tenant: $t}) SET n:Value", Kind.ALTERED),
    "other number": (
        "MATCH ()-[r:ATTRIBUTE {tenant: $t}]->() SET r.trust = toFloat(r.trust)", Kind.ALTERED,
    ),
}  # fmt: skip

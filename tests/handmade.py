"""A graph made by hand, in plain Cypher and the schema of graph/README: for tests of reading.

Independent of the projector on purpose: what is read here was not written by our own writer.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from neo4j import Driver

from graph.schema import VERSION
from lakehouse.model.beliefs import identity, key_of
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED

EVERYONE = 15
_ENTITY = "MERGE (n:Entity {id: $id}) SET n.tenant = $tenant, n.entity = $entity, n.type = 'thing'"
_VALUE = (
    "MERGE (n:Value {id: $id}) SET n.tenant = $tenant, n.predicate = $predicate, "
    "n.kind = $kind, n.text = $text"
)
_EPISODE = "MERGE (n:Episode {id: $id}) SET n += $properties"
_EDGE = {
    "BELIEF": "MATCH (s:Entity {id: $s}), (o:Entity {id: $o}) "
    "CREATE (s)-[r:BELIEF]->(o) SET r = $p",
    "ATTRIBUTE": "MATCH (s:Entity {id: $s}), (o:Value {id: $o}) "
    "CREATE (s)-[r:ATTRIBUTE]->(o) SET r = $p",
}
_MENTIONS = (
    "MATCH (e:Episode {id: $e}), (s:Entity {id: $s}) MERGE (e)-[m:MENTIONS {tenant: $tenant}]->(s) "
    "ON CREATE SET m.recorded_from = $at"
)
_CONFIRMS = (
    "MATCH (e:Episode {id: $e}), (s:Entity {id: $s}) CREATE (e)-[r:CONFIRMS]->(s) SET r = $p"
)
_CROWD = """
UNWIND range(1, $size) AS i
CREATE (:Projection {tenant: $tenant + i})
CREATE (e:Episode {id: $tenant + '/e' + i}), (s:Entity {id: $tenant + '/s' + i}),
  (v:Value {id: $tenant + '/v' + i}), (e)-[:MENTIONS {recorded_from: i}]->(s),
  (s)-[a:ATTRIBUTE {belief_id: $tenant + 'a' + i}]->(v),
  (e)-[:CONFIRMS {belief_id: $tenant + 'a' + i, support_id: $tenant + 's' + i}]->(s)
SET a += {key: $tenant + 'k' + i, episode_id: $tenant + '/e' + i, valid_from: i, recorded_from: i}
WITH collect(s) AS every
UNWIND range(1, $size) AS i
UNWIND [1, 7] AS step
WITH i, step, every[i - 1] AS s, every[(i + step) % $size] AS o
CREATE (s)-[:BELIEF {belief_id: $tenant + 'b' + i + '/' + step, key: $tenant + 'k' + i + '/' + step,
  episode_id: $tenant + '/e' + i, valid_from: i, recorded_from: i}]->(o)
"""
_DISPERSED = (
    "MATCH (n:Projection|Episode|Entity|Value) WHERE coalesce(n.id, n.tenant) STARTS WITH $tenant "
    "DETACH DELETE n"
)
_PROJECTION = "MERGE (p:Projection {tenant: $tenant}) SET p += $properties"


@dataclass
class Handmade:
    """One tenant's graph; every tenant has a name of its own."""

    driver: Driver
    database: str
    tenant: str = field(default_factory=lambda: f"t{uuid.uuid4().hex[:12]}")
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def run(self, cypher: str, /, **parameters: object) -> None:
        """A write."""
        self.driver.execute_query(cypher, parameters, database_=self.database)

    @contextmanager
    def crowd(self, size: int) -> Iterator[None]:
        """So many of everything beside it for the block, and plans that follow from that.

        On an empty graph every start is as good as any other, and the planner takes one by chance.
        """
        names = f"{self.tenant}-crowd"
        self.run(_CROWD, tenant=names, size=size)
        self.run("CALL db.prepareForReplanning(60)")
        yield
        self.run(_DISPERSED, tenant=names)

    def publish(self, watermark: int | None, **properties: object) -> None:
        """Set the Projection node."""
        given = {
            "position": 7,
            "watermark": watermark,
            "epoch": 0,
            "generation": 1,
            "schema_version": VERSION,
            "digest": "d1",
            "updated_at": 1,
            "ledger_to": watermark,
            "clock": "system",
        }
        self.run(_PROJECTION, tenant=self.tenant, properties=given | properties)

    def entity(self, name: str) -> str:
        """Have an entity; its node's id."""
        node = f"{self.tenant}/{name}"
        self.run(_ENTITY, id=node, tenant=self.tenant, entity=name)
        return node

    def episode(self, name: str, **properties: object) -> str:
        """Have an episode; its node's id."""
        node = f"{self.tenant}/{name}"
        given: dict[str, object] = {
            "tenant": self.tenant,
            "episode": name,
            "source": "registry",
            "source_key": f"record-{name}",
            "location": f"file:{name}",
            "landed_at": 900,
            "trust": 1,
            "classification": 0,
            "tags": ["a"],
            "media_type": "application/json",
        }
        self.run(_EPISODE, id=node, properties=given | properties)
        return node

    def believe(
        self,
        subject: str,
        predicate: str,
        obj: str,
        *,
        kind: str = "string",
        valid: tuple[int, int] = (ALWAYS, UNTIL_CHANGED),
        recorded: tuple[int, int] = (1, FOREVER),
        listeners: int = EVERYONE,
        classification: int = 0,
        many: bool = False,
        **properties: object,
    ) -> str:
        """Create one believed edge with its episode; its belief id."""
        number = next(self._numbers)
        belief = f"{self.tenant}-b{number}"
        episode = str(properties.setdefault("episode_id", f"ep{number}"))
        source = self.entity(subject)
        at = self.episode(episode)
        key = key_of(self.tenant, subject, predicate, obj if many else None)
        given: dict[str, object] = {
            "valid_from": valid[0],
            "valid_to": valid[1],
            "recorded_from": recorded[0],
            "recorded_to": recorded[1],
            "listeners": listeners,
            "classification": classification,
            "belief_id": belief,
            "key": key,
            "predicate": predicate,
            "tenant": self.tenant,
            "origin": f"st{number}",
            "source": "registry",
            "source_key": f"record-{episode}",
            "location": f"file:{episode}",
            "trust": 1,
            "verification": "reported",
            "classified": classification,
            "valid_from_basis": "stated",
            "tags": ["a"],
            "landed_at": 900,
        }
        if recorded[1] != FOREVER:
            given |= {"closed_by": f"closer{number}", "reason": "corrected"}
            given["closed_at"] = recorded[1]
        given |= properties
        if kind == "entity":
            self.run(_EDGE["BELIEF"], s=source, o=self.entity(obj), p=given)
        else:
            parts = (predicate, "<erased>", key) if kind == "erased" else (predicate, obj)
            value = identity(self.tenant, *parts)
            named = {"id": value, "predicate": predicate, "kind": kind, "text": obj}
            self.run(_VALUE, tenant=self.tenant, **named)
            self.run(_EDGE["ATTRIBUTE"], s=source, o=value, p=given)
        self.run(_MENTIONS, e=at, s=source, tenant=self.tenant, at=recorded[0])
        return belief

    def confirm(
        self,
        belief: str,
        subject: str,
        episode: str,
        *,
        valid: tuple[int, int] = (ALWAYS, FOREVER),
        recorded: tuple[int, int] = (1, FOREVER),
        listeners: int = EVERYONE,
        classification: int = 0,
    ) -> str:
        """Create one box of a further supporter; its statement id."""
        number = next(self._numbers)
        at = self.episode(episode)
        given = {
            "valid_from": valid[0],
            "valid_to": valid[1],
            "recorded_from": recorded[0],
            "recorded_to": recorded[1],
            "listeners": listeners,
            "classification": classification,
            "belief_id": belief,
            "support_id": f"{self.tenant}-s{number}",
            "statement_id": f"st{number}",
            "tenant": self.tenant,
            "trust": 2,
            "episode_id": episode,
        }
        self.run(_CONFIRMS, e=at, s=f"{self.tenant}/{subject}", p=given)
        return f"st{number}"

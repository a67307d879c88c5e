"""What beliefs and supports look like in the graph: rows for the writer, and for the verifier.

Both sides of the comparison are made here, so the graph can only be told from the lake by what
happened to it. Rows are plain lists in the order of the Cypher files (`edge`, `open_confirms`,
`entities`, `values`, `episodes`, `mentions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from lakehouse.model.beliefs import ERASED, Belief, Support, identity
from lakehouse.model.episodes import Episode
from lakehouse.model.errors import ConfigurationError, IntegrityError
from lakehouse.model.instants import FOREVER
from lakehouse.model.statements import TRUST_NAMES

_LABEL: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
RESERVED: Final = frozenset(
    {
        "Entity", "Value", "Episode", "Projection", "ProjectionProof", "ProjectionLane",
        "GraphSchema",
    }
)  # fmt: skip
EDGE: Final = (
    "valid_from", "valid_to", "recorded_from", "recorded_to", "listeners", "classification",
    "landed_at", "belief_id", "trust", "key", "classified", "origin", "tenant", "episode_id",
    "predicate", "source", "verification", "valid_from_basis", "source_key", "location", "who",
    "tags", "heard_at", "imported", "opened_by", "closed_by", "reason", "closed_at",
    "fork",
)  # fmt: skip
"""What a read tests comes first; the rest so that it fills the store's records (graph/README)."""
BELIEF_ID: Final = 2 + EDGE.index("belief_id")
"""Where an edge's row, behind its two ends, has the belief's id."""
CONFIRMS: Final = (
    "valid_from", "valid_to", "recorded_from", "recorded_to", "listeners", "classification",
    "belief_id", "support_id", "statement_id", "tenant", "trust", "episode_id", "heard_at",
    "imported",
)  # fmt: skip
ENTITIES: Final = ("id", "tenant", "entity", "type", "labels")
VALUES: Final = ("id", "tenant", "predicate", "kind", "text")
EPISODES: Final = (
    "id", "tenant", "episode", "source", "source_key", "location", "landed_at", "occurred_at",
    "attested_at", "trust", "classification", "who", "tags", "media_type",
)  # fmt: skip
MENTIONS: Final = ("recorded_from", "tenant")

Row = list[object]


def node_id(tenant: str, name: str) -> str:
    """The id of an entity's or episode's node: the tenant is in it."""
    return f"{tenant}/{name}"


def prefix(tenant: str) -> str:
    """What the ids of all entity and episode nodes of a tenant start with, and no others."""
    return f"{tenant}/"


def span(tenant: str) -> tuple[str, str]:
    """The first text that may be such an id, and the first behind all of them.

    Pages are cut by what an index compares alone (its order is not that of Cypher's `<` for
    characters beyond U+FFFF, and `STARTS WITH` beside a bound leaves the bound to the latter).
    """
    return prefix(tenant), f"{tenant}{chr(ord('/') + 1)}"


def following(name: str) -> str:
    """The first text behind that one."""
    return f"{name}\0"


def is_range(low: str, high: str) -> bool:
    """Whether Neo4j takes `low` to `high` for a range that holds anything.

    An index orders by code points, but a seek whose ends are the other way round in UTF-16 gives
    nothing: as from U+FF21, the full-width A, to an emoji.
    """
    if low.isascii() and high.isascii():
        return low <= high
    return low.encode("utf-16-be") <= high.encode("utf-16-be")


def labels(entity_type: str) -> list[str]:
    """The label made from an entity's type (`time zone` gives TimeZone); none for no type.

    A type that would read as one of our own labels gets `Entity` behind it.
    """
    if not entity_type:
        return []
    label = "".join(part[:1].upper() + part[1:] for part in re.split(r"[\s_.:/-]+", entity_type))
    if not _LABEL.fullmatch(label):
        raise ConfigurationError(
            f"entity type {entity_type!r} makes no label",
            remedy="Name types with the letters A to Z, digits and underscores, a letter first.",
            entity_type=entity_type,
        )
    if label == "Entity":
        return []
    return [f"{label}Entity" if label in RESERVED else label]


@dataclass(slots=True)
class Nodes:
    """The nodes and MENTIONS that a set of beliefs and supports needs.

    Where facts disagree (an entity's type, a value's kind) the earliest recorded one holds, so
    the graph does not depend on how the ledger was cut into batches.
    """

    tenant: str
    types: dict[str, tuple[int, str]] = field(default_factory=dict)
    values: dict[str, tuple[int, str, str, str]] = field(default_factory=dict)
    mentioned: dict[tuple[str, str], int] = field(default_factory=dict)
    telling: set[str] = field(default_factory=set)
    """Episodes of which something has not been erased."""
    _ids: dict[tuple[str, str], str] = field(default_factory=dict)

    def value_id(self, belief: Belief) -> str:
        """The id of the value node; an erased slot has one of its own for each key."""
        if belief.object is None:
            return identity(self.tenant, belief.predicate, ERASED, belief.key)
        parts = (belief.predicate, belief.object)
        found = self._ids.get(parts)
        if found is None:
            found = self._ids[parts] = identity(self.tenant, *parts)
        return found

    def add(self, belief: Belief) -> str:
        """Take note of what the belief's edge needs; the id of its far end."""
        self._entity(belief.subject, belief.subject_type, belief.recorded_from)
        if belief.object is not None:
            self.telling.add(belief.episode_id)
        self.mention(belief.episode_id, belief.subject, belief.recorded_from)
        if belief.linked is not None:
            self._entity(belief.linked, belief.object_type, belief.recorded_from)
            self.mention(belief.episode_id, belief.linked, belief.recorded_from)
            return f"{self.tenant}/{belief.linked}"
        at, erased = self.value_id(belief), belief.object is None
        kind = "erased" if erased else belief.object_kind
        known = self.values.get(at)
        if known is None or (belief.recorded_from, kind) < known[:2]:
            self.values[at] = (belief.recorded_from, kind, belief.predicate, belief.value)
        return at

    def add_support(self, support: Support, object_entity: str | None) -> None:
        """Take note of a supporter: it mentions what the belief is about."""
        self.telling.add(support.episode_id)
        self.mention(support.episode_id, support.subject, support.recorded_from)
        if object_entity is not None:
            self.mention(support.episode_id, object_entity, support.recorded_from)

    def mention(self, episode: str, entity: str, recorded_from: int) -> None:
        """An episode mentions an entity, first at this recorded instant."""
        pair = (episode, entity)
        if recorded_from < self.mentioned.get(pair, recorded_from + 1):
            self.mentioned[pair] = recorded_from

    def entity_rows(self) -> Iterable[Row]:
        """Rows of `entities`."""
        made: dict[str, list[str]] = {}
        for entity, (_, kind) in self.types.items():
            if kind not in made:
                made[kind] = labels(kind)
            yield [f"{self.tenant}/{entity}", self.tenant, entity, kind, made[kind]]

    def value_rows(self) -> Iterable[Row]:
        """Rows of `values`."""
        for at, (_, kind, predicate, text) in self.values.items():
            yield [at, self.tenant, predicate, kind, text]

    def episode_rows(self, headers: Mapping[str, Episode]) -> Iterable[Row]:
        """Rows of `episodes`: every episode that is mentioned with anything."""
        for name in dict.fromkeys(episode for episode, _ in self.mentioned):
            yield episode_row(headers[name], told=name in self.telling)

    def mention_rows(self) -> Iterable[Row]:
        """Rows of `mentions`."""
        for (episode, entity), recorded_from in self.mentioned.items():
            yield [
                f"{self.tenant}/{episode}", f"{self.tenant}/{entity}", recorded_from, self.tenant,
            ]  # fmt: skip

    def _entity(self, entity: str, kind: str, recorded_from: int) -> None:
        known = self.types.get(entity)
        if known is None or (kind and (not known[1] or (recorded_from, kind) < known)):
            self.types[entity] = (recorded_from, kind)


def edge_row(
    belief: Belief,
    target: str,
    header: Episode,
    attested_to: int | None,
    fork: int | None = None,
) -> Row:
    """Row of `edge`; what says nothing that another column does not is left out.

    That is `heard_at` where it is `recorded_from`, `opened_by` where it is `origin`, and
    `imported` where the clock of the instant it was heard at is the system's own. `fork` is for
    dense keys (graph.fork).
    """
    who, tags, location = _person(header, told=belief.object is not None)
    return [
        f"{belief.tenant}/{belief.subject}", target,
        belief.valid_from, belief.valid_to, belief.recorded_from, belief.recorded_to,
        belief.listeners, belief.strictest, header.landed_at, belief.belief_id, belief.trust,
        belief.key, belief.classification, belief.origin, belief.tenant, belief.episode_id,
        belief.predicate, header.source, TRUST_NAMES[belief.trust], belief.valid_from_basis,
        header.source_key, location, who, tags, *_heard(belief, attested_to),
        None if belief.opened_by == belief.origin else belief.opened_by,
        belief.closed_by, None if belief.reason is None else belief.reason.value,
        None if belief.recorded_to == FOREVER else belief.recorded_to, fork,
    ]  # fmt: skip


def _heard(box: Belief | Support, attested_to: int | None) -> tuple[int | None, bool | None]:
    """`heard_at` and `imported`, each where it says something."""
    imported = attested_to is not None and box.heard_at <= attested_to
    return None if box.heard_at == box.recorded_from else box.heard_at, imported or None


def _person(header: Episode, *, told: bool) -> tuple[str | None, list[str] | None, str | None]:
    """Who said it, its tags and where it stood, unless what was said has been erased."""
    if not told:
        return None, None, None
    return header.who, list(header.tags) or None, header.location or None


def confirms_row(support: Support, attested_to: int | None) -> Row:
    """Row of `open_confirms`; `heard_at` and `imported` as in `edge_row`."""
    return [
        f"{support.tenant}/{support.episode_id}", f"{support.tenant}/{support.subject}",
        support.valid_from, support.valid_to, support.recorded_from, support.recorded_to,
        support.listeners, support.classification, support.belief_id, support.support_id,
        support.statement_id, support.tenant, support.trust, support.episode_id,
        *_heard(support, attested_to),
    ]  # fmt: skip


def episode_row(header: Episode, *, told: bool = True) -> Row:
    """Row of `episodes`; `told` is False where all that it said has been erased."""
    who, tags, location = _person(header, told=told)
    return [
        f"{header.tenant}/{header.episode_id}", header.tenant, header.episode_id, header.source,
        header.source_key, location, header.landed_at, header.occurred_at,
        header.attested_at, header.trust, header.classification, who, tags, header.media_type,
    ]  # fmt: skip


def require_headers(headers: Mapping[str, Episode], wanted: Iterable[str], tenant: str) -> None:
    """IntegrityError when a belief names an episode that the lake does not hold."""
    missing = sorted(set(wanted) - headers.keys())
    if missing:
        raise IntegrityError(
            f"{len(missing)} episodes of beliefs are not in the ledger of {tenant!r}, "
            f"{missing[0]!r} first",
            remedy="Check the lake: beliefs must not outlive their episodes.",
            tenant=tenant,
            episode=missing[0],
        )

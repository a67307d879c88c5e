"""A small history told to a ledger step by step, for the tests of the projection.

The beliefs are made by hand, so that these tests judge the graph alone and not the fold.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lakehouse.ledger import Ledger
from lakehouse.memory import MemoryLedger
from lakehouse.model.beliefs import Belief, Reason, Support, identity, key_of
from lakehouse.model.episodes import Episode
from lakehouse.model.instants import FOREVER, UNTIL_CHANGED
from lakehouse.model.ledger import (
    BeliefChanges,
    Clock,
    Closing,
    Commit,
    Extracted,
    SupportClosing,
    Tightening,
)
from lakehouse.model.statements import ENTITY, Operation, Statement

START = 1_700_000_000_000_000
SECOND = 1_000_000


@dataclass
class Told:
    """One clock for all ledgers: a second a look."""

    at: int = START

    def __call__(self) -> int:
        """The next instant."""
        self.at += SECOND
        return self.at


@dataclass
class Story:
    """One tenant's ledger and what was told to it."""

    tenant: str
    clock: Told = field(default_factory=Told)
    ledger: Ledger = field(init=False)
    beliefs: dict[str, Belief] = field(default_factory=dict)
    told: int = 0

    def __post_init__(self) -> None:
        self.ledger = MemoryLedger(now=self.clock, store_now=self.clock)

    def hear(self, episode: str, *, attested_at: int | None = None, **more: object) -> Commit:
        """Land an episode and extract one statement of it: its commit."""
        header = Episode(
            tenant=self.tenant,
            episode_id=episode,
            source="registry",
            source_key=f"record {episode}",
            payload=b"{}",
            attested_at=attested_at,
            trust=2,
            classification=0,
            who="clerk",
            tags=("signed", "öffentlich"),
            location=f"{episode}.jsonl:1",
        )
        self.ledger.land(self.tenant, [replace(header, **more)])  # type: ignore[arg-type]
        self.told += 1
        statement = Statement(
            tenant=self.tenant,
            statement_id=f"s{self.told}",
            op=Operation.ASSERT,
            recorded_at=attested_at or 0,
            seq=0,
            episode_id=episode,
        )
        return self.ledger.append_statements(
            self.tenant,
            [Extracted(statement)],
            clock=Clock.SYSTEM if attested_at is None else Clock.ATTESTED,
            through=self.ledger.commits(self.tenant)[-1].position,
        )

    def belief(
        self, episode: str, subject: str, predicate: str, value: str | None, **more: object
    ) -> Belief:
        """A belief of that episode from the newest recorded instant on."""
        newest = self.ledger.commits(self.tenant)[-1]
        entity = predicate.startswith("in_")
        belief = Belief(
            tenant=self.tenant,
            belief_id=identity(self.tenant, len(self.beliefs)),
            key=key_of(self.tenant, subject, predicate),
            subject=subject,
            predicate=predicate,
            object=value,
            object_kind=ENTITY if entity else "integer",
            subject_type="time zone",
            object_type="country" if entity else "",
            valid_from=START - 1000 * SECOND,
            valid_to=UNTIL_CHANGED,
            recorded_from=newest.ledger_to,
            heard_at=newest.ledger_to,
            listeners=7,
            origin=f"s{self.told}",
            episode_id=episode,
            valid_from_basis="stated",
            trust=2,
            classification=0,
            strictest=0,
            opened_by=f"s{self.told}",
        )
        made = belief._replace(**more)  # type: ignore[arg-type]
        self.beliefs[made.belief_id] = made
        return made

    def support(self, belief: Belief, episode: str) -> Support:
        """That episode confirms the belief from the newest recorded instant on."""
        newest = self.ledger.commits(self.tenant)[-1]
        return Support(
            tenant=self.tenant,
            support_id=identity(belief.belief_id, episode),
            belief_id=belief.belief_id,
            statement_id=f"s{self.told}",
            episode_id=episode,
            subject=belief.subject,
            valid_from=belief.valid_from,
            valid_to=belief.valid_to,
            recorded_from=newest.ledger_to,
            heard_at=newest.ledger_to,
            listeners=3,
            trust=1,
            classification=1,
        )

    def believe(self, changes: BeliefChanges) -> Commit:
        """Record what follows."""
        position = self.ledger.commits(self.tenant)[-1].position
        return self.ledger.append_beliefs(self.tenant, changes, through=position)

    def close(self, belief: Belief, reason: Reason = Reason.CORRECTED) -> Closing:
        """The belief ends at the newest recorded instant."""
        newest = self.ledger.commits(self.tenant)[-1]
        return Closing(belief.belief_id, newest.ledger_to, f"s{self.told}", reason)


def first_chapter(story: Story, *, attested: bool = False) -> list[Belief]:
    """Two episodes: values, a link, an erased slot, a closed rectangle, one confirmation."""

    def at(step: int) -> int | None:
        return START - (10 - step) * SECOND if attested else None

    heard = story.hear("e1", attested_at=at(0))
    opened = [
        story.belief("e1", "zone:A", "offset", "3600"),
        story.belief("e1", "zone:B", "offset", "3600", subject_type=""),
        story.belief("e1", "zone:A", "in_country", "country:X"),
        story.belief("e1", "zone:B", "contact", None),
        story.belief(
            "e1", "zone:B", "name", "Zürich", valid_to=FOREVER, object_kind="string",
            recorded_from=heard.ledger_to, recorded_to=heard.ledger_to + 1,
            closed_by="s1", reason=Reason.WITHDRAWN,
        ),
    ]  # fmt: skip
    story.hear("e2", attested_at=at(1), who=None, tags=())
    supports = (story.support(opened[0], "e2"), story.support(opened[2], "e2"))
    story.believe(BeliefChanges(opened=tuple(opened), supports_opened=supports))
    return opened


def second_chapter(story: Story, opened: list[Belief]) -> None:
    """Closings of both types, what follows them, a support closed, a late confirmation."""
    story.hear("e3")
    fresh = (
        story.belief("e3", "zone:A", "offset", "7200"),
        story.belief("e3", "zone:A", "in_country", "country:Y"),
    )
    newest = story.ledger.commits(story.tenant)[-1].ledger_to
    changes = BeliefChanges(
        opened=fresh,
        closed=(story.close(opened[0]), story.close(opened[2], Reason.CHANGED)),
        supports_opened=(story.support(opened[3], "e3"),),
        supports_closed=tuple(
            SupportClosing(identity(belief.belief_id, "e2"), newest)
            for belief in (opened[0], opened[2])
        ),
    )
    story.believe(changes)


def tighten(story: Story, belief: Belief) -> None:
    """From now on the belief is restricted, in the past too."""
    story.hear(f"mark {story.told}")
    newest = story.ledger.commits(story.tenant)[-1]
    change = Tightening(belief.belief_id, newest.recorded_at, 3)
    story.believe(BeliefChanges(tightened=(change,)))

"""Questions drawn from the lake's own beliefs, so that every one has an answer that is known."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from lakehouse.model.beliefs import Belief
from lakehouse.model.instants import ALWAYS, UNTIL_CHANGED
from lakehouse.model.statements import ENTITY

SEED = 2026
_DAY = 86_400_000_000
_FAR = 400 * _DAY
"""How far into an open period a question may point."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A pair of instants (µs UTC) at which these beliefs, the last one above all, are held."""

    beliefs: Sequence[Belief]
    valid_at: int
    known_at: int

    @property
    def expected(self) -> str:
        """The id that must be in the answer."""
        return self.beliefs[-1].belief_id


@dataclass(slots=True)
class Questions:
    """Draws questions about one tenant's beliefs, the same for the same beliefs."""

    beliefs: Sequence[Belief]
    watermark: int
    _random: random.Random = field(default_factory=lambda: random.Random(SEED))

    def points(self, number: int) -> list[Asked]:
        """Each about one belief, at an instant inside its rectangle."""
        heard = self._heard()
        return [self._inside([self._random.choice(heard)]) for _ in range(number)]

    def links(self, number: int) -> list[Asked]:
        """Each about one edge between entities; none where the tenant has no such edge."""
        linked = [belief for belief in self._heard() if _is_link(belief)]
        if not linked:
            return []
        return [self._inside([self._random.choice(linked)]) for _ in range(number)]

    def chains(self, number: int) -> list[Asked]:
        """Each about an edge between entities and a belief of its end, held at the same time."""
        heard = self._heard()
        about: dict[str, list[Belief]] = defaultdict(list)
        for belief in heard:
            about[belief.subject].append(belief)
        linked = [belief for belief in heard if _is_link(belief) and about.get(belief.object or "")]
        found: list[Asked] = []
        while linked and len(found) < number:
            first = self._random.choice(linked)
            last = self._random.choice(about[first.object or ""])
            if _meet(first, last):
                found.append(self._inside([first, last]))
        return found

    def _heard(self) -> list[Belief]:
        return [
            belief
            for belief in self.beliefs
            if belief.listeners & 1 and belief.object is not None
            and belief.recorded_from <= self.watermark
        ]  # fmt: skip

    def _inside(self, beliefs: Sequence[Belief]) -> Asked:
        start = max(belief.valid_from for belief in beliefs)
        end = min(belief.valid_to for belief in beliefs)
        if start <= ALWAYS:
            start = (0 if end >= UNTIL_CHANGED else end) - _FAR
        known = max(belief.recorded_from for belief in beliefs)
        unknown = min(belief.recorded_to for belief in beliefs)
        return Asked(
            beliefs,
            self._random.randrange(start, min(end, start + _FAR)),
            self._random.randrange(known, min(unknown, self.watermark + 1)),
        )


def _is_link(belief: Belief) -> bool:
    return belief.object_kind == ENTITY and belief.object != belief.subject


def _meet(one: Belief, two: Belief) -> bool:
    return (
        max(one.valid_from, two.valid_from) < min(one.valid_to, two.valid_to)
        and max(one.recorded_from, two.recorded_from) < min(one.recorded_to, two.recorded_to)
    )  # fmt: skip

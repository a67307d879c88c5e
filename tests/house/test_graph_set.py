"""The set of the graph's benchmark has the shape that its figures are told of, at any size."""

from __future__ import annotations

from collections import Counter

import pytest

from lakehouse.memory import MemoryLedger
from lakehouse.model.beliefs import Belief, live
from lakehouse.model.statements import ENTITY
from tests.benchmarks.graph.filling import fill
from tests.benchmarks.graph.histories import HUB, READING, SENSOR, TENANT, Shape, thing, told_from

SHAPE = Shape(entities=600, beliefs=6_000, versions=100, neighbours=60)


@pytest.fixture(scope="module")
def beliefs() -> list[Belief]:
    ledger = MemoryLedger()
    fill(ledger, SHAPE, lambda _: None)
    return ledger.beliefs(TENANT)


def test_it_is_as_large_as_was_asked_and_a_seventh_is_superseded(beliefs: list[Belief]) -> None:
    assert len(beliefs) == pytest.approx(SHAPE.beliefs, rel=0.08)
    assert sum(one.reason is not None for one in beliefs) / len(beliefs) == pytest.approx(
        0.15, abs=0.03
    )
    kinds = Counter(one.object_kind == ENTITY for one in beliefs)
    assert kinds[True] > 0.2 * len(beliefs)
    assert kinds[False] > 0.5 * len(beliefs)


def test_one_key_has_the_versions_and_one_entity_the_neighbours(beliefs: list[Belief]) -> None:
    versions = [one for one in beliefs if (one.subject, one.predicate) == (SENSOR, READING)]
    assert len(versions) == pytest.approx(SHAPE.versions, abs=10)
    now = versions[-1].recorded_from
    linked = [one for one in beliefs if one.subject == HUB and live(one, now, now, 1)]
    assert len(linked) == SHAPE.neighbours


def test_two_steps_reach_about_ten_things_and_three_about_thirty(beliefs: list[Belief]) -> None:
    at = told_from(3)
    links: dict[str, list[str]] = {}
    for one in beliefs:
        if one.linked is not None and live(one, at, at, 1):
            links.setdefault(one.subject, []).append(one.linked)
    reached: list[list[int]] = []
    for start in map(thing, SHAPE.members(3)):
        seen, edge, sizes = {start}, [start], []
        for _ in range(3):
            edge = [end for near in edge for end in links.get(near, []) if end not in seen]
            seen.update(edge)
            sizes.append(len(seen) - 1)
        reached.append(sizes)
    _, two, three = (sum(sizes) / len(reached) for sizes in zip(*reached, strict=True))
    assert 7 < two < 13
    assert 14 < three < 36, "a group of so few things is nearly all reached"

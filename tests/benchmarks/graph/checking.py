"""Every kind of read is checked against DuckDB before any is timed; one difference ends the run.

What is compared is each belief with its periods, what closed it as far as it shows, its origin
and what it carries; of paths also where they lead, how far, and that their steps join.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from graph.rows import node_id
from lakehouse.model.errors import IntegrityError
from lakehouse.model.instants import show
from queries.answers import Answer, Believed
from queries.memory import Memory
from queries.streaming import States
from queries.view import View
from tests.benchmarks.graph.asking import HUB_READS, READS, Read, Told, trials
from tests.benchmarks.graph.histories import TENANT, Shape
from tests.benchmarks.graph.plain import plain_text
from tests.benchmarks.graph.rectangles import Asked, Rectangles, Row
from tests.benchmarks.stack import Stack
from tests.benchmarks.tables import Column, Table, Value, whole

TRIALS: Final = 200
_FEW: Final = 6
_IN_STATES: Final = (2, 3, 4, 5, 6, 7, 8, 15, 13, 14)
"""Places of the columns of `States` in a row of an answer."""


def check(
    stack: Stack, rectangles: Rectangles, shape: Shape, watermark: int, trials_each: int = TRIALS
) -> Table:
    """Ask all kinds at random pairs of instants; IntegrityError names the first that differs."""
    memory = Memory(stack.driver, stack.database)
    rows: list[tuple[Value, ...]] = []
    for read in (*READS, *HUB_READS):
        asked = trials(read, shape, watermark, _FEW if read in HUB_READS else trials_each)
        wanted = rectangles.answers(read.sql, asked)
        reached = rectangles.answers("reached", asked) if read.sql == "links" else None
        told, digest = 0, hashlib.blake2b(digest_size=16)
        for number, one in enumerate(asked):
            answer = read.ask(view_at(memory, one), one)
            found, due = _rows(answer), wanted[number]
            if isinstance(answer, States):
                due = {tuple(row[at] for at in _IN_STATES) for row in due}
            _require(found, due, read, one, paths=reached is not None)
            if reached is not None and isinstance(answer, Answer):
                _require_paths(answer, reached[number], read, one)
            if read.ruled:
                _require_ruled(stack, read, one, reached and reached[number], wanted[number])
            told += len(found)
            digest.update(repr(sorted(found, key=repr)).encode())
        rows.append((read.name, len(asked), told, digest.hexdigest()))
    columns = (
        Column("read", "read"),
        Column("questions", "questions", whole),
        Column("beliefs told", "beliefs", whole),
        Column("digest", "digest"),
    )
    notes = [
        "each equal to DuckDB's answer on the lake's rectangles; a quarter anywhere in time, a "
        "quarter for some listener at clearance public"
    ]
    return Table("graph: answers checked before anything is timed", columns, rows, notes)


def view_at(memory: Memory, asked: Asked) -> View:
    """A view at the question's basis."""
    return memory.view(
        TENANT,
        valid_at=asked.valid_at,
        known_at=asked.known_at,
        listener=f"trust>={asked.listener.bit_length() - 1}",
        clearance=asked.clearance,
    )


def parameters(asked: Asked) -> dict[str, Any]:
    """What the plain statements are given."""
    return {
        "entity": node_id(TENANT, asked.entity),
        "predicate": asked.predicate,
        "valid_at": asked.valid_at,
        "known_at": asked.known_at,
        "listener": asked.listener,
        "clearance": asked.clearance,
    }


def _rows(answer: Told) -> set[Row]:
    if isinstance(answer, Answer):
        return {_row(belief) for belief in answer.beliefs}
    if isinstance(answer, States):
        return set(zip(*answer, strict=True))
    return {(_name(one.before), _name(one.after)) for one in answer.changes}


def _name(belief: Believed | None) -> str | None:
    return None if belief is None else belief.belief_id


def _row(belief: Believed) -> Row:
    return (
        belief.belief_id, belief.key, belief.subject, belief.predicate, belief.object,
        belief.object_kind,
        belief.valid_from, belief.valid_to, belief.recorded_from, belief.recorded_to,
        belief.closed_by, belief.reason, belief.opened_by,
        belief.evidence.statement_id, belief.evidence.episode_id,
        belief.evidence.trust, belief.evidence.classification,
    )  # fmt: skip


def _require(found: set[Row], wanted: set[Row], read: Read, asked: Asked, *, paths: bool) -> None:
    """Equal; of paths every step is among the believed links."""
    if found != wanted and not (paths and found < wanted):
        raise _differs(read, asked, found ^ wanted)


def _require_paths(answer: Answer, reached: set[Row], read: Read, asked: Asked) -> None:
    ends = {(path.end, path.length) for path in answer.paths}
    if ends != reached:
        raise _differs(read, asked, ends ^ reached)
    for path in answer.paths:
        names = [asked.entity, *(step.object for step in path.steps)]
        if [step.subject for step in path.steps] != names[:-1] or names[-1] != path.end:
            raise _differs(read, asked, [(step.belief_id,) for step in path.steps])


def _require_ruled(
    stack: Stack, read: Read, asked: Asked, reached: set[Row] | None, wanted: set[Row]
) -> None:
    """The statement with the rule alone tells the same beliefs, or the same ends."""
    found = stack.driver.execute_query(
        plain_text(read.ruled, asked.hops), parameters(asked), database_=stack.database
    ).records[0]
    if reached is not None:
        ours, theirs = {(end,) for end in found["found"]}, {(end,) for end, _ in reached}
    elif "found" in found.keys():  # noqa: SIM118  (a record iterates over its values)
        ours, theirs = {(row[0],) for row in found["found"]}, {row[:1] for row in wanted}
    else:
        ours, theirs = {(name,) for name in found["belief"]}, {row[:1] for row in wanted}
    if ours != theirs:
        raise _differs(read, asked, ours ^ theirs)


def check_plain(stack: Stack, rectangles: Rectangles, asked: Asked) -> None:
    """The graph without time tells what is believed at the instants that it was made of.

    Each of its statements is asked about one thing; IntegrityError names the first that differs.
    """
    for read in (*READS, *HUB_READS):
        if not read.plain:
            continue
        one = replace(asked, predicate=asked.predicate if read is READS[0] else None)
        wanted = rectangles.answers("reached" if read.sql == "links" else read.sql, [one])[0]
        found = stack.driver.execute_query(
            plain_text(read.plain, one.hops), parameters(one), database_=stack.database
        ).records[0]
        names = {row if isinstance(row, str) else row[0] for row in found[0]}
        if names != {row[0] for row in wanted}:
            raise _differs(read, one, names ^ {row[0] for row in wanted})


def _differs(read: Read, asked: Asked, differing: Iterable[Any]) -> IntegrityError:
    first = min(differing, key=repr)
    return IntegrityError(
        f"{read.name} of {asked.entity} at valid_at {show(asked.valid_at)}, known_at "
        f"{show(asked.known_at)} differs from DuckDB's answer, {first} first",
        remedy="Find out why before measuring anything.",
    )

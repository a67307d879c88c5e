"""Questions that are asked of the SQL together do not meet each other: not in their cost either."""

from __future__ import annotations

from lakehouse.asof.asof import AsOf, Question
from lakehouse.asof.relations import Statements
from lakehouse.model.listeners import Listener, Listeners
from lakehouse.model.statements import Operation, Statement

KEYS = 40


def _ledger() -> list[Statement]:
    """Of each key one statement, later withdrawn, and the withdrawal withdrawn."""
    said = [
        Statement(
            tenant="t",
            statement_id=f"s{n}",
            episode_id=f"e{n}",
            recorded_at=n,
            seq=n,
            op=Operation.ASSERT,
            subject=f"x{n}",
            predicate="p",
            object="v",
            tags=("odd",) if n % 2 else (),
        )
        for n in range(KEYS)
    ]
    for undone in range(2 * KEYS):
        n = KEYS + undone
        said.append(
            Statement(
                tenant="t",
                statement_id=f"s{n}",
                episode_id=f"e{n}",
                recorded_at=n,
                seq=n,
                op=Operation.WITHDRAW,
                target=f"s{undone}",
            )
        )
    return said


def test_many_moments_do_not_multiply_with_all_that_undoes() -> None:
    """As many withdrawals are settled as reach what is asked about, not as many times moments."""
    statements = Statements.of("t", _ledger())
    asof = AsOf(statements, [], Listeners())
    instants = {"said": 0, "withdrawn": KEYS, "back": 2 * KEYS}
    asked = [Question(f"x{n}", "p", 0, n + late) for late in instants.values() for n in range(KEYS)]
    answers = asof.believed(asked)
    told = [sorted(answer) for answer in answers]
    assert told == [["v"]] * KEYS + [[]] * KEYS + [["v"]] * KEYS
    settled = statements.connection.table("settled").aggregate("count(*)").fetchone()
    assert settled == (3 * KEYS,)  # one of each key when it is withdrawn, two when it is back


def test_listeners_that_ask_for_tags_are_heard_beside_those_that_do_not() -> None:
    listeners = Listeners((Listener("odd ones", tags=frozenset({"odd"})),))
    asof = AsOf(Statements.of("t", _ledger()), [], listeners)
    names = ("trust>=0", "odd ones")
    asked = [Question(f"x{n}", "p", 0, KEYS - 1, name) for name in names for n in range(KEYS)]
    answers = asof.believed(asked)
    assert [bool(answer) for answer in answers] == [True] * KEYS + [False, True] * (KEYS // 2)

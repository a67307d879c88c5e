"""The diary notation: its README is read as a diary, and every mistake names its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED, parse
from lakehouse.model.statements import ENTITY, Operation
from tests import diary
from tests.diary import DiaryError
from tests.engines import FoldEngine, ReplayEngine, compare
from tests.golden.collected import RULES

README = Path(__file__).parents[1] / "golden" / "README.md"
LEDGER = "case t\npredicate tags many\n1 s1: ann works_at acme from 0\n"


@pytest.mark.parametrize(
    ("page", "questions"), [(README, 10), (RULES, 59)], ids=["notation", "rules"]
)
def test_the_readme_is_true(page: Path, questions: int) -> None:
    fold, replay, count = FoldEngine(), ReplayEngine(), 0
    for case in diary.shown(page):
        asked = [question for question, _ in case.questions]
        for engine in (fold, replay):
            engine.load([case.history()])
            assert not compare(asked, engine.ask(asked), [told for _, told in case.questions])
            assert engine.reach([one for one, _ in case.paths]) == [to for _, to in case.paths]
        assert [fold.told(one) for one, _ in case.told] == [found for _, found in case.told]
        count += len(asked)
    assert count == questions


@pytest.mark.parametrize(
    "line", re.findall(r"`(\d (?:[a-z].*?))`", README.read_text().partition("**Statements.**")[2])
)
def test_every_statement_of_the_readme_is_read(line: str) -> None:
    (case,) = diary.parse(
        f"case t\npredicate member_of many\n1 s1: ann works_at acme from 0\n{line}"
    )
    assert len(case.statements) == 2


def test_a_statement_carries_what_its_line_says() -> None:
    (case,) = diary.parse(
        """
        case all of it
        predicate note literal
        5  n1: ann note "a b" from 2024-01-01 to forever by desk in e1 verified internal tagged x,y
        5  ann note c from always until changed
        5  retract ann note
        6  mark e1 restricted
        """
    )
    first, second, third, fourth = case.statements
    assert (first.statement_id, first.recorded_at, first.seq, first.object) == ("n1", 5, 0, "a b")
    assert (first.valid_from, first.valid_to) == (parse("2024-01-01"), FOREVER)
    assert (first.source, first.episode_id, first.tags) == ("desk", "e1", ("x", "y"))
    assert (first.trust, first.classification, first.object_kind) == (2, 1, "string")
    assert (second.statement_id, second.seq, second.episode_id) == ("s2", 1, "ep-s2")
    assert (second.valid_from, second.valid_to) == (ALWAYS, UNTIL_CHANGED)
    assert (third.op, third.valid_from, third.valid_to) == (Operation.RETRACT, ALWAYS, FOREVER)
    assert (fourth.target, fourth.mark_trust, fourth.mark_classification) == ("e1", None, 3)
    assert (fourth.trust, fourth.classification) == (0, 0)


def test_a_question_is_asked_at_every_pair_of_its_instants() -> None:
    (case,) = diary.parse(LEDGER + "? ann works_at @1,2,3 known 4,5 listener trust>=1 => nothing")
    assert [(q.valid_at, q.known_at) for q, _ in case.questions] == [
        (v, k) for v in (1, 2, 3) for k in (4, 5)
    ]
    assert {(q.listener, q.clearance) for q, _ in case.questions} == {("trust>=1", 3)}
    assert case.statements[0].object_kind == ENTITY


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ann works_at acme from 0", "'ann' is not an instant"),
        ("0 ann works_at acme from 0", "recorded instants never decrease"),
        ("2 s1: ann works_at acme from 0", "the id 's1' is used above"),
        ("2 ann works_at acme", "a period is missing"),
        ("2 ann works_at", "a value is missing"),
        ("2 ann works_at acme from 5 to 5", "the period is empty"),
        ("2 ann works_at acme from 5 until tuesday", "expected `until changed`"),
        ("2 ann works_at acme from 0 probably", "'probably' is not understood here"),
        ("2 ann works_at acme from 2024-13-01", "is not a day of the calendar"),
        ("2 end ann works_at acme from 5", "names a value on `many` predicates only"),
        ("2 end ann works_at from 5 to 6", "an end has a start only"),
        ("2 withdraw s9", "nothing above is called 's9'"),
        ("2 withdraw ann", "nothing above is called 'ann'"),
        ("2 mark s1", "a mark says a trust, a classification or both"),
        ("2 ann works_at acme from 0 => acme: s1", "a statement has no `=>`"),
        ('2 ann works_at "acme from 0', "No closing quotation"),
        ("listener careful quietly", "'quietly' is no condition of a listener"),
        ("listener careful trust blind", "'blind' is no trust"),
        ("listener open up to eleven", "'eleven' is none of public"),
        ("? ann works_at known 5 => nothing", "expected @VALID, found 'known'"),
        ("? ann works_at @5 => nothing", "expected `known INSTANT`"),
        ("? ann works_at @5 known 5", "a question needs `=> ANSWER`"),
        ("? ann works_at @5 known 5 => acme", "expected VALUE: ID …, found 'acme'"),
        ("? ann works_at @5 known 5 => acme: s7", "no statement above has the id ['s7']"),
        ("? ann worksat @5 known 5 => nothing", "nothing above speaks of 'worksat'"),
        ("? ann works_at @5 known 5 listener nobody => nothing", "unknown listener 'nobody'"),
        ("reach ann 2 @5 known 5 => acme: 1 2", "expected ENTITY: STEPS"),
        ("history ann works_at known 5 => acme known 1", "expected `from INSTANT`"),
    ],
)
def test_a_mistake_names_its_line(line: str, says: str) -> None:
    with pytest.raises(DiaryError) as found:
        diary.parse(LEDGER + line, "late.diary")
    first, second = str(found.value).splitlines()
    assert first.startswith("late.diary:4: ")
    assert says in first
    assert second.strip() == line


def test_a_diary_begins_with_a_case() -> None:
    with pytest.raises(DiaryError, match=r"diary:1: a diary begins with `case TITLE`"):
        diary.parse("1 ann works_at acme from 0")
    with pytest.raises(DiaryError, match=r"diary:1: a case needs a title"):
        diary.parse("case")

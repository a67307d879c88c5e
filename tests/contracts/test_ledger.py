"""What every store of the record promises; one suite for the memory twin and for Iceberg.

Iceberg's is kept by SQLite and a folder, and with `make exhaustive-s3` by S3 and PostgreSQL too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lakehouse.ledger import Ledger
from lakehouse.memory import MemoryLedger
from lakehouse.model.beliefs import Reason
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ConflictError, InputError
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.ledger import (
    BeliefChanges,
    Clock,
    Closing,
    Extracted,
    Publication,
    Stage,
    SupportClosing,
    Tightening,
)
from lakehouse.model.statements import Operation
from tests.contracts.ledger_values import (
    HOUR,
    NOON,
    TurnedClock,
    belief,
    episode,
    extracted,
    refusal,
    statement,
    support,
    undoing,
)
from tests.lakes import STORES, lake_in
from tests.tally import ALL


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture(params=["memory", *(STORES if ALL else ["local"])])
def reopen(
    request: pytest.FixtureRequest, tmp_path: Path, clock: TurnedClock
) -> Callable[[], Ledger]:
    """Gives the ledger; each call opens it anew where there is something to open."""
    if request.param == "memory":
        held = MemoryLedger(now=clock)
        return lambda: held
    lake = lake_in(request.param, tmp_path / ".home of tests", request)
    return lambda: lake.open(clock)


@pytest.fixture
def ledger(reopen: Callable[[], Ledger]) -> Ledger:
    return reopen()


def system(ledger: Ledger, *rows: Extracted, through: int = 0, tenant: str = "t") -> int:
    """Append under the system's clock; the stamp."""
    return ledger.append_statements(tenant, rows, clock=Clock.SYSTEM, through=through).recorded_at


def attested(ledger: Ledger, *rows: Extracted) -> int:
    """Append what sources attest; the commit's stamp."""
    return ledger.append_statements("t", rows, clock=Clock.ATTESTED, through=0).recorded_at


# -- commits ---------------------------------------------------------------------------------


def test_positions_are_contiguous_over_tenants_and_stamps_rise(
    ledger: Ledger, clock: TurnedClock
) -> None:
    ledger.land("a", [episode("1", tenant="a")])
    ledger.land("b", [episode("1", tenant="b")])
    clock.instant -= 5 * HOUR
    system(ledger, *extracted(statement("s", tenant="a")), tenant="a", through=1)
    commits = sorted(ledger.commits("a") + ledger.commits("b"), key=lambda c: c.position)
    assert [c.position for c in commits] == [1, 2, 3]
    assert [c.recorded_at for c in commits] == [NOON, NOON + 1, NOON + 2]
    assert [c.position for c in ledger.commits("a")] == [1, 3]
    assert [c.position for c in ledger.commits("a", after=1)] == [3]
    assert [c.position for c in ledger.commits("a", stage=Stage.LAND)] == [1]
    assert ledger.commits("a")[1].through == 1
    assert ledger.tenants() == ["a", "b"]


def test_a_commit_says_what_it_holds(reopen: Callable[[], Ledger]) -> None:
    told = reopen().land("t", [episode("1", b"abc"), refusal("f:2")]).commits[0]
    assert told == reopen().commits("t")[0]
    assert dict(told.counts) == {"episodes": 1, "bytes": 3, "refused": 1}
    assert told.clock is Clock.SYSTEM and told.ledger_to == ALWAYS


# -- landing ---------------------------------------------------------------------------------


def test_episodes_come_back_as_they_landed(
    reopen: Callable[[], Ledger], clock: TurnedClock
) -> None:
    landed = [
        episode(
            "zero",
            b'{"\xc3\xa9":\n 1}',
            attested_at=-5,
            occurred_at=7,
            seq=3,
            trust=3,
            classification=0,
            who="ann",
            tags=("b", "a"),
            location="f:1",
        ),
        episode("one", b""),
        episode("two", b"\x00\xff"),
    ]
    told = reopen().land("t", iter(landed), chunk=2)
    assert (told.landed, told.duplicates, told.refused, len(told.commits)) == (3, 0, 0, 2)
    kept = [replace(e, landed_at=clock.instant) for e in landed]
    ledger = reopen()
    batches = list(ledger.episodes("t", after=0, through=2))
    assert [e for batch in batches for e in batch] == kept
    assert list(ledger.episodes("t", after=1, through=9)) == [kept[2:]]
    assert [len(b) for b in ledger.episodes("t", after=0, through=1, batch=1)] == [1, 1]
    bare = {e.episode_id: replace(e, payload=b"") for e in kept}
    assert ledger.headers("t") == bare
    assert ledger.headers("t", ["one", "nobody"]) == {"one": bare["one"]}
    assert ledger.headers("t", []) == {}
    assert [ledger.payload("t", e.episode_id) for e in landed] == [e.payload for e in landed]


def test_an_unknown_episode_has_no_payload(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="unknown episode 'x'"):
        ledger.payload("t", "x")
    ledger.land("other", [episode("x", tenant="other")])
    with pytest.raises(InputError):
        ledger.payload("t", "x")


def test_landing_twice_changes_nothing(reopen: Callable[[], Ledger]) -> None:
    items: list[Episode | Refusal] = [episode("1", b"a"), episode("2"), refusal("f:3")]
    reopen().land("t", items)
    again = reopen().land("t", [*items, episode("1", b"a", location="elsewhere")])
    assert (again.landed, again.duplicates, again.refused, again.commits) == (0, 3, 1, ())
    assert len(reopen().commits("t")) == 1
    assert reopen().quarantined("t") == [refusal("f:3")]


@pytest.mark.parametrize("chunk", [1, 20])
def test_other_content_under_one_id_is_quarantined(ledger: Ledger, chunk: int) -> None:
    first = episode("1", b"a", location="f:1")
    told = ledger.land(
        "t",
        [first, replace(first, location="f:2"), episode("1", b"b", location="f:3")],
        chunk=chunk,
    )
    assert (told.landed, told.duplicates, told.refused) == (1, 1, 1)
    (refused,) = ledger.quarantined("t")
    assert (refused.stage, refused.field, refused.raw) == ("land", "episode_id", b"b")
    assert "f:1" in refused.reason and "f:3" in refused.reason
    assert ledger.payload("t", "1") == b"a"
    assert ledger.land("t", [replace(first, trust=3)]).refused == 1


def test_tenants_do_not_meet(ledger: Ledger) -> None:
    ledger.land("a", [episode("1", b"a", tenant="a")])
    assert ledger.land("b", [episode("1", b"b", tenant="b")]).landed == 1
    assert ledger.payload("a", "1") == b"a"
    with pytest.raises(InputError, match="tenant 'a'"):
        ledger.land("b", [episode("2", tenant="a")])
    with pytest.raises(InputError, match="cannot name a tenant"):
        ledger.land("../a", [])
    assert ledger.headers("nobody") == {} and ledger.beliefs("nobody") == []


def test_landing_stops_at_the_last_whole_chunk(reopen: Callable[[], Ledger]) -> None:
    def source() -> Iterator[Episode]:
        yield episode("1")
        yield episode("2")
        yield episode("3")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reopen().land("t", source(), chunk=2)
    assert set(reopen().headers("t")) == {"1", "2"}


def test_progress_is_told_and_memory_is_bounded_by_the_chunk(ledger: Ledger) -> None:
    lines: list[str] = []
    made = 0

    def source() -> Iterator[Episode]:
        nonlocal made
        for made in range(1, 8):
            assert made - 2 * len(lines) <= 2, "no more than a chunk is drawn ahead"
            yield episode(str(made))

    ledger.land("t", source(), chunk=2, progress=lines.append)
    assert lines[-1] == "landed 7 episodes (0 known already, 0 refused)"
    with pytest.raises(InputError, match="chunk of 0"):
        ledger.land("t", [episode("9")], chunk=0)


# -- statements ------------------------------------------------------------------------------


def test_statements_come_back_in_ledger_order(
    reopen: Callable[[], Ledger], clock: TurnedClock
) -> None:
    full = statement(
        "full",
        subject="Z",
        object=None,
        subject_type="st",
        object_type="ot",
        valid_from=ALWAYS,
        valid_to=FOREVER,
        valid_from_basis="occurred",
        trust=3,
        classification=2,
        tags=("x", "y"),
        erased=True,
    )
    mark = undoing("mark", "full", op=Operation.MARK, mark_trust=0, mark_classification=3)
    first = system(reopen(), *extracted(full, mark, statement("a", subject="A")))
    clock.instant += 10
    second = system(reopen(), *extracted(statement("b", subject="A", valid_to=5)))
    found = reopen().statements("t")
    assert found == [
        replace(full, recorded_at=first, seq=0),
        replace(mark, recorded_at=first, seq=1),
        statement("a", subject="A", recorded_at=first, seq=2),
        statement("b", subject="A", valid_to=5, recorded_at=second, seq=3),
    ]
    assert found == sorted(found, key=lambda s: s.order)
    assert found[2].valid_to == UNTIL_CHANGED
    assert [s.statement_id for s in reopen().statements("t", after=1)] == ["b"]
    assert len(reopen().statements("t", through=1)) == 3


def test_statements_are_found_by_what_they_name(ledger: Ledger) -> None:
    system(
        ledger,
        *extracted(
            statement("s1", subject="A"),
            statement("s2", subject="B"),
            undoing("w1", "s1"),
            undoing("w2", "e-s2"),
            undoing("x", "B", op=Operation.ERASE),
        ),
    )

    def found(**names: list[str]) -> list[str]:
        return [s.statement_id for s in ledger.statements("t", **names)]  # type: ignore[arg-type]

    assert found(subjects=["A"]) == ["s1"]
    assert found(subjects=["B"]) == ["s2", "x"]
    assert found(ids=["s1"]) == ["s1", "w1"]
    assert found(ids=["e-s2"]) == ["s2", "w2"]
    assert found(subjects=["A"], ids=["w2"]) == ["s1", "w2"]
    assert found(subjects=[]) == [] and found(subjects=[], ids=[]) == []
    assert found(subjects=[f"n{n}" for n in range(300)] + ["A"]) == ["s1"]


def test_a_state_feed_finds_what_it_said(reopen: Callable[[], Ledger]) -> None:
    said = [
        Extracted(statement("1"), record="r1", stated="k1"),
        Extracted(statement("2"), record="r2", stated="k2", undoes="0"),
        Extracted(statement("3", source="registry"), record="r1", stated="k3"),
    ]
    stamp = system(reopen(), *said)
    kept = [
        replace(row, statement=replace(row.statement, recorded_at=stamp, seq=n))
        for n, row in enumerate(said)
    ]
    assert reopen().extracted("t", "chat") == kept[:2]
    assert reopen().extracted("t", "chat", ["r2", "r9"]) == kept[1:2]
    assert reopen().extracted("t", "chat", []) == []
    assert reopen().extracted("t", "registry", ["r1"]) == kept[2:]


def test_attested_instants_are_kept_and_only_rise(ledger: Ledger, clock: TurnedClock) -> None:
    def at(name: str, instant: int) -> Extracted:
        return extracted(statement(name, recorded_at=instant))[0]

    attested(ledger, at("1", 5), at("2", 5), at("3", 9))
    commit = ledger.commits("t")[0]
    assert (commit.clock, commit.ledger_to, commit.recorded_at) == (Clock.ATTESTED, 9, NOON)
    assert [s.order for s in ledger.statements("t")] == [(5, 0), (5, 1), (9, 2)]
    for wrong, said in (
        ([at("4", 9)], "not above the ledger's last"),
        ([at("4", 11), at("5", 10)], "after one of"),
        ([at("4", NOON + 1)], "lies in the future"),
    ):
        with pytest.raises(ConflictError, match=said):
            attested(ledger, *wrong)
    attested(ledger, at("4", NOON))
    stamp = system(ledger, *extracted(statement("5")))
    assert stamp > NOON and ledger.commits("t")[-1].ledger_to == stamp
    clock.instant += HOUR
    for late in (stamp, stamp + 1):
        with pytest.raises(ConflictError, match="'t' has gone live"):
            attested(ledger, at("6", late))
    assert [s.seq for s in ledger.statements("t")] == [0, 1, 2, 3, 4]


def test_no_stamp_lies_below_what_was_attested_whatever_the_clock_does(
    ledger: Ledger, clock: TurnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set right between the look at what is attested and the stamp: the ledger went backwards."""
    ledger.land("t", [episode("1")])
    said, ahead = extracted(statement("1", recorded_at=NOON + HOUR // 2)), [NOON + HOUR // 2]
    monkeypatch.setattr(TurnedClock, "__call__", lambda _: ahead.pop() if ahead else NOON)
    attested(ledger, *said)
    ledger.land("t", [episode("2")])
    system(ledger, *extracted(statement("2")))
    assert [s.statement_id for s in ledger.statements("t")] == ["1", "2"]
    stamps = [s.recorded_at for s in ledger.statements("t")]
    assert stamps == sorted(set(stamps)) and ledger.commits("t")[-1].ledger_to == stamps[-1]


def test_nothing_attested_appears_below_what_was_published(ledger: Ledger) -> None:
    attested(ledger, *extracted(statement("1", recorded_at=5)))
    ledger.publish(_publication(watermark=100))
    with pytest.raises(ConflictError, match="published watermark"):
        attested(ledger, *extracted(statement("2", recorded_at=100)))
    attested(ledger, *extracted(statement("2", recorded_at=101)))


def test_a_batch_of_nothing_moves_through_only(ledger: Ledger) -> None:
    system(ledger, *extracted(statement("1")), through=3)
    before = ledger.commits("t")[-1].ledger_to
    system(ledger, through=7)
    after = ledger.commits("t")[-1]
    assert (after.through, after.ledger_to) == (7, before)
    with pytest.raises(ConflictError, match="gone through position 7"):
        system(ledger, through=6)


def test_what_is_refused_comes_with_its_batch(ledger: Ledger) -> None:
    refused = refusal("e-1", stage="extract")
    ledger.land("t", [refusal("f:9")])
    ledger.append_statements("t", [], clock=Clock.SYSTEM, through=1, refusals=[refused])
    assert ledger.quarantined("t") == [refusal("f:9"), refused]
    assert ledger.commits("t")[-1].counts["refused"] == 1


def test_a_statement_is_recorded_once(ledger: Ledger) -> None:
    system(ledger, *extracted(statement("1"), statement("2")))
    with pytest.raises(ConflictError, match="statement ids are in the ledger already, first 2"):
        system(ledger, *extracted(statement("2"), statement("3")))
    with pytest.raises(InputError, match="come twice"):
        system(ledger, *extracted(statement("4"), statement("4")))
    assert len(ledger.statements("t")) == 2
    with pytest.raises(InputError, match="tenant 'other'"):
        system(ledger, *extracted(statement("5", tenant="other")))


# -- beliefs ---------------------------------------------------------------------------------


def test_beliefs_are_opened_closed_and_tightened(reopen: Callable[[], Ledger]) -> None:
    ended = belief("c", subject="T", recorded_to=3, closed_by="s3", reason=Reason.ENDED)
    given = belief("d", object=None, tightened=((4, 2), (6, 3)), strictest=3)
    box, other = support("x"), support("y", subject="T")
    opened = BeliefChanges(opened=(belief("b"), ended, given), supports_opened=(box, other))
    later = BeliefChanges(
        opened=(belief("n"),),
        closed=(Closing("b", 7, "s7", Reason.CHANGED),),
        tightened=(Tightening("b", 8, 3), Tightening("c", 9, 2)),
        supports_closed=(SupportClosing("x", 7),),
    )
    reopen().append_beliefs("t", opened, through=1)
    reopen().append_beliefs("t", later, through=2)
    ledger = reopen()
    closed = belief(
        "b",
        recorded_to=7,
        closed_by="s7",
        reason=Reason.CHANGED,
        strictest=3,
        tightened=((8, 3),),
    )
    tighter = ended._replace(strictest=2, tightened=((9, 2),))
    whole = [closed, tighter, given, belief("n")]
    assert ledger.beliefs("t") == whole
    assert ledger.beliefs("t", through=1) == [belief("b"), ended, given]
    assert ledger.supports("t") == [box._replace(recorded_to=7), other]
    assert ledger.supports("t", through=1) == [box, other]
    merged = ledger.belief_changes("t", after=0, through=2)
    assert merged == BeliefChanges(
        opened=tuple(whole), supports_opened=(box._replace(recorded_to=7), other)
    )
    assert ledger.belief_changes("t", after=1, through=2) == later
    assert ledger.belief_changes("t", after=0, through=1) == opened
    assert ledger.belief_changes("t", after=2, through=9).empty
    assert [c.counts["opened"] for c in ledger.commits("t", stage=Stage.BELIEVE)] == [3, 1]


def test_beliefs_are_found_by_their_subjects(reopen: Callable[[], Ledger]) -> None:
    """With whatever became of them since, which names no subject in the lake."""
    opened = (belief("b"), belief("c"), belief("t", subject="T"), belief("u", subject="U"))
    first = BeliefChanges(opened=opened, supports_opened=(support("x"), support("y", subject="T")))
    since = BeliefChanges(
        closed=(Closing("b", 7, "s7", Reason.CHANGED), Closing("t", 7, "s7", Reason.ENDED)),
        tightened=(Tightening("t", 8, 3),),
        supports_closed=(SupportClosing("y", 7),),
        removed=("u",),
    )
    reopen().append_beliefs("t", first, through=1)
    reopen().append_beliefs("t", since, through=2)
    ledger, many = reopen(), [f"n{n}" for n in range(300)]
    for through in (1, 2, None):
        beliefs, boxes = ledger.beliefs("t", through=through), ledger.supports("t", through=through)
        for names in (["S"], ["T"], ["S", "T"], ["U"], ["nobody"], [*many, "T"], []):
            told = ledger.beliefs("t", subjects=names, through=through)
            assert told == [one for one in beliefs if one.subject in names]
            told_boxes = ledger.supports("t", subjects=names, through=through)
            assert told_boxes == [one for one in boxes if one.subject in names]
            together = ledger.told("t", [0, 1, through or 2], subjects=names)
            assert [list(one.beliefs) for one in together[::2]] == [[], told]
            assert [list(one.supports) for one in together[::2]] == [[], told_boxes]
            assert list(together[1].beliefs) == ledger.beliefs("t", subjects=names, through=1)
    (late,) = ledger.beliefs("t", subjects=["T"])
    assert (late.recorded_to, late.strictest) == (7, 3)
    assert ledger.beliefs("t", subjects=["U"]) == []
    assert ledger.beliefs("t", subjects=["U"], through=1) == [opened[3]]


def test_a_batch_of_beliefs_is_recorded_once(ledger: Ledger) -> None:
    ledger.append_beliefs("t", BeliefChanges(opened=(belief("b"),)), through=2)
    with pytest.raises(ConflictError, match="gone through position 2"):
        ledger.append_beliefs("t", BeliefChanges(opened=(belief("b"),)), through=2)
    with pytest.raises(ConflictError, match="belief ids are in the ledger already"):
        ledger.append_beliefs("t", BeliefChanges(opened=(belief("b"),)), through=3)
    with pytest.raises(ConflictError, match="gone through position 2"):
        ledger.append_beliefs("t", BeliefChanges(opened=(belief("c"),)), through=1)
    with pytest.raises(InputError, match="tenant 'o'"):
        ledger.append_beliefs("t", BeliefChanges(opened=(belief("c", tenant="o"),)), through=3)
    ledger.append_beliefs("t", BeliefChanges(), through=3)
    assert ledger.beliefs("t") == [belief("b")]


# -- definitions and publications --------------------------------------------------------------


def test_a_definition_is_kept_when_it_differs(reopen: Callable[[], Ledger]) -> None:
    body: dict[str, object] = {"b": [1, {"x": None}], "a": "é"}
    assert reopen().define("t", "source", "chat", body)
    assert not reopen().define("t", "source", "chat", {"a": "é", "b": (1, {"x": None})})
    assert reopen().define("t", "source", "chat", {"a": 1})
    assert reopen().define("t", "source", "registry", body)
    assert reopen().define("t", "listeners", "chat", {})
    assert reopen().definitions("t", "source") == {"chat": {"a": 1}, "registry": body}
    assert reopen().definitions("u", "source") == {}
    assert reopen().tenants() == ["t"]
    with pytest.raises(InputError, match="JSON"):
        reopen().define("t", "source", "chat", {"a": object()})


def test_the_system_stamps_above_what_was_published(ledger: Ledger) -> None:
    """An idle run publishes the instant it began at; a clock that steps back stays above it."""
    ledger.publish(_publication(watermark=NOON + HOUR // 2))
    commit = ledger.append_statements(
        "t", extracted(statement("s1")), clock=Clock.SYSTEM, through=0
    )
    assert commit.recorded_at > NOON + HOUR // 2
    assert ledger.statements("t")[0].recorded_at == commit.recorded_at


def test_of_two_runs_only_one_closes(ledger: Ledger) -> None:
    """A batch that opens nothing has no id that could be known already: its position tells."""
    ledger.append_beliefs("t", BeliefChanges(opened=(belief("b1"),)), through=1)
    closing = Closing("b1", NOON, "s9", Reason.WITHDRAWN)
    ledger.append_beliefs("t", BeliefChanges(closed=(closing,)), through=2)
    with pytest.raises(ConflictError, match="gone through position 2"):
        ledger.append_beliefs("t", BeliefChanges(closed=(closing,)), through=2)
    assert [b.recorded_to for b in ledger.beliefs("t")] == [NOON]


def test_what_an_erasure_took_back_is_not_there(ledger: Ledger) -> None:
    first, second = belief("b1"), belief("b2")
    box = support("s1", belief_id="b1")
    opened = BeliefChanges(opened=(first, second), supports_opened=(box,))
    one = ledger.append_beliefs("t", opened, through=0)
    gone = BeliefChanges(removed=("b1",), supports_removed=("s1",), opened=(belief("b3"),))
    ledger.append_beliefs("t", gone, through=0)
    assert {b.belief_id for b in ledger.beliefs("t")} == {"b2", "b3"}
    assert ledger.supports("t") == []
    last = ledger.commits("t")[-1].position
    later = ledger.belief_changes("t", after=one.position, through=last)
    assert (later.removed, later.supports_removed) == (("b1",), ("s1",))
    whole = ledger.belief_changes("t", after=0, through=last)
    assert {b.belief_id for b in whole.opened} == {"b2", "b3"}
    assert whole.removed == ()


def _publication(watermark: int, tenant: str = "t") -> Publication:
    return Publication(
        tenant=tenant, position=3, watermark=watermark, published_at=NOON, digest="d", epoch=1
    )


def test_publications_are_kept_in_order(reopen: Callable[[], Ledger]) -> None:
    told = [_publication(9), _publication(FOREVER), _publication(10)]
    for publication in [*told, told[-1], _publication(1, "u")]:
        reopen().publish(publication)
    assert reopen().publications("t") == told
    assert reopen().publications("u") == [_publication(1, "u")]

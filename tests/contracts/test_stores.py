"""What every store of a lake promises where several handles, processes and clocks meet.

Each promise is held by SQLite and a folder, by a real S3 server with a REST catalog, and by
PostgreSQL with files on S3: a lake's store is a matter of settings alone.
"""

from __future__ import annotations

from typing import Any

import pytest
from pyiceberg.exceptions import CommitFailedException, CommitStateUnknownException
from requests.exceptions import ConnectionError as RequestsConnectionError
from sqlalchemy.exc import InterfaceError

from lakehouse import codec_commits
from lakehouse.maintenance import expire as expiring
from lakehouse.maintenance.compact import compact
from lakehouse.maintenance.expire import expire
from lakehouse.maintenance.proof import check_same, fingerprints
from lakehouse.maintenance.sweep import GRACE, sweep
from lakehouse.model.episodes import Protection
from lakehouse.model.errors import ConflictError
from lakehouse.model.ledger import BeliefChanges, Clock
from lakehouse.stamping import Draft, system_clock
from lakehouse.store import Store
from lakehouse.tables import BELIEFS, COMMITS, EPISODES, QUARANTINE, STATEMENTS, SUPPORTERS
from tests.contracts.ledger_values import (
    HOUR,
    NOON,
    TurnedClock,
    belief,
    entry_at,
    episode,
    extracted,
    refusal,
    statement,
    support,
)
from tests.lakes import STORES, Lake, as_before
from tests.tally import ALL, Tally
from tests.writers import KILLED, TURNS, ended, land_and_die, land_and_say, started

on_its_files = pytest.mark.parametrize("lake", ["local", "s3"], indirect=True)
"""Where it is not the catalog that matters: with PostgreSQL the files lie as on S3."""


BROKEN: dict[str, Exception] = {
    "local": CommitStateUnknownException("the server did not say"),
    "s3": RequestsConnectionError("the connection broke"),
    "postgres": InterfaceError("COMMIT", {}, OSError("the connection broke")),
}
"""How an answer gets lost in each store."""


# -- the commit row -----------------------------------------------------------------------------


@pytest.mark.parametrize("rows_before", [0, 1])
def test_of_two_stale_handles_one_commit_row_lands(lake: Lake, rows_before: int) -> None:
    lake.open()
    store = Store(lake.catalog())
    for position in range(rows_before):
        store.append(COMMITS, codec_commits.commit_row(entry_at(position + 1, "before")))
    first, second = store.load(COMMITS), store.load(COMMITS)
    first.append(codec_commits.commit_row(entry_at(rows_before + 1, "first")))
    with pytest.raises(CommitFailedException):
        second.append(codec_commits.commit_row(entry_at(rows_before + 1, "second")))
    assert len(lake.open().commits("t")) == rows_before + 1


def test_the_loser_is_stamped_anew_and_keeps_its_data_rows(lake: Lake) -> None:
    clock = TurnedClock()
    ours, theirs = lake.open(clock), lake.open(clock)
    append = ours._log.append

    def beaten(draft: Draft, admit: Any) -> Any:
        def admit_late(entries: Any) -> None:
            admit(entries)
            if len(entries) < 2:
                theirs.land("u", [episode(f"first-{len(entries)}", tenant="u")])

        return append(draft, admit_late)

    ours._log.append = beaten  # type: ignore[method-assign]
    commit = ours.land("t", [episode("1")]).commits[0]
    assert (commit.position, commit.recorded_at) == (3, NOON + 2)
    snapshot = Store(lake.catalog()).load(EPISODES).snapshot_by_id(commit.snapshots["episodes"])
    assert snapshot is not None
    rows = Store(lake.catalog()).load(EPISODES).scan(row_filter="tenant == 't'").to_arrow()
    assert rows.num_rows == 1


def test_an_answer_that_got_lost_does_not_double_the_commit(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = lake.open()
    catalog = ledger._store._catalog
    commit_table = catalog.commit_table

    def silent(table: Any, requirements: Any, updates: Any) -> Any:
        answer = commit_table(table, requirements, updates)
        if table.name()[-1] == COMMITS.name:
            monkeypatch.undo()
            raise BROKEN[lake.store]
        return answer

    monkeypatch.setattr(catalog, "commit_table", silent)
    commit = ledger.land("t", [episode("1")]).commits[0]
    assert lake.open().commits("t") == [commit]


@on_its_files
def test_a_process_killed_at_any_step_leaves_all_or_nothing(lake: Lake) -> None:
    lake.open()
    for steps in range(4):
        assert ended(started(land_and_die, lake, steps)) == KILLED
        ledger = lake.open()
        assert ledger.commits("t") == [] and ledger.headers("t") == {}
        assert ledger.quarantined("t") == []
    assert ended(started(land_and_die, lake, 4)) == 0
    ledger = lake.open()
    assert len(ledger.commits("t")) == 1 and set(ledger.headers("t")) == {"1", "2"}
    assert [len(batch) for batch in ledger.episodes("t", after=0, through=1)] == [2]
    assert len(ledger.quarantined("t")) == 1


@pytest.mark.parametrize("lake", STORES if ALL else ["s3"], indirect=True)
def test_a_lake_of_before_the_vault_is_read_on_and_written_on(lake: Lake) -> None:
    plain = Protection(encrypted=False)
    with as_before(EPISODES, QUARANTINE):
        ledger = lake.open()
        assert "subject_keys" not in ledger._store.load(EPISODES).schema().column_names
        ledger.land("t", [episode("1", b"old", protection=plain)])
    lake.open().land("t", [episode("2", b"new"), refusal("f:3")])
    ledger = lake.open()
    assert [ledger.payload("t", name) for name in ("1", "2")] == [b"old", b"new"]
    assert ledger.quarantined("t") == [refusal("f:3")]


@pytest.mark.parametrize("lake", STORES if ALL else ["local"], indirect=True)
def test_a_lake_that_does_not_tell_when_an_origin_was_heard_finds_it(lake: Lake) -> None:
    clock = TurnedClock()
    with as_before(BELIEFS, SUPPORTERS):
        ledger = lake.open(clock)
        assert "heard_before" not in ledger._store.load(BELIEFS).schema().column_names
        said = [statement("s"), statement("s2")]
        ledger.append_statements("t", extracted(*said), clock=Clock.SYSTEM, through=0)
        changes = BeliefChanges(opened=(belief("b1"),), supports_opened=(support("x1"),))
        ledger.append_beliefs("t", changes, through=1)
    ledger = lake.open(clock)
    later = BeliefChanges(opened=(belief("b2", recorded_from=9, heard_at=5),))
    ledger.append_statements("t", [], clock=Clock.SYSTEM, through=0)
    ledger.append_beliefs("t", later, through=3)
    heard = ledger.commits("t")[0].recorded_at
    assert [(b.belief_id, b.heard_at) for b in ledger.beliefs("t")] == [("b1", heard), ("b2", 5)]
    assert [box.heard_at for box in ledger.supports("t")] == [heard]


# -- several writers ----------------------------------------------------------------------------

WRITERS = 4


@pytest.mark.parametrize("lake", STORES if ALL else ["local", "s3"], indirect=True)
def test_writers_at_once_lose_nothing_and_double_nothing(lake: Lake, tally: Tally) -> None:
    lake.open()
    processes = [started(land_and_say, lake, writer) for writer in range(WRITERS)]
    assert [ended(process) for process in processes] == [0] * WRITERS
    ledger = lake.open()
    commits = ledger.commits("t")
    stamps = [c.recorded_at for c in commits]
    assert [c.position for c in commits] == list(range(1, 2 * WRITERS * TURNS + 1))
    assert stamps == sorted(set(stamps))
    landed = [e.episode_id for b in ledger.episodes("t", after=0, through=99) for e in b]
    own = {f"{w}-{t}-{n}" for w in range(WRITERS) for t in range(TURNS) for n in range(5)}
    common = {f"common-{t}-{n}" for t in range(TURNS) for n in range(5)}
    assert len(landed) == len(set(landed)) and set(landed) == own | common
    statements = ledger.statements("t")
    assert {s.statement_id for s in statements} == own
    assert [s.seq for s in statements] == list(range(len(own)))
    assert [s.order for s in statements] == sorted(s.order for s in statements)
    assert sum(c.counts.get("episodes", 0) for c in commits) == len(own) + len(common)
    assert ledger.quarantined("t") == []
    tally.tell("commits by 4 writers at once, positions whole and stamps rising", len(commits))
    tally.tell("episodes, each landed once", len(landed))


@on_its_files
def test_believing_twice_at_once_records_once(lake: Lake) -> None:
    slow, fast = lake.open(), lake.open()
    changes = BeliefChanges(opened=(belief("b"),))
    append = slow._log.append

    def beaten(draft: Draft, admit: Any) -> Any:
        fast.append_beliefs("t", changes, through=1)
        return append(draft, admit)

    slow._log.append = beaten  # type: ignore[method-assign]
    with pytest.raises(ConflictError, match="gone through position 1"):
        slow.append_beliefs("t", changes, through=1)
    assert lake.open().beliefs("t") == [belief("b")]


# -- clocks -------------------------------------------------------------------------------------


@on_its_files
def test_a_clock_that_jumps_ahead_alone_is_refused(lake: Lake) -> None:
    clock = TurnedClock(system_clock())
    ledger = lake.open(clock)
    ledger.land("t", [episode("1")])
    clock.instant += 2 * HOUR
    with pytest.raises(ConflictError, match="the store's own clock"):
        ledger.land("t", [episode("2")])
    assert set(lake.open().headers("t")) == {"1"}
    clock.instant -= 2 * HOUR
    assert ledger.land("t", [episode("2")]).landed == 1


@on_its_files
def test_a_clock_that_the_store_agrees_with_may_jump(lake: Lake) -> None:
    clock = TurnedClock(NOON)
    ledger = lake.open(clock)
    ledger.land("t", [episode("1")])
    clock.instant += 1000 * HOUR
    assert ledger.land("t", [episode("2")]).commits[0].recorded_at == clock.instant


@on_its_files
def test_a_clock_that_steps_back_still_rises(lake: Lake) -> None:
    clock = TurnedClock(NOON)
    ledger = lake.open(clock)
    ledger.land("t", [episode("1")])
    clock.instant -= 50 * HOUR
    assert ledger.land("t", [episode("2")]).commits[0].recorded_at == NOON + 1


@on_its_files
def test_the_stores_clock_is_the_time_of_a_file_just_written(lake: Lake) -> None:
    store = lake.open()._store
    assert abs(store.clock() - system_clock()) < HOUR


# -- upkeep -------------------------------------------------------------------------------------


@pytest.mark.parametrize("lake", STORES if ALL else ["s3"], indirect=True)
def test_upkeep_keeps_every_answer(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged, expired and swept on this store, with a torn batch among the rows."""
    monkeypatch.setattr(expiring, "LEAST", 2)
    ledger = lake.open()
    for number in range(6):
        said = extracted(statement(f"s{number}"))
        ledger.append_statements("t", said, clock=Clock.SYSTEM, through=number + 1)
    store = Store(lake.catalog())
    row = store.load(STATEMENTS).scan().to_arrow().slice(0, 1)
    store.append(STATEMENTS, row.set_column(1, "batch_id", [["torn"]]).cast(STATEMENTS.arrow))
    before, marks = (ledger.commits("t"), ledger.statements("t")), fingerprints(store)
    assert {one.table: one.merged for one in compact(store, least=4)}["statements"] == 6
    much_later = system_clock() + GRACE + 24 * HOUR
    expire(store, keep=2, now=much_later)
    swept = {one.table: one for one in sweep(store, now=much_later, dry_run=False)}
    assert len(swept["statements"].torn) == 1 and swept["statements"].unreachable
    check_same(store, marks)
    ledger = lake.open()
    assert (ledger.commits("t"), ledger.statements("t")) == before
    ledger.append_statements("t", extracted(statement("s6")), clock=Clock.SYSTEM, through=7)
    assert len(ledger.statements("t")) == 7

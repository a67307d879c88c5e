"""Upkeep loses nothing: answers before and after are compared, writers beside it go on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.exceptions import CommitStateUnknownException
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.types import StringType

from lakehouse import iceberg
from lakehouse import transaction as transactions
from lakehouse.catalog import local
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.maintenance import compact as compacting
from lakehouse.maintenance import expire as expiring
from lakehouse.maintenance import swap as swapping
from lakehouse.maintenance.compact import compact
from lakehouse.maintenance.expire import expire
from lakehouse.maintenance.keeper import check_ours
from lakehouse.maintenance.proof import check_same, fingerprints
from lakehouse.maintenance.sweep import GRACE, LEAST_GRACE, sweep
from lakehouse.model.errors import (
    ConfigurationError,
    ConflictError,
    InputError,
    IntegrityError,
)
from lakehouse.model.ledger import BeliefChanges, Clock
from lakehouse.scan import plan
from lakehouse.snapshots import choose, kept, rows_at
from lakehouse.stamping import system_clock
from lakehouse.store import Store
from lakehouse.tables import COMMITS, EPISODES, PAYLOADS, STATEMENTS, TABLES
from lakehouse.tags import tag
from tests.contracts.ledger_values import belief, episode, extracted, statement

DAY = 86_400_000_000
FEW = 4
"""Snapshots that these tests keep."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(expiring, "LEAST", FEW)
    return tmp_path / "home"


def opened(home: Path) -> tuple[IcebergLedger, Store]:
    return open_ledger(home, {"HOME": str(home)}), Store(local(home / "lake"))


def written(ledger: IcebergLedger, count: int, first: int = 0) -> None:
    """So many statements, each with a commit of its own, beliefs for every fourth."""
    for number in range(first, first + count):
        said = extracted(statement(f"s{number}", recorded_at=0))
        done = ledger.append_statements("t", said, clock=Clock.SYSTEM, through=number + 1)
        if number % 4 == 3:
            changes = BeliefChanges(opened=(belief(f"b{number}", recorded_from=done.recorded_at),))
            ledger.append_beliefs("t", changes, through=done.position)


def told(ledger: IcebergLedger) -> tuple[Any, ...]:
    return ledger.commits("t"), ledger.statements("t"), ledger.beliefs("t")


def files(store: Store) -> dict[str, int]:
    return {name: len(plan(store.load(spec), AlwaysTrue())) for name, spec in TABLES.items()}


def test_merging_keeps_every_row_and_the_one_line_of_commits(home: Path) -> None:
    ledger, store = opened(home)
    written(ledger, 9)
    before, marks = told(ledger), fingerprints(store)
    first = kept(store.load(STATEMENTS))[3]
    done = {one.table: one for one in compact(store)}
    assert (done["commits"].merged, done["commits"].into) == (11, 1)
    assert (done["statements"].merged, done["statements"].rows) == (9, 9)
    assert files(store)["commits"] == files(store)["statements"] == 1
    check_same(store, marks)
    assert told(ledger) == before
    assert told(opened(home)[0]) == before
    assert rows_at(store, STATEMENTS, first, "t").num_rows == 4
    assert [one.merged for one in compact(store)] == [0] * len(TABLES)
    written(opened(home)[0], 1, first=9)
    assert [c.position for c in ledger.commits("t")] == list(range(1, 13))


def test_a_writer_beside_the_merging_loses_and_doubles_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Appended between the look at the table and the exchange; and a stale handle after it."""
    ledger, store = opened(home)
    written(ledger, 9)
    stale = store.load(STATEMENTS)
    exchange = compacting.swap

    def overtaken(store: Store, spec: Any, *rest: Any, **more: Any) -> None:
        if spec is COMMITS or spec is STATEMENTS:
            written(opened(home)[0], 1, first=9 if spec is STATEMENTS else 10)
        exchange(store, spec, *rest, **more)

    monkeypatch.setattr(compacting, "swap", overtaken)
    compact(store, [STATEMENTS, COMMITS])
    commits, said, _ = told(opened(home)[0])
    assert [c.position for c in commits] == list(range(1, 14))
    assert sorted(one.statement_id for one in said) == sorted(f"s{n}" for n in range(11))
    row = stale.scan().to_arrow().slice(0, 1)
    stale.append(row.set_column(1, "batch_id", [["torn"]]).cast(STATEMENTS.arrow))
    assert store.load(STATEMENTS).scan().to_arrow().num_rows == 12


def test_a_commit_decided_on_before_the_merging_of_commits_is_decided_anew(home: Path) -> None:
    ledger, store = opened(home)
    written(ledger, 9)
    append, looked = ledger._log.append, []

    def beaten(draft: Any, admit: Any) -> Any:
        def admit_late(entries: Any) -> None:
            admit(entries)
            looked.append(len(entries))
            compact(store, [COMMITS])

        return append(draft, admit_late)

    ledger._log.append = beaten  # type: ignore[method-assign]
    written(ledger, 1, first=9)
    assert looked == [11, 11]
    assert [c.position for c in opened(home)[0].commits("t")] == list(range(1, 13))


def test_of_two_mergings_at_once_one_ends_and_its_files_are_gone(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, store = opened(home)
    written(ledger, 9)
    before, exchange = told(ledger), compacting.swap

    def second(*given: Any, **more: Any) -> None:
        monkeypatch.setattr(compacting, "swap", exchange)
        compact(store, [STATEMENTS])
        exchange(*given, **more)

    monkeypatch.setattr(compacting, "swap", second)
    with pytest.raises(ConflictError, match="could not be exchanged"):
        compact(store, [STATEMENTS])
    assert told(opened(home)[0]) == before
    data = list((home / "lake" / "warehouse" / "beliefgraph" / "statements").rglob("*.parquet"))
    assert len(data) == 10


def test_an_exchange_whose_answer_got_lost_may_still_arrive(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its new files were removed as of one that failed: what arrived then named nothing."""
    ledger, store = opened(home)
    written(ledger, 3)
    before, commit_table = told(ledger), store._catalog.commit_table
    on_their_way: list[Any] = []

    def silent(*given: Any) -> None:
        on_their_way.append(given)
        raise CommitStateUnknownException("the server did not say")

    monkeypatch.setattr(swapping, "_ATTEMPTS", 2)
    monkeypatch.setattr(store._catalog, "commit_table", silent)
    with pytest.raises(ConflictError, match="could not be exchanged"):
        compact(store, [STATEMENTS], least=2)
    commit_table(*on_their_way[-1])
    assert files(store)["statements"] == 1
    assert told(opened(home)[0]) == before


def test_columns_of_a_newer_version_are_not_merged_away(home: Path) -> None:
    """An older version's upkeep beside it wrote the rows again without what it did not know."""
    ledger, store = opened(home)
    written(ledger, 3)
    with store.load(STATEMENTS).update_schema() as update:
        update.add_column("since", StringType())
    with pytest.raises(ConfigurationError, match="does not know: since"):
        compact(store, [STATEMENTS], least=2)
    assert files(store)["statements"] == 3


def test_rows_that_no_commit_names_are_not_merged_with_others(home: Path) -> None:
    ledger, store = opened(home)
    written(ledger, 9)
    row = store.load(STATEMENTS).scan().to_arrow().slice(0, 1)
    store.append(STATEMENTS, row.set_column(1, "batch_id", [["torn"]]).cast(STATEMENTS.arrow))
    (done,) = compact(store, [STATEMENTS])
    assert (done.files, done.merged, files(store)["statements"]) == (10, 9, 2)


def test_snapshots_expire_by_count_and_tagged_ones_never(home: Path) -> None:
    ledger, store = opened(home)
    for number in range(2):
        ledger.land("t", [episode(str(number))])
    tag(store, "audit")
    for number in range(2, FEW + 4):
        ledger.land("t", [episode(str(number))])
    marks, now = fingerprints(store), system_clock()
    dry = expire(store, now=now, keep=FEW, dry_run=True)
    assert expire(store, now=now, keep=FEW, older_than=DAY)[0].expired == 0
    done = expire(store, now=now, keep=FEW)
    assert done == dry
    changed = {one.table: (one.expired, one.retained) for one in done if one.expired}
    assert changed == dict.fromkeys(("episodes", "payloads", "commits"), (3, FEW + 1))
    check_same(store, marks)
    every = kept(store.load(EPISODES))
    assert len(every) == FEW + 1
    assert (
        rows_at(store, EPISODES, choose(store.load(EPISODES), "audit"), "t", "audit").num_rows == 2
    )
    with pytest.raises(InputError, match="cannot be told"):
        choose(store.load(EPISODES), every[0].made_at)
    with pytest.raises(InputError, match="below the floor"):
        expire(store, now=now, keep=FEW - 1)


def test_expiring_twice_at_once_and_beside_a_branch_of_another_engine(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second finds the snapshots gone; what a branch names is kept, as what a tag names."""
    ledger, store = opened(home)
    for number in range(FEW + 3):
        ledger.land("t", [episode(str(number))])
    oldest = kept(store.load(EPISODES))[0].snapshot_id
    store.load(EPISODES).manage_snapshots().create_branch(oldest, "audit").commit()
    now, change = system_clock(), expiring._apply

    def second(*given: Any) -> None:
        monkeypatch.setattr(expiring, "_apply", change)
        expire(store, now=now, keep=FEW)
        change(*given)

    monkeypatch.setattr(expiring, "_apply", second)
    assert {one.expired for one in expire(store, now=now, keep=FEW)} == {0}
    every = [one.snapshot_id for one in kept(store.load(EPISODES))]
    assert len(every) == FEW + 1 and every[0] == oldest
    assert len(kept(store.load(COMMITS))) == FEW


def test_past_days_and_months_are_tagged_and_later_untagged(home: Path) -> None:
    ledger, store = opened(home)
    ledger.land("t", [episode("1")])
    ledger.land("t", [episode("2")])
    made = kept(store.load(EPISODES))[-1]
    assert expire(store, now=made.made_at)[0].tagged == ()
    later = made.made_at + 40 * DAY
    done = {one.table: one for one in expire(store, now=later)}
    days = [name for name in done["episodes"].tagged if name.startswith("day-")]
    months = [name for name in done["episodes"].tagged if name.startswith("month-")]
    assert (len(days), len(months) in (1, 2)) == (31, True)
    assert done["beliefs"].tagged == ()
    assert choose(store.load(EPISODES), days[0]) == kept(store.load(EPISODES))[-1]
    again = {one.table: one for one in expire(store, now=later + DAY)}
    assert (len(again["episodes"].tagged), len(again["episodes"].untagged)) == (1, 1)


def test_sweeping_tells_first_and_removes_only_what_nothing_names(home: Path) -> None:
    ledger, store = opened(home)
    written(ledger, FEW + 5)
    row = store.load(STATEMENTS).scan().to_arrow().slice(0, 1)
    store.append(STATEMENTS, row.set_column(1, "batch_id", [["torn"]]).cast(STATEMENTS.arrow))
    stray = home / "lake" / "warehouse" / "beliefgraph" / "payloads" / "data" / "stray.parquet"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"left by a killed writer")
    compact(store)
    expire(store, now=system_clock(), keep=FEW)
    before, marks, now = told(ledger), fingerprints(store), system_clock()
    every = sorted((home / "lake" / "warehouse").rglob("*"))

    assert not any(one.torn or one.unreachable for one in sweep(store, now=now))
    later = now + GRACE + DAY
    dry = {one.table: one for one in sweep(store, now=later)}
    assert len(dry["statements"].torn) == 1
    assert [Path(one).name for one in dry["payloads"].unreachable] == ["stray.parquet"]
    assert dry["commits"].unreachable
    assert sorted((home / "lake" / "warehouse").rglob("*")) == every

    sweep(store, now=later, dry_run=False)
    assert not stray.exists()
    check_same(store, marks)
    assert told(opened(home)[0]) == before
    assert "torn" not in store.load(STATEMENTS).scan().to_arrow()["batch_id"].to_pylist()
    for one in kept(store.load(STATEMENTS)):
        assert rows_at(store, STATEMENTS, one, "t").num_rows > 0
    with pytest.raises(InputError, match="too short"):
        sweep(store, grace=LEAST_GRACE - 1)


def test_a_file_that_is_missing_stops_the_sweeping(home: Path) -> None:
    ledger, store = opened(home)
    written(ledger, 2)
    ledger.land("t", [episode("1")])
    path = plan(store.load(PAYLOADS), AlwaysTrue())[0].removeprefix("file://")
    stray = Path(path).with_name("stray.parquet")
    stray.write_bytes(b"?")
    os.remove(path)  # noqa: PTH107
    with pytest.raises(IntegrityError, match="not there"):
        sweep(store, now=system_clock() + GRACE + DAY, dry_run=False)
    assert stray.exists()


def test_a_batch_that_waited_too_long_is_not_committed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows may have been swept: a commit would name what is not there."""
    ledger, _ = opened(home)
    instants = iter([system_clock(), system_clock() + LEAST_GRACE])
    monkeypatch.setattr(iceberg, "system_clock", lambda: next(instants))
    with pytest.raises(ConflictError, match="too long before its commit"):
        ledger.land("t", [episode("1")])
    monkeypatch.undo()
    assert opened(home)[0].commits("t") == []


def test_upkeep_killed_before_any_of_its_commits_loses_nothing_and_goes_on(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiring, "LEAST", 1)
    ledger, store = opened(home)
    written(ledger, 3)
    before, kills = told(ledger), 0
    while _killed(Store(local(home / "lake")), kills):
        kills += 1
        assert told(ledger) == before
    assert kills >= 3
    assert told(opened(home)[0]) == before
    assert files(store)["statements"] == 1 and len(kept(store.load(STATEMENTS))) == 1


def _killed(store: Store, commits: int) -> bool:
    """Keep the lake, and end after so many commits; False where there were no more."""
    catalog, left = store._catalog, commits
    commit_table = catalog.commit_table

    def counted(*given: Any) -> Any:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        return commit_table(*given)

    catalog.commit_table = counted  # type: ignore[method-assign]
    try:
        compact(store, [STATEMENTS, COMMITS], least=2)
        expire(store, now=system_clock(), keep=1)
        sweep(store, now=system_clock() + GRACE + DAY, dry_run=False)
    except KeyboardInterrupt:
        return True
    return False


def test_a_process_that_slept_before_its_commit_names_no_files_that_were_swept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table would name what is not there, and could not be read any more."""
    ledger, store = opened(home)
    written(ledger, 3)
    before, snapshot = told(ledger), kept(store.load(STATEMENTS))[-1]
    awake = [system_clock(), system_clock() + LEAST_GRACE]
    monkeypatch.setattr(transactions, "system_clock", lambda: awake.pop(0))
    row = store.load(STATEMENTS).scan().to_arrow().cast(STATEMENTS.arrow)
    with pytest.raises(ConflictError, match="too long before its commit"):
        store.append(STATEMENTS, row)
    monkeypatch.undo()
    monkeypatch.setattr(compacting, "system_clock", lambda: system_clock() - LEAST_GRACE)
    with pytest.raises(ConflictError, match="too long before its commit"):
        compact(store, [STATEMENTS], least=2)
    assert kept(store.load(STATEMENTS))[-1] == snapshot
    assert told(opened(home)[0]) == before


def test_a_change_by_upkeep_is_told(home: Path) -> None:
    ledger, store = opened(home)
    written(ledger, 4)
    marks = fingerprints(store)
    table = store.load(STATEMENTS)
    swapping.swap(store, STATEMENTS, [next(iter(table.scan().plan_files())).file], [], "test")
    with pytest.raises(IntegrityError, match="upkeep changed statements of tenant t: 4 rows"):
        check_same(store, marks)


def test_what_aws_keeps_is_left_to_it(home: Path) -> None:
    _, store = opened(home)
    check_ours(store)
    store._catalog.properties.update(
        {"rest.signing-name": "s3tables", "uri": "https://s3tables.eu-west-1.amazonaws.com/iceberg"}
    )
    work: list[Callable[[], object]] = [
        lambda: compact(store),
        lambda: expire(store, now=0),
        lambda: sweep(store),
    ]
    for one in work:
        with pytest.raises(InputError, match="AWS S3 Tables, which keeps its tables itself"):
            one()

"""Time travel by snapshot: by id and tag always, by time only where the chain tells which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lakehouse import tags
from lakehouse.asof.lake import LakeStatements
from lakehouse.catalog import local
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.model.errors import InputError
from lakehouse.model.ledger import Clock
from lakehouse.snapshots import choose, expired, kept, rows_at
from lakehouse.store import Store
from lakehouse.tables import COMMITS, EPISODES, PAYLOADS, STATEMENTS
from lakehouse.tags import remove_tag, tag, tagged
from tests.contracts.ledger_values import episode, extracted, statement


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def opened(home: Path) -> tuple[IcebergLedger, Store]:
    return open_ledger(home, {"HOME": str(home)}), Store(local(home / "lake"))


def landed(home: Path, count: int) -> Store:
    """A lake of so many landings of one episode."""
    ledger, store = opened(home)
    for number in range(count):
        ledger.land("t", [episode(str(number))])
    return store


def drop(store: Store, *snapshots: int) -> None:
    """Expire these snapshots of `episodes`."""
    store.load(EPISODES).maintenance.expire_snapshots().by_ids(list(snapshots)).commit()


def test_a_table_is_read_as_a_snapshot_or_a_tag_holds_it(home: Path) -> None:
    store = landed(home, 2)
    told = tag(store, "audit")
    assert set(told) == {"episodes", "payloads", "commits"}
    ledger, _ = opened(home)
    ledger.land("t", [episode("late")])
    ledger.land("u", [episode("other", tenant="u")])
    table = store.load(EPISODES)
    first, second, third, _ = kept(table)
    assert second.tags == ("audit",)
    assert choose(table, "audit") == choose(table, str(second.snapshot_id)) == second
    for at, expected in ((first, 1), (second, 2), (third, 3)):
        assert rows_at(store, EPISODES, at, "t").num_rows == expected
    assert rows_at(store, COMMITS, choose(store.load(COMMITS), "audit"), "t").num_rows == 2
    with pytest.raises(InputError, match="no snapshot '12345'"):
        choose(table, "12345")


def test_rows_that_no_commit_names_are_not_read_at_a_snapshot_either(home: Path) -> None:
    store = landed(home, 1)
    rows = store.load(EPISODES).scan().to_arrow()
    torn = rows.set_column(1, "batch_id", [["torn"]]).cast(EPISODES.arrow)
    store.append(EPISODES, torn)
    newest = kept(store.load(EPISODES))[-1]
    assert newest.rows == 2
    assert rows_at(store, EPISODES, newest, "t").num_rows == 1


def test_what_was_committed_after_a_tag_is_not_read_at_it(home: Path) -> None:
    """A batch whose rows were there before the tag, and whose commit row came after it."""
    store = landed(home, 1)
    ledger, _ = opened(home)
    append = ledger._log.append

    def tagged_first(draft, admit):  # type: ignore[no-untyped-def]
        tag(store, "between")
        return append(draft, admit)

    ledger._log.append = tagged_first  # type: ignore[method-assign]
    ledger.land("t", [episode("waiting")])
    at = choose(store.load(EPISODES), "between")
    assert at.rows == 2
    assert rows_at(store, EPISODES, at, "t", "between").num_rows == 1


def test_a_tag_is_set_once_and_completed_where_it_was_cut_off(home: Path) -> None:
    store = landed(home, 1)
    first = tag(store, "audit")
    with pytest.raises(InputError, match="exists already"):
        tag(store, "audit")
    store.load(PAYLOADS).manage_snapshots().remove_tag("audit").commit()
    opened(home)[0].land("t", [episode("late")])
    again = tag(store, "audit")
    assert {name for name in first if again[name] != first[name]} == {"payloads"}
    assert sorted(remove_tag(store, "audit")) == ["commits", "episodes", "payloads"]
    assert tagged(store, "audit") == {}
    with pytest.raises(InputError, match="no table has a tag"):
        remove_tag(store, "audit")
    for name in ("main", "12", "a b", "", "day-2026-01-01", "month-2026-01"):
        with pytest.raises(InputError, match="cannot name a tag"):
            tag(store, name)


def test_a_table_that_was_empty_is_not_tagged_later_as_of_then(home: Path) -> None:
    """Set again months after, the tag was put on what had come since."""
    store = landed(home, 1)
    first = tag(store, "audit")
    ledger, _ = opened(home)
    ledger.define("t", "source", "chat", {"files": ["a"]})
    ledger.append_statements("t", extracted(statement("s")), clock=Clock.SYSTEM, through=1)
    with pytest.raises(InputError, match="exists already"):
        tag(store, "audit")
    assert tagged(store, "audit") == first


def test_a_removal_that_was_cut_off_is_not_completed_to_a_mixture(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newer commits would name batches that the older tagged tables do not hold."""
    store = landed(home, 1)
    tag(store, "audit")
    change, left = tags._changed, [2]

    def killed(*given: Any) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        change(*given)

    monkeypatch.setattr(tags, "_changed", killed)
    with pytest.raises(KeyboardInterrupt):
        remove_tag(store, "audit")
    monkeypatch.undo()
    assert set(tagged(store, "audit")) == {"commits"}
    opened(home)[0].land("t", [episode("late")])
    tag(store, "audit")
    at = choose(store.load(EPISODES), "audit")
    assert (at.rows, rows_at(store, EPISODES, at, "t", "audit").num_rows) == (2, 1)
    store.load(COMMITS).manage_snapshots().remove_tag("audit").commit()
    with pytest.raises(InputError, match="but no commits"):
        tag(store, "audit")
    assert sorted(remove_tag(store, "audit")) == ["episodes", "payloads"]


def test_by_time_where_the_chain_is_whole(home: Path) -> None:
    store = landed(home, 3)
    table = store.load(EPISODES)
    first, second, third = kept(table)
    assert choose(table, second.made_at) == second
    assert choose(table, third.made_at - 1) == second
    assert choose(table, third.made_at + 1) == third
    with pytest.raises(InputError, match="was empty"):
        choose(table, first.made_at - 1)


def test_by_time_is_refused_where_snapshots_are_missing_in_between(home: Path) -> None:
    """PyIceberg answers here with the wrong snapshot, without a word."""
    store = landed(home, 4)
    first, second, third, fourth = kept(store.load(EPISODES))
    drop(store, second.snapshot_id)
    table = store.load(EPISODES)
    wrong = table.snapshot_as_of_timestamp(third.made_at // 1_000 - 1)
    assert wrong is not None
    assert wrong.snapshot_id == first.snapshot_id
    for instant in (first.made_at, second.made_at, third.made_at - 1_000):
        with pytest.raises(
            InputError, match="cannot be told: snapshots around it have expired"
        ) as refused:
            choose(table, instant)
        assert str(first.snapshot_id) in refused.value.remedy
        assert str(third.snapshot_id) in refused.value.remedy
    assert choose(table, third.made_at).snapshot_id == third.snapshot_id
    drop(store, first.snapshot_id)
    with pytest.raises(InputError, match="of that time have expired"):
        choose(store.load(EPISODES), first.made_at)
    assert choose(store.load(EPISODES), fourth.made_at).current


def test_by_time_is_refused_where_the_clock_stepped_back(home: Path) -> None:
    store = landed(home, 3)
    table = store.load(EPISODES)
    first, second, third = kept(table)
    early = {second.snapshot_id: first.made_at // 1_000 - 500}
    turned = [
        one.model_copy(update={"timestamp_ms": early.get(one.snapshot_id, one.timestamp_ms)})
        for one in table.metadata.snapshots
    ]
    table.metadata = table.metadata.model_copy(update={"snapshots": turned})
    with pytest.raises(InputError, match="stepped back"):
        choose(table, first.made_at - 100_000)
    assert choose(table, third.made_at) == third


def test_a_snapshot_that_lacks_a_commits_statements_says_so(home: Path) -> None:
    """A writer that lost a race has its rows before, and its commit after, another one's."""
    ledger, store = opened(home)
    for number in (1, 2):
        said = extracted(statement(f"s{number}"))
        ledger.append_statements("t", said, clock=Clock.SYSTEM, through=number)
    first, second = kept(store.load(STATEMENTS))
    assert LakeStatements(store, "t", through=1, at=first.snapshot_id).complete
    assert not LakeStatements(store, "t", through=2, at=first.snapshot_id).complete
    assert LakeStatements(store, "t", through=1, at=second.snapshot_id).complete
    assert expired(store, {"statements": first.snapshot_id, "beliefs": None}) == []
    store.load(STATEMENTS).maintenance.expire_snapshots().by_id(first.snapshot_id).commit()
    assert expired(store, {"statements": first.snapshot_id}) == ["statements"]

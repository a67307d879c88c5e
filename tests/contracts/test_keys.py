"""The keys that a home holds are those that the lake was written with, or nothing is written.

A lake on a shared store has several homes. One with other keys would land what nobody can tell
from a duplicate, or read, ever after.
"""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.keys import TenantKeys
from lakehouse.model.episodes import Protection
from lakehouse.model.errors import ConfigurationError, IntegrityError
from lakehouse.model.ledger import BeliefChanges, Clock
from tests.contracts.ledger_values import belief, episode, extracted, refusal, statement

ANN = Protection(subjects=("ann",))


@pytest.fixture
def shared(tmp_path: Path) -> dict[str, str]:
    """Settings of a lake that lies outside every home."""
    lake = tmp_path / "lake"
    lake.mkdir()
    return {
        "PYICEBERG_CATALOG__LAKE__URI": f"sqlite:///{lake}/catalog.db",
        "PYICEBERG_CATALOG__LAKE__WAREHOUSE": f"file://{lake}/warehouse",
        "HOME": str(tmp_path),
    }


def test_a_lost_key_is_told_and_none_is_made_in_its_place(tmp_path: Path) -> None:
    def opened() -> IcebergLedger:
        return open_ledger(tmp_path, {"HOME": str(tmp_path)})

    opened().land("t", [episode("1")])
    (key,) = (tmp_path / "keys").iterdir()
    assert (key.name, stat.S_IMODE(key.stat().st_mode)) == ("t.key", 0o600)
    assert TenantKeys(tmp_path).of("t") == TenantKeys(tmp_path).of("t")
    key.unlink()
    for name in ("1", "2"):
        with pytest.raises(IntegrityError, match=r"keys/t\.key is not there") as lost:
            opened().land("t", [episode(name)])
    assert "from a backup" in lost.value.remedy and not key.exists()
    key.write_bytes(b"short")
    with pytest.raises(ConfigurationError, match="holds 5 bytes"):
        opened().land("t", [episode("1")])


def test_a_home_with_other_keys_writes_nothing_into_the_lake(
    shared: dict[str, str], tmp_path: Path
) -> None:
    ours, theirs = (open_ledger(tmp_path / name, shared) for name in ("ours", "theirs"))
    ours.land("t", [episode("1")])
    TenantKeys(tmp_path / "theirs").of("t")
    said = extracted(statement("s"))
    opened = BeliefChanges(opened=(belief("b"),))
    for write in (
        lambda: theirs.land("t", [episode("2")]),
        lambda: theirs.land("t", [refusal("f:1")]),
        lambda: theirs.append_statements("t", said, clock=Clock.SYSTEM, through=1),
        lambda: theirs.append_beliefs("t", opened, through=1),
        lambda: theirs.key("t"),
    ):
        with pytest.raises(IntegrityError, match="digests were made with key") as refused:
            write()
        assert "from the home that has written" in refused.value.remedy
    assert len(ours.commits("t")) == 1
    shutil.copy(tmp_path / "ours" / "keys" / "t.key", tmp_path / "theirs" / "keys" / "t.key")
    theirs = open_ledger(tmp_path / "theirs", shared)
    assert theirs.land("t", [episode("1", protection=Protection(encrypted=False))]).duplicates == 1
    assert theirs.land("u", [episode("1", tenant="u")]).landed == 1


def test_of_two_homes_that_begin_a_tenant_at_once_one_wins(
    shared: dict[str, str], tmp_path: Path
) -> None:
    ours, theirs = (open_ledger(tmp_path / name, shared) for name in ("ours", "theirs"))
    append = ours._log.append

    def beaten(*given: object) -> object:
        theirs.land("t", [episode("2")])
        return append(*given)  # type: ignore[arg-type]

    ours._log.append = beaten  # type: ignore[method-assign, assignment]
    with pytest.raises(IntegrityError, match="digests were made with key"):
        ours.land("t", [episode("1")])
    assert set(theirs.headers("t")) == {"2"}


def test_a_vault_that_did_not_encrypt_the_lake_is_not_written_on_with(tmp_path: Path) -> None:
    """Another one, or an old backup: what it encrypts the right one could never read."""
    home, vault = tmp_path / "home", tmp_path / "home" / "vault" / "keys.sqlite"

    def opened(**more: str) -> IcebergLedger:
        return open_ledger(home, {"HOME": str(home), **more})

    opened().land("t", [episode("1", protection=ANN)])
    old = tmp_path / "old.sqlite"
    shutil.copy(vault, old)
    opened().land("t", [episode("2", protection=Protection(subjects=("bob",)))])
    another = open_ledger(tmp_path / "another", {"HOME": str(tmp_path)})
    another.land("t", [episode("1", protection=ANN)])
    foreign = tmp_path / "another" / "vault" / "keys.sqlite"
    for wrong in (old, foreign):
        ledger = opened(BELIEFGRAPH_VAULT=str(wrong))
        before = wrong.read_bytes()
        for items in ([episode("3", protection=ANN)], [refusal("f:1")]):
            with pytest.raises(IntegrityError, match="has never held") as refused:
                ledger.land("t", items)
            assert "BELIEFGRAPH_VAULT" in refused.value.remedy
        assert wrong.read_bytes() == before
        plain = Protection(encrypted=False)
        assert ledger.land("t", [episode(wrong.name, protection=plain)]).landed == 1
    assert opened().land("t", [episode("3", protection=ANN)]).landed == 1

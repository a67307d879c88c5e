"""Payloads in both ledgers: encrypted for their subjects, read back as they came, or erased."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lakehouse.codec_episodes import header_rows, payload_rows
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.memory import MemoryLedger
from lakehouse.model.episodes import Episode, Protection, Refusal
from lakehouse.model.errors import ErasedError, IntegrityError
from lakehouse.model.ledger import Clock
from lakehouse.scan import find
from lakehouse.tables import EPISODES, PAYLOADS, QUARANTINE, TABLES
from lakehouse.vault import MemoryVault, Vault, open_vault
from lakehouse.vault.bodies import Kept
from lakehouse.vault.envelope import seal_body
from tests.contracts.ledger_values import NOON, TurnedClock, episode, refusal
from tests.lakes import as_before

HASHES = ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s")
SECRET = b'{"name": "Ann Example", "born": "1970-01-01"}'


@dataclass(frozen=True)
class Record:
    """A ledger and the vault that its payloads are encrypted by."""

    open: Callable[[], Any]
    vault: Vault


@pytest.fixture(params=["memory", "local"])
def record(request: pytest.FixtureRequest, tmp_path: Path) -> Record:
    if request.param == "memory":
        vault = MemoryVault()
        held = MemoryLedger(TurnedClock(), vault=vault)
        return Record(lambda: held, vault)
    home = tmp_path / "home"
    return Record(lambda: lake(home), open_vault(home, {}))


def lake(home: Path) -> IcebergLedger:
    return open_ledger(home, {"HOME": str(home)}, now=TurnedClock())


def about(*subjects: str) -> Protection:
    return Protection(subjects=subjects)


def landed(ledger: Any) -> list[Episode]:
    return [one for batch in ledger.episodes("t", after=0, through=99) for one in batch]


def test_payloads_come_back_whoever_they_concern(record: Record) -> None:
    items = [
        episode("1", SECRET, protection=about("ann")),
        episode("2", SECRET, protection=about("bob", "ann", "bob")),
        episode("3", b"", protection=about("ann")),
        episode("4", b"public", protection=Protection(encrypted=False)),
        episode("5", b"nobody's"),
    ]
    record.open().land("t", items)
    found = landed(record.open())
    assert [one.payload for one in found] == [one.payload for one in items]
    assert [record.open().payload("t", one.episode_id) for one in items] == [
        one.payload for one in items
    ]
    keys = [one.protection.keys for one in found]
    assert [len(one) for one in keys] == [1, 2, 1, 0, 1]
    assert keys[0] == keys[2] and set(keys[0]) < set(keys[1]) and keys[4] not in (keys[0], ())
    assert all(not one.protection.subjects for one in found)
    headers = record.open().headers("t")
    assert [headers[one.episode_id].protection for one in found] == [o.protection for o in found]


def test_an_erased_payload_is_told_from_a_missing_one(record: Record) -> None:
    ledger = record.open()
    ledger.land(
        "t",
        [
            episode("1", SECRET, protection=about("ann")),
            episode("2", SECRET, protection=about("ann", "bob")),
            episode("3", b"bob's", protection=about("bob")),
        ],
    )
    record.vault.destroy("t", "ann")
    for name in ("1", "2"):
        with pytest.raises(ErasedError, match=f"payload of episode '{name}' was erased") as told:
            record.open().payload("t", name)
        assert told.value.category == "erased" and "Ann" not in str(told.value.as_record())
    assert record.open().payload("t", "3") == b"bob's"
    assert [(one.payload, one.erased) for one in landed(record.open())] == [
        (b"", True),
        (b"", True),
        (b"bob's", False),
    ]
    again = ledger.land("t", [episode("1", SECRET, protection=about("ann"))])
    assert again.duplicates == 1, "the keyed digest still knows it"


def test_a_refused_record_is_kept_and_erased_as_an_episode_is(record: Record) -> None:
    ledger = record.open()
    told = Refusal(
        tenant="t", source="chat", stage="land", location="f:1", field="who",
        reason="'Ann Example' is no name", raw=SECRET, protection=about("ann"),
    )  # fmt: skip
    plain = Refusal(
        tenant="t", source="chat", stage="land", location="f:2", field="",
        reason="no", raw=b"\xff", protection=Protection(encrypted=False),
    )  # fmt: skip
    ledger.land("t", [told, plain, refusal("f:3"), episode("1", SECRET, protection=about("ann"))])
    ledger.land("t", [episode("1", SECRET + b" ", protection=about("ann"))])
    kept = record.open().quarantined("t")
    assert kept[:3] == [told, plain, refusal("f:3")] and kept[3].raw == SECRET + b" "
    # What extraction refuses is under the keys of the episode that it came with.
    (one,) = landed(record.open())
    late = Refusal(
        tenant="t", source="chat", stage="extract", location="f:4", field="", reason="Ann",
        raw=one.payload, protection=one.protection,
    )  # fmt: skip
    ledger.append_statements("t", [], clock=Clock.SYSTEM, through=1, refusals=[late])
    assert record.open().quarantined("t")[4] == late
    record.vault.destroy("t", "ann")
    after = record.open().quarantined("t")
    assert [one.erased for one in after] == [True, False, False, True, True]
    assert all(b"Ann" not in one.raw and "Ann" not in one.reason for one in after)
    assert after[1:3] == [plain, refusal("f:3")]
    ledger.append_statements(
        "t", [], clock=Clock.SYSTEM, through=2, refusals=[late]
    )  # It was on its way when its subject was forgotten.
    assert record.open().quarantined("t")[5].erased


def test_tenants_have_keys_of_their_own(record: Record) -> None:
    ledger = record.open()
    for tenant in ("t", "u"):
        ledger.land(tenant, [episode("1", SECRET, tenant, protection=about("ann"))])
    record.vault.destroy("t", "ann")
    assert record.open().payload("u", "1") == SECRET


def test_rotation_leaves_payloads_as_they_are(record: Record) -> None:
    ledger = record.open()
    ledger.land("t", [episode("1", SECRET, protection=about("ann"))])
    assert record.vault.rotate("t") == 2
    ledger.land("t", [episode("2", SECRET, protection=about("ann"))])
    assert [one.payload for one in landed(record.open())] == [SECRET, SECRET]


# -- in the lake ---------------------------------------------------------------------------------


def everything(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())


def test_nothing_of_a_record_leaks_into_tables_or_logs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    bad = Refusal(
        tenant="t", source="chat", stage="land", location="f:1", field="who",
        reason="'Ann Example' is no name", raw=SECRET, protection=about("ann@example.org"),
    )  # fmt: skip
    items = [
        episode(str(n), SECRET + b"%d" % n, protection=about("ann@example.org")) for n in range(30)
    ]
    lake(tmp_path).land("t", [*items, bad], progress=said.append)
    ledger = lake(tmp_path)
    assert [one.payload for one in landed(ledger)] == [one.payload for one in items]
    text = caplog.text + "".join(capfd.readouterr()) + "".join(said)
    for spec in TABLES.values():
        text += str(find(ledger._store.load(spec), spec).to_pydict())
    hashes = [getattr(hashlib, name)(SECRET + b"0").hexdigest() for name in HASHES]
    for told in ("Ann Example", "ann@example", "born", *hashes):
        assert told not in text
    files = everything(tmp_path)
    assert b"Ann Example" not in files and b"ann@example" not in files


def test_a_lost_vault_is_an_error_and_no_new_one_hides_it(tmp_path: Path) -> None:
    lake(tmp_path).land("t", [episode("1", SECRET)])
    vault = open_vault(tmp_path, {})
    vault.path.rename(tmp_path / "elsewhere")
    for ask in (
        lambda: lake(tmp_path).payload("t", "1"),
        lambda: landed(lake(tmp_path)),
        lambda: lake(tmp_path).land("t", [episode("2", SECRET)]),
    ):
        with pytest.raises(IntegrityError, match=r"vault/keys\.sqlite is not there") as told:
            ask()
        assert "Restore the file from its backup" in told.value.remedy
    assert set(lake(tmp_path).headers("t")) == {"1"}
    vault.keys_of("u", [""])
    for name in ("1", "2"):
        with pytest.raises(IntegrityError, match="has never held 1 key that tenant 't'"):
            lake(tmp_path).land("t", [episode(name, SECRET + name.encode())])
    environ = {"HOME": str(tmp_path), "BELIEFGRAPH_VAULT": str(tmp_path / "elsewhere")}
    assert open_ledger(tmp_path, environ).payload("t", "1") == SECRET


def test_a_body_moved_to_another_row_is_found_out(tmp_path: Path) -> None:
    first = lake(tmp_path)
    first.land("t", [episode("1", SECRET, protection=about("ann"))])
    rows = find(first._store.load(PAYLOADS), PAYLOADS)
    (key,) = landed(first)[0].protection.keys
    moved = Kept("AES-256-GCM", (key,), rows["body"][0].as_py())
    fake = [episode("2", b"", protection=about("ann"))]
    commit = first.land("t", [episode("3")]).commits[0]
    batch = commit.batch_id
    first._store.append(PAYLOADS, payload_rows("t", batch, fake, [moved], NOON))
    first._store.append(EPISODES, header_rows("t", batch, fake, [moved], ["k:d"], NOON))
    with pytest.raises(IntegrityError, match="episode 2 of tenant 't' is not what was encrypted"):
        lake(tmp_path).payload("t", "2")
    assert lake(tmp_path).payload("t", "1") == SECRET


def test_a_body_that_no_key_vouches_for_is_found_out(tmp_path: Path) -> None:
    """Without keys the content key lies open, so anyone who can write a file could make one."""
    first = lake(tmp_path)
    first.land("t", [episode("1", SECRET, protection=about("ann"))])
    (key,) = landed(first)[0].protection.keys
    batch = first.land("t", [episode("2", protection=Protection(encrypted=False))]).commits[0]
    for name, kept in {
        "3": Kept("AES-256-GCM", (), seal_body("t", "episode 3", [], b"made up")),
        "4": Kept("none", (key,), b"made up"),
    }.items():
        fake = [episode(name)]
        rows = payload_rows("t", batch.batch_id, fake, [kept], NOON)
        first._store.append(PAYLOADS, rows)
        rows = header_rows("t", batch.batch_id, fake, [kept], ["k:d"], NOON)
        first._store.append(EPISODES, rows)
        with pytest.raises(IntegrityError, match=f"episode {name} of tenant 't' is not what was"):
            lake(tmp_path).payload("t", name)


def test_rows_of_before_the_vault_stay_readable_and_new_ones_are_encrypted(tmp_path: Path) -> None:
    with as_before(EPISODES, QUARANTINE):
        old = [episode("1", b"old", protection=Protection(encrypted=False))]
        first = lake(tmp_path)
        assert "subject_keys" not in first._store.load(EPISODES).schema().column_names
        first.land("t", old)
    ledger = lake(tmp_path)
    assert not (tmp_path / "vault").exists()
    assert ledger.payload("t", "1") == b"old" and ledger.subject_keys("t") == set()
    ledger.land("t", [episode("2", SECRET), refusal("f:3")])
    again = lake(tmp_path)
    assert [one.payload for one in landed(again)] == [b"old", SECRET]
    assert again.quarantined("t") == [refusal("f:3")]
    assert len(again.subject_keys("t")) == 1


def test_only_encrypted_records_need_a_vault(tmp_path: Path) -> None:
    plain = [episode("1", b"x", protection=Protection(encrypted=False))]
    lake(tmp_path).land("t", plain)
    assert lake(tmp_path).payload("t", "1") == b"x" and not (tmp_path / "vault").exists()

"""The vault's promises: one key a subject, for all processes; a destroyed one is gone for good."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import boto3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moto import mock_aws

from lakehouse.model.errors import (
    ConfigurationError,
    ConflictError,
    InputError,
    IntegrityError,
    UnavailableError,
)
from lakehouse.vault import MemoryVault, Vault, open_vault, tenant_key
from lakehouse.vault.envelope import SubjectKey, Tampered, seal_body, unseal_body
from lakehouse.vault.files import KeyFile
from lakehouse.vault.guards import FileGuard, KmsGuard

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.contracts.test_vault"])
KILLED = 9


def opened(home: Path) -> Vault:
    return open_vault(home, {})


def held_bytes(vault: Vault) -> bytes:
    """All that the vault's files hold: the database and whatever lies beside it."""
    return b"".join(file.read_bytes() for file in vault.path.parent.iterdir())


def stored(vault: Vault, what: str) -> list[bytes]:
    with sqlite3.connect(vault.path) as db:
        return [row[0] for row in db.execute(f"SELECT {what}")]


def test_a_subject_has_one_key_and_tenants_never_share_one(tmp_path: Path) -> None:
    first = opened(tmp_path).keys_of("t", ["ann", "bob"])
    again = opened(tmp_path).keys_of("t", ["ann", "", "bob"])
    other = opened(tmp_path).keys_of("u", ["ann"])
    assert {n: k.secret for n, k in first.items()} == {n: again[n].secret for n in first}
    assert len({k.secret for k in (*again.values(), *other.values())}) == 4
    by_id = opened(tmp_path).keys_by_id("t", [k.key_id for k in first.values()])
    assert {k.secret for k in by_id.values() if k} == {k.secret for k in first.values()}
    with pytest.raises(IntegrityError, match="never held 1 key that tenant 'u'"):
        opened(tmp_path).keys_by_id("u", [first["ann"].key_id])


def test_the_vault_is_its_owners_alone_and_names_nobody(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    keys = vault.keys_of("t", ["ann@example.org"])
    assert stat.S_IMODE(vault.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(vault.path.parent.stat().st_mode) == 0o700
    assert b"ann@" not in held_bytes(vault) and "ann@" not in repr(vault.status())
    (key,) = keys.values()
    assert key.secret not in held_bytes(vault) and repr(key) == f"SubjectKey(key_id={key.key_id!r})"
    vault.path.chmod(0o640)
    with pytest.raises(ConfigurationError, match="0640: others may read"):
        vault.keys_of("t", ["ann@example.org"])


def test_a_destroyed_key_is_gone_from_the_files_and_known_as_destroyed(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    for part in range(8):
        vault.keys_of("t", [f"subject {part} {n}" for n in range(250)])
    (key,) = vault.keys_of("t", ["subject 3 7"]).values()
    (wrapped,) = stored(vault, f"wrapped FROM subject_keys WHERE key_id = '{key.key_id}'")
    with sqlite3.connect(vault.path) as db:  # Another tool leaves copies in free pages.
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("CREATE TABLE copied AS SELECT * FROM subject_keys")
        db.execute("DROP TABLE copied")
    assert held_bytes(vault).count(wrapped) > 1
    assert vault.destroy("t", "subject 3 7") == (key.key_id,)
    assert wrapped not in held_bytes(vault) and key.secret not in held_bytes(vault)
    assert [file.name for file in vault.path.parent.iterdir()] == ["keys.sqlite"]
    assert vault.keys_by_id("t", [key.key_id]) == {key.key_id: None}
    assert vault.destroy("t", "subject 3 7") == (key.key_id,), "again: as it is"
    (state,) = vault.status()
    assert (state.living, state.destroyed) == (1999, 1)


def test_a_key_that_is_left_in_a_file_is_found_out(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    (key,) = vault.keys_of("t", ["ann"]).values()
    (wrapped,) = stored(vault, f"wrapped FROM subject_keys WHERE key_id = '{key.key_id}'")
    vault.path.with_name("keys.sqlite-copy").write_bytes(b"x" + wrapped)
    with pytest.raises(IntegrityError, match="still holds a key that was destroyed"):
        vault.destroy("t", "ann")


def test_a_subject_that_comes_back_gets_another_key(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    old = vault.keys_of("t", ["ann"])["ann"]
    vault.destroy("t", "ann")
    new = vault.keys_of("t", ["ann"])["ann"]
    assert new.key_id != old.key_id and new.secret != old.secret
    assert vault.keys_by_id("t", [old.key_id])[old.key_id] is None
    assert set(vault.destroy("t", "ann")) == {old.key_id, new.key_id}


def test_an_unknown_subject_is_refused_without_its_name(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    vault.keys_of("t", [""])
    for tenant in ("t", "u"):
        with pytest.raises(InputError, match="no key for that subject") as refused:
            vault.destroy(tenant, "ann@example.org")
        assert "ann@" not in str(refused.value.as_record())
    with pytest.raises(InputError, match="no subject was named"):
        vault.destroy("t", "")


def test_rotation_wraps_keys_anew_and_leaves_nothing_of_the_old_one(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    before = vault.keys_of("t", ["ann", "bob"])
    vault.keys_of("u", ["ann"])
    vault.destroy("t", "bob")
    (old,) = stored(vault, "kept FROM tenant_keys WHERE tenant = 't'")
    wrapped = set(stored(vault, "wrapped FROM subject_keys WHERE tenant = 't'"))
    assert vault.rotate("t") == 2
    assert old not in held_bytes(vault)
    after = set(stored(vault, "wrapped FROM subject_keys WHERE tenant = 't'"))
    assert not wrapped & after - {None}
    for one in (vault, opened(tmp_path)):
        assert one.keys_of("t", ["ann"])["ann"].secret == before["ann"].secret
        assert one.keys_by_id("t", [before["bob"].key_id]) == {before["bob"].key_id: None}
    assert [(s.tenant, s.version) for s in vault.status()] == [("t", 2), ("u", 1)]
    with pytest.raises(InputError, match="'nobody' has no key"):
        vault.rotate("nobody")


def test_a_lost_or_damaged_vault_is_named_with_the_remedy(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    (key,) = vault.keys_of("t", ["ann"]).values()
    kept = vault.path.read_bytes()
    with sqlite3.connect(vault.path) as db:
        db.execute("UPDATE subject_keys SET wrapped = zeroblob(60)")
    with pytest.raises(IntegrityError, match=f"key {key.key_id} .*is damaged") as told:
        vault.keys_by_id("t", [key.key_id])
    assert "newest backup" in told.value.remedy
    with pytest.raises(IntegrityError, match="is damaged"):
        vault.rotate("t")
    vault.path.write_bytes(kept[:100] + os.urandom(len(kept) - 100))
    with pytest.raises(IntegrityError, match=str(vault.path)):
        vault.check()
    vault.path.unlink()
    with pytest.raises(IntegrityError, match=r"keys\.sqlite is not there") as told:
        vault.keys_by_id("t", [key.key_id])
    assert "BELIEFGRAPH_VAULT" in told.value.remedy and not vault.path.exists()


def test_where_no_vault_can_be_made_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    vault = open_vault(tmp_path, {"BELIEFGRAPH_VAULT": str(tmp_path / "file" / "keys")})
    with pytest.raises(UnavailableError, match="file/keys cannot be written"):
        vault.keys_of("t", [""])


# -- several processes -------------------------------------------------------------------------


def make_keys(home: Path, start: Any, told: Any) -> None:
    start.wait(30)
    keys = opened(home).keys_of("t", [f"s{n}" for n in range(50)])
    told.put(sorted((name, key.key_id, key.secret) for name, key in keys.items()))


def rotate_and_die(home: Path, dying_at: int) -> None:
    seal, left = tenant_key.seal, dying_at

    def counted(*given: Any) -> bytes:
        nonlocal left
        left -= 1
        if left < 0:
            os._exit(KILLED)
        return seal(*given)

    tenant_key.seal = counted  # type: ignore[assignment]
    opened(home).rotate("t")


def test_processes_that_make_the_same_keys_at_once_share_them(tmp_path: Path) -> None:
    start, told = _FORKS.Event(), _FORKS.Queue()
    makers = [_FORKS.Process(target=make_keys, args=(tmp_path, start, told)) for _ in range(4)]
    for maker in makers:
        maker.start()
    start.set()
    made = [told.get(timeout=60) for _ in makers]
    for maker in makers:
        maker.join(30)
    assert made[0] == made[1] == made[2] == made[3]
    assert len(stored(opened(tmp_path), "key_id FROM subject_keys")) == 50


@pytest.mark.parametrize("dying_at", [1, 60, 120])
def test_a_rotation_killed_on_its_way_has_not_happened(tmp_path: Path, dying_at: int) -> None:
    vault = opened(tmp_path)
    subjects = [f"s{n}" for n in range(120)]
    before = vault.keys_of("t", subjects)
    process = _FORKS.Process(target=rotate_and_die, args=(tmp_path, dying_at))
    process.start()
    process.join(60)
    assert process.exitcode == KILLED
    after = opened(tmp_path).keys_of("t", subjects)
    assert {n: k.secret for n, k in after.items()} == {n: k.secret for n, k in before.items()}
    assert vault.status()[0].version == 1
    assert vault.rotate("t") == 2
    assert vault.keys_of("t", subjects) == after


def test_readers_go_on_while_the_tenants_key_is_rotated(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    subjects = [f"s{n}" for n in range(300)]
    before = vault.keys_of("t", subjects)
    done, reads, wrong = threading.Event(), [0], list[BaseException]()

    def read() -> None:
        own = opened(tmp_path)
        try:
            while not done.is_set():
                assert own.keys_of("t", subjects) == before
                reads[0] += 1
        except BaseException as failed:
            wrong.append(failed)

    reader = threading.Thread(target=read)
    reader.start()
    versions = [opened(tmp_path).rotate("t") for _ in range(5)]
    done.set()
    reader.join()
    assert wrong == [] and reads[0] > 0 and versions == [2, 3, 4, 5, 6]


def test_of_two_rotations_at_once_the_later_one_hears_of_it(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    vault.keys_of("t", ["ann"])

    class Slow(FileGuard):
        def make(self, tenant: str) -> tuple[bytes, bytes]:
            raced.append(opened(tmp_path).rotate("t"))
            return super().make(tenant)

    raced: list[int] = []
    slow = Vault(KeyFile(vault.path), Slow())
    with pytest.raises(ConflictError, match="rotated just now"):
        slow.rotate("t")
    assert raced == [2] and vault.status()[0].version == 2


# -- AWS KMS (as moto plays it) ------------------------------------------------------------------


@mock_aws
def test_tenant_keys_can_be_guarded_by_kms_and_moved_there(tmp_path: Path) -> None:
    kms = boto3.client(
        "kms", region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    arn = kms.create_key()["KeyMetadata"]["Arn"]
    plain = opened(tmp_path)
    before = plain.keys_of("t", ["ann"])
    guarded = Vault(KeyFile(plain.path), KmsGuard(arn, kms))
    assert guarded.keys_of("t", ["ann"]) == before
    assert guarded.rotate("t") == 2 and guarded.status()[0].guard == "aws-kms"
    (kept,) = stored(plain, "kept FROM tenant_keys")
    context = {"beliefgraph:tenant": "t"}
    tenant_key = kms.decrypt(CiphertextBlob=kept, EncryptionContext=context)["Plaintext"]
    assert tenant_key not in held_bytes(plain)
    assert Vault(KeyFile(plain.path), KmsGuard(arn, kms)).keys_of("t", ["ann"]) == before
    with sqlite3.connect(plain.path) as db:
        db.execute("UPDATE tenant_keys SET tenant = 'u'")
        db.execute("UPDATE subject_keys SET tenant = 'u'")
    with pytest.raises(ConfigurationError, match="KMS refuses decrypt"):
        Vault(KeyFile(plain.path), KmsGuard(arn, kms)).keys_of("u", ["ann"])
    with pytest.raises(ConfigurationError, match="BELIEFGRAPH_VAULT_KMS_KEY"):
        Vault(KeyFile(tmp_path / "other"), KmsGuard("alias/none", kms)).keys_of("t", ["ann"])


@mock_aws
def test_the_settings_choose_kms_and_what_it_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    arn = boto3.client("kms", region_name="eu-west-1").create_key()["KeyMetadata"]["Arn"]
    environ = {"BELIEFGRAPH_VAULT_KMS_KEY": arn}
    with pytest.raises(UnavailableError, match="not reached: You must specify a region") as told:
        open_vault(tmp_path, environ).keys_of("t", ["ann"])
    assert "AWS_REGION" in told.value.remedy
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    keys = open_vault(tmp_path, environ).keys_of("t", ["ann"])
    assert opened(tmp_path).status()[0].guard == "aws-kms"
    # Reading needs no setting: the vault says who guards it.
    assert opened(tmp_path).keys_of("t", ["ann"]) == keys
    assert opened(tmp_path).rotate("t") == 2 and opened(tmp_path).status()[0].guard == "file"
    monkeypatch.setitem(sys.modules, "botocore.exceptions", None)
    with pytest.raises(UnavailableError, match="needs the package botocore") as missing:
        open_vault(tmp_path, environ).rotate("t")
    assert "beliefgraph[aws]" in missing.value.remedy


# -- bodies ------------------------------------------------------------------------------------

_KEYS = st.lists(
    st.builds(SubjectKey, st.text(max_size=8), st.binary(min_size=32, max_size=32)),
    min_size=1,
    max_size=4,
    unique_by=lambda key: key.key_id,
)


@settings(max_examples=50)
@given(tenant=st.text(), place=st.text(), keys=_KEYS, plain=st.binary(max_size=2000))
def test_a_body_comes_back_byte_for_byte_and_shows_nothing(
    tenant: str, place: str, keys: list[SubjectKey], plain: bytes
) -> None:
    body = seal_body(tenant, place, keys, plain)
    assert unseal_body(tenant, place, keys, body) == plain
    assert len(plain) < 8 or plain not in body
    assert body != seal_body(tenant, place, keys, plain), "equal bodies must not look equal"


@settings(max_examples=50)
@given(keys=_KEYS, plain=st.binary(max_size=50), data=st.data())
def test_whatever_was_changed_is_found_out(
    keys: list[SubjectKey], plain: bytes, data: st.DataObject
) -> None:
    body = seal_body("t", "episode 1", keys, plain)
    place, bit = data.draw(st.integers(0, len(body) - 1)), data.draw(st.integers(0, 7))
    flipped = body[:place] + bytes([body[place] ^ 1 << bit]) + body[place + 1 :]
    cut = body[: data.draw(st.integers(0, len(body) - 1))]
    at = data.draw(st.integers(0, len(keys) - 1))
    renamed = [SubjectKey(k.key_id + "'" * (n == at), k.secret) for n, k in enumerate(keys)]
    foreign = [SubjectKey(k.key_id, os.urandom(32)) if n == at else k for n, k in enumerate(keys)]
    for changed in (
        ("u", "episode 1", keys, body),
        ("t", "episode 2", keys, body),
        ("t", "refusal 1", keys, body),
        ("t", "episode 1", renamed, body),
        ("t", "episode 1", foreign, body),
        ("t", "episode 1", keys[:at] + keys[at + 1 :], body),
        ("t", "episode 1", keys, flipped),
        ("t", "episode 1", keys, cut),
        ("t", "episode 1", keys, body + b"x"),
    ):
        with pytest.raises(Tampered):
            unseal_body(*changed)


def test_the_memory_vault_keeps_the_same_promises() -> None:
    vault = MemoryVault()
    keys = vault.keys_of("t", ["ann", "bob"])
    assert vault.rotate("t") == 2 and vault.keys_of("t", ["ann", "bob"]) == keys
    assert vault.destroy("t", "ann") == (keys["ann"].key_id,)
    found = vault.keys_by_id("t", [key.key_id for key in keys.values()])
    assert found == {keys["ann"].key_id: None, keys["bob"].key_id: keys["bob"]}

"""`vault` and the vault's part of `doctor`: what is held, a new tenant key, a lost file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lakehouse.iceberg import open_ledger
from lakehouse.model.episodes import Protection
from lakehouse.model.errors import ConfigurationError, InputError, IntegrityError
from lakehouse.vault import open_vault
from queries.surfaces.doctor import vault as examined
from queries.surfaces.findings import Level, Premises
from queries.surfaces.vault import vault
from tests.contracts.ledger_values import episode


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BELIEFGRAPH_HOME", str(tmp_path))
    return tmp_path


def run(*words: str, **more: Any) -> Result:
    return CliRunner().invoke(vault, words, catch_exceptions=False, **more)


def test_status_and_rotate(home: Path) -> None:
    assert "nothing is encrypted yet" in run("status").output
    with pytest.raises(InputError, match="'t' has no key"):
        run("rotate", "t")
    assert not (home / "vault").exists()
    keys = open_vault(home, {}).keys_of("t", ["ann", "bob"])
    open_vault(home, {}).destroy("t", "ann")
    assert "t has tenant key 2; back up" in run("rotate", "t").output
    text = run("status").output
    assert str(home / "vault" / "keys.sqlite") in text
    assert "t: 1 key, 1 destroyed; tenant key 2 of 20" in text and "guarded by file" in text
    (told,) = json.loads(run("status", "--json").output)["tenants"]
    assert (told["version"], told["living"], told["destroyed"]) == (2, 1, 1)
    assert open_vault(home, {}).keys_of("t", ["bob"])["bob"] == keys["bob"]


def test_doctor_looks_at_the_vault(home: Path) -> None:
    environ = {"HOME": str(home), "BELIEFGRAPH_HOME": str(home)}
    assert [one.level for one in examined(Premises(environ))] == [Level.NOTE]
    ann = Protection(subjects=("ann",))
    open_ledger(home, environ).land("t", [episode("1", b"x", protection=ann), episode("2")])
    open_vault(home, environ).destroy("t", "ann")
    (found,) = examined(Premises(environ))
    assert found.level is Level.FINE and found.message.endswith("1 tenant, 1 key, 1 destroyed")
    assert "backups" in found.remedy
    path = open_vault(home, environ).path
    path.chmod(0o644)
    with pytest.raises(ConfigurationError, match="0644"):
        list(examined(Premises(environ)))
    path.unlink()
    with pytest.raises(IntegrityError, match="is not there") as lost:
        list(examined(Premises(environ)))
    assert "Restore the file from its backup" in lost.value.remedy


def test_a_vault_that_lacks_the_lakes_keys_is_refused_by_every_verb(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, keys = open_ledger(home, {}), open_vault(home, {}).path
    ledger.land("t", [episode("1", b"x", protection=Protection(subjects=("ann",)))])
    backup = keys.read_bytes()
    ledger.land("t", [episode("2", b"y", protection=Protection(subjects=("bob",)))])
    assert "t: 2 keys" in run("status").output
    keys.write_bytes(backup)
    _refused("has never held 1 key .*'t'", "restore the newest")
    keys.unlink()
    _refused("is not there, and tenant 't' has payloads", "Restore the file from its backup")
    monkeypatch.setenv("BELIEFGRAPH_VAULT", str(home / "wrong.sqlite"))
    _refused("wrong.sqlite is not there", "name it by BELIEFGRAPH_VAULT")
    assert not keys.exists() and not (home / "wrong.sqlite").exists()


def _refused(said: str, remedy: str) -> None:
    for words in (("status",), ("status", "--json"), ("rotate", "t")):
        with pytest.raises(IntegrityError, match=said) as refused:
            run(*words)
        assert remedy in refused.value.remedy
    with pytest.raises(IntegrityError, match=said):
        list(examined(Premises(os.environ)))


def test_a_directory_is_no_vault(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELIEFGRAPH_VAULT", str(home))
    for words in (("status",), ("rotate", "t")):
        with pytest.raises(ConfigurationError, match="is a directory") as refused:
            run(*words)
        assert "chmod" not in refused.value.remedy


def test_looking_makes_no_lake_and_finds_one_that_a_file_configures(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "nothing is encrypted yet" in run("status").output
    assert not list(home.iterdir())
    (home / "warehouse").mkdir()
    (home / ".pyiceberg.yaml").write_text(
        "catalog:\n  default:\n    type: sql\n"
        f"    uri: sqlite:///{home}/c.db\n    warehouse: file://{home}/warehouse\n"
    )
    environ = {"PYICEBERG_HOME": str(home), "HOME": str(home)}
    monkeypatch.setenv("PYICEBERG_HOME", str(home))
    ledger = open_ledger(home, environ)
    ledger.land("t", [episode("1", b"x", protection=Protection(subjects=("ann",)))])
    monkeypatch.setenv("BELIEFGRAPH_HOME", str(home / "another"))
    _refused("is not there, and tenant 't' has payloads", "Restore the file")

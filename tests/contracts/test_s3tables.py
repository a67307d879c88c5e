"""The control plane of S3 Tables: bucket and namespace on moto, upkeep and all on SeaweedFS.

moto knows buckets and namespaces of S3 Tables and no upkeep; SeaweedFS keeps the upkeep that it is
told. Nobody has run this on AWS yet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from click.testing import CliRunner
from moto import mock_aws

from lakehouse import s3tables
from lakehouse.catalog import opening
from lakehouse.iceberg import open_ledger
from lakehouse.model.errors import ConfigurationError, UnavailableError
from lakehouse.s3tables import Upkeep, client, find_bucket, provision
from lakehouse.seaweed import S3Server
from lakehouse.tables import TABLES
from queries.surfaces.s3tables import s3tables as command
from tests.contracts.ledger_values import episode
from tests.lakes import as_environ

FOREIGN = ("AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL")


@pytest.fixture(autouse=True)
def no_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No login of whoever runs the tests, and none of the machine's role."""
    for name in (*FOREIGN, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def moto() -> Iterator[None]:
    """S3 Tables as moto has it; upkeep, which it lacks, is answered with nothing."""
    with mock_aws():
        yield


def _without_upkeep(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let moto's client note which settings it is told, each checked against AWS's own model."""
    told: list[str] = []
    make = boto3.client

    def noting(*given: Any, **named: Any) -> Any:
        control = make(*given, **named)
        for operation in ("TableBucket", "Table"):
            event = f"before-call.s3tables.Put{operation}MaintenanceConfiguration"

            def answer(model: Any, params: Any, **_: Any) -> Any:
                told.append(json.loads(params["body"])["value"]["status"] + " " + model.name)
                return _Empty(), {}

            control.meta.events.register(event, answer)
        return control

    monkeypatch.setattr(boto3, "client", noting)
    return told


class _Empty:
    status_code = 204


def test_bucket_and_namespace_are_made_once(moto: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    told = _without_upkeep(monkeypatch)
    control = client("us-east-2")
    assert find_bucket(control, "lake") is None
    control.create_table_bucket(name="lake-of-another-name")
    first = provision(control, "lake", Upkeep())
    assert first.made == ("table bucket lake", "namespace beliefgraph")
    assert provision(control, "lake", Upkeep()) == s3tables.Provisioned(first.arn, (), ())
    assert find_bucket(control, "lake") == first.arn
    assert told == ["enabled PutTableBucketMaintenanceConfiguration"] * 2


def test_the_command_prints_the_settings_that_choose_the_bucket(
    moto: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    _without_upkeep(monkeypatch)
    asked = ["lake", "--region", "us-east-2"]
    shown = CliRunner().invoke(command, asked, catch_exceptions=False).stdout
    assert "made      table bucket lake, namespace beliefgraph" in shown
    assert "https://s3tables.us-east-2.amazonaws.com/iceberg" in shown
    assert "run this again after the first landing" in shown and "secret" not in shown
    told = json.loads(CliRunner().invoke(command, [*asked, "--json"]).stdout)
    assert told["made"] == [] and told["settings"]["PYICEBERG_CATALOG__S3TABLES__TYPE"] == "rest"
    assert told["settings"]["PYICEBERG_CATALOG__S3TABLES__WAREHOUSE"] == told["arn"]


def test_upkeep_is_set_for_the_bucket_and_every_table(s3_server: S3Server, tmp_path: Path) -> None:
    control = client(
        "us-east-1",
        endpoint=s3_server.endpoint,
        access_key_id=s3_server.access_key_id,
        secret_access_key=s3_server.secret_access_key,
    )
    first = provision(control, "kept-up", Upkeep())
    assert first.tables == ()
    chosen = as_environ(s3_server.properties | {"warehouse": "s3://kept-up"})
    open_ledger(tmp_path, chosen).land("t", [episode("1")])
    second = provision(control, "kept-up", Upkeep(snapshots=50, unreferenced_days=4))
    assert second.made == () and set(second.tables) == set(TABLES)
    bucket = control.get_table_bucket_maintenance_configuration(tableBucketARN=first.arn)
    removal = bucket["configuration"]["icebergUnreferencedFileRemoval"]
    assert removal["status"] == "enabled"
    assert removal["settings"]["icebergUnreferencedFileRemoval"] == {
        "unreferencedDays": 4,
        "nonCurrentDays": 10,
    }
    table = control.get_table_maintenance_configuration(
        tableBucketARN=first.arn, namespace="beliefgraph", name="commits"
    )
    kept = table["configuration"]["icebergSnapshotManagement"]
    assert kept["settings"]["icebergSnapshotManagement"] == {
        "minSnapshotsToKeep": 50,
        "maxSnapshotAgeHours": 120,
    }
    assert Upkeep().deadline().startswith("bytes of rewritten rows are gone about 18 days")


# -- credentials and refusals -------------------------------------------------------------------

_LOGIN = ("client.access-key-id", "client.secret-access-key")


def _settings(server: S3Server) -> dict[str, str]:
    """The catalog's settings without a login: AWS's chain has to tell it."""
    return as_environ({k: v for k, v in server.properties.items() if k not in _LOGIN})


def _by_variables(server: S3Server, folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("AWS_ACCESS_KEY_ID", server.access_key_id)
    patch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_access_key)


def _by_profile(server: S3Server, folder: Path, patch: pytest.MonkeyPatch) -> None:
    (folder / "credentials").write_text(
        f"[audit]\naws_access_key_id = {server.access_key_id}\n"
        f"aws_secret_access_key = {server.secret_access_key}\n"
    )
    patch.setenv("AWS_PROFILE", "audit")


@pytest.mark.parametrize("log_in", [_by_variables, _by_profile])
def test_credentials_come_from_awss_own_chain(
    log_in: Callable[..., None],
    s3_server: S3Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log_in(s3_server, tmp_path, monkeypatch)
    ledger = open_ledger(tmp_path / "home", _settings(s3_server))
    tenant = log_in.__name__.strip("_").replace("_", "-")
    ledger.land(tenant, [episode("1", b"said", tenant=tenant)])
    assert ledger.payload(tenant, "1") == b"said"


def test_no_credentials_and_no_region_are_told_with_their_remedy(
    s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        pytest.raises(ConfigurationError, match="no AWS credentials") as caught,
        opening(tmp_path, _settings(s3_server)),
    ):
        pass
    assert "AWS_PROFILE" in caught.value.remedy
    with pytest.raises(ConfigurationError, match="no AWS region"):
        client()
    with pytest.raises(ConfigurationError, match="no AWS credentials"):
        find_bucket(client("us-east-1", endpoint=s3_server.endpoint), "lake")
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(ConfigurationError, match="nobody"):
        client("us-east-1")


def test_a_refusal_and_a_silence_are_told_apart(s3_server: S3Server) -> None:
    def asked(endpoint: str) -> None:
        find_bucket(
            client("us-east-1", endpoint=endpoint, access_key_id="x", secret_access_key="y"), "lake"
        )

    with pytest.raises(ConfigurationError, match="AWS refuses"):
        asked(s3_server.endpoint)
    with pytest.raises(UnavailableError, match="listing table buckets"):
        asked("http://127.0.0.1:1")

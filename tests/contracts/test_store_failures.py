"""A store that fails is told in one sentence with its remedy: login, settings, or silence.

Each is asked of a real server where one is needed; what a library says of it is not repeated.
"""

from __future__ import annotations

import secrets
from pathlib import Path

import boto3
import pytest
from sqlalchemy.exc import InterfaceError

from lakehouse.failures import failed
from lakehouse.iceberg import open_ledger
from lakehouse.model.errors import ConfigurationError, UnavailableError
from lakehouse.seaweed import S3Server
from lakehouse.seaweed.settings import REGION
from tests.contracts.ledger_values import episode
from tests.lakes import as_environ, s3_settings

NOBODY = "127.0.0.1:9"


def in_files_of(server: S3Server, home: Path, bucket: str, **more: str) -> dict[str, str]:
    """Settings of a catalog in SQLite whose files lie in that bucket of the server."""
    files = {k: v for k, v in server.properties.items() if k.startswith(("s3.", "client."))}
    home.mkdir(exist_ok=True)
    sql = {"type": "sql", "uri": f"sqlite:///{home}/c.db", "warehouse": f"s3://{bucket}"}
    return as_environ(files | sql | more) | {"HOME": str(home)}


def test_a_bucket_or_a_login_for_files_that_is_wrong_is_told_from_the_first_opening_on(
    s3_server: S3Server, tmp_path: Path
) -> None:
    bucket, wrong = f"files-{secrets.token_hex(6)}", {"s3.secret-access-key": "not the key"}
    with pytest.raises(ConfigurationError, match=r"not there: .*'files-") as absent:
        open_ledger(tmp_path, in_files_of(s3_server, tmp_path / "a", bucket))
    assert "warehouse" in absent.value.remedy
    boto3.client(
        "s3",
        region_name=REGION,
        endpoint_url=s3_server.endpoint,
        aws_access_key_id=s3_server.access_key_id,
        aws_secret_access_key=s3_server.secret_access_key,
    ).create_bucket(Bucket=bucket)
    login = "refuses the login: .*ACCESS_DENIED"
    with pytest.raises(ConfigurationError, match=login):
        open_ledger(tmp_path, in_files_of(s3_server, tmp_path / "b", bucket, **wrong))
    good = open_ledger(tmp_path, in_files_of(s3_server, tmp_path / "b", bucket))
    assert good.land("t", [episode("1")]).landed == 1
    with pytest.raises(ConfigurationError, match=login) as refused:
        open_ledger(tmp_path, in_files_of(s3_server, tmp_path / "b", bucket, **wrong))
    assert "credentials" in refused.value.remedy and "not the key" not in str(refused.value)
    elsewhere = in_files_of(
        s3_server, tmp_path / "b", bucket, **{"s3.endpoint": f"http://{NOBODY}"}
    )
    with pytest.raises(UnavailableError, match=rf"nothing answers at {NOBODY} ") as silent:
        open_ledger(tmp_path, elsewhere)
    assert "Run again" in silent.value.remedy
    assert set(good.headers("t")) == {"1"}


def test_a_rest_catalog_that_fails_is_told_without_the_librarys_words(
    s3_server: S3Server, tmp_path: Path
) -> None:
    lake = s3_settings(s3_server) | {"HOME": str(tmp_path)}
    ledger = open_ledger(tmp_path, lake)
    ledger.land("t", [episode("1")])
    none = {"PYICEBERG_CATALOG__LAKE__WAREHOUSE": "s3://no-such-bucket"}
    with pytest.raises(ConfigurationError, match=r"not there: .*no-such-bucket not found"):
        open_ledger(tmp_path, lake | none)
    wrong = {"PYICEBERG_CATALOG__LAKE__S3__SECRET_ACCESS_KEY": "not the key"}
    with pytest.raises(ConfigurationError, match=r"refuses the login: .*ACCESS_DENIED"):
        open_ledger(tmp_path, lake | wrong).payload("t", "1")
    ledger._store._catalog.uri = f"http://{NOBODY}"  # type: ignore[attr-defined]
    with pytest.raises(UnavailableError, match=rf"table commits: nothing answers at {NOBODY} "):
        ledger.headers("t")


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("28P01", 'password authentication failed for user "lake"', ConfigurationError),
        ("3D000", 'database "lake" does not exist', ConfigurationError),
        ("57P03", "the database system is starting up", UnavailableError),
    ],
)
def test_what_postgres_refuses_is_told_in_its_own_sentence(
    code: str, message: str, kind: type[Exception]
) -> None:
    answer = {"S": "FATAL", "V": "FATAL", "C": code, "M": message, "F": "auth.c", "L": "321"}
    told = failed("catalog 'lake' cannot be reached", InterfaceError("", {}, OSError(answer)))
    assert isinstance(told, kind) and told.message.endswith(f": {message}")


def test_a_database_that_is_not_there_is_a_setting_that_names_nothing(
    postgres_server: int, tmp_path: Path
) -> None:
    uri = f"postgresql+pg8000://lake@127.0.0.1:{postgres_server}/nothing"
    named = as_environ({"type": "sql", "uri": uri, "warehouse": "s3://none"})
    with pytest.raises(ConfigurationError, match='not there: database "nothing" does not exist'):
        open_ledger(tmp_path, named | {"HOME": str(tmp_path)})

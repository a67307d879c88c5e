"""The stores that a lake can lie in, for tests that hold all of them to one promise.

    local     SQLite and a folder
    s3        SeaweedFS: S3, and an Iceberg REST catalog with the settings of S3 Tables
    postgres  PostgreSQL, files in an ordinary bucket of S3; skipped where it is not installed

The servers are started once a session; each test gets a lake of its own in them.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import boto3
import pytest
from pyiceberg.catalog import Catalog

from lakehouse import seaweed
from lakehouse.catalog import opening
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.local import ports, processes
from lakehouse.local.home import home_from
from lakehouse.local.ports import LOOPBACK
from lakehouse.s3tables import client
from lakehouse.seaweed.layout import Layout
from lakehouse.seaweed.settings import REGION
from lakehouse.stamping import system_clock
from lakehouse.table_spec import Column, TableSpec

STORES = ("local", "s3", "postgres")


@dataclass(frozen=True)
class Lake:
    """A lake of a test's own: its home, and the settings that choose its store."""

    store: str
    home: Path
    environ: dict[str, str] = field(repr=False)

    def open(self, now: Callable[[], int] = system_clock) -> IcebergLedger:
        return open_ledger(self.home, self.environ, now=now)

    def catalog(self) -> Catalog:
        with opening(self.home, self.environ) as catalog:
            return catalog

    def whole_environ(self) -> dict[str, str]:
        """For a process of its own: this one's environment, but for what would choose a store."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYICEBERG_", "AWS_"))}
        return kept | self.environ


@contextmanager
def as_before(*specs: TableSpec) -> Iterator[None]:
    """These tables without their last column, as the version before made, read and wrote them."""
    whole = {spec: spec.columns for spec in specs}

    def let(columns: Mapping[TableSpec, tuple[Column, ...]]) -> None:
        for spec, held in columns.items():
            object.__setattr__(spec, "columns", held)
            for worked_out in ("schema", "arrow"):
                spec.__dict__.pop(worked_out, None)

    let({spec: columns[:-1] for spec, columns in whole.items()})
    try:
        yield
    finally:
        let(whole)


def as_environ(properties: Mapping[str, str]) -> dict[str, str]:
    """A catalog's properties as PyIceberg reads them from the environment."""
    return {
        f"PYICEBERG_CATALOG__LAKE__{name.replace('.', '__').replace('-', '_').upper()}": value
        for name, value in properties.items()
    }


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[seaweed.S3Server]:
    """The session's S3 server."""
    environ = {**os.environ, "BELIEFGRAPH_HOME": str(tmp_path_factory.mktemp("s3-home"))}
    try:
        yield seaweed.up(environ)
    finally:
        kill_s3(environ)


def kill_s3(environ: Mapping[str, str]) -> None:
    """End that home's server at once: nobody will read what it holds."""
    layout = Layout(home_from(environ))
    process = processes.find(layout.server, layout.running())
    if process is not None:
        processes.kill(layout.server, process)


def s3_settings(server: seaweed.S3Server) -> dict[str, str]:
    """Settings of a new, empty lake on that server: a table bucket of its own."""
    control = client(
        REGION,
        endpoint=server.endpoint,
        access_key_id=server.access_key_id,
        secret_access_key=server.secret_access_key,
    )
    bucket = f"lake-{secrets.token_hex(6)}"
    control.create_table_bucket(name=bucket)
    return as_environ(server.properties | {"warehouse": f"s3://{bucket}"})


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[int]:
    """The port of a PostgreSQL of this session's own; it lets in whoever is on this machine."""
    found = shutil.which("initdb") or next(
        (str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None
    )
    if found is None:
        pytest.skip("PostgreSQL is not installed")
    programs = Path(found).resolve().parent
    root = os.geteuid() == 0
    user = {"user": "nobody"} if root else {}  # PostgreSQL refuses to run as root.
    folder = Path(tempfile.mkdtemp(prefix="beliefgraph-postgres-"))
    if root:
        shutil.chown(folder, "nobody")
    port = ports.choose(None)
    made = [programs / "initdb", "-D", folder / "data", "-U", "lake", "-A", "trust", "--no-sync"]
    subprocess.run(made, check=True, capture_output=True, cwd="/", **user)  # type: ignore[call-overload]
    serve = [programs / "postgres", "-D", folder / "data", "-p", str(port), "-k", folder, "-F"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(serve, stdout=log, stderr=log, cwd="/", **user)  # type: ignore[call-overload]
    try:
        deadline = time.monotonic() + 30
        while not ports.is_open(port):
            assert server.poll() is None and time.monotonic() < deadline, (
                folder / "log"
            ).read_text()
            time.sleep(0.05)
        yield port
    finally:
        server.send_signal(signal.SIGINT)  # Ends its clients' sessions instead of waiting.
        server.wait(30)
        shutil.rmtree(folder)


def postgres_settings(port: int, server: seaweed.S3Server) -> dict[str, str]:
    """Settings of a new, empty lake: a database and a bucket of its own."""
    import pg8000.native  # noqa: PLC0415 - only where PostgreSQL is there

    name = secrets.token_hex(6)
    with pg8000.native.Connection("lake", host=LOOPBACK, port=port, database="postgres") as one:
        one.run(f"CREATE DATABASE lake_{name}")
    boto3.client(
        "s3",
        region_name=REGION,
        endpoint_url=server.endpoint,
        aws_access_key_id=server.access_key_id,
        aws_secret_access_key=server.secret_access_key,
    ).create_bucket(Bucket=f"files-{name}")
    found = {k: v for k, v in server.properties.items() if k.startswith(("s3.", "client."))}
    return as_environ(
        found
        | {
            "type": "sql",
            "uri": f"postgresql+pg8000://lake@{LOOPBACK}:{port}/lake_{name}",
            "warehouse": f"s3://files-{name}",
        }
    )


def lake_in(store: str, home: Path, request: pytest.FixtureRequest) -> Lake:
    """A new, empty lake in that store."""
    environ = {"HOME": str(home), "BELIEFGRAPH_HOME": str(home)}
    if store == "s3":
        environ |= s3_settings(request.getfixturevalue("s3_server"))
    elif store == "postgres":
        port = request.getfixturevalue("postgres_server")
        environ |= postgres_settings(port, request.getfixturevalue("s3_server"))
    return Lake(store, home, environ)


@pytest.fixture(params=STORES)
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    """A lake of the test's own in each of the stores."""
    return lake_in(request.param, tmp_path / "home", request)

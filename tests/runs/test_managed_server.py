"""The managed server keeps its promises: a real Neo4j, started, hurt, and stopped.

One home and one running server are shared by the tests that need no accident of their own;
every test that starts a server stops it again. The jars come from the local Maven repository
(filled by the first run).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from graph import server
from graph.projector import project
from graph.server import first_start, jars, locked, mark, memory
from graph.server.layout import Choices, Layout
from graph.server.release import RELEASES
from graph.session import connected
from graph.verify import verify
from lakehouse.local import lock, ports, processes
from lakehouse.local.home import Running
from lakehouse.model.errors import (
    ConfigurationError,
    ConflictError,
    InputError,
    IntegrityError,
    UnavailableError,
)
from queries.surfaces import stack
from tests.contracts.projection_story import Story, first_chapter, second_chapter

Environ = dict[str, str]

UP = (
    "import os; from graph import server; "
    "print(server.up(os.environ, memory='512m', progress=print).uri)"
)


def _environ(home: Path, **more: str) -> Environ:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NEO4J_")}
    return kept | {"BELIEFGRAPH_HOME": str(home)} | more


def _layout(environ: Mapping[str, str]) -> Layout:
    return Layout(server.home_from(environ))


def _alive(environ: Mapping[str, str]) -> psutil.Process | None:
    return mark.find(_layout(environ))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environ]:
    """A home for all; its server is stopped at the end."""
    environ = _environ(tmp_path_factory.mktemp("home"))
    try:
        yield environ
    finally:
        server.down(environ)


@pytest.fixture
def running(shared: Environ) -> Environ:
    """The shared home with its server running."""
    server.up(shared, memory="512m")
    return shared


def test_ctrl_c_during_the_first_start_leaves_nothing_and_two_starts_make_one_server(
    shared: Environ,
) -> None:
    """The first test: the others find the server that it leaves."""
    environ = shared | {"PYTHONUNBUFFERED": "1"}
    starting = _up_process(environ)
    _until(lambda: _alive(environ) is not None)
    time.sleep(1)
    starting.send_signal(signal.SIGINT)
    said, _ = starting.communicate(timeout=60)
    assert starting.returncode != 0 and "broken off" in said, said
    assert _alive(environ) is None
    assert server.status(environ).state == "stopped"
    assert _layout(environ).first_start.exists()
    both = [_up_process(environ), _up_process(environ)]
    outputs = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert len({output.split()[-1] for output in outputs}) == 1
    assert sum("starting Neo4j" in output for output in outputs) == 1
    assert any("beginning afresh" in output for output in outputs)
    # Both starters are gone, and the server is not.
    assert server.status(environ).state == "running"
    assert not _layout(environ).first_start.exists()


def _up_process(environ: Environ) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", UP],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def _until(condition: object, seconds: float = 60) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def test_up_starts_a_server_that_answers_and_a_second_up_finds_it(shared: Environ) -> None:
    said: list[str] = []
    first = server.up(shared, memory="512m", progress=said.append)
    assert first.managed and first.uri.startswith("bolt://127.0.0.1:")
    assert first.password not in repr(first) and first.password not in " ".join(said)
    process = _alive(shared)
    assert process is not None
    began = time.monotonic()
    assert server.up(shared, progress=said.append) == first
    assert time.monotonic() - began < 5
    assert _alive(shared) == process
    assert server.connection_from(shared) == first
    found = server.status(shared)
    assert (found.state, found.uri, found.pid) == ("running", first.uri, process.pid)
    assert found.memory == "256m heap + 256m page cache"
    assert found.started_at is not None and found.log is not None and found.log.exists()


def test_only_the_owner_reads_the_password(running: Environ) -> None:
    layout = _layout(running)
    assert stat.S_IMODE(layout.password.stat().st_mode) == 0o600
    assert stat.S_IMODE(layout.root.stat().st_mode) == 0o700
    password = first_start.read_password(layout)
    for path in (*layout.logs.iterdir(), *layout.conf.iterdir(), *layout.root.glob("*.json")):
        assert password not in path.read_text(encoding="utf-8", errors="replace"), path
    process = _alive(running)
    assert process is not None
    assert password not in " ".join(process.cmdline()) + " ".join(process.environ().values())


def test_it_listens_on_this_machine_only_and_on_one_port(running: Environ) -> None:
    process = _alive(running)
    assert process is not None
    listening = [c for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    addresses = {(c.laddr.ip.removeprefix("::ffff:"), c.laddr.port) for c in listening}
    assert addresses == {("127.0.0.1", int(server.connection_from(running).uri.split(":")[2]))}
    assert not process.net_connections("udp")


def test_the_server_has_a_session_of_its_own(running: Environ) -> None:
    process = _alive(running)
    assert process is not None
    assert os.getsid(process.pid) == process.pid != os.getsid(0)


def test_other_memory_for_a_running_server_is_answered_in_words(running: Environ) -> None:
    said: list[str] = []
    server.up(running, memory="768m", progress=said.append)
    assert any("keeps its memory" in sentence for sentence in said)


def test_a_lost_record_is_no_lost_server(running: Environ) -> None:
    process = _alive(running)
    _layout(running).forget_running()
    assert server.status(running).state == "running"
    server.up(running)
    assert _alive(running) == process


def test_commands_print_text_or_json(running: Environ) -> None:
    runner = CliRunner()
    told = runner.invoke(stack.status, ["--json"], env=running, catch_exceptions=False)
    assert json.loads(told.stdout)["state"] == "running"
    assert "running" in runner.invoke(stack.status, [], env=running).stdout
    up = runner.invoke(stack.up, ["--json"], env=running, catch_exceptions=False)
    assert json.loads(up.stdout)["uri"] == server.connection_from(running).uri
    assert "password" not in up.stdout
    for command in (stack.up, stack.down, stack.status):
        shown = runner.invoke(command, ["--help"]).stdout
        assert "Example:" in shown and "beliefgraph " in shown


def test_with_neo4j_uri_the_given_server_is_used(running: Environ, tmp_path: Path) -> None:
    own = server.connection_from(running)
    environ = _environ(tmp_path, NEO4J_URI=own.uri, NEO4J_PASSWORD=own.password)
    assert not server.up(environ).managed
    with pytest.raises(ConfigurationError, match="refuses the login"):
        server.up(environ | {"NEO4J_PASSWORD": "wrong-password"})
    assert server.down(environ) is False
    assert server.status(running).state == "running"


def test_a_projection_goes_on_over_a_server_that_was_killed_and_started_again(
    running: Environ,
) -> None:
    """Killed as a machine is cut off; what was not committed is sent again."""
    story, cut = Story("cut.off"), []
    second_chapter(story, first_chapter(story))

    def pull_the_plug(text: str) -> None:
        if not cut and text.startswith("edges"):
            cut.append(text)
            process = _alive(running)
            assert process is not None
            process.kill()
            process.wait(30)
            server.up(running, memory="512m")

    with connected(server.connection_from(running)) as driver:
        project(story.ledger, driver, "neo4j", story.tenant, progress=pull_the_plug)
        assert cut
        found = verify(story.ledger, driver, "neo4j", story.tenant)
        assert (found.differences, found.edges) == ((), 18)


def test_after_a_kill_and_with_its_port_taken_up_recovers_on_another_port(
    running: Environ,
) -> None:
    old = _port(running)
    process = _alive(running)
    assert process is not None
    process.kill()
    psutil.wait_procs([process], timeout=10)
    assert server.status(running).state == "stale"
    said: list[str] = []
    with socket.create_server(("127.0.0.1", old)):
        server.up(running, memory="512m", progress=said.append)
        assert _port(running) != old
        assert any("ended without being stopped" in sentence for sentence in said)
        assert any(f"port {old} is taken" in sentence for sentence in said)
        with socket.create_connection(("127.0.0.1", old), timeout=1):
            pass
    assert server.status(running).state == "running"


def test_down_stops_it_and_says_false_when_nothing_ran(running: Environ) -> None:
    port = _port(running)
    process = _alive(running)
    assert server.down(running) is True
    assert process is not None and not process.is_running()
    assert server.down(running) is False
    assert server.status(running).state == "stopped"
    with pytest.raises(UnavailableError) as caught:
        server.connection_from(running)
    assert "beliefgraph up" in caught.value.remedy
    remembered = _layout(running).choices()
    assert remembered is not None and remembered.bolt_port == port


def _port(environ: Environ) -> int:
    return int(server.connection_from(environ).uri.rpartition(":")[2])


@pytest.fixture
def stopped(shared: Environ) -> Environ:
    """The shared home, started at least once, with no server running."""
    if not (_layout(shared).data / "databases" / "system").exists():
        server.up(shared, memory="512m")
    server.down(shared)
    return shared


def test_a_pid_used_again_by_another_program_is_stale_and_left_alone(stopped: Environ) -> None:
    layout = _layout(stopped)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as bystander:
        try:
            layout.remember(Running(bystander.pid, psutil.Process(bystander.pid).create_time()))
            assert server.status(stopped).state == "stale"
            assert server.down(stopped) is False
            assert bystander.poll() is None
        finally:
            bystander.kill()
    assert server.status(stopped).state == "stopped"
    layout.remember(Running(2**22 - 1, 1.0))
    assert server.status(stopped).state == "stale"
    layout.forget_running()


def test_a_lock_held_too_long_is_an_error_that_names_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    said: list[str] = []
    with (
        lock.exclusive(path, progress=said.append),
        pytest.raises(ConflictError) as caught,
        lock.exclusive(path, progress=said.append, seconds=0.3),
    ):
        pass
    assert str(os.getpid()) in caught.value.message and "waiting" in said[0]


def test_a_stop_that_takes_too_long_is_escalated_and_said(tmp_path: Path) -> None:
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "print('on', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"on\n"
        said: list[str] = []
        processes.stop(
            mark.mark(Layout(tmp_path)),
            psutil.Process(process.pid),
            progress=said.append,
            seconds=0.5,
        )
    assert "did not stop within" in said[0] and "killed" in said[0]


def test_a_server_whose_starter_took_no_note_of_its_end_has_ended(tmp_path: Path) -> None:
    """As `down` meets it while a `run` that started the server is still at work."""
    starter = (
        "import subprocess, time; p = subprocess.Popen(['sleep', '60']); "
        "print(p.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        started = psutil.Process(int(process.stdout.readline()))
        said: list[str] = []
        processes.stop(mark.mark(Layout(tmp_path)), started, progress=said.append, seconds=5)
        assert started.status() == psutil.STATUS_ZOMBIE and not said
        process.kill()


def test_with_neo4j_uri_no_server_is_ever_started(tmp_path: Path) -> None:
    closed = f"bolt://127.0.0.1:{ports.choose(None)}"
    environ = _environ(tmp_path / "home", NEO4J_URI=closed, NEO4J_PASSWORD="secret")
    connection = server.connection_from(environ)
    assert (connection.uri, connection.username, connection.database) == (closed, "neo4j", "neo4j")
    assert not connection.managed and "secret" not in repr(connection)
    with pytest.raises(UnavailableError) as caught:
        server.up(environ)
    assert closed in caught.value.message
    assert server.status(environ).state == "external"
    assert server.down(environ) is False
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    "settings",
    [
        {"NEO4J_URI": "http://localhost:7474", "NEO4J_PASSWORD": "x"},
        {"NEO4J_URI": "bolt://neo4j:hidden@localhost:7687", "NEO4J_PASSWORD": "x"},
        {"NEO4J_URI": "bolt://localhost:99999", "NEO4J_PASSWORD": "x"},
        {"NEO4J_URI": "bolt://localhost:7687"},
    ],
)
def test_a_wrong_external_setting_is_refused(settings: Environ, tmp_path: Path) -> None:
    environ = _environ(tmp_path, **settings)
    environ = {k: v for k, v in environ.items() if k in settings or not k.startswith("NEO4J_")}
    with pytest.raises(ConfigurationError) as caught:
        server.connection_from(environ)
    assert "NEO4J_" in caught.value.message and caught.value.remedy
    assert "hidden" not in str(caught.value)


def test_a_changed_jar_is_refused_by_name(stopped: Environ) -> None:
    jar = next(j for j in locked.read_lock(RELEASES["2026.09"]) if j.artifact == "neo4j-bolt")
    path = _layout(stopped).lib / jar.version / jar.file_name
    genuine = path.read_bytes()
    path.unlink()  # It is a link into the shared repository: change a copy, not that.
    path.write_bytes(genuine[:-1] + bytes([genuine[-1] ^ 1]))
    try:
        with pytest.raises(IntegrityError) as caught:
            server.up(stopped)
        assert "neo4j-bolt" in caught.value.message and str(path) in caught.value.remedy
        assert _alive(stopped) is None
    finally:
        path.write_bytes(genuine)


def test_a_changed_jar_in_the_shared_repository_is_refused_too(tmp_path: Path) -> None:
    jar = next(j for j in locked.read_lock(RELEASES["2026.09"]) if j.artifact == "picocli")
    forged = tmp_path / "m2" / jar.repository_path
    forged.parent.mkdir(parents=True)
    forged.write_bytes(b"x" * jar.size)
    layout = Layout(tmp_path / "home")
    layout.prepare()
    with pytest.raises(IntegrityError, match="picocli"):
        jars._supply([jar], tmp_path / "m2", layout.lib, print)
    assert not list(layout.lib.iterdir())


@pytest.mark.parametrize("half", [False, True])
def test_no_network_on_first_start_is_told_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: bool
) -> None:
    closed = f"http://127.0.0.1:{ports.choose(None)}"
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, closed)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    repository = tmp_path / "m2"
    if half:  # A download that somebody else's tool broke off counts as none.
        jar = locked.read_lock(RELEASES["2026.09"])[0]
        (repository / jar.repository_path).parent.mkdir(parents=True)
        (repository / jar.repository_path).write_bytes(b"half")
    environ = _environ(tmp_path / "home", M2_REPO=str(repository))
    with pytest.raises(UnavailableError) as caught:
        server.up(environ)
    assert "could not be downloaded" in caught.value.message
    assert "network" in caught.value.remedy and "beliefgraph up" in caught.value.remedy
    whole = [p for p in repository.rglob("*.jar") if p.read_bytes() != b"half"]
    assert not whole and not list(repository.glob(".beliefgraph*"))
    assert server.status(environ).state == "stopped"


def test_a_lost_password_is_told_with_its_remedy(stopped: Environ) -> None:
    layout = _layout(stopped)
    kept = layout.password.with_name("kept")
    shutil.move(layout.password, kept)
    try:
        with pytest.raises(ConfigurationError, match="password"):
            server.up(stopped)
        assert _alive(stopped) is None
    finally:
        shutil.move(kept, layout.password)


def test_memory_fits_the_machine() -> None:
    assert str(memory.plan(None, machine_mb=24_000)) == "512m heap + 512m page cache"
    assert memory.plan(None, machine_mb=2_000).total_mb == 500
    assert memory.plan(None, machine_mb=800) == memory.Memory(256, 128)
    assert memory.plan("2g", machine_mb=24_000) == memory.Memory(1024, 1024)
    for no_size in ("", "many", "12", "-1g"):
        with pytest.raises(InputError):
            memory.plan(no_size, machine_mb=24_000)
    for unfit in ("100m", "900g"):
        with pytest.raises(ConfigurationError):
            memory.plan(unfit, machine_mb=24_000)


def test_the_home_is_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert server.home_from({"BELIEFGRAPH_HOME": "here"}) == tmp_path / "here"
    assert server.home_from({"HOME": "/home/ann"}) == Path("/home/ann/.beliefgraph")


def test_broken_records_are_as_none(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.prepare()
    for text in ("", "{", "[]", '{"pid": "x"}', '{"bolt_port": null}'):
        layout.running_file.write_text(text)
        layout.choices_file.write_text(text)
        assert layout.running() is None and layout.choices() is None
    layout.remember(Choices(7687, 256, 256, "1"))
    assert layout.choices() == Choices(7687, 256, 256, "1")

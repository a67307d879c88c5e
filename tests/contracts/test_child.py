"""A function in a process of its own: its answer or its error, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import psutil
import pytest

from graph.rows import labels
from lakehouse.ledger import Address
from lakehouse.local import child
from lakehouse.model.errors import ConfigurationError, UnavailableError


def test_an_answer_comes_back_whatever_was_printed() -> None:
    with child.calling("prints", print, "not the answer") as answer:
        assert answer() is None
    with child.calling("counts", sorted, range(300_000), reverse=True) as answer:
        assert answer()[:2] == [299_999, 299_998]


def test_an_error_of_ours_is_raised_as_itself() -> None:
    with (
        child.calling("names", labels, "зона") as answer,
        pytest.raises(ConfigurationError) as caught,
    ):
        answer()
    with pytest.raises(ConfigurationError) as here:
        labels("зона")
    assert caught.value.as_record() == here.value.as_record()


def test_any_other_error_says_where_it_happened() -> None:
    with (
        child.calling("reads a number", int, "seven") as answer,
        pytest.raises(RuntimeError, match="that reads a number failed: ValueError") as caught,
    ):
        answer()
    assert "Traceback" in caught.value.__notes__[0]


def test_a_process_that_was_killed_is_told_with_what_to_do() -> None:
    with (
        child.calling("ends", signal.raise_signal, signal.SIGKILL) as answer,
        pytest.raises(UnavailableError, match="that ends was ended by SIGKILL") as caught,
    ):
        answer()
    assert "memory" in caught.value.remedy


def test_a_process_that_ends_before_it_has_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_COMMAND", ("-c", "raise SystemExit(3)"))
    with (
        pytest.raises(UnavailableError, match="that sorts ended with 3 before") as caught,
        child.calling("sorts", sorted, list(range(100_000))) as answer,
    ):
        answer()
    assert "printed" in caught.value.remedy and "memory" not in caught.value.remedy


def test_a_process_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with (
        pytest.raises(UnavailableError, match="that sleeps cannot be started") as caught,
        child.calling("sleeps", time.sleep, 60),
    ):
        raise AssertionError
    assert caught.value.remedy


def test_what_lies_in_the_working_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a Python that is talked to, or was given its program on the command line."""
    (tmp_path / "lying_here.py").write_text("def seven(): return 7")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    with child.calling("counts", import_module("lying_here").seven) as answer:
        assert answer() == 7


def test_it_ends_with_the_block() -> None:
    class Stopped(BaseException):
        """Ctrl-C, or what comes to the same."""

    before = set(psutil.Process().children())
    with pytest.raises(Stopped), child.calling("sleeps", time.sleep, 60):
        assert set(psutil.Process().children()) - before
        raise Stopped
    assert set(psutil.Process().children()) == before, "not even a zombie"


def test_it_ends_when_its_parent_is_killed() -> None:
    program = (
        "import time; from lakehouse.local import child\n"
        "with child.calling('sleeps', time.sleep, 60) as answer:\n"
        "    print('begun', flush=True); answer()"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environ, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == b"begun\n"
        (process,) = psutil.Process(parent.pid).children()
        parent.kill()
    process.wait(20)
    assert not process.is_running()


def test_what_it_is_given_is_on_no_command_line() -> None:
    before = set(psutil.Process().children())
    with child.calling("keeps a secret", time.sleep, 123_456):
        (process,) = set(psutil.Process().children()) - before
        assert all("123456" not in word for word in process.cmdline())


def test_where_a_ledger_is_shows_no_settings() -> None:
    address = Address(Path("home"), {"PYICEBERG_CATALOG__X__PASSWORD": "hunter2"})
    assert "hunter2" not in f"{address} {address!r}" and "home" in repr(address)

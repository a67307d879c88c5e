"""A function of ours in a process of its own: its answer or its error, and nothing left behind.

For work that one interpreter cannot do beside other work. The function is called by its name in
a fresh interpreter, so it and what it is given must be picklable. What it is given goes through
a pipe, never onto a command line. The pipe stays open while we live: at its end the child ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, Final, ParamSpec, TypeVar

from lakehouse.model.errors import BeliefgraphError, UnavailableError

_P = ParamSpec("_P")
_T = TypeVar("_T")
_COMMAND: Final = ("-P", "-c", "from lakehouse.local.child import main; main()")


@dataclass(frozen=True, slots=True)
class _Failed:
    """One of our errors, on its way to the parent."""

    kind: type[BeliefgraphError]
    message: str
    remedy: str
    facts: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Broken:
    """Any other error: a fault of the program."""

    error: str
    told: str


@contextmanager
def calling(
    doing: str, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> Iterator[Callable[[], _T]]:
    """The call runs beside us; what is given waits for its answer. It ends with the block at last.

    `doing` says in errors what the process is for ("reads the lake"). An error of ours is raised
    as itself by the one who asks for the answer. UnavailableError where no process can be
    started, or where it ended without an answer.
    """
    with _started(doing) as process:
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):  # It has ended: asking for the answer says how.
                pickle.dump((function, args, kwargs), process.stdin)
                process.stdin.flush()
            yield lambda: _answer(process, doing)
        finally:
            process.kill()
            with suppress(BrokenPipeError):  # What it has not read.
                process.stdin.close()


def _started(doing: str) -> subprocess.Popen[bytes]:
    """In a session of its own, so that Ctrl-C reaches us alone."""
    try:
        return subprocess.Popen(
            [sys.executable, *_COMMAND],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as wrong:
        raise UnavailableError(
            f"the process that {doing} cannot be started: {wrong.strerror}",
            remedy="Does the machine have memory and processes to spare? Then run again.",
        ) from wrong


def _answer(process: subprocess.Popen[bytes], doing: str) -> Any:
    assert process.stdout is not None
    try:
        answer = pickle.load(process.stdout)
    except (EOFError, pickle.UnpicklingError) as broken_off:
        code = process.wait()
        how, remedy = f"ended with {code}", "See what it printed, then run again."
        if code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
            remedy = "If nobody did that, the machine ran out of memory: free some, then run again."
        raise UnavailableError(
            f"the process that {doing} {how} before it had answered", remedy=remedy
        ) from broken_off
    if isinstance(answer, _Failed):
        raise answer.kind(answer.message, remedy=answer.remedy, **answer.facts)
    if isinstance(answer, _Broken):
        failed = RuntimeError(f"the process that {doing} failed: {answer.error}")
        failed.add_note(answer.told)
        raise failed
    (found,) = answer
    return found


def main() -> None:
    """What the child does: one task, one answer."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # Whatever prints must not reach the answer.
        pickle.dump(_called(sys.stdin.buffer), answers, protocol=pickle.HIGHEST_PROTOCOL)


def _called(tasks: IO[bytes]) -> tuple[object] | _Failed | _Broken:
    try:
        function, args, kwargs = pickle.load(tasks)
        threading.Thread(target=_end_with_parent, daemon=True).start()
        return (function(*args, **kwargs),)
    except BeliefgraphError as failed:
        facts = {name: str(value) for name, value in failed.facts.items()}
        return _Failed(type(failed), failed.message, failed.remedy, facts)
    except Exception as wrong:
        return _Broken(f"{type(wrong).__name__}: {wrong}", traceback.format_exc())


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)

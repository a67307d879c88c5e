"""Writers in processes of their own, forked from one that has everything loaded already."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lakehouse.iceberg import open_ledger
from lakehouse.model.ledger import Clock
from lakehouse.store import Store
from tests.contracts.ledger_values import episode, extracted, refusal, statement
from tests.lakes import Lake

KILLED = 9
TURNS = 2

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.writers"])


def started(writer: Callable[..., None], lake: Lake, *arguments: Any) -> Any:
    """The process that runs `writer(home, environ, *arguments)`."""
    process = _FORKS.Process(target=writer, args=(lake.home, lake.environ, *arguments))
    process.start()
    return process


def ended(process: Any) -> int:
    """Its exit code."""
    process.join(60)
    code: int = process.exitcode
    process.close()
    return code


def land_and_die(home: Path, environ: Mapping[str, str], steps: int) -> None:
    """Land one batch; end without a word before the step of that number."""
    append, decide = Store.append, Store.decide
    left = steps

    def step() -> None:
        nonlocal left
        if left == 0:
            os._exit(KILLED)
        left -= 1

    def append_step(*given: Any) -> Any:
        step()
        return append(*given)

    def decide_step(*given: Any) -> Any:
        step()
        return decide(*given)

    Store.append, Store.decide = append_step, decide_step  # type: ignore[method-assign]
    ledger = open_ledger(home, environ)
    ledger.land("t", [episode("1"), episode("2"), refusal("f:3")])
    os._exit(0 if left == 0 else 1)


def land_and_say(home: Path, environ: Mapping[str, str], writer: int) -> None:
    """Several batches: episodes of its own, episodes that every writer lands, statements."""
    ledger = open_ledger(home, environ)
    for turn in range(TURNS):
        own = [episode(f"{writer}-{turn}-{n}") for n in range(5)]
        ledger.land("t", [*own, *(episode(f"common-{turn}-{n}") for n in range(5))])
        said = extracted(*(statement(f"{writer}-{turn}-{n}") for n in range(5)))
        ledger.append_statements("t", said, clock=Clock.SYSTEM, through=0)

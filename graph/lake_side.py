"""The lake's side of a comparison, beside the graph's: in a process of its own where it is large.

Two threads share one interpreter, and both sides are mostly its work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

from graph.comparison import Side, uncollected
from graph.lake_rows import lake_rows
from lakehouse.iceberg import open_ledger
from lakehouse.ledger import Address, Ledger
from lakehouse.local import child
from lakehouse.model.ledger import Stage

LARGE: Final = 50_000
"""Beliefs from which on a process of its own is worth its start, a second: as many take it two."""


@contextmanager
def lake_side(
    ledger: Ledger, tenant: str, position: int, known: Side | None = None
) -> Iterator[Callable[[], Side]]:
    """It is being read while the block runs, unless it is known; what is given waits for it.

    In another process only where the ledger can be opened there.
    """
    if known is not None:
        yield lambda: known
        return
    if ledger.address is not None and _beliefs(ledger, tenant, position) >= LARGE:
        doing = f"reads the lake of {tenant!r}"
        with child.calling(doing, read, ledger.address, tenant, position) as answer:
            yield answer
        return
    with ThreadPoolExecutor(1, thread_name_prefix="lake side") as beside:
        yield beside.submit(lambda: Side().take(lake_rows(ledger, tenant, position))).result


def read(address: Address, tenant: str, position: int) -> Side:
    """All of it, from a ledger that is opened for it."""
    ledger = open_ledger(address.home, address.environ)
    with uncollected():
        return Side().take(lake_rows(ledger, tenant, position))


def _beliefs(ledger: Ledger, tenant: str, position: int) -> int:
    """How many the tenant's commits have opened up to that position."""
    believed = ledger.commits(tenant, stage=Stage.BELIEVE)
    return sum(one.counts.get("opened", 0) for one in believed if one.position <= position)

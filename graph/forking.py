"""What a batch opened or closed of dense keys gets its fork (graph.fork), before the batch ends.

A key that becomes dense gets the forks of all its edges, older ones too: readers look for them
only while no batch is open, and expand meanwhile. The same batch again changes nothing.
"""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import Any, Final

from graph import fork as forks
from graph.rows import Row
from graph.writer import Writer
from lakehouse.model.ledger import BeliefChanges

_AT_ONCE: Final = 5_000
"""Keys and edges that are asked about together."""


def fork_dense(writer: Writer, changes: BeliefChanges, *, first: bool) -> None:
    """Set the forks that follow from a batch whose edges are all written and closed.

    `first` says that the batch holds all edges there are: then nothing needs to be asked.
    """
    sizes = Counter(belief.key for belief in changes.opened)
    moved: list[list[Any]] = []
    if not first:
        closed = [closing.belief_id for closing in changes.closed]
        for keys, ids in zip_longest(_parts(list(sizes)), _parts(closed), fillvalue=()):
            counted, some = writer.ask("crowded", keys=keys, ids=ids)
            sizes.update({key: edges - sizes[key] for key, edges in counted})
            moved += some
    for keys in _parts([key for key, size in sizes.items() if size >= forks.DENSE]):
        moved += writer.ask("forkless", keys=keys)
    rows: list[Row] = [[name, forks.fork(start, end)] for name, start, end in moved]
    writer.write("fork", rows, what="forks of dense keys")


def _parts(values: list[str]) -> list[list[str]]:
    return [values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE)]

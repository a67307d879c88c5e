"""Of every row 20 bytes: a short word for what names it, and its fingerprint.

Two sides are equal where both hold the same marks, each as often. Sorted they are compared as
columns, so that millions cost a second and no objects; where they differ only the words are
told, and whoever needs the rows asks for all that a word may stand for.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from zlib import crc32

import pyarrow as pa

from graph.digest import WIDTH

_PARTS: Final = 256
"""In how many parts the words are compared, so that few are taken apart where few differ."""
_WORDS: Final = 1 << 32
_ORDER: Final = [("place", "ascending"), ("print", "ascending")]


class Marks:
    """The marks of one side, in the order in which they came."""

    __slots__ = ("_places", "_prints")

    def __init__(self) -> None:
        self._places = array("I")
        self._prints = bytearray()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, group: str, names: Iterable[str], prints: Sequence[bytes]) -> None:
        """Take in rows of one group: what names each, and its fingerprint."""
        self._places.extend(self.places(group, names))
        self._prints += b"".join(prints)

    @staticmethod
    def places(group: str, names: Iterable[str]) -> list[int]:
        """The words for these names: 32 bits each, so some stand for two."""
        start = crc32(group.encode())
        return [crc32(name.encode(), start) for name in names]

    def ordered(self) -> pa.Table:
        """Words and fingerprints, sorted."""
        count = len(self)
        columns = [
            pa.Array.from_buffers(pa.uint32(), count, [None, pa.py_buffer(self._places)]),
            pa.Array.from_buffers(pa.binary(WIDTH), count, [None, pa.py_buffer(self._prints)]),
        ]
        return pa.table(columns, names=["place", "print"]).sort_by(_ORDER).combine_chunks()


def differing(one: Marks, other: Marks) -> set[int]:
    """The words of all rows that not both sides hold, each as often."""
    left, right = one.ordered(), other.ordered()
    if left.equals(right):
        return set()
    found: set[int] = set()
    for a, b in zip(_parts(left), _parts(right), strict=True):
        if not a.equals(b):
            here, there = (Counter(zip(*part.to_pydict().values(), strict=True)) for part in (a, b))
            found.update(place for place, _ in (here - there) + (there - here))
    return found


def _parts(table: Any) -> Iterator[Any]:
    places = table["place"]
    step = _WORDS // _PARTS
    cuts = [_cut(places, at * step) for at in range(_PARTS)]
    for start, stop in zip(cuts, [*cuts[1:], len(places)], strict=True):
        yield table.slice(start, stop - start)


def _cut(places: Any, least: int) -> int:
    return bisect_left(range(len(places)), least, key=lambda at: int(places[at].as_py()))

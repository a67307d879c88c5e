"""A digest that no order changes: fingerprints of edges, summed in buckets of their subjects.

A sum counts twice what is there twice (an xor would cancel it), and it can be moved by
difference: what an entity's edges were is taken off, what they are now is added. The bucket of an
edge is its subject's alone, so that a difference can be looked for in a 64th of the graph.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final, Self
from zlib import crc32

from lakehouse.model.errors import IntegrityError

BUCKETS: Final = 64
FORM: Final = 2
"""Which fingerprints are taken: what was summed of others says nothing of these."""
WIDTH: Final = 16
"""Bytes of a fingerprint."""
_BITS: Final = 8 * WIDTH
_DIGITS: Final = _BITS // 4
_MARSHAL: Final = 2
"""The newest format that depends on the values alone (later ones note what is one object)."""
NOTHING: Final = "0" * _DIGITS
"""The digest of no edges at all."""


def fingerprints(name: str, rows: Sequence[list[object]]) -> list[bytes]:
    """Of each row 16 bytes that tell 1 from "1", 1.0 and true: of its values as they are stored.

    `marshal` writes them much quicker than a text is made; a test pins what comes of it.
    """
    head = name.encode()
    try:
        texts = [marshal.dumps(row, _MARSHAL) for row in rows]
    except ValueError:  # A point, a date: somebody's property in the graph.
        texts = [_written(row) for row in rows]
    return [blake2b(head + text, digest_size=WIDTH).digest() for text in texts]


def _written(row: list[object]) -> bytes:
    try:
        return marshal.dumps(row, _MARSHAL)
    except ValueError:
        return ascii(row).encode()


class Digest:
    """Sums of fingerprints, one a bucket."""

    def __init__(self, sums: Iterable[int] = (0,) * BUCKETS) -> None:
        self._sums = list(sums)

    def add(self, subjects: Iterable[object], prints: Iterable[bytes]) -> None:
        """Take in fingerprints of edges, each about the subject (the id of its node) beside it."""
        sums = self._sums
        for subject, one in zip(subjects, prints, strict=True):
            sums[crc32(str(subject).encode()) % BUCKETS] += int.from_bytes(one, "big")

    def __sub__(self, other: Digest) -> Digest:
        """This without what the other counts."""
        return Digest(a - b for a, b in zip(self._sums, other._sums, strict=True))

    @property
    def whole(self) -> str:
        """The digest over all buckets: 32 hex digits, whatever the number of buckets."""
        return _text(sum(self._sums))

    @property
    def buckets(self) -> list[str]:
        """The sums, 32 hex digits each."""
        return [_text(one) for one in self._sums]

    @classmethod
    def of(cls, buckets: Sequence[str]) -> Self:
        """The digest whose `buckets` these are."""
        if len(buckets) != BUCKETS:
            raise IntegrityError(
                f"a digest of {len(buckets)} buckets was kept, {BUCKETS} are counted",
                remedy="Verify in full: beliefgraph verify TENANT --full.",
            )
        return cls(int(one, 16) for one in buckets)


def _text(total: int) -> str:
    return f"{total % (1 << _BITS):0{_DIGITS}x}"

"""A digest that no order changes: fingerprints of edges, summed in buckets of their subjects.

A sum counts twice what is there twice (an xor would cancel it), and it can be moved by
difference: what an entity's edges were is taken off, what they are now is added. The bucket of an
edge is its subject's alone, so that a difference can be looked for in a 64th of the graph.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final, Self
from zlib import crc32

from lakehouse.model.errors import IntegrityError

BUCKETS: Final = 64
_BITS: Final = 128
_DIGITS: Final = _BITS // 4
NOTHING: Final = "0" * _DIGITS
"""The digest of no edges at all."""


def fingerprint(name: str, row: Sequence[object]) -> int:
    """128 bits of a row: of its text in ASCII, which tells 1 from "1", 1.0 and true."""
    text = f"{name}{row!a}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")


class Digest:
    """Sums of fingerprints, one a bucket."""

    def __init__(self, sums: Iterable[int] = (0,) * BUCKETS) -> None:
        self._sums = list(sums)

    def add(self, subject: object, mark: int) -> None:
        """Take in the fingerprint of an edge about that subject (the id of its node)."""
        self._sums[crc32(str(subject).encode()) % BUCKETS] += mark

    def __add__(self, other: Digest) -> Digest:
        """What both count together."""
        return Digest(a + b for a, b in zip(self._sums, other._sums, strict=True))

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

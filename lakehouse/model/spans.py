"""Half-open spans of the valid axis: union, and the pieces on which a set of masks is constant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

Span = tuple[int, int]
"""Half-open interval of the valid axis; `FOREVER` stands for either open end."""
Slice = tuple[int, int, int]
"""(start, end, mask)."""


def union(spans: Iterable[Span]) -> list[Span]:
    """The spans merged where they overlap or touch, in order."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def constant(slices: Iterable[Slice]) -> list[Slice]:
    """Maximal stretches on which the union of the masks is constant, empty ones left out.

    Slices of one mask bit do not overlap, so adding and removing masks at their bounds is exact.
    """
    listed = list(slices)
    if len(listed) == 1:
        return listed
    gains: dict[int, int] = defaultdict(int)
    losses: dict[int, int] = defaultdict(int)
    for start, end, mask in listed:
        gains[start] |= mask
        losses[end] |= mask
    pieces: list[Slice] = []
    mask, since = 0, 0
    for at in sorted(gains.keys() | losses.keys()):
        following = (mask & ~losses[at]) | gains[at]
        if following != mask:
            if mask:
                pieces.append((since, at, mask))
            mask, since = following, at
    return pieces

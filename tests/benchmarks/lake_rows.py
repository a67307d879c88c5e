"""Made-up episodes and beliefs of the shape of real ones; the same ones every time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from lakehouse.model.beliefs import Belief, Reason
from lakehouse.model.episodes import Episode
from lakehouse.model.instants import FOREVER, UNTIL_CHANGED

_BYTES: Final = 500
_A_KEY: Final = 10


def episodes(tenant: str, count: int) -> Iterator[Episode]:
    """Episodes of 500 bytes each, half of them text that does not repeat."""
    for number in range(count):
        told = f'{{"reading": {number}, "said": "{_hex("episode", number, 4)}", "note": "'
        body = (told + "x" * _BYTES)[: _BYTES - 2] + '"}'
        yield Episode(
            tenant=tenant,
            episode_id=f"episode-{number}",
            payload=body.encode(),
            source="bench",
            source_key=f"record-{number // 4}",
            location=f"bench.jsonl:{number + 1}",
        )


def beliefs(tenant: str, count: int) -> Iterator[Belief]:
    """Rectangles, ten to a key; a third of them are closed."""
    for number in range(count):
        key, step = divmod(number, _A_KEY)
        closed = number % 3 == 0
        yield Belief(
            tenant=tenant,
            belief_id=_hex("belief", number),
            key=_hex("key", key),
            subject=f"subject:{key // 4}",
            predicate=f"predicate_{key % 4}",
            object=f"value {number * 7919 % 50}",
            object_kind="string",
            subject_type="thing",
            object_type="",
            valid_from=step * 30,
            valid_to=UNTIL_CHANGED if step == _A_KEY - 1 else (step + 1) * 30,
            recorded_from=number,
            heard_at=number - number % 3,
            recorded_to=number + 1 + number * 31 % 1_000 if closed else FOREVER,
            listeners=15,
            origin=_hex("statement", number),
            episode_id=f"episode-{number}",
            valid_from_basis="stated",
            trust=2,
            classification=0,
            strictest=0,
            opened_by=_hex("statement", number),
            closed_by=_hex("statement", number + 1) if closed else None,
            reason=Reason.CHANGED if closed else None,
        )


def _hex(kind: str, number: int, times: int = 1) -> str:
    found = hashlib.blake2b(f"{kind} {number}".encode(), digest_size=16 * times)
    return found.hexdigest()

"""A source of full snapshots: each file is the whole set, a record missing from it is deleted.

A missing record gets an episode of its own, of media type `ABSENT`, so that the deletion has an
origin. A snapshot that would drop more than the declared share of records is refused whole until
it is confirmed: a truncated export looks exactly like that.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from lakehouse.model.episodes import Episode, Protection, Refusal
from lakehouse.model.errors import ConflictError
from lakehouse.model.instants import show
from pipelines.extract.declaration import Declaration

ABSENT: Final = "application/vnd.beliefgraph.absent+json"
"""The media type of an episode that says: the snapshot no longer has this record."""


def complete(
    declared: Declaration,
    file: Path,
    read: Collection[Episode | Refusal],
    present: Collection[str],
    *,
    confirm: bool = False,
) -> Iterator[Episode | Refusal]:
    """One snapshot's episodes, then an ABSENT episode for each record it lacks.

    `read` is what `reading.read` gave for `file`, `present` the records that the last snapshot
    had. A refused line may be any record, so a snapshot with refusals deletes nothing.
    ConflictError, before the first episode, where the snapshot drops more than
    `max_drop_share` of `present` and `confirm` is not set.
    """
    episodes = [one for one in read if isinstance(one, Episode)]
    gone = sorted(set(present) - {one.source_key for one in episodes})
    whole = len(episodes) == len(read)
    if whole and not confirm:
        _guard(declared, file, len(gone), len(set(present)))
    yield from read
    if whole and episodes:
        for number, record in enumerate(gone, start=1):
            yield _absent(episodes[-1], file, record, number)


def _guard(declared: Declaration, file: Path, gone: int, before: int) -> None:
    if before and gone / before > declared.max_drop_share:
        raise ConflictError(
            f"{file.name} lacks {gone} of the {before} records that {declared.name!r} had, "
            f"more than the declared share of {declared.max_drop_share:g}",
            remedy="Check that the file is complete; confirm the snapshot if it is.",
            source=declared.name,
            file=file,
        )


def _absent(last: Episode, file: Path, record: str, number: int) -> Episode:
    moment = last.attested_at if last.attested_at is not None else last.occurred_at
    version = file.name if moment is None else show(moment)
    payload = {"absent": record, "snapshot": file.name}
    return Episode(
        tenant=last.tenant,
        episode_id=f"{last.source}/{record}/absent/{version}",
        source=last.source,
        source_key=record,
        payload=json.dumps(payload, ensure_ascii=False).encode(),
        media_type=ABSENT,
        attested_at=last.attested_at,
        occurred_at=last.occurred_at,
        seq=last.seq + number,
        trust=last.trust,
        classification=last.classification,
        location=file.name,
        protection=Protection(encrypted=last.protection.encrypted),
    )

"""Land: the files of a declared source become episodes of its tenant, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lakehouse.ledger import Landing, Ledger, Progress
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ErasedError, UnavailableError
from pipelines.extract.declaration import Declaration
from pipelines.extract.reading import Latest, files_of, read
from pipelines.extract.snapshots import ABSENT, complete


def land(
    ledger: Ledger,
    declared: Declaration,
    environ: Mapping[str, str],
    *,
    files: Sequence[Path] = (),
    confirm: bool = False,
    progress: Progress = lambda line: None,
) -> Landing:
    """Land the given files, or else those that the declaration names, oldest name first.

    What is landed already is skipped; what cannot be read is quarantined and the rest goes on.
    """
    for path in files:
        if not path.is_file():
            raise UnavailableError(
                f"there is no file {path}", remedy="Give the path of a JSONL file, .gz or not."
            )
    chosen = list(files) or files_of(declared, environ)
    episodes = (
        _snapshots(ledger, declared, chosen, confirm)
        if declared.snapshot
        else read(declared, chosen, _Latest(ledger, declared))
    )
    return ledger.land(declared.tenant, episodes, progress=progress)


class _Latest:
    """A record's latest landed state; the headers are read once, when first asked."""

    def __init__(self, ledger: Ledger, declared: Declaration) -> None:
        self._ledger, self._declared = ledger, declared
        self._by_record: dict[str, tuple[int, str]] | None = None

    def __call__(self, record: str) -> Latest | None:
        if self._by_record is None:
            self._by_record = {}
            for header in _in_order(_landed(self._ledger, self._declared)):
                number, _ = self._by_record.get(header.source_key, (0, ""))
                self._by_record[header.source_key] = (number + 1, header.episode_id)
        found = self._by_record.get(record)
        if found is None:
            return None
        number, episode_id = found
        try:
            payload = self._ledger.payload(self._declared.tenant, episode_id)
        except ErasedError:
            return Latest(number, None)
        return Latest(number, payload)


def _landed(ledger: Ledger, declared: Declaration) -> Iterator[Episode]:
    for header in ledger.headers(declared.tenant).values():
        if header.source == declared.name:
            yield header


def _in_order(headers: Iterable[Episode]) -> list[Episode]:
    return sorted(headers, key=lambda header: (header.landed_at, header.seq))


def _snapshots(
    ledger: Ledger, declared: Declaration, files: Sequence[Path], confirm: bool
) -> Iterator[Episode | Refusal]:
    """Each file in turn against the records that the one before it left."""
    landed = _in_order(_landed(ledger, declared))
    known = {header.episode_id for header in landed}
    present: dict[str, bool] = {h.source_key: h.media_type != ABSENT for h in landed}
    for file in files:
        episodes = list(read(declared, [file]))
        own = [one for one in episodes if isinstance(one, Episode)]
        if own and all(one.episode_id in known for one in own):
            yield from own
            continue
        before = {record for record, there in present.items() if there}
        for one in complete(declared, file, episodes, before, confirm=confirm):
            if isinstance(one, Episode):
                present[one.source_key] = one.media_type != ABSENT
            yield one

"""What was stated becomes statements: defaults filled in, periods checked, ids numbered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lakehouse.model.episodes import Episode
from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED, show
from lakehouse.model.ledger import Extracted
from lakehouse.model.statements import PAINTING, Operation, Statement
from pipelines.extract.mapping import Stated

_TIMELESS: Final = (ALWAYS, UNTIL_CHANGED, "stated")
"""The period columns of operations that speak of no period."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When an episode speaks: its recorded instant, and the instant that fills in for a start.

    `basis` says which one that is: `occurred` or `recorded`.
    """

    recorded_at: int
    instant: int
    basis: str


def moment_of(episode: Episode, now: int | None) -> Moment:
    """The episode's moment; `now` (µs UTC) is the system's clock, None for attested imports.

    Under the system's clock the commit's stamp is not known yet: `now`, which is not after it,
    stands for the recorded instant wherever a start is filled in.
    """
    recorded = episode.attested_at if now is None else now
    if recorded is None:
        raise InputError(
            "the record attests no recorded instant, and this is an import",
            remedy="Declare episode.recorded_at, or extract under the system's clock.",
            field="episode.recorded_at",
        )
    if episode.occurred_at is not None:
        return Moment(recorded, episode.occurred_at, "occurred")
    return Moment(recorded, recorded, "recorded")


def period(stated: Stated, moment: Moment) -> tuple[int, int, str]:
    """Start, end and the start's basis after defaults, in µs UTC.

    A missing start is the moment's instant, a missing end `UNTIL_CHANGED`; a retraction without
    an end runs for ever, without any bound over all of time. InputError where it is empty.
    """
    start, end, basis = stated.valid_from, stated.valid_to, "stated"
    if stated.op is Operation.RETRACT:
        end = FOREVER if end is None else end
        if start is None and stated.valid_to is None:
            start = ALWAYS
    if start is None:
        start, basis = moment.instant, moment.basis
    end = UNTIL_CHANGED if end is None else end
    if end <= start:
        taken = "" if basis == "stated" else f" (taken from its {basis} instant)"
        raise InputError(
            f"{stated.place}.valid_to: {show(start)}{taken} to {show(end)} is an empty period",
            remedy="A period ends after it starts; is the end inclusive (inclusive_ends: true)?",
            field=f"{stated.place}.valid_to",
        )
    return start, end, basis


class Writer:
    """Writes one episode's statements in order; ids are `EPISODE#1`, `EPISODE#2`, …"""

    def __init__(
        self, episode: Episode, moment: Moment, *, source: str = "", record: str = ""
    ) -> None:
        self.moment = moment
        self.written: list[Extracted] = []
        self._episode = episode
        self._source = source or episode.source
        self._record = record

    def say(
        self, stated: Stated, digest: str = "", undoes: str = "", not_before: int = ALWAYS
    ) -> None:
        """Write it as stated, with defaults; it begins at `not_before` where it would earlier."""
        if stated.op not in PAINTING:
            self._write(stated, _TIMELESS, digest, undoes)
            return
        start, end, basis = period(stated, self.moment)
        if start < not_before:
            start, basis = not_before, self.moment.basis
        self._write(stated, (start, end, basis), digest, undoes)

    def withdraw(self, target: str, digest: str = "") -> None:
        """Un-say the statement of that id; the record's state loses (or regains) it."""
        undone = Stated(place="", op=Operation.WITHDRAW, target=target)
        self._write(undone, _TIMELESS, digest, target)

    def end(self, over: Statement, many: bool, digest: str = "") -> None:
        """End that statement's value at the moment's instant."""
        ended = Stated(
            place="",
            op=Operation.END,
            subject=over.subject,
            subject_type=over.subject_type,
            predicate=over.predicate,
            object=over.object if many else None,
            object_kind=over.object_kind,
            object_type=over.object_type,
        )
        span = (self.moment.instant, UNTIL_CHANGED, self.moment.basis)
        self._write(ended, span, digest, over.statement_id)

    def _write(self, stated: Stated, span: tuple[int, int, str], digest: str, undoes: str) -> None:
        start, end, basis = span
        episode = self._episode
        statement = Statement(
            tenant=episode.tenant,
            statement_id=f"{episode.episode_id}#{len(self.written) + 1}",
            op=stated.op,
            recorded_at=self.moment.recorded_at,
            seq=0,
            episode_id=episode.episode_id,
            subject=stated.subject,
            predicate=stated.predicate,
            object=stated.object,
            object_kind=stated.object_kind,
            subject_type=stated.subject_type,
            object_type=stated.object_type,
            valid_from=start,
            valid_to=end,
            valid_from_basis=basis,
            trust=episode.trust,
            classification=episode.classification,
            source=self._source,
            tags=episode.tags,
            target=stated.target,
            mark_trust=stated.trust,
            mark_classification=stated.classification,
        )
        self.written.append(Extracted(statement, self._record, digest, undoes))

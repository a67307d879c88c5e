"""What `ask` is asked: one of its forms, checked before any instant is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

from lakehouse.model.errors import InputError
from queries.answers import Answer
from queries.basis import instant
from queries.differences import Differences
from queries.statements import MOST_STEPS

if TYPE_CHECKING:
    from queries.lake_view import LakeView
    from queries.view import View


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked, before any instant: one of the forms of the command."""

    subject: str | None
    predicate: str | None
    who: str | None
    hops: int | None
    history: bool
    to: str | None = None
    episode: str | None = None
    recorded: tuple[str, str] | None = None
    since: str | None = None

    def check(self) -> None:
        """InputError for a mixture of forms."""
        self._check_whole()
        if self.who is None and not self.subject and not self.episode and not self.recorded:
            raise InputError(
                "nothing is asked",
                remedy="Give a SUBJECT (`ask zone:Asia/Tokyo`) or --who PREDICATE=VALUE.",
            )
        if self.hops is not None and (self.predicate or self.history or self.since):
            raise InputError(
                "--hops follows every predicate and is asked of a SUBJECT alone",
                remedy="Leave out the PREDICATE, --history and --since.",
            )
        if self.history and not self.predicate:
            raise InputError(
                "--history is asked of one predicate",
                remedy="Give it: `ask SUBJECT PREDICATE --history`.",
            )
        if self.to is not None and (self.predicate or self.history or self.since):
            raise InputError(
                "--to asks how two entities hang together",
                remedy="Give a SUBJECT and --to ENTITY; --hops says how far, 3 by default.",
            )
        if self.since is not None and self.history:
            raise InputError(
                "--since and --history are two questions", remedy="Ask one after the other."
            )

    def of(self, view: View | LakeView, zone: tzinfo | None = None) -> Answer:
        """The answer; dates of `recorded` are midnights of the zone."""
        if self.who is not None:
            predicates, value = chain(self.who)
            return view.holders(predicates[-1], value, via=predicates[:-1])
        if self.episode is not None:
            return view.episode(self.episode)
        if self.recorded is not None:
            return view.recorded(*(instant("recorded", at, zone) for at in self.recorded))
        subject = self.subject or ""
        if self.to is not None:
            return view.paths_between(subject, self.to, self.hops or MOST_STEPS)
        if self.hops is not None:
            return view.paths(subject, self.hops)
        if self.history and self.predicate:
            return view.history(subject, self.predicate)
        return view.beliefs(subject, self.predicate)

    def differences(
        self, view: View | LakeView, since: str, zone: tzinfo | None = None
    ) -> Differences:
        """What became different of the subject since it was known then."""
        known_at = instant("since", since, zone)
        return view.diff(self.subject or "", self.predicate, known_at=known_at)

    def _check_whole(self) -> None:
        """Forms that ask for no subject stand alone."""
        given = {"--who": self.who, "--episode": self.episode, "--recorded": self.recorded}
        alone = [name for name, value in given.items() if value is not None]
        others = (self.subject, self.hops, self.history, self.to, self.since)
        if len(alone) > 1 or (alone and any(others)):
            raise InputError(
                f"{alone[0]} asks for the subject, so nothing else can be asked with it",
                remedy=f"Ask either `ask SUBJECT …` or `ask {alone[0]} …`.",
            )


def chain(text: str) -> tuple[list[str], str]:
    """`has_zone/utc_offset=+03:00` as its predicates and the value at their end."""
    path, equals, value = text.partition("=")
    predicates = path.split("/")
    if not equals or not value or not all(predicates) or len(predicates) > MOST_STEPS:
        raise InputError(
            f"--who {text!r} is not a chain of predicates with a value at its end",
            remedy=f"Write PREDICATE=VALUE, or up to {MOST_STEPS} predicates with / between: "
            "has_zone/utc_offset=+03:00.",
        )
    return predicates, value

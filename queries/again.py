"""An answer asked again: the same question at the same basis must have the same digest.

What is asked again is the JSON of an answer, as `ask --json` prints it. The digest is no signature:
whoever changes a file can leave it as it was, so all that the file tells is compared as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from lakehouse.model.errors import InputError, IntegrityError
from queries.answers import Answer, Record, Supporters
from queries.basis import Instant
from queries.view import View

if TYPE_CHECKING:
    from queries.lake_view import LakeView

_Ask = Callable[[Any, Mapping[str, Any]], Answer]
SPANNING: Final = frozenset({"history", "episode", "recorded"})
"""Verbs that tell rectangles at whatever instants: who supports them depends on the instant."""
_TEXT, _PERHAPS, _NUMBER = (str,), (str, NoneType), (int,)
_VERBS: Final[Mapping[str, tuple[Mapping[str, tuple[type, ...]], _Ask]]] = {
    "beliefs": (
        {"entity": _TEXT, "predicate": _PERHAPS},
        lambda view, q: view.beliefs(q["entity"], q["predicate"]),
    ),
    "entity": ({"entity": _TEXT}, lambda view, q: view.entity(q["entity"])),
    "neighbours": (
        {"entity": _TEXT, "hops": _NUMBER},
        lambda view, q: view.neighbours(q["entity"], q["hops"]),
    ),
    "paths": (
        {"start": _TEXT, "hops": _NUMBER},
        lambda view, q: view.paths(q["start"], q["hops"]),
    ),
    "holders": (
        {"predicate": _TEXT, "value": _TEXT, "via": (str, list, NoneType)},
        lambda view, q: view.holders(q["predicate"], q["value"], via=q["via"]),
    ),
    "history": (
        {"entity": _TEXT, "predicate": _TEXT},
        lambda view, q: view.history(q["entity"], q["predicate"]),
    ),
    "key": (
        {"entity": _TEXT, "predicate": _TEXT, "value": _PERHAPS},
        lambda view, q: view.key(q["entity"], q["predicate"], q["value"]),
    ),
    "paths_between": (
        {"start": _TEXT, "end": _TEXT, "hops": _NUMBER},
        lambda view, q: view.paths_between(q["start"], q["end"], q["hops"]),
    ),
    "episode": ({"episode": _TEXT}, lambda view, q: view.episode(q["episode"])),
    "recorded": (
        {"since": _TEXT, "until": _TEXT},
        lambda view, q: view.recorded(q["since"], q["until"]),
    ),
}
"""Of each verb what its question tells, each of what kind, and how it is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer that was given: its question, what fixed it, and its digest.

    `engine` is the one that answered; `snapshots` the lake's snapshot ids by table it named.
    """

    question: Mapping[str, Any]
    digest: str
    engine: str
    tenant: str
    valid_at: Instant
    known_at: Instant
    listener: str
    clearance: str
    position: int
    snapshots: Mapping[str, int | None]
    said: Mapping[str, Any]
    """Beliefs, paths and supporters as the file has them, where it has them."""

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of `Memory.view` but the tenant: at exactly that `known_at`, or not."""
        return {
            "valid_at": self.valid_at,
            "known_at": self.known_at,
            "listener": self.listener,
            "clearance": self.clearance,
            "strict": True,
        }

    def ask(self, view: View | LakeView) -> Answer:
        """The same question of a view; InputError where its engine does not answer such a one."""
        if not hasattr(view, self.question["verb"]):
            raise InputError(
                f"the lake's engine does not answer {self.question['verb']}",
                remedy="Ask the graph: leave out --engine lake.",
            )
        _, ask = _VERBS[self.question["verb"]]
        return ask(view, self.question)

    def check(self, answer: Answer, support: Supporters) -> None:
        """IntegrityError where the answer is another one, or the file tells another one."""
        if answer.digest != self.digest:
            raise IntegrityError(
                f"the answer differs from the one that was told: digest {answer.digest}, "
                f"told {self.digest}",
                remedy="An erasure or a stricter classification since then may change it; else "
                "ask the other engine (--engine), and prove the graph: `beliefgraph run`.",
                told=self.digest,
                answered=answer.digest,
            )
        now = {"paths": [], **answer.as_record(), "support": supporters(support)}
        if changed := [name for name in self.said if _plain(self.said[name]) != _plain(now[name])]:
            raise IntegrityError(
                f"the file was changed after it was told: its {' and '.join(changed)} are not "
                f"those of the digest it bears, {self.digest}",
                remedy="Do not rely on it. Ask the question anew and keep that answer.",
                told=self.digest,
            )


def support_of(view: View | LakeView, answer: Answer) -> Supporters:
    """Who says so of each belief; of an answer that spans instants nobody is named."""
    return {} if answer.question["verb"] in SPANNING else view.support(*answer.beliefs)


def supporters(support: Supporters) -> dict[str, list[Record]]:
    """Supporters by belief id, for JSON."""
    return {belief: [one.as_record() for one in further] for belief, further in support.items()}


def _plain(value: Any) -> str:
    """Comparable text; who supports a belief has no order."""
    if isinstance(value, dict):
        value = {
            name: sorted(map(_plain, some)) if isinstance(some, list) else some
            for name, some in value.items()
        }
    return json.dumps(value, sort_keys=True)


def told_of(record: object, place: str) -> Told:
    """What an answer's JSON says; InputError names the place and what is missing or wrong."""
    try:
        return _told(record)
    except (KeyError, TypeError, ValueError, AttributeError) as wrong:
        raise InputError(
            f"{place} is not an answer that was told: {type(wrong).__name__} {wrong}",
            remedy="Give the whole JSON that `beliefgraph ask … --json` printed.",
        ) from wrong


def _told(record: Any) -> Told:
    question, basis = dict(record["question"]), record["basis"]
    if question["verb"] not in _VERBS:
        raise ValueError(f"verb {question['verb']!r} is not known")
    fields, _ = _VERBS[question["verb"]]
    for name, kinds in fields.items():
        if type(question[name]) not in kinds:
            raise ValueError(f"question.{name} is {question[name]!r}")
    return Told(
        question=question,
        digest=str(record["digest"]),
        engine=str(basis.get("engine", "graph")),
        tenant=str(basis["tenant"]),
        valid_at=str(basis["valid_at"]),
        known_at=str(basis["known_at"]),
        listener=str(basis["listener"]),
        clearance=str(basis["clearance"]),
        position=int(basis["position"]),
        snapshots={
            str(name): None if one is None else int(one)
            for name, one in basis.get("snapshots", {}).items()
        },
        said={name: record[name] for name in ("beliefs", "support") if name in record}
        | {"paths": record.get("paths", [])},
    )

"""Answers as plain text of at most 100 columns: what is believed, its evidence, its basis."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from lakehouse.model import instants
from lakehouse.model.statements import CLASSIFICATION_NAMES
from queries.again import SPANNING
from queries.answers import Answer, Believed, Evidence, Path, Supporters
from queries.basis import Basis
from queries.differences import Differences

WIDTH: Final = 100
_LABEL: Final = 10
_STEP: Final = 12
_MOST_CONFIRMATIONS: Final = 5
_MOST_IN_FULL: Final = 3
"""Of more beliefs or paths than this, each is told in short: what, and its episodes."""


def render(
    answer: Answer, support: Supporters, *, full: bool = False, hints: Sequence[str] = ()
) -> str:
    """The whole answer; `full` tells the evidence of every belief however many there are.

    `hints` are sentences for whoever finds that nothing is known.
    """
    lines = [*_heading(answer), ""]
    several = len(answer.paths or answer.beliefs)
    short = several > _MOST_IN_FULL and not full
    if answer.nothing:
        lines += ["Nothing is known.", *_hinted(hints)]
    elif answer.paths:
        for path in answer.paths:
            lines.extend(_short_path(path) if short else _path(path))
    else:
        for belief in answer.beliefs:
            title = _title(belief, answer)
            lines.extend(
                _short(belief, title, answer) if short else _belief(belief, support, title)
            )
    if short:
        lines += ["", f"{several} in all; --full tells periods and evidence of each."]
    return "\n".join([*lines, "", *_basis(answer.basis, f"answer {answer.digest}")])


def render_differences(told: Differences, hints: Sequence[str] = ()) -> str:
    """What became different, each with the episode that says so now; the later pair's basis."""
    about = " ".join(
        str(told.question[part]) for part in ("entity", "predicate") if told.question[part]
    )
    lines = [
        *_wrapped(f"{about}: what became different", ""),
        f"  from          {_pair(told.before)}",
        f"  to            {_pair(told.after)}",
        "",
    ]
    for one in told.changes:
        before, after = one.before, one.after
        either = after or before
        assert either is not None
        values = " → ".join(belief.object for belief in (before, after) if belief is not None)
        lines.extend(_wrapped(f"{either.predicate} = {values}: {one.kind}", ""))
        said = "erased" if either.erased else either.evidence.episode_id
        lines.extend(_wrapped(f"{_valid(either)}, from {said}", "    "))
    if not told.changes:
        lines += ["Nothing became different.", *_hinted(hints)]
    return "\n".join([*lines, "", *_basis(told.after)])


def _hinted(hints: Sequence[str]) -> Iterator[str]:
    for hint in hints:
        yield from _wrapped(hint, "")


def _pair(basis: Basis) -> str:
    return f"true when {_instant(basis.valid_at)}, as known {_instant(basis.known_at)}"


def _short_path(path: Path) -> Iterator[str]:
    yield from _wrapped(_chain(path), "")
    episodes = ", ".join("erased" if s.erased else s.evidence.episode_id for s in path.steps)
    yield from _wrapped(f"from {episodes}", "    ")


def _short(belief: Believed, title: str, answer: Answer) -> Iterator[str]:
    yield from _wrapped(title, "")
    if answer.question["verb"] in SPANNING:
        yield from _wrapped(f"believed {_recorded(belief)}", "    ")
    told = "erased" if belief.erased else belief.evidence.episode_id
    yield from _wrapped(f"{_valid(belief)}, from {told}", "    ")


def _chain(path: Path) -> str:
    here, told = path.start, path.start
    for step in path.steps:
        onward = step.subject == here
        here = step.object if onward else step.subject
        told += f" -{step.predicate}→ {here}" if onward else f" ←{step.predicate}- {here}"
    return told


def _heading(answer: Answer) -> Iterator[str]:
    basis = answer.basis
    yield from _wrapped(_question(answer.question), "")
    spans = answer.question["verb"] in SPANNING
    when = "at any time" if spans else _instant(basis.valid_at)
    yield f"  true when     {when}"
    yield f"  as known      {_instant(basis.known_at)}"


def _question(question: Mapping[str, object]) -> str:
    match question["verb"]:
        case "holders":
            via = question["via"]
            steps = [*(via if isinstance(via, list) else []), question["predicate"]]
            return f"who has {' / '.join(map(str, steps))} = {question['value']}"
        case "paths":
            return f"{question['start']}: reached in at most {question['hops']} steps"
        case "paths_between":
            return (
                f"{question['start']} and {question['end']}: how they hang together, in at most "
                f"{question['hops']} steps"
            )
        case "episode":
            return f"all that came from episode {question['episode']}"
        case "recorded":
            return f"all that opened or closed from {question['since']} until {question['until']}"
        case "history":
            return f"{question['entity']} {question['predicate']}: history"
        case _:
            predicate = question.get("predicate")
            return f"{question['entity']}{f' {predicate}' if predicate else ''}"


def _title(belief: Believed, answer: Answer) -> str:
    if answer.question["verb"] in {"holders", "episode", "recorded"}:
        told = f"{belief.subject} {belief.predicate} = {belief.object}"
        return told + (_happened(belief, answer) if answer.question["verb"] == "recorded" else "")
    if answer.question.get("predicate"):
        return belief.object
    return f"{belief.predicate} = {belief.object}"


def _happened(belief: Believed, answer: Answer) -> str:
    """What became of it in the recorded period that was asked about."""
    since, until = (instants.parse(str(answer.question[end])) for end in ("since", "until"))
    times = {"opened": belief.recorded_from, "closed": belief.recorded_to}
    return ": " + " and ".join(what for what, at in times.items() if since <= at < until)


def _path(path: Path) -> Iterator[str]:
    """A chain, and for each of its steps when it holds and which episode says so."""
    yield from _wrapped(_chain(path), "")
    for number, step in enumerate(path.steps, start=1):
        yield from _labelled(f"{number} valid", _valid(step), "  ", _STEP)
        yield from _labelled("  believed", _recorded(step), "  ", _STEP)
        told = (
            "erased" if step.erased else f"{step.evidence.episode_id} · {_carried(step.evidence)}"
        )
        yield from _labelled("  episode", told, "  ", _STEP)


def _belief(belief: Believed, support: Supporters, title: str) -> Iterator[str]:
    yield from _wrapped(title, "")
    inner = "  "
    yield from _labelled("valid", _valid(belief), inner)
    yield from _labelled("believed", _recorded(belief), inner)
    if belief.erased:
        yield from _labelled("source", "erased", inner)
        return
    yield from _evidence(belief.evidence, inner)
    further = [one for one in support.get(belief.belief_id, ()) if one != belief.evidence]
    if further:
        named = ", ".join(one.episode_id for one in further[:_MOST_CONFIRMATIONS])
        more = len(further) - _MOST_CONFIRMATIONS
        named += f" and {more} more (--json tells all)" if more > 0 else ""
        yield from _labelled("confirmed", f"{len(further)}×: {named}", inner)


def _valid(belief: Believed) -> str:
    period = f"{_instant(belief.valid_from)} → {_instant(belief.valid_to)}"
    if belief.valid_from_basis == "stated":
        return period
    was = "was recorded" if belief.valid_from_basis == "recorded" else "occurred"
    return f"{period}, start taken from when it {was}"


def _recorded(belief: Believed) -> str:
    since = _instant(belief.recorded_from)
    if instants.is_open(belief.recorded_to):
        return f"since {since}"
    by = f" by {belief.closed_by}" if belief.closed_by else ""
    why = f" ({belief.reason}{by})" if belief.reason else ""
    return f"{since} → {_instant(belief.recorded_to)}{why}"


def _evidence(evidence: Evidence, indent: str) -> Iterator[str]:
    yield from _labelled("episode", evidence.episode_id, indent)
    words = [evidence.source, evidence.source_record, evidence.location, evidence.who or ""]
    yield from _labelled("source", " · ".join(word for word in words if word), indent)
    attested = " as attested" if evidence.attested else ""
    heard = f"{_instant(evidence.recorded_at)}{attested} · landed {_instant(evidence.landed_at)}"
    yield from _labelled("heard", heard, indent)
    yield from _labelled("carries", _carried(evidence), indent)


def _carried(evidence: Evidence) -> str:
    return f"{evidence.verification} · {CLASSIFICATION_NAMES[evidence.classification]}"


def _basis(basis: Basis, *further: str) -> Iterator[str]:
    parts = [
        f"tenant {basis.tenant}",
        f"listener {basis.listener}",
        f"clearance {CLASSIFICATION_NAMES[basis.clearance]}",
        f"clock {basis.clock}",
        f"watermark {_instant(basis.watermark)}",
        f"position {basis.position}",
        f"epoch {basis.epoch}",
        f"generation {basis.generation}",
        f"graph {basis.graph_digest or '-'}",
        *further,
    ]
    yield from _packed("basis", parts)
    if basis.snapshots:
        named = [f"{table} {one}" for table, one in sorted(basis.snapshots.items())]
        yield from _packed("snapshots", named)
    for note in basis.notes():
        yield from _labelled("note", note, "")


def _packed(label: str, parts: Sequence[str]) -> Iterator[str]:
    """Parts with dots between, none of them broken over two lines."""
    line = f"{label:{_LABEL}}"
    for number, part in enumerate(parts):
        if number and len(line) + 3 + len(part) > WIDTH:
            yield line
            line = " " * _LABEL + part
        else:
            line += (" · " if number else "") + part
    yield line


def _labelled(label: str, text: str, indent: str, width: int = _LABEL) -> Iterator[str]:
    start = f"{indent}{label:{width}}"
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    )


def _wrapped(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "    ",
        break_on_hyphens=False,
    )


def _instant(instant: int) -> str:
    return instants.show(instant)

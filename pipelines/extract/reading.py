"""Files become episodes, line by line in bounded memory; a wrong line is a refusal, not a stop.

An episode's id is the declared one or, for a state feed, source, record and version (or the
recorded or occurred instant). A state feed that declares none of these has its records counted:
a line equal to the record's latest state is skipped, another is the record's next state.
"""

from __future__ import annotations

import glob
import gzip
import string
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final, cast

from lakehouse.model.episodes import Episode, Protection, Refusal
from lakehouse.model.errors import (
    BeliefgraphError,
    ConfigurationError,
    InputError,
    UnavailableError,
)
from lakehouse.model.instants import show
from pipelines.extract.canonical import LONGEST_ID
from pipelines.extract.declaration import LOWEST_TRUST, STRICTEST, Declaration
from pipelines.extract.expressions import Expression
from pipelines.extract.protecting import protection_of, unread
from pipelines.extract.records import is_text, level, record_of

LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes of one record; what is longer is refused, and quarantined by its beginning."""
_BEGINNING: Final = 4096


@dataclass(frozen=True, slots=True)
class Latest:
    """A record's latest state: how many there have been, and its payload; None: it was erased."""

    number: int
    payload: bytes | None


def files_of(declared: Declaration, environment: Mapping[str, str]) -> list[Path]:
    """The files that the declaration names, sorted within each pattern, none twice.

    `${NAME}` is replaced from `environment` (ConfigurationError where it is not set); a relative
    pattern starts at the YAML. UnavailableError where a pattern finds no file.
    """
    found: dict[Path, None] = {}
    for pattern in declared.files:
        try:
            expanded = string.Template(pattern).substitute(environment)
        except (KeyError, ValueError) as wrong:
            raise ConfigurationError(
                f"{declared.path}: files: {pattern!r} needs {wrong}",
                remedy=f"Set the variable {wrong} to the folder that holds the files.",
                source=declared.name,
            ) from wrong
        whole = str(declared.path.parent / Path(expanded).expanduser())
        matched = sorted(glob.glob(whole, recursive=True))  # noqa: PTH207 - patterns may be absolute
        if not matched:
            raise UnavailableError(
                f"source {declared.name!r} finds no file at {whole}",
                remedy=f"Put the files there, or correct `files` in {declared.path}.",
                source=declared.name,
            )
        found.update((Path(one), None) for one in matched)
    return list(found)


def read(
    declared: Declaration,
    files: Iterable[Path],
    latest: Callable[[str], Latest | None] = lambda record: None,
) -> Iterator[Episode | Refusal]:
    """The episodes of the files in order, and a refusal for each line that is none.

    `latest` gives a record's latest landed state; asked once a record, and only for state feeds
    without id, version and instants.
    """
    seq = 0
    counted = _Counted(latest)
    for path in files:
        for number, line, broken in lines_of(path):
            location = f"{path.name}:{number}"
            if broken:
                yield refused(declared, location, line, InputError(broken))
                continue
            try:
                episode = episode_of(declared, line, location, seq + 1)
            except BeliefgraphError as wrong:
                yield refused(declared, location, line, wrong)
                continue
            if not episode.episode_id:
                numbered = counted.number(episode)
                if numbered is None:
                    continue
                episode = numbered
            seq += 1
            yield episode


def lines_of(path: Path) -> Iterator[tuple[int, bytes, str]]:
    """Number (from 1), bytes and what is broken ("" if nothing) of every line with text.

    A compressed file that breaks off gives its last line as broken; what came before it stays.
    """
    number, line = 0, b""
    try:
        with _opened(path) as stream:
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    _skip_rest(stream, line)
                    yield number, line[:_BEGINNING], f"longer than {LONGEST_LINE} bytes"
                elif line.strip():
                    yield number, line.rstrip(b"\r\n"), ""
    except FileNotFoundError as wrong:
        raise UnavailableError(f"{path} is gone", remedy="Land again.", file=path) from wrong
    except (EOFError, zlib.error, gzip.BadGzipFile) as wrong:
        yield number + 1, b"", f"the compressed file breaks off here ({wrong}); fetch it again"


def _opened(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


def _skip_rest(stream: IO[bytes], line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = stream.readline(LONGEST_LINE)


def episode_of(declared: Declaration, payload: bytes, location: str, seq: int) -> Episode:
    """One record as an episode, the `seq`th; InputError with `field` where it cannot be one.

    `episode_id` is empty where the declaration leaves it to counting (see `read`).
    """
    node, fields = record_of(payload), declared.episode
    record = _name("record", fields.record, node)
    attested = _instant(declared, "recorded_at", node, required=declared.attested)
    occurred = _instant(declared, "occurred_at", node)
    own = _name("id", fields.id, node)
    version = _name("version", fields.version, node)
    if not own and (fields.version or attested is not None or occurred is not None):
        moment = attested if attested is not None else occurred
        own = f"{declared.name}/{record}/{version or show(cast(int, moment))}"
        _check_length("version" if version else "record", own)
    return Episode(
        tenant=declared.tenant,
        episode_id=own,
        source=declared.name,
        source_key=record or own,
        payload=payload,
        attested_at=attested,
        occurred_at=occurred,
        seq=seq,
        trust=_level("trust", fields.trust, node, LOWEST_TRUST),
        classification=_level("classification", fields.classification, node, STRICTEST),
        who=_name("who", fields.who, node, optional=True) or None,
        tags=_tags(fields.tags, node),
        location=location,
        protection=protection_of(declared, node),
    )


def refused(
    declared: Declaration,
    location: str,
    raw: bytes,
    wrong: BeliefgraphError,
    stage: str = "land",
    protection: Protection | None = None,
) -> Refusal:
    """What was wrong as a refusal for the quarantine; `field` comes from the error's facts.

    `protection` is the episode's where there was one.
    """
    return Refusal(
        tenant=declared.tenant,
        source=declared.name,
        stage=stage,
        location=location,
        field=str(wrong.facts.get("field", "")),
        reason=f"{wrong.message}. {wrong.remedy}".strip(),
        raw=raw,
        protection=protection or unread(declared),
    )


def named(field: str, wrong: BeliefgraphError) -> InputError:
    """The same error with the field it is about among its facts."""
    return InputError(f"{field}: {wrong.message}", remedy=wrong.remedy, field=field)


def _ask(field: str, expression: Expression | None, node: dict[str, Any]) -> Any:
    if expression is None:
        return None
    try:
        return expression(node, node)
    except InputError as wrong:
        raise named(f"episode.{field}", wrong) from wrong


def _name(
    field: str, expression: Expression | None, node: dict[str, Any], optional: bool = False
) -> str:
    """The text of an identifying field; "" only where it is not declared (or optional)."""
    found = _ask(field, expression, node)
    if expression is None or (optional and found is None):
        return ""
    if isinstance(found, int) and not isinstance(found, bool):
        found = str(found)
    if isinstance(found, str) and found.strip() == found != "" and found.isprintable():
        _check_length(field, found)
        return found
    raise InputError(
        f"episode.{field}: {expression.source} is {found!r}, not a name",
        remedy="Every record needs it: a text without blanks around, or an integer.",
        field=f"episode.{field}",
    )


def _check_length(field: str, name: str) -> None:
    if len(name) > LONGEST_ID:
        raise InputError(
            f"episode.{field}: makes an id of {len(name):,} characters",
            remedy=f"Name episodes by at most {LONGEST_ID:,}: the graph indexes ids whole.",
            field=f"episode.{field}",
        )


def _instant(
    declared: Declaration, field: str, node: dict[str, Any], required: bool = False
) -> int | None:
    found = _ask(field, getattr(declared.episode, field), node)
    if found is None and not required:
        return None
    try:
        return declared.calendar.moment(found)
    except InputError as wrong:
        raise named(f"episode.{field}", wrong) from wrong


def _level(field: str, expression: Expression | None, node: dict[str, Any], unstated: int) -> int:
    found = _ask(field, expression, node)
    if found is None:
        return unstated
    try:
        return level(field, found)
    except InputError as wrong:
        raise named(f"episode.{field}", wrong) from wrong


def _tags(expression: Expression | None, node: dict[str, Any]) -> tuple[str, ...]:
    found = _ask("tags", expression, node)
    items = [] if found is None else [found] if isinstance(found, str) else found
    if isinstance(items, list) and all(map(is_text, items)):
        return tuple(dict.fromkeys(items))
    raise InputError(
        f"episode.tags: {found!r} is no list of texts",
        remedy="Give tags as texts.",
        field="episode.tags",
    )


class _Counted:
    """Numbers the states of records that have no version and no instant."""

    def __init__(self, latest: Callable[[str], Latest | None]) -> None:
        self._stored = latest
        self._latest: dict[str, Latest] = {}

    def number(self, episode: Episode) -> Episode | None:
        """The episode as the record's next state; None where it is its latest state again."""
        record = episode.source_key
        last = self._latest.get(record) or self._stored(record) or Latest(0, b"")
        self._latest[record] = last
        if last.number and last.payload == episode.payload:
            return None
        self._latest[record] = Latest(last.number + 1, episode.payload)
        return replace(episode, episode_id=f"{episode.source}/{record}/{last.number + 1}")

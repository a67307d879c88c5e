"""Extract: what landed since the last extraction becomes statements of the tenant's ledger.

Land commits are taken in order, as many together as share a clock. Imports are merged by the
instants they attest (ties by source, then position). The first episode without an attested instant
takes the tenant live: from then on the system stamps, and what later archives attest is only kept
beside the statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lakehouse.ledger import Ledger, Progress
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ConfigurationError
from lakehouse.model.instants import ALWAYS, show
from lakehouse.model.ledger import Clock, Commit, Extracted, Stage
from lakehouse.model.statements import ENTITY
from pipelines.extract.declaration import Declaration, Feed
from pipelines.extract.extractor import extract as extract_source
from pipelines.extract.extractor import taken_by

NowMicros = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one extraction of a tenant did."""

    episodes: int
    statements: int
    refused: int
    commits: tuple[Commit, ...]


@dataclass(frozen=True, slots=True)
class _Tenant:
    """Where one tenant's extraction works."""

    ledger: Ledger
    name: str
    key: bytes
    now: NowMicros
    declarations: Mapping[str, Declaration]


def extract(
    ledger: Ledger,
    tenant: str,
    declarations: Mapping[str, Declaration],
    *,
    key: bytes,
    now: NowMicros,
    progress: Progress = lambda line: None,
) -> Extraction:
    """Extract all that waits; `declarations` are the tenant's by source, `key` its digest key.

    `now` gives µs UTC. ConfigurationError where an episode's source is not declared any more.
    """
    found = _Tenant(ledger, tenant, key, now, declarations)
    commits: list[Commit] = []
    episodes = 0
    for clock, through, group in _groups(found):
        progress(f"extracting {len(group):,} episodes")
        episodes += len(group)
        work = _stamped if clock is Clock.SYSTEM else _imported
        commits.append(work(found, group, through))
    return Extraction(
        episodes,
        sum(commit.counts.get("statements", 0) for commit in commits),
        sum(commit.counts.get("refused", 0) for commit in commits),
        tuple(commits),
    )


def _groups(found: _Tenant) -> Iterator[tuple[Clock, int, list[Episode]]]:
    """Waiting episodes with their clock and the land position they reach."""
    extracts = found.ledger.commits(found.name, stage=Stage.EXTRACT)
    done = max((commit.through for commit in extracts), default=0)
    live = any(commit.clock is Clock.SYSTEM for commit in extracts)
    group: list[Episode] = []
    clock, reached = Clock.ATTESTED, done
    for commit in found.ledger.commits(found.name, after=done, stage=Stage.LAND):
        episodes = list(_landed_in(found, commit))
        stamped = live or any(episode.attested_at is None for episode in episodes)
        own = Clock.SYSTEM if stamped else Clock.ATTESTED
        live = stamped
        if group and own is not clock:
            yield clock, reached, group
            group = []
        clock, reached = own, commit.position
        group.extend(episodes)
    if reached > done:
        yield clock, reached, group


def _landed_in(found: _Tenant, commit: Commit) -> Iterator[Episode]:
    position = commit.position
    for batch in found.ledger.episodes(found.name, after=position - 1, through=position):
        _check_declared(batch, found.declarations)
        # What was erased before it was extracted says nothing, and is no fault to report.
        yield from (episode for episode in batch if not episode.erased)


def _stamped(found: _Tenant, episodes: Sequence[Episode], through: int) -> Commit:
    """The commit's stamp is not known yet: now, never before the last stamp, stands for it."""
    last = max((commit.recorded_at for commit in found.ledger.commits(found.name)), default=0)
    said, refusals = _extract(found, episodes, max(found.now(), last + 1))
    place = {episode.episode_id: n for n, episode in enumerate(episodes)}
    said.sort(key=lambda one: place[one.statement.episode_id])
    return found.ledger.append_statements(
        found.name, said, clock=Clock.SYSTEM, through=through, refusals=refusals
    )


def _imported(found: _Tenant, episodes: Sequence[Episode], through: int) -> Commit:
    extracts = found.ledger.commits(found.name, stage=Stage.EXTRACT)
    ledger_to = max((commit.ledger_to for commit in extracts), default=ALWAYS)
    late = [_late(e, ledger_to) for e in episodes if _attested(e) <= ledger_to]
    on_time = [episode for episode in episodes if _attested(episode) > ledger_to]
    on_time.sort(key=lambda episode: (_attested(episode), episode.source))
    said, refusals = _extract(found, on_time, None)
    said.sort(key=lambda one: one.statement.recorded_at)
    return found.ledger.append_statements(
        found.name, said, clock=Clock.ATTESTED, through=through, refusals=[*late, *refusals]
    )


def _attested(episode: Episode) -> int:
    assert episode.attested_at is not None
    return episode.attested_at


def _check_declared(episodes: Iterable[Episode], declarations: Mapping[str, Declaration]) -> None:
    unknown = {episode.source for episode in episodes} - declarations.keys()
    if unknown:
        raise ConfigurationError(
            f"episodes of source {min(unknown)!r} have landed, but no such source is declared",
            remedy="Put its YAML back, then run again; the episodes wait in the lake.",
        )


def _late(episode: Episode, ledger_to: int) -> Refusal:
    return Refusal(
        tenant=episode.tenant,
        source=episode.source,
        stage="extract",
        location=episode.location or episode.episode_id,
        field="episode.recorded_at",
        reason=f"It attests {show(_attested(episode))}, and the ledger holds statements up "
        f"to {show(ledger_to)} already. Import history in one go, oldest first.",
        raw=episode.payload,
        protection=episode.protection,
    )


def _extract(
    found: _Tenant, episodes: Sequence[Episode], now: int | None
) -> tuple[list[Extracted], list[Refusal]]:
    said: list[Extracted] = []
    refusals: list[Refusal] = []
    names = _Names(found.ledger, found.name, episodes)
    for source in sorted({episode.source for episode in episodes}):
        mine = [episode for episode in episodes if episode.source == source]
        prior, taken = _prior(found, found.declarations[source], mine)
        result = extract_source(
            found.declarations[source],
            mine,
            key=found.key,
            now=now,
            prior=prior,
            taken=taken,
            known=names,
        )
        said.extend(result.extracted)
        refusals.extend(result.refusals)
    return said, refusals


def _prior(
    found: _Tenant, declared: Declaration, mine: Sequence[Episode]
) -> tuple[dict[str, list[Extracted]], dict[str, int]]:
    """What the ledger has of these records already; nothing for a source that begins."""
    prior: dict[str, list[Extracted]] = {}
    if declared.feed is not Feed.STATE or not _extracted_before(found):
        return prior, {}
    records = {episode.source_key for episode in mine}
    for one in found.ledger.extracted(found.name, declared.name, records):
        prior.setdefault(one.record, []).append(one)
    began = min(episode.landed_at for episode in mine)
    refused = {one.location for one in found.ledger.quarantined(found.name)}
    headers = found.ledger.headers(found.name).values()
    return prior, taken_by(
        header
        for header in headers
        if header.source == declared.name
        and header.source_key in records
        and header.landed_at < began
        and header.location not in refused
    )


def _extracted_before(found: _Tenant) -> bool:
    return bool(found.ledger.commits(found.name, stage=Stage.EXTRACT))


class _Names:
    """Whether a statement, episode or entity is in the ledger; read once, when first asked.

    What the batch's own episodes say counts as known, whichever source they are of: a target in
    another source of the same batch is found by its episode.
    """

    def __init__(self, ledger: Ledger, tenant: str, episodes: Sequence[Episode]) -> None:
        self._ledger, self._tenant = ledger, tenant
        self._here = {episode.episode_id for episode in episodes}
        self._names: set[str] | None = None

    def __call__(self, name: str) -> bool:
        if name in self._here or name.rpartition("#")[0] in self._here:
            return True
        if self._names is None:
            self._names = set()
            for statement in self._ledger.statements(self._tenant):
                self._names |= {statement.statement_id, statement.episode_id, statement.subject}
                if statement.object is not None and statement.object_kind == ENTITY:
                    self._names.add(statement.object)
        return name in self._names

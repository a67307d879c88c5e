"""A batch before it has its place: its draft, and whether the ledger as it stands lets it in.

Both ledgers draft and check here, in this order: the batch by itself, then against the entries
that are there. How they find out which ids are known is theirs.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from lakehouse.admission import (
    check_above,
    check_attested,
    check_changes,
    check_extracted,
    check_through,
    counted_changes,
)
from lakehouse.keys import check_tenant
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.ledger import BeliefChanges, Clock, Extracted, Stage
from lakehouse.stamping import Draft, Entry, Now


def draft_landing(tenant: str, episodes: Sequence[Episode], refused: int) -> Draft:
    """Of new episodes and so many refusals, both admitted already."""
    counts = {
        "episodes": len(episodes),
        "bytes": sum(len(episode.payload) for episode in episodes),
        "refused": refused,
    }
    return Draft(tenant=tenant, stage=Stage.LAND, batch_id=_new_id(), counts=counts)


def draft_statements(
    tenant: str,
    extracted: Sequence[Extracted],
    refusals: Sequence[Refusal],
    *,
    clock: Clock,
    through: int,
    now: Now,
) -> Draft:
    """Of what was extracted up to a position; errors are those of `check_extracted` and, under an
    attested clock, `check_attested`."""
    check_tenant(tenant)
    check_extracted(tenant, extracted, refusals)
    attested = clock is Clock.ATTESTED and bool(extracted)
    if attested:
        check_attested(extracted, now())
    return Draft(
        tenant=tenant,
        stage=Stage.EXTRACT,
        batch_id=_new_id(),
        clock=clock,
        through=through,
        statements=len(extracted),
        attested_from=extracted[0].statement.recorded_at if attested else None,
        attested_to=extracted[-1].statement.recorded_at if attested else None,
        counts={"statements": len(extracted), "refused": len(refusals)},
    )


def draft_beliefs(tenant: str, changes: BeliefChanges, *, through: int) -> Draft:
    """Of the changes that follow up to a position; errors are those of `check_changes`."""
    check_tenant(tenant)
    check_changes(tenant, changes)
    return Draft(
        tenant=tenant,
        stage=Stage.BELIEVE,
        batch_id=_new_id(),
        through=through,
        counts=counted_changes(changes),
    )


def check_place(draft: Draft, entries: Sequence[Entry], watermark: int | None) -> None:
    """ConflictError where these entries, or what was published, leave the draft no place."""
    check_through(entries, draft.tenant, draft.stage, draft.through)
    check_above(entries, draft.tenant, draft.attested_from, watermark)


def _new_id() -> str:
    return uuid.uuid4().hex

"""The proof that stands before publication, written as a check's metadata and read back from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dagster as dg

from graph.comparison import Difference, Kind
from graph.verify import Verified
from lakehouse.model.errors import ConflictError

_NUMBERS = ("position", "epoch", "generation", "edges", "nodes")
_SHOWN = 20


def written(found: Verified) -> dict[str, Any]:
    """A comparison as metadata: its numbers and digests, and the first differences."""
    return {
        "tenant": found.tenant,
        **{name: getattr(found, name) for name in _NUMBERS},
        "digest": found.digest,
        "lake_digest": found.lake_digest,
        "compared": found.summary,
        "differences": len(found.differences),
        "first_differences": dg.MetadataValue.json(first_of(found)),
    }


def first_of(found: Verified) -> list[str]:
    """The first differences, in words."""
    return [f"{one.kind} {one.belief_id} {one.where}" for one in found.differences[:_SHOWN]]


def newest(instance: dg.DagsterInstance, check: dg.AssetCheckKey) -> Verified:
    """The newest evaluation of a check; ConflictError where it was never evaluated."""
    record = instance.get_latest_asset_check_evaluation_record(check)
    evaluation = record.event.asset_check_evaluation if record and record.event else None
    if evaluation is None:
        raise ConflictError(
            f"the comparison of graph and lake ({check.to_user_string()}) has no result on record, "
            "so nothing was published",
            remedy="If another run of this tenant is at work, let it end and run again; else run "
            "its whole line.",
        )
    return _read({name: value.value for name, value in evaluation.metadata.items()})


def _read(told: Mapping[str, Any]) -> Verified:
    return Verified(
        tenant=told["tenant"],
        **{name: told[name] for name in _NUMBERS},
        digest=told["digest"],
        lake_digest=told["lake_digest"],
        differences=tuple(Difference(Kind.ALTERED, "", one) for one in told["first_differences"]),
    )

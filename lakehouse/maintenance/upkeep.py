"""The regular upkeep: merge, expire, sweep, and the proof that nothing else changed."""

from __future__ import annotations

from collections.abc import Mapping

from lakehouse.ledger import Progress
from lakehouse.maintenance.compact import compact
from lakehouse.maintenance.expire import expire
from lakehouse.maintenance.proof import check_same, fingerprints
from lakehouse.maintenance.sweep import sweep
from lakehouse.stamping import system_clock
from lakehouse.store import Store


def upkeep(store: Store, *, sweeping: bool, progress: Progress) -> Mapping[str, int]:
    """Merge small files and expire snapshots; with `sweeping` remove what nothing names too.

    Counts of what was done. IntegrityError where rows or beliefs are not as before.
    """
    before = fingerprints(store)
    merged = compact(store)
    expired = expire(store, now=system_clock())
    swept = sweep(store, dry_run=False) if sweeping else []
    check_same(store, before)
    done = {
        "files_merged": sum(one.merged for one in merged),
        "snapshots_expired": sum(one.expired for one in expired),
        "torn_files": sum(len(one.torn) for one in swept),
        "files_removed": sum(len(one.unreachable) for one in swept),
        "compared": len(before.found),
    }
    progress(", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in done.items()))
    return done

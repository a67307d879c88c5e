"""The data folder as a whole: set aside while another takes its place, and put back if that fails.

One folder is the store (`data`). Whoever replaces it renames it to `data.replaced`, renames or
makes the new one, starts the server on it, and then calls `settle`. Each step is one rename, so
whatever interrupts it leaves the old store or the new one, whole, and `recover` tells which: the
new one counts once it is a store whose first start is over.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from graph.server.layout import Layout
from graph.server.release import Release
from lakehouse.ledger import Progress


def recover(layout: Layout, *, progress: Progress) -> None:
    """Put the old store back where a replacement was broken off; no server may be running."""
    shutil.rmtree(layout.removed, ignore_errors=True)
    if not layout.replaced.exists() or is_store(layout):
        return
    progress("a new store was left unfinished; going back to the one before")
    shutil.rmtree(layout.data, ignore_errors=True)
    layout.replaced.replace(layout.data)


def set_aside(layout: Layout) -> None:
    """Take the store out of its place; `recover` brings it back until `settle` is called."""
    settle(layout)
    layout.data.replace(layout.replaced)


def take(layout: Layout, store: Path) -> None:
    """Another store, made elsewhere on this disk and whole, takes the place."""
    set_aside(layout)
    store.replace(layout.data)


def put_back(layout: Layout) -> None:
    """The old store returns, the new one is lost."""
    if layout.replaced.exists():
        _discard(layout, layout.data)
        layout.replaced.replace(layout.data)


def settle(layout: Layout) -> None:
    """The store that is in place counts; what it replaced is removed."""
    if layout.replaced.exists():
        _discard(layout, layout.replaced)


def is_store(layout: Layout) -> bool:
    """Is there a store that has once answered?"""
    return (layout.data / "databases" / "system").exists() and not layout.first_start.exists()


def made_by(layout: Layout) -> str | None:
    """The version that made the store, None where it does not say."""
    try:
        return layout.maker.read_text(encoding="utf-8").strip() or None
    except OSError:
        before = layout.choices()
        return before.version if before else None


def set_aside_foreign(layout: Layout, release: Release, *, progress: Progress) -> None:
    """A store of another version makes room: it is a projection, and no version takes another's.

    Neo4j can migrate some stores; the lake can make any, and comes out the same for certain.
    """
    if not is_store(layout) or made_by(layout) in (None, release.version):
        return
    progress(
        f"the graph was made by Neo4j {made_by(layout)}: Neo4j {release.version} begins with an "
        "empty one; nothing is lost, it is a projection of the lake: beliefgraph rebuild (or run "
        "TENANT) makes it again"
    )
    set_aside(layout)


def sign(layout: Layout, release: Release) -> None:
    """Note in the store which version makes it."""
    layout.maker.write_text(f"{release.version}\n", encoding="utf-8")


def _discard(layout: Layout, folder: Path) -> None:
    """Remove a folder that must never be taken for a store again, even if we die half way."""
    shutil.rmtree(layout.removed, ignore_errors=True)
    folder.replace(layout.removed)
    shutil.rmtree(layout.removed)

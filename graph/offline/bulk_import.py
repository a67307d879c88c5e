"""Neo4j's bulk import: exported files into a store that no server has open.

Nothing is skipped and nothing guessed: an edge without its ends, an id that is there twice or a
line that cannot be read fails the whole import.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from graph.offline.export import Exported, Source
from graph.server import ending
from graph.server.admin import Tool
from lakehouse.model.errors import IntegrityError, UnavailableError

DATABASE: Final = "neo4j"
_LEAST_BUFFER: Final = 4 * 2**20
"""Neo4j's own; no text may be longer than this buffer."""


def run(tool: Tool, exported: Exported, *, heap_mb: int, off_heap_mb: int) -> None:
    """Import all files; IntegrityError with the tool's own words when it does not take them."""
    report = tool.root / "import.report"
    words = [
        *("database", "import", "full", DATABASE),
        "--id-type=string",
        "--ignore-empty-strings=false",
        "--bad-tolerance=0",
        f"--array-delimiter=U+{ord(exported.delimiter):04X}",
        f"--read-buffer-size={max(_LEAST_BUFFER, 2 * exported.longest + 4096)}",
        f"--max-off-heap-memory={off_heap_mb}m",
        f"--report-file={report}",
        *_multiline(exported, tool.root),
        *(_argument(source, tool.root) for source in exported.sources),
    ]
    code, said = tool.run(words, seconds=None, heap_mb=heap_mb)
    why = ending.known(said) if code != 0 else None
    if why is not None:
        raise UnavailableError(
            f"Neo4j's bulk import ended: {why.reason}.",
            remedy=f"The graph that answers was not touched. {why.remedy} Then rebuild again.",
        )
    if code != 0:
        lines = [line.strip() for line in said.splitlines() if line.strip(" -")]
        raise IntegrityError(
            f"Neo4j's bulk import ended with code {code}; it said: {' / '.join(lines[-4:])}",
            remedy="The graph that answers was not touched. Rebuild in place, tenant by tenant: "
            "beliefgraph run TENANT --rebuild.",
            report=report,
        )


def _multiline(exported: Exported, root: Path) -> list[str]:
    """Names the files that hold line breaks inside of values: the others are read by all cores."""
    held = [os.path.relpath(source.data, root) for source in exported.sources if source.multiline]
    if not held:
        return []
    return ["--multiline-fields-format=v2", f"--multiline-fields={','.join(held)}"]


def _argument(source: Source, root: Path) -> str:
    kind = "relationships" if source.edge else "nodes"
    header, data = (os.path.relpath(path, root) for path in (source.header, source.data))
    return f"--{kind}={source.name}={header},{data}"

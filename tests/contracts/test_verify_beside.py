"""The lake is read in a process of its own: what `verify` finds is the same, errors too."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph import lake_side
from graph.mending import plan
from graph.verify import Verified, compared
from lakehouse.iceberg import open_ledger
from lakehouse.ledger import Address
from lakehouse.local import child
from lakehouse.model.errors import IntegrityError
from tests.contracts.projected import TAMPERINGS, Graph, green
from tests.contracts.projection_story import Story, first_chapter, second_chapter

pytest_plugins = ("tests.neo4j", "tests.projections")


@pytest.fixture
def kept(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """Both chapters in a lake that another process can open, however little it holds."""
    story.ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)}, now=story.clock)
    second_chapter(story, first_chapter(story))
    monkeypatch.setattr(lake_side, "LARGE", 0)
    return story


def test_it_finds_what_is_found_in_one_process(
    graph: Graph, kept: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.project(kept)
    position = graph.state(kept).position
    digest = green(graph, kept).digest
    for name, (cypher, _) in TAMPERINGS.items():
        if not name.startswith("from "):
            graph.ask(cypher, t=kept.tenant)

    def found() -> tuple[Verified, object]:
        findings = compared(kept.ledger, graph.driver, graph.database, kept.tenant, position)[2]
        return graph.verify(kept), plan(findings, None)

    beside = found()
    monkeypatch.setattr(child, "calling", None)
    monkeypatch.setattr(lake_side, "LARGE", 1 << 40)
    assert found() == beside
    assert len(beside[0].differences) > len(TAMPERINGS)
    assert beside[0].lake_digest == digest


def test_an_error_of_the_lake_comes_through(graph: Graph, kept: Story, tmp_path: Path) -> None:
    graph.project(kept)
    kept.ledger.address = Address(tmp_path / "another", {"HOME": str(tmp_path)})
    with pytest.raises(IntegrityError, match="which its ledger does not know") as caught:
        graph.verify(kept)
    assert "rebuild the graph" in caught.value.remedy

"""The same line as Dagster sees it: definitions load without I/O, and hold what they must."""

from __future__ import annotations

import os
from pathlib import Path

import dagster as dg
import pytest

from lakehouse.iceberg import open_ledger
from pipelines.definitions import job_name, line_of, merged, tenants_of
from pipelines.sources import declared
from tests.contracts.ledger_values import episode


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that nothing may touch while definitions load."""
    home = tmp_path / "home"
    monkeypatch.setenv("BELIEFGRAPH_HOME", str(home))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    return home


def test_every_tenant_has_its_line_and_a_blocking_check(nowhere: Path) -> None:
    found = tenants_of(declared(os.environ))
    assert {"ecdc", "plant", "tzdata"} <= found.keys()
    for tenant, sources in found.items():
        definitions = merged([line_of(tenant, sources, landings=True)])
        graph = definitions.resolve_asset_graph()
        stages = {key.path[1] for key in graph.get_all_asset_keys()}
        assert stages == {"episodes", "statements", "beliefs", "graph", "publication"}
        checks = [check for one in definitions.asset_checks or () for check in one.check_specs]
        assert [(check.name, check.blocking) for check in checks] == [("graph_equals_lake", True)]
        assert definitions.resolve_job_def(job_name(tenant)).name == job_name(tenant)
    assert not nowhere.exists(), "loading definitions opens nothing"


def test_the_root_definitions_add_the_sources_of_a_home(nowhere: Path) -> None:
    from pipelines.definitions import defs  # noqa: PLC0415 - reads BELIEFGRAPH_HOME when called

    (nowhere / "sources").mkdir(parents=True)
    (nowhere / "sources" / "own.yaml").write_text(
        "source: own\ntenant: mine\nfeed: events\nfiles: [own.jsonl]\nepisode: {id: id}\n"
        "predicates: {p: {cardinality: one, object: string, subject_type: thing}}\n"
        "statements: [{subject: s, predicate: p, object: o}]\n"
    )
    loaded = defs()
    keys = {"/".join(key.path) for key in loaded.resolve_asset_graph().get_all_asset_keys()}
    assert {"mine/episodes/own", "mine/publication", "plant/episodes/plant"} <= keys


def test_upkeep_runs_as_a_job_on_a_schedule(nowhere: Path) -> None:
    from pipelines.definitions import defs  # noqa: PLC0415 - reads BELIEFGRAPH_HOME when called

    loaded = defs()
    assert not nowhere.exists(), "loading definitions opens nothing"
    schedules = {
        one.name: one for one in loaded.schedules or () if isinstance(one, dg.ScheduleDefinition)
    }
    assert {name: one.job_name for name, one in schedules.items()} == {
        "lake_upkeep_often": "lake_upkeep",
        "lake_upkeep_nightly": "lake_upkeep",
        "graph_proof_nightly": "graph_proof",
    }
    ledger = open_ledger(nowhere, {"HOME": str(nowhere)})
    for number in range(8):
        ledger.land("t", [episode(str(number))])
    tick = schedules["lake_upkeep_nightly"].evaluate_tick(dg.build_schedule_context())
    config = tick.run_requests[0].run_config
    result = loaded.resolve_job_def("lake_upkeep").execute_in_process(run_config=config)
    (told,) = [event for event in result.all_events if event.is_successful_output]
    metadata = told.step_output_data.metadata
    assert (metadata["files_merged"].value, metadata["compared"].value) == (24, 6)
    assert len(open_ledger(nowhere, {"HOME": str(nowhere)}).headers("t")) == 8

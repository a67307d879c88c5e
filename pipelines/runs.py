"""A run of a tenant's job from the command line, in this process, in the home's own instance."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import dagster as dg
from dagster import DagsterInstance
from dagster._core.errors import DagsterAssetCheckFailedError  # not exported, and no other tells
from pydantic import Field

from graph.server import home_from
from lakehouse.model.errors import ConfigurationError, IntegrityError

INSTANCE: Final = Path(__file__).parent / "dagster.yaml"
"""Settings of a home's Dagster instance: local storage, telemetry off, one run at a time."""


class LandConfig(dg.Config):
    """What a landing may be told: these files instead of the declared ones, and consent."""

    files: list[str] = Field(default_factory=list)
    confirm: bool = False

    @property
    def paths(self) -> list[Path]:
        """The files as paths."""
        return [Path(file) for file in self.files]


class ProjectConfig(dg.Config):
    """Whether to compare all of the tenant's graph with the lake and write what differs."""

    rebuild: bool = False


def instance_of(environ: Mapping[str, str]) -> DagsterInstance:
    """The Dagster instance of this home, made on first use; `DAGSTER_HOME` names another."""
    folder = Path(environ.get("DAGSTER_HOME") or home_from(environ) / "dagster")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise ConfigurationError(
            f"the folder {folder} cannot be made: {wrong.strerror}",
            remedy="Set BELIEFGRAPH_HOME to a folder that you may write to.",
        ) from wrong
    settings = folder / "dagster.yaml"
    if not settings.exists():
        settings.write_text(INSTANCE.read_text())
    return DagsterInstance.from_config(str(folder))


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run did: its id, each asset's numbers, and each step's seconds, in order."""

    run_id: str
    numbers: Mapping[str, Mapping[str, int | None]]
    seconds: Mapping[str, float]

    def total(self, name: str) -> int:
        """The sum of a number over the assets that reported it."""
        return sum(numbers.get(name) or 0 for numbers in self.numbers.values())


def execute(
    definitions: dg.Definitions,
    job: str,
    *,
    configs: Mapping[str, dg.Config],
    selection: Sequence[dg.AssetKey] | None = None,
) -> Ran:
    """Run the job, or only the selected assets of it.

    `configs` configures assets by operation name. What a stage raises on purpose is
    raised here as it was; IntegrityError where the graph did not equal the lake.
    """
    with instance_of(os.environ) as instance:
        try:
            result = definitions.resolve_job_def(job).execute_in_process(
                instance=instance,
                asset_selection=selection,
                raise_on_error=True,
                run_config={
                    "ops": {
                        name: {"config": config.model_dump()} for name, config in configs.items()
                    },
                    "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                },
            )
        except dg.DagsterExecutionInterruptedError as stopped:
            raise KeyboardInterrupt from stopped
        except DagsterAssetCheckFailedError as failed:
            raise IntegrityError(
                "the graph does not equal the lake, so nothing was published",
                remedy="`beliefgraph verify TENANT` names what differs, --repair mends it; "
                "`beliefgraph doctor` says if the graph was made from another lake.",
            ) from failed
    return Ran(str(result.run_id), dict(_numbers(result)), dict(_seconds(result)))


def _seconds(result: dg.ExecuteInProcessResult) -> Iterator[tuple[str, float]]:
    for event in result.all_events:
        if event.is_step_success and event.step_key is not None:
            yield event.step_key, event.step_success_data.duration_ms / 1_000


def _numbers(result: dg.ExecuteInProcessResult) -> Iterator[tuple[str, dict[str, int | None]]]:
    for event in result.get_asset_materialization_events():
        made = event.step_materialization_data.materialization
        yield (
            "/".join(made.asset_key.path),
            {
                name: value.value
                for name, value in made.metadata.items()
                if isinstance(value.value, int)
            },
        )

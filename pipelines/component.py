"""`EpisodeSource`, the one component: a declared source, one YAML, becomes an asset that lands it.

The YAML's `attributes` are the declaration itself (pipelines/extract/README.md); it is read and
checked when Dagster loads definitions, and nothing else is opened then.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import dagster as dg
from pydantic import BaseModel, ConfigDict

from pipelines.assets import landing
from pipelines.extract.declaration import Declaration
from pipelines.extract.loading import load


class AnyDeclaration(BaseModel):
    """Takes every key; the declaration's own loader checks them and names what is wrong."""

    model_config = ConfigDict(extra="allow")


class EpisodeSource(dg.Component):
    """Where episodes come from and what they say."""

    def __init__(self, declared: Declaration) -> None:
        self.declared = declared

    @classmethod
    def get_model_cls(cls) -> type[BaseModel]:
        """The schema that `dg` checks before `load`."""
        return AnyDeclaration

    @classmethod
    def load(cls, attributes: Any, context: dg.ComponentLoadContext) -> Self:
        """The component of the `defs.yaml` in the context's folder."""
        return cls(load(Path(context.path) / "defs.yaml"))

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """The landing asset of this source."""
        return dg.Definitions(assets=[landing(self.declared)])

"""What a table is made with: columns, partitions, sort order and properties, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.transforms import IdentityTransform, Transform
from pyiceberg.types import IcebergType, NestedField

_PROPERTIES: Final[Mapping[str, str]] = {
    "format-version": "2",
    "commit.manifest-merge.enabled": "true",
    "commit.manifest.min-count-to-merge": "20",
    "commit.retry.num-retries": "20",
    "commit.retry.min-wait-ms": "50",
    "commit.retry.max-wait-ms": "1000",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "10",
    "write.parquet.row-group-limit": "20000",
    # Ids and digests differ from row to row: a dictionary of them costs more than it saves
    # (beliefs 55 to 48 bytes a row, statements 33 to 26, headers 32 to 23). It is given up
    # between two batches of rows, so these must be short.
    "write.parquet.dict-size-bytes": "16384",
    "write.parquet.page-row-limit": "1000",
}
Column = tuple[str, IcebergType, bool]
"""Name, type, required."""
Partition = tuple[str, Transform[Any, Any], str]
"""Column, transform, name of the partition field."""


@dataclass(frozen=True, eq=False)
class TableSpec:
    """One table: what it is made with, and the Arrow schema that every batch is cast to."""

    name: str
    columns: tuple[Column, ...]
    partition: tuple[Partition, ...] = ()
    sort: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def schema(self) -> Schema:
        """The Iceberg schema; field ids follow the order of the columns."""
        return Schema(
            *(
                NestedField(place, name, kind, required=required)
                for place, (name, kind, required) in enumerate(self.columns, start=1)
            )
        )

    @cached_property
    def arrow(self) -> pa.Schema:
        """The Arrow schema of this table's batches, without field ids."""
        return schema_to_pyarrow(self.schema, include_field_ids=False)

    @property
    def partition_spec(self) -> PartitionSpec:
        """Partition fields in order, ids from 1000."""
        return PartitionSpec(
            *(
                PartitionField(self._id(column), 1000 + place, transform, name)
                for place, (column, transform, name) in enumerate(self.partition)
            )
        )

    @property
    def sort_order(self) -> SortOrder:
        """Ascending by the columns of `sort`; unsorted where there are none."""
        return SortOrder(
            *(SortField(self._id(name), transform=IdentityTransform()) for name in self.sort),
            order_id=1 if self.sort else 0,
        )

    @property
    def table_properties(self) -> dict[str, str]:
        """What all tables share, then this table's own."""
        return {**_PROPERTIES, **self.properties}

    def _id(self, column: str) -> int:
        return next(i for i, (name, _, _) in enumerate(self.columns, start=1) if name == column)

"""Rows to data files: by PyIceberg's writer, in one go where they all lie in one partition.

PyIceberg works the partition out for every row, filters the rows by it and copies what it found.
A landing has one tenant and one instant, so one row tells where all of them lie.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import (
    _dataframe_to_data_files,
    _determine_partitions,
    pyarrow_to_schema,
    write_file,
)
from pyiceberg.manifest import DataFile
from pyiceberg.partitioning import PartitionKey
from pyiceberg.table import TableProperties, WriteTask
from pyiceberg.table.metadata import TableMetadata


def data_files(
    metadata: TableMetadata, rows: pa.Table, io: FileIO, name: uuid.UUID
) -> Sequence[DataFile]:
    """Write rows in the table's own schema (`columns.assemble`); the files are not in it yet."""
    most = TableProperties.WRITE_TARGET_FILE_SIZE_BYTES
    size = int(metadata.properties.get(most, TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT))
    if not rows.num_rows or rows.nbytes >= size or not _in_one_partition(metadata, rows):
        return list(_dataframe_to_data_files(metadata, rows, io, write_uuid=name))
    schema = metadata.schema()
    task = WriteTask(
        write_uuid=name,
        task_id=0,
        schema=pyarrow_to_schema(rows.schema, name_mapping=schema.name_mapping),
        record_batches=rows.combine_chunks().to_batches(),
        partition_key=_partition_of_first(metadata, rows),
    )
    return list(write_file(io, metadata, iter([task])))


def _in_one_partition(metadata: TableMetadata, rows: pa.Table) -> bool:
    schema = metadata.schema()
    for field in metadata.spec().fields:
        column = rows[schema.find_field(field.source_id).name]
        bounds = pc.min_max(column)
        if column.null_count or bounds["min"] != bounds["max"]:
            return False
    return True


def _partition_of_first(metadata: TableMetadata, rows: pa.Table) -> PartitionKey | None:
    if metadata.spec().is_unpartitioned():
        return None
    (first,) = _determine_partitions(metadata.spec(), metadata.schema(), rows.slice(0, 1))
    return first.partition_key

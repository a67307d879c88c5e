"""Rows to data files: by PyIceberg's writer, in one go where they all lie in one partition.

PyIceberg works the partition out for every row, filters the rows by it and copies what it found.
A landing has one tenant and one instant, so one row tells where all of them lie.

Parquet gives a row group no bounds of a column with a long value in it, and PyIceberg then takes
those of the other row groups for the file's: what lies beside the long value would be pruned away.
Such a column gets no bounds at all. Nor does a file whose bounds PyIceberg cannot write: the
character after U+D7FF, which a bound that is cut there would end with, is none of UTF-8.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Final

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

LONG: Final = 4096
"""Bytes of a value from which on Parquet gives its row group no bounds."""


def data_files(
    metadata: TableMetadata, rows: pa.Table, io: FileIO, name: uuid.UUID
) -> Sequence[DataFile]:
    """Write rows in the table's own schema (`columns.assemble`); the files are not in it yet."""
    try:
        files = _written(metadata, rows, io, name)
    except UnicodeEncodeError:
        unbounded = {**metadata.properties, "write.metadata.metrics.default": "counts"}
        files = _written(metadata.model_copy(update={"properties": unbounded}), rows, io, name)
    for field_id in _with_long_values(metadata, rows):
        for file in files:
            file.lower_bounds.pop(field_id, None)
            file.upper_bounds.pop(field_id, None)
    return files


def _with_long_values(metadata: TableMetadata, rows: pa.Table) -> Iterator[int]:
    """Field ids of the columns that hold a value of `LONG` bytes or more."""
    for column in rows.schema:
        if pa.types.is_large_string(column.type) or pa.types.is_large_binary(column.type):
            longest = pc.max(pc.binary_length(rows[column.name])).as_py()
            if longest is not None and longest >= LONG:
                yield metadata.schema().find_field(column.name).field_id


def _written(
    metadata: TableMetadata, rows: pa.Table, io: FileIO, name: uuid.UUID
) -> Sequence[DataFile]:
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

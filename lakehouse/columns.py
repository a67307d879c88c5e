"""Python columns to Arrow tables and back, whole columns at a time (a row is never a dict)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakehouse.model.errors import InputError, IntegrityError
from lakehouse.table_spec import TableSpec


@dataclass(frozen=True, slots=True)
class Same:
    """A column that holds one value in every row."""

    value: object


def assemble(spec: TableSpec, rows: int, columns: Mapping[str, Sequence[Any] | Same]) -> pa.Table:
    """A table of `rows` rows in the spec's own schema; a column not given is null.

    InputError names the column that holds a value the lake cannot keep.
    """
    arrays = []
    for column in spec.arrow:
        values = columns.get(column.name, Same(None))
        try:
            if isinstance(values, Same):
                array = pa.repeat(pa.scalar(values.value, column.type), rows)
            else:
                array = pa.array(values, type=column.type)
        except (pa.ArrowException, OverflowError, UnicodeError) as wrong:
            raise InputError(
                f"{spec.name}.{column.name} cannot hold a value of this batch: {wrong}",
                remedy="Correct the value; nothing of the batch was written.",
            ) from wrong
        if array.null_count and not column.nullable:
            raise InputError(
                f"{spec.name}.{column.name} is missing in {array.null_count} rows",
                remedy="Give every row a value; nothing of the batch was written.",
            )
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=spec.arrow)


def values(table: pa.Table, name: str) -> list[Any]:
    """The column as Python values, None for null; timestamps as microseconds UTC."""
    column = table[name]
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return list(column.to_pylist())


def shared(table: pa.Table, name: str) -> list[Any]:
    """The column as Python values, equal ones being one object (for few distinct values)."""
    coded = table[name].combine_chunks().dictionary_encode()
    words = coded.dictionary.to_pylist()
    return [None if code is None else words[code] for code in coded.indices.to_pylist()]


def tags(table: pa.Table, name: str = "tags") -> list[tuple[str, ...]]:
    """The column of lists as tuples, equal ones being one object; null is empty."""
    column = table[name]
    if not pc.max(pc.list_value_length(column)).as_py():
        return [()] * len(column)
    held: dict[tuple[str, ...], tuple[str, ...]] = {}
    return [
        held.setdefault(found, found) for found in (tuple(one or ()) for one in column.to_pylist())
    ]


def digest(secret: bytes, tables: Sequence[pa.Table]) -> str:
    """Keyed BLAKE2b-128 of the tables' rows: per column nulls, lengths and bytes, in order.

    The same rows give the same digest however they were chunked, written and read back.
    """
    state = hashlib.blake2b(key=secret, digest_size=16)
    for table in tables:
        for name in table.column_names:
            state.update(f"{name}:{table.num_rows};".encode())
            for part in _plain(table[name].combine_chunks()):
                state.update(part)
    return state.hexdigest()


def _plain(array: Any) -> list[memoryview]:
    kind = array.type
    nulls = _fixed(pc.cast(pc.is_null(array), pa.int8()), 1)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        lengths = pc.cast(pc.fill_null(pc.list_value_length(array), 0), pa.int64())
        return [nulls, _fixed(lengths, 8), *_plain(pc.list_flatten(array))]
    if pa.types.is_struct(kind):
        fields = [pc.struct_field(array, place) for place in range(kind.num_fields)]
        return [nulls, *(part for one in fields for part in _plain(one))]
    if pa.types.is_boolean(kind):
        return [nulls, _fixed(pc.cast(pc.fill_null(array, False), pa.int8()), 1)]
    if pa.types.is_integer(kind) or pa.types.is_timestamp(kind):
        numbers = pc.fill_null(pc.cast(array, pa.int64()), 0)
        return [nulls, _fixed(numbers, 8)]
    return [nulls, *_texts(array)]


def _fixed(array: Any, width: int) -> memoryview:
    start = array.offset * width
    return memoryview(array.buffers()[1] or b"")[start : start + len(array) * width]


def _texts(array: Any) -> list[memoryview]:
    kind = array.type
    if not (pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)):
        raise IntegrityError(f"no digest for {kind}", remedy="Add this kind to the digest.")
    lengths = pc.cast(pc.fill_null(pc.binary_length(array), 0), pa.int64())
    _, offsets, data = array.buffers()
    if not len(array):
        return []
    bounds = memoryview(offsets).cast("B").cast("q")
    first, last = bounds[array.offset], bounds[array.offset + len(array)]
    return [_fixed(lengths, 8), memoryview(data or b"")[first:last]]

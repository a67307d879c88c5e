"""Rows of one kind as a CSV file that Neo4j's bulk import reads back exactly.

Rows become Arrow columns, some thousand at a time, and Arrow writes the text. What must not get
lost: text is always quoted, so an empty one is told from none; lists are joined by a character
that none of their elements holds; a value with a line break is noted, since the import must be
told. Types are those of the values; the header is written last, when they are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from graph.rows import Row
from lakehouse.model.errors import IntegrityError

BATCH: Final = 20_000
_FORMAT: Final = csv.WriteOptions(include_header=False, quoting_style="needed")


class DelimiterTaken(Exception):
    """An element of a list holds the character that was to part them."""


class Table:
    """The file of one kind of row. `columns` are header fields: with a colon finished, else names.

    A name gets the type of its values behind it.
    """

    def __init__(self, path: Path, columns: tuple[str, ...], delimiter: str) -> None:
        self.path = path
        self.rows = 0
        self.multiline = False
        self.longest = 0
        self._columns = columns
        self._delimiter = delimiter
        self._types: list[str | None] = [None] * len(columns)
        self._waiting: list[Row] = []
        self._file = pa.OSFile(str(path), "wb")
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="csv")
        self._writing: Future[None] | None = None

    def add(self, rows: Sequence[Row]) -> None:
        """Take rows; what is behind the last column is left out."""
        self._waiting += rows
        if len(self._waiting) >= BATCH:
            self._flush()

    def close(self) -> None:
        """Write what waits."""
        try:
            if self._waiting:
                self._flush()
            if self._writing is not None:
                self._writing.result()
        finally:
            self._beside.shutdown(wait=True, cancel_futures=True)
            self._file.close()

    def header(self) -> Path:
        """Write the header into a file of its own, and name it."""
        path = self.path.with_suffix(".header.csv")
        fields = [
            name if ":" in name else f"{name}:{kind or 'IGNORE'}"
            for name, kind in zip(self._columns, self._types, strict=True)
        ]
        path.write_text(",".join(fields) + "\n", encoding="utf-8")
        return path

    def _flush(self) -> None:
        rows, self._waiting = self._waiting, []
        self.rows += len(rows)
        columns = list(zip(*rows, strict=True))[: len(self._columns)]
        arrays = [self._array(at, list(values)) for at, values in enumerate(columns)]
        table = pa.Table.from_arrays(arrays, names=[str(at) for at in range(len(arrays))])
        if self._writing is not None:
            self._writing.result()
        self._writing = self._beside.submit(csv.write_csv, table, self._file, _FORMAT)

    def _array(self, at: int, values: list[object]) -> Any:
        try:
            array = pa.array(values)
        except (pa.ArrowException, OverflowError) as mixed:
            raise self._odd(at, str(mixed)) from mixed
        kind = _kind(array.type)
        if kind is None:
            if not pa.types.is_null(array.type):
                raise self._odd(at, f"{array.type} is no type of a property")
            return array.cast(pa.string())
        if kind == "string[]":
            array = self._joined(array.cast(pa.list_(pa.string())))
        if pa.types.is_string(array.type):
            self._measure(array)
        if self._types[at] not in (None, kind):
            raise self._odd(at, f"{kind} after {self._types[at]}")
        self._types[at] = kind
        return array

    def _joined(self, lists: Any) -> Any:
        if pc.any(pc.match_substring(lists.flatten(), self._delimiter)).as_py():
            raise DelimiterTaken
        some = pc.greater(pc.list_value_length(lists), 0)
        return pc.if_else(some, pc.binary_join(lists, self._delimiter), None)

    def _measure(self, texts: Any) -> None:
        self.longest = max(self.longest, pc.max(pc.binary_length(texts)).as_py() or 0)
        held = texts.buffers()[2]
        if not self.multiline and held is not None:
            data = held.to_pybytes()
            self.multiline = b"\n" in data or b"\r" in data

    def _odd(self, at: int, why: str) -> IntegrityError:
        return IntegrityError(
            f"column {self._columns[at]} of {self.path.stem} cannot be written for the bulk "
            f"import: {why}",
            remedy="Rebuild in place, tenant by tenant: beliefgraph run TENANT --rebuild.",
        )


def _kind(arrow: Any) -> str | None:
    if pa.types.is_int64(arrow):
        return "long"
    if pa.types.is_boolean(arrow):
        return "boolean"
    if pa.types.is_string(arrow):
        return "string"
    if pa.types.is_list(arrow) and (
        pa.types.is_string(arrow.value_type) or pa.types.is_null(arrow.value_type)
    ):
        return "string[]"
    return "double" if pa.types.is_float64(arrow) else None

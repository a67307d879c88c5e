"""The lake's tables, one `TableSpec` each.

Every bound of a period is a `long` (a sentinel overflows timestamp statistics); `timestamptz`
stands only for `landed_at` and a commit's `recorded_at`. `batch_id` names the commit that makes
a row known, `ordinal` is the row's place in that batch. Columns are only ever added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyiceberg.transforms import BucketTransform, IdentityTransform, MonthTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
)

from lakehouse.table_spec import Column, Partition, TableSpec

NAMESPACE: Final = "beliefgraph"
SUBJECT_BUCKETS: Final = 16

_TEXT, _LONG, _INT = StringType(), LongType(), IntegerType()
_INSTANT, _BYTES, _FLAG = TimestamptzType(), BinaryType(), BooleanType()
_TAGS = ListType(element_id=901, element_type=_TEXT, element_required=True)
_KEYS = ListType(element_id=909, element_type=_TEXT, element_required=True)
_COUNTS = MapType(key_id=902, key_type=_TEXT, value_id=903, value_type=_LONG)
_SNAPSHOTS = MapType(key_id=904, key_type=_TEXT, value_id=905, value_type=_LONG)
_TIGHTENED = ListType(
    element_id=906,
    element_type=StructType(
        NestedField(907, "recorded_at", _LONG, required=True),
        NestedField(908, "strictest", _INT, required=True),
    ),
    element_required=True,
)

_NO_RETRY: Final[Mapping[str, str]] = {"commit.retry.num-retries": "0"}
"""For tables whose append is a decision: the loser must hear of it and decide anew."""

_WHOLE: Final = "truncate(128)"
"""What a file's bounds keep of an id: those of one source differ at their ends."""

_BATCH: Final[tuple[Column, ...]] = (
    ("tenant", _TEXT, True),
    ("batch_id", _TEXT, True),
    ("ordinal", _LONG, True),
)
_BY_TENANT: Final[Partition] = ("tenant", IdentityTransform(), "tenant")
_BY_MONTH: Final[tuple[Partition, ...]] = (
    _BY_TENANT,
    ("landed_at", MonthTransform(), "landed_month"),
)
_BY_SUBJECT: Final[tuple[Partition, ...]] = (
    _BY_TENANT,
    ("subject", BucketTransform(SUBJECT_BUCKETS), "subject_bucket"),
)

EPISODES: Final = TableSpec(
    "episodes",
    (
        *_BATCH,
        ("episode_id", _TEXT, True),
        ("source", _TEXT, True),
        ("source_key", _TEXT, True),
        ("attested_at", _LONG, False),
        ("occurred_at", _LONG, False),
        ("landed_at", _INSTANT, True),
        ("seq", _LONG, True),
        ("media_type", _TEXT, True),
        ("trust", _INT, True),
        ("classification", _INT, True),
        ("who", _TEXT, False),
        ("tags", _TAGS, True),
        ("location", _TEXT, True),
        ("digest", _TEXT, True),
        ("subject_keys", _KEYS, False),
    ),
    partition=_BY_MONTH,
    properties={"write.metadata.metrics.column.episode_id": _WHOLE},
)
PAYLOADS: Final = TableSpec(
    "payloads",
    (
        *_BATCH,
        ("episode_id", _TEXT, True),
        ("landed_at", _INSTANT, True),
        ("cipher", _TEXT, True),
        ("body", _BYTES, True),
    ),
    partition=_BY_MONTH,
    properties={
        "write.metadata.metrics.column.body": "none",
        # One payload is read by unpacking the row group that its ordinal lies in.
        "write.parquet.row-group-limit": "5000",
    },
)
STATEMENTS: Final = TableSpec(
    "statements",
    (
        *_BATCH,
        ("statement_id", _TEXT, True),
        ("op", _TEXT, True),
        ("recorded_at", _LONG, False),
        ("episode_id", _TEXT, True),
        ("subject", _TEXT, False),
        ("predicate", _TEXT, True),
        ("object", _TEXT, False),
        ("object_kind", _TEXT, True),
        ("subject_type", _TEXT, True),
        ("object_type", _TEXT, True),
        ("valid_from", _LONG, True),
        ("valid_to", _LONG, True),
        ("valid_from_basis", _TEXT, True),
        ("trust", _INT, True),
        ("classification", _INT, True),
        ("source", _TEXT, True),
        ("tags", _TAGS, True),
        ("target", _TEXT, False),
        ("mark_trust", _INT, False),
        ("mark_classification", _INT, False),
        ("erased", _FLAG, True),
        ("record", _TEXT, True),
        ("stated", _TEXT, True),
        ("undoes", _TEXT, True),
        ("extractor", _TEXT, False),
    ),
    partition=_BY_SUBJECT,
    sort=("subject", "predicate"),
    properties={"write.metadata.metrics.column.statement_id": _WHOLE},
)
BELIEFS: Final = TableSpec(
    "beliefs",
    (
        *_BATCH,
        ("kind", _TEXT, True),
        ("belief_id", _TEXT, True),
        ("key", _TEXT, False),
        ("subject", _TEXT, False),
        ("predicate", _TEXT, False),
        ("object", _TEXT, False),
        ("object_kind", _TEXT, False),
        ("subject_type", _TEXT, False),
        ("object_type", _TEXT, False),
        ("valid_from", _LONG, False),
        ("valid_to", _LONG, False),
        ("recorded_from", _LONG, False),
        ("recorded_to", _LONG, False),
        ("listeners", _LONG, False),
        ("origin", _TEXT, False),
        ("episode_id", _TEXT, False),
        ("valid_from_basis", _TEXT, False),
        ("trust", _INT, False),
        ("classification", _INT, False),
        ("strictest", _INT, False),
        ("tightened", _TIGHTENED, False),
        ("opened_by", _TEXT, False),
        ("closed_by", _TEXT, False),
        ("reason", _TEXT, False),
        ("heard_before", _LONG, False),
    ),
    partition=_BY_SUBJECT,
    sort=("subject", "predicate"),
)
SUPPORTERS: Final = TableSpec(
    "supporters",
    (
        *_BATCH,
        ("kind", _TEXT, True),
        ("support_id", _TEXT, True),
        ("belief_id", _TEXT, False),
        ("statement_id", _TEXT, False),
        ("episode_id", _TEXT, False),
        ("subject", _TEXT, False),
        ("valid_from", _LONG, False),
        ("valid_to", _LONG, False),
        ("recorded_from", _LONG, False),
        ("recorded_to", _LONG, False),
        ("listeners", _LONG, False),
        ("trust", _INT, False),
        ("classification", _INT, False),
        ("heard_before", _LONG, False),
    ),
    partition=_BY_SUBJECT,
    sort=("subject",),
)
QUARANTINE: Final = TableSpec(
    "quarantine",
    (
        *_BATCH,
        ("source", _TEXT, True),
        ("stage", _TEXT, True),
        ("location", _TEXT, True),
        ("field", _TEXT, True),
        ("reason", _TEXT, True),
        ("cipher", _TEXT, True),
        ("raw", _BYTES, True),
        ("digest", _TEXT, True),
        ("subject_keys", _KEYS, False),
    ),
    partition=(_BY_TENANT,),
    properties={"write.metadata.metrics.column.raw": "none"},
)
COMMITS: Final = TableSpec(
    "commits",
    (
        ("position", _LONG, True),
        ("tenant", _TEXT, True),
        ("stage", _TEXT, True),
        ("recorded_at", _INSTANT, True),
        ("clock", _TEXT, True),
        ("batch_id", _TEXT, True),
        ("through", _LONG, True),
        ("ledger_to", _LONG, True),
        ("first_seq", _LONG, True),
        ("counts", _COUNTS, True),
        ("snapshots", _SNAPSHOTS, True),
        ("digest", _TEXT, True),
    ),
    properties=_NO_RETRY,
)
DEFINITIONS: Final = TableSpec(
    "definitions",
    (
        ("tenant", _TEXT, True),
        ("kind", _TEXT, True),
        ("name", _TEXT, True),
        ("version", _LONG, True),
        ("holds_from", _LONG, True),
        ("body", _TEXT, True),
    ),
    properties=_NO_RETRY,
)
PUBLICATIONS: Final = TableSpec(
    "publications",
    (
        ("ordinal", _LONG, True),
        ("tenant", _TEXT, True),
        ("position", _LONG, True),
        ("watermark", _LONG, True),
        ("published_at", _LONG, True),
        ("digest", _TEXT, True),
        ("epoch", _LONG, True),
    ),
    properties=_NO_RETRY,
)

INSTANTS: Final = frozenset(
    {
        "attested_at",
        "holds_from",
        "ledger_to",
        "occurred_at",
        "published_at",
        "recorded_at",
        "recorded_from",
        "recorded_to",
        "valid_from",
        "valid_to",
        "watermark",
    }
)
"""Columns of the kind `long` that hold an instant (µs UTC), or an open end."""

TABLES: Final = {
    spec.name: spec
    for spec in (
        EPISODES,
        PAYLOADS,
        STATEMENTS,
        BELIEFS,
        SUPPORTERS,
        QUARANTINE,
        COMMITS,
        DEFINITIONS,
        PUBLICATIONS,
    )
}

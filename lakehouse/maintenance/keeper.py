"""Who keeps the tables: we do, except where the store does it itself.

AWS S3 Tables expires, compacts and sweeps on its own schedule; doing it beside it would race.
"""

from __future__ import annotations

from lakehouse.model.errors import InputError
from lakehouse.store import Store

_AWS = ".amazonaws.com"


def check_ours(store: Store) -> None:
    """InputError where the catalog is AWS's own S3 Tables."""
    properties = store.properties
    signing = properties.get("rest.signing-name", "")
    if signing == "s3tables" and _AWS in properties.get("uri", ""):
        raise InputError(
            "this lake lies in AWS S3 Tables, which keeps its tables itself",
            remedy="Set its maintenance on the table bucket; nothing is to be done here.",
        )

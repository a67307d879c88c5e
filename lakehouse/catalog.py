"""Which catalog holds the lake: PyIceberg's own configuration, else SQLite and a folder.

Settings are those of PyIceberg: `PYICEBERG_CATALOG__<NAME>__<KEY>` variables over the first
`.pyiceberg.yaml` found in `PYICEBERG_HOME`, the user's home or the working directory, and
`PYICEBERG_DEFAULT_CATALOG` where several are named. Read from the mapping that is given.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.exceptions import NotInstalledError, RESTError
from pyiceberg.table import CommitTableResponse, Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.update import TableRequirement, TableUpdate
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from lakehouse import catalog_file
from lakehouse.failures import failed
from lakehouse.model.errors import ConfigurationError, UnavailableError
from lakehouse.planning import ReadOnce
from lakehouse.s3tables import check_login
from lakehouse.seaweed.settings import CATALOG

LOCAL: Final = "beliefgraph"
"""Name of the local catalog inside its SQLite file."""
_PREFIX: Final = "pyiceberg_"
_LOCKED_SECONDS: Final = "60"
"""How long a writer waits for SQLite's lock."""
_SECTION_PARTS: Final = 3
_MOST_METADATA: Final = 32
"""Metadata files kept parsed: a few of each table, up to some hundred KB each."""
_EXTRAS: Final = {"boto3": "'beliefgraph[aws]'", "pg8000": "'beliefgraph[postgres]'"}


@contextmanager
def opening(home: Path, environ: Mapping[str, str]) -> Iterator[Catalog]:
    """The catalog to use, while it is made ready (one process at a time for the local one)."""
    named = configured(environ)
    if named:
        yield _load(*named)
        return
    lake = home / "lake"
    try:
        lake.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise ConfigurationError(
            f"the folder {lake} cannot be made: {wrong.strerror}",
            remedy="Set BELIEFGRAPH_HOME to a folder that you may write to.",
        ) from wrong
    with (lake / "opening.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield local(lake)


def local(lake: Path) -> Catalog:
    """SQLite catalog and warehouse folder under `lake`."""
    folder = lake.resolve()
    if set("#?") & set(str(folder)):
        raise ConfigurationError(
            f"{folder} contains '#' or '?', which file locations cannot hold",
            remedy="Choose a home without them.",
        )
    where = URL.create(
        "sqlite", database=str(folder / "catalog.db"), query={"timeout": _LOCKED_SECONDS}
    )
    return _LocalCatalog(
        LOCAL,
        uri=where.render_as_string(hide_password=False),
        warehouse=f"file://{folder / 'warehouse'}",
    )


class _LocalCatalog(SqlCatalog):
    """Asks the database each time which metadata file is the table's, and parses each file once.

    Such a file never changes and its name holds a random id; parsing it was half of a load. What
    was just committed is kept as it was written.
    """

    def __init__(self, name: str, **properties: str) -> None:
        super().__init__(name, **properties)
        self._parsed = ReadOnce[TableMetadata](_MOST_METADATA)

    def _convert_orm_to_iceberg(self, orm_table: IcebergTables) -> Table:
        location = orm_table.metadata_location
        known = self._parsed.get(location) if location else None
        if not (location and known):
            table = super()._convert_orm_to_iceberg(orm_table)
            table.metadata = self._keep(table.metadata_location, table.metadata)
            return table
        return Table(
            identifier=(*self.identifier_to_tuple(orm_table.table_namespace), orm_table.table_name),
            metadata=known[0],
            metadata_location=location,
            io=self._load_file_io(known[0].properties, location),
            catalog=self,
        )

    def commit_table(
        self,
        table: Table,
        requirements: tuple[TableRequirement, ...],
        updates: tuple[TableUpdate, ...],
    ) -> CommitTableResponse:
        """As PyIceberg's, and the metadata is known from then on."""
        done = super().commit_table(table, requirements, updates)
        self._keep(done.metadata_location, done.metadata)
        return done

    def _keep(self, location: str, metadata: TableMetadata) -> TableMetadata:
        kept = metadata.model_copy(update={"snapshots": _Snapshots(metadata.snapshots)})
        self._parsed.keep(location, (kept,))
        return kept


class _Snapshots(list[Snapshot]):
    """A table's snapshots, which PyIceberg copies in depth at each commit: a third of its time.

    A snapshot is never changed, so a copy of the list does.
    """

    def __add__(self, other: list[Any]) -> _Snapshots:  # type: ignore[override]
        return _Snapshots([*self, *other])

    def __deepcopy__(self, memo: dict[int, Any]) -> _Snapshots:
        return _Snapshots(self)


def configured(environ: Mapping[str, str]) -> tuple[str, dict[str, str]] | None:
    """Name and properties of the catalog that PyIceberg's configuration chooses, if any.

    ConfigurationError where several are named and none is chosen, and for a file that is named
    but not there, or unreadable.
    """
    catalog_file.check_named(environ)
    settings = catalog_file.read(environ)
    chosen = str(settings.get("default-catalog", ""))
    catalogs: dict[str, dict[str, str]] = {
        str(name).lower(): _flat(values) for name, values in settings.get("catalog", {}).items()
    }
    for variable, value in environ.items():
        key = variable.lower()
        if key == "pyiceberg_default_catalog":
            chosen = value
        parts = key.removeprefix(_PREFIX).split("__", maxsplit=2)
        if key.startswith(_PREFIX) and parts[0] == "catalog" and len(parts) == _SECTION_PARTS:
            name, setting = (part.replace("__", ".").replace("_", "-") for part in parts[1:])
            catalogs.setdefault(name, {})[setting] = value
    if not catalogs:
        return None
    name = _choose(chosen.lower(), list(catalogs))
    return name, catalogs[name]


def _choose(chosen: str, names: list[str]) -> str:
    name = chosen or ("default" if "default" in names else names[0])
    if name not in names or (not chosen and name != "default" and len(names) > 1):
        raise ConfigurationError(
            f"catalog {chosen or '(none chosen)'} among the configured {', '.join(names)}",
            remedy="Name one of them in PYICEBERG_DEFAULT_CATALOG.",
        )
    return name


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in values.items():
        name = f"{prefix}{key}".lower()
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{name}."))
        else:
            flat[name] = str(value)
    return flat


def _load(name: str, properties: Mapping[str, str]) -> Catalog:
    signed = properties.get("rest.sigv4-enabled", "").lower() == "true"
    try:
        if signed:
            check_login(properties)
        return load_catalog(name, **properties)
    except (ModuleNotFoundError, NotInstalledError) as missing:
        package = str(getattr(missing, "name", None) or getattr(missing.__cause__, "name", None))
        raise UnavailableError(
            f"catalog {name!r} needs the package {package}, which is not installed",
            remedy=f"pip install {_EXTRAS.get(package, package)}",
        ) from missing
    except ValueError as wrong:
        raise ConfigurationError(
            f"catalog {name!r} is configured wrongly: {wrong}",
            remedy="See PyIceberg's configuration page for the settings of its kind.",
        ) from wrong
    except (OSError, RESTError, DBAPIError) as wrong:
        remedy = (
            "Start the local S3 server: beliefgraph up --s3."
            if name == CATALOG
            else "Check its uri, the network and the credentials."
        )
        raise failed(f"catalog {name!r} cannot be reached", wrong, remedy) from wrong

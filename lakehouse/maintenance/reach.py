"""Which files a table still reaches: from its metadata, through every retained snapshot."""

from __future__ import annotations

from dataclasses import dataclass

from pyiceberg.table import Table

from lakehouse.scan import file_system


@dataclass(frozen=True, slots=True)
class Reached:
    """Paths in the table's store. `rows` are data files, `about` all that leads to them."""

    rows: frozenset[str]
    about: frozenset[str]


def reached(table: Table) -> Reached:
    """Everything that a retained snapshot or a kept metadata file names."""
    metadata = table.metadata
    log = {table.metadata_location, *(entry.metadata_file for entry in metadata.metadata_log)}
    statistics = {one.statistics_path for one in metadata.statistics}
    statistics |= {one.statistics_path for one in metadata.partition_statistics}
    lists = {one.manifest_list for one in metadata.snapshots if one.manifest_list}
    manifests = {
        manifest.manifest_path: manifest
        for snapshot in metadata.snapshots
        for manifest in snapshot.manifests(table.io)
    }
    rows = {
        entry.data_file.file_path
        for manifest in manifests.values()
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True)
    }
    about = log | statistics | lists | manifests.keys()
    return Reached(_paths(table, rows), _paths(table, about))


def _paths(table: Table, locations: set[str]) -> frozenset[str]:
    return frozenset(file_system(table, location)[1] for location in locations)

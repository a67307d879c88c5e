"""`lake sql`: any question in SQL, over views of one tenant's committed rows."""

from __future__ import annotations

import json

import click
import pyarrow as pa

from lakehouse.model import instants
from lakehouse.model.counted import counted
from queries.basis import instant, zone_named
from queries.surfaces.lake_store import (
    check_known,
    opened_store,
    reader_of,
    tenant_of,
    told_rows,
)
from queries.surfaces.options import AS_JSON, TENANT, ZONE


@click.command()
@click.argument("text", metavar="SQL")
@TENANT
@click.option("--known-at", metavar="WHEN", help="As known when  [default: all that is committed]")
@click.option("--position", type=int, help="Up to which commit  [default: the newest]")
@ZONE
@AS_JSON
def sql(
    text: str,
    tenant: str | None,
    known_at: str | None,
    position: int | None,
    zone: str | None,
    as_json: bool,
) -> None:
    """Ask the lake in SQL (DuckDB): its tables are views of one tenant's committed rows.

    `beliefs` are rectangles, `supporters` boxes, both settled as known at --known-at; what closed
    them later reads as open. Instants are microseconds UTC; iso(x) shows one. This is the
    operator's tool: it sees every classification. It can neither write nor read other files.

    \b
    Example:
      beliefgraph lake sql "SELECT predicate, count(*) FROM beliefs GROUP BY 1" --tenant plant
    """
    from lakehouse.open_sql import OpenLake  # noqa: PLC0415  (heavy; --help needs none of it)

    whose, store = tenant_of(tenant), opened_store()
    check_known(reader_of(store), whose)
    known = None if known_at is None else instant("known_at", known_at, zone_named(zone))
    opened = OpenLake(store, whose, position=position, known_at=known)
    rows = opened.sql(text)
    if as_json:
        read = {name: None if one is None else str(one) for name, one in opened.snapshots.items()}
        basis = {
            "tenant": whose,
            "position": opened.position,
            "known_at": None if known is None else instants.show(known),
            "snapshots": read,
        }
        record = {"basis": basis, "rows": told_rows(rows)}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False, default=str))
        return
    click.echo(_table(rows))
    as_known = "" if known is None else f", as known {instants.show(known)}"
    found = counted(rows.num_rows, "row")
    click.echo(f"{found} of tenant {whose}, position {opened.position}{as_known}")


def _table(rows: pa.Table) -> str:
    """Aligned columns under their names; numbers to the right."""
    cells = [list(rows.column_names)]
    cells += [["" if value is None else str(value) for value in row] for row in _values(rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(rows.num_columns)]
    right = [pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
             for field in rows.schema]  # fmt: skip
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _values(rows: pa.Table) -> list[list[object]]:
    return [list(row.values()) for row in told_rows(rows)]

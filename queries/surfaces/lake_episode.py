"""`lake episode`: one raw record as it arrived, with its header."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from lakehouse.model import instants
from lakehouse.model.episodes import Episode
from lakehouse.model.statements import CLASSIFICATION_NAMES, TRUST_NAMES
from queries.surfaces.lake_store import check_known, opened_store, plain, reader_of, tenant_of
from queries.surfaces.options import AS_JSON, TENANT


@click.command()
@click.argument("episode_id")
@TENANT
@click.option("--raw", is_flag=True, help="Print the payload alone, byte for byte.")
@AS_JSON
def episode(episode_id: str, tenant: str | None, raw: bool, as_json: bool) -> None:
    """Show a raw record as it arrived, decrypted: its header and its payload.

    This is the operator's tool: it sees every classification. A payload that was erased is an
    error of its own (exit code 66).

    \b
    Examples:
      beliefgraph lake episode g-001 --tenant plant
      beliefgraph lake episode g-001 --tenant plant --raw > record.json
    """
    whose, reader = tenant_of(tenant), reader_of(opened_store())
    check_known(reader, whose)
    payload = reader.payload(whose, episode_id)
    if raw:
        click.echo(payload, nl=False)
        return
    header = reader.headers(whose, [episode_id])[episode_id]
    if as_json:
        record = {**_record(header), "payload": plain(payload)}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    for name, value in _rows(header):
        click.echo(f"{name:<15}{value}")
    click.echo(f"\n{payload.decode('utf-8', 'replace')}")


def _record(header: Episode) -> dict[str, object]:
    """The header for JSON; what it does not state is null."""
    return {
        "tenant": header.tenant,
        "episode_id": header.episode_id,
        "source": header.source,
        "source_record": header.source_key,
        "landed_at": instants.show(header.landed_at),
        "attested_at": _instant(header.attested_at),
        "occurred_at": _instant(header.occurred_at),
        "trust": TRUST_NAMES[header.trust],
        "classification": CLASSIFICATION_NAMES[header.classification],
        "who": header.who,
        "tags": list(header.tags),
        "location": header.location,
        "media_type": header.media_type,
        "kept": "encrypted" if header.protection.keys else "as it came",
    }


def _rows(header: Episode) -> Iterator[tuple[str, object]]:
    """What the header states, line by line."""
    for name, value in _record(header).items():
        told = ", ".join(value) if isinstance(value, list) else value
        if told:
            yield name.replace("_", " "), told


def _instant(instant: int | None) -> str | None:
    return None if instant is None else instants.show(instant)

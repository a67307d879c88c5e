"""The command `s3tables`: have a table bucket in Amazon S3 Tables, ready to be the lake's store."""

from __future__ import annotations

import json
import shlex

import click

from lakehouse import s3tables as control_plane
from lakehouse.model.counted import counted
from queries.surfaces.options import AS_JSON


@click.command()
@click.argument("bucket")
@click.option("--region", help="AWS region [default: that of AWS's own settings].")
@AS_JSON
def s3tables(bucket: str, region: str | None, as_json: bool) -> None:
    """Make a table bucket in Amazon S3 Tables, set its upkeep, print the settings that choose it.

    Credentials and region come from AWS's own settings. What exists is left as it is, so it may
    be run again: after the first landing it sets the upkeep of the tables that were made by then.

    \b
    Example:
      beliefgraph s3tables my-lake --region eu-west-1
    """
    control = control_plane.client(region)
    upkeep = control_plane.Upkeep()
    found = control_plane.provision(control, bucket, upkeep)
    settings = control_plane.catalog_settings(control, found.arn)
    if as_json:
        record = {
            "arn": found.arn,
            "made": found.made,
            "tables": found.tables,
            "deadline": upkeep.deadline(),
            "settings": settings,
        }
        click.echo(json.dumps(record, indent=2))
        return
    click.echo(f"bucket    {found.arn}")
    click.echo(f"made      {', '.join(found.made) or 'nothing: it was there'}")
    click.echo(
        f"upkeep    of the bucket and {counted(len(found.tables), 'table')}; {upkeep.deadline()}"
    )
    if not found.tables:
        click.echo("          run this again after the first landing, which makes the tables")
    click.echo("\nTo keep the lake there:\n")
    for name, value in settings.items():
        click.echo(f"  export {name}={shlex.quote(value)}")

"""Options that several commands take, each written once."""

from __future__ import annotations

from typing import Final

import click

AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
TENANT: Final = click.option("--tenant", metavar="NAME", help="Whose rows.")
ZONE: Final = click.option(
    "--zone",
    metavar="NAME",
    help="Zone of times without an offset, and of dates  [default for dates: UTC]",
)

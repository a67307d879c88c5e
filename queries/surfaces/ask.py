"""The command `ask`: one question at a pair of instants, answered with its evidence."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
from click.core import ParameterSource

from lakehouse.model.statements import CLASSIFICATION_NAMES
from queries.again import support_of, supporters
from queries.answers import Answer, Supporters
from queries.basis import zone_named
from queries.statements import MOST_STEPS
from queries.surfaces import asking_again
from queries.surfaces.composition import ENGINES, default_tenant, opened_engine
from queries.surfaces.nothing import hints
from queries.surfaces.options import AS_JSON, ZONE
from queries.surfaces.rendering import render, render_differences
from queries.surfaces.wanted import Wanted


@click.command()
@click.argument("subject", required=False)
@click.argument("predicate", required=False)
@click.option("--who", metavar="CHAIN=VALUE", help="Ask who has a value, up to 3 predicates away.")
@click.option("--hops", type=click.IntRange(1, MOST_STEPS), help="All reached in so many steps.")
@click.option("--history", is_flag=True, help="All that was believed of PREDICATE by then.")
@click.option("--to", metavar="ENTITY", help="How SUBJECT and ENTITY hang together.")
@click.option("--episode", metavar="ID", help="Ask for all that came from an episode.")
@click.option(
    "--recorded", nargs=2, metavar="FROM UNTIL", help="Ask for all that opened or closed then."
)
@click.option("--since", metavar="WHEN", help="What became different of SUBJECT since then.")
@click.option("--valid-at", metavar="WHEN", help="When in the world  [default: now]")
@click.option("--known-at", metavar="WHEN", help="As known when  [default: the watermark]")
@ZONE
@click.option(
    "--tenant",
    metavar="NAME",
    help="Whose beliefs  [default: BELIEFGRAPH_TENANT, else the only one there is]",
)
@click.option("--listener", metavar="RULE", default="trust>=0", show_default=True)
@click.option(
    "--clearance",
    type=click.Choice(CLASSIFICATION_NAMES),
    default=CLASSIFICATION_NAMES[-1],
    show_default=True,
    help="What the reader may see.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="What answers; the lake needs no server.",
)
@click.option("--full", is_flag=True, help="Tell all evidence, however many answers there are.")
@click.option("--strict", is_flag=True, help="Fail where known-at is not published yet.")
@click.option(
    "--basis",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Ask again what this file tells (the JSON of an answer), and compare.",
)
@AS_JSON
@click.pass_context
def ask(
    context: click.Context,
    *,
    subject: str | None,
    predicate: str | None,
    who: str | None,
    hops: int | None,
    history: bool,
    to: str | None,
    episode: str | None,
    recorded: tuple[str, str] | None,
    since: str | None,
    valid_at: str | None,
    known_at: str | None,
    zone: str | None,
    tenant: str | None,
    listener: str,
    clearance: str,
    engine: str,
    full: bool,
    strict: bool,
    basis: Path | None,
    as_json: bool,
) -> None:
    """Ask what was believed, true when, as known when, and from where.

    SUBJECT is an entity; without PREDICATE all that is believed of it is told. WHEN is a date
    (the midnight that begins it) or an instant with its offset. The same question, asked at the
    same two instants, has the same answer for ever.

    \b
    Examples:
      beliefgraph ask zone:America/Mexico_City utc_offset \\
          --valid-at 2023-06-01 --known-at 2022-10-01
      beliefgraph ask --who has_zone/utc_offset=+03:00 --valid-at 2024-06-01
      beliefgraph ask zone:Asia/Almaty utc_offset --history
      beliefgraph ask country:KZ --hops 2 --json
      beliefgraph ask zone:Asia/Almaty --since 2024-01-01
      beliefgraph ask --basis answer.json --engine lake
    """
    if basis is not None:
        asking_again.check_alone(context)
        chosen = context.get_parameter_source("engine") is not ParameterSource.DEFAULT
        answer, support = asking_again.ask_again(basis, engine if chosen else None)
        again = _record(answer, support) | {"same": True}
        text = asking_again.rendered(answer, support, full=full)
        click.echo(json.dumps(again, indent=2, ensure_ascii=False) if as_json else text)
        return
    wanted = Wanted(
        subject, predicate, who, hops, history, to=to, episode=episode, recorded=recorded,
        since=since,
    )  # fmt: skip
    wanted.check()
    asked_zone = zone_named(zone)
    with opened_engine(engine, os.environ, listener) as memory:
        view = memory.view(
            tenant or default_tenant(memory, os.environ),
            valid_at=valid_at,
            known_at=known_at,
            listener=listener,
            clearance=clearance,
            strict=strict,
            zone=asked_zone,
        )
        if since is not None:
            told = wanted.differences(view, since, asked_zone)
            record = json.dumps(told.as_record(), indent=2, ensure_ascii=False)
            missing = () if told.changes or as_json else hints(view, told.question)
            click.echo(record if as_json else render_differences(told, missing))
            return
        answer = wanted.of(view, asked_zone)
        support = support_of(view, answer)
        missing = hints(view, answer.question) if answer.nothing and not as_json else ()
    if as_json:
        click.echo(json.dumps(_record(answer, support), indent=2, ensure_ascii=False))
    else:
        click.echo(render(answer, support, full=full, hints=missing))


def _record(answer: Answer, support: Supporters) -> dict[str, object]:
    return {**answer.as_record(), "support": supporters(support)}

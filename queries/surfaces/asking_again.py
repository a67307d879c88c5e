"""`ask --basis`: an answer that was told is asked again, and compared by its digest."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
from click.core import ParameterSource

from graph.server import home_from
from lakehouse.model.errors import InputError
from queries.again import Told, support_of, told_of
from queries.answers import Answer, Supporters
from queries.surfaces.composition import opened
from queries.surfaces.rendering import render

_MAY_BE_GIVEN = frozenset({"basis", "engine", "full", "as_json"})


def check_alone(context: click.Context) -> None:
    """InputError where a basis is given beside what it fixes itself."""
    given = sorted(
        name
        for name in context.params
        if name not in _MAY_BE_GIVEN
        and context.get_parameter_source(name) is not ParameterSource.DEFAULT
    )
    if given:
        raise InputError(
            f"--basis fixes the whole question, so {', '.join(given)} cannot be given with it",
            remedy="Give --basis alone; --engine, --full and --json may stand beside it.",
        )


def ask_again(file: Path, engine: str | None) -> tuple[Answer, Supporters]:
    """Ask what the file tells once more; IntegrityError where the answer is another one.

    The engine is the one that answered then, or the one that is given. The lake reads the
    snapshots that the basis names where they are retained, else the rows of today.
    """
    told = _read(file)
    if (engine or told.engine) == "lake":
        return _of_lake(told)
    with opened(os.environ, told.listener) as memory:
        view = memory.view(told.tenant, **told.settings)
        answer = told.ask(view)
        support = support_of(view, answer)
        told.check(answer, support)
        return answer, support


def _of_lake(told: Told) -> tuple[Answer, Supporters]:
    from queries.lake import LakeMemory, Named  # noqa: PLC0415  (heavy, and seldom needed)

    named = Named(told.position, told.snapshots)
    memory = LakeMemory(home_from(os.environ), os.environ, named=named)
    view = memory.view(told.tenant, **told.settings)
    answer = told.ask(view)
    support = support_of(view, answer)
    told.check(answer, support)
    return answer, support


def rendered(answer: Answer, support: Supporters, *, full: bool) -> str:
    """The answer as text, and that it is the one that was told."""
    return f"{render(answer, support, full=full)}\nsame      as was told: digest {answer.digest}"


def _read(file: Path) -> Told:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        raise InputError(
            f"{file} cannot be read as JSON: {wrong}",
            remedy="Give the whole JSON that `beliefgraph ask … --json` printed.",
        ) from wrong
    return told_of(record, str(file))

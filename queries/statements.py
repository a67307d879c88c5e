"""The shipped Cypher: a frame, one verb in it, and the columns of a belief written once.

The reading rule comes from `graph` through its loader. Only three things are ever put into a
text: a verb into the frame, the columns into a verb, and a checked number of steps.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, LiteralString

from graph.statements import statement
from lakehouse.model.errors import InputError

MOST_STEPS: Final = 3
_PACKAGE: Final = "queries"
_ASKED: Final = re.compile(r"\$(valid_at|known_at|listener)\b")


@cache
def verb(name: str) -> LiteralString:
    """The read `queries/cypher/<name>.cypher`, framed."""
    inner = statement(name, _PACKAGE)
    for place, columns in (("{{belief}}", "belief"), ("{{columns}}", "believed_columns")):
        inner = inner.replace(place, statement(columns, _PACKAGE))
    return framed(inner)


@cache
def stepping(name: str, written: str, steps: str) -> LiteralString:
    """A verb whose quantifier, as written in its file, is another one (no parameter can be)."""
    text = verb(name)
    if text.count(written) != 1 or not re.fullmatch(r"\{(1,)?[123]\}", steps):
        raise ValueError(f"{name}.cypher has no single quantifier {written} for {steps}")
    return text.replace(written, steps)


@cache
def asked_by(name: str, question: str) -> LiteralString:
    """A verb in which the rule's clocks and listener are those of a variable, not parameters."""
    return _ASKED.sub(rf"{question}.\1", verb(name))


def framed(inner: str) -> str:
    """A statement between the two looks at the epoch; it returns one row with `found`."""
    return statement("frame", _PACKAGE).replace("{{verb}}", inner)


def steps_checked(hops: int, most: int = MOST_STEPS) -> int:
    """The number of steps, 1 to `most`; InputError otherwise."""
    if type(hops) is not int or hops not in range(1, most + 1):
        raise InputError(f"{hops!r} steps cannot be asked", remedy=f"Ask 1 to {most} steps.")
    return hops

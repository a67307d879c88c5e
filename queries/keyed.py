"""One key at one basis: its edges are looked at, or, where they are very many, its forks are.

A reader learns which keys are crowded as it meets them; for the others no fork is asked for.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Final

from graph import fork as forks
from queries.basis import Basis
from queries.reading import Found, Reader
from queries.statements import verb

_RELIES: Final = itemgetter(0)


def read_key(reader: Reader, key: str, basis: Basis) -> Found:
    """The rows of what is believed of the key, and the state that they were read from."""
    given: dict[str, Any] = {**basis.rule, "key": key}
    if key not in reader.crowded:
        found = reader.read(basis.tenant, verb("key"), {**given, "crowd": forks.CROWD})
        if found.rows is not None:
            return found
        reader.crowded.add(key)
    given["forks"] = forks.ancestors(basis.known_at)
    given |= {"leaf": forks.leaf(basis.known_at), "open": forks.OPEN}
    found = reader.read(basis.tenant, verb("dense_key"), given, relies=_RELIES)
    return Found(found.rows[1], found.state)

"""What erasures reach, and the generation of a key: how many of them reached back into it.

An erasure reaches statements of that id, episode or entity, earlier or later than itself (DESIGN
section 3.7). One that reaches back changes rectangles that were recorded already, their ends and
reasons too. So the key's rectangles are named anew: a recorded id never means something else, and
whoever keeps them removes the old ones and takes the new.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from lakehouse.model.statements import Operation, Statement


class Erased(NamedTuple):
    """The erased statements of one key, by id, and the key's generation."""

    ids: frozenset[str]
    generation: int


_NOTHING = Erased(frozenset(), 0)


class Erasures:
    """The erasures of a ledger."""

    def __init__(self, ledger: Iterable[Statement]) -> None:
        erase = Operation.ERASE
        self._by_target: dict[str, list[Statement]] = defaultdict(list)
        for statement in ledger:
            if statement.op is erase and statement.target is not None:
                self._by_target[statement.target].append(statement)

    def of(self, statements: Iterable[Statement]) -> Erased:
        """What they reach among the statements of a key."""
        if not self._by_target:
            return _NOTHING
        ids: set[str] = set()
        back: set[str] = set()
        for statement in statements:
            for name in statement.names:
                for erasure in self._by_target.get(name, ()):
                    ids.add(statement.statement_id)
                    if statement.order < erasure.order:
                        back.add(erasure.statement_id)
        return Erased(frozenset(ids), len(back))

"""What `ask` says beside "nothing": whether the name is one of which anything is believed.

A misspelt name and a name of which nothing is believed give the same empty answer. What is said
here is another answer at the same basis, so it shows nothing that its reader may not see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from lakehouse.model.instants import show

if TYPE_CHECKING:
    from queries.lake_view import LakeView
    from queries.view import View

_NAMED: Final = ("entity", "start", "end")
"""Where a question names an entity."""
_MOST: Final = 12


def hints(view: View | LakeView, question: Mapping[str, object]) -> tuple[str, ...]:
    """One sentence for each entity that the question names; none where none would help."""
    entities = [str(question[part]) for part in _NAMED if part in question]
    return tuple(hint for one in entities for hint in _of(view, one, question.get("predicate")))


def _of(view: View | LakeView, entity: str, asked: object) -> Iterator[str]:
    at, found = show(view.basis.valid_at), view.entity(entity)
    own = sorted({belief.predicate for belief in found.beliefs if belief.subject == entity})
    if found.nothing:
        yield (
            f"Nothing at all is believed of {entity} at {at}, as known then: is it spelt so? "
            "Else ask another time (--valid-at, --known-at)."
        )
    elif asked and asked not in own:
        more = f" and {len(own) - _MOST} more" if len(own) > _MOST else ""
        told = ", ".join(own[:_MOST]) or "nothing, though others name it"
        yield f"Believed of {entity} at {at}: {told}{more}."

"""The file of an answer that is asked again: what is wrong in it is named, whoever wrote it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lakehouse.model.errors import InputError
from queries.again import told_of

BASIS = {
    "tenant": "t", "valid_at": "2026-01-01", "known_at": "2026-01-01", "listener": "trust>=0",
    "clearance": "public", "position": 3, "snapshots": {"statements": "7"},
}  # fmt: skip
ASKED = {"verb": "beliefs", "entity": "S", "predicate": None}


def record(**more: Any) -> dict[str, Any]:
    return {"question": ASKED, "digest": "d", "basis": BASIS, **more}


def test_an_answers_file_is_read() -> None:
    told = told_of(record(), "f.json")
    assert (told.tenant, told.position, told.snapshots) == ("t", 3, {"statements": 7})


@pytest.mark.parametrize(
    "wrong",
    [
        {"question": None},
        {"question": {"verb": "beliefs", "predicate": None}},
        {"question": ASKED | {"entity": 5}},
        {"question": ASKED | {"predicate": ["a"]}},
        {"question": ASKED | {"verb": "everything"}},
        {"question": {"verb": "paths", "start": "S", "hops": "2"}},
        {"question": {"verb": "paths", "start": "S", "hops": True}},
        {"basis": BASIS | {"snapshots": {"statements": "x"}}},
        {"basis": BASIS | {"position": "first"}},
        {"basis": []},
    ],
)
def test_what_is_wrong_in_it_is_named_and_never_a_traceback(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"f\.json is not an answer that was told") as told:
        told_of(record(**wrong), "f.json")
    assert "--json" in told.value.remedy


def test_what_the_lakes_engine_does_not_answer_is_left_to_the_graph() -> None:
    asked = {"verb": "neighbours", "entity": "S", "hops": 1}
    told = told_of(record(question=asked), "f.json")
    with pytest.raises(InputError, match="does not answer neighbours"):
        told.ask(SimpleNamespace())  # type: ignore[arg-type]

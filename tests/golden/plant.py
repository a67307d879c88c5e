"""The plant's ledger and its golden questions, for every engine that answers them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from lakehouse.model.instants import parse
from lakehouse.model.statements import CLASSIFICATION, Statement
from pipelines.extract.declaration import Declaration
from pipelines.extract.extractor import extract
from pipelines.extract.loading import load
from pipelines.extract.reading import files_of, read

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "pipelines" / "defs" / "sources"
KEY = b"the key of the golden histories."


@dataclass(frozen=True)
class Question:
    """One question and its answer: each value with the ids of its supporting statements."""

    about: str
    subject: str
    predicate: str
    valid_at: int
    known_at: int
    listener: str
    clearance: int
    expect: dict[str, frozenset[str]]


def declaration() -> Declaration:
    """The plant's source."""
    return load(SOURCES / "plant" / "defs.yaml")


def ledger() -> list[Statement]:
    """The plant's statements in ledger order; nothing of it may be refused."""
    declared = declaration()
    read_in = list(read(declared, files_of(declared, {})))
    found = extract(declared, read_in, key=KEY, now=None)  # type: ignore[arg-type]
    assert not found.refusals
    return [replace(one.statement, seq=seq) for seq, one in enumerate(found.extracted)]


def questions() -> list[Question]:
    """The golden questions in the order of the file."""
    told = yaml.safe_load((Path(__file__).parent / "plant_questions.yaml").read_text())
    return [_question(one) for one in told]


def _question(told: dict[str, Any]) -> Question:
    subject, predicate = told["ask"]
    return Question(
        about=told["about"],
        subject=subject,
        predicate=predicate,
        valid_at=parse(told["valid_at"]),
        known_at=parse(told["known_at"]),
        listener=told.get("listener", "trust>=unverified"),
        clearance=CLASSIFICATION[told.get("clearance", "restricted")],
        expect={value: frozenset(ids) for value, ids in told["expect"].items()},
    )

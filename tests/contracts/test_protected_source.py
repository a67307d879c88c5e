"""A source that declares whose data its records hold: landed, extracted, refused, forgotten."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from lakehouse.memory import MemoryLedger
from lakehouse.model.episodes import Episode, Protection
from lakehouse.stamping import system_clock
from lakehouse.vault import MemoryVault
from pipelines.extract.declaration import Declaration
from pipelines.extract.loading import declare
from pipelines.extract.reading import episode_of
from pipelines.extraction import extract
from pipelines.landing import land

SOURCE = dedent("""
    source: crm
    tenant: t
    feed: state
    files: [crm.jsonl]
    payload: {subjects: [{text: "person:{id}"}, "contacts[].mail"]}
    episode: {record: id}
    predicates:
      name: {cardinality: one, object: string, subject_type: customer}
    statements:
      - {subject: {text: "customer:{id}"}, predicate: name, object: name}
""")


def declared(old: str = "", new: str = "") -> Declaration:
    assert old in SOURCE
    return declare(SOURCE.replace(old, new), Path("crm.yaml"))


def protection(record: dict[str, Any], source: Declaration | None = None) -> Protection:
    return episode_of(source or declared(), json.dumps(record).encode(), "f:1", 1).protection


def test_a_record_concerns_whom_its_fields_name() -> None:
    mails = [{"mail": "b@x"}, {"mail": None}, {}, {"mail": "b@x"}]
    told = protection({"id": 7, "contacts": mails})
    assert (told.encrypted, told.subjects) == (True, ("person:7", "b@x"))
    assert "b@x" not in repr(told)
    by_path = declared('[{text: "person:{id}"}, "contacts[].mail"]', "[id, owner]")
    assert protection({"id": 7}, by_path).subjects == ("7",)


def test_what_is_not_declared_is_under_the_tenants_own_key() -> None:
    line = 'payload: {subjects: [{text: "person:{id}"}, "contacts[].mail"]}\n'
    assert protection({"id": "7"}, declared(line)) == Protection()
    plain = declared(line, "payload: {encrypted: false}\n")
    assert protection({"id": "7"}, plain) == Protection(encrypted=False)


@pytest.mark.parametrize("wrong", [True, 1.5, " b", "", "\ud800", {"a": 1}, ["b@x"]])
def test_what_names_nobody_refuses_the_record_with_its_place(wrong: object, tmp_path: Path) -> None:
    line = Line(tmp_path)
    line.land({"id": "1", "contacts": [{"mail": wrong}]}, {"id": "2", "name": "Bob"})
    (refused,) = line.ledger.quarantined("t")
    assert refused.field == "payload.subjects[1]" and refused.location == "crm.jsonl:1"
    assert "names nobody" in refused.reason and refused.protection.encrypted
    assert [one.source_key for one in line.ledger.headers("t").values()] == ["2"]


class Line:
    """The source's landing and extraction over a ledger in memory."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "crm.jsonl"
        self.vault = MemoryVault()
        self.ledger = MemoryLedger(vault=self.vault)
        self.source = declared()

    def land(self, *records: dict[str, Any]) -> int:
        self.file.write_text("".join(json.dumps(one) + "\n" for one in records))
        return land(self.ledger, self.source, {}, files=[self.file]).landed

    def extract(self) -> tuple[int, int]:
        done = extract(self.ledger, "t", {"crm": self.source}, key=b"k" * 32, now=system_clock)
        return done.statements, done.refused

    def episodes(self) -> list[Episode]:
        return [one for part in self.ledger.episodes("t", after=0, through=99) for one in part]


def test_the_line_reads_what_is_encrypted_as_it_reads_anything(tmp_path: Path) -> None:
    line = Line(tmp_path)
    assert line.land({"id": "1", "name": "Ann"}, {"id": "2", "name": "Bob"}) == 2
    assert line.extract() == (2, 0)
    assert line.land({"id": "1", "name": "Ann"}, {"id": "2", "name": "Rob"}) == 1
    assert line.extract()[1] == 0
    assert [s.object for s in line.ledger.statements("t") if s.object] == ["Ann", "Bob", "Rob"]


def test_what_was_erased_before_it_was_extracted_says_nothing(tmp_path: Path) -> None:
    line = Line(tmp_path)
    line.land({"id": "1", "name": "Ann"}, {"id": "2", "name": "Bob"})
    line.vault.destroy("t", "person:1")
    assert line.extract() == (1, 0)
    assert [s.subject for s in line.ledger.statements("t")] == ["customer:2"]


def test_a_counted_record_goes_on_after_its_state_was_erased(tmp_path: Path) -> None:
    line = Line(tmp_path)
    line.land({"id": "1", "name": "Ann"})
    line.vault.destroy("t", "person:1")
    assert line.land({"id": "1", "name": "Anna"}) == 1
    assert [(e.episode_id, e.erased) for e in line.episodes()] == [
        ("crm/1/1", True),
        ("crm/1/2", False),
    ]


def test_what_extraction_refuses_is_forgotten_with_its_episode(tmp_path: Path) -> None:
    line = Line(tmp_path)
    line.land({"id": "1", "name": ["Ann"]}, {"id": "2", "name": ["Bob"]})
    assert line.extract() == (0, 2)
    line.vault.destroy("t", "person:1")
    ann, bob = line.ledger.quarantined("t")
    assert ann.erased and b"Ann" not in ann.raw and "Ann" not in ann.reason
    assert bob.raw == b'{"id": "2", "name": ["Bob"]}' and "Bob" in bob.reason

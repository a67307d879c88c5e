"""The shipped sources on their data: counted against a plain loop, and zones by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

from lakehouse.model.episodes import Episode
from lakehouse.model.instants import parse
from pipelines.extract.extractor import extract
from pipelines.extract.loading import load
from pipelines.extract.reading import episode_of, files_of, read
from tests.golden.plant import KEY, SOURCES
from tests.shared import everyday, shared_data
from tests.truth import TRUTHS


def _plain_loop(file: Path) -> Counter[str]:
    """Asserts and withdrawals, by a loop that knows nothing of the language."""
    counts: Counter[str] = Counter()
    said: dict[str, Any] = {}
    deleted: dict[str, Any] = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            name, record = told["entity_id"], told["record"]
            if told["op"] == "delete":
                counts["withdraw"] += name in said
                deleted |= {name: said.pop(name)} if name in said else {}
                continue
            if name in deleted:
                counts["withdraw"] += 1
                said[name] = deleted.pop(name)
            now = (record["value"], record["valid_from"], record["valid_to"])
            if said.get(name) != now:
                counts["withdraw"] += name in said
                counts["assert"] += 1
                said[name] = now
    return counts


def test_ecdc_against_a_plain_loop(tmp_path: Path) -> None:
    data = everyday(shared_data("ecdc-vintages"), tmp_path)
    declared = load(SOURCES / "ecdc" / "defs.yaml")
    (file,) = files_of(declared, {"BELIEFGRAPH_ECDC": str(data)})
    landed = [one for one in read(declared, [file]) if isinstance(one, Episode)]
    found = extract(declared, landed, key=KEY, now=None)
    assert not found.refusals
    assert len(landed) == TRUTHS["ecdc"].landed
    assert Counter(one.statement.op.value for one in found.extracted) == _plain_loop(file)


def _zone(number: int, **fields: Any) -> bytes:
    head = {
        "episode_id": f"tzdata/2020.{number}/Europe/X",
        "release": f"2020.{number}",
        "recorded_at": f"2020-0{number}-01T00:00:00Z",
        "record": "zone:Europe/X",
        "entity_type": "zone",
        "op": "upsert",
    }
    return json.dumps(head | fields).encode()


def _offsets(*spans: tuple[str, int, int]) -> list[dict[str, str]]:
    return [
        {"value": value, "from": f"{start}-01-01T00:00:00Z", "to": f"{end}-01-01T00:00:00Z"}
        for value, start, end in spans
    ]


def test_zones_and_countries() -> None:
    declared = load(SOURCES / "tzdata" / "defs.yaml")
    summer = [
        {"value": True, "from": "2010-01-01T00:00:00Z", "to": "2036-01-01T00:00:00Z"},
    ]
    country = {
        "episode_id": "tzdata/2020.1/country:XX",
        "record": "country:XX",
        "entity_type": "country",
        "name": "Exland",
        "zones": ["zone:Europe/X", "zone:Europe/Y"],
    }
    payloads = [
        _zone(1, offsets=_offsets(("+01:00", 2010, 2036)), dst=summer, alias_of=None),
        _zone(1, **country),
        _zone(2, offsets=_offsets(("+01:00", 2010, 2030), ("+02:00", 2030, 2036)), dst=summer,
              alias_of="zone:Europe/Y"),
        _zone(2, **country | {"zones": ["zone:Europe/Y"], "episode_id": "tzdata/2020.2/XX"}),
        _zone(3, op="delete"),
    ]  # fmt: skip
    landed = [episode_of(declared, one, f"t:{n}", n) for n, one in enumerate(payloads, start=1)]
    found = extract(declared, landed, key=KEY, now=None)
    assert not found.refusals
    second = parse("2020-02-01T00:00:00Z")
    told = [(s.op.value, s.predicate, s.object) for s in (one.statement for one in found.extracted)]
    assert told == [
        ("assert", "utc_offset", "+01:00"),
        ("assert", "is_dst", "true"),
        ("assert", "name", "Exland"),
        ("assert", "has_zone", "zone:Europe/X"),
        ("assert", "has_zone", "zone:Europe/Y"),
        ("withdraw", "", None),
        ("assert", "utc_offset", "+01:00"),
        ("assert", "utc_offset", "+02:00"),
        ("assert", "alias_of", "zone:Europe/Y"),
        ("end", "has_zone", "zone:Europe/X"),
        ("withdraw", "", None),
        ("withdraw", "", None),
        ("withdraw", "", None),
        ("end", "alias_of", None),
    ]
    assert found.extracted[8].statement.valid_from == second
    assert found.extracted[9].statement.valid_from == second


def test_the_story_of_the_plant_names_every_episode() -> None:
    story = (SOURCES / "plant" / "README.md").read_text(encoding="utf-8")
    lines = (SOURCES / "plant" / "plant.jsonl").read_text(encoding="utf-8").splitlines()
    told = [part.split("`")[0] for part in story.split("| `")[1:]]
    assert told == [json.loads(line)["id"] for line in lines]

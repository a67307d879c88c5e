"""Rows as fingerprints: whatever differs is found, and the same rows are the same for ever."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date

from neo4j.spatial import CartesianPoint
from neo4j.time import DateTime

from graph.digest import fingerprints
from graph.lake_rows import MENTIONS
from graph.marks import Marks, differing

Named = tuple[str, bytes]


def marks(rows: list[Named], group: str = "belief") -> Marks:
    found = Marks()
    for start in range(0, len(rows), 7):
        some = rows[start : start + 7]
        found.add(group, [name for name, _ in some], [print_ for _, print_ in some])
    return found


def test_sides_differ_where_not_both_hold_the_same_rows_as_often() -> None:
    drawn = random.Random(6)
    prints = [bytes([n]) * 16 for n in range(4)]
    for size in (0, 1, 3, 400):
        rows = [(f"b{drawn.randrange(300)}", drawn.choice(prints)) for _ in range(size)]
        other = [one for one in rows if drawn.random() < 0.98]
        other += [(f"b{drawn.randrange(300)}", drawn.choice(prints)) for _ in range(size // 50)]
        drawn.shuffle(other)
        a, b = Counter(rows), Counter(other)
        names = {name for name, _ in (a - b) + (b - a)}
        assert differing(marks(rows), marks(other)) == set(Marks.places("belief", names))
        assert differing(marks(rows), marks(drawn.sample(rows, size))) == set()


def test_ids_with_line_breaks_name_two_mentions_by_two_names() -> None:
    row: list[object] = [1, "acme", 2]
    names = MENTIONS.keys([["e\n", "s", *row], ["e", "\ns", *row], ["e", "s", *row]])
    assert len(set(names)) == 3


def test_everything_differs_from_nothing_and_groups_from_each_other() -> None:
    rows = [(f"b{n}", bytes(16)) for n in range(1000)]
    names = [name for name, _ in rows]
    assert differing(marks(rows), Marks()) == set(Marks.places("belief", names))
    both = {*Marks.places("belief", names), *Marks.places("confirms", names)}
    assert differing(marks(rows), marks(rows, "confirms")) == both


def test_a_fingerprint_tells_values_apart_that_python_calls_equal() -> None:
    values: list[object] = [
        1, "1", 1.0, True, None, 0, 0.0, -0.0, False, "", [], [""], ["a", "b"], ["ab"], "None",
        1 << 40, float("nan"), b"1", date(2026, 1, 1), DateTime(2026, 1, 1),
        CartesianPoint((1, 2)), "ü", "u\u0308",
    ]  # fmt: skip
    rows = [[one] for one in values]
    assert len(set(fingerprints("BELIEF", rows))) == len(values)
    assert fingerprints("BELIEF", rows) == [fingerprints("BELIEF", [row])[0] for row in rows]
    assert fingerprints("BELIEF", [[1]]) != fingerprints("ATTRIBUTE", [[1]])


def test_a_fingerprint_depends_on_values_alone_and_is_the_same_in_every_python() -> None:
    """Proofs are kept: what changes them must change `digest.FORM` too."""
    name = "".join(["acme/", "zone:A"])
    row = [name, "acme/zone:A", 7, 1_700_000_000_000_000, -1, None, True, 0.5, ["a", name], "é"]
    copied = [str(row[1]), *row[1:8], ["a", "acme/zone:A"], "é"]
    (one,), (other,) = fingerprints("BELIEF", [row]), fingerprints("BELIEF", [copied])
    assert one == other
    assert one.hex() == "150a38df6580b80717756844462c2b4d"

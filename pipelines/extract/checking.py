"""A YAML document is read strictly: every wrong key or value is named by file and path.

`Section` is one mapping of the document; whatever is not asked of it before `done` is unknown.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from lakehouse.model.errors import ConfigurationError

_PLAIN_BOOLEAN: Final = re.compile(r"^(?:true|false)$")


def document(text: str, path: Path) -> Section:
    """The one mapping of a YAML text; ConfigurationError with file and line otherwise."""
    try:
        found = yaml.load(text, Loader=_Strict)  # noqa: S506 - a SafeLoader, made stricter
    except yaml.YAMLError as wrong:
        raise ConfigurationError(
            f"{path}: {_first_problem(wrong)}", remedy="Correct the YAML.", file=path
        ) from wrong
    if not isinstance(found, dict):
        raise ConfigurationError(
            f"{path}: the declaration is no mapping of keys",
            remedy="Begin with `source:` and `tenant:`.",
            file=path,
        )
    return Section(path, "", found)


@dataclass(slots=True)
class Section:
    """One mapping of the document at `place`; the keys asked for are the known ones."""

    path: Path
    place: str
    values: dict[str, Any]
    known: set[str] = field(default_factory=set)

    def at(self, key: str) -> str:
        """The path of a key, `statements[2].valid_to`."""
        return f"{self.place}.{key}" if self.place else key

    def wrong(self, key: str, problem: str, remedy: str) -> ConfigurationError:
        """The error about that key."""
        place = self.at(key) if key else self.place
        return ConfigurationError(
            f"{self.path}: {place}: {problem}", remedy=remedy, file=self.path, key=place
        )

    def missing(self, key: str) -> ConfigurationError:
        """The error about a key that is needed; a key much like it is named."""
        close = difflib.get_close_matches(key, set(self.values) - self.known, 1)
        remedy = f"Did you mean it by {close[0]!r}?" if close else "Every declaration needs it."
        return self.wrong(key, "is missing", remedy)

    def take(self, key: str, default: object = None) -> Any:
        """The raw value of a key."""
        self.known.add(key)
        return self.values.get(key, default)

    def text(self, key: str, default: str | None = None) -> str:
        """A text that is not empty; without a default it must be there."""
        found = self.take(key, default)
        if isinstance(found, str) and found.strip():
            return found
        if key not in self.values:
            raise self.missing(key)
        raise self.wrong(key, f"is {found!r}, not a text", "Give it a text.")

    def boolean(self, key: str, default: bool) -> bool:
        """`true` or `false`."""
        found = self.take(key, default)
        if isinstance(found, bool):
            return found
        raise self.wrong(key, f"is {found!r}", "Write true or false.")

    def word(self, key: str, words: Iterable[str], default: str | None = None) -> str:
        """One of the given words; without a default it must be there."""
        found, known = self.take(key, default), list(words)
        if isinstance(found, str) and found in known:
            return found
        if key not in self.values:
            raise self.missing(key)
        raise self.wrong(key, f"is {found!r}", _meant(str(found), known))

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of texts; one text counts as a list of it."""
        found = self.take(key, default)
        items = [found] if isinstance(found, str) else found
        if isinstance(items, (list, tuple)) and all(isinstance(one, str) for one in items):
            return tuple(items)
        if key not in self.values:
            raise self.missing(key)
        raise self.wrong(key, f"is {found!r}, not a list of texts", "Write a list of texts.")

    def section(self, key: str) -> Section:
        """The mapping under a key; an empty one where the key is absent."""
        found = self.take(key, {})
        return self._inner(self.at(key), found)

    def sections(self, key: str) -> list[Section]:
        """The mappings of the list under a key."""
        found = self.take(key, [])
        if not isinstance(found, list):
            raise self.wrong(key, "is no list", "Begin each entry with a dash.")
        return [self._inner(f"{self.at(key)}[{place}]", one) for place, one in enumerate(found)]

    def named(self, key: str) -> dict[str, Section]:
        """The mappings under the names below a key."""
        outer = self.section(key)
        return {name: outer.section(name) for name in outer.values}

    def done(self) -> None:
        """Refuse what nobody asked for."""
        for key in self.values:
            if key not in self.known:
                raise self.wrong(
                    key, "is not a key of a declaration", _meant(key, sorted(self.known))
                )

    def _inner(self, place: str, found: object) -> Section:
        if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
            raise Section(self.path, place, {}).wrong(
                "", "is no mapping of keys", "Write `key: value`."
            )
        return Section(self.path, place, found)


def _meant(given: str, known: list[str]) -> str:
    close = difflib.get_close_matches(given, known, 1)
    guess = f"Did you mean {close[0]!r}? " if close else ""
    return f"{guess}Known: {', '.join(known)}."


def _first_problem(wrong: yaml.YAMLError) -> str:
    if isinstance(wrong, yaml.MarkedYAMLError) and wrong.problem_mark is not None:
        mark = wrong.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {wrong.problem}"
    return str(wrong)


class _Strict(yaml.SafeLoader):
    """YAML without its traps: no dates, no `yes` and `no`, no key said twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} is said twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    left_out = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")
    kept = {
        first: [rule for rule in rules if rule[0] not in left_out]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    for first in "tf":
        kept.setdefault(first, []).append((left_out[1], _PLAIN_BOOLEAN))
    return kept


_Strict.yaml_implicit_resolvers = _resolvers()

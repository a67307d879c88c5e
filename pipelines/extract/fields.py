"""How a field of a declaration is written: a path, a word, a constant or a text with paths in it.

A plain text is a path where the record is asked for data, and a word where something of the
vocabulary is named; `{path: …}`, `{value: …}` and `{text: …}` say either outright.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pipelines.extract import expressions
from pipelines.extract.checking import Section
from pipelines.extract.expressions import Expression

_FORMS: Final = ("path", "value", "text")


def bound(section: Section, key: str, words: Mapping[str, int]) -> Expression | None:
    """The bound of a period: a path; its words (`always`, …) only as a constant."""
    if section.values.get(key) in tuple(words):
        word = section.values[key]
        raise section.wrong(
            key, f"{word!r} would be a field of the record", f"Say {{value: {word}}}."
        )
    return data(section, key)


def data(section: Section, key: str) -> Expression | None:
    """A field that asks the record: a plain text is a path."""
    found = section.take(key)
    if found is None or isinstance(found, dict):
        return _form(section, key, found)
    if isinstance(found, str):
        return _compiled(section, key, "path", found, None)
    raise section.wrong(key, f"is {found!r}, not a path", f"Say {{value: {found}}} for a constant.")


def word(
    section: Section, key: str, words: Mapping[str, int] | frozenset[str] | tuple[str, ...] = ()
) -> Expression | None:
    """A field that names something: a plain text is that word, one of `words` if given."""
    found = section.take(key)
    if isinstance(found, str):
        return expressions.value(section.word(key, sorted(words)) if words else found)
    if found is None or isinstance(found, dict):
        form = _form(section, key, found)
        if form is not None and form.is_constant and words and form.constant not in words:
            raise section.wrong(key, f"is {form.constant!r}", f"Known: {', '.join(sorted(words))}.")
        return form
    raise section.wrong(key, f"is {found!r}, not a word", "Write a word, or {path: …}.")


def _form(section: Section, key: str, found: dict[str, Any] | None) -> Expression | None:
    if found is None:
        return None
    inner = section.section(key)
    given = [form for form in _FORMS if form in found]
    if len(given) != 1:
        raise section.wrong(
            key, "needs one of path, value and text", "Write {path: …} or another one."
        )
    stated, mapping = inner.take(given[0]), inner.take("map")
    if mapping is not None and (given[0] == "value" or not isinstance(mapping, dict)):
        raise inner.wrong("map", "does not fit here", "Give `path` or `text` a map of key: value.")
    inner.done()
    return _compiled(inner, given[0], given[0], stated, mapping)


def _compiled(
    section: Section, key: str, form: str, stated: object, mapping: dict[object, object] | None
) -> Expression:
    if form == "value":
        return expressions.value(stated)
    if not isinstance(stated, str):
        raise section.wrong(key, f"is {stated!r}, not a text", f"Write the {form} as a text.")
    try:
        compiled = expressions.path if form == "path" else expressions.template
        return compiled(stated, mapping)
    except ValueError as wrong:
        remedy = "Correct the expression (JMESPath)."
        raise section.wrong(key, f"{stated!r}: {wrong}", remedy) from wrong


def several(section: Section, key: str) -> tuple[Expression, ...]:
    """A list of fields that ask the record; one alone counts as a list of it."""
    found = section.take(key, [])
    items = found if isinstance(found, list) else [found]
    asked = []
    for place, one in enumerate(items):
        name = f"{key}[{place}]"
        asked.append(data(Section(section.path, section.place, {name: one}), name))
        if asked[-1] is None:
            raise section.wrong(name, "is empty", "Name a field, or remove the entry.")
    return tuple(one for one in asked if one is not None)

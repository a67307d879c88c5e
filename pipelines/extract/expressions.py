"""An expression is compiled once and asked of every record: a path, a constant or a text.

A path is JMESPath over the current node; `$`, in it or in any filter of it, is the whole record.
A text is a template whose braces hold paths. Plain field paths and comparisons of them with a
text are read directly, everything else by the JMESPath interpreter; both give the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import reduce
from typing import Any, Final

import jmespath
from jmespath import functions, visitor
from jmespath.exceptions import JMESPathError

from lakehouse.model.errors import InputError

Ask = Callable[[Any, Any], Any]
"""(current node, whole record) to what is found there; None where there is nothing."""

ROOT: Final = "$"
_TOKENS: Final = re.compile(
    r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|\$""", re.DOTALL
)
_TEMPLATE: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Expression:
    """What a field of the declaration asks of a record.

    `source` is how it was written, `constant` its value where it asks nothing of the record
    (`is_constant`), `map` translates what was found (None: as found).
    """

    source: str
    ask: Ask
    is_constant: bool = False
    constant: object = None
    map: Mapping[object, object] | None = None
    trees: tuple[Any, ...] = ()
    """The syntax trees of its paths."""

    def __call__(self, node: object, root: object) -> Any:
        """The value found, None where there is nothing.

        InputError where the expression fails on this record or the value is not in its map.
        """
        try:
            found = self.ask(node, root)
        except JMESPathError as wrong:
            raise InputError(
                f"{self.source} fails on this record: {wrong}",
                remedy="Correct the expression, or guard it with `when`.",
            ) from wrong
        if self.map is None or found is None:
            return found
        return _mapped(self.map, found, self.source)

    def holds(self, node: object, root: object) -> bool:
        """JMESPath truth of the value: false for null, false, '', [] and {}."""
        return _true(self(node, root))


def path(text: str, mapping: Mapping[object, object] | None = None) -> Expression:
    """A JMESPath expression; ValueError says what is wrong with it."""
    tree = _tree(text)
    return Expression(text, _asking(tree), map=mapping, trees=(tree,))


def value(constant: object) -> Expression:
    """A constant."""
    return Expression(repr(constant), lambda node, root: constant, True, constant)


def template(text: str, mapping: Mapping[object, object] | None = None) -> Expression:
    """A text with paths in braces, `{{` and `}}` for the braces themselves.

    A part that is null, a list or an object is an InputError when asked, never an empty text.
    """
    trees: list[Any] = []
    parts = _parts(text, trees)
    if not trees:
        return value("".join(str(part) for part in parts))

    def ask(node: Any, root: Any) -> str:
        return "".join([part if isinstance(part, str) else part(node, root) for part in parts])

    return Expression(text, ask, map=mapping, trees=tuple(trees))


def _parts(text: str, trees: list[Any]) -> list[str | Ask]:
    parts: list[str | Ask] = []
    done = 0
    for found in _TEMPLATE.finditer(text):
        parts.append(text[done : found.start()])
        done = found.end()
        if found[1] is not None:
            trees.append(_tree(found[1]))
            parts.append(_part(found[1], text, trees[-1]))
        elif found[0] in ("{{", "}}"):
            parts.append(found[0][0])
        else:
            raise ValueError(f"a brace at character {found.start() + 1} has no partner")
    parts.append(text[done:])
    return [part for part in parts if part != ""]


def _part(inner: str, whole: str, tree: Any) -> Ask:
    ask = _asking(tree)

    def text(node: Any, root: Any) -> str:
        found = ask(node, root)
        if isinstance(found, str):
            return found
        if isinstance(found, bool):
            return "true" if found else "false"
        if isinstance(found, (int, float, Decimal)):
            return str(found)
        raise InputError(
            f"{{{inner}}} in {whole!r} is {_kind(found)}, not text",
            remedy="State it only `when` the field is there.",
        )

    return text


def _tree(text: str) -> Any:
    """The syntax tree of a path; ValueError where it is no JMESPath."""
    # A quoted `"$"` is a field of that name to JMESPath; the interpreter below gives the root.
    rooted = _TOKENS.sub(lambda found: found[1] or f'"{ROOT}"', text)
    try:
        return jmespath.compile(rooted).parsed
    except JMESPathError as wrong:
        raise ValueError(str(wrong).strip().splitlines()[0]) from wrong


def _asking(tree: Any) -> Ask:
    """The tree as a function of (node, root)."""
    direct = _direct(tree)
    if direct is not None:
        return direct
    return lambda node, root: _Rooted(root).visit(tree, node)


def _direct(tree: Any) -> Ask | None:
    """The tree as a plain function where it is field paths, `==`, `!=` and texts; else None.

    Of `&&`, `||` and `!` each side is taken as directly as it can be.
    """
    kind = tree["type"]
    if kind in ("current", "identity"):
        return lambda node, root: node
    if kind == "field":
        return _field(tree["value"])
    if kind == "subexpression":
        return reduce(_chain, [_direct(child) for child in tree["children"]])
    if kind in ("and_expression", "or_expression"):
        first, second = map(_asking, tree["children"])
        return _decided(first, second, by=kind == "or_expression")
    if kind == "not_expression":
        return _not(_asking(tree["children"][0]))
    if kind == "comparator" and tree["value"] in ("eq", "ne"):
        left, right = tree["children"]
        if right["type"] == "literal" and isinstance(right["value"], str):
            return _compare(_direct(left), right["value"], tree["value"] == "eq")
    return None


def _field(name: str) -> Ask:
    if name == ROOT:
        return lambda node, root: root
    return lambda node, root: node.get(name) if isinstance(node, dict) else None


def _chain(first: Ask | None, second: Ask | None) -> Ask | None:
    if first is None or second is None:
        return None
    return lambda node, root: second(first(node, root), root)


def _compare(left: Ask | None, text: str, equal: bool) -> Ask | None:
    if left is None:
        return None
    return lambda node, root: (left(node, root) == text) is equal


def _true(found: object) -> bool:
    return not (found is None or found is False or found in ("", [], {}))


def _decided(first: Ask, second: Ask, by: bool) -> Ask:
    """The first value where its truth is `by` (`||` by true, `&&` by false), else the second."""

    def ask(node: Any, root: Any) -> Any:
        found = first(node, root)
        return found if _true(found) is by else second(node, root)

    return ask


def _not(inner: Ask) -> Ask:
    return lambda node, root: not _true(inner(node, root))


class _Functions(functions.Functions):
    """JMESPath's functions and two of our own.

    `is_date(x)` is true for a text YYYY-MM-DD of the calendar; `split(text, separator)` gives the
    parts of a text as a list.
    """

    @functions.signature({"types": []})
    def _func_is_date(self, given: object) -> bool:
        if not isinstance(given, str) or not _DAY.fullmatch(given):
            return False
        try:
            date.fromisoformat(given)
        except ValueError:
            return False
        return True

    @functions.signature({"types": ["string"]}, {"types": ["string"]})
    def _func_split(self, given: str, separator: str) -> list[str]:
        return given.split(separator) if separator else list(given)


_OPTIONS: Final = visitor.Options(custom_functions=_Functions())


class _Rooted(visitor.TreeInterpreter):
    """The JMESPath interpreter in which the field `$` is the whole record, wherever it stands."""

    def __init__(self, root: object) -> None:
        super().__init__(_OPTIONS)
        self._root = root

    def visit_field(self, node: Any, value: Any) -> Any:
        if node["value"] == ROOT:
            return self._root
        return super().visit_field(node, value)


def _mapped(mapping: Mapping[object, object], found: object, source: str) -> object:
    if isinstance(found, (str, bool, int)) and found in mapping:
        return mapping[found]
    raise InputError(
        f"{source} is {found!r}, which its map does not list",
        remedy="Add it to the map. It lists: " + ", ".join(map(str, mapping)) + ".",
    )


def _kind(found: object) -> str:
    if found is None:
        return "null"
    return "a list" if isinstance(found, list) else "an object"

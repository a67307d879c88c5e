"""A result is a table: raw values in named columns, written as aligned text or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Value = str | int | float | None
Form = Callable[[float], str]

_KIB: Final = 1024
_UNITS: Final = ("B", "KiB", "MiB", "GiB")
_FINE: Final = 10
"""Below this many of a unit one decimal is shown."""


def whole(value: float) -> str:
    """A count or a rate."""
    return f"{value:,.0f}"


def tenths(value: float) -> str:
    """One decimal."""
    return f"{value:,.1f}"


def hundredths(value: float) -> str:
    """Two decimals."""
    return f"{value:,.2f}"


seconds = hundredths


def millis(value: float) -> str:
    """Seconds shown as milliseconds."""
    return f"{value * 1_000:,.2f}"


def percent(value: float) -> str:
    """A share of one."""
    return f"{value * 100:.0f}%"


def size(value: float) -> str:
    """Bytes in the largest unit that leaves a whole number of them."""
    unit = 0
    while abs(value) >= _KIB and unit < len(_UNITS) - 1:
        value, unit = value / _KIB, unit + 1
    return (
        f"{value:.1f} {_UNITS[unit]}" if unit and value < _FINE else f"{value:.0f} {_UNITS[unit]}"
    )


def verdict(missed: bool) -> str:
    """What stands beside a goal."""
    return "missed" if missed else "met"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its name in JSON, and how its numbers are written."""

    heading: str
    name: str
    form: Form = whole


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; `notes` are sentences below it."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()

    def as_text(self) -> str:
        """Aligned text: words to the left, numbers to the right."""
        cells = [[column.heading for column in self.columns], *map(self._written, self.rows)]
        widths = [max(len(row[at]) for row in cells) for at in range(len(self.columns))]
        left = [any(isinstance(row[at], str) for row in self.rows) for at in range(len(widths))]
        lines = [
            "  ".join(
                cell.ljust(width) if to_left else cell.rjust(width)
                for cell, width, to_left in zip(row, widths, left, strict=True)
            ).rstrip()
            for row in cells
        ]
        rule = "-" * max(map(len, lines))
        return "\n".join([self.title, rule, lines[0], rule, *lines[1:], *self.notes])

    def as_record(self) -> Mapping[str, object]:
        """For JSON: seconds are seconds, sizes bytes, shares parts of one."""
        names = [column.name for column in self.columns]
        return {
            "title": self.title,
            "rows": [dict(zip(names, row, strict=True)) for row in self.rows],
            "notes": list(self.notes),
        }

    def _written(self, row: Sequence[Value]) -> list[str]:
        return [
            "" if value is None else value if isinstance(value, str) else column.form(value)
            for value, column in zip(row, self.columns, strict=True)
        ]

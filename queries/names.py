"""What a question names is text; anything else would find nothing, and look like an answer."""

from __future__ import annotations

from lakehouse.model.errors import InputError


def text(what: str, value: object) -> str:
    """The value; InputError unless it is text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise InputError(
            f"{what} {value!r} is a {type(value).__name__}, not a text",
            remedy=f"Give the {what} as text.",
        )
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as half:
            raise InputError(
                f"{what} {value!a} holds half a character (a lone surrogate)",
                remedy=f"Give the {what} as it was read from UTF-8.",
            ) from half
    return value


def text_or_none(what: str, value: object) -> str | None:
    """As `text`; None stays."""
    return None if value is None else text(what, value)

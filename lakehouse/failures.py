"""What a store's failure means: its login is refused, what the settings name is not there, or it
does not answer now. In our words: a library's own quote its classes and its whole request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pyiceberg.exceptions import (
    AuthorizationExpiredError,
    ForbiddenError,
    OAuthError,
    RESTError,
    UnauthorizedError,
)
from sqlalchemy.exc import InterfaceError, OperationalError

from lakehouse.model.errors import ConfigurationError, UnavailableError

BROKEN: Final = (OperationalError, InterfaceError, RESTError, OSError)
"""How stores and catalogs fail; a file that is not there (FileNotFoundError) is among them."""
AGAIN: Final = "Run again when it does: what was recorded is not recorded twice."
_LOGIN: Final = "Check the credentials, and what they are allowed to do."
_SETTINGS: Final = "Check the warehouse and the uri in the catalog's settings, or make it there."
_LOGINS: Final = (AuthorizationExpiredError, ForbiddenError, OAuthError, UnauthorizedError)
_REFUSED: Final = re.compile(
    r"ACCESS_DENIED|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH|EXPIRED_TOKEN|HTTP status 403"
    r"|'C': '28(000|P01)'"
)
_ABSENT: Final = re.compile(r"NO_SUCH_BUCKET|table bucket \S+ not found|'C': '3D000'")
_SILENT: Final = re.compile(
    r"Failed to connect to (?P<arrow>[^\s,;]+( port \d+)?)"
    r"|Could not resolve host: (?P<name>[^\s,;]+)"
    r"|Connection(Pool)?\(host='(?P<host>[^']+)', port=(?P<port>\d+)\)"
)
_TOLD: Final = re.compile(r"'M': '(?P<postgres>[^']*)'")


def failed(
    said: str, wrong: BaseException, remedy: str = AGAIN
) -> ConfigurationError | UnavailableError:
    """The error to raise for this one; `said` begins the sentence where it is mere silence."""
    cause = getattr(wrong, "orig", None) or wrong
    text = str(cause)
    if isinstance(wrong, _LOGINS) or _REFUSED.search(text):
        return ConfigurationError(f"the store refuses the login: {_short(text)}", remedy=_LOGIN)
    if _ABSENT.search(text):
        return ConfigurationError(
            f"what the settings name is not there: {_short(text)}", remedy=_SETTINGS
        )
    silent = _SILENT.search(text)
    if silent:
        found = silent.groupdict()
        place = found["arrow"] or found["name"] or f"{found['host']}:{found['port']}"
        return UnavailableError(f"{said}: nothing answers at {place}", remedy=remedy)
    return UnavailableError(f"{said}: {_short(text)}", remedy=remedy)


@contextmanager
def answering(said: str, remedy: str = AGAIN) -> Iterator[None]:
    """Tell failures of the store by `failed`; a file that is not there stays FileNotFoundError."""
    try:
        yield
    except FileNotFoundError:
        raise
    except BROKEN as wrong:
        raise failed(said, wrong, remedy) from wrong


def _short(text: str) -> str:
    """What PostgreSQL says without its codes; of others the first line."""
    postgres = _TOLD.search(text)
    return postgres["postgres"] if postgres else text.partition("\n")[0]

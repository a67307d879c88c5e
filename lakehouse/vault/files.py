"""The vault's file: SQLite, readable by its owner only, and freed of what was destroyed.

Each session is one transaction on a connection of its own, so threads and processes share nothing
but the file. The rollback journal (no write-ahead log) is gone after each of them.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from lakehouse.model.errors import (
    ConfigurationError,
    ConflictError,
    IntegrityError,
    UnavailableError,
)

_PATIENCE: Final = 60.0
"""Seconds that one session waits for another's."""
_OTHERS: Final = 0o077
_SET_UP: Final = ("PRAGMA secure_delete = ON", "PRAGMA temp_store = MEMORY")
"""Freed space is zeroed, and a rebuild leaves no copy among the system's temporary files."""


@cache
def verb(name: str) -> str:
    """The text of `sql/<name>.sql`."""
    return files(__package__).joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


class KeyFile:
    """One SQLite file with the vault's tables, made by the first session that writes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exists(self) -> bool:
        """Has anybody written to it? ConfigurationError for a directory."""
        if self.path.is_dir():
            raise ConfigurationError(
                f"the vault {self.path} is a directory",
                remedy="Set BELIEFGRAPH_VAULT to a file, such as keys.sqlite in that directory.",
            )
        return self.path.exists() and self.path.stat().st_size > 0

    @contextmanager
    def session(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction; a writing one is alone. What goes wrong with the file names it."""
        if write:
            _make_private(self.path)
        self._check_mode()
        try:
            with closing(self._connect()) as connection:
                if write:
                    connection.executescript(verb("make"))
                with _transaction(connection, write):
                    yield connection
        except sqlite3.DatabaseError as wrong:
            raise self._told(wrong) from wrong

    def rebuild(self, gone: Collection[bytes]) -> None:
        """Write the file anew without free space; IntegrityError if a byte string is still there.

        SQLite zeroes what we free; another tool that had the file open may have left copies.
        """
        try:
            with closing(self._connect()) as connection:
                connection.execute("VACUUM")
        except sqlite3.DatabaseError as wrong:
            raise self._told(wrong) from wrong
        for file in self.path.parent.glob(f"{self.path.name}*"):
            held = file.read_bytes()
            if any(one in held for one in gone):
                raise IntegrityError(
                    f"{file} still holds a key that was destroyed",
                    remedy="Another process keeps the vault open: end it, and destroy again.",
                )

    def check(self) -> None:
        """IntegrityError where SQLite finds the file damaged."""
        with self.session() as connection:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise IntegrityError(f"the vault {self.path} is damaged: {found}", remedy=_RESTORE)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw", timeout=_PATIENCE, isolation_level=None, uri=True
        )
        for pragma in _SET_UP:
            connection.execute(pragma)
        return connection

    def _check_mode(self) -> None:
        try:
            mode = self.path.stat().st_mode & 0o777
        except FileNotFoundError:
            return  # Opening it says so.
        if mode & _OTHERS:
            raise ConfigurationError(
                f"the vault {self.path} has mode {mode:04o}: others may read its keys",
                remedy=f"chmod 600 {self.path}",
            )

    def _told(self, wrong: sqlite3.DatabaseError) -> ConflictError | IntegrityError:
        code = getattr(wrong, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return ConflictError(
                f"another process has been writing the vault {self.path} for {_PATIENCE:.0f} s",
                remedy="Let it end, then run again.",
            )
        return IntegrityError(f"the vault {self.path} cannot be used: {wrong}", remedy=_RESTORE)


class MemoryFile(KeyFile):
    """The same tables in memory, for the memory twin of the ledger."""

    def __init__(self) -> None:
        super().__init__(Path(":memory:"))
        self._alone = threading.RLock()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        self._connection.executescript(verb("make"))

    def exists(self) -> bool:
        """It is there as long as this value is."""
        return True

    @contextmanager
    def session(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction; all are alone."""
        with self._alone, _transaction(self._connection, write):
            yield self._connection

    def rebuild(self, gone: Collection[bytes]) -> None:
        """Nothing of it is on a disk."""


_RESTORE: Final = (
    "Restore it from its backup: without its keys nobody can read what they encrypted."
)


@contextmanager
def _transaction(connection: sqlite3.Connection, write: bool) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _make_private(path: Path) -> None:
    """An empty file of mode 0600 where there is none; the first of several writers makes it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as refused:
        raise UnavailableError(
            f"the vault {path} cannot be written: {refused.strerror}",
            remedy="Set BELIEFGRAPH_VAULT to a file of yours on a local disk.",
        ) from refused

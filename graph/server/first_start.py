"""A home's first start: a password nobody saw, and a marker until the server has answered.

Whatever interrupts a first start leaves the marker; the next start then begins afresh, since
nobody can have stored anything in a server that never answered.
"""

from __future__ import annotations

import secrets
import shutil
from typing import Final

from graph.server import store
from graph.server.admin import Tool
from graph.server.layout import Layout
from lakehouse.ledger import Progress
from lakehouse.local.home import write_private
from lakehouse.model.errors import ConfigurationError, UnavailableError

_ADMIN_SECONDS: Final = 120


def prepare(layout: Layout, tool: Tool, *, progress: Progress) -> None:
    """Make a password and give it to a new server; leave one that has started before alone."""
    if layout.first_start.exists():
        progress("the first start was interrupted; beginning afresh")
        shutil.rmtree(layout.data)
    if (layout.data / "databases" / "system").exists():
        _check_password(layout)
        return
    layout.data.mkdir(exist_ok=True)
    layout.first_start.touch()
    store.sign(layout, tool.release)
    if not layout.password.exists():
        write_private(layout.password, secrets.token_hex(24) + "\n")
    _set_initial_password(layout, tool)


def finish(layout: Layout) -> None:
    """The server has answered: from now on its data counts."""
    layout.first_start.unlink(missing_ok=True)


def read_password(layout: Layout) -> str:
    """The server's password, from the file that only its owner reads."""
    try:
        password = layout.password.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise _no_password(layout, error.strerror or str(error)) from error
    if not password:
        raise _no_password(layout, "it is empty")
    return password


def _check_password(layout: Layout) -> None:
    read_password(layout)
    layout.password.chmod(0o600)


def _no_password(layout: Layout, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"The password of the managed Neo4j cannot be read from {layout.password}: {why}.",
        remedy=f"Put it back; or stop the server, delete {layout.data} and run beliefgraph up: "
        "the graph is a projection and is rebuilt from the lake.",
    )


def _set_initial_password(layout: Layout, tool: Tool) -> None:
    """Tell the new server its password, unseen."""
    words = ("dbms", "set-initial-password", read_password(layout))
    code, said = tool.run(words, seconds=_ADMIN_SECONDS)
    if code != 0:
        last = said.strip().splitlines()[-1:] or ["nothing"]
        raise UnavailableError(
            f"Neo4j's admin tool did not take the first password; it said: {last[0]}",
            remedy="Run beliefgraph up again; it begins afresh.",
        )

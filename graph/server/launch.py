"""Starting the Java process: its settings, its environment, and that it lives on its own.

The server gets a session of its own: neither the end of the command that started it nor
Ctrl-C in that terminal reaches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import psutil

from graph.server import ending
from graph.server.admin import Tool
from graph.server.layout import Choices, Layout
from graph.server.mark import arguments
from graph.server.release import Release
from lakehouse.local import processes
from lakehouse.local.home import Running, write_private
from lakehouse.local.ports import LOOPBACK

_PASSED_ON: Final = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "TZ")


def java_environment(layout: Layout, classpath: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The little that Java needs; no foreign Java options, and no login of ours."""
    passed = {name: environ[name] for name in _PASSED_ON if name in environ}
    return passed | {
        "CLASSPATH": classpath,
        "NEO4J_HOME": str(layout.root),
        "NEO4J_CONF": str(layout.conf),
    }


def write_settings(layout: Layout, release: Release, choices: Choices) -> None:
    """Write neo4j.conf anew: what a start does depends on this package and `choices` alone."""
    address = f"{LOOPBACK}:{choices.bolt_port}"
    settings = (
        *release.settings,
        ("server.bolt.listen_address", address),
        ("server.bolt.advertised_address", address),
        ("server.memory.pagecache.size", f"{choices.page_cache_mb}m"),
    )
    text = "# Written at every start; changes made here are lost.\n"
    text += "".join(f"{name}={value}\n" for name, value in settings)
    write_private(layout.settings, text)


def spawn(layout: Layout, choices: Choices, tool: Tool) -> psutil.Process:
    """Start the server and record it."""
    heap = f"{choices.heap_mb}m"
    command = [
        tool.java,
        *tool.release.jvm_flags,
        *tool.release.server_flags,
        f"-Xms{heap}",
        f"-Xmx{heap}",
        tool.release.main,
        *arguments(layout),
    ]
    ending.set_logs_aside(layout)
    process = processes.start(command, environ=tool.environ, cwd=layout.root, output=layout.console)
    layout.remember(Running(pid=process.pid, created=process.create_time()))
    return process

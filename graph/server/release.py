"""Which servers there are: the one place that names Neo4j's versions, artifacts and switches.

Whoever moves a series on changes it here, runs `python -m graph.server.relock SERIES`, and reads
the diff of that series' lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lakehouse.model.errors import ConfigurationError

ADMIN_MAIN: Final = "org.neo4j.cli.AdminTool"


@dataclass(frozen=True, slots=True)
class Release:
    """One version of Neo4j, the newest of its series that we lock."""

    series: str
    version: str
    java: tuple[int, ...]
    """Major versions of Java that it runs on."""
    main: str
    """The class that is the server."""
    jvm_flags: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]

    artifacts = (("org.neo4j", "neo4j"), ("org.neo4j.app", "neo4j-server"))
    """Group and artifact of the roots; everything else in the lock follows from them."""

    server_flags = (
        "-XX:+UseG1GC",
        "-XX:+ExitOnOutOfMemoryError",
        "-Dfile.encoding=UTF-8",
    )
    """For the server alone: die rather than limp when memory runs out, so that it is noticed."""

    @property
    def lock_name(self) -> str:
        """The file beside this one that names the jars."""
        return f"neo4j-{self.series}.lock"


_JVM_FLAGS: Final[tuple[str, ...]] = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
)

_SETTINGS: Final[tuple[tuple[str, str], ...]] = (
    # Nobody but this machine, and no word to anybody: Neo4j would otherwise report usage.
    ("server.default_listen_address", "127.0.0.1"),
    ("server.default_advertised_address", "127.0.0.1"),
    ("dbms.usage_report.enabled", "false"),
    ("server.bolt.telemetry.enabled", "false"),
    # The Browser is no part of the Maven artifacts (its address answers 404), so HTTP serves
    # nobody here.
    ("server.http.enabled", "false"),
    ("server.https.enabled", "false"),
    # The graph is a projection: its log is for recovery after a crash, nothing else.
    ("db.tx_log.rotation.size", "64m"),
    ("db.tx_log.rotation.retention_policy", "keep_none"),
    # A read whose index is missing is refused; else it would scan, and nobody would hear of it.
    ("dbms.cypher.hints_error", "true"),
)

_NEWEST: Final = Release(
    series="2026.09",
    version="2026.09.0",
    java=(21, 25),
    main="org.neo4j.server.Neo4jCommunity",
    jvm_flags=(*_JVM_FLAGS, "--sun-misc-unsafe-memory-access=allow"),
    settings=(
        *_SETTINGS,
        # It would announce itself by broadcast on the local network, and offer itself to a
        # fleet manager; the long-term series does neither and knows neither setting.
        ("server.fleet_discovery.enabled", "false"),
        ("dbms.fleet_manager.enabled", "false"),
        # Both databases are closed within 0.2 s of SIGTERM; the Bolt server then waits twice 5 s
        # for latecomers. Nobody comes late to a server that its owner stops: 10.3 s become 0.3 s.
        ("internal.dbms.bolt.netty_server_shutdown_quiet_period_duration", "0s"),
    ),
)
_LONG_TERM: Final = Release(
    series="5.26",
    version="5.26.30",
    java=(17, 21),
    main="org.neo4j.server.CommunityEntryPoint",
    jvm_flags=_JVM_FLAGS,
    settings=_SETTINGS,
)

RELEASES: Final[Mapping[str, Release]] = MappingProxyType(
    {release.series: release for release in (_NEWEST, _LONG_TERM)}
)
"""By series, the default first."""


def choose(asked: str | None, remembered: str | None) -> Release:
    """The release of the series asked for, else of the version a home remembers, else the default.

    A version of a series that is no longer shipped counts as none.
    """
    if asked is not None:
        if asked not in RELEASES:
            raise ConfigurationError(
                f"There is no managed Neo4j {asked}.",
                remedy=f"Choose one of {', '.join(RELEASES)}; any other from 5.26 on can be used "
                "through NEO4J_URI.",
            )
        return RELEASES[asked]
    for release in RELEASES.values():
        if remembered is not None and f"{remembered}.".startswith(f"{release.series}."):
            return release
    return _NEWEST

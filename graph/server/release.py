"""Which server it is: the one place that names Neo4j's version, artifacts and switches.

Whoever moves to another release changes this file, runs `python -m graph.server.relock`,
and reads the diff of `neo4j.lock`.
"""

from __future__ import annotations

from typing import Final

NEO4J_VERSION: Final = "2026.09.0"

ARTIFACTS: Final[tuple[tuple[str, str], ...]] = (
    ("org.neo4j", "neo4j"),
    ("org.neo4j.app", "neo4j-server"),
)
"""Group and artifact of the roots; everything else in the lock follows from them."""

SERVER_MAIN: Final = "org.neo4j.server.Neo4jCommunity"
ADMIN_MAIN: Final = "org.neo4j.cli.AdminTool"

JVM_FLAGS: Final[tuple[str, ...]] = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)

SERVER_FLAGS: Final[tuple[str, ...]] = (
    "-XX:+UseG1GC",
    "-XX:+ExitOnOutOfMemoryError",
    "-Dfile.encoding=UTF-8",
)
"""For the server alone: die rather than limp when memory runs out, so that it is noticed."""

SETTINGS: Final[tuple[tuple[str, str], ...]] = (
    # Nobody but this machine, and no word to anybody: Neo4j would otherwise report usage,
    # announce itself by broadcast on the local network and offer itself to a fleet manager.
    ("server.default_listen_address", "127.0.0.1"),
    ("server.default_advertised_address", "127.0.0.1"),
    ("dbms.usage_report.enabled", "false"),
    ("server.bolt.telemetry.enabled", "false"),
    ("server.fleet_discovery.enabled", "false"),
    ("dbms.fleet_manager.enabled", "false"),
    # The Browser is no part of the Maven artifacts (its address answers 404), so HTTP serves
    # nobody here.
    ("server.http.enabled", "false"),
    ("server.https.enabled", "false"),
    # The graph is a projection: its log is for recovery after a crash, nothing else.
    ("db.tx_log.rotation.size", "64m"),
    ("db.tx_log.rotation.retention_policy", "keep_none"),
    # Both databases are closed within 0.2 s of SIGTERM; the Bolt server then waits twice 5 s
    # for latecomers. Nobody comes late to a server that its owner stops: 10.3 s become 0.3 s.
    ("internal.dbms.bolt.netty_server_shutdown_quiet_period_duration", "0s"),
)

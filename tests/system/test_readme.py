"""The README is true: its commands are run, its Python and its Cypher give the same answer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from graph.rows import CONFIRMS, EDGE, ENTITIES, EPISODES, VALUES
from tests.shared import ROOT
from tests.system.conftest import Lined

README = (ROOT / "README.md").read_text(encoding="utf-8")
TESTED = [part.split("\n\n<!--")[0] for part in README.split("<!-- tested -->\n")[1:]]
OFFSET, EPISODE = "-05:00", "tzdata/2020.1/America/Mexico_City"


def sessions() -> list[tuple[list[str], list[str]]]:
    """Each tested command line of the README with the output lines shown below it."""
    found: list[tuple[list[str], list[str]]] = []
    for part in TESTED:
        for line in part.splitlines():
            if line and not line.startswith("    "):
                break
            if line.startswith("    $ "):
                found.append((line.removeprefix("    $ ").split(), []))
            elif found:
                found[-1][1].append(line.removeprefix("    ").rstrip())
    return found


def block(language: str) -> str:
    """The tested code block of that language."""
    return next(
        part.split(f"```{language}\n")[1].split("```")[0]
        for part in TESTED
        if part.startswith(f"```{language}\n")
    )


def run(tzdata: Lined, *command: str) -> str:
    """What the command prints in the home that the line ran in."""
    environ = {**os.environ, **tzdata.home.environ}
    done = subprocess.run(command, env=environ, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_commands_print_what_the_readme_shows(tzdata: Lined) -> None:
    told = sessions()
    assert len(told) == 4
    for (name, *arguments), shown in told:
        assert name == "beliefgraph"
        printed = run(tzdata, str(Path(sys.executable).parent / name), *arguments)
        pattern = "\n".join(re.escape(line) if "…" not in line else r"[\s\S]*?" for line in shown)
        assert re.search(pattern.strip("\n"), printed), printed
    assert "92.0" in printed, "the plant's question before its late correction"


def test_python_gives_the_same_answer(tzdata: Lined) -> None:
    printed = run(tzdata, sys.executable, "-c", block("python"))
    assert printed.split() == [OFFSET, EPISODE]


def test_cypher_gives_the_same_answer(tzdata: Lined) -> None:
    rows = tzdata.raw(block("cypher"))
    assert rows == [{"offset": OFFSET, "episode": EPISODE}]


def test_what_to_type_in_the_browser_finds_something(tzdata: Lined) -> None:
    typed = re.findall(r"```cypher\n(.*?)```", (ROOT / "graph/README.md").read_text(), re.DOTALL)
    assert len(typed) >= 4
    for cypher in typed:
        assert tzdata.raw(cypher), cypher


def test_the_browser_style_shows_predicate_and_value() -> None:
    style = (ROOT / "infra/browser.grass").read_text()
    shown = dict(re.findall(r"(?:node|relationship)\.(\w+) \{[^}]*caption: \"\{(\w+)\}\"", style))
    assert shown["Value"] == "text"
    columns = {
        "Entity": ENTITIES, "Value": VALUES, "Episode": EPISODES, "BELIEF": EDGE, "ATTRIBUTE": EDGE,
        "CONFIRMS": CONFIRMS,
    }  # fmt: skip
    assert shown.keys() == columns.keys()
    assert all(caption in columns[name] for name, caption in shown.items())


def test_the_links_and_targets_exist() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).is_file(), link
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make (\w+)", README)) <= targets
    assert len(README.splitlines()) <= 120

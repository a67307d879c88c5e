"""The house rules that a reader relies on: size, names, direction of imports, what is shipped."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("lakehouse", "graph", "queries", "pipelines")
LONGEST = 300
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MODULES = [path for path in SOURCES if path.stat().st_size]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_short_and_says_its_idea_first(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= LONGEST
    assert text.startswith('"""'), "the first lines state the module's one idea"
    assert path.stem not in {"utils", "helpers", "common", "manager"}


def test_no_error_is_swallowed() -> None:
    silent = re.compile(r"except[^\n]*:\s*\n\s*(pass|\.\.\.)\s*\n")
    assert [str(path) for path in SOURCES if silent.search(path.read_text())] == []


def test_cypher_and_sql_live_in_files() -> None:
    inline = re.compile(r'"""?\s*(MATCH|MERGE|UNWIND|SELECT)\s')
    assert [str(path) for path in SOURCES if inline.search(path.read_text())] == []


def test_the_model_loads_the_standard_library_only() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in SOURCES
        if "lakehouse/model/" in path.as_posix()
    ]
    script = (
        "import sys, importlib\n"
        f"for name in {modules!r}: importlib.import_module(name.removesuffix('.__init__'))\n"
        "print([m for m in {name.split('.')[0] for name in sys.modules}\n"
        "       if m not in sys.stdlib_module_names and not m.startswith('_')])"
    )
    loaded = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{script}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout.strip() == "['lakehouse']"


def test_asking_never_loads_dagster() -> None:
    script = (
        "import sys, queries.surfaces.cli, queries.surfaces.ask; print('dagster' in sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert loaded.stdout.strip() == "False"


def test_locks_name_no_host() -> None:
    locks = [
        *ROOT.glob("infra/*.lock"),
        *ROOT.glob("pipelines/**/*.lock"),
        *ROOT.glob("graph/**/*.lock"),
    ]
    assert len(locks) >= 4
    assert [str(lock) for lock in locks if "://" in lock.read_text()] == []

"""The root command: verbs found and loaded late, errors in one shape, quiet endings."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from lakehouse.model import errors
from queries.surfaces import doctor as examination
from queries.surfaces import installation
from queries.surfaces.cli import GROUP, Commands, main
from queries.surfaces.findings import Finding, Level, Premises

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REGISTERED = PROJECT["entry-points"][GROUP]


@click.command()
@click.argument("category")
@click.option("--json", "as_json", is_flag=True)
def fail(category: str, as_json: bool) -> None:
    """Fail in some category."""
    if category == "abort":
        raise KeyboardInterrupt
    if category == "bug":
        raise ZeroDivisionError
    if category == "hello":
        click.echo("hello")
        return
    kinds = {kind.category: kind for kind in errors.BeliefgraphError.__subclasses__()}
    raise kinds[category]("the thing is broken", remedy="Mend it.", place="here")


@pytest.fixture
def root() -> Commands:
    point = EntryPoint("fail", f"{__name__}:fail", GROUP)
    return Commands("beliefgraph", entry_points=[point])


def _run(root: click.Command, *args: str) -> Result:
    return CliRunner().invoke(root, args)


@pytest.mark.parametrize(
    ("category", "code"), [(c, n) for c, n in errors.EXIT_CODES.items() if c != "internal"]
)
def test_an_error_is_a_sentence_and_a_remedy(root: Commands, category: str, code: int) -> None:
    result = _run(root, "fail", category)
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr == "error: the thing is broken\n  Mend it.\n"


def test_an_error_has_one_shape_in_json(root: Commands) -> None:
    result = _run(root, "fail", "conflict", "--json")
    assert result.exit_code == errors.EXIT_CODES["conflict"]
    assert json.loads(result.stderr) == {
        "error": {
            "category": "conflict",
            "message": "the thing is broken",
            "remedy": "Mend it.",
            "facts": {"place": "here"},
        }
    }
    misused = _run(root, "fail", "--json", "--nonsense")
    assert misused.exit_code == 2
    told = json.loads(misused.stderr)["error"]
    assert told.keys() == {"category", "message", "remedy", "facts"}
    assert told["category"] == "input"


def test_a_misuse_shows_the_usage(root: Commands) -> None:
    result = _run(root, "fail")
    assert result.exit_code == 2
    assert "Missing argument" in result.stderr
    assert _run(root, "no-such-verb").exit_code == 2
    assert _run(root, "fail", "hello").exit_code == 0


def test_bytes_that_are_no_text_are_refused_before_any_verb_trips_over_them(root: Commands) -> None:
    result = _run(root, "fail", os.fsdecode(b"\xff"))
    assert result.exit_code == errors.EXIT_CODES["input"]
    assert "'\\udcff' is not UTF-8 text" in result.stderr


def test_an_interrupt_ends_with_a_line(root: Commands) -> None:
    result = _run(root, "fail", "abort")
    assert result.exit_code == 130
    assert result.stderr.strip() == "interrupted"
    assert result.stdout == ""


def test_the_exit_codes_are_told() -> None:
    _, codes = _run(main, "--help").stdout.split("Exit codes: ")
    told = {int(code) for code in re.findall(r"\b\d+\b", codes.split("Options:")[0])}
    shown = {code for category, code in errors.EXIT_CODES.items() if category != "internal"}
    assert told == shown | {0, 1, 130}


def test_a_bug_is_not_hidden(root: Commands) -> None:
    assert isinstance(_run(root, "fail", "bug").exception, ZeroDivisionError)


def test_nothing_registered_is_a_clear_error() -> None:
    unregistered = Commands("beliefgraph", entry_points=[])
    assert "Commands" not in _run(unregistered, "--help").stdout
    wrong = Commands("beliefgraph", entry_points=[EntryPoint("x", "os:getcwd", GROUP)])
    result = _run(wrong, "x")
    assert result.exit_code == errors.EXIT_CODES["configuration"]
    assert "is not a command" in result.stderr


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment in which the distribution's metadata is found, as after an installation."""
    info = tmp_path / "site" / "beliefgraph-0.1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.4\nName: beliefgraph\nVersion: {PROJECT['version']}\n"
    )
    lines = [f"{name} = {target}" for name, target in REGISTERED.items()]
    info.joinpath("entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines, ""]))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NEO4J_")}
    yield kept | {
        "PYTHONPATH": os.pathsep.join([str(info.parent), str(ROOT)]),
        "BELIEFGRAPH_HOME": str(tmp_path / "home"),
    }


def _python(code: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_help_lists_every_verb_and_imports_none(installed: dict[str, str]) -> None:
    code = (
        "import sys; from queries.surfaces.cli import main; "
        "main(['--help'], standalone_mode=False); "
        "print(sorted(m for m in sys.modules if m.split('.')[0] in "
        "('dagster', 'pipelines', 'neo4j', 'pyiceberg', 'pyarrow')))"
    )
    done = _python(code, installed)
    assert done.returncode == 0, done.stderr
    *told, modules = done.stdout.strip().splitlines()
    assert modules == "[]"
    for name in REGISTERED:
        (line,) = (line for line in told if line.split()[:1] == [name])
        assert len(line.split()) > 3, f"{name} has no first line"


def test_asking_loads_neither_dagster_nor_the_lake(installed: dict[str, str]) -> None:
    code = (
        "import sys; from queries.surfaces.cli import main\n"
        "try: main(['ask', 'x'], standalone_mode=False)\n"
        "except Exception as error: print(type(error).__name__)\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & "
        "{'dagster', 'pipelines', 'pyiceberg', 'duckdb'}))"
    )
    done = _python(code, installed)
    assert done.stdout.splitlines() == ["UnavailableError", "[]"], done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_the_output_is_told(installed: dict[str, str]) -> None:
    code = "from queries.surfaces.cli import main; main(['--version'])"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-c", code], env=installed, stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == errors.EXIT_CODES[errors.UnavailableError.category]
    assert done.stderr.startswith("error: a disk is full") and "Traceback" not in done.stderr
    assert "Make room" in done.stderr


def test_the_version(installed: dict[str, str]) -> None:
    done = _python("from queries.surfaces.cli import main; main(['--version'])", installed)
    assert (done.returncode, done.stdout.strip()) == (0, f"beliefgraph {PROJECT['version']}")


def test_a_reader_that_leaves_is_no_error(installed: dict[str, str]) -> None:
    code = (
        "import click, sys; from importlib.metadata import EntryPoint\n"
        "from queries.surfaces.cli import Commands\n"
        "@click.command()\n"
        "def much():\n"
        "    for _ in range(200000): click.echo('x' * 80)\n"
        "import queries.surfaces.cli as c; c.much = much\n"
        "Commands('b', entry_points=[EntryPoint('much', 'queries.surfaces.cli:much', 'g')])"
        "(['much'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=installed,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        errors_told = process.stderr.read()
        process.wait(60)
    assert errors_told == ""


def test_ctrl_c_in_a_real_process(installed: dict[str, str]) -> None:
    code = (
        "import click, time\n"
        "from importlib.metadata import EntryPoint\n"
        "import queries.surfaces.cli as c\n"
        "@click.command()\n"
        "def wait():\n"
        "    click.echo('waiting'); time.sleep(60)\n"
        "c.wait = wait\n"
        "c.Commands('b', entry_points=[EntryPoint('wait', 'queries.surfaces.cli:wait', 'g')])"
        "(['wait'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=installed,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().strip() == "waiting"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        assert process.wait(30) == 130
    assert told.strip() == "interrupted"


def test_the_root_is_the_console_script() -> None:
    assert PROJECT["scripts"]["beliefgraph"] == "queries.surfaces.cli:main"
    assert isinstance(main, Commands)


def _findings(home: Path, **environ: str) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in examination.examine({"BELIEFGRAPH_HOME": str(home), **environ}):
        found.setdefault(finding.check, []).append(finding)
    return found


def test_doctor_on_a_fresh_home_changes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    found = _findings(home)
    assert set(found) == {check.__name__ for check in examination.CHECKS}
    assert found["python"][0].level is Level.FINE
    assert found["home"][0].message == f"{home.resolve()} (not made yet)"
    assert (found["server"][0].level, found["lake"][0].level) == (Level.NOTE, Level.NOTE)
    assert not home.exists()


def test_doctor_refuses_a_foreign_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "site" / "foreign-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text("Metadata-Version: 2.4\nName: foreign\nVersion: 1.0\n")
    info.joinpath("top_level.txt").write_text("queries\n")
    monkeypatch.syspath_prepend(str(info.parent))
    (problem,) = (f for f in _findings(tmp_path)["names"] if f.level is Level.PROBLEM)
    assert "'foreign'" in problem.message
    root = Commands("b", entry_points=[EntryPoint("doctor", REGISTERED["doctor"], GROUP)])
    monkeypatch.setenv("BELIEFGRAPH_HOME", str(tmp_path))
    monkeypatch.delenv("NEO4J_URI", raising=False)
    result = _run(root, "doctor", "--json")
    assert result.exit_code == errors.EXIT_CODES["configuration"]
    told = json.loads(result.stdout)
    assert told["healthy"] is False
    assert all({"check", "level", "message"} <= finding.keys() for finding in told["findings"])


def test_doctor_names_a_server_that_does_not_answer(tmp_path: Path) -> None:
    found = _findings(tmp_path, NEO4J_URI="bolt://127.0.0.1:1", NEO4J_PASSWORD="x")
    (problem,) = found["graph"]
    assert (problem.level, problem.category) == (Level.PROBLEM, "unavailable")
    assert problem.remedy


@pytest.mark.parametrize(
    ("wanted", "version", "fine"),
    [
        (">=0.12,<0.13", "0.12.1", True),
        (">=0.12,<0.13", "0.13.0", False),
        (">=0.12,<0.13", "0.11.9", False),
        ("==1.5.5", "1.5.5", True),
        ("==1.5.5", "1.5.6", False),
        (">=25,<26", "25.0.2.1", True),
    ],
)
def test_versions_are_compared_as_numbers(
    monkeypatch: pytest.MonkeyPatch, wanted: str, version: str, fine: bool
) -> None:
    monkeypatch.setattr(
        metadata, "requires", lambda _: [f"thing[x]{wanted}", "dev; extra == 'dev'"]
    )
    monkeypatch.setattr(metadata, "version", lambda _: version)
    levels = {finding.level for finding in installation.packages(Premises({}))}
    assert (Level.PROBLEM not in levels) is fine

"""The store as a folder: whatever interrupts a replacement leaves the old or the new one, whole.

No server is started: a folder with a few files stands in for a store.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from graph import server
from graph.server import Connection, java, store
from graph.server.layout import Choices, Layout
from graph.server.release import RELEASES, choose
from lakehouse.model.errors import ConfigurationError, UnavailableError
from queries.surfaces import stack

NEWEST, LONG_TERM = RELEASES["2026.09"], RELEASES["5.26"]


class Killed(BaseException):
    """The process ended here."""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A home with a store that says `old`."""
    made = Layout(tmp_path / "home")
    made.prepare()
    _store(made.data, "old")
    return made


def _store(folder: Path, says: str) -> Path:
    (folder / "databases" / "system").mkdir(parents=True)
    (folder / "says").write_text(says)
    return folder


def _says(layout: Layout) -> str:
    store.recover(layout, progress=print)
    assert not layout.replaced.exists() or _whole(layout.replaced)
    return (layout.data / "says").read_text()


def _whole(folder: Path) -> bool:
    return (folder / "says").exists() and (folder / "databases" / "system").exists()


def _replace(layout: Layout, made: Path) -> None:
    store.take(layout, made)
    store.settle(layout)


def test_a_kill_at_any_step_of_a_replacement_leaves_one_whole_store(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, found = Path.replace, []
    for last in range(1, 5):
        home = Layout(tmp_path / f"home{last}")
        home.prepare()
        _store(home.data, "old")
        made = _store(tmp_path / f"made{last}", "new")
        left = [last]

        def replace(self: Path, target: Path, left: list[int] = left) -> Path:
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            return rename(self, target)

        monkeypatch.setattr(Path, "replace", replace)
        try:
            _replace(home, made)
        except Killed:
            found.append("killed")
        monkeypatch.setattr(Path, "replace", rename)
        found.append(_says(home))
    assert found == ["killed", "old", "killed", "old", "killed", "new", "new"]


def test_half_a_removal_is_never_taken_for_a_store(layout: Layout, tmp_path: Path) -> None:
    store.take(layout, _store(tmp_path / "made", "new"))
    layout.replaced.replace(layout.removed)
    (layout.removed / "says").unlink()
    (layout.data / "databases" / "system").rmdir()
    store.recover(layout, progress=print)
    assert not layout.removed.exists() and not layout.replaced.exists()


def test_a_store_of_another_version_makes_room_and_returns_if_the_start_fails(
    layout: Layout,
) -> None:
    store.sign(layout, LONG_TERM)
    said: list[str] = []
    store.set_aside_foreign(layout, LONG_TERM, progress=said.append)
    assert not said and _says(layout) == "old"
    store.set_aside_foreign(layout, NEWEST, progress=said.append)
    assert "5.26" in said[0] and "lake" in said[0] and "beliefgraph rebuild" in said[0]
    assert not layout.data.exists()
    layout.data.mkdir()
    layout.first_start.touch()  # The start of the new one was broken off.
    assert _says(layout) == "old" and store.made_by(layout) == LONG_TERM.version


def test_a_store_that_does_not_say_who_made_it_was_made_by_the_version_last_started(
    layout: Layout,
) -> None:
    assert store.made_by(layout) is None
    layout.remember(Choices(7687, 256, 256, "2026.01.0"))
    assert store.made_by(layout) == "2026.01.0"


def test_the_version_is_what_was_asked_then_what_the_home_remembers() -> None:
    assert choose(None, None) is NEWEST
    assert choose(None, "5.26.1") is LONG_TERM
    assert choose("2026.09", "5.26.1") is NEWEST
    assert choose(None, "2026.1.0") is NEWEST and choose(None, "5.260.0") is NEWEST
    with pytest.raises(ConfigurationError) as caught:
        choose("4.4", None)
    assert "4.4" in caught.value.message and "5.26" in caught.value.remedy


def test_the_command_takes_a_version_and_refuses_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    where = Connection("bolt://127.0.0.1:1", "neo4j", "x", "neo4j", managed=True)

    def up(_: object, **given: object) -> Connection:
        asked.append((given["memory"], given["neo4j"]))
        return where

    monkeypatch.setattr(server, "up", up)
    for given in ([], ["--neo4j", "5.26", "--memory", "1g"], ["--neo4j", "4.4"]):
        done = CliRunner().invoke(stack.up, given)
        assert done.exit_code == (2 if "4.4" in given else 0), done.output
    assert asked == [(None, None), ("1g", "5.26")] and "2026.09" in done.output


def _java(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch(mode=0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


def test_a_java_of_ones_own_is_used_if_it_is_the_right_one(layout: Layout, tmp_path: Path) -> None:
    place = layout.java / "21"
    place.symlink_to(_java(tmp_path / "jdk-21", "21.0.8"))
    assert java.find(layout, LONG_TERM, os.environ, progress=print) == str(place / "bin" / "java")
    place.unlink()
    place.symlink_to(_java(tmp_path / "jdk-11", "11.0.2"))
    with pytest.raises(ConfigurationError) as caught:
        java.find(layout, LONG_TERM, os.environ, progress=print)
    assert "version 11" in caught.value.message and "17 or 21" in caught.value.remedy


def test_without_pip_or_network_the_way_to_another_java_is_told(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = tmp_path / "python"
    deaf.write_text("#!/bin/sh\necho 'No module named pip' >&2\nexit 1\n")
    deaf.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(deaf))
    with pytest.raises(UnavailableError) as caught:
        java.find(layout, LONG_TERM, os.environ, progress=print)
    assert "No module named pip" in caught.value.message
    assert f"ln -s /path/to/jdk-21 {layout.java / '21'}" in caught.value.remedy
    assert not list(layout.java.iterdir())

"""A settings file of PyIceberg's that is named, or wrong, is never passed over."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from lakehouse.catalog import configured
from lakehouse.model.errors import EXIT_CODES, ConfigurationError


@pytest.mark.parametrize("inside", ["", "nothing", ".pyiceberg.yaml"])
def test_a_settings_folder_that_holds_none_is_not_passed_over(tmp_path: Path, inside: str) -> None:
    """Silent fallback: the lake would lie in the home, though another place was named."""
    if inside == ".pyiceberg.yaml":
        (tmp_path / inside).write_text("catalog:\n  lake:\n    type: rest\n")
    named = str(tmp_path / inside) if inside else str(tmp_path)
    with pytest.raises(ConfigurationError, match=f"PYICEBERG_HOME is {named}") as caught:
        configured({"PYICEBERG_HOME": named})
    assert "Name the folder that holds .pyiceberg.yaml, or unset" in caught.value.remedy


@pytest.mark.parametrize("text", ["catalog: [\n", "catalog: lake\n", "lake\n", "", "a: \0\n"])
def test_a_settings_file_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / ".pyiceberg.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=str(tmp_path / ".pyiceberg.yaml")):
        configured({"PYICEBERG_HOME": str(tmp_path)})


@pytest.mark.parametrize(
    "text", ["s3.secret-access-key: {hidden\n", "a: hidden\na: hidden\n", "a: &hidden b\n"]
)
def test_what_a_wrong_settings_file_holds_is_not_repeated(tmp_path: Path, text: str) -> None:
    """A secret in an error: the parser quotes the lines around the wrong one."""
    (tmp_path / ".pyiceberg.yaml").write_text(f"default-catalog: x\n{text}")
    with pytest.raises(ConfigurationError, match=r"\.pyiceberg\.yaml is not .* line \d") as caught:
        configured({"PYICEBERG_HOME": str(tmp_path)})
    assert "hidden" not in "".join(traceback.format_exception(caught.value))


def test_a_broken_settings_file_is_one_sentence_for_who_calls_the_program(tmp_path: Path) -> None:
    """PyIceberg reads the file at its import: it was a traceback before any code of ours ran."""
    (tmp_path / ".pyiceberg.yaml").write_text("catalog: [\n")
    ended = subprocess.run(
        [sys.executable, "-c", "from queries.surfaces.cli import main; main()", "quarantine", "x"],
        env=os.environ | {"PYICEBERG_HOME": str(tmp_path), "BELIEFGRAPH_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == EXIT_CODES["configuration"]
    assert ended.stderr.startswith(f"error: {tmp_path / '.pyiceberg.yaml'} is not the YAML that")
    assert "Traceback" not in ended.stderr

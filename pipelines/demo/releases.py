"""The releases the demo is made of: pinned by hash, fetched by pip, never fetched twice.

`releases.lock` is the one list: a version and the sha256 of its wheel a line. A wheel in the
cache folder counts only while its bytes have that hash; any other is fetched anew.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lakehouse.model.errors import (
    BeliefgraphError,
    ConfigurationError,
    IntegrityError,
    UnavailableError,
)

Progress = Callable[[int, int, str], None]
"""Called as (done, total, what was just done); always from the caller's own thread."""

LOCK_FILE: Final = Path(__file__).with_name("releases.lock")
PARALLEL: Final = 4
"""pip refuses two versions of one package in one call, so it is called once a release."""

_LINE: Final = re.compile(r"tzdata==(?P<version>\d+\.\d+) --hash=sha256:(?P<sha256>[0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Pin:
    """One release: its version and the sha256 its wheel must have."""

    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        """Name of the wheel in the cache folder (all releases carry the same tags)."""
        return f"tzdata-{self.version}-py2.py3-none-any.whl"

    @property
    def requirement(self) -> str:
        """The line pip reads, hash included."""
        return f"tzdata=={self.version} --hash=sha256:{self.sha256}"


def quiet(done: int, total: int, what: str) -> None:
    """The progress callback that says nothing."""


def read_lock(path: Path = LOCK_FILE) -> list[Pin]:
    """The pinned releases in the order of the file, oldest first."""
    pins: list[Pin] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise ConfigurationError(
                f"{path.name}, line {number}: not a pinned release.",
                remedy="Write tzdata==YEAR.NUMBER --hash=sha256:HEX, one release a line.",
                file=path,
                line=number,
            )
        pins.append(Pin(match["version"], match["sha256"]))
    return pins


def fetch(cache: Path, progress: Progress = quiet, *, pins: list[Pin] | None = None) -> list[Path]:
    """Have every pinned wheel in `cache`, and return their paths in the order of the lock.

    Wheels that are there with the right hash are left alone and need no network; missing and
    damaged ones are fetched, `PARALLEL` at a time. What was fetched before a failure stays.
    """
    wanted = read_lock() if pins is None else pins
    cache.mkdir(parents=True, exist_ok=True)
    missing = [pin for pin in wanted if not _is_intact(cache / pin.file_name, pin.sha256)]
    done = len(wanted) - len(missing)
    if done:
        progress(done, len(wanted), f"{done} already there")
    pool = ThreadPoolExecutor(max_workers=PARALLEL)
    try:
        jobs: dict[Future[None], Pin] = {
            pool.submit(_fetch_one, pin, cache): pin for pin in missing
        }
        for job in as_completed(jobs):
            job.result()
            done += 1
            progress(done, len(wanted), f"tzdata {jobs[job].version}")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return [cache / pin.file_name for pin in wanted]


def _is_intact(path: Path, sha256: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _fetch_one(pin: Pin, cache: Path) -> None:
    """Fetch one wheel into a folder of its own, check it, then move it into place."""
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=cache) as name:
        folder = Path(name)
        requirements = folder / "requirements.txt"
        requirements.write_text(pin.requirement + "\n", encoding="utf-8")
        code, said = run_pip(
            [
                *("download", "--quiet", "--no-input", "--disable-pip-version-check"),
                *("--retries", "2", "--no-deps", "--only-binary", ":all:", "--require-hashes"),
                *("--dest", str(folder), "--requirement", str(requirements)),
            ]
        )
        if code != 0:
            raise _failure(pin, said)
        fetched = folder / pin.file_name
        if not _is_intact(fetched, pin.sha256):
            raise _mismatch(pin)
        fetched.replace(cache / pin.file_name)


def run_pip(arguments: list[str]) -> tuple[int, str]:
    """Run this interpreter's pip; its exit code and what it wrote to standard error."""
    ran = subprocess.run(
        [sys.executable, "-m", "pip", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        text=True,
        errors="replace",
    )
    return ran.returncode, ran.stderr


def _failure(pin: Pin, said: str) -> BeliefgraphError:
    """The error for a pip call that failed, told by what pip said."""
    if "DO NOT MATCH THE HASHES" in said:
        return _mismatch(pin)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if "No module named pip" in said:
        remedy = f"Give this environment pip: {sys.executable} -m ensurepip"
    else:
        remedy = "Check the network and pip's index settings, then run the same command again."
    return UnavailableError(
        f"The package index did not give tzdata {pin.version}.",
        remedy=remedy,
        release=pin.version,
        pip=lines[-1] if lines else "no output",
    )


def _mismatch(pin: Pin) -> IntegrityError:
    return IntegrityError(
        f"The package index gave a tzdata {pin.version} that is not the pinned one.",
        remedy="Use another index or mirror; do not change the hash before you know why.",
        release=pin.version,
        sha256=pin.sha256,
    )

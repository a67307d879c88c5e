"""The demo's source file: one gzipped JSON line an episode, the same bytes for the same wheels.

Written beside its place and moved there when complete; a stamp next to it names the wheels it
was made from, so that it is made again only when they or the file have changed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from lakehouse.model.errors import IntegrityError, UnavailableError
from pipelines.demo.releases import Progress, quiet
from pipelines.demo.timezones import episodes, iso, read_release, release_key

FORMAT: Final = 2
"""Raised whenever the records change their shape, so that older files are written anew."""

COMPRESSION: Final = 6


def write_episodes(wheel_dir: Path, out_path: Path, progress: Progress = quiet) -> bool:
    """Write every episode of the wheels in `wheel_dir`, oldest release first.

    True if the file was written, False if it was there, complete, for exactly these wheels.
    """
    wheels = find_wheels(wheel_dir)
    made_of = {wheel.name: _digest(wheel) for wheel in wheels}
    if _is_current(out_path, made_of):
        progress(len(wheels), len(wheels), "already written")
        return False
    out_path.parent.mkdir(parents=True, exist_ok=True)
    stamp_path(out_path).unlink(missing_ok=True)
    beside = out_path.with_name(f".{out_path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as raw:
            # No name and no time in the header: the bytes depend on the wheels alone.
            with gzip.GzipFile("", "wb", COMPRESSION, raw, mtime=0) as packed:
                for line in _lines(wheels, progress):
                    packed.write(line)
            _sync(raw)
        beside.replace(out_path)
    finally:
        beside.unlink(missing_ok=True)
    _write_stamp(out_path, made_of)
    return True


def find_wheels(wheel_dir: Path) -> list[Path]:
    """The tzdata wheels of a folder, oldest release first."""
    wheels = sorted(wheel_dir.glob("tzdata-*.whl"), key=release_key)
    if not wheels:
        raise UnavailableError(
            f"No tzdata wheels in {wheel_dir}.", remedy="Fetch them first.", folder=wheel_dir
        )
    return wheels


def stamp_path(out_path: Path) -> Path:
    """Where the stamp of an episode file lies."""
    return out_path.with_name(out_path.name + ".stamp")


def _lines(wheels: list[Path], progress: Progress) -> Iterator[bytes]:
    previous: Collection[str] = ()
    known: datetime | None = None
    for done, wheel in enumerate(wheels, start=1):
        release = read_release(wheel)
        if known is not None and release.recorded_at <= known:
            raise IntegrityError(
                f"{wheel.name} is dated {iso(release.recorded_at)}, "
                f"not after the release before it ({iso(known)}).",
                remedy="Remove it from the folder; releases must become known one after another.",
                file=wheel,
            )
        for episode in episodes(release, previous):
            text = json.dumps(episode, ensure_ascii=False, separators=(",", ":"))
            yield text.encode("utf-8") + b"\n"
        previous, known = release.records, release.recorded_at
        progress(done, len(wheels), f"tzdata {release.version}")


def _is_current(out_path: Path, made_of: dict[str, str]) -> bool:
    try:
        stamp = json.loads(stamp_path(out_path).read_text(encoding="utf-8"))
        return bool(stamp == _stamp(_digest(out_path), made_of))
    except (OSError, ValueError):
        return False


def _write_stamp(out_path: Path, made_of: dict[str, str]) -> None:
    text = json.dumps(_stamp(_digest(out_path), made_of), indent=1)
    beside = stamp_path(out_path).with_name(f".{out_path.name}.stamp.{os.getpid()}")
    beside.write_text(text + "\n", encoding="utf-8")
    beside.replace(stamp_path(out_path))


def _stamp(output: str, made_of: dict[str, str]) -> dict[str, object]:
    return {"format": FORMAT, "sha256": output, "wheels": made_of}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _sync(raw: IO[bytes]) -> None:
    raw.flush()
    os.fsync(raw.fileno())

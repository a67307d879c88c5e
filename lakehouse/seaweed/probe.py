"""What SeaweedFS still lacks to keep and give objects: asked of its master and its filer.

It answers for a bucket before its volumes are registered; until then each stored object in them
reads as an internal failure.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Mapping
from typing import Final

import requests

from lakehouse.local.ports import LOOPBACK
from lakehouse.seaweed.layout import Layout
from lakehouse.seaweed.settings import keys_of

PARTS: Final = ("master", "filer")
"""The ports that are asked."""
_VOLUME: Final = re.compile(r"(?:.+_)?(\d+)\.dat")
_SECONDS: Final = 5.0


def lacking(layout: Layout, ports: Mapping[str, int]) -> str:
    """Why stored objects cannot be had yet, in a few words; "" once they can."""
    try:
        with requests.Session() as session:
            session.trust_env = False  # No proxy: this machine is asked.
            missing = _on_disk(layout) - _registered(session, ports)
            if missing:
                return f"its volumes {', '.join(map(str, sorted(missing)))} are not registered"
            return _stores(session, layout, ports)
    except (requests.RequestException, ValueError, KeyError) as wrong:
        return f"its master or filer does not answer ({type(wrong).__name__})"


def _on_disk(layout: Layout) -> set[int]:
    """The volumes whose files lie in the data folder, named `[collection_]number.dat`."""
    found = (_VOLUME.fullmatch(file.name) for file in layout.data.glob("*.dat"))
    return {int(name[1]) for name in found if name}


def _registered(session: requests.Session, ports: Mapping[str, int]) -> set[int]:
    """The volumes that the master can tell a reader of."""
    answer = session.get(f"http://{LOOPBACK}:{ports['master']}/vol/status", timeout=_SECONDS)
    answer.raise_for_status()
    centers = answer.json()["Volumes"]["DataCenters"] or {}
    nodes = [
        node for racks in centers.values() for rack in racks.values() for node in rack.values()
    ]
    return {int(volume["Id"]) for volumes in nodes for volume in volumes or ()}


def _stores(session: requests.Session, layout: Layout, ports: Mapping[str, int]) -> str:
    """Write a file, read it, remove it: beside the bucket, which takes a lake's files only."""
    place = f"http://{LOOPBACK}:{ports['filer']}/ready-{secrets.token_hex(8)}"
    login = {"Authorization": f"BEARER {_token(keys_of(layout)['filer_key'])}"}
    body = secrets.token_bytes(16)
    kind = {"Content-Type": "application/octet-stream"}
    put = session.put(place, data=body, headers=login | kind, timeout=_SECONDS)
    if not put.ok:
        return f"it stores nothing (HTTP {put.status_code})"
    got = session.get(place, headers=login, timeout=_SECONDS)
    session.delete(place, headers=login, timeout=_SECONDS).raise_for_status()
    return "" if got.ok and got.content == body else "what it stored cannot be read back"


def _token(key: str) -> str:
    """A JSON Web Token (HS256) that the filer takes for a minute."""
    head, claims = {"alg": "HS256", "typ": "JWT"}, {"exp": int(time.time()) + 60}
    signed = b".".join(_base64(json.dumps(part).encode()) for part in (head, claims))
    return b".".join([signed, _base64(hmac.digest(key.encode(), signed, hashlib.sha256))]).decode()


def _base64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")

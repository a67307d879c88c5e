"""An episode's recorded digest can be computed again, however it is computed.

A digest that comes out differently makes every episode "other content" when a file lands again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lakehouse.keys import DigestKey
from lakehouse.model.episodes import Episode

_SECRET = bytes(range(32))
_TEXT = st.text(st.characters(), max_size=12)
_NUMBER = st.integers(-(2**63), 2**63 - 1)
_EPISODES = st.builds(
    Episode,
    tenant=st.just("t"),
    episode_id=st.just("e"),
    source=_TEXT,
    source_key=_TEXT,
    payload=st.binary(max_size=300),
    media_type=_TEXT,
    attested_at=st.none() | _NUMBER,
    occurred_at=st.none() | _NUMBER,
    trust=_NUMBER | st.booleans(),
    classification=_NUMBER,
    who=st.none() | _TEXT,
    tags=st.lists(_TEXT, max_size=3).map(tuple),
)


@given(_EPISODES)
def test_a_digest_covers_payload_and_metadata_as_json(episode: Episode) -> None:
    metadata = (
        episode.source,
        episode.source_key,
        episode.media_type,
        episode.attested_at,
        episode.occurred_at,
        episode.trust,
        episode.classification,
        episode.who,
        episode.tags,
    )
    told = json.dumps(metadata).encode()
    parts = (len(episode.payload).to_bytes(8, "big"), episode.payload, len(told).to_bytes(8, "big"))
    by_hand = hashlib.blake2b(b"".join(parts) + told, digest_size=16, key=_SECRET).hexdigest()
    assert DigestKey(_SECRET).of_episode(episode) == f"{DigestKey(_SECRET).key_id}:{by_hand}"


def test_a_digest_recorded_by_an_earlier_version_is_found_again() -> None:
    episode = Episode(
        tenant="t",
        episode_id="e",
        source="Zürich",
        source_key='"quoted"\n',
        payload=b'{"a": 1}',
        occurred_at=-1,
        tags=("x", "ÿ"),
    )
    assert DigestKey(_SECRET).of_episode(episode) == "37214e53:e7030e50ffd9ec3c4226a6d4f261f573"
    elsewhere = replace(episode, location="other:1", landed_at=5, seq=9)
    assert DigestKey(_SECRET).of_episode(elsewhere) == DigestKey(_SECRET).of_episode(episode)

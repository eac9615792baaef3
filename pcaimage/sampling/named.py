"""Names of the samplings, by which people and files choose a method."""

from __future__ import annotations

from pcaimage.sampling.bands import Bands, Channels
from pcaimage.sampling.base import Sampling
from pcaimage.sampling.blocks import Blocks
from pcaimage.sampling.lapped import Lapped
from pcaimage.sampling.stack import Stack

SAMPLINGS: dict[str, type[Sampling]] = {
    "photo": Lapped,
    "blocks": Blocks,
    "channels": Channels,
    "bands": Bands,
    "stack": Stack,
}


def name_of(sampling: Sampling) -> str:
    """Return a sampling's name in :data:`SAMPLINGS`."""
    return next(name for name, kind in SAMPLINGS.items() if type(sampling) is kind)


def sampling_named(name: str, block: int | None = None) -> Sampling:
    """Return the sampling of a name in :data:`SAMPLINGS`; `block` is the side of ``"blocks"``."""
    return Blocks(block) if name == "blocks" and block is not None else SAMPLINGS[name]()

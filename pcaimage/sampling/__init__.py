"""Conversion between an image and a matrix of samples.

A :class:`Sampling` defines what one observation is: a frozen, hashable description with an exact inverse. It
converts arrays to arrays and is independent of PCA.

* :class:`Blocks` - each B×B×C block of pixels is a sample of B·B·C features;
* :class:`Lapped` - each 8×8×C block is a sample, after a lapped transform across its borders;
* :class:`Channels` - each pixel is a sample of C features;
* :class:`Bands` - each pixel of an image of many bands is a sample, and is predicted from its neighbours;
* :class:`Stack` - each image of a stack is a sample of H·W·C features.
"""

from pcaimage.sampling.base import Bands, Channels, Sampling, Shape, Stack
from pcaimage.sampling.blocks import MAX_BLOCK, MIN_BLOCK, Blocks, Lapped

__all__ = [
    "MAX_BLOCK",
    "MIN_BLOCK",
    "SAMPLINGS",
    "Bands",
    "Blocks",
    "Channels",
    "Lapped",
    "Sampling",
    "Shape",
    "Stack",
    "name_of",
    "sampling_named",
]

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

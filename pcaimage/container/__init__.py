"""The ``.pcai`` file: chunks with checksums around a compressed image.

This package does not interpret the numbers. ``docs/format.md`` defines the format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# The function shares its module's name: importing the module later would replace the function.
from pcaimage.container.trim import trim, trimmed_sizes
from pcaimage.lazy import importing
from pcaimage.signature import SIGNATURE

if TYPE_CHECKING:
    from pcaimage.container.chunks import RawChunk, major_version, scan
    from pcaimage.container.reader import peek, read
    from pcaimage.container.spec import MAJOR, MAX_NUMBERS, MINOR, MODEL_MAJOR, PHOTO_MAJOR, Chunk
    from pcaimage.container.writer import write

__getattr__, __dir__ = importing(
    __name__,
    {
        "chunks": ("RawChunk", "major_version", "scan"),
        "reader": ("peek", "read"),
        "spec": ("MAJOR", "MAX_NUMBERS", "MINOR", "MODEL_MAJOR", "PHOTO_MAJOR", "Chunk"),
        "writer": ("write",),
    },
)

__all__ = [
    "MAJOR",
    "MAX_NUMBERS",
    "MINOR",
    "MODEL_MAJOR",
    "PHOTO_MAJOR",
    "SIGNATURE",
    "Chunk",
    "RawChunk",
    "major_version",
    "peek",
    "read",
    "scan",
    "trim",
    "trimmed_sizes",
    "write",
]

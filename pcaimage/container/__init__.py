"""The ``.pcai`` file: chunks with checksums around a compressed image.

Nothing here knows what the numbers mean. ``docs/format.md`` defines the format.
"""

from pcaimage.container.chunks import RawChunk, major_version, scan
from pcaimage.container.reader import peek, read
from pcaimage.container.spec import MAJOR, MAX_NUMBERS, MINOR, MODEL_MAJOR, PHOTO_MAJOR, SIGNATURE, Chunk
from pcaimage.container.trim import trim, trimmed_sizes
from pcaimage.container.writer import write

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

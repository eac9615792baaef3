"""The ``.pcai`` file: chunks with checksums around a compressed image.

Nothing here knows what the numbers mean. ``docs/format.md`` is the format's definition.
"""

from pcaimage.container.reader import RawChunk, peek, read, scan
from pcaimage.container.spec import MAJOR, MAX_NUMBERS, MINOR, SIGNATURE, Chunk
from pcaimage.container.trim import trim, trimmed_sizes
from pcaimage.container.writer import write

__all__ = [
    "MAJOR",
    "MAX_NUMBERS",
    "MINOR",
    "SIGNATURE",
    "Chunk",
    "RawChunk",
    "peek",
    "read",
    "scan",
    "trim",
    "trimmed_sizes",
    "write",
]

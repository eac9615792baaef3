"""Names, numbers and limits of the ``.pcai`` format, which ``docs/format.md`` defines.

The format is versioned independently of the program.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

MAJOR: Final = 1
"""Major version of blocks, channels and stacks. Readers refuse major versions that they do not know."""
PHOTO_MAJOR: Final = 2
"""Major version of photos, whose components are in groups."""
BANDS_MAJOR: Final = 3
"""Major version of many bands, whose scores are coded in context."""
MODEL_MAJOR: Final = 4
"""Major version of images whose basis is in a model file."""
TOOLS_MAJOR: Final = 5
"""Major version of photos that use tools, such as dependent quantisation."""
NEWER_TOOLS_MAJOR: Final = 6
"""Major version of photos that use a tool which version 5 did not have, such as tiles."""
NETWORKS_MAJOR: Final = 7
"""Major version of photos whose tables have networks that expect scores."""
TOOLS_MAJORS: Final = (TOOLS_MAJOR, NEWER_TOOLS_MAJOR, NETWORKS_MAJOR)
"""Major versions of photos that say which tools they use."""
MINOR: Final = 0
"""Minor version; it increases with additions that older readers may skip."""
BANDS_INFO_MINOR: Final = 1
"""Minor version of files of the first two major versions that have a chunk about their bands."""
TEXTS_MINOR: Final = 2
"""Minor version of files with XMP or IPTC, of the first two major versions; of later ones it is 1."""
TIMING_MINOR: Final = 3
"""Minor version of files with the durations of a stack's images, of major version 1; of version 4 it is 2."""

MAX_NUMBERS: Final = 1 << 29
"""Default limit of pixels times channels times images: 180 megapixels in colour."""

MAX_SIDE: Final = 1 << 24
MAX_CHANNELS: Final = 1 << 16
MAX_TEXT: Final = 1 << 12
MAX_PROFILE: Final = 1 << 24
MAX_PREVIEW_SIDE: Final = 256
PHOTO_CHANNELS: Final = (1, 2, 3, 4)
MAX_TABLES: Final = 255
MAX_BANDS_INFO: Final = 1 << 24
MAX_TIMING: Final = 1 << 24
MAX_BANDS_MEAN_BITS: Final = 40
MAX_VALUE_BITS: Final = 40

GROUP_BYTES: Final = 1 << 16
"""Size in bytes at which the writer closes a group, which limits the loss by damage."""

SPECTRUM_RESOLUTION: Final = 1024
"""Levels of the stored spectrum per octave."""
SPECTRUM_OFFSET: Final = 32
"""Octaves below 1 at which it starts."""


class Chunk(Enum):
    """Kinds of chunks. Readers must know upper-case kinds, and may skip unknown lower-case ones."""

    HEADER = b"H"
    MEAN = b"M"
    DEVIATIONS = b"D"
    BASIS = b"B"
    ALPHA = b"A"
    MISSING = b"N"
    TILES = b"T"
    COMPONENT = b"C"
    SCORES = b"S"
    GROUP = b"G"
    RESIDUAL = b"R"
    END = b"E"
    SPECTRUM = b"s"
    NAME = b"n"
    FILE_SIZE = b"f"
    ICC_PROFILE = b"i"
    EXIF = b"x"
    PREVIEW = b"p"
    BANDS = b"b"
    XMP = b"r"
    IPTC = b"c"
    TIMING = b"t"


_EXTERNAL: Final = (Chunk.BASIS, Chunk.SCORES)
_PLAIN: Final = frozenset(Chunk) - {Chunk.TILES}
_PHOTO: Final = _PLAIN - {Chunk.COMPONENT, Chunk.DEVIATIONS, Chunk.MISSING, *_EXTERNAL}

KINDS: Final = {
    MAJOR: _PLAIN - {Chunk.GROUP, Chunk.RESIDUAL, Chunk.MISSING, *_EXTERNAL},
    PHOTO_MAJOR: _PHOTO,
    BANDS_MAJOR: _PLAIN - {Chunk.GROUP, Chunk.DEVIATIONS, *_EXTERNAL},
    MODEL_MAJOR: _PLAIN
    - {Chunk.GROUP, Chunk.RESIDUAL, Chunk.MISSING, Chunk.COMPONENT, Chunk.MEAN, Chunk.DEVIATIONS}
    - {Chunk.SPECTRUM},
    TOOLS_MAJOR: _PHOTO,
    NEWER_TOOLS_MAJOR: _PHOTO | {Chunk.TILES},
    NETWORKS_MAJOR: _PHOTO | {Chunk.TILES},
}
"""Kinds of chunks that each major version allows."""

ONCE: Final = frozenset(Chunk) - {Chunk.COMPONENT, Chunk.GROUP, Chunk.SCORES}
"""Kinds of chunks that occur at most once."""

BEFORE_COMPONENTS: Final = frozenset(
    {Chunk.MEAN, Chunk.DEVIATIONS, Chunk.BASIS, Chunk.ALPHA, Chunk.MISSING, Chunk.TILES}
)
"""Kinds of chunks that must precede the components, which are unusable without them."""

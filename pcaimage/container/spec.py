"""Names, numbers and limits of the ``.pcai`` format, which ``docs/format.md`` defines.

The format is versioned independently of the program.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

VERSION: Final = 16
"""Version 1.0 of the format: its first number in the high half of a byte, its second in the low half."""
UNRELEASED: Final = range(1, 8)  # versions that were never released; no reader knows them
BLOCKS, BANDS, STACK, PHOTO = range(4)  # method numbers
MAX_NUMBERS: Final = 1 << 29  # default limit of pixels times channels times images: 180 megapixels in colour

MAX_SIDE: Final = 1 << 24
MAX_CHANNELS: Final = 1 << 16
MAX_TEXT: Final = 1 << 12
MAX_PROFILE: Final = 1 << 24
MAX_PREVIEW_SIDE: Final = 256
MAX_BANDS_INFO: Final = 1 << 24
MAX_TIMING: Final = 1 << 24

GROUP_BYTES: Final = 1 << 16
"""Size in bytes at which the writer closes a group, which limits the loss by damage."""

SPECTRUM_RESOLUTION: Final = 1024  # levels of the stored spectrum per octave
SPECTRUM_OFFSET: Final = 32  # octaves below 1 at which it starts


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

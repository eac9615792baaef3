"""The bit depth of AVIF files, of which Pillow's decoder returns eight bits."""

from __future__ import annotations

from pcaimage.errors import ImageError
from pcaimage.imaging.source import Source, open_source

_SEARCHED = 1 << 16
"""Number of bytes from the start of a file in which the image's properties are searched."""
_DEEP, _TWELVE = 0x40, 0x20


def avif_bits(source: Source) -> int:
    """Return the bits per channel of an AVIF: 8, 10 or 12; 8 if the file does not say or cannot be read.

    References
    ----------
    AV1 Codec ISO Media File Format Binding, v1.2.0, section 2.3: AV1 Codec Configuration Box.
    """
    try:
        with open_source(source) as (file, _):
            start = file.read(_SEARCHED)
    except ImageError:
        return 8
    place = start.find(b"av1C")
    # After the box type: marker and version, profile and level, and then the flags.
    flags = start[place + 6] if place >= 0 and place + 6 < len(start) else 0
    if not flags & _DEEP:
        return 8
    return 12 if flags & _TWELVE else 10

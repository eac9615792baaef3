"""How many bits a channel of an AVIF has, of which its decoder returns eight."""

from __future__ import annotations

from pcaimage.errors import ImageError
from pcaimage.imaging.source import Source, open_source

_SEARCHED = 1 << 16
"""The properties of an image stand within so many bytes from the beginning of its file."""
_DEEP, _TWELVE = 0x40, 0x20


def avif_bits(source: Source) -> int:
    """Return the bits of a channel of an AVIF.

    Parameters
    ----------
    source : path, bytes or binary file
        The file.

    Returns
    -------
    int
        8, 10 or 12; 8 where the file does not say, or cannot be read.

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
    # Behind the kind of the box: marker and version, profile and level, and then the flags.
    flags = start[place + 6] if place >= 0 and place + 6 < len(start) else 0
    if not flags & _DEEP:
        return 8
    return 12 if flags & _TWELVE else 10

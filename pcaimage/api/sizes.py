"""Limits of compressed images, checked before memory is allocated."""

from __future__ import annotations

import numpy as np

from pcaimage.codec import Compressed, Header
from pcaimage.errors import ImageTooLargeError
from pcaimage.imaging import Limits
from pcaimage.imaging.limits import VARIABLE
from pcaimage.sampling import MAX_BLOCK

MAX_PADDING = 2
"""Limit of the numbers of an image's blocks, in multiples of those of the largest image."""

_SCORE_BYTES = 4
"""Most bytes of a score in memory; as many times the memory of the pixels is allowed for scores."""


def check_size(header: Header, limits: Limits, name: str) -> int:
    """Raise ImageTooLargeError for a header over the limits.

    Parameters
    ----------
    header : Header
        The image's.
    limits : Limits
        How large it may be.
    name : str
        What it is called in messages.

    Returns
    -------
    int
        How many numbers it may have with all padding.

    Raises
    ------
    ImageTooLargeError
        If it has more pixels or bytes.
    """
    height, width, channels = header.shape[-3:]
    frames = header.shape[0] if len(header.shape) == 4 else 1
    pixel_bytes = channels * np.dtype(header.dtype).itemsize
    # Large images that are decoded line by line go to a file.
    limits.check(width, height, pixel_bytes, frames=frames, name=name, mapped=header.traits.streams_lines)
    # Blocks that reach far over the edges of a thin image take memory too.
    padded = max(MAX_PADDING * limits.max_bytes, MAX_BLOCK**2 * channels)
    return limits.max_mapped_bytes if header.traits.streams_lines else padded


def check_memory(compressed: Compressed, limits: Limits, name: str) -> None:
    """Raise ImageTooLargeError if scores or mask of an image take more memory than it may.

    Parameters
    ----------
    compressed : Compressed
        The image, not yet decoded.
    limits : Limits
        How large it may be.
    name : str
        What it is called in messages.

    Raises
    ------
    ImageTooLargeError
        If decoding it takes more memory.
    """
    header = compressed.header
    if not header.traits.streams_lines:
        return
    size, most = header.n_samples * _SCORE_BYTES * compressed.k, _SCORE_BYTES * limits.max_bytes
    # The first byte of a mask tells whether it is one of pixels or one of all samples.
    if compressed.missing is not None and compressed.missing[:1] != b"\0":
        size, most = max(size, header.n_samples * header.n_features), limits.max_bytes
    if size > most:
        raise ImageTooLargeError(
            f"{name} takes {size / 1e9:,.1f} GB of memory to decode, more than the limit of "
            f"{most / 1e9:,.1f} GB; set {VARIABLE}={-(-size // 3)} to read it."
        )

"""Limits of compressed images, checked before memory is allocated.

A header claims an image of any size in some fifty bytes. Besides the limits of every image, a file may
therefore claim no more than its length makes plausible, and :attr:`Limits.max_unbacked_bytes` on top: pixels
of so many bytes are small enough to be decoded without asking, even if they are all alike.
"""

from __future__ import annotations

import math

import numpy as np

from pcaimage.codec import Compressed, Header
from pcaimage.errors import ImageTooLargeError, ImplausibleSizeError
from pcaimage.imaging import Limits
from pcaimage.imaging.limits import VARIABLE
from pcaimage.sampling import MAX_BLOCK

MAX_PADDING = 2
"""Limit of the numbers of an image's blocks, in multiples of those of the largest image."""

PIXEL_BYTES_PER_BYTE = 256
"""Bytes of pixels that each byte of a file may stand for; the coarsest photographs reach about 200."""

SCRATCH_BYTES_PER_BYTE = 64
"""Bytes of memory for padding that each byte of a file may stand for."""

_PADDING_BYTES = 26
"""Most bytes in memory of a number that pads a block, while blocks are put together."""

_FEATURE_BYTES = 38
"""Most bytes in memory of a feature while mean and component are decoded; a stack has one for each pixel."""

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


def check_claims(header: Header, n_bytes: int, limits: Limits, name: str) -> None:
    """Raise ImplausibleSizeError for a header that claims far more than its file can hold.

    Parameters
    ----------
    header : Header
        The image's.
    n_bytes : int
        The length of the file.
    limits : Limits
        How much it may claim on top.
    name : str
        What it is called in messages.

    Raises
    ------
    ImplausibleSizeError
        If pixels, components, or the padding of blocks take more bytes.
    """
    padding = _PADDING_BYTES * (header.n_samples * header.n_features - math.prod(header.shape))
    content = max(header.raw_bytes, _FEATURE_BYTES * header.n_features)
    spare = limits.max_unbacked_bytes
    if content <= spare + PIXEL_BYTES_PER_BYTE * n_bytes and (
        padding <= spare + SCRATCH_BYTES_PER_BYTE * n_bytes
    ):
        return
    size = " × ".join(f"{side:,}" for side in header.shape)
    needed = max(content, padding)
    raise ImplausibleSizeError(
        f"{name} claims to be an image of {size} numbers, which takes {_size(needed)}, in a file of only "
        f"{n_bytes:,} bytes; if you trust it, raise the limit (--limit {_size(needed)}) to open it."
    )


def _size(n_bytes: int) -> str:
    """Return a size rounded up, in a form that ``--limit`` takes."""
    return f"{math.ceil(n_bytes / 1e8) / 10:.1f}GB" if n_bytes >= 1e9 else f"{math.ceil(n_bytes / 1e6)}MB"


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

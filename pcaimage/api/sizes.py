"""Limits of compressed images, checked before memory is allocated.

A header can claim an image of any size in some fifty bytes. So besides the limits of every image, a file may
claim only what its length makes plausible, plus :attr:`Limits.max_unbacked_bytes`: an image of so few pixels
is small enough to be decoded anyway, even if it is uniform.
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
"""Limit on the numbers of an image's padded blocks, relative to those of the largest image."""

PIXEL_BYTES_PER_BYTE = 256
"""Largest plausible number of pixel bytes per byte of a file; the coarsest photographs reach about 200."""

SCRATCH_BYTES_PER_BYTE = 64
"""Largest plausible number of bytes of memory for padding per byte of a file."""

_PADDING_BYTES = 26
"""Upper bound on the bytes of memory per padding number while blocks are assembled."""

_FEATURE_BYTES = 38
"""Upper bound on the bytes of memory per feature while mean and component are decoded.

A stack has a feature for each pixel.
"""

_SCORE_BYTES = 4
"""Upper bound on the bytes of a score in memory; scores may take this multiple of the pixels' memory."""


def check_size(header: Header, limits: Limits, name: str) -> int:
    """Raise ImageTooLargeError for a header over the limits.

    Parameters
    ----------
    header : Header
        The image's header.
    limits : Limits
        Size limits of the image.
    name : str
        Name of the image in messages.

    Returns
    -------
    int
        Largest allowed count of numbers, including padding.

    Raises
    ------
    ImageTooLargeError
        If it has more pixels or bytes.
    """
    height, width, channels = header.shape[-3:]
    frames = header.shape[0] if len(header.shape) == 4 else 1
    pixel_bytes = channels * np.dtype(header.dtype).itemsize
    # Large images that are decoded line by line are stored in a file.
    limits.check(width, height, pixel_bytes, frames=frames, name=name, mapped=header.traits.streams_lines)
    # Blocks that extend far beyond the edges of a thin image take memory too.
    padded = max(MAX_PADDING * limits.max_bytes, MAX_BLOCK**2 * channels)
    return limits.max_mapped_bytes if header.traits.streams_lines else padded


def check_claims(header: Header, n_bytes: int, limits: Limits, name: str) -> None:
    """Raise ImplausibleSizeError for a header that claims far more than its file can hold.

    Parameters
    ----------
    header : Header
        The image's header.
    n_bytes : int
        The length of the file.
    limits : Limits
        Limits, including the bytes that may be claimed in addition.
    name : str
        Name of the image in messages.

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
    """Return a size rounded up, in a form that ``--limit`` accepts."""
    return f"{math.ceil(n_bytes / 1e8) / 10:.1f}GB" if n_bytes >= 1e9 else f"{math.ceil(n_bytes / 1e6)}MB"


def check_memory(compressed: Compressed, limits: Limits, name: str) -> None:
    """Raise ImageTooLargeError if scores or mask of an image would exceed its memory limit.

    Parameters
    ----------
    compressed : Compressed
        The image, not yet decoded.
    limits : Limits
        Size limits of the image.
    name : str
        Name of the image in messages.

    Raises
    ------
    ImageTooLargeError
        If decoding would take more memory.
    """
    header = compressed.header
    if not header.traits.streams_lines:
        return
    size, most = header.n_samples * _SCORE_BYTES * compressed.k, _SCORE_BYTES * limits.max_bytes
    # The first byte of a mask tells whether it has a flag for each pixel or for each sample.
    if compressed.missing is not None and compressed.missing[:1] != b"\0":
        size, most = max(size, header.n_samples * header.n_features), limits.max_bytes
    if size > most:
        raise ImageTooLargeError(
            f"{name} takes {size / 1e9:,.1f} GB of memory to decode, more than the limit of "
            f"{most / 1e9:,.1f} GB; set {VARIABLE}={-(-size // 3)} to read it."
        )

"""Limits of compressed images, checked before memory is allocated.

A header can claim an image of any size in some fifty bytes, and a component of it takes ten. So besides the
limits of every image, a file may claim only what its length makes plausible, plus
:attr:`Limits.max_unbacked_bytes`: an image of so few pixels is small enough to be decoded anyway, even if it
is uniform. What decoding takes is held to the same measure, in memory and in work, with all components that
the file has. docs/reliability.md says what follows for memory and time.
"""

from __future__ import annotations

import math

import numpy as np

from pcaimage.codec import Compressed, Header
from pcaimage.errors import ImageTooLargeError, ImplausibleSizeError
from pcaimage.imaging import Limits
from pcaimage.imaging.image.limits import VARIABLE
from pcaimage.sampling import MAX_BLOCK

MAX_PADDING = 2
"""Limit on the numbers of an image's padded blocks, relative to those of the largest image."""

PIXEL_BYTES_PER_BYTE = 256
"""Largest plausible number of pixel bytes per byte of a file; the coarsest photographs reach about 200."""

SCRATCH_BYTES_PER_BYTE = 64
"""Largest plausible number of bytes of memory for padding per byte of a file."""

MEMORY = 8
"""Bytes of memory that decoding may take for each pixel byte that a file may claim: what photos take."""

_WORK = 1024
"""Products of a score and an entry that decoding may add up for each such byte: some 80 ns on one core."""

_PADDING_BYTES = 26
"""Upper bound on the bytes of memory per padding number while blocks are assembled."""

_NUMBER_WORK = 1024
"""Products that take as long as one number that is decoded."""

_ENTRY_BYTES, _BORDER = 12, 6
"""Upper bound on the bytes per entry of a vector that is kept; lines and columns around a plane."""

_STORED_SCORE_BYTES, _KNOWN_BYTES, _LINE_BYTES, _LIVE_SLICES = 8, 8, 16, 4
"""The same per score that is kept, per number of a plane while it is decoded, and per sample of a slice; and
the number of slices that are decoded at once."""

_SCORE_BYTES = 4
"""Upper bound on the bytes of a score in memory; scores may take this multiple of the pixels' memory."""


def check_size(header: Header, limits: Limits, name: str) -> int:
    """Return the largest allowed count of numbers, including padding.

    ImageTooLargeError if the header has more pixels or bytes than the limits.
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

    Pixels and the padding of blocks count; the limits say how many bytes may be claimed in addition.
    """
    padding = _PADDING_BYTES * (header.n_samples * header.n_features - math.prod(header.shape))
    spare = limits.max_unbacked_bytes
    if padding > spare + SCRATCH_BYTES_PER_BYTE * n_bytes:
        raise _implausible(header, max(padding, header.raw_bytes), n_bytes, name)
    if header.raw_bytes > spare + PIXEL_BYTES_PER_BYTE * n_bytes:
        raise _implausible(header, header.raw_bytes, n_bytes, name)


def check_decoding(compressed: Compressed, n_bytes: int, limits: Limits, name: str) -> None:
    """Raise ImplausibleSizeError for components that take far more to decode than their file can hold.

    Memory and work count, with all components; the limits say how many bytes may be claimed in addition.
    """
    header, k = compressed.header, compressed.k
    if header.traits.separable:  # has no vectors, and takes memory and work in proportion to its pixels
        return
    memory = header.raw_bytes + _memory(compressed)
    samples, features = header.n_samples, header.n_features
    work = k * (samples * features + _NUMBER_WORK * (samples + features))
    needed = max(-(-memory // MEMORY), -(-work // _WORK))
    if needed > limits.max_unbacked_bytes + PIXEL_BYTES_PER_BYTE * n_bytes:
        needed = max(needed, header.raw_bytes)
        taken = (
            f" with {k:,} component{'s' if k != 1 else ''}, as much to decode as {_size(needed)} of pixels"
        )
        raise _implausible(header, needed, n_bytes, name, taken)


def _memory(compressed: Compressed) -> int:
    """Return an upper bound on the memory for mean, vectors and scores of blocks, a stack, or bands."""
    header, k = compressed.header, compressed.k
    height, width, channels = header.sampling.feature_grid(header.shape)
    if height * width == 1:
        width, channels = channels, 1
    known = _KNOWN_BYTES * channels * (height + _BORDER) * (width + _BORDER)
    # What a model file lends is paid for by its own length.
    vectors = 0 if compressed.lacks_basis else (k + 1) * (known + _ENTRY_BYTES * header.n_features)
    lines, columns = header.plane_shape
    live = min(_LIVE_SLICES * (header.slice_rows or lines), lines) * columns
    numbers = max(k, 0 if compressed.residual is None else header.n_features)
    scores = _STORED_SCORE_BYTES * k * header.n_samples
    return vectors + scores + (_LINE_BYTES + _KNOWN_BYTES * numbers) * live


def _implausible(
    header: Header, needed: int, n_bytes: int, name: str, taken: str = ""
) -> ImplausibleSizeError:
    """Return the error for a file that claims what takes so many bytes."""
    size = " × ".join(f"{side:,}" for side in header.shape)
    taken = taken or f", which takes {_size(needed)}"
    return ImplausibleSizeError(
        f"{name} claims to be an image of {size} numbers{taken}, in a file of only "
        f"{n_bytes:,} bytes; if you trust it, raise the limit (--limit {_size(needed)}) to open it."
    )


def _size(n_bytes: int) -> str:
    """Return a size rounded up, in a form that ``--limit`` accepts."""
    return f"{math.ceil(n_bytes / 1e8) / 10:.1f}GB" if n_bytes >= 1e9 else f"{math.ceil(n_bytes / 1e6)}MB"


def check_memory(compressed: Compressed, limits: Limits, name: str) -> None:
    """Raise ImageTooLargeError if scores or mask of an image would exceed its memory limit."""
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

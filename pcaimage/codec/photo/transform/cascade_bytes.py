"""Serialisation of a cascade: the channels' mean and axes, and the bases of blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.errors import FormatError

BUILTIN, OWN = 0, 1
"""Origin of the bases: the trained tables, or the image itself."""

_ENTRY = np.dtype("<i2")
_MEAN = np.dtype("<u2")


def cascade_to_bytes(cascade: Cascade, builtin: NDArray[np.int64]) -> bytes:
    """Serialise a cascade; its bases are omitted if they equal the built-in ones."""
    own = not (np.array_equal(cascade.vertical, builtin) and np.array_equal(cascade.horizontal, builtin))
    parts = [bytes([OWN if own else BUILTIN]), cascade.mean.astype(_MEAN).tobytes()]
    arrays = [cascade.rotation] if len(cascade.mean) > 1 else []
    arrays += [cascade.vertical, cascade.horizontal] if own else []
    return b"".join(parts + [array.astype(_ENTRY).tobytes() for array in arrays])


def cascade_from_bytes(data: bytes, channels: int, builtin: NDArray[np.int64]) -> Cascade:
    """Parse a cascade; FormatError if the length is wrong, SettingsError if numbers are out of range."""
    turned = channels * channels if channels > 1 else 0
    own = data[:1] == bytes([OWN])
    size = 1 + 2 * (channels + turned + (128 if own else 0))
    if len(data) != size or data[0] not in {BUILTIN, OWN}:
        raise FormatError("The photo's channels and bases are damaged.")
    mean = np.frombuffer(data, _MEAN, channels, 1).astype(np.int64)
    entries = np.frombuffer(data, _ENTRY, offset=1 + 2 * channels).astype(np.int64)
    rotation = entries[:turned].reshape(channels, channels) if turned else np.array([[1 << 14]])
    vertical = horizontal = builtin
    if own:
        vertical, horizontal = entries[turned:].reshape(2, 8, 8)
    return Cascade(mean, rotation, vertical, horizontal)

"""Colour map for the magnitude of errors, from dark to bright. No Qt here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Inferno, by Nathaniel J. Smith and Stéfan van der Walt (CC0), at 33 places; linear between them,
# which is within two levels of the full table.
_PLACES = bytes.fromhex(
    "000004 040312 0b0724 150b37 210c4a 2f0a5b 3d0965 4a0c6b 57106e 64156e 71196e 7d1e6d 8a226a 972766"
    "a32c61 b0315b bc3754 c63d4d d04545 da4e3c e35933 eb6429 f1711f f67e14 f98c0a fb9b06 fcaa0f fbba1f"
    "f9c932 f5d949 f2e865 f3f586 fcffa4"
)


def _table() -> NDArray[np.uint8]:
    colours = np.frombuffer(_PLACES, np.uint8).reshape(-1, 3)
    known = np.round(np.linspace(0, 255, len(colours)))
    steps = np.arange(256)
    table = np.stack([np.interp(steps, known, channel) for channel in colours.T], axis=1)
    result: NDArray[np.uint8] = np.round(table).astype(np.uint8)
    result.flags.writeable = False
    return result


HEAT = _table()
"""Colour map of 256 perceptually uniform steps, shape (256, 3)."""


def to_colours(values: NDArray[Any], full_scale: float) -> NDArray[np.uint8]:
    """Map non-negative values to RGB of shape (..., 3); `full_scale` and above are brightest."""
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float32)
    steps = np.multiply(values, values.dtype.type(255 / full_scale))
    np.clip(steps, 0, 255, out=steps)
    result: NDArray[np.uint8] = np.take(HEAT, steps.astype(np.uint8), axis=0, mode="clip")
    return result

"""Adaptive models of the coding of planes, and the number of contexts."""

from __future__ import annotations

from pcaimage.codec.coding import deciding
from pcaimage.codec.coding.deciding import DENSITIES, SIZES, Learned

_WIDTHS = (32 * 32, SIZES, 16 * 16)
_MODELS = DENSITIES * 16 + 64 * 10 + 13 * 13 * 10
_BIASES = 24 * 9
_FIRST_WIDTH = 46 * 16


def nothing_learned() -> Learned:
    """Return the adaptive models at the start of a slice; the core updates them in place."""
    return deciding.nothing_learned(DENSITIES, _MODELS, 0, sum(_WIDTHS), _BIASES, _FIRST_WIDTH)


def next_plane(learned: Learned) -> None:
    """Reset in place the models that are specific to one plane."""
    learned.widths[-_WIDTHS[2] :] = (_FIRST_WIDTH, 0)

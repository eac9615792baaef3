"""What coding learns of a slice of planes, and how many contexts there are for it."""

from __future__ import annotations

from pcaimage.codec.coding import deciding
from pcaimage.codec.coding.deciding import DENSITIES, SIZES, Learned

_WIDTHS = (32 * 32, SIZES, 16 * 16)
_MODELS = DENSITIES * 16 + 64 * 10 + 13 * 13 * 10
_BIASES = 24 * 9
_FIRST_WIDTH = 46 * 16


def nothing_learned() -> Learned:
    """Return what is known before a slice begins.

    Returns
    -------
    Learned
        To be changed by the core; without tilts.
    """
    return deciding.nothing_learned(DENSITIES, _MODELS, 0, sum(_WIDTHS), _BIASES, _FIRST_WIDTH)


def next_plane(learned: Learned) -> None:
    """Forget what is known of one plane only.

    Parameters
    ----------
    learned : Learned
        Changed.
    """
    learned.widths[-_WIDTHS[2] :] = (_FIRST_WIDTH, 0)

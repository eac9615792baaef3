"""Rounding of scores with a dead zone around zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDEST_ZONE, ZONE_OCTAVES = 0.08, 3
"""How far scores are drawn towards zero before they are rounded, in steps, and how many octaves above the
finest step that is in full force."""


def dead_zone(step: float, finest: float) -> float:
    """Return how far scores are drawn towards zero before they are rounded.

    Small scores are frequent and large ones rare, so a score just above one half costs more bits to round up
    than its error is worth. Of 8×8 blocks of photographs a zone of 0.08 saves 3 % at equal quality; near the
    finest step there is none, so that all but nothing is lost.

    Parameters
    ----------
    step : float
        Δ.
    finest : float
        The finest step of the image.

    Returns
    -------
    float
        In units of the step, from 0 to 0.08.
    """
    octaves = math.log2(max(step / finest, 1.0))
    return WIDEST_ZONE * min(octaves / ZONE_OCTAVES, 1.0)


def rounded(scores: NDArray[Any], zone: float) -> NDArray[Any]:
    """Round scores in place.

    Parameters
    ----------
    scores : ndarray of floating point
        In units of the step; overwritten.
    """
    if zone:
        scores -= scores.dtype.type(zone) * np.sign(scores)
    np.rint(scores, out=scores)
    return scores

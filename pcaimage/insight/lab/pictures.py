"""Samples and axes as pictures, for samples that are pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.scatter import without_overlap

Picture = NDArray[np.uint8]

_GREY, _SWING = 128, 127


def sample_picture(data: LabData, values: Floats) -> Picture | None:
    """Return a sample, or what stands for one, in the range of the data from black to white.

    Parameters
    ----------
    data : LabData
        The samples, which say what is black and what white.
    values : ndarray of float64, shape (n_features,)
        In the units of the data.

    Returns
    -------
    ndarray of uint8, shape (height, width, 1 or 3), or None
        None if samples are no pictures. Of more channels than three the first three are shown.
    """
    low, high = data.extent
    return _picture(data, (values - low) / ((high - low) or 1.0) * 255)


def axis_picture(data: LabData, values: Floats) -> Picture | None:
    """Return an axis, or a difference, with grey for zero and its largest entry black or white.

    Parameters
    ----------
    data : LabData
        The samples.
    values : ndarray of float64, shape (n_features,)
        Positive and negative.

    Returns
    -------
    ndarray of uint8, shape (height, width, 1 or 3), or None
        None if samples are no pictures.
    """
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    return _picture(data, _GREY + values / largest * _SWING)


def _picture(data: LabData, levels: Floats) -> Picture | None:
    if data.picture is None:
        return None
    height, width, *rest = data.picture
    depth = rest[0] if rest else 1
    pixels = levels.reshape(height, width, depth)
    shown = pixels[..., :3] if depth >= 3 else pixels[..., :1]
    return np.ascontiguousarray(np.clip(np.round(shown), 0, 255).astype(np.uint8))


def spread_out(places: Floats, side: float, most: int = 150) -> list[int]:
    """Choose points that are far enough apart for a picture at each, so that none hides another.

    Parameters
    ----------
    places : ndarray of float64, shape (n, 2)
        Points, in pixels.
    side : float
        Width and height of a picture.
    most : int, default 150
        The most that are chosen.

    Returns
    -------
    list of int
        Indices of points, in their order.
    """
    found: list[int] = without_overlap(places, side, most).tolist()
    return found


def shape_of(pictures: Sequence[Picture]) -> tuple[int, int]:
    """Return the largest height and width of pictures; (1, 1) without any."""
    heights = [each.shape[0] for each in pictures] or [1]
    widths = [each.shape[1] for each in pictures] or [1]
    return max(heights), max(widths)

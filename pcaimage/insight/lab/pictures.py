"""Samples and axes as pictures, for samples that are pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.scatter import without_overlap

Picture = NDArray[np.uint8]

_GREY, _SWING = 128, 127


def sample_picture(data: LabData, values: Floats) -> Picture | None:
    """Return numbers in the units of the data as a picture, from black to white in their range.

    None if samples are no pictures. Of more channels than three the first three are shown.
    """
    low, high = data.extent
    return _picture(data, (values - low) / ((high - low) or 1.0) * 255)


def axis_picture(data: LabData, values: Floats) -> Picture | None:
    """Return an axis, or a difference, with grey for zero and its largest entry black or white.

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
    """Choose points, in pixels, that are far enough apart for a picture at each, so that none hides another.

    Returns indices, at most `most`, of points at which pictures of `side` pixels do not overlap.
    """
    found: list[int] = without_overlap(places, side, most).tolist()
    return found

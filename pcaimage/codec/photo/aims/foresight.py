"""Scores as they are quantised by an encoder that knows what shrinkage will add to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.planes import Planes

SHARE = 0.3
"""Share of the correction that is left to shrinkage: other scores change the correction itself."""


def foreseen(analysis: PhotoAnalysis, model: PhotoModel) -> PhotoAnalysis:
    """Return a photo whose scores are less what shrinkage will add, as a first quantisation of it shows.

    Scores that shrinkage moves to where they should be need no bits; others are quantised so that they come
    closest after it. The photo itself is returned if nothing is shrunk.
    """
    if not model.header.strengths:
        return analysis
    scores = analysis.planes.astype(np.float32)
    for part, sign in ((model, -SHARE), (model.unshrunk, SHARE)):
        pixels = part.reconstruct().reshape(model.header.shape)
        scores += np.float32(sign) * analysis.cascade.forward(pixels, UNIT)
    constant = slice(None, None, len(scores) // len(analysis.cascade.mean))
    limits = np.iinfo(analysis.planes.dtype)
    planes = np.clip(np.rint(scores), limits.min, limits.max).astype(analysis.planes.dtype)
    planes[constant] = analysis.planes[constant]
    return replace(analysis, found=Planes(planes), thorough=False)

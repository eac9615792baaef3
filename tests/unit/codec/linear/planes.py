"""Planes of scores as the core decodes them, of a file that has nothing else in it."""

import numpy as np

from pcaimage.codec import Compressed, Header, Step
from pcaimage.codec.compressed import Component
from pcaimage.codec.decoding import SCORES, Decoding
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.linear.slices import PIXEL_PLANES
from pcaimage.sampling import Bands, Blocks


def decoded_planes(count, stream, predictors, mask):
    """Return planes of a slice, (count, rows, columns): those of blocks unless predictors are of pixels."""
    rows, columns = mask.shape
    sampling, side = (Bands(), 1) if predictors == PIXEL_PLANES else (Blocks(2), 2)
    header = Header((rows * side, columns * side, max(4, count)), "uint8", sampling, Step.nearest(1.0))
    missing = None if mask.all() else Missing(0.0, ~mask).to_bytes()
    components = tuple(Component(0, b"", part) for part in (stream, *[b""] * (count - 1)))
    with Decoding(Compressed(header, b"", components, missing=missing)) as decoding:
        decoding.core.decode(decoding.core.vectors, count)
        return np.array([decoding.numbers(SCORES, mask.size, j).reshape(mask.shape) for j in range(count)])

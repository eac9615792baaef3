"""Corrections of photos as the core decodes them, without the components."""

from functools import cache

import numpy as np

import pcaimage
from pcaimage import container
from pcaimage.codec import Compressed, Header, Step
from pcaimage.codec.compressed import DEPENDENT
from pcaimage.codec.decoding import Decoding
from pcaimage.codec.photo.exact import residual
from pcaimage.sampling import Lapped


@cache
def mean(channels):
    """Return the coded bases of photos of so many channels."""
    return container.read(pcaimage.encode(np.zeros((8, 8, channels), np.uint8))).mean


def decode_residual(data, reconstruction):
    """Restore the original, slice by slice; those of the encoder may be smaller than files have."""
    parts = residual.slices_of(reconstruction.shape)
    if len(parts) > 1:
        sizes = np.frombuffer(data, "<u4", len(parts))
        ends = 4 * len(parts) + np.cumsum(sizes.astype(int))
        streams = [size.tobytes() + data[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        lines = [reconstruction[part] for part in parts]
        return np.concatenate(list(map(decode_residual, streams, lines)))
    shape, found = reconstruction.shape, np.array(reconstruction, order="C")
    header = Header(shape, found.dtype.name, Lapped(), Step.nearest(64.0), tables=1, tools=DEPENDENT)
    with Decoding(Compressed(header, mean(shape[2]), (), residual=data)) as decoding:
        decoding.core.correct(0, found)
    return found

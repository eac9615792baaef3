"""Decompression of a whole file, or of one image of a stack."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import methods
from pcaimage.codec.compressed import Compressed
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress, part
from pcaimage.sampling import Stack


def decompress(
    compressed: Compressed, k: int | None = None, progress: Progress = no_progress
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reconstruct a compressed image from its first k components, or all.

    The shape is that of the array that was compressed; the opacity is in ``compressed.alpha``. FormatError if
    the coded bytes are damaged; SettingsError if there are fewer than k components.
    """
    if compressed.residual is None or k not in {None, compressed.k}:
        return methods.decode(compressed, k, progress)
    model = methods.unpack(compressed, k, part(progress, 0.0, 0.3))
    return methods.exact(compressed, model, part(progress, 0.3, 1.0))


def decompress_frame(
    compressed: Compressed, index: int, k: int | None = None, progress: Progress = no_progress
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reconstruct one image of a stack, by its zero-based index, from the first k components, or all.

    Errors are those of :func:`decompress`; SettingsError also if it is no stack, or has no such image.
    """
    header = compressed.header
    if not isinstance(header.sampling, Stack):
        raise SettingsError("Only a stack has images to choose from.")
    if not 0 <= index < header.n_samples:
        raise SettingsError(f"The stack has {header.n_samples} images; there is no image {index + 1}.")
    # Loaded when a stack is decoded.
    from pcaimage.codec.blocks.coding import unpack  # noqa: PLC0415

    model = unpack(compressed, k, progress)
    pixels: NDArray[np.uint8] | NDArray[np.uint16] = model.samples(slice(index, index + 1))
    return pixels.reshape(header.output_shape[1:])

"""Opening compressed files."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pcaimage import codec, container
from pcaimage.api.arrays import image_of
from pcaimage.api.bands import bands_of
from pcaimage.codec import Compressed
from pcaimage.errors import FormatError, ImageError
from pcaimage.imaging import BandInfo, Image, Limits
from pcaimage.imaging.types import Pixels
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import MAX_BLOCK

SUFFIX = ".pcai"

MAX_PADDING = 2
"""How many times as many numbers as the largest image has an image's blocks may have."""

Source = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class CompressedImage:
    """An opened ``.pcai`` file.

    Parameters
    ----------
    compressed : Compressed
        What the file holds.
    n_bytes : int
        The file's size.
    damaged : bool, default False
        Whether components are missing that the file once had.
    """

    compressed: Compressed
    n_bytes: int
    damaged: bool = False

    @property
    def k(self) -> int:
        """How many components there are."""
        return self.compressed.k

    def with_model(self, model: CompressedImage) -> CompressedImage:
        """Return the file together with the model file that its basis is in.

        Parameters
        ----------
        model : CompressedImage
            The model file.

        Returns
        -------
        CompressedImage
            Ready to be decoded.

        Raises
        ------
        ModelError
            If it is another model.
        SettingsError
            If this file has its own basis, or the model has none.
        """
        return replace(self, compressed=codec.lend(self.compressed, model.compressed))

    def decode(self, k: int | None = None, progress: Progress = no_progress) -> Pixels:
        """Reconstruct the pixels.

        Parameters
        ----------
        k : int, optional
            How many components to use; all by default.
        progress : Progress, optional
            Told of the work done.

        Returns
        -------
        ndarray of uint8 or uint16
            Of the shape that was compressed.

        Raises
        ------
        FormatError
            If the file is damaged.
        SettingsError
            If there are fewer than k components.
        """
        return codec.decompress(self.compressed, k, progress)

    @property
    def bands(self) -> BandInfo:
        """What is known of the image's bands."""
        return bands_of(self.compressed)

    def frame(self, index: int, k: int | None = None, progress: Progress = no_progress) -> Image:
        """Reconstruct one image of a stack. The others are not reconstructed.

        Scores of all images are decoded, for what is coded of one depends on what was coded of others.

        Parameters
        ----------
        index : int
            Which, counted from 0.
        k : int, optional
            How many components to use; all by default.
        progress : Progress, optional
            Told of the work done.

        Returns
        -------
        Image
            The image.

        Raises
        ------
        FormatError
            If the file is damaged.
        SettingsError
            If it is no stack, or has no such image or not so many components.
        """
        pixels = codec.decompress_frame(self.compressed, index, k, progress)
        compressed, alpha = self.compressed, self.compressed.alpha
        one = replace(
            compressed,
            header=replace(compressed.header, shape=compressed.header.shape[1:]),
            alpha=None if alpha is None else alpha[index],
        )
        return image_of(one, pixels)

    def image(self, k: int | None = None, progress: Progress = no_progress) -> Image:
        """Reconstruct the image with its opacity, profile and name.

        Parameters
        ----------
        k : int, optional
            How many components to use; all by default.
        progress : Progress, optional
            Told of the work done.

        Returns
        -------
        Image
            The image.

        Raises
        ------
        FormatError
            If the file is damaged.
        SettingsError
            If there are fewer than k components.
        """
        return image_of(self.compressed, self.decode(k, progress))


def open_file(
    path: Source, *, salvage: bool = False, limits: Limits | None = None, model: Source | None = None
) -> CompressedImage:
    """Open a ``.pcai`` file.

    Parameters
    ----------
    path : path
        The file.
    salvage : bool, default False
        Whether to take the components before the first that is missing or damaged, instead of refusing.
    limits : Limits, optional
        How large the image may be.
    model : path, optional
        The file that its basis is in, where it is in another.

    Returns
    -------
    CompressedImage
        Its components, not yet decoded.

    Raises
    ------
    ImageError
        If the file cannot be read.
    ModelError
        If it needs another model.
    ImageTooLargeError
        If the image is over the limits.
    FormatError
        If it is damaged, cut short, or no such file.
    """
    name = Path(path).name
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ImageError(f"{name} cannot be read: {(error.strerror or 'unknown error').lower()}.") from error
    opened = open_bytes(data, name, salvage=salvage, limits=limits)
    return opened if model is None else opened.with_model(open_file(model, limits=limits))


def open_bytes(
    data: bytes, name: str = "The image", *, salvage: bool = False, limits: Limits | None = None
) -> CompressedImage:
    """Open a ``.pcai`` file that is in memory.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        What it is called in messages.
    salvage : bool, default False
        Whether to take the components before the first that is missing or damaged, instead of refusing.
    limits : Limits, optional
        How large the image may be.

    Returns
    -------
    CompressedImage
        Its components, not yet decoded.

    Raises
    ------
    ImageTooLargeError
        If the image is over the limits.
    FormatError
        If it is damaged, cut short, or no such file.
    """
    header = container.peek(data)
    height, width, channels = header.shape[-3:]
    frames = header.shape[0] if len(header.shape) == 4 else 1
    pixel_bytes = channels * np.dtype(header.dtype).itemsize
    limits = limits or Limits.default()
    limits.check(width, height, pixel_bytes, frames=frames, name=name)
    # Blocks that reach far over the edges of a thin image take memory too.
    numbers = max(MAX_PADDING * limits.max_bytes, MAX_BLOCK**2 * channels)
    try:
        return CompressedImage(container.read(data, max_numbers=numbers), len(data))
    except FormatError:
        if not salvage:
            raise
    return CompressedImage(container.read(data, salvage=True, max_numbers=numbers), len(data), damaged=True)

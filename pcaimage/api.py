"""The library: images and arrays to ``.pcai`` bytes and files, and back."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pcaimage import codec, container
from pcaimage.codec import Compressed, Encoding, Metadata, Settings
from pcaimage.errors import FormatError, ImageError
from pcaimage.imaging import Image, Limits, atomic_write
from pcaimage.progress import Progress, no_progress, part
from pcaimage.sampling import MAX_BLOCK

Pixels = NDArray[np.uint8] | NDArray[np.uint16]
Path_ = str | os.PathLike[str]

SUFFIX = ".pcai"

MAX_PADDING = 2
"""How many times as many numbers as the largest image has an image's blocks may have."""


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


def image_of(compressed: Compressed, pixels: Pixels) -> Image:
    """Put a reconstruction together with what its file carries along.

    Parameters
    ----------
    compressed : Compressed
        What the file holds.
    pixels : ndarray
        Its reconstruction.

    Returns
    -------
    Image
        The image.
    """
    metadata = compressed.metadata
    return Image(
        pixels=pixels.reshape(compressed.header.shape),
        alpha=compressed.alpha,
        icc_profile=metadata.icc_profile,
        exif=metadata.exif,
        name=metadata.name,
        format="PCAI",
        file_size=metadata.file_size,
    )


def metadata_of(image: Image) -> Metadata:
    """Return what of an image is carried along beside its pixels.

    Parameters
    ----------
    image : Image
        The image.

    Returns
    -------
    Metadata
        Name, size, profile and EXIF.
    """
    return Metadata(image.name, image.file_size, image.icc_profile, image.exif)


def compress_image(image: Image, settings: Settings, progress: Progress = no_progress) -> Encoding:
    """Compress an image with its opacity and metadata.

    Parameters
    ----------
    image : Image
        The image. A stack is compressed by ``Settings(sampling=Stack())``, and nothing else is.
    settings : Settings
        How.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Encoding
        What a file holds, and what it must decode to.

    Raises
    ------
    DataError, SettingsError, TargetError
        If image and settings do not fit.
    """
    return codec.compress(
        image.pixels,
        settings,
        size_of,
        alpha=image.alpha,
        metadata=metadata_of(image),
        progress=progress,
    )


def encode(
    array: Pixels,
    settings: Settings | None = None,
    progress: Progress = no_progress,
    *,
    alpha: Pixels | None = None,
    metadata: Metadata | None = None,
) -> bytes:
    """Compress an array.

    Parameters
    ----------
    array : ndarray of uint8 or uint16
        (H, W) or (H, W, C); with ``Settings(sampling=Stack())`` (N, H, W) or (N, H, W, C).
    settings : Settings, optional
        How; by default 99 % of the variance of 8×8 blocks is kept.
    progress : Progress, optional
        ``progress(done, total)``; raising from it stops the work.
    alpha : ndarray, optional
        Opacity of the shape of a channel, kept exactly.
    metadata : Metadata, optional
        What is carried along.

    Returns
    -------
    bytes
        A ``.pcai`` file.

    Raises
    ------
    DataError
        If the array's type or shape is not supported.
    SettingsError, TargetError
        If the settings do not fit the array.

    Examples
    --------
    >>> import numpy as np, pcaimage
    >>> array = np.add.outer(np.arange(64), np.arange(64)).astype(np.uint8)
    >>> data = pcaimage.encode(array, pcaimage.Settings(k=3))
    >>> pcaimage.decode(data).shape
    (64, 64)
    """
    chosen = settings or Settings()
    encoding = codec.compress(array, chosen, size_of, alpha=alpha, metadata=metadata, progress=progress)
    return container.write(encoding.compressed)


def decode(data: bytes, k: int | None = None, progress: Progress = no_progress) -> Pixels:
    """Reconstruct the array of a file's bytes.

    Parameters
    ----------
    data : bytes
        A ``.pcai`` file.
    k : int, optional
        How many components to use; all by default.
    progress : Progress, optional
        ``progress(done, total)``; raising from it stops the work.

    Returns
    -------
    ndarray of uint8 or uint16
        Of the shape that was compressed, the same on every machine.

    Raises
    ------
    FormatError
        If the bytes are damaged, cut short, or no such file.
    SettingsError
        If there are fewer than k components.
    """
    return codec.decompress(container.read(data), k, progress)


def open_file(path: Path_, *, salvage: bool = False, limits: Limits | None = None) -> CompressedImage:
    """Open a ``.pcai`` file.

    Parameters
    ----------
    path : path
        The file.
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
    ImageError
        If the file cannot be read.
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


def save(
    path: Path_,
    image: Image | Pixels,
    settings: Settings | None = None,
    progress: Progress = no_progress,
    *,
    overwrite: bool = False,
) -> int:
    """Compress an image into a file, which appears only when it was found to decode as it should.

    Parameters
    ----------
    path : path
        The file.
    image : Image or ndarray
        The image.
    settings : Settings, optional
        How; by default 99 % of the variance of 8×8 blocks is kept.
    progress : Progress, optional
        ``progress(done, total)``; raising from it stops the work.
    overwrite : bool, default False
        Whether a file of that name is replaced.

    Returns
    -------
    int
        The file's size in bytes.

    Raises
    ------
    ImageError
        If the file exists or cannot be written.
    DataError, SettingsError, TargetError
        If image and settings do not fit.
    """
    chosen = settings or Settings()
    encoder = part(progress, 0.0, 0.8)
    if isinstance(image, Image):
        encoding = compress_image(image, chosen, encoder)
    else:
        encoding = codec.compress(image, chosen, size_of, progress=encoder)
    return save_encoding(path, encoding, part(progress, 0.8, 1.0), overwrite=overwrite)


def save_encoding(
    path: Path_, encoding: Encoding, progress: Progress = no_progress, *, overwrite: bool = False
) -> int:
    """Write a compressed image, read it back from the disk, and only then put it in its place.

    Parameters
    ----------
    path : path
        The file.
    encoding : Encoding
        What it holds and must decode to.
    progress : Progress, optional
        Told of the components verified.
    overwrite : bool, default False
        Whether a file of that name is replaced.

    Returns
    -------
    int
        The file's size in bytes.

    Raises
    ------
    ImageError
        If the file exists or cannot be written.
    FormatError
        If the disk gives back something else.
    """
    data = container.write(encoding.compressed)
    _write(path, data, partial(_verify, encoding=encoding, progress=progress), overwrite=overwrite)
    return len(data)


def _verify(path: Path, encoding: Encoding, progress: Progress) -> None:
    model, alpha = encoding.model, encoding.compressed.alpha
    size = model.header.n_samples * model.header.n_features
    written = container.read(path.read_bytes(), max_numbers=size)
    decoded = codec.unpack(written, progress=progress)
    same = (
        decoded.header == model.header
        and decoded.precisions == model.precisions
        and np.array_equal(decoded.entries, model.entries)
        and np.array_equal(decoded.mean, model.mean)
        and np.array_equal(decoded.scores, model.scores)
        and _equal(decoded.scale, model.scale)
        and _equal(written.alpha, alpha)
    )
    if not same:
        raise FormatError("The file does not decode to the image that was compressed; it was not saved.")


def _equal(first: NDArray[Any] | None, second: NDArray[Any] | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


def save_compressed(path: Path_, compressed: Compressed, *, overwrite: bool = False) -> int:
    """Write an image that is compressed already, such as a file with fewer components.

    Parameters
    ----------
    path : path
        The file.
    compressed : Compressed
        What it holds.
    overwrite : bool, default False
        Whether a file of that name is replaced.

    Returns
    -------
    int
        The file's size in bytes.

    Raises
    ------
    ImageError
        If the file exists or cannot be written.
    FormatError
        If the disk gives back something else.
    """
    data = container.write(compressed)

    def verify(written: Path) -> None:
        if written.read_bytes() != data:
            raise FormatError("The file was not written as it should; it was not saved.")

    _write(path, data, verify, overwrite=overwrite)
    return len(data)


def _write(path: Path_, data: bytes, verify: Callable[[Path], None], *, overwrite: bool) -> None:
    def write(file: BinaryIO) -> None:
        file.write(data)

    atomic_write(path, write, overwrite=overwrite, verify=verify)


def size_of(compressed: Compressed) -> int:
    """Return the size of a compressed image's file.

    Parameters
    ----------
    compressed : Compressed
        What the file holds.

    Returns
    -------
    int
        Bytes.
    """
    return len(container.write(compressed))


__all__ = [
    "SUFFIX",
    "CompressedImage",
    "compress_image",
    "decode",
    "encode",
    "image_of",
    "metadata_of",
    "open_file",
    "save",
    "save_compressed",
    "save_encoding",
    "size_of",
]

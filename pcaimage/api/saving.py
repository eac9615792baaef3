"""Saving of compressed files, which are verified before they replace anything."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pcaimage import codec, container
from pcaimage.api.arrays import compress_array, compress_image
from pcaimage.codec import Compressed, Encoding, Settings
from pcaimage.codec.compressed import traits_of
from pcaimage.codec.values import is_image
from pcaimage.errors import FormatError
from pcaimage.imaging import Image
from pcaimage.imaging.disk.atomic import atomic_write, atomic_write_bytes
from pcaimage.imaging.disk.urls import uploaded, url_of
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.progress import Progress, no_progress, part
from pcaimage.sampling import Stack

Target = str | os.PathLike[str] | BinaryIO


def save(
    path: Target,
    image: Image | Pixels,
    settings: Settings | None = None,
    *,
    progress: Progress = no_progress,
    overwrite: bool = False,
    axis: int | None = None,
) -> int:
    """Compress an image into a file, which appears only after it has been verified to decode correctly.

    Parameters
    ----------
    path : path, URL or binary file
        The file, or what it is written to; to a URL as fsspec does.
    image : Image or ndarray
        The image, or any array of numbers.
    settings : Settings, optional
        By default as in :func:`~pcaimage.api.encode`.
    progress : Progress, optional
        ``progress(done, total)``; raising from it stops the work.
    overwrite : bool, default False
        Whether to replace an existing file.
    axis : int, optional
        Which axis of an array has the bands, as in :func:`~pcaimage.api.encode`.

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
    if isinstance(image, Image) and image.is_stack:
        chosen = chosen.sampled_by(Stack())
    pixels = image.pixels if isinstance(image, Image) else image
    share = compressing_share(pixels, chosen)
    encoder = part(progress, 0.0, share)
    if isinstance(image, Image):
        encoding = compress_image(image, chosen, progress=encoder, checked=True)
    else:
        encoding = compress_array(image, chosen, progress=encoder, checked=True, axis=axis)
    return save_encoding(path, encoding, progress=part(progress, share, 1.0), overwrite=overwrite)


def compressing_share(pixels: Pixels, settings: Settings) -> float:
    """Return the share of compression, with ``checked`` set, in the time of compressing and saving an image.

    It is nearly 1 if coded slices are decoded in parallel with coding, otherwise about one half.
    """
    if not is_image(pixels, settings, None):
        return 0.55
    traits = traits_of(settings.sampling_for(pixels.shape, pixels.dtype.name))
    return 0.97 if traits.costly_trials and not settings.lossless else 0.55


def save_encoding(
    path: Target, encoding: Encoding, *, progress: Progress = no_progress, overwrite: bool = False
) -> int:
    """Write a compressed image to a temporary file, verify it, and move it into place; return its size.

    ImageError if the file exists or cannot be written, FormatError if the bytes read back differ.
    """
    if not isinstance(path, (str, os.PathLike)):
        data = container.write(encoding.compressed)
        _verify(data, encoding, progress)
        return path.write(data)
    if url := url_of(Path(path)):
        with uploaded(url, overwrite=overwrite) as made:
            return save_encoding(made, encoding, progress=progress, overwrite=overwrite)
    sizes = list[int]()

    def write(file: BinaryIO) -> None:
        # The bytes are not kept, as corrections can be large: the file is read back.
        sizes.append(file.write(container.write(encoding.compressed)))

    def verify(made: Path) -> None:
        _verify(made.read_bytes(), encoding, progress)

    atomic_write(path, write, overwrite=overwrite, verify=verify)
    return sizes[-1]


def save_compressed(path: str | os.PathLike[str], compressed: Compressed, *, overwrite: bool = False) -> int:
    """Write an image that is compressed already, as :func:`save_encoding` does."""
    data = container.write(compressed)

    def verify(written: Path) -> None:
        if written.read_bytes() != data:
            raise FormatError("The file was not written as it should; it was not saved.")

    atomic_write_bytes(path, data, overwrite=overwrite, verify=verify)
    return len(data)


def _verify(data: bytes, encoding: Encoding, progress: Progress) -> None:
    model, alpha = encoding.model, encoding.compressed.alpha
    size = model.header.n_samples * model.header.n_features
    written = container.read(data, max_numbers=size)
    if written.basis is not None and written.basis == encoding.compressed.basis:
        written = codec.copy_basis(written, encoding.compressed)
    if written.residual == encoding.compressed.residual:
        written = replace(written, residual=encoding.compressed.residual)  # one of them suffices
    share = 1.0 if encoding.corrected is None else 0.2
    same = codec.holds(written, model, part(progress, 0.0, share))
    same = same and np.array_equal(written.alpha, alpha)  # type: ignore[arg-type]  # None is like None alone
    same = same and written.values == encoding.compressed.values
    same = same and (written.residual is None) == (encoding.corrected is None)
    if same and encoding.corrected is not None:
        same = codec.gives(written, encoding.corrected, part(progress, share, 1.0))
    if not same:
        raise FormatError("The file does not decode to the image that was compressed; it was not saved.")

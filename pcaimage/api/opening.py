"""Opening compressed files."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pcaimage import codec, container
from pcaimage.api.arrays import image_of, stream_of
from pcaimage.api.bands import bands_of
from pcaimage.api.display import described, page_of, shown
from pcaimage.api.sizes import check_claims, check_memory, check_size
from pcaimage.codec import Compressed
from pcaimage.errors import FormatError, ImageError, ImageTooLargeError, PcaImageError
from pcaimage.imaging import BandInfo, Image, ImageStream, Limits
from pcaimage.imaging.types import Pixels
from pcaimage.progress import Progress, no_progress

SUFFIX = ".pcai"

_HEAD = 16

Source = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class CompressedImage:
    """An opened ``.pcai`` file.

    NumPy takes it for an array of its pixels, and notebooks show a picture of it.

    Parameters
    ----------
    compressed : Compressed
        The contents of the file.
    n_bytes : int
        The file's size.
    damaged : bool, default False
        Whether components are missing that the file once had.
    """

    compressed: Compressed
    n_bytes: int
    damaged: bool = False

    def __repr__(self) -> str:
        return f"<CompressedImage {described(self.compressed, self.n_bytes)}>"

    def __array__(self, dtype: DTypeLike | None = None, *, copy: bool | None = None) -> NDArray[Any]:
        """Return the pixels, decoded anew each time."""
        pixels = self.decode()
        if copy is False and dtype is not None and np.dtype(dtype) != pixels.dtype:
            raise ValueError("Another type of numbers needs a copy.")
        return pixels if dtype is None else pixels.astype(dtype, copy=False)

    def _repr_png_(self) -> bytes | None:
        """Return a picture for notebooks; None if the file cannot be decoded as it is."""
        try:
            return shown(self.image())
        except PcaImageError:
            return None

    def _repr_html_(self) -> str | None:
        """Return the picture with its description for notebooks; None if there is no picture."""
        picture = self._repr_png_()
        return None if picture is None else page_of(picture, described(self.compressed, self.n_bytes))

    @property
    def k(self) -> int:
        """The number of components."""
        return self.compressed.k

    def with_model(self, model: CompressedImage) -> CompressedImage:
        """Attach the basis of a model file.

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
        return replace(self, compressed=codec.attach_basis(self.compressed, model.compressed))

    def decode(self, k: int | None = None, *, progress: Progress = no_progress) -> Pixels:
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
        """Information about the image's bands."""
        return bands_of(self.compressed)

    def frame(self, index: int, k: int | None = None, *, progress: Progress = no_progress) -> Image:
        """Reconstruct one image of a stack. The others are not reconstructed.

        Scores of all images are decoded, as the coding of each depends on the others.

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

    def image(self, k: int | None = None, *, progress: Progress = no_progress) -> Image:
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
        return image_of(self.compressed, self.decode(k, progress=progress))

    def stream(self, k: int | None = None, *, progress: Progress = no_progress) -> ImageStream:
        """Reconstruct the image as :meth:`image` does, some lines at a time while they are taken.

        Parameters
        ----------
        k : int, optional
            How many components to use; all by default.
        progress : Progress, optional
            Told of the work done.

        Returns
        -------
        ImageStream
            It begins to decode when its first pixels are taken, and raises FormatError or SettingsError then.
        """
        return stream_of(self.compressed, codec.decode_strips(self.compressed, k, progress))


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
        If the image is over the limits, or claims far more than its file can hold.
    FormatError
        If it is damaged, cut short, or no such file.
    """
    name = Path(path).name
    try:
        data = _read(Path(path), limits or Limits.default())
    except OSError as error:
        raise ImageError(f"{name} cannot be read: {(error.strerror or 'unknown error').lower()}.") from error
    opened = open_bytes(data, name, salvage=salvage, limits=limits)
    return opened if model is None else opened.with_model(open_file(model, limits=limits))


def check_signature(start: bytes) -> None:
    """Refuse a file by its first bytes.

    Parameters
    ----------
    start : bytes
        At least ten bytes, or all that there are.

    Raises
    ------
    TruncatedError
        If there are fewer.
    FormatError
        If it is not a ``.pcai`` file, or of an unknown version.
    """
    container.major_version(start)


def _read(path: Path, limits: Limits) -> bytes:
    """Return a file's bytes, its signature first: what is no ``.pcai`` file may be endless, or very large."""
    with path.open("rb") as file:
        start = file.read(_HEAD)
        check_signature(start)
        if path.is_file():
            return start + file.read()
        rest = file.read(limits.max_bytes)
        if file.read(1):
            raise ImageTooLargeError(
                f"{path.name} has more than {limits.max_bytes / 1e9:,.1f} GB; save it to a file first."
            )
        return start + rest


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
        If the image is over the limits, or claims far more than its file can hold.
    FormatError
        If it is damaged, cut short, or no such file.
    """
    header = container.peek(data)
    limits = limits or Limits.default()
    numbers = check_size(header, limits, name)
    if header.n_samples * header.n_features <= numbers:  # else the reader refuses it, whatever its length
        check_claims(header, len(data), limits, name)
    try:
        found, damaged = container.read(data, max_numbers=numbers), False
    except FormatError:
        if not salvage:
            raise
        found, damaged = container.read(data, salvage=True, max_numbers=numbers), True
    check_memory(found, limits, name)
    return CompressedImage(found, len(data), damaged)


def decode(
    data: bytes,
    k: int | None = None,
    *,
    progress: Progress = no_progress,
    model: bytes | None = None,
    limits: Limits | None = None,
) -> Pixels:
    """Reconstruct the array of a file's bytes.

    Parameters
    ----------
    data : bytes
        A ``.pcai`` file.
    k : int, optional
        How many components to use; all by default.
    progress : Progress, optional
        ``progress(done, total)``; raising from it stops the work.
    model : bytes, optional
        The file that the basis is in, where it is in another.
    limits : Limits, optional
        How large the image may be.

    Returns
    -------
    ndarray of uint8, uint16, int16 or float32
        Of the shape that was compressed, the same on every machine. Many bands of more than a gigabyte are a
        view of a temporary file, which goes when the array does.

    Raises
    ------
    ImageTooLargeError
        If the image is over the limits, or claims far more than its file can hold.
    FormatError
        If the bytes are damaged, cut short, or no such file.
    ModelError
        If the basis is in a model file that was not given.
    SettingsError
        If there are fewer than k components.
    """
    opened = open_bytes(data, limits=limits)
    if model is not None:
        opened = opened.with_model(open_bytes(model, "The model", limits=limits))
    return opened.decode(k, progress=progress)

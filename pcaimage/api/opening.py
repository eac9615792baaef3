"""Opening compressed files, and showing them in Python's prompt and notebooks.

A header can claim an image of any size in some fifty bytes, and a component of it takes ten. So besides the
limits of every image, which are checked before memory is allocated, a file may claim only what its length
makes plausible, plus :attr:`Limits.max_unbacked_bytes`: an image of so few pixels is small enough to be
decoded anyway, even if it is uniform. What decoding takes is held to the same measure, in memory and in work,
with all components that the file has. docs/reliability.md says what follows for memory and time.
"""

from __future__ import annotations

import base64
import html
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pcaimage import codec, container
from pcaimage.api.arrays import bands_of, image_of, part_of, stream_of
from pcaimage.api.parts import Parts, Window
from pcaimage.codec import Compressed, Header
from pcaimage.codec.values import Values
from pcaimage.errors import ImageError, ImageTooLargeError, ImplausibleSizeError, PcaImageError, SettingsError
from pcaimage.imaging import BandInfo, Image, Limits
from pcaimage.imaging.disk.urls import located, url_of
from pcaimage.imaging.image.conversion import narrow
from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.limits import VARIABLE
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import white_of
from pcaimage.sampling import MAX_BLOCK, name_of

_HEAD = 16
_PLAUSIBLE = 1024  # bytes of an array for each of its file: four times those of an image

Source = str | os.PathLike[str] | BinaryIO


class CompressedImage:
    """An opened ``.pcai`` file.

    NumPy converts it to an array of its pixels, and notebooks show a picture of it. Indexing it as that
    array, by numbers and slices, decodes what is asked for: of a large file of bands or blocks, which has
    several slices, nothing else is read.

    Parameters
    ----------
    compressed : Compressed or None
        The contents of the file.
    n_bytes : int
        The file's size.
    damaged : bool, default False
        Whether some of the file's original components are missing.
    parts : Parts, optional
        What reads the contents, or parts of them, when they are asked for.
    """

    def __init__(
        self,
        compressed: Compressed | None,
        n_bytes: int,
        *,
        damaged: bool = False,
        parts: Parts | None = None,
    ) -> None:
        self.n_bytes, self.damaged, self.parts = n_bytes, damaged, parts
        self._whole = compressed

    @property
    def compressed(self) -> Compressed:
        """The contents of the file, which are read if that is not done."""
        if self._whole is None:
            parts = self._parts
            with located(parts.ranges.place) as file, _errors_named(parts.name):
                self._whole = open_bytes(file.read_bytes(), parts.name, limits=parts.limits).compressed
        return self._whole

    @property
    def outline(self) -> Compressed:
        """The contents of the file; without those of components and corrections if they are not read."""
        return self._parts.partial.outline if self._whole is None else self._whole

    @property
    def _parts(self) -> Parts:
        if self.parts is None:
            raise ValueError("An image needs its contents, or what reads them.")
        return self.parts

    def __repr__(self) -> str:
        return f"<CompressedImage {described(self.outline, self.n_bytes, self.k)}>"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of its pixels."""
        return self.outline.header.output_shape if self.values is None else self.values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its numbers."""
        return np.dtype(self.outline.header.dtype) if self.values is None else self.values.dtype

    @cached_property
    def values(self) -> Values | None:
        """How an array of another type or shape is stored in the image; None for an image."""
        stored = self.outline.values
        return None if stored is None else Values.of(stored)

    @property
    def ndim(self) -> int:
        """The number of axes of the array of its pixels."""
        return len(self.shape)

    def __getitem__(self, key: Any) -> Any:
        """Decode a part of the pixels by all components, as indexing by numbers and slices does."""
        if not self.ndim:
            return self.decode()[key]
        window, rest = Window.of_key(key, self.shape)
        return self.part(window)[rest]

    def part(self, window: Window, k: int | None = None, *, progress: Progress = no_progress) -> Pixels:
        """Reconstruct a part of the pixels, without reading slices of the file that it does not lie in.

        Parameters
        ----------
        window : Window
            Which part.
        k : int, optional
            Number of components to use; all by default.
        progress : Progress, optional
            Called with the work done; raising from it stops the work.

        Returns
        -------
        ndarray
            That part of what :meth:`decode` returns, with all its axes.

        Raises
        ------
        ImageError
            If the file cannot be read any more.
        FormatError
            If it is damaged; checksums, which are those of all slices together, are not compared.
        SettingsError
            If there are fewer than k components, or the image does not have such a part.
        """
        window.check(self.shape)
        if k is not None and not 0 <= k <= self.k:
            raise SettingsError(f"The image has {self.k} components; {k} cannot be taken from it.")
        if 0 in window.shape:
            return np.empty(window.shape, self.dtype)
        if self._whole is not None:
            return window.of(self.decode(k, progress=progress))
        k = self.k if k is None else k
        if self.values is None:
            return self._part(window, k, progress=progress)
        # Numbers of the array are where they are in the image, but for the place of the bands' axis.
        found = self._part(Window(tuple(window.spans[axis] for axis in _order(self))), k, progress=progress)
        cut = replace(self.values, shape=replace(window, bands=None).shape)
        return window.chosen_of(cut.restored(found))

    def _part(self, window: Window, k: int, *, progress: Progress) -> Pixels:
        parts = self._parts

        def decoded(data: bytes) -> Pixels:
            return open_bytes(data, parts.name, limits=parts.limits).decode()

        return parts.decode(window, k, decoded, progress)

    def part_image(self, window: Window, k: int | None = None, *, progress: Progress = no_progress) -> Image:
        """Reconstruct a part as :meth:`part` does, with what describes it: its place, its bands, opacity.

        Of an array it is a part of its image, see :meth:`image`.
        """
        if self.values is None:
            return part_of(self.outline, self.part(window, k, progress=progress), window)
        if self._whole is None:
            spans = dict(zip(_order(self), window.spans, strict=True))
            found = self.part(Window(tuple(spans[axis] for axis in range(self.ndim))), k, progress=progress)
            outline, pixels = self._as_image(found)
            return part_of(outline, window.chosen_of(pixels), window)
        outline, pixels = self._as_image(self.decode(k, progress=progress))
        window.check(pixels.shape)
        return part_of(outline, window.of(pixels), window)

    def __array__(self, dtype: DTypeLike | None = None, *, copy: bool | None = None) -> NDArray[Any]:
        """Return the pixels, which are decoded on every call."""
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
        return None if picture is None else page_of(picture, described(self.outline, self.n_bytes, self.k))

    @property
    def k(self) -> int:
        """Number of components."""
        return self._parts.partial.k if self._whole is None else self._whole.k

    def with_model(self, model: CompressedImage) -> CompressedImage:
        """Attach the basis of a model file.

        Parameters
        ----------
        model : CompressedImage
            The model file.

        Returns
        -------
        CompressedImage
            The image with that basis, ready to be decoded.

        Raises
        ------
        ModelError
            If the image needs another model.
        SettingsError
            If this file has its own basis, or the model has none.
        """
        attached = codec.attach_basis(self.compressed, model.compressed)
        return CompressedImage(attached, self.n_bytes, damaged=self.damaged)

    def decode(self, k: int | None = None, *, progress: Progress = no_progress) -> Pixels:
        """Reconstruct the pixels.

        Parameters
        ----------
        k : int, optional
            Number of components to use; all by default.
        progress : Progress, optional
            Called with the work done; raising from it stops the work.

        Returns
        -------
        ndarray
            In the shape and type that were compressed.

        Raises
        ------
        FormatError
            If the file is damaged.
        SettingsError
            If there are fewer than k components.
        """
        found = codec.decompress(self.compressed, k, progress)
        return found if self.values is None else self.values.restored(found)

    @property
    def bands(self) -> BandInfo:
        """Metadata of the image's bands."""
        return bands_of(self.outline)

    def frame(self, index: int, k: int | None = None, *, progress: Progress = no_progress) -> Image:
        """Reconstruct one image of a stack, by its index from 0, as :meth:`decode` does.

        Scores of all images are decoded, as the coding of each depends on the others. SettingsError if it is
        no stack, or has no such image.
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
        """Reconstruct the image with its opacity, profile and name, as :meth:`decode` does.

        Of an array that is none, as :func:`pcaimage.imaging.read_image` reads it; ImageError if it cannot be.
        """
        return image_of(*self._as_image(self.decode(k, progress=progress)))

    def _as_image(self, found: NDArray[Any]) -> tuple[Compressed, Pixels]:
        """Return what describes the image, and its pixels; ImageError of an array that cannot be one."""
        outline = self.outline
        if self.values is None:
            return outline, found
        pixels = narrow(found, outline.metadata.name or "The file")
        if pixels.ndim == 3:
            pixels = np.moveaxis(pixels, self.values.axis, -1)
        pixels, has_bands = np.ascontiguousarray(np.atleast_2d(pixels)), pixels.ndim > 2
        if pixels.ndim > 4 or not pixels.size:
            raise ImageError(f"An array of shape {found.shape} is no image; decode it to .npy.")
        shape, kind = pixels.shape if has_bands else (*pixels.shape, 1), pixels.dtype.name
        header = replace(outline.header, shape=shape, dtype=kind, has_channel_axis=has_bands)
        return replace(outline, header=replace(header, largest=white_of(pixels)), missing=None), pixels

    def stream(self, k: int | None = None, *, progress: Progress = no_progress) -> ImageStream:
        """Reconstruct the image as :meth:`image` does, a few lines at a time as they are consumed.

        It starts to decode when its first pixels are consumed, and raises errors then.
        """
        if self.values is not None:
            return ImageStream.of(self.image(k, progress=progress))
        return stream_of(self.compressed, codec.decode_strips(self.compressed, k, progress))


def open_file(
    path: Source, *, salvage: bool = False, limits: Limits | None = None, model: Source | None = None
) -> CompressedImage:
    """Open a ``.pcai`` file.

    Parameters
    ----------
    path : path, URL or binary file
        The file; what is at a URL is read by fsspec, from s3, https or wherever that reads.
    salvage : bool, default False
        Whether to accept the components before the first missing or damaged one, instead of refusing the
        file.
    limits : Limits, optional
        Size limits of the image.
    model : path, URL or binary file, optional
        The model file, if the basis is in one.

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
        If it is damaged, truncated, or not a ``.pcai`` file.
    """
    most = (limits or Limits.default()).max_bytes
    if isinstance(path, os.PathLike):
        path = url_of(Path(path)) or path
    if isinstance(path, (str, os.PathLike)) and not salvage and model is None:
        with _errors_named(PurePath(path).name):
            parts = Parts.of(os.fspath(path), limits or Limits.default())
        if parts is not None:
            in_parts = CompressedImage(None, parts.ranges.size, parts=parts)
            if in_parts.values is None or _order(in_parts):
                check_size(in_parts.outline.header, parts.limits, parts.name)
                return in_parts
    if isinstance(path, (str, os.PathLike)):
        name = PurePath(path).name
        with located(os.fspath(path)) as file, _errors_named(name), file.open("rb") as stream:
            data = _read(stream, name, None if file.is_file() else most)
    else:
        name = PurePath(str(getattr(path, "name", "The file"))).name
        with _errors_named(name):
            data = _read(path, name, most)
    opened = open_bytes(data, name, salvage=salvage, limits=limits)
    return opened if model is None else opened.with_model(open_file(model, limits=limits))


def _order(opened: CompressedImage) -> tuple[int, ...]:
    """Return the axes of an array that is read in parts in the order of its image; none of others."""
    return (opened.values and opened.values.places(opened.outline.header.output_shape)) or ()


def check_signature(start: bytes) -> None:
    """Raise FormatError if a file's first bytes, ten at least, are not those of a ``.pcai`` file."""
    container.check_version(start)


@contextmanager
def _errors_named(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ImageError(f"{name} cannot be read: {(error.strerror or 'unknown error').lower()}.") from error


def _read(file: BinaryIO, name: str, most: int | None) -> bytes:
    """Read a file, checking its signature first, as other files may be endless or very large."""
    start = file.read(_HEAD)
    check_signature(start)
    if most is None:
        return start + file.read()
    rest = file.read(most)
    if file.read(1):
        raise ImageTooLargeError(f"{name} has more than {most / 1e9:,.1f} GB; save it to a file first.")
    return start + rest


def open_bytes(
    data: bytes, name: str = "The image", *, salvage: bool = False, limits: Limits | None = None
) -> CompressedImage:
    """Open a ``.pcai`` file in memory, as :func:`open_file` does; `name` stands for it in messages."""
    limits = limits or Limits.default()
    file = container.Opened(data, salvage=salvage, most_unbacked=limits.max_unbacked_bytes)
    numbers = check_size(file.header, limits, name)
    try:
        found = file.compressed(numbers)
    except ImplausibleSizeError as error:
        raise _implausible(file, file.header.shape, error.claimed, len(data), name) from error
    check_memory(found, limits, name)
    values = None if found.values is None else Values.of(found.values)
    most = min(limits.max_mapped_bytes, limits.max_unbacked_bytes + _PLAUSIBLE * len(data))
    if values is not None and values.n_bytes > most:
        raise _implausible(file, values.shape, values.n_bytes, len(data), name)
    return CompressedImage(found, len(data), damaged=file.damaged)


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
        Number of components to use; all by default.
    progress : Progress, optional
        ``progress(done, total)``; raising from it stops the work.
    model : bytes, optional
        The model file, if the basis is in one.
    limits : Limits, optional
        Size limits of the image.

    Returns
    -------
    ndarray
        In the shape and type that were compressed, identical on every machine. Many bands of more than a
        gigabyte are a view of a temporary file, which is removed along with the array.

    Raises
    ------
    ImageTooLargeError
        If the image is over the limits, or claims far more than its file can hold.
    FormatError
        If the bytes are damaged, truncated, or not a ``.pcai`` file.
    ModelError
        If the basis is in a model file that was not given.
    SettingsError
        If there are fewer than k components.
    """
    opened = open_bytes(data, limits=limits)
    if model is not None:
        opened = opened.with_model(open_bytes(model, "The model", limits=limits))
    return opened.decode(k, progress=progress)


SIDE = 1024  # longest side in pixels of a picture for a notebook


def described(compressed: Compressed, n_bytes: int, k: int | None = None) -> str:
    """Return size, type, method, k and bytes of a file in one line.

    Such as ``"768 × 512, 3 channels, uint8, photo, k = 187, 83,131 bytes"``.
    """
    *frames, height, width, channels = compressed.header.shape
    many = "".join(f"{count} × " for count in frames)
    alpha = " and opacity" if compressed.alpha is not None else ""
    method = name_of(compressed.header.sampling)
    if compressed.values is not None:
        values = Values.of(compressed.values)
        size = f"array of shape {values.shape}, {values.dtype}"
    else:
        kind = compressed.header.dtype
        size = f"{many}{width} × {height}, {channels} channel{'s' * (channels != 1)}{alpha}, {kind}"
    return f"{size}, {method}, k = {compressed.k if k is None else k}, {n_bytes:,} bytes"


def shown(image: Image, side: int = SIDE, kind: str = "png", quality: int | None = None) -> bytes:
    """Return a picture of at most so many pixels a side, as a file of a format.

    It is the first image of a stack, and three of many bands, stretched.
    """
    from pcaimage.imaging import BandInfo, encode_image  # noqa: PLC0415 - few files are shown
    from pcaimage.imaging.writing.adapt import Resize, resize_image  # noqa: PLC0415 - as above

    pixels, alpha = image.pixels, image.alpha
    if image.is_stack:
        pixels, alpha = pixels[0], None if alpha is None else alpha[0]
    if pixels.shape[-1] not in {1, 3} or pixels.dtype.kind != "u":
        pixels, alpha = _stretched(pixels), None
    bare = replace(image, timing=None, labels=None, bands=BandInfo(), exif=None)
    plain = replace(bare, pixels=pixels, alpha=alpha)
    return encode_image(resize_image(plain, Resize(side, side)), kind, quality)


def page_of(picture: bytes, text: str) -> str:
    """Return a picture and its description as HTML."""
    source = base64.b64encode(picture).decode()
    return (
        f'<figure style="margin: 0"><img src="data:image/png;base64,{source}" alt="{html.escape(text)}" '
        f'style="max-width: 100%"><figcaption>{html.escape(text)}</figcaption></figure>'
    )


def _stretched(pixels: Pixels) -> Pixels:
    """Return three bands, or one, as bytes: stretched from the second to the ninety-eighth percentile."""
    count = pixels.shape[-1]
    chosen = [0] if count < 3 else [5 * count // 6, count // 2, count // 6]
    values = pixels[..., chosen].astype(np.float32)
    finite = values[np.isfinite(values)]
    low, high = np.percentile(finite, (2, 98)) if finite.size else (0.0, 1.0)
    scaled = np.nan_to_num((values - low) / ((high - low) or 1.0) * 255)
    return np.clip(scaled, 0, 255).astype(np.uint8)


MAX_PADDING = 2  # limit on the numbers of an image's padded blocks, relative to those of the largest image

_SCORE_BYTES = 4
"""Upper bound on the bytes of a score in memory; scores may take this multiple of the pixels' memory."""


def check_size(header: Header, limits: Limits, name: str) -> int:
    """Return the largest allowed count of numbers, including padding.

    ImageTooLargeError if the header has more pixels or bytes than the limits.
    """
    height, width, channels = header.shape[-3:]
    frames = header.shape[0] if len(header.shape) == 4 else 1
    pixel_bytes = channels * np.dtype(header.dtype).itemsize
    # Large images that are decoded line by line are stored in a file.
    limits.check(width, height, pixel_bytes, frames=frames, name=name, mapped=header.traits.streams_lines)
    # Blocks that extend far beyond the edges of a thin image take memory too.
    padded = max(MAX_PADDING * limits.max_bytes, MAX_BLOCK**2 * channels)
    return limits.max_mapped_bytes if header.traits.streams_lines else padded


def _implausible(
    file: container.Opened, shape: tuple[int, ...], claimed: int, n_bytes: int, name: str
) -> ImplausibleSizeError:
    """Return the error for a file that claims what takes as much as so many bytes of pixels."""
    size, k = " × ".join(f"{side:,}" for side in shape), file.k
    needed = max(claimed, file.header.raw_bytes)
    taken = f", which takes {_size(needed)}"
    if k:
        taken = f" with {k:,} component{'s' * (k != 1)}, as much to decode as {_size(needed)} of pixels"
    return ImplausibleSizeError(
        f"{name} claims to be an image of {size} numbers{taken}, in a file of only "
        f"{n_bytes:,} bytes; if you trust it, raise the limit (--limit {_size(needed)}) to open it.",
        needed,
    )


def _size(n_bytes: int) -> str:
    """Return a size rounded up, in a form that ``--limit`` accepts."""
    return f"{math.ceil(n_bytes / 1e8) / 10:.1f}GB" if n_bytes >= 1e9 else f"{math.ceil(n_bytes / 1e6)}MB"


def check_memory(compressed: Compressed, limits: Limits, name: str) -> None:
    """Raise ImageTooLargeError if scores or mask of an image would exceed its memory limit."""
    header = compressed.header
    if not header.traits.streams_lines:
        return
    size, most = header.n_samples * _SCORE_BYTES * compressed.k, _SCORE_BYTES * limits.max_bytes
    # The first byte of a mask tells whether it has a flag for each pixel or for each sample.
    if compressed.missing is not None and compressed.missing[:1] != b"\0":
        size, most = max(size, header.n_samples * header.n_features), limits.max_bytes
    if size > most:
        raise ImageTooLargeError(
            f"{name} takes {size / 1e9:,.1f} GB of memory to decode, more than the limit of "
            f"{most / 1e9:,.1f} GB; set {VARIABLE}={-(-size // 3)} to read it."
        )

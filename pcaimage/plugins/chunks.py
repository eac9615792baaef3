"""Compression of array chunks for stores such as Zarr, independent of their libraries.

A compressed chunk is a ``.pcai`` file. Where the chunks of an array share a model, they hold the scores only,
and the model is in the array's metadata. Numbers of types that files do not have, and real numbers of which
nothing may be lost, are divided into 16 bits for a file and what is below; within an error, they are numbers
that files have. Chunks for which PCA is undefined (all NaN, infinite numbers), and those that would become
larger, are instead stored losslessly with zlib. ``docs/zarr.md`` specifies the bytes.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pcaimage import api, codec, container
from pcaimage.codec import Compressed, Settings
from pcaimage.codec.linear.model_files import compress_with, with_basis, without_basis
from pcaimage.errors import DataError, FormatError, PcaImageError, SettingsError, TargetError
from pcaimage.imaging import Limits
from pcaimage.plugins.types import KINDS, as_near, divided, joined, near_as

NAME = "pcaimage"  # the codec's name in metadata of arrays
RAW = b"\x89PCZ"  # signature of a chunk that is not a ``.pcai`` file; its values are little-endian
SHARED = b"\x89PCS"  # signature of a chunk whose mean and components are those of the array's model
EXACT = b"\x89PCW"  # signature of a chunk whose numbers are divided
NEAR = b"\x89PCN"  # signature of a chunk whose numbers are of another type than its file; kind, size, file

DTYPES = ("uint8", "uint16", "int16", "float32")
"""The types of numbers in files."""


@dataclass(frozen=True)
class ChunkCodec:
    """Compresses chunks losslessly, within an error bound, or to a PSNR; SettingsError for bad parameters.

    By default compression is lossless, of any type of numbers. With a model all chunks share its
    mean, components and step, and the PSNR is that of all together, for which the step was chosen.
    """

    max_error: float | None = None  # of any value
    psnr: float | None = None  # of each chunk, in decibels
    bands: Literal["last", "first"] = "last"  # the axis of the features, of more than two
    model: str | None = None  # a ``.pcai`` file in base64
    white: int | None = None  # the largest value of the array, to which the PSNR refers

    def __post_init__(self) -> None:
        if self.bands not in {"last", "first"}:
            raise SettingsError(f"The bands are the last or the first axis, not {self.bands}.")
        if self.max_error is not None and self.psnr is not None:
            raise SettingsError("Give one of max_error and psnr, not both.")
        _ = self.settings  # checks their range
        if self.model is not None:
            model_of(self.model)

    @property
    def settings(self) -> Settings:
        """The settings of the compression."""
        if self.max_error is None and self.psnr is None:
            return Settings(lossless=True, white=self.white)
        return Settings(max_error=self.max_error, psnr=self.psnr, white=self.white)

    def configuration(self) -> dict[str, Any]:
        """Return the parameters for an array's metadata, without those that are None."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def check(self, dtype: np.dtype[Any]) -> None:
        """Raise SettingsError for types that are no numbers of up to 64 bits, or pairs of them."""
        if dtype.kind not in KINDS or np.empty(0, dtype).real.itemsize > 8:
            raise SettingsError(f"Values of type {dtype} are no numbers that can be compressed.")

    def has_files(self, dtype: np.dtype[Any]) -> bool:
        """Return whether files keep numbers of a type as they are, so that chunks may share a basis."""
        return dtype.newbyteorder("=").name in DTYPES and not (self.settings.lossless and dtype.kind == "f")

    def encode(self, chunk: NDArray[Any]) -> bytes:
        """Compress a chunk of any number of axes and any byte order; SettingsError if it has no numbers.

        The result is a ``.pcai`` file, one without a basis after :data:`SHARED`, what follows :data:`EXACT`
        or :data:`NEAR`, or :data:`RAW` and the values.
        """
        self.check(chunk.dtype)
        native = np.ascontiguousarray(chunk, chunk.dtype.newbyteorder("="))
        exact, data = self.settings.lossless, None
        if native.size:
            if self.has_files(native.dtype):
                data = self._compressed(native)
            else:
                data = (None if exact else self._near(native)) or self._divided(native)
        if data is not None and len(data) < native.nbytes and not data.startswith(EXACT):
            return data
        little = native.astype(native.dtype.newbyteorder("<"), copy=False)
        raw = RAW + zlib.compress(little.tobytes())
        return data if data is not None and data.startswith(EXACT) and len(data) < len(raw) else raw

    def decode(self, data: bytes, n_bytes: int | None = None) -> bytes | NDArray[Any]:
        """Restore the values of a chunk, in the order of its axes; FormatError if the data are damaged.

        They are little-endian bytes or values of a shape that the caller knows. If the size of the chunk is
        given, data that claim more raise ImageTooLargeError.
        """
        if data.startswith(RAW):
            return _inflated(data[len(RAW) :], n_bytes)
        room = None if n_bytes is None else 2 * n_bytes  # numbers of 8 bits have 16 in a file
        if data.startswith(EXACT):
            return joined(data[len(EXACT) :], n_bytes, lambda file: self._pixels(file, room))
        if data.startswith(NEAR):
            return near_as(data[len(NEAR) :], n_bytes, lambda file: self._pixels(file, room))
        return self._pixels(data, n_bytes)

    def _pixels(self, data: bytes, n_bytes: int | None) -> NDArray[Any]:
        """Decode a file, in the order of the chunk's axes."""
        limits = None if n_bytes is None else Limits.of_bytes(max(n_bytes, 1))
        pixels: NDArray[Any]
        if data.startswith(SHARED):
            if self.model is None:
                raise FormatError("The chunk needs the model of its array, which the codec was not given.")
            bare = api.open_bytes(data[len(SHARED) :], "The chunk", limits=limits).compressed
            pixels = codec.decompress(with_basis(model_of(self.model), bare))
        else:
            pixels = api.decode(data, limits=limits)
        if self.bands == "first" and pixels.shape[-1] > 1:
            pixels = np.moveaxis(pixels, -1, 0)
        return np.ascontiguousarray(pixels)

    def _compressed(self, numbers: NDArray[Any]) -> bytes | None:
        """Compress by the shared basis if there is one and it can be used, else by its own."""
        settings, image = self.settings, np.ascontiguousarray(image_of(numbers, self.bands))
        if self.model is not None:
            error = 0.0 if settings.lossless else settings.max_error
            try:
                found = compress_with(model_of(self.model), image, max_error=error)
                return SHARED + container.write(without_basis(found))
            except (DataError, SettingsError):
                pass  # it has fewer pixels than the model has components, or larger numbers
        try:
            return api.encode(image, settings)
        except (DataError, TargetError):
            return None

    def _divided(self, numbers: NDArray[Any]) -> bytes:
        """Compress numbers of any type exactly."""

        def encode(high: NDArray[np.uint16]) -> bytes:
            return api.encode(np.ascontiguousarray(image_of(high, self.bands)), Settings(lossless=True))

        return EXACT + divided(numbers, encode)

    def _near(self, numbers: NDArray[Any]) -> bytes | None:
        """Compress as numbers that files have, if they are near enough; None otherwise."""
        kept, near, error = as_near(numbers, self.max_error)
        if near is None:
            return None
        codec = ChunkCodec(error, self.psnr, self.bands, white=self.white)
        data = codec.encode(near)
        return NEAR + kept + data if data.startswith(b"\x89PCAI") else None


def image_of(chunk: NDArray[Any], bands: Literal["last", "first"]) -> NDArray[Any]:
    """Return a chunk of any number of axes as an image (H, W, C), a view if possible."""
    if chunk.ndim < 3:
        return chunk.reshape(-1, chunk.shape[-1] if chunk.ndim else 1, 1)
    last = np.moveaxis(chunk, 0, -1) if bands == "first" else chunk
    return last.reshape(-1, *last.shape[-2:])


@lru_cache(maxsize=8)
def model_of(text: str) -> Compressed:
    """Return the model that stands in an array's metadata; SettingsError if it is none."""
    try:
        return container.read(base64.b64decode(text, validate=True))
    except (binascii.Error, PcaImageError) as error:
        raise SettingsError(f"The model of the chunks cannot be read: {error}") from error


def _inflated(data: bytes, n_bytes: int | None) -> bytes:
    inflater = zlib.decompressobj()
    try:
        values = inflater.decompress(data, 0 if n_bytes is None else n_bytes + 1)
    except zlib.error as error:
        raise FormatError("The chunk is damaged.") from error
    if not inflater.eof and not (n_bytes is not None and len(values) > n_bytes):
        raise FormatError("The chunk is cut short.")
    if n_bytes is not None and len(values) != n_bytes:
        raise FormatError("The chunk has another size than the array says.")
    return values

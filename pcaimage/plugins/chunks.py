"""Compression of array chunks for stores such as Zarr, independent of their libraries.

A compressed chunk is a ``.pcai`` file. Where the chunks of an array share a model, they hold the scores only,
and the model is in the array's metadata. ``docs/zarr.md`` specifies the bytes.
"""

from __future__ import annotations

import base64
import binascii
import math
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pcaimage import api, container
from pcaimage.choices import Effort
from pcaimage.codec import Compressed, Settings
from pcaimage.codec.linear.model_files import compress_with, with_basis, without_basis
from pcaimage.codec.values import MOST_FILLED, is_image, laid
from pcaimage.errors import DataError, FormatError, PcaImageError, SettingsError, TargetError
from pcaimage.imaging import Limits

NAME = "pcaimage"  # the codec's name in metadata of arrays
SHARED = b"\x89PCS"  # signature of a chunk whose mean and components are those of the array's model

DTYPES = ("uint8", "uint16", "int16", "float32")
"""The types of numbers that images have."""


@dataclass(frozen=True)
class Options:
    """What the codec is told: to lose nothing, or to keep within an error or a PSNR.

    SettingsError is raised for what cannot be.

    By default compression is lossless, of any type of numbers. With a model all chunks share its
    mean, components and step, and the PSNR is that of all together, for which the step was chosen.
    """

    max_error: float | None = None  # of any value
    psnr: float | None = None  # of each chunk, in decibels
    bands: Literal["last", "first"] | int = "last"  # the axis of the features, of more than two
    model: str | None = None  # a ``.pcai`` file in base64
    white: int | None = None  # the largest value of the array, to which the PSNR refers
    effort: Effort = Effort.STANDARD  # one of those of `Settings`
    nodata: float | None = None  # the value that marks missing data, kept whatever is lost

    def __post_init__(self) -> None:
        if self.bands not in {"last", "first"} and not isinstance(self.bands, int):
            raise SettingsError(f"The bands are the last or the first axis or its number, not {self.bands}.")
        if self.max_error is not None and self.psnr is not None:
            raise SettingsError("Give one of max_error and psnr, not both.")
        _ = self.settings  # checks their range
        if self.model is not None:
            model_of(self.model)

    @property
    def settings(self) -> Settings:
        """The settings of the compression."""
        asked = {name: value for name, value in vars(self).items() if name not in {"bands", "model"}}
        return Settings(**asked, lossless=self.max_error is None and self.psnr is None)

    def configuration(self) -> dict[str, Any]:
        """Return the parameters for an array's metadata, without those that are the default."""
        default = {each.name: each.default for each in fields(self)}
        return {name: value for name, value in vars(self).items() if value != default[name]}

    @property
    def axis(self) -> int:
        """The axis of the features."""
        return self.bands if isinstance(self.bands, int) else -(self.bands == "last")


class ChunkCodec(Options):
    """Compresses chunks as options say."""

    def has_files(self, dtype: np.dtype[Any]) -> bool:
        """Return whether images have numbers of a type, so that chunks may share a basis."""
        return dtype.newbyteorder("=").name in DTYPES and not (self.settings.lossless and dtype.kind == "f")

    def encode(self, chunk: NDArray[Any]) -> bytes:
        """Compress a chunk of any type and shape; DataError if it has no numbers.

        The result is a ``.pcai`` file, or one without a basis after :data:`SHARED`.
        """
        data = self._shared(chunk)
        with suppress(TargetError, DataError):  # nothing was measured in it
            data = data or api.encode(chunk, self.settings, axis=self.axis)
        if data is not None and (self.settings.lossless or len(data) <= chunk.nbytes):
            return data
        exact = api.encode(chunk, Settings(lossless=True), axis=self.axis)
        return exact if data is None else min(data, exact, key=len)

    def decode(self, data: bytes, n_bytes: int | None = None) -> NDArray[Any]:
        """Restore a chunk in its shape and type; FormatError if the data are damaged.

        If the size of the chunk is given, data that claim more raise ImageTooLargeError.
        """
        # Numbers of 8 bits may be an image of 16, and a row of them may be filled.
        limits = None if n_bytes is None else Limits.of_bytes(2 * n_bytes + MOST_FILLED)
        shared = data.startswith(SHARED)
        opened = api.open_bytes(data[len(SHARED) * shared :], "The chunk", limits=limits)
        if shared:
            if self.model is None:
                raise FormatError("The chunk needs the model of its array, which the codec was not given.")
            whole = with_basis(model_of(self.model), opened.compressed)
            opened = api.CompressedImage(whole, opened.n_bytes)
        if n_bytes not in (None, math.prod(opened.shape) * opened.dtype.itemsize):
            raise FormatError("The chunk has another size than the array says.")
        return opened.decode()

    def _shared(self, chunk: NDArray[Any]) -> bytes | None:
        """Compress by the shared basis if there is one and it can be used."""
        if self.model is None or not chunk.size or not self.has_files(chunk.dtype):
            return None
        image, values = laid(chunk, self.axis)
        error = 0.0 if self.settings.lossless else self.max_error
        try:
            found = without_basis(compress_with(model_of(self.model), image, max_error=error))
        except (DataError, SettingsError):
            return None  # it has fewer pixels than the model has components, or larger numbers
        if not is_image(chunk, self.settings, self.axis):
            found = replace(found, values=values.to_bytes())
        return SHARED + container.write(found)


@lru_cache(maxsize=8)
def model_of(text: str) -> Compressed:
    """Return the model that stands in an array's metadata; SettingsError if it is none."""
    try:
        return container.read(base64.b64decode(text, validate=True))
    except (binascii.Error, PcaImageError) as error:
        raise SettingsError(f"The model of the chunks cannot be read: {error}") from error

"""A photo's integers, and the reconstruction that is exact on every machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.photo.cascade import Cascade
from pcaimage.codec.photo.layout import PER_CHANNEL, Layout
from pcaimage.codec.photo.prediction import FRACTION_BITS, coefficients
from pcaimage.codec.photo.tables import Tables
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress


@dataclass(frozen=True, eq=False)
class PhotoModel:
    """A quantised photo: what a file's components decode to.

    Parameters
    ----------
    header : Header
        The image's shape and step.
    cascade : Cascade
        Its channels' mean and axes, and its bases.
    scores : tuple of ndarray of int16 or int32
        For each slice (k, rows, columns), in the order of the file, in units of the step.
    segments : tuple of bytes
        What each component adds to the file.
    errors : ndarray of float64, shape (k,), optional
        The sum of the squared errors of each component's scores, as far as the encoder knows them.
    """

    header: Header
    cascade: Cascade
    scores: tuple[NDArray[Any], ...]
    segments: tuple[bytes, ...]

    @property
    def k(self) -> int:
        """How many components it has."""
        return len(self.segments)

    @cached_property
    def layout(self) -> Layout:
        """How the scores lie in the file."""
        return Layout(self.header)

    def trimmed(self, k: int) -> PhotoModel:
        """Return the model of the first components.

        Parameters
        ----------
        k : int
            How many, from 0 to :attr:`k`.

        Returns
        -------
        PhotoModel
            It shares memory with this one.

        Raises
        ------
        SettingsError
            If there are not that many.
        """
        if not 0 <= k <= self.k:
            raise SettingsError(f"The image has {self.k} components; {k} cannot be taken from it.")
        return replace(self, scores=tuple(part[:k] for part in self.scores), segments=self.segments[:k])

    def same_as(self, other: object) -> bool:
        """Return whether another model has the same integers.

        Parameters
        ----------
        other : object
            A model of any kind.

        Returns
        -------
        bool
            Whether it decodes to the same pixels for every k.
        """
        return (
            isinstance(other, PhotoModel)
            and (self.header, self.segments) == (other.header, other.segments)
            and self.cascade.same_as(other.cascade)
            and all(map(np.array_equal, self.scores, other.scores))
        )

    def coefficients(self, start: int, stop: int) -> NDArray[np.int32]:
        """Return what some rows of blocks are made of: prediction and scores.

        Parameters
        ----------
        start, stop : int
            Rows of blocks.

        Returns
        -------
        ndarray of int32, shape (C * 64, stop - start, columns)
            In units of Δ / 256, channel by channel, by vertical and horizontal frequency.
        """
        tables, channels = Tables.of(self.header.tables), self.layout.channels
        result = np.zeros((channels * PER_CHANNEL, stop - start, self.layout.grid[1]), np.int32)
        for part, scores in zip(self.layout.slices, self.scores, strict=True):
            first, last = max(start, part.start), min(stop, part.stop)
            if first < last:
                target = result[:, first - start : last - start]
                coefficients(scores, first - part.start, tables.plan(channels), target)
        return result

    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the image.

        Parameters
        ----------
        progress : Progress, optional
            Told of rows of blocks done.

        Returns
        -------
        ndarray of uint8 or uint16
            Of the header's output shape.
        """
        header, step = self.header, self.header.step
        unit = (step.mantissa, step.exponent - FRACTION_BITS)
        pixels = self.cascade.reconstruct(header.shape, header.dtype, self.coefficients, unit, progress)
        return pixels.reshape(header.output_shape)

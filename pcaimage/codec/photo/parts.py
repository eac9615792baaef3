"""One component of a photo at a time: what it looks like, and where in the image it matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.reduction import reduced
from pcaimage.codec.compressed import Header
from pcaimage.codec.photo import axes
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.cascade import Cascade
from pcaimage.codec.photo.channels import ONE
from pcaimage.codec.photo.layout import PER_CHANNEL
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.strips import Strips
from pcaimage.codec.pictures import MOST_PICTURE, MOST_PLANE, check_number, check_place
from pcaimage.sampling.lapped import BLOCK

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PhotoParts:
    """A photo's components and scores.

    Parameters
    ----------
    header : Header
        The image's shape.
    cascade : Cascade
        From scores to pixels.
    strips : Strips
        The scores.
    """

    header: Header
    cascade: Cascade = field(repr=False)
    strips: Strips = field(repr=False)

    @classmethod
    def of(cls, source: PhotoAnalysis | PhotoModel) -> Self:
        """Take a photo apart.

        Returns
        -------
        PhotoParts
            It shares the source's memory.
        """
        return cls(source.header, source.cascade, Strips.of(source))

    @property
    def variances(self) -> NDArray[np.float64]:
        """Mean squares of the coefficients about their mean, in squared units of the scores."""
        return self.strips.variances

    @property
    def sample_size(self) -> int:
        """Pixels along a block's side."""
        return BLOCK

    def component_picture(self, number: int, most: int = MOST_PICTURE) -> Floats:
        """Return what a score of one on a component adds to the pixels of a block and of those around it.

        Parameters
        ----------
        number : int
            Which component, from 1.

        Returns
        -------
        ndarray of float32, shape (16, 16, C)
            In units of a pixel's value. It begins four pixels above the block and to its left. (At the
            image's borders, where there is nothing to lap with, components end with their blocks.)
        """
        check_number(number, len(self.strips.places))
        place = int(self.strips.order[number - 1])
        channel, u, v = place // PER_CHANNEL, place // BLOCK % BLOCK, place % BLOCK
        down, along = axes.support(self.cascade.vertical)[u], axes.support(self.cascade.horizontal)[v]
        picture = down[:, None, None] * along[:, None] * (self.cascade.rotation[channel] / ONE)
        return reduced(picture, most)

    def score_plane(self, number: int, most: int = MOST_PLANE) -> Floats:
        """Return the scores of a component where they are in the image.

        Parameters
        ----------
        number : int
            Which component, from 1.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            In units of a pixel's value, one for each block; averages where there are more of them.
        """
        check_number(number, len(self.strips.places))
        rows, columns = self.strips.grid
        return reduced(self._scores([number - 1], (0, rows), (0, columns))[0], most)

    def scores_at(self, row: int, column: int) -> Floats:
        """Return all scores of a block.

        Returns
        -------
        ndarray of float32, shape (n_components,)
            In units of a pixel's value.
        """
        check_place(row, column, self.strips.grid)
        numbers = range(len(self.strips.places))
        return self._scores(numbers, (row, row + 1), (column, column + 1))[:, 0, 0]

    def _scores(self, numbers: Sequence[int], rows: tuple[int, int], columns: tuple[int, int]) -> Floats:
        """Return coefficients of some components, also where a file has what prediction lacks of them."""
        wanted = np.array(numbers, np.int64)
        chosen = self.strips.chosen(wanted, len(self.strips.places))
        found = self.strips.coefficients(chosen, self.strips.exact, rows, columns)
        scores = np.zeros((len(wanted), *found.shape[1:]), np.float32)
        scores[np.searchsorted(wanted, chosen.numbers)] = found * np.float32(self.strips.unit)
        return scores

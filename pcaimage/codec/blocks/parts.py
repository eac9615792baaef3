"""One component at a time: what it looks like, and where in the image it matters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.blocks.analysis import Analysis
from pcaimage.codec.blocks.model import IntegerModel
from pcaimage.codec.coding.reduction import reduced
from pcaimage.codec.compressed import Header
from pcaimage.codec.pictures import MOST_PICTURE, MOST_PLANE, check_number, check_place
from pcaimage.codec.spectrum import indices
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Stack

Floats = NDArray[np.float32]
Planes = NDArray[np.int16] | NDArray[np.int32] | Floats


@dataclass(frozen=True, eq=False)
class Parts:
    """An image's components and scores.

    Parameters
    ----------
    header : Header
        The image's shape and sampling.
    planes : ndarray of int16, int32 or float32, shape (n_components, n_samples)
        Scores, in some unit.
    rows : ndarray of float32, shape (n_components, n_features)
        What a score of one adds to the features.
    mean : ndarray of float32, shape (n_features,)
        The features for scores of zero.
    variances : ndarray of float64, shape (n_components,)
        Mean squares of the scores.
    unit : float, default 1
        What one of the planes stands for, in the units that steps are given in.
    """

    header: Header
    planes: Planes = field(repr=False)
    rows: Floats = field(repr=False)
    mean: Floats = field(repr=False)
    variances: NDArray[np.float64] = field(repr=False)
    unit: float = 1.0

    @classmethod
    def of_analysis(cls, analysis: Analysis, progress: Progress = no_progress) -> Self:
        """Take an image that was analysed apart.

        Parameters
        ----------
        analysis : Analysis
            The image.
        progress : Progress, optional
            Told of samples whose scores were found.

        Returns
        -------
        Parts
            For every k.
        """
        pca, unit = analysis.pca, analysis.compact_unit
        planes: Planes
        if unit is None:
            unit, planes = 1.0, analysis.scores(progress=progress)
        else:
            planes = analysis.compact_scores(unit, progress)
        rows = (analysis.whole_synthesis * unit).astype(np.float32)
        variances = analysis.variances / unit**2
        variances[indices(analysis.left_out, len(variances))] = 0
        return cls(analysis.header, planes, rows, pca.mean_.astype(np.float32), variances, unit)

    @classmethod
    def of_model(cls, model: IntegerModel) -> Self:
        """Take a compressed image apart.

        Parameters
        ----------
        model : IntegerModel
            The image.

        Returns
        -------
        Parts
            For every k up to the model's.
        """
        header = model.header
        rows = np.ldexp(model.entries.astype(np.float64), -np.array(model.precisions, np.int64)[:, None])
        rows *= float(header.step)
        if model.scale is not None and header.scale_bits is not None:
            rows *= np.ldexp(model.scale.astype(np.float64), -header.scale_bits)
        mean = np.ldexp(model.mean.astype(np.float64), -header.mean_bits)
        squares = [float(np.square(plane, dtype=np.float64).mean()) for plane in model.scores]
        variances = np.array(squares, np.float64)
        unit = float(header.step)
        return cls(header, model.scores, rows.astype(np.float32), mean.astype(np.float32), variances, unit)

    @property
    def sample_size(self) -> int:
        """Pixels along a sample's side; 0 where samples are images of a stack."""
        sampling = self.header.sampling
        return 0 if isinstance(sampling, Stack) else sampling.feature_grid(self.header.shape)[0]

    def component_picture(self, number: int, most: int = MOST_PICTURE) -> Floats:
        """Return what a score of one on a component adds to the pixels of a sample.

        Parameters
        ----------
        number : int
            Which component, from 1.
        most : int, default 128
            How many pixels the picture may have along a side.

        Returns
        -------
        ndarray of float32, shape (h, w, C)
            In units of a pixel's value; averages of pixels where a sample has more of them. Of standardised
            features it is the component times their standard deviations.

        Raises
        ------
        SettingsError
            If there is no such component.
        """
        check_number(number, len(self.planes))
        picture = self.rows[number - 1].reshape(self.header.sampling.feature_grid(self.header.shape))
        return reduced(picture, most) / np.float32(self.unit)

    def score_plane(self, number: int, most: int = MOST_PLANE) -> Floats:
        """Return the scores of a component where they are in the image.

        Parameters
        ----------
        number : int
            Which component, from 1.
        most : int, default 1024
            How many rows and columns there may be.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            In units of a pixel's value, one for each sample; averages where there are more of them. Of a
            stack (1, n_images), or averages of consecutive images.

        Raises
        ------
        SettingsError
            If there is no such component.
        """
        check_number(number, len(self.planes))
        return reduced(self.planes[number - 1].reshape(self._grid), most) * np.float32(self.unit)

    def scores_at(self, row: int, column: int) -> Floats:
        """Return all scores of a sample.

        Parameters
        ----------
        row, column : int
            Where it is among the samples; of a stack 0 and the number of the image, from 0.

        Returns
        -------
        ndarray of float32, shape (n_components,)
            In units of a pixel's value.

        Raises
        ------
        SettingsError
            If there is no such sample.
        """
        check_place(row, column, self._grid)
        scores: Floats = self.planes[:, row * self._grid[1] + column].astype(np.float32)
        scores *= np.float32(self.unit)
        return scores

    @property
    def _grid(self) -> tuple[int, int]:
        """Rows and columns of samples; images of a stack lie side by side."""
        rows, columns = self.header.sampling.grid(self.header.shape)
        return (columns, rows) if isinstance(self.header.sampling, Stack) else (rows, columns)

"""How wrong each image of a stack is from k components, and which are the worst.

The components are orthonormal, so what an image lacks is the part of it that lies outside of what is kept
(the 'distance from face space' [1]_), and its square is a sum of squares of scores.

References
----------
.. [1] M. Turk and A. Pentland, "Eigenfaces for recognition", Journal of Cognitive Neuroscience 3(1), 1991,
   doi:10.1162/jocn.1991.3.1.71.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Preview
from pcaimage.errors import DataError
from pcaimage.insight.inspection import RenderSettings
from pcaimage.insight.stack import kept_scores
from pcaimage.parallel import in_parallel
from pcaimage.progress import Progress, counted, no_progress

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]
Order: TypeAlias = Literal["number", "worst", "best", "label"]

_CHUNK = 1 << 18
_WORTH = 1 << 20
_UNIT_LENGTH = 0.02


@dataclass(frozen=True, eq=False)
class StackErrors:
    """How wrong every image is for every k, without reconstructing any.

    The components are orthonormal, so the squared error of an image is the sum of the squares of its scores
    that are dropped, of what rounding takes from those that are kept, and of its part that lies along none of
    the components (Turk and Pentland's distance from face space). Rounding pixels to whole values, and to the
    range that they have, is left out. Components of standardised features are not orthogonal as pixels; there
    the images are reconstructed.

    Parameters
    ----------
    preview : Preview
        The stack's components and scores.
    images : ndarray of uint8 or uint16, shape (N, H, W, C)
        The originals.
    """

    preview: Preview
    images: NDArray[Any] = field(repr=False)

    def rms(
        self, view: RenderSettings, progress: Progress = no_progress, *, which: slice = slice(None)
    ) -> Floats:
        """Return the errors for some k.

        Parameters
        ----------
        view : RenderSettings
            How many components are kept, and how scores are rounded.
        progress : Progress, optional
            Told of images done.
        which : slice, optional
            A run of images; by default all of them.

        Returns
        -------
        ndarray of float32, shape (n,)
            The root mean square of the errors of each image's values, in levels.
        """
        planes, size = self.preview.planes, self.preview.rows.shape[1]
        begin, end, _ = which.indices(planes.shape[1])
        squares = np.empty(max(end - begin, 0), np.float32)
        outside = self._outside if self._orthonormal else None

        def find(chunk: slice) -> None:
            there = slice(chunk.start - begin, chunk.stop - begin)
            if outside is None:
                squares[there] = self._direct(chunk, view)
                return
            unit = np.float32(self.preview.unit)
            wrong = planes[:, chunk] * unit
            wrong[: view.k] -= kept_scores(self.preview, chunk, view) * unit
            squares[there] = np.einsum("ij,ij->j", wrong, wrong) + outside[chunk]

        _each(find, begin, end, len(planes) if outside is not None else size, progress)
        result: Floats = np.sqrt(squares / np.float32(size))
        return result

    @cached_property
    def _orthonormal(self) -> bool:
        lengths = np.einsum("ij,ij->i", self.preview.rows, self.preview.rows) / self.preview.unit**2
        return bool(np.all(np.abs(lengths - 1) < _UNIT_LENGTH))

    @cached_property
    def _outside(self) -> Floats:
        """The squared length of what each image has along none of the components."""
        planes = self.preview.planes
        outside = np.zeros(planes.shape[1], np.float32)
        if len(planes) >= min(self.preview.rows.shape[1], planes.shape[1] - 1):
            return outside  # they span all images, and only rounding would be seen

        def find(chunk: slice) -> None:
            centred = self.images[chunk].reshape(len(outside[chunk]), -1) - self.preview.mean
            scores = planes[:, chunk] * np.float32(self.preview.unit)
            along = np.einsum("ij,ij->j", scores, scores)
            outside[chunk] = np.maximum(np.einsum("ij,ij->i", centred, centred) - along, 0)

        _each(find, 0, planes.shape[1], self.preview.rows.shape[1], no_progress)
        return outside

    def _direct(self, chunk: slice, view: RenderSettings) -> Floats:
        scores = kept_scores(self.preview, chunk, view)
        images = self.images[chunk].reshape(scores.shape[1], -1)
        wrong = scores.T @ self.preview.rows[: view.k] + self.preview.mean - images
        squares: Floats = np.einsum("ij,ij->i", wrong, wrong)
        return squares


def _each(find: Callable[[slice], None], begin: int, end: int, numbers: int, progress: Progress) -> None:
    """Have something found for a run of images, some at a time, on all cores."""
    length, report = max(1, _CHUNK // numbers), counted(progress, end - begin)

    def work(first: int, last: int) -> None:
        for start in range(begin + first, begin + last, length):
            chunk = slice(start, min(start + length, begin + last))
            find(chunk)
            report(chunk.stop - chunk.start)

    in_parallel(work, end - begin, worth=(end - begin) * numbers > _WORTH)


def exact_rms(images: NDArray[Any], reconstruction: NDArray[Any], progress: Progress = no_progress) -> Floats:
    """Return how wrong every image of a reconstructed stack is.

    Parameters
    ----------
    images, reconstruction : ndarray of uint8 or uint16, shape (N, H, W, C)
        The originals, and what a file decodes to.
    progress : Progress, optional
        Told of images done.

    Returns
    -------
    ndarray of float32, shape (N,)
        The root mean square of the differences of each image's values, in levels.

    Raises
    ------
    DataError
        If the stacks differ in shape.
    """
    if images.shape != reconstruction.shape or images.ndim != 4:
        raise DataError(f"Stacks of shapes {images.shape} and {reconstruction.shape} cannot be compared.")
    size = math.prod(images.shape[1:])
    squares = np.empty(len(images), np.float32)

    def find(chunk: slice) -> None:
        wrong = np.subtract(reconstruction[chunk], images[chunk], dtype=np.float32)
        flat = wrong.reshape(len(wrong), -1)
        squares[chunk] = np.einsum("ij,ij->i", flat, flat)

    _each(find, 0, len(images), size, progress)
    result: Floats = np.sqrt(squares / np.float32(size))
    return result


def ordered(
    count: int, by: Order, errors: Floats | None = None, labels: NDArray[Any] | None = None
) -> Numbers:
    """Return a stack's images in some order; equals stay in the order of their numbers.

    Parameters
    ----------
    count : int
        How many images there are.
    by : {'number', 'worst', 'best', 'label'}
        Their places in the stack, the largest or the smallest error first, or their labels. What needs errors
        or labels that there are not is the order of the numbers.
    errors : ndarray, shape (count,), optional
        How wrong each image is.
    labels : ndarray, shape (count,), optional
        What each image shows; within a label, the largest error comes first.

    Returns
    -------
    ndarray of intp, shape (count,)
        Images, from 0.
    """
    keys: list[NDArray[Any]] = []
    if errors is not None and by != "number":
        keys.append(errors if by == "best" else -errors)
    if by == "label" and labels is not None:
        keys.append(labels)
    if not keys or (by == "label" and labels is None):
        return np.arange(count)
    return np.lexsort(keys)

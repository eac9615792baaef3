"""Pictures for the screen: of any part of a reconstruction for any k, and of single components."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.view import Region, Screen, View
from pcaimage.errors import SettingsError

MOST_PICTURE, MOST_PLANE = 128, 1024
"""Default limits of the sides of a component's picture, and of a plane of scores, in pixels."""


class Pictures(Protocol):
    """Renders parts of an image from its first k components; its methods may be called from any thread."""

    @property
    def header(self) -> Header:
        """The image's shape and step."""

    @property
    def variances(self) -> NDArray[np.float64]:
        """Mean squares of the scores in squared units of the stored planes: (n_components,)."""

    def render(
        self,
        region: Region,
        scale: float,
        k: int,
        *,
        step: float | None = None,
        zone: float = 0.0,
        bands: tuple[int, ...] | None = None,
        white: float | None = None,
        screen: Screen | None = None,
        frame: int = 0,
        left_out: frozenset[int] = frozenset(),
    ) -> View:
        """Render part of the reconstruction from k components.

        Parameters
        ----------
        region : Region
            The part, in pixels of the image; the view covers it in whole cells.
        scale : float
            Pixels of the screen for each pixel of the image. The view has about as many; never more than
            the image has.
        k : int
            How many components.
        step : float, optional
            Δ, to which scores are rounded where the view is small enough for that; not rounded by default.
        zone : float, default 0
            How far scores are drawn towards zero before rounding, in steps: see :func:`dead_zone`.
        bands : tuple of int, optional
            Which channels to show, from 0; all by default.
        white : float, optional
            The value that is shown as 255; by default the largest that the image's type has.
        screen : Screen, optional
            Maps values to the screen in place of `bands` and `white`. Photos ignore it.
        frame : int, default 0
            Which image of a stack, from 0.
        left_out : frozenset of int, optional
            Components, from 1, whose scores count as zero.

        Returns
        -------
        View
            The picture, and the part of the image that it shows.
        """

    @property
    def sample_size(self) -> int:
        """Pixels along a block's side; 1 where pixels are samples, 0 where images of a stack are."""

    def component_picture(self, number: int, most: int = MOST_PICTURE) -> NDArray[np.float32]:
        """Return what a score of one adds to the pixels.

        Parameters
        ----------
        number : int
            The component, from 1.
        most : int, default 128
            Limit of the picture's sides; pixels are averaged to keep to it.

        Returns
        -------
        ndarray of float32, shape (h, w, C)
            In units of a pixel's value.

        Raises
        ------
        SettingsError
            If there is no such component.
        """

    def score_plane(self, number: int, most: int = MOST_PLANE) -> NDArray[np.float32]:
        """Return a component's scores in the places of their samples.

        Parameters
        ----------
        number : int
            The component, from 1.
        most : int, default 1024
            Limit of the plane's sides; scores are averaged to keep to it.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            In units of a pixel's value; (1, n_images) for a stack.

        Raises
        ------
        SettingsError
            If there is no such component.
        """

    def scores_at(self, row: int, column: int) -> NDArray[np.float32]:
        """Return all scores of a sample.

        Parameters
        ----------
        row, column : int
            The sample's place in the grid of samples, from 0; of a stack 0 and the image's number.

        Returns
        -------
        ndarray of float32, shape (n_components,)
            In units of a pixel's value.

        Raises
        ------
        SettingsError
            If there is no such sample.
        """


def check_number(number: int, count: int) -> None:
    """Raise SettingsError for a component, counted from 1, that is not among `count`."""
    if not 1 <= number <= count:
        raise SettingsError(f"The image has {count} components; there is no component {number}.")


def check_place(row: int, column: int, grid: tuple[int, int]) -> None:
    """Raise SettingsError for a sample, counted from 0, that is outside a grid of rows and columns."""
    if not (0 <= row < grid[0] and 0 <= column < grid[1]):
        raise SettingsError(
            f"The image has {grid[0]} × {grid[1]} samples; there is none in row {row}, column {column}."
        )

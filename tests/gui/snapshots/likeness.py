"""The likeness of two pictures of a window, whatever the font or the version of Qt that drew them.

Pictures are averaged down to cells of :data:`CELL` pixels. A cell is off by as much as it lies outside of
the range of the cells around it in the other picture, so that what moved by some pixels, as other fonts make
it, is alike, while what is missing, empty or of other colours is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PySide6.QtGui import QImage
from scipy.ndimage import maximum_filter, minimum_filter, uniform_filter

CELL = 8
"""Pixels along a side of a cell."""
STEP = 2
"""Levels that cells are rounded to when they are kept; half of it is no difference."""
REACH = 2
"""Cells by which something may have moved."""
TILE = 5
"""Cells along a side of a tile."""


@dataclass(frozen=True)
class Limits:
    """The greatest difference between pictures of the same thing.

    Parameters
    ----------
    mean : float
        The greatest mean by which cells are off, in levels.
    tile : float
        The greatest mean within any one tile.
    """

    mean: float
    tile: float


USUAL = Limits(1.2, 26.0)
"""With the font of the references: a hidden tab bar comes to 50."""
OTHER_FONT = Limits(2.5, 75.0)
"""With any other font or size, where words may even take another line."""

Cells = NDArray[np.float32]


@dataclass(frozen=True)
class Likeness:
    """The difference between two pictures, cell by cell.

    Parameters
    ----------
    mean : float
        The mean by which cells are off, in levels.
    tile : float
        The mean within the worst tile.
    off : ndarray of float32, shape (rows, columns)
        The levels by which each cell is off.
    """

    mean: float
    tile: float
    off: Cells

    def within(self, limits):
        """Return whether the pictures differ by no more than some limits."""
        return self.mean <= limits.mean and self.tile <= limits.tile

    def __str__(self):
        """Say where and by how much they differ."""
        tiles = uniform_filter(self.off, TILE, mode="nearest")
        row, column = np.unravel_index(int(tiles.argmax()), tiles.shape)
        return (
            f"cells are off by {self.mean:.2f} levels on average, and by {self.tile:.1f} around the pixel "
            f"({column * CELL}, {row * CELL})"
        )


def cells_of(picture):
    """Average a picture down.

    Parameters
    ----------
    picture : QImage
        A picture of a window.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        Its cells, 0 to 255; an incomplete row or column is left away.
    """
    opaque = picture.convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(opaque.constBits(), np.uint8).reshape(opaque.height(), opaque.bytesPerLine())
    rows, columns = opaque.height() // CELL, opaque.width() // CELL
    pixels = lines[: rows * CELL, : 3 * columns * CELL].reshape(rows, CELL, columns, CELL, 3)
    return pixels.mean(axis=(1, 3), dtype=np.float32)


def likeness(first, second):
    """Compare two pictures.

    Parameters
    ----------
    first, second : ndarray of float32, shape (rows, columns, 3)
        From :func:`cells_of`.

    Returns
    -------
    Likeness
        The same in either order.

    Raises
    ------
    ValueError
        If they are not of one size.
    """
    if first.shape != second.shape:
        raise ValueError(f"The pictures are of {first.shape[:2]} and {second.shape[:2]} cells.")
    off = np.maximum(_outside(first, second), _outside(second, first))
    return Likeness(float(off.mean()), float(uniform_filter(off, TILE, mode="nearest").max()), off)


def write_cells(path, cells):
    """Keep a picture's cells, in few bytes.

    Parameters
    ----------
    path : Path
        A PNG.
    cells : ndarray of float32, shape (rows, columns, 3)
        From :func:`cells_of`.
    """
    rounded = np.rint(cells / STEP) * STEP
    Image.fromarray(np.clip(rounded, 0, 255).astype(np.uint8)).save(path, optimize=True)


def read_cells(path):
    """Read what :func:`write_cells` wrote.

    Parameters
    ----------
    path : Path
        The PNG.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        The cells, to within half a :data:`STEP`.
    """
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), np.float32)


def _outside(cells, other):
    around = (2 * REACH + 1, 2 * REACH + 1, 1)
    low = minimum_filter(other, around, mode="nearest")
    high = maximum_filter(other, around, mode="nearest")
    return np.maximum(0, np.maximum(low - cells, cells - high) - STEP / 2).max(axis=2)

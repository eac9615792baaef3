"""Regions of blocks, each of which may have a step of its own."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

SIDE = 2  # blocks along the side of a region

T = TypeVar("T", bound=np.generic)


def regions(rows: int, columns: int) -> tuple[int, int]:
    """Return the number of rows and of columns of regions of some blocks."""
    return -(-rows // SIDE), -(-columns // SIDE)


def of_blocks(regional: NDArray[T], rows: int, columns: int) -> NDArray[T]:
    """Repeat the value of each region for its blocks: (rows, columns)."""
    return np.ascontiguousarray(regional.repeat(SIDE, axis=0).repeat(SIDE, axis=1)[:rows, :columns])

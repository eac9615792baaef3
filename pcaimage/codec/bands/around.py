"""What is known around a number of a plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.strips import BORDER

Ints = NDArray[np.int32]

_ACTIVE = 4095


class KnownPlanes(NamedTuple):
    """What is known of a slice, in planes with a border, as the core's struct of the same name.

    Parameters
    ----------
    planes : ndarray of int32, shape (n * area,)
        The numbers.
    errors : ndarray of int32, shape (n * area,)
        How wrong expectations were, in 1/16.
    activity : ndarray of int32, shape (area,)
        How wrong they were at a place in all planes before; the later, the more it counts.
    area, stride : int
        Numbers in a plane, and in a line of it.
    """

    planes: Ints
    errors: Ints
    activity: Ints
    area: int
    stride: int


def nothing_known(count: int, rows: int, columns: int) -> KnownPlanes:
    """Return planes of which nothing is known.

    Parameters
    ----------
    count, rows, columns : int
        The planes' shape.

    Returns
    -------
    KnownPlanes
        Zeros.
    """
    stride = columns + 2 * BORDER
    area = (rows + 2 * BORDER) * stride
    planes, errors = np.zeros(count * area, np.int32), np.zeros(count * area, np.int32)
    return KnownPlanes(planes, errors, np.zeros(area, np.int32), area, stride)


def see(known: KnownPlanes, plane: int) -> None:
    """Remember where a plane was hard to predict.

    Parameters
    ----------
    known : KnownPlanes
        Changed.
    plane : int
        The plane, which is known by now.
    """
    activity = known.activity
    errors = known.errors[plane * known.area : (plane + 1) * known.area]
    activity += np.minimum(errors, _ACTIVE) - ((activity * 5) >> 5)

"""The known numbers around each number of a plane, from which it is predicted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.strips import BORDER

Ints = NDArray[np.int32]

_ACTIVE = 4095


class KnownPlanes(NamedTuple):
    """The known numbers of a slice in planes with a border; mirrors the struct of the same name in the core.

    `activity` is an exponentially decaying sum of the clipped prediction errors of all earlier planes at each
    place.
    """

    planes: Ints  # shape (n * area,)
    errors: Ints  # prediction errors, in 1/16, shape (n * area,)
    activity: Ints
    area: int  # numbers in a plane
    stride: int  # numbers in a line


def nothing_known(count: int, rows: int, columns: int) -> KnownPlanes:
    """Return the initial state of `count` planes: all zeros."""
    stride = columns + 2 * BORDER
    area = (rows + 2 * BORDER) * stride
    planes, errors = np.zeros(count * area, np.int32), np.zeros(count * area, np.int32)
    return KnownPlanes(planes, errors, np.zeros(area, np.int32), area, stride)


def see(known: KnownPlanes, plane: int) -> None:
    """Add the prediction errors of a coded plane to the activity, in place."""
    activity = known.activity
    errors = known.errors[plane * known.area : (plane + 1) * known.area]
    activity += np.minimum(errors, _ACTIVE) - ((activity * 5) >> 5)

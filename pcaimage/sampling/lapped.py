"""Sampling of blocks of pixels after a lapping transform across their borders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import SettingsError
from pcaimage.sampling.base import Shape
from pcaimage.sampling.blocks import Blocks, Squares

BLOCK = 8  # pixels along a block's side; as many are lapped across each border, half of them on either side

HALF = BLOCK // 2

TURN_BITS = 30

# V = J C2ᵀ C4 J of the orthonormal DCT-II and DCT-IV of size 4, in units of 2^-30. A table, for the last bit
# of a cosine may differ between machines.
TURN = (
    (866776872, 600616264, 154224415, 130745146),
    (-613916201, 750763410, 452493912, 87361113),
    (130745146, -477068992, 923460842, 235483465),
    (-87361113, -30677143, -267592354, 1035732970),
)

LAPPING_BITS = TURN_BITS + 1


def lapping() -> NDArray[np.int64]:
    """Return the orthonormal transform of the eight pixels across each border between blocks, in 2^-31.

    P = ½ W diag(I, V) W with W = [[I, J], [J, -I]]: the lapped orthogonal transform (H. S. Malvar and D. H.
    Staelin 1989, doi:10.1109/29.17536) in its time-domain form (T. D. Tran, J. Liang and C. Tu 2003,
    doi:10.1109/TSP.2003.811222). Each row yields one lapped pixel from the eight.
    """
    same = np.eye(HALF, dtype=np.int64)
    swap = same[::-1]
    butterflies = np.block([[same, swap], [swap, -same]])
    middle = np.zeros((BLOCK, BLOCK), np.int64)
    middle[:HALF, :HALF] = same << TURN_BITS
    middle[HALF:, HALF:] = TURN
    product: NDArray[np.int64] = butterflies @ middle @ butterflies
    return product


@dataclass(frozen=True)
class Lapped(Squares):
    """Blocks of 8×8 pixels that overlap, yet yield no more numbers than there are pixels.

    Along both axes, the four pixels on either side of each border between two blocks are replaced by an
    orthonormal combination of all eight, see :func:`lapping`; then the image is cut into blocks, with
    features in the order row, column, channel. A quantisation error in a block fades out into its neighbours,
    which avoids blocking artefacts.

    Unlike those of other samplings, samples are float64 whatever the dtype of the pixels, and lapping is
    inverted only up to rounding. The right and lower edges are padded by replication to whole blocks, and
    cropped on the way back; the image's own borders are not lapped. SettingsError for another size.
    """

    size: int = BLOCK

    def __post_init__(self) -> None:
        if self.size != BLOCK:
            raise SettingsError(f"Lapped blocks are {BLOCK} pixels wide; {self.size} is not possible.")

    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        missing = [-length % self.size for length in array.shape[:2]]
        pixels = np.pad(array, ((0, missing[0]), (0, missing[1]), (0, 0)), mode="edge").astype(np.float64)
        return Blocks(self.size).to_samples(_across_borders(pixels, lapping().T * 2.0**-LAPPING_BITS))

    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        rows, columns = self.grid(shape)
        whole = (rows * self.size, columns * self.size, shape[2])
        lapped = Blocks(self.size).from_samples(samples.astype(np.float64), whole)
        pixels = _across_borders(lapped, lapping() * 2.0**-LAPPING_BITS)
        return np.ascontiguousarray(pixels[: shape[0], : shape[1]])


def _across_borders(pixels: NDArray[np.float64], weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Multiply the pixels across each border, as a row vector, by an (8, 8) matrix.

    The array, of shape (height, width, channels) in whole blocks, is overwritten.
    """
    for axis in (0, 1):
        moved = np.moveaxis(pixels, axis, -1)
        inner = moved[..., HALF:-HALF]
        groups = inner.reshape(*inner.shape[:-1], -1, BLOCK)
        moved[..., HALF:-HALF] = (groups @ weights).reshape(inner.shape)
    return pixels

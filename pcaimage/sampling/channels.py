"""Sampling of single pixels, of few channels or many bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pcaimage.sampling.base import Sampling, Shape


@dataclass(frozen=True)
class Channels(Sampling):
    """Each pixel is a sample of its channels; its PCA is an image-adapted colour transform."""

    def grid(self, shape: Shape) -> tuple[int, int]:  # noqa: D102 - inherited
        self._with_channels(shape)
        return shape[0], shape[1]

    def feature_grid(self, shape: Shape) -> tuple[int, int, int]:  # noqa: D102 - inherited
        return 1, 1, self._with_channels(shape)[2]

    def _split(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.reshape(-1, array.shape[2])

    def _join(self, samples: NDArray[Any], shape: Shape) -> NDArray[Any]:
        return samples.reshape(shape)


@dataclass(frozen=True)
class Bands(Channels):
    """Each pixel is a sample of its bands, as in :class:`Channels`; it is predicted from its neighbours."""

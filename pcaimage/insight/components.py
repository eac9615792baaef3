"""The components: pictures, overlays on the image, and shares of the variance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcaimage.codec import Header, Pictures, Screen
from pcaimage.insight.bands import default_bands
from pcaimage.insight.component_table import PLAIN, VarianceTerms, channel_axes
from pcaimage.insight.formatting import percent, share_percent
from pcaimage.pca import cumulative_shares

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

ADDS, SUBTRACTS = (255, 140, 26), (46, 134, 255)
"""Colours of positive and of negative scores, which are distinguishable with any colour vision."""

OPACITY = 215  # alpha of the strongest scores; the image shows through them

_GREY, _SWING = 128, 127
_MANY = 4096  # number of scores from which outliers are clipped, which would leave all others pale
_PERCENTILE = 99.5
_INVISIBLE = 0.06  # share of the full scale below which the overlay is transparent
_ORDINALS = ("1st", "2nd", "3rd", "4th")


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the variance that the components explain, from 0 to 1, one by one and cumulated."""

    shares: NDArray[np.float64] = field(repr=False)
    cumulative: NDArray[np.float64] = field(repr=False)
    scale: VarianceTerms = PLAIN

    @classmethod
    def of(cls, variances: ArrayLike, scale: VarianceTerms = PLAIN, whole: float = 0.0) -> Shares:
        """Return the shares that follow from variances, of which negative ones count as zero.

        `whole` is the variance of all features, if it exceeds their sum. If there is no variance, no
        component has a share, and any number of them explains everything.
        """
        values = np.maximum(np.nan_to_num(np.asarray(variances, np.float64).ravel()), 0.0)
        total = max(float(values.sum()), whole)
        if total <= 0:
            return cls(np.zeros(len(values)), np.ones(len(values)), scale)
        return cls(values / total, cumulative_shares(values, total)[1:], scale)

    def __len__(self) -> int:
        return len(self.shares)

    def share(self, number: int) -> str:
        """Return the share of a component, from 1, as text such as ``0.21 %``."""
        return share_percent(100 * float(self.shares[number - 1]))

    def describe(self, number: int) -> str:
        """Return the figures of a component, such as ``component 12 · 0.21 % · cumulative 97.31 %``."""
        cumulative = percent(100 * float(self.cumulative[number - 1]))
        of = "" if self.scale.of == PLAIN.of else f" {self.scale.of}"
        return f"component {number} · {self.share(number)} · cumulative {cumulative}{of}"


@dataclass(frozen=True, eq=False)
class ColourAxes:
    """The principal colour axes of a photo that its components describe."""

    groups: NDArray[np.int64] = field(repr=False)  # axis of each component, from 0
    names: tuple[str, ...]  # by descending variance of the image's pixels

    @classmethod
    def of(cls, header: Header, n_components: int) -> ColourAxes | None:
        """Return the axes of a photo's first components; None for grey photos and all other methods."""
        axes = channel_axes(header)
        if axes is None or header.shape[-1] < 2:
            return None
        groups: NDArray[np.int64] = axes[:n_components] - 1
        names = tuple(f"{ordinal} colour axis" for ordinal in _ORDINALS[: header.shape[-1]])
        return cls(groups, names)


@dataclass(frozen=True, eq=False)
class Overlay:
    """A translucent picture of where in the image a component is strong.

    Pixels are RGBA: :data:`ADDS` or :data:`SUBTRACTS` by the score's sign, opaque by its magnitude. The
    region, in pixels of the image, may exceed its edge.
    """

    pixels: Bytes = field(repr=False)
    region: tuple[int, int, int, int]  # left, top, right and bottom
    full_scale: float  # magnitude of the most opaque, in pixel values; 0 where pixels merely are marked
    text: str
    before: Bytes | None = field(default=None, repr=False)  # over the original, if that is another picture


def picture_of(
    preview: Pictures,
    number: int,
    size: int = 64,
    *,
    bands: tuple[int, ...] | None = None,
    screen: Screen | None = None,
) -> Bytes:
    """Return a component as a picture: its contribution to a block, an image of a stack, or the channels.

    Components are counted from 1. Zero is mid grey, and the largest magnitude has full contrast. The sign of
    a component is arbitrary, so light and dark may as well be exchanged. A component of channels has no
    shape; its picture is that of its scores over the whole image.

    One of the bands is shown as grey, or three as red, green and blue, by default far apart, unless values
    are converted to those of a screen. The picture has as many pixels as the component, or averages of them.
    """
    if preview.sample_size == 1:
        return _about_grey(preview.score_plane(number, size)[..., None])
    picture = preview.component_picture(number, size)
    if screen is not None:
        return _about_grey(picture @ screen.mix)
    chosen = default_bands(picture.shape[-1]) if bands is None else bands
    return _about_grey(picture[..., list(chosen)])


def overlay_of(preview: Pictures, number: int, frame: int = 0) -> Overlay:
    """Return an overlay of where in the image a component, from 1, is strong.

    Each image of a stack has a single score; its overlay is the component's picture times the score of the
    image `frame`.
    """
    if preview.sample_size:
        values = preview.score_plane(number)
        rows, columns = preview.header.sampling.grid(preview.header.shape)
        unit = preview.sample_size
    else:
        score = float(preview.scores_at(0, frame)[number - 1])
        values = preview.component_picture(number, 512).mean(axis=-1) * np.float32(score)
        rows, columns = preview.header.shape[1:3]
        unit = 1
    # Each value may represent a square of several scores.
    every = max(-(-rows // values.shape[0]), -(-columns // values.shape[1])) * unit
    full = _full_scale(values)
    text = f"component {number} · orange adds it, blue subtracts it · full at ±{full:.3g}"
    region = (0, 0, values.shape[1] * every, values.shape[0] * every)
    return Overlay(_diverging(values, full), region, full, text)


def _diverging(values: Floats, full: float) -> Bytes:
    strength = np.clip(np.abs(values) / np.float32(full or 1.0), 0, 1)
    strength = np.clip((strength - _INVISIBLE) / (1 - _INVISIBLE), 0, 1)
    pixels = np.empty((*values.shape, 4), np.uint8)
    pixels[..., :3] = np.where(
        (values < 0)[..., None], np.array(SUBTRACTS, np.uint8), np.array(ADDS, np.uint8)
    )
    pixels[..., 3] = np.rint(strength * OPACITY).astype(np.uint8)
    return pixels


def _about_grey(values: Floats) -> Bytes:
    scaled = values * np.float32(_SWING / (_full_scale(values) or 1.0))
    result: Bytes = np.clip(np.rint(scaled) + _GREY, 1, 255).astype(np.uint8, order="C")
    return result


def _full_scale(values: NDArray[Any]) -> float:
    magnitudes = np.abs(values)
    largest = float(magnitudes.max(initial=0.0))
    if magnitudes.size < _MANY or not largest:
        return largest
    return float(np.percentile(magnitudes, _PERCENTILE)) or largest

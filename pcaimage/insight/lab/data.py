"""Samples that the lab takes apart, whatever they come from; some are pictures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.insight.numeric import NumericTable
from pcaimage.insight.stack import without_overlap

Floats = NDArray[np.float64]

MAX_FEATURES = 1024
"""Most features, whose covariance is turned plane by plane: images of 32 × 32 pixels."""

MAX_SAMPLES = 200_000
"""Most samples; each is a point of the scatter plot."""

MAX_MAGNITUDE = 1e150
"""The largest magnitude of a number, of whose square sums can still be made."""


@dataclass(frozen=True, eq=False)
class LabData:
    """Samples with names; DataError if shapes and names do not fit each other.

    There are at least two samples; numbers are finite, and neither too many nor too large.
    """

    name: str
    features: tuple[str, ...]
    samples: Floats = field(repr=False)  # (n_samples, n_features)
    labels: tuple[str, ...] | None = field(default=None, repr=False)
    groups: tuple[str, ...] | None = field(default=None, repr=False)  # for colours, such as digits
    picture: tuple[int, ...] | None = None  # (H, W) or (H, W, C) of a sample that is one
    reading: str = ""  # how text was read as a table

    def __post_init__(self) -> None:
        shape = self.samples.shape
        if len(shape) != 2 or len(self.features) != shape[1] or not shape[1]:
            raise DataError(f"{self.name}: {len(self.features)} names do not fit samples of shape {shape}.")
        if shape[0] < 2:
            raise DataError(f"{self.name} has {shape[0]} sample; variances need at least two.")
        if shape[1] > MAX_FEATURES or shape[0] > MAX_SAMPLES:
            raise DataError(
                f"{self.name} has {shape[0]:,} samples of {shape[1]:,} features; the lab takes at most "
                f"{MAX_SAMPLES:,} samples of {MAX_FEATURES:,} features."
            )
        for names in (self.labels, self.groups):
            if names is not None and len(names) != shape[0]:
                raise DataError(f"{self.name}: {len(names)} names do not fit {shape[0]} samples.")
        if self.picture is not None and int(np.prod(self.picture)) != shape[1]:
            raise DataError(f"{self.name}: pictures of shape {self.picture} do not have {shape[1]} numbers.")
        if not np.isfinite(self.samples).all():
            raise DataError(f"{self.name} has numbers that are not finite.")
        if np.abs(self.samples).max() > MAX_MAGNITUDE:
            raise DataError(f"{self.name} has numbers beyond ±{MAX_MAGNITUDE:g}, too large to be squared.")

    @classmethod
    def of_table(cls, table: NumericTable) -> LabData:
        """Return the samples of a table."""
        return cls(table.name, table.features, table.values, table.labels, reading=table.reading)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.samples.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.samples.shape[1])

    @cached_property
    def sample_names(self) -> tuple[str, ...]:
        """The samples' labels, or numbers from 1."""
        return self.labels or tuple(str(number) for number in range(1, self.n_samples + 1))

    @cached_property
    def group_names(self) -> tuple[str, ...]:
        """The groups in alphabetical order; none if samples have none."""
        return tuple(sorted(set(self.groups or ())))

    @cached_property
    def group_numbers(self) -> NDArray[np.int64]:
        """The group of each sample, from 0, or zeros without groups: (n_samples,)."""
        if self.groups is None:
            return np.zeros(self.n_samples, np.int64)
        return np.searchsorted(np.array(self.group_names), np.array(self.groups))

    @cached_property
    def extent(self) -> tuple[float, float]:
        """The smallest and the largest number."""
        return float(self.samples.min()), float(self.samples.max())

    @cached_property
    def bits(self) -> float:
        """Bits that a sample takes at its own precision: as many as the range of each feature needs.

        A column of whole numbers, thirds (means of three colours), quarters or decimals has a step; any
        other number takes 64 bits.
        """
        return sum(map(_bits, self.samples.T))

    def transposed(self) -> LabData:
        """Return the data with samples and features exchanged."""
        features = self.labels or tuple(f"x{number}" for number in range(1, self.n_samples + 1))
        plain = all(name == f"x{number}" for number, name in enumerate(self.features, start=1))
        return replace(
            self,
            features=features,
            samples=np.ascontiguousarray(self.samples.T),
            labels=None if plain else self.features,
            groups=None,
            picture=None,
            reading="",
        )

    def moved(self, sample: int, values: Floats) -> LabData:
        """Return the data with one sample, from 0, at another place."""
        samples = self.samples.copy()
        samples[sample] = values
        return replace(self, samples=samples)

    def added(self, values: Floats) -> LabData:
        """Return the data with one sample more."""
        labels = None if self.labels is None else (*self.labels, str(self.n_samples + 1))
        groups = None if self.groups is None else (*self.groups, "")
        return replace(self, samples=np.vstack([self.samples, values]), labels=labels, groups=groups)

    def without(self, sample: int) -> LabData:
        """Return the data without a sample, from 0."""
        kept = [index for index in range(self.n_samples) if index != sample]
        return replace(
            self,
            samples=self.samples[kept],
            labels=None if self.labels is None else tuple(self.labels[index] for index in kept),
            groups=None if self.groups is None else tuple(self.groups[index] for index in kept),
        )


def _bits(column: Floats) -> float:
    for parts in (1, 3, 4, *(10**digits for digits in range(1, 10))):
        scaled = column * parts
        if (np.abs(scaled - np.round(scaled)) <= 1e-6).all():
            return float(np.log2(np.ptp(scaled) + 1))
    return 64.0


Picture = NDArray[np.uint8]

_GREY, _SWING = 128, 127


def sample_picture(data: LabData, values: Floats) -> Picture | None:
    """Return numbers in the units of the data as a picture, from black to white in their range.

    None if samples are no pictures. Of more channels than three the first three are shown.
    """
    low, high = data.extent
    return _picture(data, (values - low) / ((high - low) or 1.0) * 255)


def axis_picture(data: LabData, values: Floats) -> Picture | None:
    """Return an axis, or a difference, with grey for zero and its largest entry black or white.

    None if samples are no pictures.
    """
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    return _picture(data, _GREY + values / largest * _SWING)


def _picture(data: LabData, levels: Floats) -> Picture | None:
    if data.picture is None:
        return None
    height, width, *rest = data.picture
    depth = rest[0] if rest else 1
    pixels = levels.reshape(height, width, depth)
    shown = pixels[..., :3] if depth >= 3 else pixels[..., :1]
    return np.ascontiguousarray(np.clip(np.round(shown), 0, 255).astype(np.uint8))


def spread_out(places: Floats, side: float, most: int = 150) -> list[int]:
    """Choose points, in pixels, that are far enough apart for a picture at each, so that none hides another.

    Returns indices, at most `most`, of points at which pictures of `side` pixels do not overlap.
    """
    found: list[int] = without_overlap(places, side, most).tolist()
    return found

"""Samples that the lab takes apart: from text, from images, and from small tables that are built in."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError, reason_of
from pcaimage.insight.lab import plain
from pcaimage.insight.numeric import How, Limits, NumericTable, read_table
from pcaimage.machine.folders import asset
from pcaimage.sampling import Blocks, Channels, Sampling, Stack

Floats = NDArray[np.float64]

MAX_FEATURES = 1024  # most features, whose covariance is turned plane by plane: images of 32 × 32 pixels
MAX_SAMPLES = 200_000  # most samples; each is a point of the scatter plot
LIMITS = Limits(128 << 20, MAX_FEATURES, 10_240_000)  # of a table in text
MAX_MAGNITUDE = 1e150  # the largest magnitude of a number, of whose square sums can still be made


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
        sides = self.picture
        if sides is not None and (len(sides) not in {2, 3} or min(sides) < 1 or math.prod(sides) != shape[1]):
            raise DataError(f"{self.name}: pictures of shape {self.picture} do not have {shape[1]} numbers.")
        if not np.isfinite(self.samples).all():
            raise DataError(f"{self.name} has numbers that are not finite.")
        if np.abs(self.samples).max() > MAX_MAGNITUDE:
            raise DataError(f"{self.name} has numbers beyond ±{MAX_MAGNITUDE:g}, too large to be squared.")

    @classmethod
    def of_table(cls, table: NumericTable) -> LabData:
        """Return the samples of a table."""
        labels = None if table.labels == table.groups else table.labels
        return cls(table.name, table.features, table.values, labels, table.groups, reading=table.reading)

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

    def moved(self, sample: int | slice, values: Floats) -> LabData:
        """Return the data with one sample, from 0, or some at other places."""
        samples = self.samples.copy()
        samples[sample] = values
        return replace(self, samples=samples)

    def added(self, values: Floats) -> LabData:
        """Return the data with one sample more."""
        labels = None if self.labels is None else (*self.labels, str(self.n_samples + 1))
        groups = None if self.groups is None else (*self.groups, "")
        return replace(self, samples=np.vstack([self.samples, values]), labels=labels, groups=groups)

    def of_rows(self, kept: Sequence[int]) -> LabData:
        """Return the data of some samples, from 0."""
        named = (self.labels, self.groups)
        labels, groups = (None if names is None else tuple(names[index] for index in kept) for names in named)
        return replace(self, samples=self.samples[list(kept)], labels=labels, groups=groups)

    def without(self, sample: int) -> LabData:
        """Return the data without a sample, from 0."""
        return self.of_rows([index for index in range(self.n_samples) if index != sample])

    def with_feature(self, name: str) -> LabData:
        """Return the data with one feature more, of zeros; samples are then no pictures."""
        samples = np.hstack([self.samples, np.zeros((self.n_samples, 1))])
        return replace(self, features=(*self.features, name), samples=samples, picture=None)

    def without_feature(self, feature: int) -> LabData:
        """Return the data without a feature, from 0; samples are then no pictures."""
        features = self.features[:feature] + self.features[feature + 1 :]
        samples = np.delete(self.samples, feature, axis=1)
        return replace(self, features=features, samples=samples, picture=None)

    def named(self, *, feature: int | None = None, sample: int = 0, name: str) -> LabData:
        """Return the data with another name of a feature or of a sample, from 0."""
        if feature is not None:
            return replace(self, features=(*self.features[:feature], name, *self.features[feature + 1 :]))
        names = self.sample_names
        return replace(self, labels=(*names[:sample], name, *names[sample + 1 :]))


EDITS: dict[str, Callable[[LabData, int, int], LabData]] = {
    "add-row": lambda data, _row, _column: data.added(np.zeros(data.n_features)),
    "remove-row": lambda data, row, _column: data.without(row),
    "add-column": lambda data, _row, _column: data.with_feature(f"x{data.n_features + 1}"),
    "remove-column": lambda data, _row, column: data.without_feature(column),
}
"""Changes of a table at a cell."""


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


MOST_DRAWN = 50_000  # most samples of an image; of more, so many are drawn at random

_SEED = 1901
_COLOURS = {1: ("grey",), 3: ("red", "green", "blue"), 4: ("red", "green", "blue", "infrared")}


def pasted(text: str, *, in_columns: bool = False) -> LabData:
    """Read a table from text: CSV, LaTeX, NumPy, MATLAB, R, Markdown; DataError names the offending cell."""
    return table_in(text.encode(), "The pasted table", How(transpose=in_columns))


def table_in(data: bytes, name: str, how: How) -> LabData:
    """Read a table from the bytes of a text; DataError names the offending cell."""
    return LabData.of_table(read_table(data, name, how=how, limits=LIMITS))


def bytes_in(path: Path) -> bytes:
    """Return the bytes of a text file, but not much more than can be read; DataError says why not."""
    try:
        with path.open("rb") as file:
            return file.read(LIMITS.n_bytes + 1)
    except OSError as error:
        raise DataError(reason_of(error)) from error


def blank() -> LabData:
    """Return a small table of zeros, for numbers that are typed."""
    return LabData("New table", ("x1", "x2"), np.zeros((3, 2)))


def neighbours(pixels: NDArray[Any]) -> LabData:
    """Return pairs of neighbouring pixels, each pixel in one pair: why images compress.

    Neighbours are nearly equal, so their points lie along the diagonal. The first component is their mean,
    (1, 1) / √2, the second their difference, which hardly varies. The image is (H, W) or (H, W, C), of whose
    channels the mean is taken; DataError if it is narrower than two pixels.
    """
    if pixels.ndim not in {2, 3} or pixels.shape[1] < 2 or not pixels.size:
        raise DataError(f"An array of shape {pixels.shape} has no neighbouring pixels.")
    width = pixels.shape[1] // 2 * 2
    grey = pixels[:, :width] if pixels.ndim == 2 else pixels[:, :width].mean(axis=2)
    pairs = grey.reshape(-1, 2)
    return LabData("Neighbouring pixels", ("left pixel", "right pixel"), _drawn(pairs), picture=(1, 2))


def channels(pixels: NDArray[Any], names: Sequence[str] | None = None) -> LabData:
    """Return the pixels of an image, (H, W) or (H, W, C), as samples of its channels."""
    data = _sampled("Channels", pixels, Channels(), of_pictures=False)
    found = tuple(names) if names is not None else _COLOURS.get(data.n_features)
    if found is None or len(found) != data.n_features:
        found = tuple(f"band {number}" for number in range(1, data.n_features + 1))
    return LabData(data.name, found, data.samples)


def blocks(pixels: NDArray[Any], size: int) -> LabData:
    """Return the blocks of an image, (H, W) or (H, W, C), as samples that are pictures.

    Sides are 2 to 16 pixels; DataError if the array is no image, or a block has too many numbers.
    """
    if not 2 <= size <= 16:
        raise DataError(f"Blocks of the lab have sides of 2 to 16 pixels, not {size}.")
    return _sampled(f"Blocks of {size} × {size}", pixels, Blocks(size))


def stack(images: NDArray[Any], labels: NDArray[Any] | None = None) -> LabData:
    """Return the images of a stack, (N, H, W) or (N, H, W, C), as samples that are pictures.

    Labels are the group of each image, such as its digit. DataError if the array is no stack, images have too
    many pixels, or labels do not fit.
    """
    if labels is not None and len(labels) != len(images):
        raise DataError(f"{len(labels)} labels do not fit {len(images)} images.")
    found = _sampled("Stack", images, Stack())
    drawn = _chosen(len(images))
    groups = None if labels is None else tuple(str(label) for label in np.asarray(labels)[drawn].tolist())
    return LabData(found.name, found.features, found.samples, groups=groups, picture=found.picture)


def _sampled(name: str, array: NDArray[Any], sampling: Sampling, *, of_pictures: bool = True) -> LabData:
    count = sampling.n_features(array.shape) if array.ndim in sampling.ndims else 0
    if count > MAX_FEATURES:
        raise DataError(
            f"{name}: a sample has {count:,} numbers; the lab takes at most {MAX_FEATURES:,}. Make the "
            "pictures smaller."
        )
    samples = sampling.to_samples(array)
    shape = array.shape if array.ndim == max(sampling.ndims) else (*array.shape, 1)
    height, width, depth = sampling.feature_grid(shape)
    cells = [(row, column) for row in range(1, height + 1) for column in range(1, width + 1)]
    suffixes = [""] if depth == 1 else [f" {channel}" for channel in range(1, depth + 1)]
    features = tuple(f"pixel {row},{column}{suffix}" for row, column in cells for suffix in suffixes)
    picture = ((height, width) if depth == 1 else (height, width, depth)) if of_pictures else None
    return LabData(name, features, _drawn(samples), picture=picture)


def _drawn(samples: NDArray[Any]) -> NDArray[np.float64]:
    return samples[_chosen(len(samples))].astype(np.float64)


def _chosen(count: int) -> NDArray[np.int64]:
    """Return the indices of the samples that are drawn, in ascending order; the same for the same count."""
    if count <= MOST_DRAWN:
        return np.arange(count)
    return np.sort(np.random.default_rng(_SEED).choice(count, MOST_DRAWN, replace=False))


def digits() -> LabData:
    """Return 1,797 pictures of digits, 8 × 8 pixels each.

    They are a part of "Optical Recognition of Handwritten Digits", doi:10.24432/C50P49, CC BY 4.0.
    """
    with np.load(asset("resources", "samples", "digits.npz")) as file:
        return replace(stack(file["pixels"], file["labels"]), name="Digits")


TABLES = ("five-features", "three-prices", "two-units", "cross", "iris")
"""Tables that are built in, by their names.

Heights are in centimetres beside arm spans in feet. The longest points of the cross lie across its axis of
the largest variance. Iris: R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of
Eugenics 7(2), 1936, doi:10.1111/j.1469-1809.1936.tb02137.x, as distributed with scikit-learn.
"""

DRAWN, DIGITS = "drawn", "digits"  # a few points, to which others are added by hand; and pictures


@cache
def built_in(name: str) -> LabData:
    """Return a table by its name; raise DataError if there is none."""
    if name not in {*TABLES, DRAWN, DIGITS}:
        raise DataError(f"There is no table {name!r}; there are {', '.join(TABLES)}.")
    if name == DIGITS:
        return digits()
    return plain.read(LabData, asset("resources", "lab", "tables", f"{name}.json").read_bytes())

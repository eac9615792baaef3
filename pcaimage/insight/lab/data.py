"""Samples that the lab takes apart: from text, from images, and from small tables that are built in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError, reason_of
from pcaimage.insight.numeric import MAX_TEXT_BYTES, NumericTable, read_table
from pcaimage.insight.stack import without_overlap
from pcaimage.sampling import Blocks, Channels, Sampling, Stack

Floats = NDArray[np.float64]

MAX_FEATURES = 1024  # most features, whose covariance is turned plane by plane: images of 32 × 32 pixels
MAX_SAMPLES = 200_000  # most samples; each is a point of the scatter plot
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


MOST_DRAWN = 50_000  # most samples of an image; of more, so many are drawn at random

_SEED = 1901
_COLOURS = {1: ("grey",), 3: ("red", "green", "blue"), 4: ("red", "green", "blue", "infrared")}


def pasted(text: str, *, in_columns: bool = False) -> LabData:
    """Read a table from text: CSV, LaTeX, NumPy or MATLAB; DataError names the offending cell."""
    return LabData.of_table(read_table(text.encode(), "The pasted table", transpose=in_columns))


def in_file(path: Path) -> LabData:
    """Read a table from a text file as :func:`pasted` does; DataError also if the file cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise DataError(reason_of(error)) from error
    return LabData.of_table(read_table(data, path.name))


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


_IRIS = (
    "51351402493014024732130246311502503614025439170446341403503415024429140249311501543715024834160248301401"
    "43301101584012025744150454391304513514035738170351381503543417025137150446361002513317054834190250301602"
    "50341604523515025234140247321602483116025434150452411501554214024931150250321202553513024936140144301302"
    "51341502503513034523130344321302503516065138190448301403513816024632140253371502503314027032471464324515"
    "69314915552340136528461557284513633347164924331066294613522739145020351059304215602240106129471456293613"
    "67314414563045155827411062224515562539115932481861284013632549156128471264294313663044146828481467305017"
    "60294515572635105524381155243710582739126027511654304515603445166731471563234413563041135525401355264412"
    "61304614582640125023331056274213573042125729421362294313512530115728411363336025582751197130592163295618"
    "65305822763066214925451773296318672558187236612565325120642753196830552157255020582851246432532365305518"
    "77386722772669236022501569325723562849207728672063274918673357217232601862284818613049186428562172305816"
    "74286119793864206428562263285115612656147730612363345624643155186030481869315421673156246931512358275119"
    "68325923673357256730522363255019653052206234542359305118"
)
"""Length and width of sepals and petals in millimetres, two digits each, of 150 flowers.

R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7(2), 1936,
doi:10.1111/j.1469-1809.1936.tb02137.x, as distributed with scikit-learn.
"""


def five_features() -> LabData:
    """Return four samples of five features, in rows here, of which three components explain everything."""
    columns = [
        [2.3, 2.6, 1.5, 3.1],
        [4.9, 5.3, 3.2, 6.3],
        [5.1, 5.2, 4.9, 5.3],
        [8.2, 6.3, 7.4, 6.8],
        [4.4, 3.1, 3.6, 3.5],
    ]
    return LabData("Five features", ("x1", "x2", "x3", "x4", "x5"), np.array(columns).T.copy())


def three_prices() -> LabData:
    """Return the prices of three dishes in three years, which rise together: one component explains them."""
    prices = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])
    return LabData("Three prices", ("beans", "tacos", "carnitas"), prices, ("year 1", "year 2", "year 3"))


def two_units() -> LabData:
    """Return heights in centimetres and arm spans in feet: the unit decides, unless one standardises."""
    rows = [(158, 5.1), (163, 5.4), (167, 5.3), (170, 5.7), (174, 5.6), (178, 5.9), (183, 5.9), (189, 6.3)]
    return LabData("Two units", ("height, cm", "arm span, feet"), np.array(rows, np.float64))


def cross() -> LabData:
    """Return points on two axes, the longest of which lie across the axis of the largest variance."""
    rows = [(0, 3), (0, -3), *([(2, 0), (-2, 0)] * 10)]
    return LabData("Cross", ("x", "y"), np.array(rows, np.float64))


def iris() -> LabData:
    """Return the lengths and widths of sepals and petals of 150 flowers of three species, in centimetres."""
    digits = np.array([int(_IRIS[start : start + 2]) for start in range(0, len(_IRIS), 2)], np.float64)
    names = ("setosa", "versicolor", "virginica")
    return LabData(
        "Iris",
        ("sepal length", "sepal width", "petal length", "petal width"),
        digits.reshape(-1, 4) / 10,
        groups=tuple(name for name in names for _ in range(50)),
    )


def drawn() -> LabData:
    """Return a few points of two features, to which others are added by hand."""
    rows = [(-3, -2), (-2, -0.5), (-1, -1), (0, 0.5), (1, 0), (2, 1.5), (3, 1.5)]
    return LabData("Drawn by hand", ("x", "y"), np.array(rows, np.float64))


TABLES: dict[str, Callable[[], LabData]] = {
    "five-features": five_features,
    "three-prices": three_prices,
    "two-units": two_units,
    "cross": cross,
    "iris": iris,
}
"""The tables by name."""


def built_in(name: str) -> LabData:
    """Return a table by its name; raise DataError if there is none."""
    if name not in TABLES:
        raise DataError(f"There is no table {name!r}; there are {', '.join(TABLES)}.")
    return TABLES[name]()

"""Compressed images in memory: the parts of a file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.step import Step
from pcaimage.errors import DataError, SettingsError
from pcaimage.quality import MOST, white_of
from pcaimage.sampling import Bands, Lapped, Sampling, Shape, Stack

MAX_SLICES = 1024
"""Largest number of slices: a slice of a photo loads tables, which costs as much as thousands of scores."""

STACK_LINE = 1024  # images of a stack whose scores are in one line

MAX_MEAN_BITS, MAX_SCALE_BITS, MAX_PRECISION = 40, 24, 30
"""Most fractional bits of the mean's entries, of standard deviations, and of a component's entries."""


DEPENDENT, SHRUNK, REGIONS, WEIGHTED, ORDERED, TILED, NESTED, DRAWN = 1, 2, 4, 8, 16, 32, 64, 128
"""Tools of photos: dependent quantisation, shrinkage after decoding, steps by region, weights of frequencies
and channels, an order of components by the image's own spectrum, tiles that are coded by prediction among
pixels, constant components that are coded as a picture of their own, and tiles that are drawn from their
neighbours instead."""

TOOL_NAMES = {
    DEPENDENT: "dependent quantisation",
    SHRUNK: "shrinkage",
    REGIONS: "steps by region",
    WEIGHTED: "weights of frequencies and channels",
    ORDERED: "order of its own",
    TILED: "tiles coded among pixels",
    NESTED: "means as a picture of their own",
    DRAWN: "tiles drawn from their neighbours",
}
"""Names of the tools for people."""

STRENGTHS = 2
"""Strengths of each channel's shrinkage: of gains that photographs share, and of those that differ."""


@dataclass(frozen=True)
class Traits:
    """Properties of a compression method.

    Components are `separable` if they are products of a channel axis and one-dimensional bases, as many as
    features: files then hold these instead of a vector for each component. A `visual` method is meant for
    viewing: by default k follows from a step with little visible loss, rather than from a share of the
    variance. One that `leads_with_means` begins with components, one for each channel, that are the means of
    blocks, which make a thumbnail. Trials are costly where quantising takes as long as encoding, and
    estimates at fine steps are slow: searches then make few, and keep their results.
    """

    separable: bool = False
    visual: bool = False
    leads_with_means: bool = False
    costly_trials: bool = False
    lossless: bool = False  # a file may hold a residual that makes its reconstruction exact
    bounds_errors: bool = False  # the residual may instead bound the error of every value
    masks_missing: bool = False  # a file may mark missing data
    streams_lines: bool = False  # images are read and decoded in strips, large ones mapped from files
    absorbs_scale: bool = False  # components include the features' deviations, which are not stored


_PHOTO = Traits(separable=True, visual=True, leads_with_means=True, costly_trials=True, lossless=True)
_BANDS = Traits(lossless=True, bounds_errors=True, masks_missing=True, streams_lines=True, absorbs_scale=True)
_BLOCKS = Traits()


def traits_of(sampling: Sampling) -> Traits:
    """Return the traits of the method for a kind of samples."""
    if isinstance(sampling, Lapped):
        return _PHOTO
    return _BANDS if isinstance(sampling, Bands) else _BLOCKS


@dataclass(frozen=True)
class Header:
    """Shape, type, method and denominators: the information that decoding starts from."""

    shape: Shape  # (H, W, C), for a stack (N, H, W, C)
    dtype: str  # "uint8" or "uint16"; for many bands also "int16" or "float32"
    sampling: Sampling
    step: Step  # of the scores' quantiser
    mean_bits: int = 0  # fractional bits of the mean's entries, from 0 to 16; for many bands up to 40
    scale_bits: int | None = None
    """Fractional bits of the standard deviations; None if features are not standardised."""
    has_channel_axis: bool = True  # whether the array had one
    tables: int = 0  # version of the trained tables of a photo, from 0 to 255; 0 for the other methods
    tools: int = 0  # that a photo uses: bits of :data:`DEPENDENT` and others
    strengths: tuple[int, ...] = ()
    """Of shrinkage after decoding, STRENGTHS for each channel, in eighths from -16 to 16."""
    levels: int = 0  # number of levels of steps by region; 0 without that tool
    middle: int = 0  # the level of the step itself
    weights: tuple[int, ...] = ()
    """Of frequencies, from 0 to 32, and of each channel, from -32 to 32: see codec.photo.local_steps."""
    slopes: tuple[int, ...] = ()
    """By which variances of a photo's components fall, from -128 to 127: see photo.scores.ordering."""
    slice_rows: int = 0  # rows of blocks, for many bands lines, in a slice; 0 if there is one slice
    slice_columns: int = 0  # of many bands, in a slice; 0 if slices have whole lines
    value_bits: int = 0  # real values of many bands are multiples of 2^-value_bits; 0 for integers
    # What errors are relative to, see :func:`pcaimage.quality.white_of`; None if it is the largest value of
    # the type. Of many bands it is always known.
    largest: float | None = None

    @property
    def n_samples(self) -> int:
        """Rows of the sample matrix."""
        return self.sampling.n_samples(self.shape)

    @property
    def n_features(self) -> int:
        """Columns of the sample matrix."""
        return self.sampling.n_features(self.shape)

    @property
    def plane_shape(self) -> tuple[int, int]:
        """Lines of a plane of scores, and samples in each; of a stack the last line may be shorter."""
        if not isinstance(self.sampling, Stack):
            return self.sampling.grid(self.shape)
        columns = min(self.n_samples, STACK_LINE)
        return -(-self.n_samples // columns), columns

    @property
    def traits(self) -> Traits:
        """Properties of the method that compresses it."""
        return traits_of(self.sampling)

    @property
    def max_components(self) -> int:
        """Largest number of components that the image can have."""
        return self.n_features if self.traits.separable else min(self.n_samples, self.n_features)

    @property
    def can_be_lossless(self) -> bool:
        """Whether a file can restore every value exactly: real numbers are rounded."""
        return self.traits.lossless and self.dtype != "float32"

    @property
    def dependent(self) -> bool:
        """Whether a photo's scores are quantised dependently."""
        return bool(self.tools & DEPENDENT)

    @property
    def tool_names(self) -> list[str]:
        """Names of the tools that a photo uses, in the order of their bits."""
        return [name for tool, name in TOOL_NAMES.items() if self.tools & tool]

    @property
    def peak(self) -> float:
        """What errors are relative to: the white, the largest value that the data may have."""
        return int(np.iinfo(self.dtype).max) if self.largest is None else self.largest

    @property
    def white(self) -> int | None:
        """The white of values of 16 bits without sign; None for other types, and where all bits are used."""
        return int(self.peak) if self.dtype == "uint16" and self.peak < MOST else None

    @property
    def output_shape(self) -> Shape:
        """The shape of the array that decoding returns."""
        return self.shape if self.has_channel_axis else self.shape[:-1]

    @property
    def raw_bytes(self) -> int:
        """Size of the uncompressed image in bytes."""
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize


def header_of(array: NDArray[Any], sampling: Sampling, white: float | None = None) -> Header:
    """Return the header of an array that is to be compressed; `white` is as for :func:`.quality.white_of`."""
    if array.dtype not in (np.uint8, np.uint16):
        raise DataError(
            f"Numbers of type {array.dtype} are compressed by the method bands alone, as the bands of one "
            "image; this method takes uint8 or uint16."
        )
    full = 4 if isinstance(sampling, Stack) else 3
    if array.ndim not in {full - 1, full} or 0 in array.shape:
        raise DataError(f"An array of shape {array.shape} cannot be compressed by {type(sampling).__name__}.")
    has_channels = array.ndim == full
    shape = array.shape if has_channels else (*array.shape, 1)
    header = Header(shape, array.dtype.name, sampling, Step.nearest(1.0), has_channel_axis=has_channels)
    found = white_of(array, white)
    return header if found == header.peak else replace(header, largest=found)


@dataclass(frozen=True)
class Component:
    """One component as it is stored."""

    precision: int  # fractional bits of the vector's entries; 0 for a photo
    vector: bytes  # the coded entries; empty for a photo
    scores: bytes  # of all samples, coded; for a photo, their segment of the common stream


ID_BYTES = 16  # length of a basis identifier


@dataclass(frozen=True)
class BasisId:
    """The identifier of the basis of a model file."""

    digest: bytes  # the first 16 bytes of a SHA-256 of the model's basis
    components: int  # of the model

    def __str__(self) -> str:
        return self.digest.hex()


@dataclass(frozen=True)
class Metadata:
    """Information about an image that is stored unchanged.

    Parameters
    ----------
    name : str
        The original file's name.
    file_size : int or None
        The original file's size in bytes.
    icc_profile, exif : bytes or None
        As in the original file.
    bands : bytes or None
        Names and wavelengths of the bands, georeferencing; opaque to the codec.
    xmp, iptc : bytes or None
        As in the original file.
    timing : bytes or None
        Durations of the images of a stack; opaque to the codec.
    """

    name: str = ""
    file_size: int | None = None
    icc_profile: bytes | None = None
    exif: bytes | None = None
    bands: bytes | None = None
    xmp: bytes | None = None
    iptc: bytes | None = None
    timing: bytes | None = None


@dataclass(frozen=True, eq=False)
class Compressed:
    """A compressed image."""

    header: Header
    mean: bytes  # coded
    components: tuple[Component, ...]
    """In descending order of variance; any prefix is a valid compressed image."""
    scale: bytes | None = None  # the coded standard deviations of the features, if these are standardised
    spectrum: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """The explained variances of all components, not only of those kept, to about 1/3000."""
    alpha: NDArray[Any] | None = None  # the opacity, stored losslessly
    preview: NDArray[np.uint8] | None = None  # a thumbnail, shape (h, w, 1 or 3)
    metadata: Metadata = field(default_factory=Metadata)
    residual: bytes | None = None  # makes the reconstruction from all components exact, or bounds its error
    tiles: bytes | None = None  # the coded tiles of a photo that has such
    missing: bytes | None = None  # the coded mask of missing data of many bands
    basis: BasisId | None = None
    """The model file that holds mean, deviations and vectors; None if the image has its own."""
    lacks_basis: bool = False  # whether these must still be attached before decoding
    values: bytes | None = None  # how an array of another type or shape is in the image: see codec.values

    @property
    def k(self) -> int:
        """Number of components stored."""
        return len(self.components)

    @property
    def is_direct(self) -> bool:
        """Whether many bands are coded directly: the residual has all numbers, without components."""
        return self.header.traits.bounds_errors and bool((self.residual or b"\0")[0] & 1)

    def trimmed(self, k: int) -> Compressed:
        """Return the image with its first k components; nothing is coded again.

        A residual is dropped unless all components are kept. SettingsError if k is not from 0 to :attr:`k`.
        """
        if not 0 <= k <= self.k:
            raise SettingsError(f"The image has {self.k} components; {k} cannot be taken from it.")
        residual = self.residual if k == self.k else None
        return replace(self, components=self.components[:k], residual=residual)

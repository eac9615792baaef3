"""The contents of a file and the ways to read it, found without reading its pixels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.timing import Timing

ReadAs: TypeAlias = Literal["image", "bands", "stack"]
"""The (first) image, all planes as bands of one image, or each as an image of a stack."""


@dataclass(frozen=True)
class Reading:
    """One way to read a file."""

    kind: ReadAs  # the argument `as_` of :func:`pcaimage.imaging.read_image`
    axes: str  # of the stored array: Y rows, X columns, C bands or channels, any other letter images
    shape: tuple[int, ...]  # of the pixels after reading: (H, W, C), of a stack (N, H, W, C)

    @property
    def text(self) -> str:
        """Description of the result, such as ``"one image of 100 × 90 pixels with 198 bands"``."""
        height, width, channels = self.shape[-3:]
        images = f"{self.shape[0]:,} images" if self.kind == "stack" else "one image"
        bands = f" with {channels:,} {'channels' if channels <= 4 else 'bands'}" if channels > 1 else ""
        return f"{images} of {width:,} × {height:,} pixels{bands}"


class Offer(NamedTuple):
    """An array of a file, or a part of one: the argument `member` by which it is read, and a description."""

    member: str
    text: str


@dataclass(frozen=True)
class Contents:
    """The contents of a file or a folder."""

    name: str  # of the file, without its folder
    format: str  # TIFF, ENVI, NPY, NPZ, IDX, HDF5, NetCDF, MATLAB, FOLDER, or Pillow's name
    shape: tuple[int, ...]  # of the array as stored
    dtype: str  # as stored, such as "int16"
    readings: tuple[Reading, ...]  # the first is the default
    ambiguous: bool = False  # whether the file leaves open which of the readings is meant
    has_alpha: bool = False
    bands: BandInfo = field(default_factory=BandInfo)  # of the first reading
    file_size: int | None = None  # of ENVI header and values together; None for a folder
    members: tuple[str, ...] = ()  # the readable arrays of a file that has several; the first is the default
    labels: str | None = None  # where a stack's labels are: a file, or an array of the .npz
    timing: Timing | None = None  # of an animation, where the file tells it before it is decoded
    frames_missing: int = 0  # those of an animation that are damaged, or missing at its end
    axes: tuple[str, ...] = ()  # the names of the array's axes, where all have one
    offers: tuple[Offer, ...] = ()  # where only the user knows which is meant; the first is the default
    asks: str = ""  # what leaves open which of them is meant

    @property
    def default(self) -> Reading:
        """The reading that is used by default."""
        return self.readings[0]

    @property
    def kinds(self) -> tuple[ReadAs, ...]:
        """The kinds of its readings."""
        return tuple(each.kind for each in self.readings)

    def reading(self, as_: ReadAs | None) -> Reading | None:
        """Return the reading of a kind, by default the first; None if the file cannot be read that way.

        A file with a single reading also gives its image as bands, and as a stack of one.
        """
        if as_ is None:
            return self.default
        found = next((each for each in self.readings if each.kind == as_), None)
        if found is None and len(self.readings) == 1:
            only = self.default
            shape = (1, *only.shape) if as_ == "stack" else only.shape
            return Reading(as_, only.axes, shape) if len(only.shape) == 3 else None
        return found

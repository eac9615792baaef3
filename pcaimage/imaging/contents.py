"""The contents of a file and the ways to read it, found without reading its pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from pcaimage.imaging.bands import BandInfo

if TYPE_CHECKING:
    from pathlib import Path

    from pcaimage.imaging.timing import Timing

ReadAs: TypeAlias = Literal["image", "bands", "stack"]
"""The (first) image, all planes as bands of one image, or each as an image of a stack."""


@dataclass(frozen=True)
class Reading:
    """One way to read a file.

    Parameters
    ----------
    kind : {'image', 'bands', 'stack'}
        The argument `as_` of :func:`pcaimage.imaging.read_image`.
    axes : str
        Meaning of each axis of the stored array: ``Y`` rows, ``X`` columns, ``C`` bands or channels, any
        other letter images.
    shape : tuple of int
        Shape of the pixels after reading: (H, W, C), of a stack (N, H, W, C).
    """

    kind: ReadAs
    axes: str
    shape: tuple[int, ...]

    @property
    def text(self) -> str:
        """Description of the result, such as ``"one image of 100 × 90 pixels with 198 bands"``."""
        height, width, channels = self.shape[-3:]
        images = f"{self.shape[0]:,} images" if self.kind == "stack" else "one image"
        bands = f" with {channels:,} {'channels' if channels <= 4 else 'bands'}" if channels > 1 else ""
        return f"{images} of {width:,} × {height:,} pixels{bands}"


@dataclass(frozen=True)
class Contents:
    """The contents of a file or a folder.

    Parameters
    ----------
    name : str
        Name of the file, without its folder.
    format : str
        ``"TIFF"``, ``"ENVI"``, ``"NPY"``, ``"NPZ"``, ``"IDX"``, ``"HDF5"``, ``"NetCDF"``, ``"MATLAB"``,
        ``"FOLDER"``, or Pillow's name.
    shape : tuple of int
        Shape of the array as stored.
    dtype : str
        Its type as stored, such as ``"int16"``.
    readings : tuple of Reading
        The ways to read the file; the first is the default.
    ambiguous : bool
        Whether the file leaves open which of the readings is meant.
    has_alpha : bool
        Whether reading yields an alpha plane.
    bands : BandInfo
        Metadata of the bands of the first reading.
    file_size : int, optional
        Bytes of the file, of ENVI header and values together; None for a folder.
    members : tuple of str
        The readable arrays of a file that has several; the first is the default.
    labels : Path or str or None
        Where a stack's labels are: a file, or an array of the ``.npz``.
    mappable : bool
        Whether the pixels can stay in the file instead of being read into memory.
    timing : Timing, optional
        Durations of an animation's frames, where the file tells them before it is decoded.
    frames_missing : int
        The number of frames of an animation that are damaged, or missing at its end.
    """

    name: str
    format: str
    shape: tuple[int, ...]
    dtype: str
    readings: tuple[Reading, ...]
    ambiguous: bool = False
    has_alpha: bool = False
    bands: BandInfo = field(default_factory=BandInfo)
    file_size: int | None = None
    members: tuple[str, ...] = ()
    labels: Path | str | None = None
    mappable: bool = False
    timing: Timing | None = None
    frames_missing: int = 0

    @property
    def default(self) -> Reading:
        """The reading that is used by default."""
        return self.readings[0]

    @property
    def kinds(self) -> tuple[ReadAs, ...]:
        """The kinds of its readings."""
        return tuple(each.kind for each in self.readings)

    @property
    def question(self) -> str:
        """The question for the user if the file is ambiguous, otherwise empty."""
        if not self.ambiguous:
            return ""
        planes = math.prod(self.shape) // max(1, math.prod(self.default.shape[-3:-1]))
        height, width = self.default.shape[-3:-1]
        return (
            f"{self.name} holds {planes:,} planes of {width:,} × {height:,} values. "
            "Are they the bands of one image, or images?"
        )

    def reading(self, as_: ReadAs | None) -> Reading | None:
        """Return the reading of a kind.

        Parameters
        ----------
        as_ : {'image', 'bands', 'stack'} or None
            The kind; None for the default. A file with a single reading also gives its image as bands, and as
            a stack of one.

        Returns
        -------
        Reading or None
            None if the file cannot be read that way.
        """
        if as_ is None:
            return self.default
        found = next((each for each in self.readings if each.kind == as_), None)
        if found is None and len(self.readings) == 1:
            only = self.default
            shape = (1, *only.shape) if as_ == "stack" else only.shape
            return Reading(as_, only.axes, shape) if len(only.shape) == 3 else None
        return found

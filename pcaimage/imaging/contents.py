"""What a file holds, and in which ways it can be read, told without reading its pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from pcaimage.imaging.bands import BandInfo

if TYPE_CHECKING:
    from pathlib import Path

ReadAs: TypeAlias = Literal["image", "bands", "stack"]
"""The (first) image, all planes as bands of one image, or each as an image of a stack."""


@dataclass(frozen=True)
class Reading:
    """One way to read a file.

    Parameters
    ----------
    kind : {'image', 'bands', 'stack'}
        What :func:`pcaimage.imaging.read_image` takes as `as_`.
    axes : str
        What each axis of the stored array is: ``Y`` rows, ``X`` columns, ``C`` bands or channels, any other
        letter images.
    shape : tuple of int
        Of the pixels after reading: (H, W, C), for a stack (N, H, W, C).
    """

    kind: ReadAs
    axes: str
    shape: tuple[int, ...]

    @property
    def text(self) -> str:
        """What it gives, such as ``"one image of 100 × 90 pixels with 198 bands"``."""
        height, width, channels = self.shape[-3:]
        images = f"{self.shape[0]:,} images" if self.kind == "stack" else "one image"
        bands = f" with {channels:,} {'channels' if channels <= 4 else 'bands'}" if channels > 1 else ""
        return f"{images} of {width:,} × {height:,} pixels{bands}"


@dataclass(frozen=True)
class Contents:
    """What a file, or a folder, holds.

    Parameters
    ----------
    name : str
        The file's name without its folder.
    format : str
        ``"TIFF"``, ``"ENVI"``, ``"NPY"``, ``"NPZ"``, ``"IDX"``, ``"FOLDER"``, or as Pillow names it.
    shape : tuple of int
        Of the array as it is stored.
    dtype : str
        Its type as it is stored, such as ``"int16"``.
    readings : tuple of Reading
        The ways to read it, the one that is taken when none is asked for first.
    ambiguous : bool
        Whether the file does not say which of the readings is meant.
    has_alpha : bool
        Whether reading gives an alpha plane.
    bands : BandInfo
        What is known of the bands of the first reading.
    file_size : int, optional
        Bytes of the file, with ENVI of header and pixels; None for a folder.
    members : tuple of str
        The arrays of an ``.npz`` that can be read; the first is taken when none is asked for.
    labels : Path or str or None
        Where a stack's labels are: a file, or an array of the ``.npz``.
    mappable : bool
        Whether the pixels can stay in the file instead of being read into memory.
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

    @property
    def default(self) -> Reading:
        """The reading that is taken when none is asked for."""
        return self.readings[0]

    @property
    def question(self) -> str:
        """What to ask the user when the file is ambiguous, otherwise empty."""
        if not self.ambiguous:
            return ""
        planes = math.prod(self.shape) // max(1, math.prod(self.default.shape[-3:-1]))
        height, width = self.default.shape[-3:-1]
        return (
            f"{self.name} holds {planes:,} planes of {width:,} × {height:,} values. "
            "Are they the bands of one image, or images?"
        )

    def reading(self, as_: ReadAs | None) -> Reading | None:
        """Return the way to read it that is asked for.

        Parameters
        ----------
        as_ : {'image', 'bands', 'stack'} or None
            The kind; None for the default. A file that can be read in one way only gives its image as bands
            too, and as a stack of one.

        Returns
        -------
        Reading or None
            None when the file cannot be read so.
        """
        if as_ is None:
            return self.default
        found = next((each for each in self.readings if each.kind == as_), None)
        if found is None and len(self.readings) == 1:
            only = self.default
            shape = (1, *only.shape) if as_ == "stack" else only.shape
            return Reading(as_, only.axes, shape) if len(only.shape) == 3 else None
        return found

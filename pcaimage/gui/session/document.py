"""The open document: an image, or a compressed file without its original. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.api import CompressedImage, timing_of
from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.errors import ImageError
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.display import MANY, Display, Layers, Look, display_of, first_look
from pcaimage.imaging import BandInfo, Image, ReadAs, Timing
from pcaimage.imaging.image.formats import SUFFIXES, title_of
from pcaimage.imaging.measures.screen_colours import ScreenColours
from pcaimage.insight.bands import TRUE_COLOUR, BandNames, ranked_bands, sample_pixels
from pcaimage.machine.handover import PART

_FEW = 16  # the number of components of a compressed file that black and white are found from


@dataclass(frozen=True)
class KnownBands:
    """A file's metadata of its bands.

    `nodata` is the value of pixels that were not measured, `shown` the bands to show first, counted from 0.
    """

    names: BandNames
    nodata: float | None = None
    shown: tuple[int, ...] = ()
    info: BandInfo = field(default_factory=BandInfo)


def known_of(image: Image | None, channels: int, file: CompressedImage | None = None) -> KnownBands:
    """Return the metadata of the bands of an image, or of a compressed file if the original is None."""
    source = file if image is None else image
    info = BandInfo() if source is None else source.bands
    return KnownBands(BandNames(channels, info.nanometres, info.names), info.nodata, info.shown, info)


def missing_of(pixels: NDArray[Any], nodata: float | None) -> NDArray[np.bool_] | None:
    """Return the mask, shape (H, W), of pixels with missing bands; None if there are none."""
    if nodata is None and pixels.dtype.kind != "f":
        return None
    found = np.zeros(pixels.shape[:2], bool)
    for row, line in enumerate(pixels):
        if pixels.dtype.kind == "f":
            found[row] = ~np.isfinite(line).all(axis=-1)
        if nodata is not None:
            found[row] |= (line == nodata).any(axis=-1)
    return found if found.any() else None


@dataclass(frozen=True, eq=False)
class Document:
    """An open image."""

    name: str
    path: Path | None = None  # the file or folder that it was opened from; None if there is none
    image: Image | None = None  # the original; None for a compressed file
    compressed: CompressedImage | None = None  # the compressed file; None if there is an original
    inputs: tuple[Path, ...] = ()
    """The files, or the folder of images, that were read; they must never be overwritten."""
    images_in_file: int = 1
    """Number of images in the file, of which one is open: frames of an animation, or pages."""
    image_in_file: int = 0  # the number of the open one
    member: str = ""  # the array of the file that was chosen
    others: tuple[ReadAs, ...] = ()  # other readings of its file, where that leaves open which is meant
    seal: tuple[int, ...] = ()
    """Length and time of change of the files when they were opened: for others no settings hold."""
    damaged: bool = False  # whether it is an animation of which only the first frames are intact
    _conversions: dict[bytes | None, ScreenColours | None] = field(
        default_factory=dict, init=False, repr=False
    )
    """The conversions that were asked for, by the screen's profile."""

    @property
    def source(self) -> str:
        """What it is opened by again: its path, and the array that was chosen."""
        return PART.join(filter(None, (str(self.path), self.member)))

    @property
    def shape(self) -> tuple[int, ...]:
        """(H, W, C), for a stack (N, H, W, C)."""
        if self.image is not None:
            return self.image.pixels.shape
        return self._file.compressed.header.shape

    @property
    def frames(self) -> int:
        """The number of images."""
        return self.shape[0] if len(self.shape) == 4 else 1

    @property
    def labels(self) -> NDArray[Any] | None:
        """A label for each image of a stack, shape (N,), where they are known."""
        return None if self.image is None else self.image.labels

    @cached_property
    def timing(self) -> Timing | None:
        """The durations of a stack's images; None if it is no animation."""
        return self.image.timing if self.image is not None else timing_of(self._file.compressed)

    @property
    def is_stack(self) -> bool:
        """Whether it is a stack of images."""
        return len(self.shape) == 4

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that it allows, the best first."""
        if self.is_stack:
            return ("stack",)
        if self.dtype.kind != "u":
            return ("bands",)
        return (
            ("photo", "blocks", "channels")
            if self.shape[-1] <= MOST_PHOTO_CHANNELS
            else ("bands", "channels", "blocks")
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values."""
        if self.image is not None:
            return self.image.pixels.dtype
        return np.dtype(self._file.compressed.header.dtype)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.shape[-2], self.shape[-3]

    @property
    def raw_bytes(self) -> int:
        """The size of its uncompressed values in bytes."""
        if self.image is not None:
            return self.image.raw_bytes
        return self._file.compressed.header.raw_bytes

    @property
    def file_size(self) -> int | None:
        """The size of the original file in bytes, or an image's share if it has several; None if unknown."""
        if self.image is not None:
            whole = self.image.file_size
            return None if whole is None else max(1, whole // self.images_in_file)
        return self._file.compressed.metadata.file_size

    @property
    def format(self) -> str:
        """The format of the original file, such as PNG; empty if it has none."""
        return self.image.format if self.image is not None else "PCAI"

    @property
    def original_words(self) -> str:
        """Words for what sizes are compared with: the original file, or an image's share of it."""
        kind = "" if self.image is None else title_of(self.image.format)
        part = f"a {self.image_word} of " if self.images_in_file > 1 else ""
        return f"{part}the original {kind}".rstrip()

    @property
    def image_word(self) -> str:
        """The word for one of the images in its file."""
        return "page" if self.format == "TIFF" else "frame"

    @property
    def icc_profile(self) -> bytes | None:
        """The colour profile; None if there is none."""
        return (
            self.image.icc_profile if self.image is not None else self._file.compressed.metadata.icc_profile
        )

    @property
    def deep(self) -> bool:
        """Whether its values have more than 8 bits."""
        return self.dtype.itemsize > 1

    @property
    def bits(self) -> str:
        """The bits of its values in words, if they are more than 8, or were in the file."""
        count = 8 * self.dtype.itemsize
        known = self.dtype == np.uint16 and (self.image is None or not self.image.is_mapped)
        used = int(self.white).bit_length() if known else count  # it takes a while to find in a mapped image
        count = (self.image and self.image.stored_bits) or count
        return f"{used} of {count} bits" if used < count else f"{count} bits" if self.deep else ""

    @property
    def white(self) -> float:
        """What its errors are relative to, and what is shown as white unless it is dim."""
        return self._file.compressed.header.peak if self.image is None else self.image.peak

    @property
    def suggested_name(self) -> str:
        """The original's name without its suffix."""
        return Path(self.name).stem or "image"

    @property
    def many_bands(self) -> bool:
        """Whether it has more channels than a colour image."""
        return self.shape[-1] >= MANY

    @cached_property
    def bands(self) -> KnownBands:
        """The metadata of its bands: names, wavelengths, the no-data value."""
        known = known_of(self.image, self.shape[-1], self.compressed)
        if not self.many_bands or known.shown or known.names.like(TRUE_COLOUR):
            return known
        ranked = ranked_bands(self.fair_pixels, known.nodata)
        return replace(known, names=replace(known.names, ranked=ranked))

    @property
    def look(self) -> Look:
        """The bands that are shown at first."""
        return first_look(self.bands.names, self.bands.shown)

    @cached_property
    def fair_pixels(self) -> NDArray[Any]:
        """The pixels, of shape (..., C), that black and white are found from."""
        if self.image is not None:
            return self.image.pixels
        return sample_pixels(self._file.decode(min(_FEW, self._file.k)))

    @cached_property
    def display(self) -> Display:
        """The initial display."""
        if self.many_bands:
            return display_of(self.look, self.bands.names, self.fair_pixels, self.bands.nodata)
        if self.image is not None:
            return Display.of(self.image.pixels, self.white)
        header = self._file.compressed.header
        if header.dtype == "uint8":
            return Display.of(np.zeros((1, header.shape[-1]), np.uint8))
        return Display.of(self._file.decode(min(3, self._file.k)), self.white)

    def colours(self, screen: bytes | None = None) -> ScreenColours | None:
        """Return the conversion of its pictures to the colours of a screen with some ICC profile, or sRGB.

        None where they are those of the screen; bands have no colours of their own.
        """
        if screen not in self._conversions:
            found = None if self.many_bands else ScreenColours.of(self.icc_profile, self.shape[-1], screen)
            self._conversions[screen] = found
        return self._conversions[screen]

    def on_screen(self, picture: Picture, screen: bytes | None = None) -> Picture:
        """Return a picture of it in the colours of a screen with some ICC profile, or in sRGB."""
        colours = self.colours(screen)
        if colours is None:
            return picture
        return replace(picture, pixels=colours.applied(picture.pixels), unmanaged=picture.pixels)

    def layers(self, frame: int) -> Layers:
        """Return the original of a frame in all sizes; raises ImageError if there is none."""
        if self.image is None:
            raise ImageError("A compressed file has no original.")
        return self.layers_of(self.image.pixels, frame)

    def layers_of(self, pixels: NDArray[Any], frame: int) -> Layers:
        """Return an image of this document's shape in all sizes, with the document's opacity."""
        shown = pixels[frame] if self.is_stack else pixels
        return Layers(shown, self.display, self.opacity(frame))

    def opacity(self, frame: int) -> NDArray[Any] | None:
        """Return the opacity of a frame, of shape (H, W); None if all of it is opaque."""
        alpha = self.image.alpha if self.image is not None else self._file.compressed.alpha
        return alpha[frame] if alpha is not None and self.is_stack else alpha

    def is_input(self, path: Path) -> bool:
        """Return whether writing to a path would overwrite an input."""
        in_folder = path.suffix.lower() in SUFFIXES and _same_file(path, path)
        return any(
            _same_file(path, known) or (in_folder and _same_file(path.parent, known)) for known in self.inputs
        )

    @property
    def _file(self) -> CompressedImage:
        if self.compressed is None:
            raise ImageError("Nothing is open.")
        return self.compressed


def _same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # one of them does not exist, or the disk fails
        return False

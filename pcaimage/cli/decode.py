"""``pcaimage decode``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.api import CompressedImage
from pcaimage.api.parts import Window
from pcaimage.cli import files
from pcaimage.cli.commands import DecodeCommand, adaptation_of
from pcaimage.cli.declared import UsageError, as_usage
from pcaimage.cli.formatting import size_text
from pcaimage.cli.terminal import progress_bar, say, warn
from pcaimage.errors import ImageError, ModelError
from pcaimage.imaging import BandInfo, Image, Limits, write_image
from pcaimage.imaging.disk.atomic import atomic_write
from pcaimage.imaging.georeference.geo import beside, lost_text, place_of, write_world_file
from pcaimage.imaging.image.formats import ANIMATIONS, SEVERAL, files_of, format_of_path, resolve_quality
from pcaimage.imaging.image.image import ImageStream
from pcaimage.progress import Progress, overlapping, part

if TYPE_CHECKING:
    from pcaimage.imaging.writing.adapt import Adaptation

DECODING = 0.8  # share of decoding in the work, relative to writing the result

SALVAGE_HINT = "--salvage uses the intact components."
NOTHING_INTACT = "no component is intact."


def decode(given: DecodeCommand) -> None:
    """Write the image in a ``.pcai`` file in another format, which follows from the target's suffix."""
    _check_contradictions(given)
    if not given.split_bands and given.target != files.STANDARD:
        for path in (given.target, *(beside(given.target) if given.world_file else ())):
            files.check_output(path, overwrite=given.overwrite)
    with as_usage():
        if not given.split_bands and given.target != files.STANDARD:
            resolve_quality(format_of_path(given.target), given.quality)
        suffix = None if given.kind is None else _suffix_of(given.kind)
        adaptation = adaptation_of(given.resize, given.strip, srgb=given.srgb)
    limits, parts = files.limits_of(given.limit), bool(given.window or given.bands)
    with files.source_file(given.source, compressed=True, limits=limits, parts=parts) as file:
        hint = NOTHING_INTACT if given.salvage else SALVAGE_HINT
        opened = files.open_compressed(file, salvage=given.salvage, hint=hint, limits=limits, parts=parts)
        with files.naming(file):
            opened = _with_model(opened, given.model, limits)
        wanted = suffix or _usual_suffix(opened)
        with files.target_file(given.target, wanted, overwrite=given.overwrite) as path:
            if given.world_file and place_of(opened.bands).transform is None:
                raise ImageError(f"{file.name} is not georeferenced, so there is no world file to write.")
            work = _Work(given, opened, file.name, adaptation)
            text = work.split(path) if given.split_bands else work.write(path)
            name = path.stem if given.target == files.STANDARD else given.target.name
            say(f"{name}: {text} in {file.name}", aside=given.target == files.STANDARD)


def _check_contradictions(given: DecodeCommand) -> None:
    """Raise UsageError for options that do not go with each other, or with the target."""
    piped, split = given.target == files.STANDARD, given.split_bands
    if given.kind is not None and not piped:
        raise UsageError("--format is for standard output; the ending of a file's name says its format.")
    if split and piped:
        raise UsageError("--split-bands writes a folder of files; standard output is one.")
    if given.frame is not None and (given.window or given.bands):
        raise UsageError("--window and --bands are parts of all images; --frame writes one, whole.")
    if given.world_file and (split or given.strip is not None or piped):
        raise UsageError("--world-file writes the place of one image beside its file.")


@dataclass(frozen=True)
class _Work:
    """What was asked for, the file to decode, its name, and changes before writing, None for none."""

    given: DecodeCommand
    opened: CompressedImage
    name: str
    adaptation: Adaptation | None

    def write(self, target: Path) -> str:
        """Write the image while it is decoded, and return its figures as text."""
        form = format_of_path(target)
        all_of_it = self.given.frame is None and not self._part
        whole = all_of_it and self.adaptation is None
        other = self.opened.values is not None
        if whole and form.name == "NPY" and (other or not self.opened.outline.header.has_channel_axis):
            return self._array(target)
        with progress_bar(f"Decoding {self.name}") as progress, files.naming(Path(self.name)):
            decoding, writing = overlapping(progress, DECODING)
            # Numbers that a TIFF has, but no picture.
            wide = form.name == "TIFF" and self.opened.dtype.itemsize >= 4 and self.opened.ndim in (2, 3)
            if other and whole and (wide or form.name == "OME-Zarr"):
                image = self._numbers(self.opened.decode(self.given.k, progress=decoding), form.name)
            elif all_of_it and (self.adaptation is None or self.adaptation.keeps_pixels):
                image = self._stripped(self.opened.stream(self.given.k, progress=decoding))
            else:
                image = ImageStream.of(self._image(decoding))
            write_image(
                target,
                image,
                writing,
                quality=self.given.quality,
                compression=self.given.compression,
                overwrite=self.given.overwrite,
            )
        if image.timing is not None and form.name not in ANIMATIONS:
            warn(f"{form.title} keeps the {image.frames:,} frames, but not how long they are shown.")
        if self.opened.dtype.kind == "f" and image.dtype.itemsize < (stored := self.opened.dtype).itemsize:
            warn(f"Real numbers of {8 * stored.itemsize} bits become 32; whole .npy, .tif, .zarr keep all.")
        written = files_of(target)
        if self.given.world_file:
            written += write_world_file(target, image.bands, overwrite=self.given.overwrite)
        elif lost := lost_text(image.bands, form.name, form.title):
            warn(lost if form.name == "ENVI" else f"{lost} --world-file writes it beside the image.")
        return self._figures(written, image)

    def _array(self, target: Path) -> str:
        """Write an array that is no image, or one without channels, as it was."""
        with progress_bar(f"Decoding {self.name}") as progress, files.naming(Path(self.name)):
            array = self.opened.decode(self.given.k, progress=progress)
        atomic_write(target, lambda file: np.save(file, array), overwrite=self.given.overwrite)
        used = self.opened.k if self.given.k is None else self.given.k
        size = size_text(target.stat().st_size)
        return f"{array.dtype} {array.shape}, {size}; k = {used} of {self.opened.k}"

    def _numbers(self, array: NDArray[Any], form: str) -> ImageStream:
        """Return an array as an image of numbers of its own type."""
        values, bands = self.opened.values, self.opened.bands
        if array.ndim > 2 and values is not None:
            array = np.moveaxis(array, values.axis, -1)
        array = array if array.ndim > 2 else np.atleast_2d(array)[..., None]
        if array.ndim > 4 or not array.size or (array.dtype.kind == "c" and form != "TIFF"):
            raise ImageError(f"{array.dtype} of shape {array.shape} is no image; decode it to .npy.")
        name = self.opened.outline.metadata.name
        return ImageStream(array.shape, array.dtype, (each for each in [array]), name=name, bands=bands)

    def split(self, folder: Path) -> str:
        """Write each band to a file of its own, and return the image's figures as text."""
        with progress_bar(f"Decoding {self.name}") as progress:
            decoding = part(progress, 0.0, 0.5)
            with files.naming(Path(self.name)):
                image = self._image(decoding)
            from pcaimage.imaging.writing.folder_write import write_bands  # noqa: PLC0415 - seldom wanted

            written = write_bands(folder, image, part(progress, 0.5, 1.0), overwrite=self.given.overwrite)
        return self._figures(written, image)

    def _image(self, progress: Progress) -> Image:
        """Decode the image, or the part of it that is wanted, and adapt it."""
        if self._part:
            image = self.opened.part_image(self._window(), self.given.k, progress=progress)
        elif self.given.frame is None:
            image = self.opened.image(self.given.k, progress=progress)
        else:
            image = self.opened.frame(self.given.frame - 1, self.given.k, progress=progress)
        return image if self.adaptation is None else self.adaptation.apply(image)

    @property
    def _part(self) -> bool:
        return bool(self.given.window or self.given.bands)

    def _window(self) -> Window:
        """Return which part is wanted."""
        shape, has_axis = self.opened.shape, self.opened.outline.header.has_channel_axis
        if (values := self.opened.values) is not None:
            shape, has_axis = (1, 1, *values.sides)[-max(2, len(shape)) :], len(shape) > 2
        key = (..., *(self.given.window or (slice(None),) * 2), *(slice(None),) * has_axis)
        found = Window.of_key(key, shape)[0]
        bands = tuple(band - 1 for band in self.given.bands or ())
        if bands and not has_axis:
            raise UsageError("The image has no bands to choose from.")
        return replace(found, bands=bands or None)

    def _stripped(self, image: ImageStream) -> ImageStream:
        """Remove metadata from an image that is not yet decoded."""
        if self.adaptation is None:
            return image
        from pcaimage.imaging.writing.adapt import strip_metadata  # noqa: PLC0415 - most images keep theirs

        return strip_metadata(image, self.adaptation.strip)

    def _figures(self, written: Sequence[Path], image: Image | ImageStream) -> str:
        opened, used = self.opened, self.opened.k if self.given.k is None else self.given.k
        if opened.damaged:
            warn(f"{self.name} is damaged; its first {opened.k} components are intact, and {used} were used.")
        bands = opened.outline.metadata.bands
        if bands and not BandInfo.from_bytes(bands):
            warn(
                f"The description of the bands in {self.name} is damaged and was left out; pixels are not "
                "affected."
            )
        size = size_text(sum(path.stat().st_size for path in written))
        several = f"{len(written)} files, " if len(written) > 1 else ""
        frames = f"{image.frames} × " if image.is_stack else ""
        return f"{several}{frames}{image.width} × {image.height}, {size}; k = {used} of {opened.k}"


def _suffix_of(kind: str) -> str:
    """Return the suffix of a single-file format."""
    found = format_of_path(f"image.{kind.removeprefix('.')}")
    if found.name in SEVERAL:
        raise UsageError(
            f"{found.title} is several files, which standard output cannot hold; use TIFF or NPY."
        )
    return found.suffixes[0]


def _usual_suffix(opened: CompressedImage) -> str:
    """Return the suffix of PNG if it can store the image, otherwise of TIFF; of NPY for other arrays."""
    if opened.values is not None:
        return ".npy"
    header = opened.outline.header
    simple = len(header.shape) == 3 and header.shape[-1] in {1, 3} and header.dtype in {"uint8", "uint16"}
    return ".png" if simple else ".tif"


def _with_model(opened: CompressedImage, model: Path | None, limits: Limits | None) -> CompressedImage:
    """Add the basis from a model file, if there is one."""
    wanted = opened.outline.basis
    if model is not None:
        return opened.with_model(files.open_compressed(model, limits=limits))
    if wanted is not None:
        raise ModelError(f"The basis is in a model file with the id {wanted}; name that file with --model.")
    return opened

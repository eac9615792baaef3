"""Recipes: how an image becomes an output, the same for all images of a batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pcaimage.batching.record import digest_of_files, digest_of_text
from pcaimage.codec.settings import Settings
from pcaimage.errors import FormatError, ImageError, SettingsError
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.imaging.image.formats import format_named, format_of_path, resolve_quality
from pcaimage.progress import Progress, no_progress, part
from pcaimage.quality import psnr_of_mse
from pcaimage.sampling import Stack
from pcaimage.signature import SUFFIX, is_compressed

# ruff: noqa: PLC0415 - the process that plans and waits needs neither codec nor formats

if TYPE_CHECKING:
    from pcaimage.api import CompressedImage
    from pcaimage.api.presets import Preset
    from pcaimage.imaging import Image, Limits, ReadAs
    from pcaimage.imaging.writing.adapt import Adaptation

Tell: TypeAlias = Callable[[str], object]
"""A function that takes a sentence about an image that was processed all the same."""


def _ignored(_sentence: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Compress:
    """Compress images into ``.pcai`` files."""

    settings: Settings = field(default_factory=Settings)
    read_as: ReadAs | None = None  # by default as each file says
    model: str | None = None  # a ``.pcai`` file whose components are used, and not stored
    limits: Limits | None = None
    preset: Preset | None = None  # applies to what the settings leave open

    @property
    def suffix(self) -> str:
        """The extension of outputs."""
        return SUFFIX

    def key(self) -> str:
        """Return a digest of everything that outputs depend on; ImageError if the model cannot be read."""
        settings = replace(self.settings, leave_out=tuple(sorted(self.settings.leave_out)))
        return digest_of_text(
            repr(("compress", settings, self.preset, self.read_as, _model_digest(self.model)))
        )

    def make(
        self, source: Path, target: Path, progress: Progress = no_progress, tell: Tell = _ignored
    ) -> float | None:
        """Compress an image into a file, and return its PSNR in decibels.

        `tell` is called with a sentence if bits of the image's values were not read, and if nothing is lost
        though that was not asked for.
        """
        from pcaimage import api

        image, settings = self._read_by_preset(source)
        if image.caveat:
            tell(image.caveat)
        lender = (
            None if self.model is None else _model(self.model, _stamp(self.model), self.limits).compressed
        )
        if lender is not None:
            settings = settings.sampled_by(lender.header.sampling)
        coded = api.compressing_share(image.pixels, settings)
        encoding = api.compress_image(
            image, settings, progress=part(progress, 0.0, coded), model=lender, checked=True
        )
        if exact := api.exact_text(encoding, settings):
            tell(exact)
        error = encoding.mean_squared_error(image.pixels)
        api.save_encoding(target, encoding, progress=part(progress, coded, 1.0))
        return psnr_of_mse(error, encoding.compressed.header.peak)

    def _read_by_preset(self, source: Path) -> tuple[Image, Settings]:
        if self.preset is None:
            return self._read(source, self.settings)
        image, settings = self._read(source, self.preset.completed(self.settings))
        return image, self.preset.applied(settings, image.pixels.shape, image.pixels.dtype, image.peak)

    def _read(self, source: Path, settings: Settings) -> tuple[Image, Settings]:
        from pcaimage import imaging

        if is_compressed(source):
            raise ImageError(f"{source.name} is already compressed.")
        as_ = self.read_as
        if isinstance(settings.sampling, Stack):
            if as_ == "bands":
                raise SettingsError("A stack has several images; as bands there is only one.")
            return imaging.read_stack(source, limits=self.limits), settings
        contents = imaging.inspect(source) if as_ is None else None
        kind = as_ if contents is None else contents.default.kind
        if kind == "stack" and settings.sampling is not None:
            raise SettingsError(
                f"{source.name} holds several images; they are a stack, or the bands of one image."
            )
        image = imaging.read_image(source, limits=self.limits, as_=as_, contents=contents)
        return image, replace(settings, sampling=Stack()) if image.is_stack else settings


@dataclass(frozen=True)
class Export:
    """Convert images, including ``.pcai`` files, to another format.

    ImageError if the format cannot be written, SettingsError if the quality is out of range.
    """

    format: str  # its name or extension, such as ``"jpeg"`` or ``".png"``
    quality: float | None = None  # this and the next as for :func:`pcaimage.imaging.write_image`
    compression: int | None = None
    adaptation: Adaptation | None = None  # changes of size, colours and metadata
    model: str | None = None  # the model file of images whose basis is in one
    limits: Limits | None = None
    most: int | None = None  # bytes of a file; the quality is lowered until it fits

    def __post_init__(self) -> None:
        if format_named(self.format).name == "OME-Zarr":
            raise ImageError("OME-Zarr is a folder, which batches do not write; use decode.")
        resolve_quality(format_named(self.format), self.quality)

    @property
    def suffix(self) -> str:
        """The extension of outputs."""
        return format_named(self.format).suffixes[0]

    def key(self) -> str:
        """Return a digest of everything that outputs depend on."""
        what = format_named(self.format).name, self.quality, self.compression, self.adaptation, self.most
        return digest_of_text(repr(("export", *what, _model_digest(self.model))))

    def make(
        self, source: Path, target: Path, progress: Progress = no_progress, tell: Tell = _ignored
    ) -> float | None:
        """Write an image to a file; return None, as no PSNR is measured."""
        from pcaimage import imaging
        from pcaimage.imaging.georeference.geo import lost_text

        image, last = self.image(source, part(progress, 0.0, 0.5), tell), part(progress, 0.5, 1.0)
        if self.most is None:
            quality, level = self.quality, self.compression
            imaging.write_image(target, image, last, quality=quality, compression=level, format=self.format)
        else:
            atomic_write_bytes(target, self._within(image, self.most, last), overwrite=False)
        form = format_of_path(target)
        if lost := lost_text(image.bands, form.name, form.title):
            tell(f"{source.name}: {lost}")
        return None

    def image(self, source: Path, progress: Progress = no_progress, tell: Tell = _ignored) -> Image:
        """Read an image, and adapt it."""
        image = self._read(source, progress)
        if image.caveat:
            tell(image.caveat)
        return image if self.adaptation is None else self.adaptation.apply(image)

    def _within(self, image: Image, most: int, progress: Progress) -> bytes:
        """Encode an image, and again at lower qualities if its file has more than so many bytes."""
        from pcaimage import imaging

        data = imaging.encode_image(image, self.format, self.quality, self.compression, progress)
        if len(data) > most and self.quality is not None and self.quality > 1:
            lower = 1, math.ceil(self.quality) - 1
            _, data = imaging.Trials(image).fitted(format_named(self.format), most, lower)
        if len(data) > most:
            raise ImageError(
                f"{image.name} takes {len(data):,} bytes at least, where {most:,} are allowed; "
                "allow more, or make pictures smaller."
            )
        return data

    def _read(self, source: Path, progress: Progress) -> Image:
        if not is_compressed(source):
            from pcaimage import imaging

            return imaging.read_image(source, limits=self.limits)
        from pcaimage import api

        try:
            opened = api.open_file(source, limits=self.limits)
            if self.model is not None and opened.compressed.basis is not None:
                opened = opened.with_model(_model(self.model, _stamp(self.model), self.limits))
            return opened.image(progress=progress)
        except FormatError as error:
            raise FormatError(f"{source.name}: {error.message}", error.offset) from error


Recipe: TypeAlias = Compress | Export


def _stamp(path: str) -> tuple[int, int]:
    """Return a stamp that changes with a file, so that workers reload a model that has changed."""
    found = Path(path).stat()
    return found.st_size, found.st_mtime_ns


@lru_cache(1)
def _model(path: str, _stamp: tuple[int, int], limits: Limits | None) -> CompressedImage:
    from pcaimage import api

    return api.open_file(path, limits=limits)


def _model_digest(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return digest_of_files([Path(path)])
    except OSError as error:
        raise ImageError(f"The model {path} cannot be read.") from error

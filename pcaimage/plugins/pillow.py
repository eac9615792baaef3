"""The ``.pcai`` format for Pillow, available after registration.

>>> from pcaimage.plugins.pillow import register
>>> register()

From then on ``PIL.Image.open("photo.pcai")`` and ``image.save("photo.pcai", quality=85)`` work.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import IO, Any, cast

import numpy as np
from PIL import Image, ImageFile, ImageSequence

from pcaimage import api, codec, container
from pcaimage.codec import Compressed, Metadata, Settings
from pcaimage.codec.settings import DEFAULT_STEP
from pcaimage.errors import PcaImageError, SettingsError
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.image.timing import Timing
from pcaimage.quality import white_of
from pcaimage.sampling import Blocks, Lapped, Sampling, Stack, sampling_named

FORMAT = "PCAI"
MIME = "image/x-pcaimage"

_MODES = {("uint8", 1): "L", ("uint8", 3): "RGB", ("uint16", 1): "I;16"}
_WITH_ALPHA = {"L": "LA", "RGB": "RGBA"}
_WRITTEN = (*_MODES.values(), *_WITH_ALPHA.values())
_OPTIONS = {field.name for field in fields(Settings)} - {"sampling"}
_AMOUNTS = {"k", "variance", "psnr", "ssim", "size", "step", "lossless", "max_error", "noise"}
_REDUCTIONS = (8, 4, 2)  # reductions of a draft along each direction


class PcaiImageFile(ImageFile.ImageFile):
    """A ``.pcai`` file as a Pillow image; its pixels are decoded lazily. A stack has frames."""

    format = FORMAT
    format_description = "PCA compressed image"

    def _open(self) -> None:
        if self.fp is None:
            raise SyntaxError("There is no file.")
        # Pillow takes SyntaxError for 'another format' and drops its message. As a file with this signature
        # is of this format, the message is reported instead.
        try:
            compressed = api.open_bytes(self.fp.read()).compressed
        except PcaImageError as error:
            raise OSError(str(error)) from error
        header = compressed.header
        mode = _MODES.get((header.dtype, header.shape[-1]))
        if mode is None or compressed.values is not None:
            raise OSError(
                f"Pillow has no mode for {header.shape[-1]} channels of type {header.dtype}, or other "
                "arrays; pcaimage.open reads them."
            )
        if compressed.alpha is not None:
            mode = _WITH_ALPHA.get(mode, mode)
        self._compressed, self._pending = compressed, _Pending()
        self._mode = mode
        self._size = (header.shape[-2], header.shape[-3])
        self.n_frames = header.shape[0] if len(header.shape) == 4 else 1
        self.is_animated = self.n_frames > 1
        self.info["components"] = compressed.k
        for name in ("icc_profile", "exif", "xmp"):
            if known := getattr(compressed.metadata, name):
                self.info[name] = known
        self._timing = api.timing_of(compressed)
        if self._timing is not None:
            self.info["loop"] = self._timing.plays
            self.info["duration"] = self._timing.durations[0]

    def seek(self, frame: int) -> None:
        """Go to an image of a stack by its zero-based index; EOFError if there is none."""
        if self._seek_check(frame):
            self._pending = _Pending(frame)
            if self._timing is not None:
                self.info["duration"] = self._timing.durations[frame]

    def tell(self) -> int:
        """Return the zero-based index of the current image of a stack."""
        return self._pending.frame

    def draft(
        self, mode: str | None, size: tuple[int, int] | None
    ) -> tuple[str, tuple[int, int, float, float]] | None:
        """Prepare to decode a preview of at least a given size from few components, as for thumbnails.

        The mode is ignored: a draft has that of the image. Returned are it and the box of the draft that the
        image fills, or None if the image is decoded in full.
        """
        del mode
        pending, compressed, header = self._pending, self._compressed, self._compressed.header
        reducible = header.dtype == "uint8" and len(header.shape) == 3
        # Components of a lossless file are coarse, as the residual corrects them.
        reducible = reducible and compressed.residual is None and not compressed.lacks_basis
        if size is None or pending.done or pending.reduction > 1 or not reducible:
            return None
        width, height = self._size
        factor = next((f for f in _REDUCTIONS if width // f >= size[0] and height // f >= size[1]), 1)
        if factor == 1:
            return None
        self._pending = _Pending(pending.frame, factor)
        self._size = (-(-width // factor), -(-height // factor))
        return self.mode, (0, 0, width / factor, height / factor)

    def load(self) -> Any:
        """Decode the pixels once, raising OSError if the file is damaged."""
        if not self._pending.done:
            try:
                pixels, alpha = _decoded(self._compressed, self._pending)
            except PcaImageError as error:
                raise OSError(str(error)) from error
            layers = pixels.reshape(*pixels.shape[:2], -1)
            if alpha is not None and self.mode in _WITH_ALPHA.values():
                layers = np.dstack([layers, alpha])
            self.im = Image.fromarray(layers[..., 0] if layers.shape[2] == 1 else layers).im
            self._pending = _Pending(self._pending.frame, self._pending.reduction, done=True)
            self.tile = []
        return Image.Image.load(self)


@dataclass(frozen=True)
class _Pending:
    """Pending decoding: the image of a stack, the reduction, and whether it has been done."""

    frame: int = 0
    reduction: int = 1
    done: bool = False


def _decoded(compressed: Compressed, pending: _Pending) -> tuple[Pixels, Pixels | None]:
    """Decode pixels and opacity."""
    alpha = compressed.alpha
    if pending.reduction > 1:
        return _reduced(compressed, pending.reduction), None if alpha is None else np.asarray(
            Image.fromarray(alpha).reduce(pending.reduction)
        )
    if len(compressed.header.shape) == 4:
        pixels = codec.decompress_frame(compressed, pending.frame)
        return pixels, None if alpha is None else alpha[pending.frame]
    return codec.decompress(compressed), alpha


def _reduced(compressed: Compressed, factor: int) -> Pixels:
    """Render an image at a fraction of its size, from the components that are visible there."""
    header = compressed.header
    height, width = header.shape[:2]
    of_blocks = isinstance(header.sampling, Blocks | Lapped)
    # Averaging pixels leaves n / factor² of a block's n components, though not quite the first ones.
    k = min(compressed.k, 2 * -(-header.n_features // factor**2)) if of_blocks else compressed.k
    pictures = codec.pictures(codec.unpack(compressed, k))
    view = pictures.render(codec.Region(0, 0, width, height), 1 / factor, k)
    return view.pixels[: -(-height // factor), : -(-width // factor)]


def accept(prefix: bytes) -> bool:
    """Return whether a file's first bytes are those of a ``.pcai`` file."""
    return prefix.startswith(container.SIGNATURE)


def save(image: Image.Image, file: IO[bytes], filename: str | bytes) -> None:
    """Write an image; options are ``quality``, those of :class:`pcaimage.Settings`, ``method`` and ``block``.

    OSError if the options are invalid, or the image is of another mode than L, LA, RGB, RGBA or I;16, which
    would not be restored. Pillow passes the name of the file, too.
    """
    del filename
    options = dict(cast("dict[str, Any]", image.encoderinfo))
    _write([image], file, options, _sampling(options))


def save_all(image: Image.Image, file: IO[bytes], filename: str | bytes) -> None:
    """Write all images of a sequence, and those of the option ``append_images``, as a stack.

    A single image is written as by :func:`save`, which has the same parameters, options and errors. The
    images of a stack must have one size and mode. The options ``duration``, in milliseconds, of all images or
    a list, and ``loop`` make it an animation; by default they are those of the images.
    """
    options = dict(cast("dict[str, Any]", image.encoderinfo))
    frames = [*_frames([image, *options.get("append_images", ())])]
    options["timing"] = _timing(frames, options)
    if len(frames) == 1:
        save(image, file, filename)
        return
    _write(frames, file, options, Stack())


def _frames(images: Iterable[Image.Image]) -> Iterator[Image.Image]:
    for each in images:
        here = each.tell() if hasattr(each, "n_frames") else 0
        for frame in ImageSequence.Iterator(each):
            yield frame.copy()
        if hasattr(each, "n_frames"):
            each.seek(here)


def _write(
    images: list[Image.Image], file: IO[bytes], options: dict[str, Any], sampling: Sampling | None
) -> None:
    first = images[0]
    for each in images:
        if each.mode not in _WRITTEN:
            advice = f"convert them to {'RGBA' if each.has_transparency_data else 'RGB'} first"
            if each.mode in {"F", "I"}:  # conversion would clip what is not from 0 to 255
                advice = "pcaimage.encode(numpy.asarray(image, 'float32')) takes such numbers"
            raise OSError(f"Images of mode {each.mode} cannot be written as {FORMAT}; {advice}.")
        if (each.mode, each.size) != (first.mode, first.size):
            raise OSError("The images of a stack must be of one size and mode.")
    arrays = [np.asarray(each) for each in images]
    array = arrays[0] if len(arrays) == 1 else np.stack(arrays)
    array = array if first.mode not in {"L", "I;16"} else array[..., None]
    alpha = None
    if first.mode in {"LA", "RGBA"}:
        array, alpha = array[..., :-1], np.ascontiguousarray(array[..., -1])
    try:
        others = {name: options[name] for name in (_OPTIONS - _AMOUNTS) & options.keys()}
        settings = Settings(sampling, **_amount(options, array, sampling), **others)
        exif = options.get("exif", first.info.get("exif"))
        metadata = Metadata(
            icc_profile=options.get("icc_profile", first.info.get("icc_profile")),
            exif=exif.tobytes() if isinstance(exif, Image.Exif) else exif,
            xmp=options.get("xmp", first.info.get("xmp")),
            timing=options.get("timing"),
        )
        file.write(api.encode(np.ascontiguousarray(array), settings, alpha=alpha, metadata=metadata))
    except PcaImageError as error:
        raise OSError(str(error)) from error


def _timing(images: list[Image.Image], options: dict[str, Any]) -> bytes | None:
    """Return the timing of images, by the options ``duration`` and ``loop`` or as the images say."""
    given = options.get("duration")
    durations = given if isinstance(given, list | tuple) else [given] * len(images)
    pairs = zip(images, durations, strict=False)
    found = [each.info.get("duration") if said is None else said for each, said in pairs]
    known = [duration for duration in found if duration is not None]
    if len(known) != len(images):
        return None
    try:
        return Timing(tuple(known), options.get("loop", images[0].info.get("loop", 1))).to_bytes()
    except PcaImageError as error:
        raise OSError(str(error)) from error


def _amount(options: dict[str, Any], array: Pixels, sampling: Sampling | None) -> dict[str, Any]:
    """Return the settings that determine how much is kept.

    A quality corresponds to a step of half the percentage by which JPEG scales its tables: 50 at a quality of
    50, 10 at 90; photos, whose default step is that of 90, have steps in this ratio, and are lossless at 100.
    Other methods get the PSNR of rounding to this step.
    """
    given = {name: options[name] for name in sorted(_AMOUNTS & options.keys())}
    quality = options.get("quality")
    if quality is None:
        return given
    if given:
        raise SettingsError(f"Give one of quality and {next(iter(given))}, not both: each says what to keep.")
    if not isinstance(quality, int) or not 1 <= quality <= 100:
        raise SettingsError(f"The quality must be a whole number from 1 to 100, not {quality}.")
    photo = sampling is None or isinstance(sampling, Lapped)
    if quality == 100 and photo:
        return {"lossless": True}
    step = (5000 / quality if quality < 50 else 200 - 2 * min(quality, 99)) / 2
    if photo:
        return {"step": step / 10 * DEFAULT_STEP * white_of(array, options.get("white")) / 255}
    return {"psnr": 20 * math.log10(255 * math.sqrt(12) / step)}


def _sampling(options: dict[str, Any]) -> Sampling | None:
    """Return the sampling that the options ask for; None leaves it to the image."""
    method, block = options.get("method"), options.get("block")
    if method is None and block is None:
        return None
    if method not in {None, "photo", "blocks", "channels"}:
        raise OSError(f"The method must be photo, blocks or channels, not {method}.")
    return sampling_named(method or "blocks", block)


def register() -> None:
    """Register the format with Pillow; calling it again changes nothing."""
    Image.register_open(FORMAT, PcaiImageFile, accept)
    Image.register_save(FORMAT, save)
    Image.register_save_all(FORMAT, save_all)
    Image.register_extension(FORMAT, api.SUFFIX)
    Image.register_mime(FORMAT, MIME)

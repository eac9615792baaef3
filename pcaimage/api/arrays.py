"""Compression of arrays and images, and back, with band metadata and missing data."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import codec, container, imaging
from pcaimage.codec import Compressed, Encoding, Metadata, Settings
from pcaimage.codec.photo.tiles.graphics import concealed, has_few_colours
from pcaimage.codec.properties import error_bound
from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.codec.values import compress as compress_arrays
from pcaimage.codec.values import is_image
from pcaimage.errors import DataError, SettingsError
from pcaimage.imaging import BandInfo, Image, Stored
from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.pixels import Pixels, holds
from pcaimage.imaging.image.timing import Timing
from pcaimage.machine.mapped import check_unchanged, watch
from pcaimage.progress import Progress, no_progress, part
from pcaimage.quality import believed
from pcaimage.sampling import Bands, Lapped, Stack

if TYPE_CHECKING:
    from pcaimage.api.parts import Window


def encode(
    array: Pixels,
    settings: Settings | None = None,
    *,
    progress: Progress = no_progress,
    alpha: Pixels | None = None,
    metadata: Metadata | None = None,
    model: bytes | None = None,
    axis: int | None = None,
) -> bytes:
    """Compress an array.

    Parameters
    ----------
    array : ndarray of numbers
        Of any shape, byte order and type of up to 64 bits, complex ones of two, and may be mapped from a
        file. Images are (H, W) or (H, W, C); with ``Settings(sampling=Stack())`` (N, H, W) or (N, H, W, C).
    settings : Settings, optional
        By default images of one to four channels are photos at a step of 11, and others are coded by
        their bands, at about 50 dB. Other types than uint8, uint16, int16 and float32 lose nothing by
        default, and truth never does.
    progress : Progress, optional
        ``progress(done, total)``; raising from it stops the work.
    alpha : ndarray, optional
        Opacity of the shape of a channel, stored losslessly.
    metadata : Metadata, optional
        Stored unchanged.
    model : bytes, optional
        A ``.pcai`` file of blocks, channels or a stack, whose basis is used instead of being stored again:
        decoding needs that file too.
    axis : int, optional
        Which axis of three or more has the bands. By default the last one, but of arrays that are no images
        the first if it is the shortest.

    Returns
    -------
    bytes
        A ``.pcai`` file, which decodes to an array of this shape and type.

    Raises
    ------
    DataError
        If the array does not consist of numbers.
    SettingsError, TargetError
        If the settings do not fit the array.

    Examples
    --------
    >>> import numpy as np, pcaimage
    >>> array = np.add.outer(np.arange(64), np.arange(64)).astype(np.uint8)
    >>> data = pcaimage.encode(array, pcaimage.Settings(k=3))
    >>> pcaimage.decode(data).shape
    (64, 64)
    """
    chosen = settings or Settings()
    basis = None if model is None else container.read(model)
    encoding = compress_array(
        array, chosen, alpha=alpha, metadata=metadata, model=basis, progress=progress, axis=axis
    )
    return container.write(encoding.compressed)


def compress_array(
    array: NDArray[Any],
    settings: Settings,
    *,
    alpha: NDArray[Any] | None = None,
    metadata: Metadata | None = None,
    model: Compressed | None = None,
    checked: bool = False,
    progress: Progress = no_progress,
    axis: int | None = None,
) -> Encoding:
    """Compress an array as :func:`encode` does, and keep the integers that it must decode to.

    The basis of the model, a model file, replaces the array's own; `checked` says that the result will be
    measured and saved, see :func:`pcaimage.codec.compress`. ChangedError is raised if the array is mapped
    from a file that another program changes meanwhile.
    """
    watch(array)
    compress = partial(codec.compress, measure=size_of, similarity=imaging.ssim, model=model, checked=checked)
    compress = partial(compress, alpha=alpha, metadata=metadata, progress=progress)
    bound = alpha is not None or model is not None  # to the shape of an image
    encoding = None
    if bound or is_image(array, settings, axis):
        try:
            encoding = compress(array, settings)
        except DataError:  # of real numbers that are infinite, or finer than 24 bits, or nowhere measured
            if bound or array.dtype.kind != "f" or not isinstance(settings.sampling, Bands | None):
                raise
    encoding = encoding or compress_arrays(array, settings, axis, compress)
    check_unchanged(array)
    return encoding


def compress_image(
    image: Image,
    settings: Settings,
    *,
    progress: Progress = no_progress,
    model: Compressed | None = None,
    checked: bool = False,
) -> Encoding:
    """Compress an image or a stack, with its opacity and metadata, as :func:`compress_array` does.

    Images of flat colours are often smaller without loss than at a step, a PSNR or an SSIM; then the exact
    file is taken. With loss, colours where an image is not seen at all are those that cost least; bands are
    measurements, and kept there, too. Arrays as they stand in their files lose nothing by default.
    """
    if isinstance(image, Stored):
        settings = _in_stored_units(image, settings)
        if settings.nodata is None and not settings.all_measured:
            settings = replace(settings, nodata=image.bands.nodata)
        metadata = metadata_of(as_chosen(image, settings))
        array, axis = image.pixels, image.axis
        return compress_array(array, settings, metadata=metadata, model=model, progress=progress, axis=axis)
    seen = None
    if (
        image.alpha is not None
        and not (image.is_stack or settings.lossless)
        and not isinstance(settings.sampling_for(image.pixels.shape, image.pixels.dtype.name), Bands)
    ):
        seen = concealed(image.pixels, image.alpha)
        image = replace(image, pixels=seen)
    if image.is_stack:
        settings = settings.sampled_by(Stack())
    if settings.lossless and image.pixels.dtype.kind == "f":  # as files were read, which may have more digits
        raise SettingsError(
            "Real numbers are not kept without loss; give max_error, how far they may be off."
        )
    metadata = metadata_of(as_chosen(image, settings))
    settings = settings_for(image, settings) if model is None else with_white(image, settings)
    exact = exact_settings(image, settings) if model is None else None
    tried = [settings] if exact is None else [settings, exact]
    found = [
        compress_array(
            image.pixels,
            each,
            alpha=image.alpha,
            metadata=metadata,
            model=model,
            checked=checked,
            progress=part(progress, number / len(tried), (number + 1) / len(tried)),
        )
        for number, each in enumerate(tried)
    ]
    return replace(min(found, key=lambda made: size_of(made.compressed) if found[1:] else 0), seen=seen)


def exact_settings(image: Image, settings: Settings) -> Settings | None:
    """Return the settings of the exact file of a photo that may be smaller than one with loss.

    None unless it has few colours, is no stack but an animation, and a step, a PSNR or an SSIM is asked for.
    """
    pixels = image.pixels
    others = settings.k, settings.variance, settings.size, settings.noise, settings.max_error
    if settings.lossless or settings.leave_out or any(each is not None for each in others):
        return None
    few = pixels.dtype == np.uint8 and pixels.shape[-1] <= MOST_PHOTO_CHANNELS and has_few_colours(pixels)
    animated = image.timing is not None or not image.is_stack
    if not few or not animated or not isinstance(settings.sampling_for(pixels.shape), Lapped | Stack):
        return None
    return replace(settings, k=1 if image.is_stack else None, step=None, psnr=None, ssim=None, lossless=True)


def exact_text(encoding: Encoding, settings: Settings) -> str:
    """Say that the exact file was taken instead of the one with loss that was asked for; empty if not."""
    asked = settings.lossless or settings.max_error is not None or encoding.restore is not None
    if asked or error_bound(encoding.compressed) != 0:
        return ""
    return "The exact file is smaller than one with loss, so nothing is lost."


def metadata_of(image: Image) -> Metadata:
    """Return the metadata of an image: name, profile, EXIF and the like, bands, and timing."""
    timing = None if image.timing is None else image.timing.to_bytes()
    return Metadata(bands=image.bands.to_bytes() or None, timing=timing, **_alike(image))


def timing_of(compressed: Compressed) -> Timing | None:
    """Return how long the images of a compressed stack are shown.

    It is None if it is no animation, or what the file says of it is damaged or does not fit.
    """
    shape, stored = compressed.header.shape, compressed.metadata.timing
    return Timing.from_bytes(stored, shape[0]) if stored and len(shape) == 4 else None


def image_of(compressed: Compressed, pixels: Pixels) -> Image:
    """Combine a reconstruction with the metadata of its file."""
    return Image(pixels.reshape(compressed.header.shape), **_beside_pixels(compressed))


def part_of(compressed: Compressed, pixels: Pixels, window: Window) -> Image:
    """Combine a reconstructed part with what the metadata of its file say of it."""
    from pcaimage.imaging.georeference.geo import moved  # noqa: PLC0415 - for parts alone

    header, fields = compressed.header, _beside_pixels(compressed)
    *_, rows, columns = window.spans[:-1] if header.has_channel_axis else window.spans
    bands = window.chosen if header.has_channel_axis else (0,)
    info = moved(fields["bands"], columns.start, rows.start)
    fields["bands"] = info if bands == tuple(range(header.shape[-1])) else info.of(bands)
    alpha = fields["alpha"]
    if alpha is not None:
        fields["alpha"] = alpha[window.spans[: alpha.ndim]]
    shown = pixels if header.has_channel_axis else pixels[..., None]
    timing = fields["timing"] if len(shown) == header.shape[0] else None
    return Image(shown, **(fields | {"timing": timing}))


def stream_of(compressed: Compressed, strips: Generator[Pixels]) -> ImageStream:
    """Combine a reconstruction that comes in strips, from the top, with the metadata of its file."""
    header = compressed.header
    return ImageStream(header.shape, np.dtype(header.dtype), strips, **_beside_pixels(compressed))


def _beside_pixels(compressed: Compressed) -> dict[str, Any]:
    """Return the fields of an image, or of a stream of one, other than its pixels."""
    return _alike(compressed.metadata) | {
        "alpha": compressed.alpha,
        "format": "PCAI",
        "bands": bands_of(compressed),
        "timing": timing_of(compressed),
        "white": compressed.header.peak,
    }


def _alike(described: Image | Metadata) -> dict[str, Any]:
    """Return what images and files say of themselves in the same way."""
    names = ("name", "file_size", "icc_profile", "exif", "xmp", "iptc")
    return {name: getattr(described, name) for name in names}


def size_of(compressed: Compressed) -> int:
    """Return the size in bytes of a compressed image's file."""
    return len(container.write(compressed))


_NODATA_TAG = 42113


def settings_for(image: Image, settings: Settings) -> Settings:
    """Complete settings with the white and the value for missing data that an image declares.

    The white is taken if none was chosen and no value is above it, the nodata value if none was chosen and
    the image is coded by its bands; the greatest error becomes one in units of the stored numbers. Images
    that would otherwise be photos are coded by their bands if they have missing pixels, as a photo's
    components would mix these with the others.
    """
    settings = with_white(image, _in_stored_units(image, settings))
    nodata, kind = image.bands.nodata, image.pixels.dtype
    if nodata is None or settings.nodata is not None or settings.all_measured:
        return settings
    if image.is_stack or not holds(kind, nodata):
        return settings
    sampling = settings.sampling_for(image.pixels.shape, kind.name)
    if isinstance(sampling, Bands):
        return replace(settings, nodata=nodata)
    chosen = settings.sampling is not None or settings.lossless or settings.basis != codec.Basis.AUTO
    if chosen or not isinstance(sampling, Lapped) or image.alpha is not None or image.missing() is None:
        return settings
    return replace(settings, nodata=nodata)


def _in_stored_units(image: Image, settings: Settings) -> Settings:
    """Return settings whose greatest error is that of stored numbers."""
    if not settings.error_unit or settings.max_error is None:
        return settings
    said, scale = image.bands.value_unit, image.bands.scale
    if settings.error_unit != said or not scale:
        what = f"in {said}" if said else "without a unit"
        raise SettingsError(
            f"The error is given in {settings.error_unit}, but the values of {image.name or 'the image'} are "
            f"{what}; give it {what}."
        )
    return replace(settings, max_error=settings.max_error / scale, error_unit="")


def with_white(image: Image, settings: Settings) -> Settings:
    """Complete settings with the white that an image declares, unless one was chosen or values exceed it."""
    if settings.white is not None or image.white is None:
        return settings
    missing = image.bands.nodata if settings.nodata is None else settings.nodata
    found = believed(image.pixels, image.white, None if settings.all_measured else missing)
    return settings if found is None else replace(settings, white=int(found))


def as_chosen(image: Image, settings: Settings) -> Image:
    """Return an image that declares the settings' value for missing data; itself if they have no other."""
    said = image.bands.nodata
    if settings.nodata is None:
        return image if said is None or not settings.all_measured else _saying(image, None)
    same = said is not None and np.array_equal(said, settings.nodata, equal_nan=True)
    return image if same else _saying(image, settings.nodata)


def bands_of(compressed: Compressed) -> BandInfo:
    """Return the information about bands in a compressed file, as far as it is readable and fits the image.

    If the file has a mask of missing data, its value is the nodata value; FormatError if the mask is damaged.
    """
    header = compressed.header
    info = BandInfo.from_bytes(compressed.metadata.bands or b"").fitted(header.shape[-1])
    value = codec.nodata_of(compressed) if compressed.values is None else None
    said, kind = info.nodata, np.dtype(header.dtype)
    known = said is not None and holds(kind, said)  # but for the rounding to the type of the pixels
    if value is None or (known and np.array_equal(np.array(said).astype(kind), value, equal_nan=True)):
        return info
    return _with_nodata(info, value)


def _saying(image: Image, nodata: float | None) -> Image:
    return replace(image, bands=_with_nodata(image.bands, nodata))


def _with_nodata(info: BandInfo, nodata: float | None) -> BandInfo:
    """Replace the nodata value in band metadata."""
    tags = tuple(tag for tag in info.tags if tag.code != _NODATA_TAG)
    return replace(info, nodata=nodata, tags=tags)

"""Band metadata and missing data, transferred between images and compressed files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pcaimage import codec
from pcaimage.codec import Compressed, Settings
from pcaimage.errors import SettingsError
from pcaimage.imaging import BandInfo, Image
from pcaimage.imaging.image.missing import holds
from pcaimage.quality import believed
from pcaimage.sampling import Bands, Lapped

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
    value = codec.nodata_of(compressed)
    if value is None or (info.nodata is not None and _same(info.nodata, value, np.dtype(header.dtype))):
        return info
    return _with_nodata(info, value)


def _saying(image: Image, nodata: float | None) -> Image:
    return replace(image, bands=_with_nodata(image.bands, nodata))


def _with_nodata(info: BandInfo, nodata: float | None) -> BandInfo:
    """Replace the nodata value in band metadata."""
    tags = tuple(tag for tag in info.tags if tag.code != _NODATA_TAG)
    return replace(info, nodata=nodata, tags=tags)


def _same(said: float, found: float, kind: np.dtype[Any]) -> bool:
    """Return whether the declared value equals the one in the pixels, up to the rounding of their type."""
    return holds(kind, said) and np.array_equal(np.array(said).astype(kind), found, equal_nan=True)

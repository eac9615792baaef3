"""Wavelengths of EnMAP's products, whose GeoTIFF has them in a file of metadata beside it.

References
----------
DLR: EnMAP Ground Segment, Product Specification Document (EN-PCV-ICD-2009): ``…-SPECTRAL_IMAGE.TIF`` and
``…-METADATA.XML``, with ``bandCharacterisation`` in it; wavelengths are in nanometres.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from pcaimage.imaging.image.bands import BandInfo

MAX_BYTES: Final = 1 << 24

_IMAGE: Final = re.compile(r"(?i)(.*)-SPECTRAL_IMAGE\.TIFF?")
_BAND: Final = re.compile(r"<bandID\s[^<>]*>(.*?)</bandID>", re.DOTALL)
_CENTRE: Final = re.compile(r"<wavelengthCenterOfBand>\s*([\d.]+)\s*<")
_WIDTH: Final = re.compile(r"<FWHMOfBand>\s*([\d.]+)\s*<")
_BACKGROUND: Final = re.compile(r"<backgroundValue>\s*(-?[\d.]+)\s*<")


def with_enmap(info: BandInfo, path: Path | None, bands: int) -> BandInfo:
    """Return a TIFF's band metadata, with those of the file beside an EnMAP product if one fits."""
    named = None if path is None or info.wavelengths else _IMAGE.fullmatch(path.name)
    if named is None or path is None:
        return info
    try:
        with path.with_name(f"{named[1]}-METADATA.XML").open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
        listed = _BAND.findall(text)
        centres = [float(each[1]) for band in listed if (each := _CENTRE.search(band))]
        widths = [float(each[1]) for band in listed if (each := _WIDTH.search(band))]
        background = _BACKGROUND.search(text)
        nodata = None if background is None else float(background[1])
    except (OSError, ValueError):
        return info
    if len(centres) != bands:
        return info
    found = replace(
        info,
        wavelengths=tuple(centres),
        widths=tuple(widths),
        unit="nm",
        nodata=nodata if info.nodata is None else info.nodata,
    )
    return found.fitted(bands)

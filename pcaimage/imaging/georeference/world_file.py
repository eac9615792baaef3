"""Georeferencing beside an image whose format has no place for it: a world file, and GDAL's auxiliary file.

References
----------
Esri: World files for raster datasets (six lines, of the centre of the first pixel); GDAL: Persistent
Auxiliary Metadata, ``.aux.xml``, for the coordinate system.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.imaging.georeference.geo import place_of

if TYPE_CHECKING:
    from pcaimage.imaging.image.bands import BandInfo


def beside(image: Path) -> tuple[Path, Path]:
    """Return the paths of the world file (.pgw of a .png, .jgw of a .jpg) and of the auxiliary file."""
    suffix = image.suffix or ".w"
    return image.with_suffix(f".{suffix[1]}{suffix[-1]}w"), image.with_name(f"{image.name}.aux.xml")


def write_world_file(image: Path, info: BandInfo, *, overwrite: bool = False) -> list[Path]:
    """Write where an image lies beside its file, and return what was written."""
    place, (world, auxiliary) = place_of(info), beside(image)
    found: dict[Path, str] = {}
    if place.transform is not None:
        x, a, b, y, d, e = place.transform
        found[world] = "".join(f"{each!r}\n" for each in (a, d, b, e, x + (a + b) / 2, y + (d + e) / 2))
    if place.crs:
        system = html.escape(place.crs, quote=False)
        found[auxiliary] = f"<PAMDataset>\n  <SRS>{system}</SRS>\n</PAMDataset>\n"
    for path, text in found.items():
        atomic_write_bytes(path, text.encode(), overwrite=overwrite)
    return list(found)

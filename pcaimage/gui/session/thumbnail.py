"""Small pictures of images, by which they are recognised. No Qt here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcaimage import api, codec
from pcaimage.codec import Region
from pcaimage.errors import PcaImageError
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.opening import load_sample
from pcaimage.imaging import Limits, inspect, read_image
from pcaimage.imaging.reading.glimpse import read_glimpse

_COLUMNS, _ROWS = 4, 3  # number of images of a stack that a thumbnail shows
_COMPONENTS = 24
"""Number of a compressed file's components that a thumbnail has: more are not seen at its size."""


def thumbnail_of(document: Document, side: int) -> NDArray[np.uint8]:
    """Return a picture of a document with an original, shape (h, w, 1, 3 or 4).

    Its longer side has at least `side` pixels, unless the image has fewer. Of a stack it has the first
    images, in rows.
    """
    if not document.is_stack:
        return _rendered(document, 0, side)
    count = min(document.frames, _COLUMNS * _ROWS)
    tiles = [_rendered(document, frame, side // _COLUMNS) for frame in range(count)]
    tiles += [np.zeros_like(tiles[0])] * (-count % _COLUMNS)
    rows = [np.concatenate(tiles[i : i + _COLUMNS], axis=1) for i in range(0, len(tiles), _COLUMNS)]
    return np.concatenate(rows)


def sample_thumbnail(name: str, side: int) -> NDArray[np.uint8]:
    """Return the thumbnail of a sample image; raises ImageError if it cannot be read."""
    return thumbnail_of(load_sample(name), side)


def _rendered(document: Document, frame: int, side: int) -> NDArray[np.uint8]:
    region, scale = Region(0, 0, *document.size), side / max(document.size)
    return document.layers(frame).render(region, scale).pixels


def file_thumbnail(path: Path, side: int, limits: Limits | None = None) -> NDArray[np.uint8] | None:
    """Return a picture of an image in a file, shape (h, w, 1, 3 or 4); None if there is none.

    Its longer side has at least `side` pixels, unless the image has fewer. JPEGs are decoded at a fraction of
    their size, and of a compressed file few components.
    """
    found = read_glimpse(path, side)
    if found is not None:
        return np.asarray(found, np.uint8)
    try:
        if path.suffix.lower() == api.SUFFIX:
            return _of_compressed(path, side)
        alone = 0 if inspect(path).timing is not None else None  # decoding a whole animation takes long
        image = read_image(path, limits, frame=alone)
        return thumbnail_of(Document(image.name, path, image=image), side)
    except PcaImageError:
        return None


def _of_compressed(path: Path, side: int) -> NDArray[np.uint8] | None:
    compressed = api.open_file(path).compressed
    header = compressed.header
    if compressed.lacks_basis or compressed.values or header.dtype != "uint8" or len(header.shape) != 3:
        return None
    height, width, channels = header.shape
    if channels not in {1, 3}:
        return None
    pictures = codec.pictures(codec.unpack(compressed, min(compressed.k, _COMPONENTS)))
    scale = min(1.0, side / max(width, height))
    view = pictures.render(Region(0, 0, width, height), scale, min(compressed.k, _COMPONENTS))
    return np.asarray(view.pixels, np.uint8)

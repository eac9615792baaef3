"""Small pictures of images, by which they are recognised. No Qt here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Region
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.opening import load_sample

_COLUMNS, _ROWS = 4, 3
"""How many images of a stack a thumbnail shows."""


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

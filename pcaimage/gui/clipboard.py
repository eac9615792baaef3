"""Files and images of the clipboard and of drags."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QImage

from pcaimage.imaging import Image
from pcaimage.machine.folders import tables


def local_files(data: QMimeData | None) -> list[str]:
    """Return the paths of the local files that a drag or the clipboard carries."""
    return [] if data is None else [url.toLocalFile() for url in data.urls() if url.isLocalFile()]


_TYPES = tables("qt.json")["types"]
_MOST_BYTES = 64_000_000  # files of more bytes are named, but not carried


def file_data(path: Path) -> QMimeData:
    """Return the data of a clipboard or a drag that carry a file: its path, and a picture's own bytes.

    No picture is offered with them, which the receiver would encode in another format.
    """
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path.absolute()))])
    kind = _TYPES.get(path.suffix.lower())
    with suppress(OSError):  # then it is gone, and the receiver will say so
        if kind is not None and path.stat().st_size <= _MOST_BYTES:
            data.setData(kind, path.read_bytes())
    return data


def to_image(picture: QImage) -> Image:
    """Convert a Qt image: 8 bits, grey or RGB, with opacity unless all is opaque."""
    has_alpha = picture.hasAlphaChannel()
    if picture.isGrayscale() and not has_alpha:
        grey = _array(picture.convertToFormat(QImage.Format.Format_Grayscale8), 1)
        return Image(grey, name="Pasted image")
    pixels = _array(picture.convertToFormat(QImage.Format.Format_RGBA8888), 4)
    alpha = pixels[..., 3]
    opaque = not has_alpha or bool((alpha == 255).all())
    return Image(
        np.ascontiguousarray(pixels[..., :3]),
        alpha=None if opaque else np.ascontiguousarray(alpha),
        name="Pasted image",
    )


def _array(picture: QImage, channels: int) -> np.ndarray:
    height, width, line = picture.height(), picture.width(), picture.bytesPerLine()
    rows = np.frombuffer(picture.constBits(), np.uint8, height * line).reshape(height, line)
    return rows[:, : width * channels].reshape(height, width, channels).copy()

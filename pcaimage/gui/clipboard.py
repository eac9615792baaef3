"""Files and images of the clipboard and of drags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

from pcaimage.imaging import Image

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData


def local_files(data: QMimeData | None) -> list[str]:
    """Return the paths of the local files that a drag or the clipboard carries."""
    return [] if data is None else [url.toLocalFile() for url in data.urls() if url.isLocalFile()]


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

"""Writing of BMP, strip by strip."""

from __future__ import annotations

import struct
from contextlib import closing
from typing import BinaryIO

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.image.image import ImageStream
from pcaimage.progress import Progress, no_progress

_FILE_HEADER, _INFO_HEADER = 14, 40
_GREYS = 256
_PER_METRE = 3780  # pixels per metre: 96 per inch


def write_bmp(file: BinaryIO, image: ImageStream, progress: Progress = no_progress) -> None:
    """Write a uint8 image of one or three channels, uncompressed, from bottom to top, to a seekable file."""
    width, height = image.width, image.height
    stride = (width * image.channels + 3) // 4 * 4
    colours = _GREYS if image.channels == 1 else 0
    start = _FILE_HEADER + _INFO_HEADER + 4 * colours
    if start + stride * height >= 1 << 32:
        raise ImageError("The image is too large for BMP; save it as PNG or TIFF.")
    file.write(struct.pack("<2sIII", b"BM", start + stride * height, 0, start))
    sizes = (_INFO_HEADER, width, height, 1, 8 * image.channels, 0, stride * height)
    file.write(struct.pack("<IiiHHIIiiII", *sizes, _PER_METRE, _PER_METRE, colours, colours))
    grey = np.arange(colours, dtype=np.uint8)
    file.write(np.stack([grey, grey, grey, np.zeros_like(grey)], axis=1).tobytes())
    done = 0
    with closing(image.strips) as strips:
        for strip in strips:
            done += len(strip)
            rows = np.zeros((len(strip), stride), np.uint8)
            pixels = rows[:, : width * image.channels].reshape(strip.shape)
            for channel in range(image.channels):  # seven times as fast as all at once
                pixels[..., channel] = strip[::-1, :, image.channels - 1 - channel]
            file.seek(start + stride * (height - done))
            file.write(rows.data)
            progress(done, height)
    file.seek(start + stride * height)

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import ExifTags, ImageCms
from PIL import Image as PillowImage

if TYPE_CHECKING:
    from collections.abc import Callable

    from pcaimage.imaging.image.types import Pixels


@pytest.fixture
def noise() -> Callable[..., Pixels]:
    """Make an array of random values, the same every time."""

    def make(*shape: int, dtype: str = "uint8", seed: int = 0) -> Pixels:
        peak = np.iinfo(dtype).max
        return np.random.default_rng(seed).integers(0, peak, shape, dtype=dtype, endpoint=True)

    return make


@pytest.fixture(scope="session")
def smooth() -> Pixels:
    """Make a picture without noise, which codecs with loss keep nearly as it is."""
    y, x = np.mgrid[0:40, 0:56].astype(float)
    planes = [128 + 90 * np.sin(x / 9 + k) * np.cos(y / 11 - k) for k in range(3)]
    return np.stack(planes, axis=-1).astype(np.uint8)


@pytest.fixture(scope="session")
def srgb() -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@pytest.fixture(scope="session")
def make_exif() -> Callable[[int], bytes]:
    def make(orientation: int) -> bytes:
        exif = PillowImage.Exif()
        exif[ExifTags.Base.Make] = "Camera works"
        exif[ExifTags.Base.Orientation] = orientation
        exif[ExifTags.IFD.Exif] = {ExifTags.Base.DateTimeOriginal: "2024:05:06 07:08:09"}
        exif[ExifTags.IFD.GPSInfo] = {1: "N"}
        return exif.tobytes().removeprefix(b"Exif\0\0")

    return make

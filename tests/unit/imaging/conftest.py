import numpy as np
import pytest
from PIL import ExifTags, ImageCms
from PIL import Image as PillowImage


@pytest.fixture
def noise():
    """Make an array of random values, the same every time."""

    def make(*shape, dtype="uint8", seed=0):
        peak = np.iinfo(dtype).max
        return np.random.default_rng(seed).integers(0, peak, shape, dtype=dtype, endpoint=True)

    return make


@pytest.fixture(scope="session")
def smooth():
    """Make a picture without noise, which codecs with loss keep nearly as it is."""
    y, x = np.mgrid[0:40, 0:56].astype(float)
    planes = [128 + 90 * np.sin(x / 9 + k) * np.cos(y / 11 - k) for k in range(3)]
    return np.stack(planes, axis=-1).astype(np.uint8)


@pytest.fixture(scope="session")
def srgb():
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@pytest.fixture(scope="session")
def make_exif():
    def make(orientation):
        exif = PillowImage.Exif()
        exif[ExifTags.Base.Make] = "Camera works"
        exif[ExifTags.Base.Orientation] = orientation
        exif[ExifTags.IFD.Exif] = {ExifTags.Base.DateTimeOriginal: "2024:05:06 07:08:09"}
        exif[ExifTags.IFD.GPSInfo] = {1: "N"}
        return exif.tobytes().removeprefix(b"Exif\0\0")

    return make

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, UnidentifiedImageError
from skimage import data

import pcaimage
from pcaimage.plugins import pillow


@pytest.fixture(autouse=True)
def registered() -> None:
    pillow.register()


def photograph() -> Image.Image:
    return Image.fromarray(data.astronaut()[:96, :120])


def saved(image: Image.Image, **options: object) -> io.BytesIO:
    file = io.BytesIO()
    image.save(file, "PCAI", **options)
    file.seek(0)
    return file


def test_an_image_saved_by_its_ending_opens_again(tmp_path: Path) -> None:
    path = tmp_path / "photo.pcai"
    photograph().save(path, psnr=38.0)
    with Image.open(path) as image:
        assert (image.format, image.mode, image.size) == ("PCAI", "RGB", (120, 96))
        difference = np.asarray(image).astype(float) - np.asarray(photograph())
    assert 10 * np.log10(255**2 / np.square(difference).mean()) == pytest.approx(38, abs=0.05)


def test_pillow_shows_the_pixels_that_the_library_decodes() -> None:
    file = saved(photograph(), k=12, block=4)
    expected = pcaimage.decode(file.getvalue())
    with Image.open(file) as image:
        assert np.array_equal(np.asarray(image), expected)
        assert image.info["components"] == 12


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "I;16"])
def test_modes_come_back(mode: str) -> None:
    image = photograph().convert("L" if mode == "I;16" else mode)
    if mode == "I;16":
        image = Image.fromarray(np.asarray(image).astype(np.uint16) * 257)
    with Image.open(saved(image, variance=0.999)) as again:
        assert again.mode == mode
        again.load()
        assert again.size == image.size


def test_opacity_is_kept_exactly() -> None:
    image = photograph().convert("RGBA")
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    with Image.open(saved(image, k=3)) as again:
        assert np.array_equal(np.asarray(again)[..., 3], np.asarray(image)[..., 3])


def test_a_palette_image_is_saved_in_colour() -> None:
    with Image.open(saved(photograph().quantize(32), k=20)) as again:
        assert again.mode == "RGB"


def test_profile_and_exif_travel() -> None:
    exif = Image.Exif()
    exif[0x010E] = "a description"
    with Image.open(saved(photograph(), k=3, icc_profile=b"profile", exif=exif)) as again:
        assert again.info["icc_profile"] == b"profile"
        assert again.getexif()[0x010E] == "a description"


def test_channels_can_be_chosen() -> None:
    opened = pcaimage.api.open_bytes(saved(photograph(), method="channels", k=2).getvalue())
    assert opened.compressed.header.sampling == pcaimage.Channels()


def test_options_that_contradict_each_other_are_an_os_error() -> None:
    with pytest.raises(OSError, match="not both"):
        saved(photograph(), k=3, psnr=30.0)


def test_a_damaged_file_is_not_identified() -> None:
    damaged = bytearray(saved(photograph(), k=3).getvalue())
    damaged[40] ^= 0xFF
    with pytest.raises(UnidentifiedImageError):
        Image.open(io.BytesIO(damaged))


def test_an_image_of_many_bands_is_not_identified() -> None:
    cube = np.random.default_rng(0).integers(0, 255, (16, 16, 7), dtype=np.uint8)
    with pytest.raises(UnidentifiedImageError):
        Image.open(io.BytesIO(pcaimage.encode(cube, pcaimage.Settings(pcaimage.Channels(), k=2))))


def test_registering_twice_changes_nothing() -> None:
    before = dict(Image.OPEN), list(Image.ID), dict(Image.EXTENSION)
    pillow.register()
    assert (dict(Image.OPEN), list(Image.ID), dict(Image.EXTENSION)) == before


def test_nothing_is_registered_by_importing() -> None:
    code = "import PIL.Image, pcaimage.plugins.pillow; assert 'PCAI' not in PIL.Image.OPEN"
    subprocess.run([sys.executable, "-c", code], timeout=120, check=True)

import numpy as np
import pytest

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import BandInfo, Image, Limits, inspect, read_image, read_stack, write_image


@pytest.fixture
def save(tmp_path, noise):
    def make(*names, channels=1, dtype="uint16"):
        bands = [noise(5, 6, channels, dtype=dtype, seed=seed) for seed in range(len(names))]
        for name, band in zip(names, bands, strict=True):
            write_image(tmp_path / name, Image(band))
        return bands

    return make


@pytest.mark.parametrize(
    ("names", "expected", "wavelengths"),
    [
        (["S2_B2.tif", "S2_B8A.tif", "S2_B10.tif"], ("B2", "B8A", "B10"), ()),
        (["band_1.png", "band_2.png", "band_10.png"], ("1", "2", "10"), ()),
        (
            ["x 450nm.tif", "x 550.5nm.tif", "x 1000nm.tif"],
            ("450nm", "550.5nm", "1000nm"),
            (450, 550.5, 1000),
        ),
    ],
)
def test_files_named_like_bands_are_bands(tmp_path, save, names, expected, wavelengths):
    bands = save(*names)
    found = inspect(tmp_path)
    assert (found.default.kind, found.ambiguous, found.format) == ("bands", False, "FOLDER")
    image = read_image(tmp_path)
    np.testing.assert_array_equal(image.pixels, np.concatenate(bands, axis=-1))
    assert image.bands == BandInfo(expected, wavelengths, unit="nm" if wavelengths else "")
    assert (image.name, image.format, image.file_size) == (tmp_path.name, "FOLDER", None)
    assert read_stack(tmp_path).pixels.shape == (3, 5, 6, 1)


@pytest.mark.parametrize("channels", [1, 3])
def test_other_grey_files_are_a_stack_in_doubt_and_colours_are_images(tmp_path, save, channels):
    images = save("face2.png", "face10.png", channels=channels)
    found = inspect(tmp_path)
    assert (found.default.kind, found.ambiguous) == ("stack", channels == 1)
    np.testing.assert_array_equal(read_image(tmp_path).pixels, images)
    if channels == 1:
        np.testing.assert_array_equal(
            read_image(tmp_path, as_="bands").pixels, np.concatenate(images, axis=-1)
        )
    else:
        with pytest.raises(ImageError, match="cannot be read as bands; it holds 2 images of 6 × 5 pixels"):
            read_image(tmp_path, as_="bands")


def test_the_odd_band_is_named(tmp_path, save):
    save("b1.png", "b2.png")
    write_image(tmp_path / "b3.png", Image(np.zeros((5, 7, 1), np.uint16)))
    with pytest.raises(ImageError, match=r"b3\.png is 7 x 5 pixels of uint16, and b1\.png is 6 x 5"):
        read_image(tmp_path)
    write_image(tmp_path / "b3.png", Image(np.zeros((5, 6, 3), np.uint8)), overwrite=True)
    with pytest.raises(ImageError, match=r"b3\.png is not a band"):
        read_image(tmp_path)
    (tmp_path / "b3.png").write_bytes(b"nothing")
    with pytest.raises(ImageError, match=r"b3\.png is"):
        read_image(tmp_path)


def test_limits_count_all_bands(tmp_path, save):
    save("b1.tif", "b2.tif", dtype="uint8")
    read_image(tmp_path, Limits(max_bytes=60))
    with pytest.raises(ImageTooLargeError):
        read_image(tmp_path, Limits(max_bytes=59))


def test_the_first_band_says_where_on_earth_it_is(tmp_path, noise):
    for number in (1, 2):
        info = BandInfo(nodata=float(number), fields=(("map info", f"{{{number}}}"),))
        write_image(tmp_path / f"b{number}.tif", Image(noise(4, 5, 1).astype(np.int16), bands=info))
    image = read_image(tmp_path)
    assert (image.bands.nodata, image.bands.names, image.bands.fields) == (
        1.0,
        ("b1", "b2"),
        (("map info", "{1}"),),
    )
    assert image.pixels.dtype == np.int16

import errno
import io
import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PillowImage

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import (
    BandInfo,
    Image,
    Limits,
    encode_image,
    inspect,
    read_image,
    read_stack,
    write_image,
)
from pcaimage.imaging.image.bands import Tag
from pcaimage.imaging.writing import folder_write
from pcaimage.imaging.writing.folder_write import write_bands


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


SCALE = Tag(33550, 12, 3, np.array([10.0, 10.0, 0.0], "<f8").tobytes())
KNOWN = BandInfo(
    names=tuple(f"b {letter}" for letter in "abcdefghijkl"),
    wavelengths=tuple(400.5 + 10 * band for band in range(12)),
    widths=(9.5,) * 12,
    unit="nm",
    nodata=-5.0,
    tags=(SCALE,),
    fields=(("sensor type", "unknown"),),
)


def cube(kind="int16", bands=12):
    return np.random.default_rng(0).integers(-9, 9, (5, 8, bands)).astype(kind)


@pytest.mark.parametrize("kind", ["int16", "float32", "uint8", "uint16"])
@pytest.mark.sweep(2)
def test_a_folder_of_bands_is_read_as_it_was_written(tmp_path, kind):
    array = np.abs(cube(kind)) if kind.startswith("u") else cube(kind)
    files = write_bands(tmp_path / "bands", Image(array, bands=KNOWN))
    assert [file.name for file in files] == [f"band_{number:03d}.tif" for number in range(1, 13)]
    found = inspect(tmp_path / "bands")
    assert (found.default.kind, found.ambiguous) == ("bands", False)
    image = read_image(tmp_path / "bands")
    assert image.pixels.dtype == kind
    assert np.array_equal(image.pixels, array)
    assert replace(image.bands, tags=()) == replace(KNOWN, tags=())
    assert SCALE in image.bands.tags
    assert read_image(files[3]).bands.names == KNOWN.names[3:4]
    write_bands(tmp_path / "unknown", Image(array[..., :3]))
    assert read_image(tmp_path / "unknown").bands == BandInfo(names=("001", "002", "003"))


def test_files_are_replaced_only_when_asked_and_others_would_be_taken_for_bands(tmp_path):
    image = Image(cube())
    (tmp_path / "bands").mkdir()
    write_bands(tmp_path / "bands", image)
    with pytest.raises(ImageError, match=r"band_001\.tif already exists"):
        write_bands(tmp_path / "bands", image)
    write_bands(tmp_path / "bands", Image(cube() + 1), overwrite=True)
    assert np.array_equal(read_image(tmp_path / "bands").pixels, cube() + 1)
    with pytest.raises(ImageError, match=r"has band_004\.tif in it, which would be taken for a band"):
        write_bands(tmp_path / "bands", Image(cube(bands=3)), overwrite=True)


def test_what_does_not_fit_is_refused(tmp_path):
    with pytest.raises(ImageError, match="cannot hold a stack"):
        write_bands(tmp_path / "a", Image(np.zeros((2, 3, 4, 1), np.uint8)))
    with pytest.raises(ImageError, match="cannot hold transparency"):
        write_bands(tmp_path / "a", Image(np.zeros((3, 4, 1), np.uint8), np.zeros((3, 4), np.uint8)))
    (tmp_path / "file").touch()
    with pytest.raises(ImageError, match="is a file"):
        write_bands(tmp_path / "file", Image(cube()))
    with pytest.raises(ImageError, match="cannot be written"):
        write_bands(tmp_path / "none" / "bands", Image(cube()))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("there", [0, 12])
def test_a_full_disk_leaves_a_folder_as_it_was(tmp_path, monkeypatch, there):
    folder = tmp_path / "bands"
    folder.mkdir()
    if there:
        write_bands(folder, Image(cube()))
    (folder / "notes.txt").write_text("kept")
    before, left = contents(folder), iter(range(7))

    def write(path, image, **options):
        if next(left, None) is None:
            raise ImageError(f"{path.name} cannot be saved: there is not enough space on the disk.")
        write_image(path, image, **options)

    monkeypatch.setattr(folder_write, "write_image", write)
    with pytest.raises(ImageError, match=r"band_008\.tif cannot be saved: there is not enough space"):
        write_bands(folder, Image(cube() + 1), overwrite=bool(there))
    assert contents(folder) == before


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("there", [0, 5, 12])
@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.sweep(8)
def test_what_was_moved_is_put_back_when_a_file_cannot_be_moved(
    tmp_path, monkeypatch, *, there, links, error
):
    folder = tmp_path / "bands"
    folder.mkdir()
    write_bands(folder, Image(cube()))
    for path in sorted(folder.iterdir())[there:]:
        path.unlink()
    before = contents(folder)
    replace_file = Path.replace

    def move(path, target):
        if path.name == target.name == "band_008.tif":
            raise error
        return replace_file(path, target)

    def link(*_):
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(Path, "replace", move)
    if not links:
        monkeypatch.setattr(os, "link", link)
    with pytest.raises(ImageError if isinstance(error, OSError) else KeyboardInterrupt):
        write_bands(folder, Image(cube() + 1), overwrite=True)
    assert contents(folder) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_a_pipe_among_the_bands_leaves_a_folder_as_it_was(tmp_path):
    folder = tmp_path / "bands"
    folder.mkdir()
    os.mkfifo(folder / "band_002.tif")
    with pytest.raises(ImageError, match=r"band_002\.tif is a pipe"):
        write_bands(folder, Image(cube()), overwrite=True)
    assert [path.name for path in folder.iterdir()] == ["band_002.tif"]


def test_files_are_private_if_those_that_they_replace_are(tmp_path):
    files = write_bands(tmp_path / "bands", Image(cube()))
    files[0].chmod(0o600)
    write_bands(tmp_path / "bands", Image(cube() + 1), overwrite=True)
    assert [stat.S_IMODE(path.stat().st_mode) for path in files[:2]] == [0o600, 0o666 & ~umask()]


def umask():
    now = os.umask(0)
    os.umask(now)
    return now


@pytest.fixture
def folder(tmp_path, noise):
    for number in (10, 2, 1):
        write_image(tmp_path / f"frame{number}.png", Image(noise(5, 6, 3, seed=number)))
    (tmp_path / "notes.txt").write_text("not an image")
    (tmp_path / ".hidden.png").write_bytes(b"")
    return tmp_path


def test_a_folder_is_read_in_natural_order_and_a_list_in_its_own(folder, noise):
    stack = read_stack(folder)
    np.testing.assert_array_equal(stack.pixels, [noise(5, 6, 3, seed=number) for number in (1, 2, 10)])
    assert (stack.name, stack.file_size) == (folder.name, None)
    stack = read_stack([folder / "frame10.png", str(folder / "frame1.png")])
    np.testing.assert_array_equal(stack.pixels, [noise(5, 6, 3, seed=number) for number in (10, 1)])
    assert stack.name == "frame10.png"


@pytest.mark.parametrize(
    ("odd", "difference"),
    [
        (np.zeros((5, 7, 3), np.uint8), "7 x 5 pixels with 3 channels of 8 bits"),
        (np.zeros((5, 6, 1), np.uint8), "6 x 5 pixels with 1 channel of 8 bits"),
        (np.zeros((5, 6, 3), np.uint16), "6 x 5 pixels with 3 channels of 16 bits"),
    ],
)
def test_the_odd_one_is_named(folder, odd, difference):
    write_image(folder / "frame3.png", Image(odd))
    with pytest.raises(ImageError, match=f"frame3.png is {difference}, and frame1.png is 6 x 5"):
        read_stack(folder)


def test_the_damaged_one_is_named(folder):
    (folder / "frame2.png").write_bytes((folder / "frame2.png").read_bytes()[:50])
    with pytest.raises(ImageError, match=r"frame2\.png is damaged"):
        read_stack(folder)


def test_images_without_alpha_count_as_opaque(noise):
    alpha = noise(5, 6)
    plain, clear = Image(noise(5, 6, 3)), Image(noise(5, 6, 3), alpha)
    for order in ([plain, clear], [clear, plain]):
        stack = read_stack([encode_image(image, "PNG") for image in order])
        expected = [np.full((5, 6), 255) if image is plain else alpha for image in order]
        np.testing.assert_array_equal(stack.alpha, expected)


def test_limits_hold_for_all_images_together(folder):
    read_stack(folder, Limits(max_bytes=270))
    with pytest.raises(ImageTooLargeError, match="x 3 images"):
        read_stack(folder, Limits(max_bytes=269))


def test_nothing_is_no_stack_nor_a_folder_that_may_not_be_read(tmp_path, monkeypatch):
    with pytest.raises(ImageError, match="at least one"):
        read_stack([])
    with pytest.raises(ImageError, match="has no images in it"):
        read_stack(tmp_path)

    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.iterdir", refuse)
    monkeypatch.setattr("pathlib.Path.stat", refuse)  # of what is in it
    for read in (read_stack, inspect):
        with pytest.raises(ImageError, match="may not be read"):
            read(tmp_path)


@pytest.mark.parametrize(
    ("height", "cut", "message"),
    [(9, None, r"page 2 is 90 x 9 .* page 1 is 90 x 80"), (80, -7000, "damaged")],
)
def test_an_odd_or_damaged_page_is_an_image_error(noise, height, cut, message):
    buffer, pages = io.BytesIO(), [PillowImage.fromarray(noise(side, 90)) for side in (80, height)]
    pages[0].save(buffer, "TIFF", save_all=True, append_images=pages[1:])
    with pytest.raises(ImageError, match=message):
        read_stack(buffer.getvalue()[:cut])

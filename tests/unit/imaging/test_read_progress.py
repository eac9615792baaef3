"""Progress of reading files."""

import io
import struct

import numpy as np
import pytest
import tifffile
from PIL import Image as Pillow

from pcaimage.errors import Cancelled, ImageError
from pcaimage.imaging import Image, encode_image, read_image, read_stack, write_image
from pcaimage.imaging.image.pixels import recut
from pcaimage.imaging.image.source import CountingFile
from pcaimage.imaging.reading.glimpse import read_glimpse
from pcaimage.progress import no_progress

NOISE = np.random.default_rng(1).integers(0, 256, (300, 400, 3), np.uint8)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF", "BMP"])
def test_progress_is_the_share_of_the_file_that_the_decoder_has_read(name):
    data, told = encode_image(Image(NOISE), name), list[tuple[int, int]]()
    image = read_image(data, progress=lambda done, total: told.append((done, total)))
    np.testing.assert_array_equal(image.pixels, read_image(data).pixels)
    assert {total for _, total in told} == {len(data)}
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert done[-1] > 0.9 * len(data)
    assert name == "TIFF" or max(np.diff(done)) < 0.75 * len(data)  # TIFF is read by megabytes


def test_sixteen_bits_are_read_twice_and_formats_that_are_read_before_they_are_decoded_tell_nothing():
    data, told = encode_image(Image(NOISE.astype(np.uint16) * 257), "PNG"), list[int]()
    read_image(data, progress=lambda done, _: told.append(done))
    assert max(told) < len(data)
    told.clear()
    for name in ("WEBP", "AVIF"):
        read_image(encode_image(Image(NOISE[:40, :40]), name), progress=lambda done, _: told.append(done))
    assert not told


def test_progress_of_stacks_counts_images(tmp_path):
    files = [tmp_path / f"{number}.png" for number in range(3)]
    for file in files:
        write_image(file, Image(NOISE[:20, :20]))
    buffer, told = io.BytesIO(), list[tuple[int, int]]()
    frames = [Pillow.fromarray(NOISE[top : top + 9, :9]) for top in (0, 20, 40)]
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])
    for source in (files, tmp_path, buffer.getvalue()):
        told.clear()
        read_stack(source, progress=lambda done, total: told.append((done, total)))
        assert told == [(1, 3), (2, 3), (3, 3)]


def test_reading_can_be_cancelled():
    def cancel(done, total):
        if done > total / 3:
            raise Cancelled

    for name in ("PNG", "JPEG", "TIFF"):
        data = encode_image(Image(NOISE), name)
        with pytest.raises(Cancelled):
            read_image(data, progress=cancel)
        with pytest.raises(ImageError):
            read_image(data[:9000], progress=lambda *_: None)


def test_a_counted_file_is_the_file():
    data = NOISE.tobytes()
    file, into = CountingFile(io.BytesIO(data), no_progress), np.zeros(5, np.uint8)
    assert file.read() == data
    assert file.seek(-4, io.SEEK_END) == file.tell() == len(data) - 4
    assert (file.read(10), file.read(10)) == (data[-4:], b"")
    file.seek(3)
    assert (file.readinto(into.data), into.tobytes()) == (5, data[3:8])
    assert (file.readable(), file.seekable()) == (True, True)


LINES = np.arange(60).reshape(20, 3)


@pytest.mark.parametrize("given", [[20], [1] * 20, [7, 0, 6, 7], [3, 17]])
@pytest.mark.parametrize("wanted", [[20], [1] * 20, [8, 8, 4], [19, 1], [5, 5, 5, 5]])
def test_lines_are_the_same_in_strips_of_other_lengths(given, wanted):
    found = list(recut(np.split(LINES, np.cumsum(given)[:-1]), wanted))
    assert [len(strip) for strip in found] == wanted
    np.testing.assert_array_equal(np.concatenate(found), LINES)


def test_the_last_strip_is_shorter_where_lines_run_out():
    assert [len(strip) for strip in recut([LINES[:11]], [8, 8, 8])] == [8, 3]


def test_a_strip_is_there_before_the_next_lines_are_made():
    made = list[int]()

    def strips():
        for start in range(0, 20, 5):
            made.append(start)
            yield LINES[start : start + 5]

    found = recut(strips(), [10, 10])
    next(found)
    assert made == [0, 5]


def jpeg(height, width, mode="RGB", orientation=1):
    y, x = np.mgrid[:height, :width]
    planes = [255 * x / width, 255 * y / height, 255 - 255 * x / width, 0 * x]
    planes = planes[: {"L": 1, "RGB": 3, "CMYK": 4}[mode]]
    pixels = np.stack(planes, axis=-1).astype(np.uint8).squeeze()
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    Pillow.fromarray(pixels, mode).save(buffer, "JPEG", quality=90, exif=exif)
    return buffer.getvalue()


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("orientation", [1, 6, 8])
@pytest.mark.sweep(3)
def test_a_glimpse_looks_like_the_photograph_and_is_no_smaller_than_asked_for(mode, orientation):
    data = jpeg(320, 480, mode, orientation)
    whole, small = read_image(data).pixels, read_glimpse(data, 40)
    height, width = (40, 60) if orientation == 1 else (60, 40)
    assert small.shape == (height, width, 1 if mode == "L" else 3)
    means = whole.reshape(height, 8, width, 8, -1).mean(axis=(1, 3))
    assert np.abs(means - small).max() < 12
    assert read_glimpse(data, 100).shape == (4 * height, 4 * width, small.shape[2])
    assert read_glimpse(jpeg(64, 48), 100).shape == (64, 48, 3)


def test_what_has_no_glimpse_or_a_damaged_one_has_none():
    whole, pngs = described(jpeg(30, 40)), []
    for exif in (b"", whole[:60], whole[:36], whole[:56] + b"no JPEG at all" * 30):
        buffer = io.BytesIO()
        Pillow.new("RGB", (400, 300), "white").save(buffer, "PNG", exif=exif)
        pngs.append(buffer.getvalue())
    for data in (*pngs, b"", b"no image", jpeg(320, 480)[:300]):
        assert read_glimpse(data) is None


def described(preview, orientation=1):
    """Return EXIF entries with a small JPEG in the second directory; 1 is not written as an orientation."""
    tag = 0x0128 if orientation == 1 else 0x0112
    first = struct.pack("<HHHIHHI", 1, tag, 3, 1, orientation, 0, 26)
    second = struct.pack("<HHHIIHHIII", 2, 513, 4, 1, 26 + 30, 514, 4, 1, len(preview), 0)
    return b"II*\0" + struct.pack("<I", 8) + first + second + preview


@pytest.mark.parametrize(("name", "orientation"), [("PNG", 6), ("WEBP", 8), ("AVIF", 1)])
def test_a_small_jpeg_among_exif_entries_is_a_glimpse(name, orientation):
    buffer = io.BytesIO()
    Pillow.new("RGB", (400, 300), "white").save(buffer, name, exif=described(jpeg(30, 40), orientation))
    small = read_glimpse(buffer.getvalue())
    assert small.shape == ((30, 40, 3) if orientation == 1 else (40, 30, 3))  # turned like the image
    assert np.ptp(small) > 200


def test_a_reduced_page_of_a_tiff_is_a_glimpse():
    sides = {400: 10, 200: 60, 100: 120, 50: 180}
    buffer = io.BytesIO()
    with tifffile.TiffWriter(buffer) as tif:
        for number, (side, value) in enumerate(sides.items()):
            pixels = np.full((side, side + 10, 3), value, np.uint8)
            beside = {"subifds": 3} if not number else {"subfiletype": 1}
            tif.write(pixels, photometric="rgb", **beside)
    for wanted, side in ((20, 50), (80, 100), (150, 200), (300, 200)):
        small = read_glimpse(buffer.getvalue(), wanted)
        assert small.shape == (side, side + 10, 3)
        assert (small == sides[side]).all()


def test_a_preview_in_a_tiff_is_a_glimpse():
    preview, pixels = jpeg(30, 40), np.zeros((300, 400, 3), np.uint8)

    def tiff(place):
        buffer = io.BytesIO()
        # tifffile leaves these two tags to itself, so others are written and renamed.
        tags = [(60513, 4, 1, place, True), (60514, 4, 1, len(preview), True), (274, 3, 1, 8, True)]
        tifffile.imwrite(buffer, pixels, photometric="rgb", extratags=tags, metadata=None)
        found = buffer.getvalue()
        for written, wanted in ((60513, 513), (60514, 514)):
            found = found.replace(struct.pack("<HHI", written, 4, 1), struct.pack("<HHI", wanted, 4, 1))
        return found

    small = read_glimpse(tiff(len(tiff(0))) + preview)
    assert small.shape == (40, 30, 3)
    assert read_glimpse(tiff(len(tiff(0))) + b"no JPEG" * 99) is None


def test_jpeg_2000_is_decoded_at_a_lower_resolution():
    y, x = np.mgrid[:512, :768]
    pixels = np.stack([x // 4, y // 2, x // 8 + y // 8], axis=-1).astype(np.uint8)
    buffer = io.BytesIO()
    Pillow.fromarray(pixels).save(buffer, "JPEG2000")
    small = read_glimpse(buffer.getvalue(), 100)
    assert small.shape == (128, 192, 3)
    assert np.abs(small.astype(int) - pixels[2::4, 2::4]).max() < 6
    assert read_glimpse(buffer.getvalue(), 300) is None  # it would have to be decoded whole

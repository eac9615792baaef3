"""Progress of reading files."""

import io

import numpy as np
import pytest
from PIL import Image as Pillow

from pcaimage.errors import Cancelled, ImageError
from pcaimage.imaging import Image, encode_image, read_image, read_stack, write_image
from pcaimage.imaging.image.pixels import recut
from pcaimage.imaging.image.source import CountingFile
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

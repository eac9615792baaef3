"""Files are the same whether an image is there or comes line by line, and nothing is left of half of one."""

import errno
import io
import zipfile

import numpy as np
import pytest

from pcaimage.errors import DataError, ImageError
from pcaimage.imaging import Image, read_image, write_image
from pcaimage.imaging.disk import atomic as temporary_module
from pcaimage.imaging.image.image import ImageStream

ALL = ("png", "tif", "bmp", "npy", "npz", "hdr", "jpg", "webp", "jp2")
CASES = [
    *((suffix, "uint8", channels, False) for suffix in ALL for channels in (1, 3)),
    *((suffix, "uint16", channels, False) for suffix in ("png", "tif", "npy", "hdr") for channels in (1, 3)),
    *(("png", dtype, channels, True) for dtype in ("uint8", "uint16") for channels in (1, 3)),
    *(("tif", dtype, channels, True) for dtype in ("uint8", "uint16") for channels in (1, 2, 3, 5)),
    *((suffix, dtype, 7, False) for suffix in ("tif", "npy", "npz", "hdr") for dtype in ("int16", "float32")),
    ("npz", "uint16", 2, True),
]


def streamed(image, *, lines=5, error=None):
    """Return a stream that yields some lines at a time, and then perhaps raises an error."""

    def strips():
        half = len(image.pixels) // 2
        for start in range(0, len(image.pixels), lines):
            if error is not None and start >= half:
                raise error
            yield image.pixels[start : start + lines]

    whole = ImageStream.of(image)
    return ImageStream(
        *(whole.shape, whole.dtype, strips(), image.alpha),
        icc_profile=image.icc_profile,
        exif=image.exif,
        bands=image.bands,
    )


def made(noise, dtype, channels, *, alpha, **more):
    pixels = noise(43, 17, channels, dtype="uint16" if dtype in {"int16", "float32"} else dtype)
    opacity = noise(43, 17, dtype=dtype, seed=1) if alpha else None
    return Image(pixels.astype(dtype), opacity, **more)


@pytest.mark.parametrize(("suffix", "dtype", "channels", "alpha"), CASES)
@pytest.mark.sweep(7)
def test_a_stream_makes_the_same_file(noise, srgb, make_exif, tmp_path, suffix, dtype, channels, *, alpha):
    image = made(noise, dtype, channels, alpha=alpha, icc_profile=srgb, exif=make_exif(1))
    names = (f"whole.{suffix}", f"stream.{suffix}")
    write_image(tmp_path / names[0], image)
    reported = list[tuple[int, int]]()
    write_image(tmp_path / names[1], streamed(image), lambda *done: reported.append(done))
    files = [(tmp_path / name) for name in names]
    if suffix == "npz":  # an archive has the time in it
        first, second = ({n: a.read(n) for n in a.namelist()} for a in map(zipfile.ZipFile, files))
        assert first == second
    else:
        assert files[0].read_bytes() == files[1].read_bytes()
    if suffix == "hdr":
        assert (tmp_path / "whole.img").read_bytes() == (tmp_path / "stream.img").read_bytes()
    if suffix not in {"jpg", "webp"}:
        np.testing.assert_array_equal(
            read_image(files[1], as_="bands" if channels > 3 else None).pixels, image.pixels
        )
    if suffix not in {"jpg", "webp", "jp2"}:
        assert reported[-1][0] == reported[-1][1]
        shares = [done / total for done, total in reported]
        assert shares == sorted(shares)


@pytest.mark.parametrize("suffix", ["tif", "npy", "npz"])
def test_a_stack_is_streamed_image_by_image(noise, tmp_path, suffix):
    stack = Image(noise(11, 9, 7, 3), noise(11, 9, 7) if suffix != "npy" else None)
    write_image(tmp_path / f"stack.{suffix}", streamed(stack, lines=4))
    again = read_image(tmp_path / f"stack.{suffix}", as_="stack")
    np.testing.assert_array_equal(again.pixels, stack.pixels)
    if stack.alpha is not None and suffix == "tif":
        np.testing.assert_array_equal(again.alpha, stack.alpha)


@pytest.mark.parametrize("suffix", ALL)
@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (DataError("damaged"), DataError),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (MemoryError(), (ImageError, MemoryError)),
    ],
)
@pytest.mark.sweep(7)
def test_a_stream_that_breaks_off_leaves_nothing(smooth, tmp_path, suffix, error, raised):
    path = tmp_path / f"a.{suffix}"
    with pytest.raises(raised):
        write_image(path, streamed(Image(smooth), error=error))
    assert not list(tmp_path.iterdir())
    path.write_bytes(b"precious")
    with pytest.raises(raised):
        write_image(path, streamed(Image(smooth), error=error), overwrite=True)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {path.name: b"precious"}


@pytest.mark.parametrize("suffix", ["png", "tif", "bmp", "npy", "npz", "hdr"])
def test_a_disk_that_fills_up_on_the_way_is_told_and_leaves_nothing(noise, tmp_path, monkeypatch, suffix):
    class Full(io.FileIO):
        def write(self, data):
            if self.tell() + memoryview(data).nbytes > 3000:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data)

    def opened(path, mode, opener):
        full = Full(opener(), mode.replace("b", ""))
        full.name = str(path)
        return io.BufferedRandom(full, 64)

    monkeypatch.setattr(temporary_module, "open", opened, raising=False)
    stream, closed = streamed(Image(noise(60, 50, 3))), list[bool]()

    def watched():
        try:
            yield from stream.strips
        finally:
            closed.append(True)

    with pytest.raises(ImageError, match="not enough space"):
        write_image(tmp_path / f"a.{suffix}", ImageStream(stream.shape, stream.dtype, watched()))
    assert not list(tmp_path.iterdir())
    assert closed == [True]


def test_what_a_format_cannot_hold_is_refused_before_pixels_are_made(tmp_path):
    taken = list[bool]()

    def strips():
        taken.append(True)
        yield np.zeros((2, 2, 5), np.uint8)

    with pytest.raises(ImageError, match="5 bands"):
        write_image(tmp_path / "a.png", ImageStream((2, 2, 5), np.dtype(np.uint8), strips()))
    assert not taken


def test_a_stream_becomes_an_image(noise):
    image = made(noise, "uint8", 3, alpha=True, exif=b"MM\0*exif", name="a.png")
    again = ImageStream.of(image).image()
    np.testing.assert_array_equal(again.pixels, image.pixels)
    assert (again.exif, again.name) == (image.exif, image.name)

import io
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import BandInfo, Image, Limits, encode_image, inspect, probe, read_image, read_stack


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def lying(shape, kind="|u1", values=b"", order="False"):
    """Make a file with any header."""
    text = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + values


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["u1", "<u2", ">u2", "<i2", ">i2", "<f4", ">f4", "<f8", "<f2", "i1", "?"])
@pytest.mark.sweep(8)
def test_every_type_and_order_is_read(order, dtype):
    values = np.random.default_rng(1).integers(0, 2, (6, 5, 9)).astype(dtype)
    image = read_image(npy(np.asarray(values, order=order)), as_="bands")
    np.testing.assert_array_equal(image.pixels, values * (255 if dtype == "?" else 1))
    kinds = {"?": "uint8", "i1": "uint16", "f8": "float32", "f2": "float32"}
    names = {"u1": "uint8", "u2": "uint16", "i2": "int16", "f4": "float32"}
    assert image.pixels.dtype == (kinds | names)[dtype.strip("<>")]


@pytest.mark.parametrize(
    ("shape", "ambiguous", "expected"),
    [
        ((7, 9), False, [(7, 9, 1)]),
        ((7, 9, 3), False, [(7, 9, 3)]),
        ((7, 9, 1), False, [(7, 9, 1)]),
        ((145, 145, 200), True, [(145, 145, 200), (145, 145, 200, 1)]),
        ((198, 100, 100), True, [(100, 100, 198), (198, 100, 100, 1)]),
        ((5, 70, 90), True, [(70, 90, 5), (5, 70, 90, 1)]),
        ((6000, 28, 28), True, [(6000, 28, 28, 1), (28, 28, 6000)]),
        ((10, 28, 28, 1), False, [(10, 28, 28, 1)]),
        ((10, 3, 8, 9), False, [(10, 8, 9, 3)]),
    ],
)
def test_axes_are_guessed_and_doubt_is_told(shape, *, ambiguous, expected):
    found = inspect(npy(np.zeros(shape, np.uint8)))
    assert found.ambiguous == ambiguous
    if shape == (145, 145, 200):
        expected = [(145, 145, 200), (200, 145, 145, 1)]
    assert [each.shape for each in found.readings] == expected


def test_first_axis_as_bands_or_images_and_channels_before_rows(noise):
    array, colours = noise(6, 9, 9), noise(5, 3, 8, 9)
    np.testing.assert_array_equal(read_image(npy(array)).pixels, np.moveaxis(array, 0, -1))
    np.testing.assert_array_equal(read_image(npy(array), as_="stack").pixels[..., 0], array)
    np.testing.assert_array_equal(read_stack(npy(array)).pixels[..., 0], array)
    np.testing.assert_array_equal(read_image(npy(colours)).pixels, np.moveaxis(colours, 1, -1))


def test_an_archive_gives_its_largest_array_or_the_one_that_is_asked_for(noise):
    labels = np.arange(50) % 10
    data = npz(
        x_train=noise(50, 8, 8, 1), y_train=labels, x_test=noise(7, 8, 8, 1, seed=1), y_test=labels[:7]
    )
    found = inspect(data)
    assert (found.members, found.labels, found.default.shape) == (
        ("x_train", "x_test"),
        "y_train",
        (50, 8, 8, 1),
    )
    image = read_image(data)
    np.testing.assert_array_equal(image.pixels, noise(50, 8, 8, 1))
    assert image.labels is not None
    np.testing.assert_array_equal(image.labels, labels)
    np.testing.assert_array_equal(read_image(data, member="x_test").pixels, noise(7, 8, 8, 1, seed=1))
    with pytest.raises(ImageError, match=r"no array 'y_test' .* it has x_train, x_test"):
        read_image(data, member="y_test")


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_an_archive_is_written_and_read_again(noise, dtype):
    info = BandInfo(tuple("abcdef"), (1.5, 2, 3, 4, 5, 6), unit="µm", nodata=7, fields=(("map info", "{x}"),))
    image = Image(noise(8, 9, 6).astype(dtype), bands=info)
    again = read_image(encode_image(image, "npz"))
    np.testing.assert_array_equal(again.pixels, image.pixels)
    assert again.pixels.dtype == dtype
    assert again.bands == info
    again = read_image(encode_image(image, "npy"), as_="bands")
    np.testing.assert_array_equal(again.pixels, image.pixels)


def test_plain_lists_beside_the_pixels_describe_bands(noise):
    data = npz(cube=noise(8, 9, 5), wavelengths=[1, 2, 3, 4, 5], names=list("abcde"), unit="um", nodata=-1.0)
    assert read_image(data).bands == BandInfo(tuple("abcde"), (1, 2, 3, 4, 5), unit="µm", nodata=-1)
    data = npz(cube=noise(8, 9, 5), wavelengths=[1, 2], names=[1, 2, 3, 4, 5], unit=7, nodata="x")
    assert read_image(data).bands == BandInfo()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lying("(0, 5)"), "is empty: its array has 0 x 5 values"),
        (lying("(5,)"), r"has the shape \(5,\), which `pcaimage encode` keeps"),
        (lying("()"), r"shape \(\)"),
        (lying("(1, 1, 1, 1, 1)"), r"shape \(1, 1, 1, 1, 1\)"),
        (lying("(5, 5)", "|O"), "Python objects"),
        (lying("(5, 5)", "<c8"), "complex numbers"),
        (lying("(5, 5)", "<U3"), "values of type"),
        (lying("(5, 5)", "|u1", bytes(24)), "5 x 5 values of type uint8 take 25 bytes, but there are 24"),
        (lying("(-5, -5)"), "is empty"),
        (lying("(5.5, 5)"), "damaged"),
        (lying("'no'"), "damaged"),
        (lying("(5, 5)", "<f8", np.full(25, 1e300).tobytes()), "real numbers that 32 bits hold"),
        (lying("(5, 5)", "<i4", np.full(25, 70000, "<i4").tobytes()), "int32; only whole numbers"),
        (b"\x93NUMPY\x09\x00" + bytes(99), "version 9.0"),
        (b"\x93NUMPY", "damaged"),
    ],
)
def test_broken_files_give_one_sentence(data, message):
    with pytest.raises(ImageError, match=message):
        read_image(data)


def test_absurd_sizes_are_refused_before_memory_is_taken(tmp_path):
    (tmp_path / "a.npy").write_bytes(lying(f"({2**40}, {2**40})"))
    for source in (lying(f"({2**40}, {2**40})"), tmp_path / "a.npy"):
        with pytest.raises(ImageTooLargeError):
            read_image(source)
    with pytest.raises(ImageTooLargeError):
        read_image(npz(a=np.zeros((70, 70), np.uint8)), Limits(max_pixels=4899))


def test_archives_without_images_or_cut_short_anywhere_are_refused(noise):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("readme.txt", "no arrays")
    for empty in (npz(labels=np.arange(4), names=["a"]), buffer.getvalue()):
        with pytest.raises(ImageError, match="no array that can be an image"):
            read_image(empty)
    data = npz(a=noise(9, 9, 9), wavelengths=np.arange(9.0))
    for cut in range(0, len(data), 7):
        with pytest.raises(ImageError):
            read_image(data[:cut])


@given(st.binary(max_size=60), st.integers(0, 127))
def test_any_header_gives_an_image_or_one_sentence(values, place):
    data = bytearray(npy(np.zeros((3, 4, 5), "<i2")))
    data[place : place + len(values)] = values
    try:
        found = inspect(bytes(data))
        read_image(bytes(data), Limits(10**4, 10**6))
    except ImageError as error:
        message = str(error)
        assert message.endswith(".")
    else:
        assert found.format


def test_a_stream_may_be_read_and_probed(noise):
    array = noise(8, 9, 7, dtype="uint16").astype(np.int16)
    header = probe(io.BytesIO(npy(array)))
    assert (header.width, header.height, header.channels, header.dtype) == (9, 8, 7, "int16")
    np.testing.assert_array_equal(read_image(io.BytesIO(npy(array))).pixels, array)

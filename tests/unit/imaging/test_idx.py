import gzip
import struct

import numpy as np
import pytest

from pcaimage.errors import ImageError
from pcaimage.imaging import inspect, probe, read_image, read_stack
from pcaimage.imaging.cubes.idx import read_labels

CODES = {"u1": 8, "i1": 9, ">i2": 11, ">i4": 12, ">f4": 13, ">f8": 14}
DIGITS = np.random.default_rng(7).integers(0, 256, (12, 7, 5)).astype("u1")


def idx(array, kind="u1"):
    return (
        struct.pack(f">BBBB{array.ndim}I", 0, 0, CODES[kind], array.ndim, *array.shape)
        + array.astype(kind).tobytes()
    )


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("u1", "uint8"),
        ("i1", "int16"),
        (">i2", "int16"),
        (">i4", "int16"),
        (">f4", "float32"),
        (">f8", "float32"),
    ],
)
def test_every_type_is_read(pack, kind, dtype):
    values = DIGITS if kind == "u1" else DIGITS.astype(int) // 2 - 64
    data = idx(values, kind)
    stack, header = read_image(pack(data)), probe(idx(DIGITS)[:20])
    np.testing.assert_array_equal(stack.pixels[..., 0], values)
    assert (stack.pixels.dtype, stack.is_stack, stack.format) == (dtype, True, "IDX")
    # The header is enough to tell what it is.
    assert (header.frames, header.width, header.height, header.dtype) == (12, 5, 7, "uint8")
    np.testing.assert_array_equal(read_image(idx(values[0], kind)).pixels[..., 0], values[0])
    colour = np.arange(2 * 3 * 4 * 3).reshape(2, 3, 4, 3)
    np.testing.assert_array_equal(read_image(idx(colour, kind)).pixels, colour)


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("labels_ending", ["", ".gz"])
def test_labels_beside_the_images_are_found(tmp_path, ending, labels_ending):
    path, labels = tmp_path / f"t-images-idx3-ubyte{ending}", tmp_path / f"t-labels-idx1-ubyte{labels_ending}"
    path.write_bytes(gzip.compress(idx(DIGITS)) if ending else idx(DIGITS))
    data = idx(np.arange(12))
    labels.write_bytes(gzip.compress(data) if labels_ending else data)
    found = inspect(path)
    assert (found.default.kind, found.ambiguous, found.labels) == ("stack", False, str(labels))
    stack = read_stack(path)
    assert stack.labels.tolist() == list(range(12))
    labels.write_bytes(idx(np.arange(11)))
    assert read_image(path).labels is None


def test_labels_alone_are_no_images():
    with pytest.raises(ImageError, match="holds 12 labels; open the file of their images"):
        read_image(idx(np.arange(12)))
    assert read_labels(idx(np.arange(12))).tolist() == list(range(12))
    with pytest.raises(ImageError, match="12 labels for 13 images"):
        read_labels(idx(np.arange(12)), 13)
    with pytest.raises(ImageError, match="holds no labels"):
        read_labels(idx(DIGITS))
    with pytest.raises(ImageError, match="cut short"):
        read_labels(idx(np.arange(12))[:-1])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (idx(DIGITS)[:-1], "12 x 7 x 5 values of type uint8 take 420 bytes, but there are 419"),
        (gzip.compress(idx(DIGITS)[:-1]), "but there are 419"),
        (gzip.compress(idx(DIGITS))[:-20], "damaged"),
        (gzip.compress(b"something else"), "not an IDX file; other gzipped files"),
        (b"\x1f\x8b" + bytes(30), "damaged"),
        (idx(DIGITS)[:9], "cut short in its header"),
        (struct.pack(">BBBB", 0, 0, 8, 0), "cut short in its header"),
        (idx(np.zeros((1, 1, 1, 1, 1))), "array of 5 axes"),
        (idx(np.zeros((0, 7, 5))), "is empty: its array has 0 x 7 x 5"),
    ],
    ids=range(9),
)
def test_broken_files_give_one_sentence(data, message):
    with pytest.raises(ImageError, match=message):
        read_image(data)

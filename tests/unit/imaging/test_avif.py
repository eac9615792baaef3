"""AVIF of ten and twelve bits a channel, with and without the decoder of all of them."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from pcaimage.imaging import inspect, probe, read_image
from tests.deep_avif import CLEAR, COLOUR


def ramp(bits, *shape):
    """Return the values of a file."""
    count = int(np.prod(shape))
    return (np.arange(count).reshape(shape) * ((1 << bits) - 1) // (count - 1)).astype(np.uint16)


def scaled(values, bits):
    return np.round(values * (65535 / ((1 << bits) - 1))).astype(np.uint16)


FILES = [(COLOUR, ramp(10, 3, 5, 3), 10), (CLEAR, ramp(12, 2, 4, 2), 12)]


@pytest.mark.parametrize("stands_in", [True, False])
@pytest.mark.parametrize(("file", "values", "bits"), FILES)
def test_all_bits_are_read_where_the_package_is_installed(monkeypatch, file, values, bits, *, stands_in):
    if stands_in:
        package = SimpleNamespace(AVIF=SimpleNamespace(available=True), avif_decode=lambda _: values)
        monkeypatch.setitem(sys.modules, "imagecodecs", package)
    else:
        pytest.importorskip("imagecodecs")
    image, header = read_image(file), probe(file)
    wanted = scaled(values, bits)
    assert image.stored_bits is None
    assert (header.bits, header.channels, header.has_alpha) == (16, 3, image.alpha is not None)
    assert inspect(file).dtype == image.pixels.dtype == "uint16"
    if image.alpha is None:
        assert image.pixels.max() == 65535
        np.testing.assert_array_equal(image.pixels, wanted)
    else:
        np.testing.assert_array_equal(image.pixels, np.repeat(wanted[..., :1], 3, axis=-1))
        np.testing.assert_array_equal(image.alpha, wanted[..., 1])


@pytest.mark.parametrize(("file", "values", "bits"), FILES)
def test_without_it_eight_are_read_and_the_image_says_so(monkeypatch, file, values, bits):
    monkeypatch.setitem(sys.modules, "imagecodecs", None)  # importing it fails
    image = read_image(file)
    assert image.pixels.dtype == np.uint8
    assert image.stored_bits == bits
    assert probe(file).bits == 8
    near = scaled(values, bits)[..., :1] / 257
    assert np.abs(image.pixels[..., :1] - near).max() <= 1
    assert replace(image, name="a.avif").caveat == (
        f"a.avif has {bits} bits a channel, of which 8 are read; "
        "install imagecodecs (pcaimage[avif]) to read all of them."
    )

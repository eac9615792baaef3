"""docs/format.md is enough to decode residuals: a decoder written from it gives back every bit."""

import numpy as np
import pytest

import pcaimage
from pcaimage import Settings
from pcaimage.codec.photo.exact import residual
from pcaimage.codec.photo.exact.residual import encode_residual
from pcaimage.errors import FormatError
from tests.reference import photo
from tests.reference import residual as reference
from tests.reference.container import Refused
from tests.unit.codec.photo.corrections import decode_residual
from tests.unit.container.files import waves

TYPES = ["uint8", "uint16"]


def anything(array, seed=0):
    """Return noise like an array."""
    random = np.random.default_rng(seed)
    return random.integers(0, np.iinfo(array.dtype).max, array.shape, array.dtype, endpoint=True)


def coarse(array):
    step = (np.iinfo(array.dtype).max + 1) // 16
    return (array // step * step + step // 2).astype(array.dtype)


def same(data, reconstruction):
    found = reference.decode(data, reconstruction)
    expected = decode_residual(data, reconstruction)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)
    return found


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", [(9, 7), (10, 14, 1), (11, 9, 3)])
@pytest.mark.sweep(4)
def test_reference_decoder_gives_back_lossless_files(shape, kind):
    array = waves(*shape, peak=np.iinfo(kind).max)
    found = photo.original(pcaimage.encode(array, Settings(lossless=True)))
    assert (found.shape, found.dtype) == (array.shape, array.dtype)
    assert np.array_equal(found, array)


SHAPES = [(12, 14, 1), (7, 11, 3), (7, 9, 2), (5, 6, 4), (1, 1, 3), (3, 70, 1), (1, 70, 4), (70, 1, 2)]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 3), (13, 33, 4)])
@pytest.mark.parametrize("reconstruct", [coarse, anything, np.array, np.zeros_like])
@pytest.mark.sweep(14)
def test_reference_decoder_gives_back_what_was_reconstructed(shape, reconstruct, kind):
    array = waves(*shape, peak=np.iinfo(kind).max)
    reconstruction = reconstruct(array)
    data = encode_residual(array, reconstruction)
    assert np.array_equal(same(data, reconstruction), array)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", TYPES)
def test_reference_decoder_gives_back_extremes(kind):
    peak = np.iinfo(kind).max
    board = (np.indices((9, 14)).sum(axis=0) % 2 * peak).astype(kind)[..., None]
    for array, reconstruction in ((board, peak - board), (board * 0, board * 0 + peak), (board, board)):
        data = encode_residual(array, reconstruction)
        assert np.array_equal(same(data, reconstruction), array)


@pytest.mark.slow
def test_reference_decoder_reads_slices(monkeypatch):
    for module in (residual, reference):
        monkeypatch.setattr(module, "SLICE_PIXELS", 50)
    array = waves(11, 12, 3)
    data = encode_residual(array, coarse(array))
    assert np.array_equal(same(data, coarse(array)), array)
    sizes = np.frombuffer(data, "<u4", 3)
    assert len(data) == 12 + sizes.sum()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("stream", [b"", b"\xff" * 200, 1])
@pytest.mark.sweep(6)
def test_whatever_the_bytes_are_they_mean_the_same_to_both(kind, channels, stream):
    if isinstance(stream, int):
        stream = np.random.default_rng(stream).bytes(300)
    reconstruction = waves(12, 10, channels, peak=np.iinfo(kind).max)
    same(len(stream).to_bytes(4, "little") + stream, reconstruction)


@pytest.mark.parametrize("change", [lambda data: data[:3], lambda data: data[:-1], lambda data: data + b"\0"])
def test_both_refuse_other_lengths(change):
    array = waves(5, 6, 3)
    data = change(encode_residual(array, coarse(array)))
    with pytest.raises(Refused):
        reference.decode(data, coarse(array))
    with pytest.raises(FormatError):
        decode_residual(data, coarse(array))

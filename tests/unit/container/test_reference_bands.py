"""docs/format.md is enough to decode many bands: a decoder written from it gives the same numbers."""

from dataclasses import replace

import numpy as np
import pytest

import pcaimage
from pcaimage import Bands, Settings, container
from pcaimage.codec import Step
from pcaimage.codec.bands import coding, residual, slices
from pcaimage.codec.bands.analysis import BandsAnalysis
from pcaimage.errors import FormatError
from tests.unit.container import reference_bands as reference
from tests.unit.container.files import assembled, parts, replaced
from tests.unit.container.reference_decoder import Refused


def cube(height, width, count, peak=4000, seed=0):
    """Return mixtures of a few spectra with noise."""
    random = np.random.default_rng(seed)
    y, x = np.indices((height, width))
    shares = [np.sin(y / 5), np.cos(x / 7), (y // 9 + x // 11) % 2, (x - y) / (height + width)]
    spectra = random.random((4, count))
    mixed = np.tensordot(np.stack(shares, axis=2), spectra, 1)
    return (mixed * 0.15 + random.normal(size=mixed.shape) * 0.01 + 0.4) * peak


def with_holes(array, value, *, in_bands=False):
    found = array.copy()
    found[3:7, 2:9] = value
    found[-1, :3] = value
    if in_bands:
        found[9, 4, 1:3] = value
    return found


WORDS = cube(13, 36, 7).astype(np.uint16)
SIGNED = (cube(12, 13, 6) - 2000).astype(np.int16)
REAL = (cube(12, 11, 5) / 4000).astype(np.float32)

CASES = {
    "16 bits": (WORDS, Settings(step=40.0)),
    "8 bits": (cube(11, 16, 5, 255).astype(np.uint8), Settings(step=3.0)),
    "signed": (SIGNED, Settings(step=30.0)),
    "real": (REAL, Settings(step=0.01)),
    "real without an axis": (REAL[..., 0], Settings(Bands(), step=0.02)),
    "one pixel": (WORDS[:1, :1], Settings(k=1)),
    "one column": (WORDS[:, :1], Settings(step=40.0)),
    "one line": (WORDS[:1], Settings(step=40.0)),
    "one band": (WORDS[..., :1], Settings(Bands(), step=9.0)),
    "fine steps": (WORDS[:12, :9], Settings(step=0.5)),
    "coarse steps": (WORDS, Settings(step=3000.0)),
    "strips": (cube(4, 75, 5).astype(np.uint16), Settings(step=20.0)),
    "standardised": (WORDS[:, :20], Settings(Bands(), k=4, standardize=True)),
    "left out": (WORDS[:, :20], Settings(step=40.0, leave_out=(2,))),
    "nothing measured in places": (with_holes(WORDS[:, :20], 0), Settings(step=40.0, nodata=0)),
    "nothing measured in bands": (
        with_holes(SIGNED, -9999, in_bands=True),
        Settings(step=40.0, nodata=-9999),
    ),
    "real with holes": (with_holes(REAL, np.nan, in_bands=True), Settings(step=0.01)),
    "lossless": (WORDS[:9, :14], Settings(lossless=True)),
    "lossless with holes": (with_holes(SIGNED, -9999, in_bands=True), Settings(lossless=True, nodata=-9999)),
    "near": (WORDS[:9, :14], Settings(max_error=5)),
    "real and near": (with_holes(REAL, np.nan), Settings(max_error=0.003)),
}


def same(data, k=None):
    decoded, expected = reference.decode(data, k), pcaimage.decode(data, k)
    assert (decoded.values.shape, decoded.values.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(decoded.values, expected, equal_nan=expected.dtype.kind == "f")
    scores = coding.unpack(container.read(data), k).scores
    assert np.array_equal(decoded.scores.reshape(scores.shape), scores)
    return decoded


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_reference_decoder_gives_the_same_values(name):
    array, settings = CASES[name]
    whole = same(pcaimage.encode(array, settings))
    if settings.lossless:
        assert np.array_equal(whole.values, array)


@pytest.mark.slow
def test_reference_decoder_gives_the_same_values_for_fewer_components():
    data = pcaimage.encode(WORDS[:, :20], Settings(k=5))
    for k in (1, 3):
        same(data, k)


def test_reference_decoder_leaves_corrections_of_more_components_alone():
    data = pcaimage.encode(WORDS[:9, :14], Settings(k=4, lossless=True))
    assert not np.array_equal(same(data, 2).values, WORDS[:9, :14])


@pytest.mark.slow
def test_reference_decoder_reads_slices():
    found = BandsAnalysis.fit_bands(WORDS[:, :20], Bands())
    found = replace(found, header=replace(found.header, slice_rows=5))
    model = coding.quantize(found, 4, Step.nearest(30.0))
    same(container.write(coding.pack(model, found.variances)))


@pytest.mark.slow
def test_reference_decoder_reads_slices_of_corrections(monkeypatch):
    monkeypatch.setattr(residual, "SLICE_PIXELS", 50)
    monkeypatch.setattr(reference, "CORRECTED_PIXELS", 50)
    same(pcaimage.encode(WORDS[:9, :14], Settings(max_error=3)))


def decoded_plane(stream, predictors, mask):
    coder = slices.BandsSliceCoder(4, mask, predictors, stream)
    coder.decode(lambda _: None)
    return [coder.plane(number).tolist() for number in range(4)]


@pytest.mark.parametrize("predictors", [slices.SCORE_PLANES, slices.BAND_PLANES])
@pytest.mark.parametrize("stream", [b"", b"\xff" * 900, 1, 2])
@pytest.mark.sweep(4)
def test_whatever_the_bytes_are_they_mean_the_same_to_both(stream, predictors):
    if isinstance(stream, int):
        stream = np.random.default_rng(stream).bytes(900)
    mask = np.random.default_rng(5).random((6, 40)) < 0.9
    expected = reference.Slice(mask, predictors[0], stream).decode(4)
    assert decoded_plane(stream, predictors, mask) == expected


@pytest.mark.slow
def test_extremes_mean_the_same_to_both():
    board = (np.indices((9, 14)).sum(axis=0) % 2 * 65535).astype(np.uint16)
    array = np.stack([board, 65535 - board, board // 3, board * 0, board * 0 + 65535], axis=2)
    data = pcaimage.encode(array, Settings(k=1, step=20000.0, lossless=True))
    assert np.array_equal(same(data).values, array)


@pytest.mark.parametrize("change", [lambda data: data[:3], lambda data: data[:-1], lambda data: data + b"\0"])
def test_both_refuse_corrections_of_other_lengths(change):
    found = parts(pcaimage.encode(WORDS[:5, :6], Settings(k=2, lossless=True)))
    payload = next(payload for kind, payload in found if kind == b"R")
    data = assembled(replaced(found, b"R", change(payload)))
    with pytest.raises(Refused):
        reference.decode(data)
    with pytest.raises(FormatError):
        pcaimage.decode(data)

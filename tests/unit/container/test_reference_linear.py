"""docs/format.md is enough to decode the linear method: a decoder written from it gives the same numbers."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pcaimage
from pcaimage import Bands, Blocks, Channels, Settings, Stack, container
from pcaimage.codec.linear import coding, exact, slices
from pcaimage.errors import FormatError
from tests.reference import linear as reference
from tests.reference.container import Refused, number, spectrum_of
from tests.unit.codec.linear.planes import decoded_planes
from tests.unit.container.files import assembled, parts, replaced


def cube(height, width, count, peak: float = 4000, seed: int = 0) -> NDArray[np.float64]:
    """Return mixtures of a few spectra with noise."""
    random = np.random.default_rng(seed)
    y, x = np.indices((height, width))
    shares = [np.sin(y / 5), np.cos(x / 7), (y // 9 + x // 11) % 2, (x - y) / (height + width)]
    spectra = random.random((4, count))
    mixed = np.tensordot(np.stack(shares, axis=2), spectra, 1)
    return (mixed * 0.15 + random.normal(size=mixed.shape) * 0.01 + 0.4) * peak


def scene(*shape, peak: int = 255) -> NDArray[Any]:
    noise = np.random.default_rng(len(shape)).integers(0, 1 + peak // 40, shape)
    waves = sum((i + 2) * axis * axis for i, axis in enumerate(np.indices(shape))) * (1 + peak // 900)
    return ((waves + noise) % (peak + 1)).astype(np.uint8 if peak < 256 else np.uint16)


def with_holes(array, value: float, *, in_bands: bool = False) -> NDArray[Any]:
    found = array.copy()
    found[3:7, 2:9] = value
    found[-1, :3] = value
    if in_bands:
        found[9, 4, 1:3] = value
    return found


WORDS = cube(13, 36, 7).astype(np.uint16)
SIGNED = (cube(12, 13, 6) - 2000).astype(np.int16)
REAL = (cube(12, 11, 5) / 4000).astype(np.float32)

CASES: dict[str, tuple[NDArray[Any], Settings]] = {
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
    "blocks": (scene(35, 42, 3), Settings(Blocks(8), k=20)),
    "odd sizes": (scene(23, 31, 3), Settings(Blocks(5), k=11)),
    "grey without channels": (scene(19, 26), Settings(Blocks(4), k=7)),
    "standardised blocks": (scene(30, 25, 3), Settings(Blocks(3), k=10, standardize=True)),
    "blocks of 16 bits": (scene(22, 21, 3, peak=65535), Settings(Blocks(4), k=15)),
    "16 bits, all components": (scene(16, 16, 1, peak=65535), Settings(Blocks(2), k=4)),
    "channels": (scene(20, 21, 3), Settings(Channels(), k=3)),
    "stack": (scene(9, 8, 7, 3), Settings(Stack(), k=6)),
    "lines of a stack": (scene(1030, 2, 2), Settings(Stack(), k=2)),
    "stack of 16 bits without channels": (scene(6, 5, 7, peak=65535), Settings(Stack(), k=5)),
    "empty planes between others": (scene(40, 40, 1), Settings(Blocks(4), k=16, step=90.0)),
    "blocks, fine step": (scene(20, 20, 1), Settings(Blocks(4), k=3, step=0.001)),
    "blocks, coarse step": (scene(20, 20, 3), Settings(Blocks(8), k=6, step=5000.0)),
    "one pixel in colour": (scene(1, 1, 3), Settings(Channels(), k=1)),
    "constant": (np.full((9, 9, 3), 200, np.uint8), Settings(Blocks(8), k=1)),
    "real and near": (with_holes(REAL, np.nan), Settings(max_error=0.003)),
}


def same(data, k: int | None = None) -> reference.Decoded:
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


def test_reference_decoder_gives_the_same_values_for_fewer_components_and_leaves_corrections_alone():
    data = pcaimage.encode(WORDS[:9, :14], Settings(k=4, lossless=True))
    for k in (1, 2):
        assert not np.array_equal(same(data, k).values, WORDS[:9, :14])


@pytest.mark.slow
def test_reference_decoder_reads_slices(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_PIXELS", 130)
    monkeypatch.setattr(slices, "SLICE_SCORES", 200)
    for array, settings in ((WORDS[:, :20], Settings(k=4, step=30.0)), CASES["blocks"]):
        data = pcaimage.encode(array, settings)
        assert container.read(data).header.slice_rows in {2, 7}
        same(data)


@pytest.mark.slow
def test_reference_decoder_reads_slices_of_vectors():
    same(pcaimage.encode(scene(3, 210, 230), Settings(Stack(), k=1)))


@pytest.mark.slow
def test_reference_decoder_reads_slices_of_corrections(monkeypatch):
    monkeypatch.setattr(exact, "SLICE_PIXELS", 50)
    monkeypatch.setattr(reference, "CORRECTED_PIXELS", 50)
    found = reference.decode(pcaimage.encode(WORDS[:9, :14], Settings(max_error=3)))
    assert np.abs(found.values.astype(int) - WORDS[:9, :14]).max() <= 3


@pytest.mark.parametrize("predictors", [slices.PIXEL_PLANES, slices.OTHER_PLANES])
@pytest.mark.parametrize("stream", [b"", b"\xff" * 900, 1, 2])
@pytest.mark.sweep(2)
def test_whatever_the_bytes_are_they_mean_the_same_to_both(stream, predictors):
    if isinstance(stream, int):
        stream = np.random.default_rng(stream).bytes(900)
    mask = np.random.default_rng(5).random((6, 40)) < 0.9
    if predictors == slices.OTHER_PLANES:
        mask[:] = True
    expected = reference.Slice(mask, predictors, stream).decode(4)
    assert decoded_planes(4, stream, predictors, mask).tolist() == expected


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


@pytest.mark.parametrize("peak", [255, 65535])
@pytest.mark.parametrize("direction", ["none", "left", "up"])
@pytest.mark.sweep(3)
def test_reference_decoder_gives_the_same_opacity(peak, direction):
    array = scene(14, 15, 3, peak=peak)
    generator = np.random.default_rng(5)
    alpha = generator.integers(0, peak + 1, (14, 15))
    if direction != "none":
        walks = np.cumsum(generator.integers(0, 2, (15, 14)), axis=0) + 997 * alpha[:, 0]
        alpha = walks[:14].T if direction == "left" else walks[:14]
    alpha = np.ascontiguousarray(alpha % (peak + 1)).astype(array.dtype)
    array = array[: alpha.shape[0], : alpha.shape[1]]
    data = pcaimage.encode(array, Settings(Blocks(8), k=2), alpha=alpha)
    kinds = {chunk.kind: chunk.payload for chunk in container.scan(data)}
    assert kinds[container.Chunk.ALPHA][0] == ["none", "left", "up"].index(direction)
    assert reference.decode(data).alpha == alpha.ravel().tolist()
    assert np.array_equal(container.read(data).alpha, alpha)


def test_reference_decoder_gives_the_opacity_of_a_stack():
    alpha = scene(4, 6, 5)
    data = pcaimage.encode(scene(4, 6, 5, 3), Settings(Stack(), k=2), alpha=alpha)
    assert reference.decode(data).alpha == alpha.ravel().tolist()


def test_reference_decoder_reads_the_ancillary_chunks(full_file):
    compressed = container.read(full_file)
    ancillary = reference.decode(full_file).ancillary
    assert ancillary["n"].decode() == compressed.metadata.name
    assert number(ancillary["f"], 0)[0] == compressed.metadata.file_size
    assert zlib.decompress(ancillary["i"]) == compressed.metadata.icc_profile
    assert zlib.decompress(ancillary["x"]) == compressed.metadata.exif
    np.testing.assert_allclose(spectrum_of(ancillary["s"]), compressed.spectrum, rtol=1e-12)

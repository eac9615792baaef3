"""docs/format.md is enough to write a decoder from: one written from it gives the library's pixels."""

import numpy as np
import pytest

import pcaimage
import pcaimage.container
from pcaimage import Blocks, Channels, Settings, Stack
from tests.unit.container import reference_decoder as reference


def scene(*shape, peak=255):
    noise = np.random.default_rng(len(shape)).integers(0, 1 + peak // 40, shape)
    waves = sum((i + 2) * axis * axis for i, axis in enumerate(np.indices(shape))) * (1 + peak // 900)
    return ((waves + noise) % (peak + 1)).astype(np.uint8 if peak < 256 else np.uint16)


CASES = {
    "blocks": (scene(35, 42, 3), Settings(Blocks(8), k=20)),
    "odd sizes": (scene(23, 31, 3), Settings(Blocks(5), k=11)),
    "grey without channels": (scene(19, 26), Settings(Blocks(4), k=7)),
    "standardised": (scene(30, 25, 3), Settings(Blocks(3), k=10, standardize=True)),
    "16 bits": (scene(22, 21, 3, peak=65535), Settings(Blocks(4), k=15)),
    "16 bits, all components": (scene(16, 16, 1, peak=65535), Settings(Blocks(2), k=4)),
    "many segments and runs": (scene(60, 61, 3), Settings(Channels(), k=3)),
    "bands, standardised": (scene(12, 17, 20, peak=4095), Settings(Channels(), k=6, standardize=True)),
    "stack": (scene(9, 8, 7, 3), Settings(Stack(), k=6)),
    "stack of 16 bits without channels": (scene(6, 5, 7, peak=65535), Settings(Stack(), k=5)),
    "empty planes between others": (scene(40, 40, 1), Settings(Blocks(4), k=16, step=90.0)),
    "fine step": (scene(20, 20, 1), Settings(Blocks(4), k=3, step=0.001)),
    "coarse step": (scene(20, 20, 3), Settings(Blocks(8), k=6, step=5000.0)),
    "one pixel": (scene(1, 1, 3), Settings(Channels(), k=1)),
    "constant": (np.full((9, 9, 3), 200, np.uint8), Settings(Blocks(8), k=1)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_reference_decoder_gives_the_same_pixels(name):
    array, settings = CASES[name]
    data = pcaimage.encode(array, settings)
    for k in (1, None):
        expected = pcaimage.decode(data, k)
        decoded = reference.decode(data, k)
        assert decoded.shape == expected.shape
        assert decoded.pixel_bytes == expected.tobytes()


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
    kinds = {chunk.kind: chunk.payload for chunk in pcaimage.container.scan(data)}
    assert kinds[pcaimage.container.Chunk.ALPHA][0] == ["none", "left", "up"].index(direction)
    assert reference.decode(data).alpha == alpha.ravel().tolist()
    assert np.array_equal(pcaimage.container.read(data).alpha, alpha)


def test_reference_decoder_gives_the_opacity_of_a_stack():
    alpha = scene(4, 6, 5)
    data = pcaimage.encode(scene(4, 6, 5, 3), Settings(Stack(), k=2), alpha=alpha)
    assert reference.decode(data).alpha == alpha.ravel().tolist()


def test_reference_decoder_reads_the_ancillary_chunks(full_file):
    compressed = pcaimage.container.read(full_file)
    ancillary = reference.decode(full_file).ancillary
    assert ancillary["n"].decode() == compressed.metadata.name
    assert reference.number(ancillary["f"], 0)[0] == compressed.metadata.file_size
    assert reference.zlib.decompress(ancillary["i"]) == compressed.metadata.icc_profile
    assert reference.zlib.decompress(ancillary["x"]) == compressed.metadata.exif
    np.testing.assert_allclose(reference.spectrum_of(ancillary["s"]), compressed.spectrum, rtol=1e-12)


def test_every_predictor_occurs_and_is_undone_by_the_reference():
    from pcaimage.codec.coding.planes import PlaneCoder
    from pcaimage.codec.coding.predict import Predictor, best_predictor

    i, j, c = np.indices((6, 7, 3))
    noise = np.random.default_rng(0).integers(-900, 900, (6, 7, 3))
    planes = {
        Predictor.NONE: noise,
        Predictor.LEFT: noise[:, :1] + j * 0 + c * 0,
        Predictor.UP: noise[:1] + i * 0,
        Predictor.PLANE: 50 * i + 70 * j + 0 * c + noise[:1, :1] + noise[:1] + noise[:, :1],
        Predictor.CHANNEL: noise[..., :1] + 0 * c,
    }
    for predictor, plane in planes.items():
        assert best_predictor(plane) is predictor
        data = PlaneCoder(plane.shape, contexts=False).encode(plane)
        decoded = reference.Planes(plane.shape, contexts=False).decode(data)
        assert decoded == plane.ravel().tolist()

import importlib
import tomllib
from pathlib import Path

import numpy as np
import pytest

from pcaimage.errors import DataError, FormatError, ImageTooLargeError, SettingsError
from pcaimage.plugins.chunks import ChunkCodec
from pcaimage.quality import psnr_of_mse, white_of

ROOT = Path(__file__).resolve().parents[3]
RNG = np.random.default_rng(3)


def cube(dtype="uint16", shape=(24, 20, 9)):
    """Make a noisy cube whose last axis is highly correlated."""
    spectra = RNG.normal(size=(2, shape[-1])).cumsum(axis=1)
    values = RNG.random((*shape[:-1], 2)) @ spectra * 40 + RNG.normal(0, 2, shape) + 100
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    if kind == "b":
        return values > 100
    return np.clip(values, 0 if kind == "u" else -100, 127 if (kind, size) == ("i", 1) else 255).astype(dtype)


def back(codec, chunk):
    """Compress and restore a chunk."""
    found = codec.decode(codec.encode(chunk), chunk.nbytes)
    assert (found.dtype, found.shape) == (chunk.dtype, chunk.shape)
    return found


@pytest.mark.parametrize(
    ("make", "share"),
    [
        (lambda whole: whole * 1e-3, 0.16),
        (lambda whole: (whole * 1e-3).astype("f4"), 0.3),
        (lambda whole: whole.astype("f4") * np.float32(0.01), 0.3),
        (lambda whole: whole / 1e4 + 1j * (whole[::-1] / 1e4), 0.16),
        (lambda whole: whole.astype("i8") * 1_000_003, 0.16),
        (lambda whole: whole + 3_000_000_000, 0.16),
        (lambda whole: np.where(whole > -90, whole + RNG.random(whole.shape), np.nan), 1),
    ],
)
def test_decimals_and_multiples_take_what_whole_numbers_do(make, share):
    chunk = make(cube("int16", (60, 50, 12)).astype("i8"))
    data = ChunkCodec().encode(chunk)
    assert len(data) < share * chunk.nbytes
    assert back(ChunkCodec(), chunk).tobytes() == chunk.tobytes()


@pytest.mark.slow
def test_a_psnr_is_reached():
    chunk = cube()
    found = back(ChunkCodec(psnr=40), chunk)
    error = np.square(found.astype(float) - chunk).mean()
    assert psnr_of_mse(error, white_of(chunk)) == pytest.approx(40, abs=0.1)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ChunkCodec(max_error=1, psnr=40), "one of max_error and psnr"),
        (lambda: ChunkCodec(max_error=-1), "error"),
        (lambda: ChunkCodec(bands="middle"), "last or the first axis"),  # it is wrong
        (lambda: ChunkCodec().encode(np.array(["text"])), "are no numbers"),
    ],
)
def test_what_cannot_be_is_refused(make, sentence):
    with pytest.raises((DataError, SettingsError), match=sentence):
        make()


def test_damaged_chunks_are_told_of():
    codec, packed = ChunkCodec(), ChunkCodec().encode(cube())
    for data in (packed[:-9], b"nothing of the kind", codec.encode(cube("int32") * 70_000)[:-40]):
        with pytest.raises(FormatError):
            codec.decode(data, cube().nbytes)
    with pytest.raises(FormatError, match="another size"):
        codec.decode(packed, cube().nbytes + 2)
    with pytest.raises(ImageTooLargeError):
        ChunkCodec().decode(ChunkCodec().encode(cube(shape=(99, 90, 9))), 100)


def test_entry_points_name_what_there_is():
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    for group, library in (("numcodecs.codecs", "numcodecs"), ("zarr.codecs", "zarr")):
        module, _, name = points[group]["pcaimage"].partition(":")
        assert (ROOT / (module.replace(".", "/") + ".py")).exists()
        pytest.importorskip(library)
        assert getattr(importlib.import_module(module), name)


@pytest.mark.filterwarnings("ignore")
def test_numcodecs_finds_the_codec_again():
    numcodecs = pytest.importorskip("numcodecs")
    from pcaimage.plugins.numcodecs import PcaCodec, register

    register()
    codec = PcaCodec(max_error=2, bands="first")
    again = numcodecs.get_codec(codec.get_config())
    assert again == codec
    chunk = np.moveaxis(cube(), -1, 0)
    out = np.empty_like(np.ascontiguousarray(chunk))
    again.decode(codec.encode(chunk), out)
    assert np.abs(out.astype(int) - chunk).max() <= 2

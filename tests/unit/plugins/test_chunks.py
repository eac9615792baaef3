import importlib
import tomllib
from pathlib import Path

import numpy as np
import pytest

from pcaimage.errors import FormatError, ImageTooLargeError, SettingsError
from pcaimage.plugins.chunks import ChunkCodec
from tests.smooth import spectra

ROOT = Path(__file__).resolve().parents[3]
RNG = np.random.default_rng(3)


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
    chunk = make(spectra(60, 50, 12).astype("i8"))
    data = ChunkCodec().encode(chunk)
    assert len(data) < share * chunk.nbytes
    assert back(ChunkCodec(), chunk).tobytes() == chunk.tobytes()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ChunkCodec(max_error=1, psnr=40), "one of max_error and psnr"),
        (lambda: ChunkCodec(max_error=-1), "error"),
        (lambda: ChunkCodec(bands="middle"), "last or the first axis"),  # it is wrong
    ],
)
def test_what_cannot_be_is_refused(make, sentence):
    with pytest.raises(SettingsError, match=sentence):
        make()


def test_damaged_chunks_are_told_of():
    codec, chunk = ChunkCodec(), spectra(24, 20, 9)
    packed, large = codec.encode(chunk), codec.encode(chunk.astype("int32") * 70_000)
    for data in (packed[:-9], b"nothing of the kind", large[:-40]):
        with pytest.raises(FormatError):
            codec.decode(data, chunk.nbytes)
    with pytest.raises(FormatError, match="another size"):
        codec.decode(packed, chunk.nbytes + 2)
    with pytest.raises(ImageTooLargeError):
        ChunkCodec().decode(ChunkCodec().encode(spectra(99, 90, 9)), 100)


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
    codec = PcaCodec(max_error=2, bands=0, effort="fast", nodata=-9)
    again = numcodecs.get_codec(codec.get_config())
    assert again == codec
    chunk = np.moveaxis(spectra(24, 20, 9), -1, 0)
    out = np.empty_like(np.ascontiguousarray(chunk))
    again.decode(codec.encode(chunk), out)
    assert np.abs(out.astype(int) - chunk).max() <= 2

import importlib
import tomllib
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pcaimage.errors import FormatError, ImageTooLargeError, SettingsError
from pcaimage.plugins.chunks import EXACT, NEAR, RAW, ChunkCodec
from pcaimage.quality import psnr_of_mse, white_of

ROOT = Path(__file__).resolve().parents[3]
RNG = np.random.default_rng(3)
WHOLE = [
    *("uint8", "uint16", "int16", ">u2", ">i2", "int8", "int32", "uint32", ">i4", "int64", "uint64"),
    "bool",
]
TYPES = [*WHOLE, "float16", "float32", "float64", ">f8", "complex64", "complex128"]


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
    values = np.frombuffer(found, chunk.dtype.newbyteorder("<")) if isinstance(found, bytes) else found
    return values.reshape(chunk.shape)


@settings(max_examples=20)
@given(
    st.sampled_from(TYPES).flatmap(
        lambda dtype: arrays(dtype, array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5))
    ),
    st.sampled_from(["first", "last"]),
)
def test_numbers_of_all_types_come_back_to_the_bit(chunk, bands):
    found = back(ChunkCodec(bands=bands), chunk)
    assert found.astype(chunk.dtype).tobytes() == chunk.tobytes()


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
    assert data.startswith(EXACT)
    assert len(data) < share * chunk.nbytes
    assert back(ChunkCodec(), chunk).tobytes() == chunk.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("bands", ["first", "last"])
@pytest.mark.parametrize("shape", [(24, 20, 9), (3, 8, 20, 7), (40, 30)])
@pytest.mark.sweep(12)
def test_no_error_is_larger_than_allowed(dtype, bands, shape):
    chunk = cube(dtype, shape)
    chunk = np.moveaxis(chunk, -1, 0) if bands == "first" else chunk
    found = back(ChunkCodec(max_error=3, bands=bands), chunk)
    assert found.dtype.newbyteorder("=") == chunk.dtype.newbyteorder("=")
    assert np.abs(found.astype(complex) - chunk).max() <= 3


@pytest.mark.slow
def test_a_psnr_is_reached():
    chunk = cube()
    found = back(ChunkCodec(psnr=40), chunk)
    error = np.square(found.astype(float) - chunk).mean()
    assert psnr_of_mse(error, white_of(chunk)) == pytest.approx(40, abs=0.1)


@pytest.mark.parametrize("codec", [ChunkCodec(max_error=0.5), ChunkCodec(psnr=50)])
def test_what_pca_is_undefined_for_is_kept_exactly_and_missing_values_stay_missing(codec):
    wild, gaps = cube("float32"), cube("float32")
    wild[3, 4, 5] = np.inf
    for chunk in (np.full((5, 6, 7), np.nan, np.float32), wild, np.zeros((0, 3), np.float32)):
        data = codec.encode(chunk)
        assert data.startswith(RAW)
        assert np.array_equal(back(codec, chunk), chunk, equal_nan=True)
    gaps[2:5, 3:9] = np.nan
    found = back(codec, gaps)
    assert np.array_equal(np.isnan(found), np.isnan(gaps))
    assert np.nanmax(np.abs(found - gaps)) <= (codec.max_error or 10)


@pytest.mark.slow
def test_a_flat_chunk_takes_little():
    for codec in (ChunkCodec(), ChunkCodec(max_error=1), ChunkCodec(psnr=50)):
        chunk = np.full((60, 60, 12), 7, np.uint16)
        assert len(codec.encode(chunk)) < 1000
        assert np.array_equal(back(codec, chunk), chunk)


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
    with pytest.raises(SettingsError, match=sentence):
        make()


def test_damaged_chunks_are_told_of():
    codec = ChunkCodec()
    raw, packed = codec.encode(np.zeros((0, 3), np.uint8)), codec.encode(cube())
    assert packed.startswith(b"\x89PCAI")
    whole, near = codec.encode(cube("int32") * 70_000), ChunkCodec(max_error=9).encode(cube("float64"))
    assert (whole[:4], near[:4]) == (EXACT, NEAR)
    cut = [whole[:9], whole[:-3], whole[:4] + b"x" + whole[5:], near[:5], near[:-9]]
    for data in (raw[:-3], RAW + b"nothing", packed[:-9], b"nothing of the kind", *cut):
        with pytest.raises(FormatError):
            codec.decode(data, cube().nbytes)
    with pytest.raises(FormatError, match="another size"):
        codec.decode(RAW + zlib.compress(b"few"), 2000)
    with pytest.raises(ImageTooLargeError):
        codec.decode(packed, 100)


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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", [dtype for dtype in TYPES if dtype[0] != ">"])
def test_zarr_stores_and_reads_arrays(tmp_path, zarr_format, dtype):
    zarr = pytest.importorskip("zarr")
    import pcaimage.plugins.numcodecs as two
    import pcaimage.plugins.zarr as three

    two.register()
    three.register()
    options = {"max_error": 0.5} if dtype in ("float32", "float64") else {}
    array = cube(dtype, (50, 40, 9))
    codec = two.PcaCodec(**options) if zarr_format == 2 else three.PcaCodec(**options)
    how = {"compressors": codec} if zarr_format == 2 else {"serializer": codec, "compressors": None}
    made = zarr.create_array(
        tmp_path / "a.zarr",
        shape=array.shape,
        chunks=(32, 16, 9),
        dtype=dtype,
        zarr_format=zarr_format,
        **how,
    )
    made[...] = array
    made[3:5, 2:4] = array[3:5, 2:4]
    found = zarr.open_array(tmp_path / "a.zarr", mode="r")[...]
    assert found.dtype == array.dtype
    assert np.abs(found.astype(complex) - array).max() <= (1.0 if options else 0)

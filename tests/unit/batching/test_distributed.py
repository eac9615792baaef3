import base64
import os
import signal
import sys

import numpy as np
import pytest

import pcaimage.api
from pcaimage import container, distributed
from pcaimage.codec.linear.model_files import Totals, shared_model
from pcaimage.errors import DataError, FormatError, ImageError, PcaImageError, SettingsError
from pcaimage.plugins.chunks import SHARED, ChunkCodec

pytestmark = pytest.mark.filterwarnings("ignore")

SIDES = (48, 40, 12)
SPECTRA = np.random.default_rng(1).normal(size=(3, SIDES[2])).cumsum(axis=1) * 60


def cube(dtype="uint16", seed=2, sides=SIDES):
    """Make a noisy cube of few spectra."""
    random = np.random.default_rng(seed)
    return (random.random((*sides[:2], 3)) @ SPECTRA + random.normal(0, 2, sides) + 2000).astype(dtype)


def files(folder):
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def text_of(array, max_error):
    model = shared_model(Totals.of(array), array.dtype.name, max_error=max_error)
    return base64.b64encode(container.write(model)).decode()


@pytest.fixture
def dask():
    pytest.importorskip("zarr")
    return pytest.importorskip("dask.array")


@pytest.mark.sweep(3)
@pytest.mark.parametrize("dtype", ["uint16", "int16", "float32"])
def test_a_chunk_without_its_basis_comes_back(dtype):
    whole = cube(dtype)
    error = 0.5 if dtype == "float32" else None
    model = text_of(whole, error or 0)
    codec, own = ChunkCodec(error, model=model), ChunkCodec(error)
    for chunk in (whole[:24], whole[24:, :17]):
        data = codec.encode(chunk)
        assert data.startswith(SHARED)
        assert len(data) < len(own.encode(chunk))
        found = codec.decode(data, chunk.nbytes)
        assert np.abs(np.asarray(found, float) - chunk).max() <= (error or 0)
    with pytest.raises(FormatError, match="needs the model"):
        own.decode(data)
    with pytest.raises(FormatError, match="another model"):
        ChunkCodec(model=text_of(cube("uint8"), 0)).decode(data)
    opened = pcaimage.api.open_bytes(base64.b64decode(model))
    assert opened.decode().shape == (1, SIDES[2], SIDES[2])


def test_chunks_that_the_basis_does_not_suit_have_their_own_and_what_is_no_model_is_refused():
    codec = ChunkCodec(0.5, model=text_of(cube("float32"), 0.5))
    for chunk in (cube("float32")[:1, :1], cube("float32") * 1e5, np.full((4, 5, 12), np.nan, np.float32)):
        data = codec.encode(chunk)
        assert not data.startswith(SHARED)
        found = codec.decode(data, chunk.nbytes)
        assert np.array_equal(np.isnan(found), np.isnan(chunk))
        assert np.nanmax(np.abs(found - chunk), initial=0) <= 0.5
    for text in ("not base64!", base64.b64encode(b"no file").decode()):
        with pytest.raises(SettingsError, match="model of the chunks cannot be read"):
            ChunkCodec(model=text)


def test_totals_of_parts_are_those_of_the_whole():
    whole = cube("float32")
    whole[3, 4] = np.nan
    parts = [Totals.of(whole[:20]), Totals.of(np.full((2, 3, 12), np.nan, np.float32)), Totals.of(whole[20:])]
    added, alone = parts[0] + parts[1] + parts[2], Totals.of(whole)
    assert (added.low, added.high, added.moments.count) == (alone.low, alone.high, alone.moments.count)
    assert added.moments.scatter == pytest.approx(alone.moments.scatter)
    with pytest.raises(DataError, match="no components"):
        shared_model(parts[1], "float32", max_error=1)


@pytest.mark.parametrize("bands", ["last", "first"])
def test_an_array_is_written_with_one_basis(tmp_path, dask, bands, monkeypatch):
    whole = cube()
    whole = whole if bands == "last" else np.ascontiguousarray(np.moveaxis(whole, -1, 0))
    sizes = (25, 16, 5) if bands == "last" else (5, 25, 16)
    array = dask.from_array(whole, chunks=sizes)
    made = distributed.encode(array, tmp_path / "a", bands=bands)
    assert made.chunks == ((25, 16, 12) if bands == "last" else (12, 25, 16))
    assert np.array_equal(made[...], whole)
    chunks = [data for name, data in files(tmp_path / "a").items() if not name.endswith("json")]
    assert len(chunks) == 6
    assert all(data.startswith(SHARED) for data in chunks)
    monkeypatch.setattr(distributed, "BATCH", distributed.FAN_IN)
    monkeypatch.setattr(distributed, "UNDER_WAY", 2)
    for name in "bc":
        distributed.encode(array.rechunk(5), tmp_path / name, bands=bands)
        monkeypatch.undo()
    assert files(tmp_path / "b") == files(tmp_path / "c")
    made[..., 3:5] = 7  # the model serves what is written later, too
    assert (made[..., 3:5] == 7).all()
    with pytest.raises(ImageError, match="already"):
        distributed.encode(array, tmp_path / "a")
    distributed.encode(array, tmp_path / "a", bands=bands, max_error=2, overwrite=True)
    found = dask.from_zarr(tmp_path / "a").compute()
    assert 0 < np.abs(found.astype(int) - whole).max() <= 2


def test_a_psnr_is_that_of_the_whole_array(tmp_path, dask):
    whole = cube("float32")
    whole[:30, :20] = np.nan
    whole[30:] *= 3
    found = distributed.encode(dask.from_array(whole, chunks=(24, 20, 12)), tmp_path / "a", psnr=50)[...]
    assert np.array_equal(np.isnan(found), np.isnan(whole))
    span = np.nanmax(whole) - np.nanmin(whole)
    psnr = 10 * np.log10(span**2 / np.nanmean((found - whole) ** 2))
    assert psnr == pytest.approx(50, abs=0.5)


def test_photographs_and_the_least_effort_need_no_other_basis(tmp_path, dask):
    for number, (effort, *shape) in enumerate([("best", 40, 30, 3), ("best", 40, 30), ("fast", 40, 30, 9)]):
        whole = np.random.default_rng(3).integers(0, 255, shape).astype("uint8")
        made = distributed.encode(dask.from_array(whole, chunks=20), tmp_path / f"{number}", effort=effort)
        assert np.array_equal(made[...], whole)
        assert "model" not in (tmp_path / f"{number}" / "zarr.json").read_text()


def test_what_cannot_be_encoded_is_refused(tmp_path, dask, monkeypatch):
    for array, sentence in (
        (dask.zeros((4, 4, 8), dtype="U3"), "are no numbers"),
        (dask.zeros(9, dtype="uint8"), "cannot be compressed"),
    ):
        with pytest.raises((SettingsError, DataError), match=sentence):
            distributed.encode(array, tmp_path / "a")
    with pytest.raises(DataError, match="No pixel"):
        distributed.encode(dask.full((4, 4, 8), np.nan, dtype="float32"), tmp_path / "a", max_error=1)
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(PcaImageError, match=r"pip install pcaimage\[cluster,zarr\]"):
        distributed.encode(None, tmp_path / "a")


@pytest.mark.slow
def test_a_cluster_that_loses_processes_writes_the_same(tmp_path, dask, two_processes):
    import distributed as dask_distributed

    seeds = dask.arange(16, chunks=1).reshape(4, 4, 1).rechunk((1, 1, 1))
    loaded = tmp_path / "loaded"
    sides, spectra = (24, 20, 12), SPECTRA

    def load(seed, deadly):
        with loaded.open("ab") as file:
            file.write(b".")
        if loaded.stat().st_size in deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        random = np.random.default_rng(int(seed.flat[0]))
        values = random.random((*sides[:2], 3)) @ spectra + random.normal(0, 2, sides) + 2000
        return values.astype(np.uint16)

    def array(*deadly):
        chunks = ((sides[0],) * 4, (sides[1],) * 4, (sides[2],))
        return seeds.map_blocks(load, deadly, dtype="uint16", chunks=chunks)

    distributed.encode(array(), tmp_path / "alone")
    loaded.unlink()
    with dask_distributed.Client(two_processes):
        made = distributed.encode(array(5, 27), tmp_path / "spread")  # once in each pass over the chunks
        assert loaded.stat().st_size > 2 * 16
        whole = array().compute()
    assert files(tmp_path / "spread") == files(tmp_path / "alone")
    assert np.array_equal(made[...], whole)

"""Parts of files: windows, bands, and the first components, without reading the rest."""

import pickle

import numpy as np
import pytest

import pcaimage.api
from pcaimage import Blocks, Settings, container
from pcaimage.api import parts
from pcaimage.api.parts import Window
from pcaimage.codec.linear import slices
from pcaimage.container import partial
from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging import BandInfo, Image
from pcaimage.imaging.georeference.geo import place_of
from tests.unit.codec.linear.test_bands import WORDS

pytestmark = pytest.mark.usefixtures("sliced")
KEYS = [np.s_[7:12, 20:33], np.s_[3], np.s_[..., 2], np.s_[-1, ::-4, 5:1:-2], np.s_[5:5], np.s_[:, 20:, 3:9]]
PLACE = (("map info", "{UTM, 1, 1, 5e5, 4e6, 30, 30, 32, North, WGS-84}"),)


@pytest.fixture
def sliced(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_PIXELS", (60, 60))
    monkeypatch.setattr(slices, "SLICE_SCORES", 200)
    monkeypatch.setattr(parts, "HEAD", 600)
    monkeypatch.setattr(parts, "AT_ONCE", 9000)
    monkeypatch.setattr(partial, "GAP", 0)


def saved(path, array, **settings):
    info = BandInfo(wavelengths=tuple(range(400, 400 + array.shape[2])), fields=PLACE)
    pcaimage.save(path, Image(array, bands=info), Settings(**settings), overwrite=True)
    return pcaimage.open(path)


@pytest.mark.parametrize(
    "settings",
    [{"step": 15.0}, {"lossless": True}, {"max_error": 2, "nodata": 7}, {"sampling": Blocks(4)}],
    ids=str,
)
def test_a_part_is_that_of_the_whole_and_moves_few_bytes(settings, tmp_path):
    array = WORDS[..., :3] // 16 if "sampling" in settings else WORDS.copy()
    array[2:9, 3:19] = array[30, 30, 1] = 7
    found = saved(tmp_path / "a.pcai", array, **settings)
    whole, moved = pcaimage.decode((tmp_path / "a.pcai").read_bytes()), []
    assert found.parts is not None
    read = found.parts.partial.read
    object.__setattr__(found.parts.partial, "read", lambda ranges: moved.extend(ranges) or read(ranges))
    assert np.array_equal(found[7:12, 20:33], whole[7:12, 20:33])
    assert sum(stop - start for start, stop in moved) < found.n_bytes * (
        0.9 if "sampling" in settings else 0.5
    )
    for key in KEYS:
        assert np.array_equal(found[key], whole[key])
    for k in (0, 1, found.k):
        assert np.array_equal(
            found.part(Window(np.s_[7:12, 20:33, 0:3]), k), found.decode(k)[7:12, 20:33, :3]
        )
    with pytest.raises(SettingsError, match="does not have such a part"):
        found.part(Window(np.s_[7:99, 0:1, 0:1]))


def test_a_part_has_its_place_and_its_bands_and_no_other_key_is_taken(tmp_path):
    copy = pickle.dumps(saved(tmp_path / "a.pcai", WORDS, step=15.0))
    found = pickle.loads(copy)  # noqa: S301
    part = found.part_image(Window(np.s_[7:12, 20:33, 0:9], (5, 2)))
    assert part.bands.wavelengths == (405.0, 402.0)
    assert place_of(part.bands).transform == (5e5 + 600, 30, 0, 4e6 - 210, 0, -30)
    for key, error in (
        ((0, 0, 0, 0), IndexError),
        (99, IndexError),
        ((..., ...), IndexError),
        ([1], TypeError),
    ):
        with pytest.raises(error):
            found[key]
    (tmp_path / "a.pcai").write_bytes(b"")
    with pytest.raises(ImageError, match="has changed"):
        found[3]


def test_a_trimmed_file_has_parts(tmp_path):
    saved(path := tmp_path / "a.pcai", WORDS, step=15.0)
    data = path.read_bytes()
    for k in (1, 4):
        path.write_bytes(trimmed := container.trim(data, k))
        assert np.array_equal(pcaimage.open(path)[7:12, 20:33], pcaimage.decode(trimmed)[7:12, 20:33])


def test_dask_and_the_command_line_take_parts(done, refused, tmp_path):
    whole = saved("a.pcai", WORDS, step=15.0).decode()
    done("decode", "a.pcai", "b.npy", "--window", "7:12,-9:", "--bands", "9,1-2")
    assert np.array_equal(np.load("b.npy"), whole[7:12, -9:, [8, 0, 1]])
    assert "does not have such a part" in refused("decode", "a.pcai", "c.npy", "--bands", "99")
    pytest.importorskip("dask")
    from pcaimage.distributed import open_array

    array = open_array(tmp_path / "a.pcai")
    assert np.array_equal(array[3:40, ::7, 4].compute(), whole[3:40, ::7, 4])


def test_parts_of_arrays_are_read_without_the_rest(tmp_path, done):
    whole = np.moveaxis(WORDS.astype("int32") - 7000, -1, 0)
    (path := tmp_path / "a.pcai").write_bytes(pcaimage.encode(whole, axis=0))
    found, moved = pcaimage.open(path), []
    assert found.parts is not None
    read = found.parts.partial.read
    object.__setattr__(found.parts.partial, "read", lambda ranges: moved.extend(ranges) or read(ranges))
    assert np.array_equal(found[2, 7:12, 20:33], whole[2, 7:12, 20:33])
    assert sum(stop - start for start, stop in moved) < found.n_bytes * 0.5
    done("decode", path, tmp_path / "b.npy", "--window", "20:33,7:12", "--bands", "3")
    done("decode", path, tmp_path / "b.zarr")
    assert (tmp_path / "b.zarr/0/.zarray").read_text().count('"<i4"') == 1

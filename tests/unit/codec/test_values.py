"""Arrays of any type and shape come back through every door."""

import io
import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pcaimage.api
from pcaimage import Settings
from pcaimage.codec.values import Values
from pcaimage.errors import DataError, FormatError, ImageTooLargeError, PcaImageError, SettingsError
from pcaimage.imaging import Limits
from pcaimage.plugins.chunks import ChunkCodec
from tests.golden import make
from tests.reference import values as reference
from tests.typed import typed
from tests.unit.container.files import assembled, parts, replaced
from tests.unit.lib.decoding import Fault, Opened

KINDS = ("b1", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8", "c8", "c16")
TYPES = [np.dtype(order + kind) for kind in KINDS for order in "<>" if order == "<" or kind[1:] != "1"]
SHAPES = [(), (9, 8), (3, 9, 8), (2, 2, 3, 4, 5), (7,), (0, 3), (9, 8, 5), (2, 3, 6, 5)]
EXACT = Settings(lossless=True)
GOLDEN = sorted((make.HERE / "arrays").glob("*.pcai"))
DIGESTS = json.loads((make.HERE / "arrays/digests.json").read_text("utf-8"))


def array_of(dtype, shape):
    """Make numbers that are alike along the last axis; real ones with some that are not finite."""
    random = np.random.default_rng(1)
    found = np.asarray(random.normal(20, 30, shape)).cumsum(axis=-1 if shape else None).reshape(shape)
    if dtype.kind == "b":
        return np.asarray(found > 20, dtype)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        return np.asarray(np.clip(found, max(ends.min, -1000), min(ends.max, 1000)), dtype)
    made = np.empty(shape, dtype)
    made.real = np.where(random.random(shape) < 0.1, random.choice([np.nan, np.inf, -np.inf]), found)
    if dtype.kind == "c":
        made.imag = made.real / 4
    return made


def library(array, _folder):
    return pcaimage.decode(pcaimage.encode(array, EXACT))


def file(array, folder):
    pcaimage.save(path := folder / "a.pcai", array, EXACT, axis=0, overwrite=True)
    opened = pcaimage.open(path)
    assert (opened.shape, opened.dtype, opened.ndim) == (array.shape, array.dtype, array.ndim)
    return opened[...]


def xarray(array, _folder):
    pytest.importorskip("xarray")
    from pcaimage.plugins.xarray import PcaimageBackend

    data = io.BytesIO(pcaimage.encode(array, EXACT))
    found = PcaimageBackend().open_dataset(data, mask_and_scale=False).pixels.values  # of the machine's order
    return found.reshape(array.shape).astype(array.dtype)  # an image has bands


def zarr(array, _folder, version, **options):
    zarr = pytest.importorskip("zarr")
    from pcaimage.plugins import numcodecs as two
    from pcaimage.plugins import zarr as three

    (two if version == 2 else three).register()
    codec = ("compressors", two) if version == 2 else ("serializer", three)
    kind = {"compressors": None, codec[0]: codec[1].PcaCodec(**options), "zarr_format": version}
    chunks = tuple(max(side // 2, 1) for side in array.shape) or "auto"
    made = zarr.create_array({}, shape=array.shape, chunks=chunks, dtype=array.dtype, **kind)
    made[...] = array
    return np.asarray(made[...], array.dtype)


def command(array, folder, ending, write):
    write(source := folder / f"array.{ending}", array)
    made, back = folder / "a.pcai", folder / "b.npy"
    for words in (("encode", source, made, "--lossless", "--axis=0"), ("decode", made, back)):
        assert typed(*words, "--overwrite").exit_code == 0
    assert not array.size or '"max_error": 0' in typed("compare", source, made, "--json").stdout
    return np.load(back).astype(array.dtype)  # Zarr 3 has the machine's order


def hdf5(path, array):
    with pytest.importorskip("h5py").File(path, "w") as file:
        file["group/array"] = array


def zarr_folder(path, array):
    pytest.importorskip("zarr").create_array(path, data=array, overwrite=True)


DOORS = {"library": library, "file": file, "xarray": xarray}
FILES = {"npy": np.save, "h5": hdf5, "zarr": zarr_folder}
DOORS |= {f"file {ending}": partial(command, ending=ending, write=write) for ending, write in FILES.items()}
DOORS |= {"zarr 2": partial(zarr, version=2), "zarr 3": partial(zarr, version=3, effort="fast", bands=0)}


@pytest.mark.sweep(17)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_arrays_of_all_types_and_shapes_come_back_to_the_bit(door, dtype, tmp_path):
    for shape in SHAPES if door == "library" else SHAPES[:4]:
        array = array_of(dtype, shape)
        found = DOORS[door](array, tmp_path)
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()


@pytest.mark.sweep(5)
@pytest.mark.parametrize("dtype", [each for each in TYPES if each.isnative], ids=str)
@pytest.mark.parametrize(("far", "scale"), [(0, 1), (1 << 40, 1), (0, 1e-30), (0, 1e290)])
def test_no_error_is_larger_than_allowed_and_what_is_not_finite_is_kept(dtype, far, scale):
    for shape, error in (((9, 8, 5), 3), ((40,), 2.5), ((3, 9, 8), 40)):
        array, bound = array_of(dtype, shape), error
        if dtype in (np.int64, np.uint64, np.float64):
            array = array + dtype.type(far)
        if dtype == np.float64:
            array, bound = array * scale, error * scale
        codec = ChunkCodec(max_error=bound, bands="first")
        found = codec.decode(data := codec.encode(array))
        finite = np.isfinite(array)
        apart = found[finite].astype(complex) - array[finite].astype(complex)
        assert np.abs(apart).max() <= bound
        assert np.array_equal(found[~finite], array[~finite], equal_nan=True)
        assert len(data) < array.nbytes + 150
        near = pcaimage.decode(pcaimage.encode(array, Settings(psnr=30, nodata=float(array.real.flat[0]))))
        assert (near.dtype, near.shape) == (dtype, shape)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_arrays_are_what_the_document_says(path):
    data = path.read_bytes()
    found, expected = pcaimage.decode(data), reference.decode(data)
    assert (found.dtype, found.shape, found.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())
    assert make.digest(found) == DIGESTS[path.stem]
    with pytest.raises(Fault, match="keeps an array"):
        Opened(data)


@given(st.data())
def test_damaged_values_are_refused_before_memory_is_taken(data):
    chunks = parts(data.draw(st.sampled_from(GOLDEN)).read_bytes())
    payload = bytearray(dict(chunks)[b"V"])
    at = data.draw(st.integers(0, min(len(payload), 30)))
    payload[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    changed = assembled(replaced(chunks, b"V", bytes(payload)))
    try:
        pcaimage.decode(changed, limits=Limits.of_bytes(1 << 20))
    except (FormatError, ImageTooLargeError):
        return
    Values.of(bytes(payload))


def test_what_claims_too_much_and_what_is_no_array_of_numbers_is_refused():
    chunks = parts(pcaimage.encode(np.zeros((2, 2, 2, 2), np.uint8)))
    near = parts(pcaimage.encode(np.linspace(0, 1, 90).reshape(9, 10), pcaimage.Settings(max_error=0.1)))
    around = dict(near)[b"V"].replace(*(np.float64(each).tobytes() for each in (0.5, np.inf)))
    with pytest.raises(FormatError, match="is damaged"):
        pcaimage.decode(assembled(replaced(near, b"V", around)))
    for shape, sentence in (((1 << 41,) * 2, "is damaged"), ((1 << 36,), "claims"), ((9, 9), "more numbers")):
        payload = Values(np.dtype("u1"), shape, 0, 0).to_bytes()
        with pytest.raises(PcaImageError, match=sentence):
            pcaimage.decode(assembled(replaced(chunks, b"V", payload)))
    for array, sentence in (
        (np.zeros(3, "i4,f8"), "compress its fields f0, f1 one by one"),
        (np.array([{}]), "give them a type"),
        (np.array(["text"]), "are no numbers"),
        (np.zeros(3, "M8[s]"), "view them as int64"),
        (np.zeros(3, np.longdouble), "convert them to float64"),
    ):
        with pytest.raises(DataError, match=sentence):
            pcaimage.encode(array)
    with pytest.raises(SettingsError, match="has no axis 3"):
        pcaimage.encode(np.zeros((2, 2, 2)), axis=3)


@pytest.mark.parametrize(("scale", "kind"), [(1e-9, "f8"), (1e9, "i8"), (1, "c16")])
def test_the_command_line_tells_of_arrays_in_their_own_units(scale, kind, tmp_path):
    array = (array_of(np.dtype("i4"), (4, 9, 8)) * scale).astype(kind)
    np.save(path := tmp_path / "a.npy", array)
    made, error = tmp_path / "a.pcai", 3 * scale
    commands = (("encode", path, made, f"--max-error={error:.17f}"), ("info", made), ("compare", path, made))
    told, info, apart = (json.loads(typed(*words, "--json").stdout) for words in commands)
    assert 0 < apart["max_error"] <= info["max_error"] <= error * 1.001
    assert info["peak"] == pytest.approx(np.ptp(array.view(array.real.dtype)), rel=1e-3)
    assert {told[key] for key in ("max_error", "peak")} == {info["max_error"], info["peak"]}
    assert (told["psnr"], apart["peak"]) == pytest.approx((apart["psnr"], info["peak"]))
    assert (info["height"], info["width"], info["channels"]) == (9, 8, 4)


def test_what_shows_images_shows_arrays_that_are_such_and_refuses_others(tmp_path):
    array = array_of(np.dtype("f8"), (9, 8, 5))
    pcaimage.save(path := tmp_path / "a.pcai", array)
    opened = pcaimage.open(path)
    assert "array of shape (9, 8, 5), float64" in repr(opened)
    assert np.array_equal(opened.stream().image().pixels, array.astype("f4"), equal_nan=True)
    assert typed("decode", path, tmp_path / "a.tif").exit_code == 0
    assert typed("decode", path, tmp_path / "a.npy").exit_code == 0
    assert np.load(tmp_path / "a.npy").tobytes() == array.tobytes()
    assert typed("decode", path, tmp_path / "b.npy", "--window", "2:4,1:7", "--bands", "3,1").exit_code == 0
    part = array[2:4, 1:7][..., [2, 0]].astype("f4")
    assert np.array_equal(np.load(tmp_path / "b.npy"), part, equal_nan=True)
    assert "9 × 8 × 5, float64" in typed("info", path).stdout
    many = pcaimage.api.open_bytes(pcaimage.encode(np.zeros((2, 2, 3, 4, 5))))
    for act in (many.image, lambda: pcaimage.save_page(path, tmp_path / "a.html")):
        with pytest.raises(PcaImageError, match="is no image"):
            act()

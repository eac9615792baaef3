"""The decoder in C gives the pixels of golden files."""

import ctypes
import json
import random
import zlib
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import compile_core
import numpy as np
import pytest

import pcaimage
from pcaimage import Bands, Blocks, Settings, Stack
from pcaimage.codec.coding.range_coder import curves
from pcaimage.errors import PcaImageError
from tests.golden import make
from tests.unit.lib.decoding import TABLES, Fault, Opened

FILES = sorted(make.HERE.glob("*.pcai"))
EXPECTED = json.loads(make.EXPECTED.read_text("utf-8"))


@pytest.fixture
def opened(request):
    """The golden file of a name, with its model."""
    name, model = request.param, None
    try:
        if name in make.MODELS:
            model = Opened(make.model_of(name))
        with Opened((make.HERE / f"{name}.pcai").read_bytes(), model=model) as found:
            yield name, found
    except Fault as fault:
        if fault.kind != TABLES:
            raise
        pytest.skip("This library does not decode photos.")
    finally:
        if model is not None:
            model.close()


NAMES = pytest.mark.parametrize("opened", [path.stem for path in FILES], indirect=True, ids=str)


@NAMES
def test_a_golden_file_decodes_to_the_same_pixels(opened):
    name, file = opened
    expected = EXPECTED[name]
    assert file.info.k == expected["k"]
    # Components that are decoded stay: each number goes on where the one before stopped.
    for k, digest in sorted(expected["pixels"].items(), key=lambda each: int(each[0])):
        assert make.digest(file.pixels(int(k))) == digest
    first = min(expected["pixels"], key=int)
    assert make.digest(file.pixels(int(first))) == expected["pixels"][first]
    if "alpha" in expected:
        assert make.digest(file.alpha()) == expected["alpha"]


@NAMES
def test_reduced_lines_are_means_over_squares(opened):
    name, file = opened
    if "holes" in name or file.info.method == 3:
        pytest.skip("It has missing data, or means are rounded otherwise.")
    file.decode(file.info.k)
    whole = file.corrected() if "direct" in name else file.lines(file.info.k)
    info = file.info
    images = whole.reshape(info.images, info.height, info.width, info.channels).astype(np.float64)
    for reduction in (2, 4, 8):
        rows, columns = (range(0, side, reduction) for side in (info.height, info.width))
        sums = np.add.reduceat(np.add.reduceat(images, rows, axis=1), columns, axis=2)
        ones = np.ones((info.height, info.width, 1))
        means = sums / np.add.reduceat(np.add.reduceat(ones, rows, axis=0), columns, axis=1)
        found = file.lines(info.k, reduction=reduction)
        if found.dtype.kind != "f":
            means = np.floor(means + 0.5)
        expected = means.astype(found.dtype)
        assert (found.reshape(expected.shape) == expected).all()


@NAMES
def test_lines_are_the_same_however_they_are_asked_for(opened):
    _, file = opened
    k = file.info.k
    file.decode(k)
    whole = file.lines(k)
    for step in (1, 3, 7):
        for start in range(0, len(whole), step):
            stop = min(start + step, len(whole))
            part = file.lines(k, start, stop, spare=start % 5)
            assert (part.view(np.uint8) == whole[start:stop].view(np.uint8)).all()


@NAMES
def test_chunks_are_where_they_are(opened):
    name, file = opened
    data = (make.HERE / f"{name}.pcai").read_bytes()
    place, components = 9, 0
    for kind, start, stop, payload, first, count in file.chunks:
        assert (start, data[start]) == (place, kind)
        assert start < payload <= stop - 4
        assert not count or first == components + 1
        place, components = stop, components + count
    assert (place, components) == (len(data), pcaimage.open(make.HERE / f"{name}.pcai").k)


def test_a_small_image_takes_no_more_than_is_said():
    for name in ("bands", "blocks-8", "stack-lines", "bands-lossless"):
        data = (make.HERE / f"{name}.pcai").read_bytes()
        with Opened(data) as file:
            most = file.info.memory
        with Opened(data, most_memory=most) as file:
            assert make.digest(file.pixels()) == EXPECTED[name]["pixels"][str(EXPECTED[name]["k"])]
        with pytest.raises(Fault, match="more memory"):
            Opened(data, most_memory=most - 1)


@lru_cache(maxsize=1)
def inflater():
    """Return a library of what inflates for hosts without zlib, and is no part of the core."""
    command = compile_core.compiler() or pytest.skip("there is no C compiler here")
    own = ["-shared", "-fPIC", f"-I{compile_core.SOURCES}", str(compile_core.ROOT / "lib" / "inflate.c")]
    with TemporaryDirectory() as folder:
        compile_core.run([*command, *own], Path(folder, "inflater"))
        return ctypes.CDLL(f"{folder}/inflater")


def inflated(data, size):
    room = ctypes.create_string_buffer(size + 1)
    room.raw = b"\xa5" * (size + 1)
    whole = inflater().pcai_inflate(None, data, ctypes.c_size_t(len(data)), room, ctypes.c_size_t(size))
    assert room.raw[size:] == b"\xa5"
    return room.raw[:size] if whole else None


def streams():
    chance = np.random.default_rng(1)
    contents = [
        b"",
        b"a",
        bytes(100_000),
        chance.bytes(70_000),
        b"repeated, " * 3000,
        np.cumsum(chance.integers(-2, 3, 50_000)).astype(np.uint8).tobytes(),
    ]
    for content in contents:
        for level in (0, 1, 6, 9):
            yield content, zlib.compress(content, level)
        fixed = zlib.compressobj(6, zlib.DEFLATED, 15, 9, zlib.Z_FIXED)
        yield content, fixed.compress(content) + fixed.flush()


def test_streams_inflate_to_what_they_were():
    for content, stream in streams():
        assert inflated(stream, len(content)) == content
        assert inflated(stream + b"more", len(content)) == content
        assert inflated(stream, len(content) + 1) is None
        assert inflated(stream[:-1], len(content)) is None
        if content:
            assert inflated(stream, len(content) - 1) is None


def test_damaged_streams_are_refused_as_zlib_refuses_them():
    chance, sound = random.Random(1), 0  # noqa: S311 - nothing is secret
    originals = [each for each in streams() if 0 < len(each[1]) < 4000]
    for _ in range(3000):
        content, stream = chance.choice(originals)
        changed = bytearray(stream)
        for _ in range(chance.choice((1, 1, 2, 5))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        inflater = zlib.decompressobj()
        try:
            expected = inflater.decompress(bytes(changed), len(content) + 1)
            whole = inflater.eof and len(expected) == len(content)
        except zlib.error:
            whole = False
        found = inflated(bytes(changed), len(content))
        assert (found == expected) if whole else (found is None)
        sound += whole
    assert sound


def formulas():
    """Return the tables of decisions before rounding, with a margin to halves, and those that are exact."""
    sizes = np.arange(-160, 168)
    ratios = 16 / ((1 + (sizes & 7) / 8) * 2.0 ** (sizes >> 3))
    gaps = np.where(ratios < 16, np.log(np.expm1(np.minimum(ratios, 16))), ratios)
    chances, levels = np.maximum(np.arange(65536), 1) / 65536, np.arange(168)
    widths = (8 + (levels & 7)) * 2.0 ** ((levels >> 3) - 7 - np.maximum(levels - 28, 0) // 8)
    shares = 1 / (1 + np.exp((7.5 - np.arange(16)) / np.maximum(widths, 2.0**-6)[:, None]))
    first = 65504 * (shares - shares[:, :1]) + 2 * np.arange(16)
    first[:, 0] = 1
    rounded = {
        "probabilities": np.clip(65536 / (1 + np.exp(-np.arange(-2815, 2816) / 256)), 1, 65535),
        "tails": 256 * np.log1p(np.exp(-np.arange(3072) / 256)),
        "gaps": np.clip(256 * gaps, -4096, 4096),
        "logits": 256 * np.log(chances / (1 - chances)),
        "first": first.ravel(),
    }
    scales = [(8 + size % 8) << (size // 8 + 20) for size in range(-160, 168)]
    exact = {
        "ratios": np.minimum((1 << 35) // np.array(scales), 4096),
        "inverses": (1 << 29) // ((8 + levels % 8) << (levels // 8)),
        "rates": (65536 / (np.arange(256) + 1.5)).astype(np.int32),
    }
    return rounded, exact


def test_curves_are_those_of_the_formulas():
    rounded, exact = formulas()
    names = ("probabilities", "tails", "gaps", "ratios", "inverses", "rates")
    room, place = curves(), 0
    for name in names:
        table = rounded.get(name, exact.get(name))
        found = room[place : place + 4 * len(table)].view(np.int32)
        np.testing.assert_array_equal(found, np.rint(table))
        place += 4 * len(table)
    for name, kind in (("logits", np.int16), ("first", np.uint16)):
        size = 2 * len(rounded[name])
        np.testing.assert_array_equal(room[place : place + size].view(kind), np.rint(rounded[name]))
        place += size
    assert place == len(room)
    # No table is so near to a half that machines could round it differently.
    assert min(np.abs(table % 1 - 0.5).min() for table in rounded.values()) > 1e-8


def scene(random, shape, dtype):
    """Return an image with smooth parts, edges and noise."""
    waves = np.add.outer(np.sin(np.arange(shape[0]) / 5), np.cos(np.arange(shape[1]) / 7))
    picture = waves.reshape(*waves.shape, *(1,) * (len(shape) - 2)) + random.normal(size=shape) / 9
    picture = picture + random.normal(size=shape[-1])
    scaled = (picture - picture.min()) / (np.ptp(picture) or 1)
    if dtype == "float32":
        return (scaled * 3 - 1).astype(dtype)
    bounds = np.iinfo(dtype)
    return (scaled * (bounds.max / 2 - bounds.min / 2) + bounds.min / 2).astype(dtype)


def agree(data, image, *, k=None):
    """Check pixels from all components, and from the first k."""
    with Opened(data) as file:
        for count in (min(k or 1, file.info.k), file.info.k):
            expected = pcaimage.decode(data, count)
            found = file.pixels(count)
            assert found.shape == expected.shape == image.shape
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.sweep(3)
def test_blocks(seed):
    random = np.random.default_rng(seed)
    sides = random.integers(1, 70, 2)
    channels = (1, 1, 2, 3, 3, 4, 7, 30)[seed % 8]
    size = int((2, 3, 4, 5, 8, 8, 16, 64)[seed % 7])
    image = scene(random, (*sides, channels), ("uint8", "uint16")[seed % 2])
    if channels == 1 and seed % 3:
        image = image[..., 0]
    samples = np.prod([-(-side // size) for side in sides])
    k = int(min(samples, size * size * channels, 9))
    step = None if seed % 2 else 4.0
    data = pcaimage.encode(image, Settings(Blocks(size), k=k, step=step, standardize=seed % 5 == 0))
    agree(data, image, k=4)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.sweep(3)
def test_bands(seed):
    random = np.random.default_rng(100 + seed)
    sides = random.integers(1, 60, 2)
    channels = (1, 2, 3, 4, 7, 9, 40, 130)[seed % 8]
    dtype = ("uint8", "uint16", "int16", "float32")[seed % 4]
    image = scene(random, (*sides, channels), dtype)
    nodata = None
    if seed % 3 == 0:
        nodata = image.flat[0].item()
        image[random.random(image.shape[:2]) < 0.1] = nodata
        if seed % 2:
            image[random.random(image.shape) < 0.05] = nodata
    error = {0: None, 1: 0.0, 2: 2.0}[seed % 3] if dtype != "float32" else (None, 0.01)[seed % 2]
    most = min(sides[0] * sides[1], channels, 6)
    settings = Settings(Bands(), k=int(most), nodata=nodata, max_error=error)
    try:
        data = pcaimage.encode(image, settings)
    except PcaImageError as refused:
        pytest.skip(str(refused))
    agree(data, image, k=2)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.sweep(3)
def test_stacks(seed):
    random = np.random.default_rng(200 + seed)
    count = (1, 2, 9, 40, 1025, 2100)[seed % 6]
    sides = random.integers(1, 12, 2) if count > 1000 else random.integers(1, 50, 2)
    image = scene(random, (count, *sides, (1, 3)[seed % 2]), ("uint8", "uint16")[seed // 2 % 2])
    most = min(count, sides[0] * sides[1], 8)
    data = pcaimage.encode(image, Settings(Stack(), k=int(most)))
    agree(data, image, k=3)


@pytest.mark.slow
def test_large_images_of_many_slices():
    random = np.random.default_rng(7)
    for image, settings in (
        (scene(random, (700, 900, 3), "uint8"), Settings(Blocks(8), k=60)),
        (scene(random, (600, 700, 12), "uint16"), Settings(Bands(), k=5)),
        (scene(random, (40, 300, 500, 1), "uint8"), Settings(Stack(), k=6)),
    ):
        agree(pcaimage.encode(image, settings), image, k=3)

"""The decoder in C gives the pixels of golden files."""

import json

import numpy as np
import pytest

import pcaimage
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
    assert make.digest(file.pixels(1)) == expected["pixels"]["1"]
    if "alpha" in expected:
        assert make.digest(file.alpha()) == expected["alpha"]


@NAMES
def test_reduced_lines_are_means_over_squares(opened):
    name, file = opened
    if "holes" in name or file.info.method == 3:
        pytest.skip("It has missing data, or means are rounded otherwise.")
    whole = file.lines(file.info.k) if not file.decode(file.info.k) else None
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

"""Committed files decode to the same pixels for ever."""

import json

import numpy as np
import pytest

import pcaimage
import pcaimage.container
from tests.golden import make
from tests.reference import linear, photo

FILES = sorted(make.HERE.glob("*.pcai"))
EXPECTED = json.loads(make.EXPECTED.read_text("utf-8"))


def test_every_golden_file_is_described_and_small():
    assert {path.stem for path in FILES} == set(EXPECTED)
    assert len(FILES) >= 18
    assert all(path.stat().st_size <= make.MAX_BYTES for path in FILES)
    assert sum(path.stat().st_size for path in FILES) < 90 * 1024


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_file_decodes_to_the_same_pixels(path):
    expected = EXPECTED[path.stem]
    model = make.MODELS.get(path.stem)
    opened = pcaimage.open(path, model=None if model is None else path.with_name(f"{model}.pcai"))
    assert opened.k == expected["k"]
    for k, digest in expected["pixels"].items():
        pixels = opened.decode(int(k))
        assert list(pixels.shape) == expected["shape"]
        assert pixels.dtype.name == expected["dtype"]
        assert make.digest(pixels) == digest
        if int(k) == opened.k and "values" in expected:
            assert pixels.ravel().tolist() == expected["values"]
    alpha = opened.compressed.alpha
    assert (None if alpha is None else make.digest(alpha)) == expected.get("alpha")


def affordable(name, numbers):
    """Return how many components plain Python shall decode: as many as have so many numbers, or one."""
    height, width = EXPECTED[name]["shape"][:2]
    return max(k for k in map(int, EXPECTED[name]["pixels"]) if k == 1 or k * height * width <= numbers)


# Residuals have a reference decoder of their own.
PHOTOS = ("photo", "tools", "tiles")
LOSSY = [path.stem for path in FILES if path.stem.startswith(PHOTOS) and "lossless" not in path.stem]


@pytest.mark.parametrize("name", LOSSY)
@pytest.mark.sweep(5)
def test_golden_photos_mean_the_same_to_the_reference_decoder(name):
    k = affordable(name, 100_000)
    decoded = photo.decode((make.HERE / f"{name}.pcai").read_bytes(), k)
    assert make.digest(decoded.pixels) == EXPECTED[name]["pixels"][str(k)]


LINEAR = [
    path.stem for path in FILES if path.stem.startswith(("bands", "blocks", "channels", "lent", "stack"))
]


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.sweep(4)
def test_golden_files_mean_the_same_to_the_reference_decoder(name):
    k = affordable(name, 2000)
    data = (make.HERE / f"{name}.pcai").read_bytes()
    decoded = linear.decode(data, k, make.model_of(name))
    assert make.digest(decoded.values) == EXPECTED[name]["pixels"][str(k)]


def test_digest_tells_shape_and_type_apart():
    array = np.zeros((2, 3), np.uint8)
    different = [array, array.T, array.view("u1").astype("u2"), array + np.uint8(1)]
    assert len({make.digest(other) for other in different}) == 4
    assert make.digest(array.astype(">u2")) == make.digest(array.astype("<u2"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make golden files elsewhere."""
    monkeypatch.setattr(make, "HERE", tmp_path)
    monkeypatch.setattr(make, "EXPECTED", tmp_path / "expected.json")
    return tmp_path


def test_making_golden_files_never_overwrites(folder, monkeypatch):
    old, new, data = "old", "new", FILES[0].read_bytes()
    monkeypatch.setattr(make, "cases", lambda: {old: data, new: data})
    monkeypatch.setattr(make, "lent", dict)
    (folder / f"{old}.pcai").write_bytes(b"kept")
    make.EXPECTED.write_text(json.dumps({old: "kept"}), "utf-8")
    assert make.main() == 0
    assert (folder / f"{old}.pcai").read_bytes() == b"kept"
    assert (folder / f"{new}.pcai").read_bytes() == data
    described = json.loads(make.EXPECTED.read_text("utf-8"))
    assert described[old] == "kept"
    assert described[new]["k"] == pcaimage.container.read(data).k


def test_making_refuses_a_large_golden_file(folder, monkeypatch, capsys):
    make.EXPECTED.write_text(json.dumps(EXPECTED), "utf-8")
    monkeypatch.setattr(make, "cases", lambda: {"large": bytes(make.MAX_BYTES + 1)})
    assert make.main() == 1
    assert "large has" in capsys.readouterr().err
    assert not (folder / "large.pcai").exists()

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image as PillowImage

from tests.typed import typed


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run the program in a folder of the test's own, as one who types there."""
    monkeypatch.chdir(tmp_path)
    return typed


@pytest.fixture
def done(command):
    """Run the program, which must succeed."""

    def run(*words):
        result = command(*words)
        assert result.exit_code == 0, result.output
        return result

    return run


@pytest.fixture
def figures(done):
    """Run the program, and return what it tells to other programs."""
    return lambda *words: json.loads(done(*words, "--json").stdout)


@pytest.fixture
def refused(command):
    """Run the program, which must refuse in one sentence; return that."""

    def run(*words):
        result = command(*words)
        assert result.exit_code in {1, 2}, result.output
        assert not result.stdout
        assert result.stderr.startswith("pcaimage: ")
        assert result.stderr.count("\n") == 1
        return result.stderr.removeprefix("pcaimage: ").strip()

    return run


@pytest.fixture(scope="session")
def picture():
    """Make a picture with smooth parts, edges and a little noise."""
    y, x = np.mgrid[0:72, 0:104].astype(float)
    planes = [128 + 70 * np.sin(x / (9 + c) + c) * np.cos(y / 13 - c) + 40 * (x > y) for c in range(3)]
    noise = np.random.default_rng(5).normal(0, 3, (72, 104, 3))
    return np.clip(np.stack(planes, axis=-1) + noise, 0, 255).astype(np.uint8)


@pytest.fixture
def png(tmp_path, picture):
    path = tmp_path / "in.png"
    PillowImage.fromarray(picture).save(path)
    return path


@pytest.fixture(scope="session")
def compressed(tmp_path_factory, picture):
    """Return the picture compressed in blocks and as a photo, which most tests only read."""
    folder = tmp_path_factory.mktemp("compressed")
    PillowImage.fromarray(picture).save(folder / "in.png")
    ways = {"in.pcai": ("--method", "blocks", "--k", "20"), "photo.pcai": ()}
    for name, words in ways.items():
        result = typed("encode", folder / "in.png", folder / name, *words)
        assert result.exit_code == 0, result.output
    return {name: (folder / name).read_bytes() for name in ways}


@pytest.fixture
def pcai(png, compressed):
    """Return a compressed picture of 20 components."""
    path = png.with_name("in.pcai")
    path.write_bytes(compressed[path.name])
    return path


@pytest.fixture
def photo(png, compressed):
    """Return the picture compressed as a photo."""
    path = png.with_name("photo.pcai")
    path.write_bytes(compressed[path.name])
    return path


@pytest.fixture
def frames(tmp_path, picture):
    """Return a folder of six pictures that are much alike."""
    folder = tmp_path / "frames"
    folder.mkdir()
    for index in range(6):
        PillowImage.fromarray(np.roll(picture, index, axis=1)).save(folder / f"{index}.png")
    return folder


@pytest.fixture
def in_threads(monkeypatch):
    """Let threads do the work, which start sooner than processes."""

    class Threads(ThreadPoolExecutor):
        def __init__(self, workers, **_named):
            super().__init__(workers)

        def stop(self):
            self.shutdown()

    monkeypatch.setattr("pcaimage.batching.processes.Processes", Threads)


@pytest.fixture(autouse=True)
def nothing_is_left_behind(tmp_path):
    """Whatever a command does, its temporary files are gone."""
    yield
    assert not list(tmp_path.rglob("*.tmp"))

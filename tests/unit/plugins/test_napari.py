import importlib
import tomllib
from pathlib import Path

import numpy as np
import pytest

import pcaimage
from pcaimage import Settings
from pcaimage.imaging import BandInfo, Image
from pcaimage.plugins.napari import get_reader, read

ROOT = Path(__file__).resolve().parents[3]
RNG = np.random.default_rng(8)


def noise(*shape):
    return RNG.integers(0, 255, shape).astype("uint8")


def test_images_become_layers(tmp_path):
    colour, cube, stack = noise(16, 8, 3), noise(9, 8, 7), noise(3, 8, 8, 1)
    waves = tuple(range(400, 470, 10))
    pcaimage.save(tmp_path / "colour.pcai", Image(colour, alpha=colour[..., 0]), Settings(lossless=True))
    pcaimage.save(
        tmp_path / "cube.pcai",
        Image(cube, bands=BandInfo(wavelengths=waves, unit="nm")),
        Settings(lossless=True),
    )
    pcaimage.save(tmp_path / "stack.pcai", Image(stack), Settings(pcaimage.Stack()))
    pcaimage.save(tmp_path / "grey.pcai", Image(colour[..., :1]), Settings(lossless=True))
    names = [str(tmp_path / f"{name}.pcai") for name in ("colour", "cube", "stack", "grey")]
    reader = get_reader(names)
    assert reader is not None
    found = reader(names)
    assert [kind for *_, kind in found] == ["image"] * 4
    (first, of_first, _), (second, of_second, _), (third, of_third, _), (fourth, *_) = found
    assert np.array_equal(first, np.dstack([colour, colour[..., 0]]))
    assert (of_first["rgb"], of_second["rgb"], of_third["rgb"]) == (True, False, False)
    assert np.array_equal(second, np.moveaxis(cube, -1, 0))
    assert of_second["metadata"]["wavelengths"] == waves
    assert (of_second["name"], third.shape, fourth.shape) == ("cube.pcai", (3, 8, 8), (16, 8))
    assert len(read(names[0])) == 1


def test_other_files_are_left_to_others():
    assert get_reader("photo.png") is None
    assert get_reader(["a.pcai", "b.tif"]) is None
    assert get_reader("A.PCAI") is read


@pytest.mark.filterwarnings("ignore")
def test_the_manifest_is_valid():
    npe2 = pytest.importorskip("npe2")
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    module, _, resource = points["napari.manifest"]["pcaimage"].partition(":")
    place = importlib.import_module(module).__path__[0]
    manifest = npe2.PluginManifest.from_file(Path(place, resource))
    manifest.validate_imports()
    (reader,) = manifest.contributions.readers
    assert reader.filename_patterns == ["*.pcai"]
    (command,) = manifest.contributions.commands
    assert command.id == reader.command
    assert manifest.name == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]

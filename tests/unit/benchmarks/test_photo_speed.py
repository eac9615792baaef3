import json

import numpy as np
import pytest
from PIL import Image

from benchmarks import photo_sizes
from benchmarks.methods import pca_photo
from benchmarks.photo_memory import Footprint, footprints
from benchmarks.photo_sizes import growth, resized
from benchmarks.photo_speed import main
from benchmarks.photo_stages import in_turns, rivals, step_for
from benchmarks.photographs import made_photograph

HEIGHT, WIDTH = 96, 144
PIXELS = HEIGHT * WIDTH


@pytest.fixture(scope="module")
def photograph():
    return made_photograph(HEIGHT, WIDTH)


@pytest.mark.slow
def test_the_step_gives_the_rate_that_was_asked_for(photograph):
    step, data = step_for(photograph, 0.8)
    assert 8 * len(data) / PIXELS == pytest.approx(0.8, rel=0.1)
    assert pca_photo().encode(photograph, step) == data


@pytest.mark.slow
def test_other_codecs_are_asked_for_files_of_the_same_size(photograph):
    wanted = len(pca_photo().encode(photograph, 10.0))
    for name, (codec, quality) in rivals(photograph, 10.0).items():
        assert len(codec.encode(photograph, quality)) == pytest.approx(wanted, rel=0.25), name


def test_what_takes_long_is_left_out_of_later_turns(monkeypatch):
    monkeypatch.setattr("benchmarks.photo_stages.PATIENCE", 1e-12)
    calls = []
    found = in_turns({name: lambda name=name: calls.append(name) or name for name in "ab"}, 3)
    assert calls == ["a", "b"]
    assert [result for _, result in found.values()] == ["a", "b"]


def test_larger_photographs_are_mirrored_and_smaller_ones_are_scaled(photograph):
    large = resized(photograph, 4 * PIXELS / 1e6)
    assert large.shape == (2 * HEIGHT, 2 * WIDTH, 3)
    np.testing.assert_array_equal(large[:HEIGHT, :WIDTH], photograph)
    np.testing.assert_array_equal(large[HEIGHT:, WIDTH:], photograph[::-1, ::-1])
    assert resized(photograph, PIXELS / 4e6).shape == (HEIGHT // 2, WIDTH // 2, 3)
    assert resized(photograph, PIXELS / 1e6) is photograph


@pytest.mark.parametrize("power", [0.9, 1.0, 1.4])
def test_growth_is_the_power_of_the_size(power):
    assert growth([1, 4, 24], [3 * n**power for n in (1, 4, 24)]) == pytest.approx(power)


@pytest.mark.slow
def test_memory_is_that_of_processes_of_their_own(photograph):
    data = pca_photo().encode(photograph, 10.0)
    for footprint in footprints(photograph, data, 10.0):
        assert 0 <= footprint.job < 1 << 28
        assert footprint.total > 1 << 25


@pytest.mark.slow
def test_all_tables_are_printed_and_written(tmp_path, photograph, capsys, monkeypatch):
    memory = Footprint(10**8, 2 * 10**9), Footprint(10**8, 10**9)
    monkeypatch.setattr(photo_sizes, "footprints", lambda *_: memory)
    image, result = tmp_path / "photograph.png", tmp_path / "result.json"
    Image.fromarray(photograph).save(image)
    command = ["--image", str(image), "--sizes", "0.006,0.012", "--runs", "1", "--json", str(result)]
    assert main([*command, "--strict"]) == 1
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("PCA photo", "JPEG 2000", "AVIF, speed 6", "Over sizes", "miss"))
    written = json.loads(result.read_text())
    assert [size["own"]["bpp"] for size in written["sizes"]] == pytest.approx([1.0, 1.0], rel=0.05)
    assert written["codecs"][1]["bpp"] == pytest.approx(written["codecs"][0]["bpp"], rel=0.05)

import json

import pytest
from PIL import Image

from benchmarks import photo_sizes
from benchmarks.photo_memory import Footprint
from benchmarks.photo_speed import main
from benchmarks.photographs import made_photograph

HEIGHT, WIDTH = 96, 144


@pytest.fixture(scope="module")
def photograph():
    return made_photograph(HEIGHT, WIDTH)


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

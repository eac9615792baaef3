from pathlib import Path

import pytest

from pcaimage.api import Preset, presets, save_preset, write_preset


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(presets, "settings_folder", lambda: tmp_path / "settings")


def test_a_preset_is_used_by_name_and_by_file(done, png):
    preset = Preset("Few blocks", method="blocks", block=4, k=5)
    save_preset(preset)
    write_preset("mine.json", preset)
    done("encode", png, "typed.pcai", "--method", "blocks", "--block", 4, "--k", 5)
    done("encode", png, "named.pcai", "--preset", "few BLOCKS")
    done("encode", png, "file.pcai", "--preset", "mine.json")
    typed, named, file = (Path(f"{name}.pcai").read_bytes() for name in ("typed", "named", "file"))
    assert typed == named == file


def test_other_options_come_first(figures, png):
    save_preset(Preset("five", method="blocks", block=4, k=5))
    told = figures("encode", png, "a.pcai", "--preset", "five", "--k", 3)
    assert told["k"] == 3
    assert told["k_max"] == 48


def test_what_is_no_preset_is_refused_before_any_work(refused, png):
    assert "There is no preset 'mine'" in refused("encode", png, "a.pcai", "--preset", "mine")
    assert "mine.json cannot be read" in refused("encode", png, "a.pcai", "--preset", "mine.json")
    Path("wrong.json").write_text('{"pcaimage preset": 1, "name": "a", "k": 2, "psnr": 3}', "utf-8")
    assert "wrong.json: A preset keeps one of" in refused("encode", png, "a.pcai", "--preset", "wrong.json")
    assert "no preset" in refused("report", png, "-o", "a.html", "--preset", "mine")
    assert not Path("a.pcai").exists()


def test_a_report_takes_a_preset(done, png):
    save_preset(Preset("five", method="blocks", block=4, k=5))
    done("report", png, "-o", "page.html", "--preset", "five")
    assert "--method blocks --block 4 --k 5" in Path("page.html").read_text("utf-8")

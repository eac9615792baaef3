import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from pcaimage import api
from pcaimage.codec import Effort, Settings, Tune
from pcaimage.errors import SettingsError
from pcaimage.machine import folders
from pcaimage.sampling import Blocks, Lapped

PHOTO, DEEP, BYTE = (40, 60, 3), np.dtype(np.uint16), np.dtype(np.uint8)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(api.presets, "settings_folder", lambda: tmp_path / "settings")
    return tmp_path / "settings" / "presets"


@pytest.mark.parametrize(
    "preset",
    [
        api.Preset("Web", psnr=36.5),
        api.Preset("Blöcke & mehr", method="blocks", block=16, size=40_000),
        api.Preset("cube", method="bands", mnf=True, max_error=0.5),
        api.Preset("both", step=26.0, bits=0.35),
        api.Preset("exact", lossless=True, basis="own", method="photo"),
        api.Preset("k", k=5, step=3.5, standardize=True),
    ],
    ids=lambda preset: preset.name,
)
def test_a_preset_is_the_same_after_it_was_written_and_read(preset, tmp_path):
    api.write_preset(tmp_path / "a.json", preset)
    assert api.read_preset(tmp_path / "a.json") == preset
    assert api.preset_of(str(tmp_path / "a.json")) == preset


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"psnr": 30.0, "size": 100}, "not both"),
        ({"variance": 1.5}, "between 0 and 1"),
        ({"method": "wavelets"}, "'wavelets' is none"),
        ({"block": 8}, "block size"),
        ({"method": "blocks", "block": 1}, "2 to 64"),
        ({"basis": "none"}, "'none' is none"),
        ({"bits": 0}, "positive"),
        ({"step": -1.0}, "positive"),
        ({"psnr": "high"}, "“psnr” must be a number"),
        ({"psnr": 10**400}, "too large"),
        ({"psnr": math.nan}, "too large"),
        ({"k": 2.5}, "“k” must be a whole number"),
        ({"lossless": 1}, "true or false"),
        ({"quality": 80}, "knows no “quality”"),
        ({"name": "  "}, "name"),
        ({"name": "x" * 61}, "60 letters"),
        ({"name": "web.JSON"}, "taken for a file"),
        ({"name": 3}, "must be a text"),
        ({"pcaimage preset": 2}, "another version"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_said_with_the_file(values, said):
    text = json.dumps({"pcaimage preset": 1, "name": "a", **values})
    with pytest.raises(SettingsError, match=r"^mine\.json") as found:
        api.Preset.from_json(text, "mine.json")
    assert said in str(found.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": "a"}', "\0", "[" * 100_000, '{"a": NaN'])
def test_other_files_are_no_presets(text, tmp_path):
    (tmp_path / "a.json").write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=r"not a preset|no preset"):
        api.read_preset(tmp_path / "a.json")


def test_files_that_cannot_be_read_are_said(tmp_path):
    (tmp_path / "latin.json").write_bytes(b"\xff\xfe\xfa")
    (tmp_path / "long.json").write_bytes(b" " * 200_000)
    for name, said in (("none.json", "cannot be read"), ("latin.json", "not a"), ("long.json", "not a")):
        with pytest.raises(SettingsError, match=said):
            api.read_preset(tmp_path / name)
    with pytest.raises(SettingsError, match="cannot be read"):
        api.read_preset(tmp_path)
    with pytest.raises(SettingsError, match="cannot be read"):
        api.preset_of("a\0.json")


def test_presets_are_found_by_name_in_any_case_and_damaged_files_passed_over(folder):
    assert api.saved_presets() == []
    api.save_preset(api.Preset("Web / small?", psnr=35.0))
    api.save_preset(api.Preset("archive", lossless=True))
    api.save_preset(api.Preset("WEB / SMALL?", psnr=36.0))
    assert [preset.name for preset in api.saved_presets()] == ["archive", "WEB / SMALL?"]
    assert api.preset_of("web / small?").psnr == 36.0
    assert len(list(folder.iterdir())) == 2
    api.delete_preset("Archive")
    (folder / "broken.json").write_text("{", "utf-8")
    assert [preset.name for preset in api.saved_presets()] == ["WEB / SMALL?"]
    for name in ("a/b", "a?b", "ä" * 60):  # alike once no file can be named so
        api.save_preset(api.Preset(name, k=2))
    assert len(api.saved_presets()) == len(list(folder.iterdir())) - 1 == 4


@pytest.mark.usefixtures("folder")
def test_names_of_built_in_presets_are_taken():
    with pytest.raises(SettingsError, match="built-in"):
        api.save_preset(api.Preset("Balanced", psnr=30.0))
    assert api.preset_of("Like the Original").step == 9.0
    with pytest.raises(SettingsError, match=r"no preset 'webb'; there are small, .*\.json"):
        api.preset_of("webb")


def test_a_folder_that_cannot_be_made_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(api.presets, "settings_folder", lambda: tmp_path / "file")
    with pytest.raises(SettingsError, match="cannot be saved"):
        api.save_preset(api.Preset("a", k=1))
    assert api.saved_presets() == []


def test_settings_come_before_those_of_a_preset():
    preset = api.Preset("a", method="blocks", block=16, psnr=30.0)
    assert preset.completed(Settings()).sampling == Blocks(16)
    assert preset.completed(Settings(sampling=Lapped())).sampling == Lapped()
    assert preset.applied(Settings(sampling=Blocks(16)), PHOTO, BYTE).psnr == 30.0
    for own in (Settings(k=3), Settings(size=100), Settings(step=5.0), Settings(lossless=True)):
        assert preset.applied(own, PHOTO, BYTE) is own


def test_a_preset_says_what_a_photo_is_optimised_for_and_with_which_effort():
    preset = api.Preset("a", psnr=36.0, tune="eye", effort="fast")
    assert api.Preset.from_json(preset.to_json(), "a") == preset
    found = preset.applied(preset.completed(Settings()), PHOTO, BYTE)
    assert (found.tune, found.effort, found.for_the_eye) == (Tune.EYE, Effort.FAST, True)
    typed = preset.completed(Settings(tune=Tune.PSNR, effort=Effort.BEST))
    assert (typed.tune, typed.effort) == (Tune.PSNR, Effort.BEST)
    assert not api.Preset("b", psnr=36.0).applied(Settings(), PHOTO, BYTE).for_the_eye
    for wrong in ({"tune": "ear"}, {"effort": "none"}):
        with pytest.raises(SettingsError, match="is none"):
            api.Preset("a", **wrong)


def test_photos_are_quantised_with_a_step_and_others_get_the_other_amount():
    preset = api.Preset("a", step=26.0, psnr=36.0)
    photo = preset.applied(Settings(), PHOTO, BYTE)
    assert (photo.step, photo.psnr) == (26.0, None)
    assert preset.applied(Settings(), PHOTO, DEEP, 65535).step == 26.0 * 257
    assert preset.applied(Settings(white=510), PHOTO, DEEP, 65535).step == 52.0
    blocks = preset.applied(Settings(sampling=Blocks(8)), PHOTO, BYTE)
    assert (blocks.step, blocks.psnr) == (None, 36.0)
    both = api.Preset("k", k=7, step=2.0).applied(Settings(sampling=Blocks(8)), PHOTO, BYTE)
    assert (both.k, both.step) == (7, 2.0)


def test_bits_are_per_pixel_of_up_to_three_channels():
    preset = api.Preset("a", bits=0.8)
    sizes = [preset.applied(Settings(), (100, 100, n), BYTE).size for n in (1, 3, 6)]
    assert sizes == [1000, 1000, 2000]


@pytest.mark.parametrize(
    ("platform", "names", "expected"),
    [
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/x/pcaimage"),
        ("linux", {"XDG_CONFIG_HOME": "relative"}, "HOME/.config/pcaimage"),
        ("darwin", {}, "HOME/Library/Application Support/pcaimage"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/pcaimage"),
    ],
)
def test_settings_are_where_the_platform_keeps_them(platform, names, expected, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(folders.Path, "home", lambda: Path("/somewhere/me"))
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    assert folders.settings_folder() == Path(expected.replace("HOME", "/somewhere/me"))

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from pcaimage.api import Preset, presets, read_preset, save_preset, saved_presets, write_preset
from pcaimage.api.presets import BUILT_IN
from pcaimage.codec import Settings
from pcaimage.gui import dialogs
from pcaimage.gui.commands.actions import ACTIONS
from pcaimage.gui.commands.own_presets import PresetsDialog
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.opening import open_document
from pcaimage.gui.session.requests import Choose, Keep, Reach, SetStep, UseOwnPreset, UsePreset
from pcaimage.gui.session.targets import OFFERED, PRESETS, find_offers, find_preset, guess_size, headroom
from pcaimage.gui.session.work import Task
from pcaimage.progress import no_progress
from tests.gui.work import task_of
from tests.smooth import smooth


def applied(task, name):
    return replace(task, setting=find_preset(task, name, no_progress).applied(task.setting))


@pytest.fixture(scope="module", params=["photo", "blocks", "channels"])
def task(request):
    return task_of(smooth(96, 128, 3), Choice(request.param, 4))


def test_every_preset_is_offered_by_the_menu_and_says_what_it_does():
    actions = {spec.name.removeprefix("preset-") for spec in ACTIONS if spec.name.startswith("preset-")}
    assert actions - {"save", "manage"} == set(PRESETS)
    assert all(preset.tip.endswith(".") for preset in PRESETS.values())


def test_the_built_in_presets_are_those_of_the_window():
    shown = {preset.text.replace("&", "").lower(): preset for preset in PRESETS.values()}
    for preset in BUILT_IN:
        same = shown[preset.name]
        assert (same.step, same.lossless) == (preset.step, preset.lossless)
        assert preset.applied(Settings(), (8, 8, 3), np.dtype(np.uint8)).for_the_eye != preset.lossless


@pytest.mark.slow
@pytest.mark.parametrize("task", ["blocks", "channels"], indirect=True)  # whose presets are searched for
def test_small_is_a_third_of_a_bit_for_each_pixel_and_qualities_are_met(task):
    n_bytes = applied(task, "small").measure(no_progress).n_bytes
    assert 0.98 * 0.35 <= 8 * n_bytes / (96 * 128) <= 0.35
    for name, decibels in (("balanced", 36.05), ("visually-lossless", 42.05)):
        assert applied(task, name).settle(no_progress).psnr == pytest.approx(decibels, abs=0.05)


@pytest.mark.parametrize(("name", "share"), [("variance-95", 0.95), ("variance-99", 0.99)])
def test_shares_of_the_variance_take_the_fewest_components(task, name, share):
    target = find_preset(task, name, no_progress)
    assert task.fit.ratio(target.k) >= share > task.fit.ratio(target.k - 1)
    assert target.tuned is None


@pytest.mark.sweep(3)
@pytest.mark.parametrize("most", [255, 65535, 4095])
def test_presets_of_photos_are_steps_of_the_range_in_use(most):
    task = task_of(smooth(96, 128, 3, most=most), Choice("photo"))
    steps = {name: find_preset(task, name, no_progress).tuned for name in OFFERED}
    white = min(max(task.document.display.white, 1.0), 255 if most == 255 else 65535)
    wanted = {name: (PRESETS[name].step or 0) * white / 255 for name in OFFERED}
    assert steps == pytest.approx(wanted, rel=0.01)
    psnr = applied(task, "balanced").settle(no_progress).psnr
    assert psnr == pytest.approx(36.0 + headroom(task), abs=2.5)
    assert applied(task, "small").settle(no_progress).psnr < psnr
    assert applied(task, "visually-lossless").settle(no_progress).psnr > psnr


def test_sizes_of_presets_and_of_their_settings_take_one_sample_for_each_step():
    task = task_of(smooth(96, 128, 3), Choice("photo"))
    offers = find_offers(task, no_progress)
    for name, n_bytes in offers.items():
        preset = applied(task, name)
        for known in ({}, offers):
            assert guess_size(preset, known, no_progress).n_bytes == pytest.approx(n_bytes, abs=1)
        assert preset.estimate(no_progress).estimate.n_bytes == n_bytes
        assert not task.fit.rates.knows(preset.step)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("choice", "near"),
    [(Choice("blocks", 4), 0.08), (Choice("channels"), 0.08), (Choice("photo"), 0.05)],
    ids=lambda value: value.method if isinstance(value, Choice) else None,
)
def test_sizes_of_presets_are_near_those_of_their_files(choice, near):
    task = task_of(smooth(96, 128, 3), choice)
    offers = find_offers(task, no_progress)
    assert list(offers) == list(OFFERED)
    for name, n_bytes in offers.items():
        assert applied(task, name).measure(no_progress).n_bytes == pytest.approx(n_bytes, rel=near, abs=150)


@pytest.mark.slow
def test_dim_images_of_16_bits_keep_as_much_as_bright_ones():
    pixels = smooth(48, 64, 3, most=4095)
    pixels[0, 0] = 65535
    dim, bright = (task_of(each, Choice("blocks", 4)) for each in (pixels, smooth(48, 64, 3, most=4095)))
    assert headroom(bright) == 0
    assert headroom(dim) > 20
    psnr = applied(dim, "balanced").settle(no_progress).psnr
    assert psnr == pytest.approx(36.05 + headroom(dim), abs=0.05)


@pytest.mark.slow
def test_many_bands_and_stacks_have_presets_too():
    bands = task_of(smooth(40, 40, 12), Choice("channels"))
    assert applied(bands, "balanced").settle(no_progress).psnr == pytest.approx(36.05, abs=0.05)
    frames = np.stack([np.roll(smooth(24, 32, 1), 5 * frame, frame % 2) for frame in range(40)])
    stack = task_of(frames, Choice("stack"))
    assert applied(stack, "balanced").settle(no_progress).psnr == pytest.approx(36.05, abs=0.05)
    assert find_preset(stack, "small", no_progress).k < find_preset(stack, "balanced", no_progress).k


def test_presets_of_many_bands_are_multiples_of_their_noise():
    task = task_of(smooth(40, 40, 12, most=4095), Choice("bands"))
    noise = 3 * 4095 / 255
    offers = find_offers(task, no_progress)
    sizes = list(offers.values())
    assert sizes == sorted(sizes)
    for name in OFFERED:
        tried = applied(task, name)
        settled = tried.settle(no_progress)
        errors = tried.document.layers(0).pixels.astype(float) - settled.pixels
        worst = float(np.sqrt(np.square(errors).mean(axis=(0, 1))).max())
        assert worst == pytest.approx((PRESETS[name].noise or 0) * noise, rel=0.25)
        assert tried.measure(no_progress).n_bytes == pytest.approx(offers[name], rel=0.08, abs=150)


def test_a_compressed_file_is_trimmed_to_the_size_of_a_preset_and_what_it_lacks_is_said(compressed):
    opened = open_document([str(compressed)], no_progress)
    assert opened.fit is not None
    task = Task(opened.document, opened.fit, Setting(opened.fit.n_components, None), 0)
    for name in ("small", "balanced"):
        target = find_preset(task, name, no_progress)
        assert 1 <= target.k <= 10
        assert target.tuned is None
    assert find_preset(task, "variance-95", no_progress).k < find_preset(task, "variance-99", no_progress).k
    few = Task(opened.document, replace(opened.fit, n_components=2), Setting(2, None), 0)
    target = find_preset(few, "variance-99", no_progress)
    assert target.k == 2
    assert target.hint.startswith("99 % cannot be reached; ")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(presets, "settings_folder", lambda: tmp_path / "settings")


def names():
    return [preset.name for preset in saved_presets()]


def save(user, monkeypatch, name):
    monkeypatch.setattr(dialogs, "ask_name", lambda *_: name)
    user.trigger("save-preset")
    return next(preset for preset in saved_presets() if preset.name == name)


def use(user, menu, name):
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == name).trigger()
    user.rest()


@pytest.mark.slow
def test_settings_are_saved_and_used_again(user, photo, monkeypatch):
    user.open(photo)
    request = user.window.session.request
    request(Keep(7))
    assert save(user, monkeypatch, "seven") == Preset("seven", method="blocks", block=4, k=7)
    assert "--preset seven" in user.message
    request(SetStep(12.0))
    assert save(user, monkeypatch, "both").step == pytest.approx(12.0, rel=0.02)
    request(Choose(method="photo"))
    user.until(lambda: user.state.fitted)
    user.rest()
    request(UsePreset("balanced"))
    user.rest()
    assert save(user, monkeypatch, "usual") == Preset("usual", step=25.5, psnr=36.0)
    request(Reach("size", 900))
    user.rest()
    assert save(user, monkeypatch, "tiny") == Preset("tiny", size=900)

    presets = user.window.submenus["presets"]
    use(user, presets, "seven")
    user.until(lambda: user.state.choice.method == "blocks" and user.state.setting.k == 7)
    assert user.state.choice.block == 4
    use(user, user.window.panel.bar.presets.menu(), "usual")
    user.until(lambda: user.state.choice.method == "photo" and user.state.fitted)
    user.until(lambda: user.state.setting.chosen_step == pytest.approx(25.5, rel=0.02))

    request(UseOwnPreset(Preset("cubes", method="bands")))
    assert user.message.startswith("The preset cubes is for the method Bands")
    monkeypatch.setattr(dialogs, "ask_sure", lambda *_: False)
    assert save(user, monkeypatch, "tiny").size == 900  # it was not replaced
    monkeypatch.setattr(dialogs, "ask_name", lambda *_: "Lossless")
    user.trigger("save-preset")
    assert "built-in" in user.message


@pytest.fixture
def dialog(qtbot, settings, monkeypatch):
    monkeypatch.setattr(dialogs, "ask_sure", lambda *_: True)
    for name in ("archive", "web"):
        save_preset(Preset(name, psnr=40.0))
    dialog = PresetsDialog(Preferences(settings))
    qtbot.addWidget(dialog)
    return dialog


def press(dialog, text):
    button = next(each for each in dialog.findChildren(QPushButton) if each.text() == text)
    assert button.isEnabled()
    button.click()


def test_presets_are_renamed_unless_the_name_is_taken(dialog):
    dialog.list.item(1).setText("Wide web")
    assert names() == ["archive", "Wide web"]
    assert dialog.chosen == Preset("Wide web", psnr=40.0)
    dialog.list.item(1).setText("ARCHIVE")
    assert names() == ["archive", "Wide web"]
    assert "already" in dialog.note.text()
    dialog.list.item(0).setText("Archive")
    assert names() == ["Archive", "Wide web"]
    dialog.list.item(0).setText("small")
    assert "built-in" in dialog.note.text()
    assert dialog.list.item(0).text() == "Archive"


def test_presets_are_deleted_until_there_are_none(dialog):
    press(dialog, "&Delete")
    assert names() == ["web"]
    press(dialog, "&Delete")
    assert "no presets" in dialog.note.text()
    assert not any(dialog.buttons[text].isEnabled() for text in ("&Rename", "&Delete", "&Export…"))
    assert dialog.buttons["&Import…"].isEnabled()


def test_presets_go_out_and_come_in(dialog, tmp_path, monkeypatch):
    monkeypatch.setattr(dialogs, "ask_write", lambda *_: tmp_path / "out.json")
    press(dialog, "&Export…")
    assert read_preset(tmp_path / "out.json") == Preset("archive", psnr=40.0)
    write_preset(tmp_path / "new.json", Preset("new", k=3))
    write_preset(tmp_path / "web.json", Preset("WEB", k=4))
    (tmp_path / "broken.json").write_text("{}", "utf-8")
    monkeypatch.setattr(
        dialogs, "ask_presets", lambda *_: [str(tmp_path / name) for name in ("new.json", "web.json")]
    )
    press(dialog, "&Import…")
    assert names() == ["archive", "new", "WEB"]
    assert dialog.note.text() == "Imported new, WEB."
    monkeypatch.setattr(dialogs, "ask_presets", lambda *_: [str(tmp_path / "broken.json")])
    press(dialog, "&Import…")
    assert "broken.json is not a preset" in dialog.note.text()
    QApplication.processEvents()

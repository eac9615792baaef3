"""Presets of the user's own: saved, used for other settings, and managed."""

import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from pcaimage.api import Preset, preset_files, read_preset, save_preset, saved_presets, write_preset
from pcaimage.gui import dialogs
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.presets_dialog import PresetsDialog
from pcaimage.gui.session.requests import Choose, Keep, Reach, SetStep, UseOwnPreset, UsePreset


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(preset_files, "settings_folder", lambda: tmp_path / "settings")


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
    assert save(user, monkeypatch, "usual") == Preset("usual", step=28.5, psnr=36.0)
    request(Reach("size", 900))
    user.rest()
    assert save(user, monkeypatch, "tiny") == Preset("tiny", size=900)

    presets = user.window.submenus["presets"]
    use(user, presets, "seven")
    user.until(lambda: user.state.choice.method == "blocks" and user.state.setting.k == 7)
    assert user.state.choice.block == 4
    use(user, user.window.panel.presets.menu(), "usual")
    user.until(lambda: user.state.choice.method == "photo" and user.state.fitted)
    user.until(lambda: user.state.setting.chosen_step == pytest.approx(28.5, rel=0.02))

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

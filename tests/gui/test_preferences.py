from dataclasses import replace

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QWidget

from pcaimage.codec import Tune
from pcaimage.gui.preferences import Preferences, PreferenceValues
from pcaimage.gui.preferences_dialog import PreferencesDialog, edit_preferences
from pcaimage.gui.session.choice import Choice
from pcaimage.imaging.image.limits import Limits
from pcaimage.insight.formatting import Units, units_in_use, use_units

OTHER = PreferenceValues(
    "dark", Units.BINARY, Choice("blocks", 16, standardize=True), Limits(90_000_000, 400_000_000)
)


@pytest.fixture
def kept(tmp_path):
    return QSettings(str(tmp_path / "kept.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def dialog(on_screen):
    return on_screen(PreferencesDialog(PreferenceValues()))


@pytest.fixture
def heard(dialog):
    heard = []
    dialog.changed.connect(heard.append)
    return heard


@pytest.fixture
def theme(look):
    yield look
    look.set_scheme("light")
    use_units(Units.DECIMAL)


def test_wishes_are_kept_from_one_start_to_the_next(kept):
    assert Preferences(kept).values == PreferenceValues()
    wished = replace(OTHER, choice=OTHER.choice.changed(tune=Tune.PSNR), screen="/screen.icc")
    Preferences(kept).values = wished
    kept.sync()
    again = QSettings(kept.fileName(), QSettings.Format.IniFormat)
    assert Preferences(again).values == wished


def test_the_environment_counts_until_a_limit_is_chosen(kept, monkeypatch):
    preferences = Preferences(kept)
    monkeypatch.setenv("PCAIMAGE_MAX_PIXELS", "2000000")
    assert preferences.limits.max_pixels == 2_000_000
    preferences.limits = preferences.limits
    monkeypatch.setenv("PCAIMAGE_MAX_PIXELS", "3000000")
    assert preferences.limits.max_pixels == 3_000_000
    preferences.limits = Limits(7_000_000)
    assert preferences.limits.max_pixels == 7_000_000


def test_every_change_is_asked_for_at_once_and_ok_leaves_what_was_chosen(dialog, heard, qtbot):
    qtbot.keyClick(dialog.units, Qt.Key.Key_Down)
    assert heard[-1].units is Units.BINARY
    qtbot.keyClick(dialog.method, Qt.Key.Key_Down)
    assert heard[-1].choice.method == "blocks"
    assert dialog.block.isEnabled()
    qtbot.keyClick(dialog.block, Qt.Key.Key_Down)
    qtbot.keyClick(dialog.standardize, Qt.Key.Key_Space)
    assert heard[-1].choice == Choice("blocks", 16, standardize=True)
    dialog.pixels.setValue(90)
    dialog.gigabytes.setValue(0.4)
    assert heard[-1].limits == Limits(90_000_000, 400_000_000)
    qtbot.keyClick(dialog.scheme, Qt.Key.Key_Down)
    qtbot.keyClick(dialog.scheme, Qt.Key.Key_Down)
    count = len(heard)
    dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    assert heard[-1] == OTHER
    assert len(heard) == count


def test_defaults_can_be_restored_and_limits_that_are_no_round_numbers_stay_exact(qtbot):
    odd = replace(OTHER, limits=Limits(123_456_789, 1_234_567_890))
    dialog = PreferencesDialog(odd)
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.changed) as heard:
        qtbot.keyClick(dialog.units, Qt.Key.Key_Up)
    assert heard.args[0].limits == odd.limits
    with qtbot.waitSignal(dialog.changed) as heard:
        dialog.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).click()
    assert heard.args == [PreferenceValues()]
    assert dialog.pixels.value() == 500
    assert not dialog.block.isEnabled()


def test_wishes_hold_as_long_as_the_dialog_is_not_cancelled(qtbot, kept, theme):
    parent, preferences, told = QWidget(), Preferences(kept), []
    preferences.scheme = "light"
    qtbot.addWidget(parent)
    parent.show()
    dialog = edit_preferences(parent, preferences, theme, told.append)
    qtbot.keyClick(dialog.scheme, Qt.Key.Key_Down)
    qtbot.keyClick(dialog.units, Qt.Key.Key_Down)
    assert (theme.scheme, units_in_use()) == ("dark", Units.BINARY)
    assert preferences.values == told[-1] == PreferenceValues("dark", Units.BINARY)
    dialog.reject()
    assert (theme.scheme, units_in_use()) == ("light", Units.DECIMAL)
    assert preferences.values == told[-1] == PreferenceValues("light")


def test_every_field_is_named_and_explained(dialog):
    fields = (dialog.scheme, dialog.units, dialog.method, dialog.block, dialog.pixels, dialog.gigabytes)
    for field in (*fields, dialog.standardize, dialog.effort, dialog.several, dialog.profile):
        assert field.toolTip().endswith(".")
        assert field.accessibleName() or field.text()
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.buddy() is not None]
    letters = [text[text.index("&") + 1].lower() for text in [*texts, dialog.standardize.text()] if text]
    assert len(letters) == len(set(letters)) == 10


@pytest.mark.slow
def test_what_is_over_the_limit_is_refused_until_it_is_raised(user, photo):
    user.session.limits = Limits(1000)
    user.drop(photo)
    user.until(lambda: user.message)
    assert user.message.startswith("photo.png has 61 x 45 pixels")
    assert user.message.endswith("Raise the limit in the preferences to open it.")
    user.session.limits = None
    user.open(photo)
    assert user.state.document is not None


@pytest.mark.slow
def test_the_next_image_is_fitted_as_is_preferred(session_user, photo):
    session_user.open(photo)
    session_user.session.prefer(Choice("channels"))
    assert session_user.state.choice.method == "blocks"
    session_user.open(photo)
    assert session_user.state.choice.method == "channels"

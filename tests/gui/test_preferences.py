import ctypes
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QColorSpace
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QWidget

from pcaimage.codec import Region, Tune
from pcaimage.errors import ImageError
from pcaimage.gui.commands.program import ScreenProfile
from pcaimage.gui.messages import MessageBar
from pcaimage.gui.preferences import Preferences, PreferenceValues
from pcaimage.gui.preferences_dialog import PreferencesDialog, edit_preferences
from pcaimage.gui.screen import profile as system
from pcaimage.gui.screen.profile import SRGB, SYSTEM, ScreenPlace, find_profile, system_profile
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.document import Document
from pcaimage.imaging import Image
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
    names = "language scheme units method block pixels gigabytes standardize effort several profile"
    for field in (getattr(dialog, name) for name in names.split()):
        assert field.toolTip().endswith(".")
        assert field.accessibleName() or field.text()
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.buddy() is not None]
    letters = [text[text.index("&") + 1].lower() for text in [*texts, dialog.standardize.text()] if text]
    assert len(letters) == len(set(letters)) == 11


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


P3 = bytes(QColorSpace(QColorSpace.NamedColorSpace.DisplayP3).iccProfile().data())


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "My screen.icc"
    path.write_bytes(P3)
    return path


def test_the_setting_says_whose_profile_is_used_and_what_is_none_is_refused_in_a_sentence(file):
    assert find_profile(SYSTEM, lambda: b"theirs") == b"theirs"
    assert find_profile(SYSTEM, lambda: None) is None
    assert find_profile(SRGB, lambda: b"theirs") is None
    assert find_profile(str(file), lambda: b"theirs") == P3
    with pytest.raises(ImageError, match=r"^The screen profile gone\.icc cannot be read\.$"):
        find_profile(str(file.with_name("gone.icc")), lambda: None)
    file.write_bytes(b"no profile")
    with pytest.raises(ImageError, match=r"^My screen\.icc is not used: this is no colour profile"):
        find_profile(str(file), lambda: None)


class Library:
    """A stand-in for libX11 and libXrandr, with what a test puts into the root window and into outputs."""

    def __init__(self, root, **outputs):
        self.root, self.outputs, self.freed, self.closed = root, outputs, 0, 0
        self.names = [name.encode() for name in outputs]
        self.kept = []
        calls = {
            "XCloseDisplay": self.close,
            "XFree": self.free,
            "XGetWindowProperty": self.of_window,
            "XRRGetOutputProperty": self.of_output,
            "XRRGetOutputInfo": self.about_output,
            "XRRGetScreenResourcesCurrent": self.resources,
        }
        others = ("XOpenDisplay", "XInternAtom", "XDefaultRootWindow")
        for name in (*calls, *others, "XRRFreeScreenResources", "XRRFreeOutputInfo"):
            # As functions of ctypes, they have attributes that say what they take and return.
            setattr(self, name, self.function(calls.get(name, lambda *_: 1)))

    def function(self, call):
        class Function:
            restype = argtypes = None

            def __call__(self, *given):
                return call(*given)

        found = Function()
        found.argtypes = []
        return found

    def close(self, _):
        self.closed += 1

    def free(self, _):
        self.freed += 1

    def give(self, data, pointers):
        _, width, count, rest, place = (pointer._obj for pointer in pointers)
        width.value, count.value, rest.value = 8, len(data or b""), 0
        if data is not None:
            self.kept.append(ctypes.create_string_buffer(data, len(data)))
            place.value = ctypes.addressof(self.kept[-1])
        return 0

    def of_window(self, *given):
        return self.give(self.root, given[-5:])

    def of_output(self, *given):
        return self.give(self.outputs[self.names[given[1]].decode()] or None, given[-5:])

    def resources(self, *_):
        return SimpleNamespace(
            contents=SimpleNamespace(outputs=list(range(len(self.names))), noutput=len(self.names))
        )

    def about_output(self, _display, _resources, number):
        return SimpleNamespace(
            contents=SimpleNamespace(name=self.names[number], length=len(self.names[number]))
        )


@pytest.mark.parametrize(
    ("root", "outputs", "found"),
    [
        (b"primary", {}, b"primary"),
        (b"primary", {"left": b"of left", "right": b"of right"}, b"of right"),
        (b"primary", {"left": b"of left", "right": b""}, b"primary"),
        (None, {"left": b"of left"}, None),
    ],
)
def test_x11_knows_a_profile_for_each_output(monkeypatch, root, outputs, found):
    library = Library(root, **outputs)
    monkeypatch.setattr(system.ctypes, "CDLL", lambda _: library)
    assert system_profile(ScreenPlace("xcb", "right")) == found
    assert library.closed == 1
    assert library.freed == len(library.kept)


def test_systems_without_a_profile_leave_colours_as_srgb(monkeypatch):
    def missing(_):
        raise OSError

    monkeypatch.setattr(system.ctypes, "CDLL", missing)
    for platform in ("wayland", "offscreen", "xcb", "cocoa", "windows"):
        assert system_profile(ScreenPlace(platform)) is None


@pytest.fixture
def used(qtbot, file):
    window, bar, used = QWidget(), MessageBar(), list[bytes | None]()
    qtbot.addWidget(window)
    qtbot.addWidget(bar)
    window.show()
    return ScreenProfile(window, SYSTEM, bar, used.append, lambda _: b"of the screen"), used, bar, file


def test_the_profile_is_looked_up_when_the_window_is_shown_and_when_another_is_chosen(used):
    screen, found, bar, file = used
    assert not found
    screen.follow()
    assert found == [b"of the screen"]
    screen.choose(SYSTEM)
    assert len(found) == 1
    screen.choose(SRGB)
    screen.choose(str(file))
    assert found == [b"of the screen", None, P3]
    assert not bar.text
    file.unlink()
    screen.choose(SYSTEM)
    screen.choose(str(file))
    assert found[-1] is None
    assert bar.text == "The screen profile My screen.icc cannot be read. Colours are shown as sRGB."


def test_pictures_of_a_document_follow_the_screen():
    pixels = np.zeros((4, 6, 3), np.uint8)
    pixels[..., 1] = 250
    wide = Document("a", image=Image(pixels, icc_profile=P3))
    picture = wide.layers(0).render(Region(0, 0, 6, 4), 1.0)
    assert wide.on_screen(picture, P3) is picture
    narrow = wide.on_screen(picture)
    assert narrow.pixels[0, 0].tolist() != [0, 250, 0]
    np.testing.assert_array_equal(narrow.values, pixels)
    plain = Document("a", image=Image(pixels))
    assert plain.on_screen(picture) is picture
    assert plain.on_screen(picture, P3).pixels[0, 0, 0] > 100  # green of sRGB is less pure than that of P3


def test_the_views_are_painted_again_on_another_screen(user, photo):
    user.open(photo)
    user.until(lambda: user.window.compare.original.picture)
    first = user.window.compare.original.picture
    user.window.comparing.renderer.set_screen(P3)
    user.until(lambda: user.window.compare.original.picture is not first)
    shown = user.window.compare.original.picture
    np.testing.assert_array_equal(shown.values, first.pixels)
    assert (shown.pixels != first.pixels).any()


def test_the_preferences_offer_the_system_srgb_and_a_file(qtbot, file, monkeypatch):
    dialog, heard = PreferencesDialog(PreferenceValues()), list[PreferenceValues]()
    qtbot.addWidget(dialog)
    dialog.changed.connect(heard.append)
    dialog.show()
    answer = [None]
    monkeypatch.setattr("pcaimage.gui.preferences_dialog.ask_profile", lambda *_: answer[0])

    def pick(text):
        dialog.profile.setCurrentIndex(dialog.profile.findText(text))
        dialog.profile.activated.emit(dialog.profile.currentIndex())

    pick("sRGB")
    assert heard[-1].screen == SRGB
    pick("Choose a file…")  # and the dialog is cancelled
    assert len(heard) == 1
    assert dialog.profile.currentText() == "sRGB"
    answer[0] = file
    pick("Choose a file…")
    assert heard[-1].screen == str(file)
    assert dialog.profile.currentText() == "My screen.icc"
    file.write_bytes(b"no profile")
    pick("Choose a file…")
    assert dialog.complaint.isVisible()
    assert dialog.complaint.text().startswith("My screen.icc is not used: ")
    assert dialog.profile.currentText() == "My screen.icc"
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert heard[-1] == PreferenceValues()

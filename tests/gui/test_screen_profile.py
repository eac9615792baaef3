"""The screen's colour profile: where it comes from, and that pictures follow it."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColorSpace
from PySide6.QtWidgets import QWidget

from pcaimage.codec import Region
from pcaimage.errors import ImageError
from pcaimage.gui.commands.program import ScreenProfile
from pcaimage.gui.messages import MessageBar
from pcaimage.gui.preferences import PreferenceValues
from pcaimage.gui.preferences_dialog import PreferencesDialog
from pcaimage.gui.screen import profile as system
from pcaimage.gui.screen.profile import SRGB, SYSTEM, ScreenPlace, find_profile, system_profile
from pcaimage.gui.session.document import Document
from pcaimage.imaging import Image

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

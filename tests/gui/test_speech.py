"""The window in a language that puts every text into brackets, and makes it longer by a quarter."""

import re

import pytest
from compile_languages import FOLDER, read
from PySide6 import QtWidgets
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from pcaimage.gui.commands.help import show_keyboard_help
from pcaimage.gui.preferences_dialog import PreferencesDialog
from pcaimage.gui.speech import speak
from pcaimage.language import Catalogue

SHOWN = ("text", "toolTip", "accessibleName", "accessibleDescription", "title", "placeholderText", "suffix")
NAMES = re.compile(
    r"\b(photo\.png|pcaimage|k-means|PNG|JPEG( 2000| XL)?|WebP|AVIF|PSNR|SSIM|SNR|RMS|MNF|sRGB)\b"
    r"|\b(Deutsch|English|Español|Français|Ctrl|Shift|Alt|Home|End|PgUp|PgDown|Esc|Del|nbsp|offscreen)\b|<[^>]*>"
    r"|\b([KMG]?i?B|dB|px|Cancel|OK|Close|Restore Defaults|Scroll Left|Scroll Right)\b"
)
"""What is called the same in all languages, and what Qt translates."""


@pytest.fixture
def bracketed():
    found = {}
    for entry in list(read(FOLDER / "de.po"))[1:]:
        forms = [f"⟦{text}{'~' * (len(text) // 4)}⟧" for text in (entry.text, entry.plural) if text]
        found[entry.key] = forms if entry.plural else forms[0]
    yield Catalogue(found, ",.")
    speak("")


def test_every_text_is_translated_at_once_has_room_and_comes_back(user, photo, bracketed):
    user.open(photo)
    dialog = PreferencesDialog(user.window.preferences.values, user.window)
    show_keyboard_help(user.window)
    before = texts(user, user.window, dialog)
    speak("xx", catalogue=bracketed)
    said = texts(user, user.window, dialog)
    assert len(before) > 900
    assert {text for text in said.values() if has_words(text, str(photo))} == set()
    for kind in (QtWidgets.QLabel, QtWidgets.QAbstractButton):
        assert [each.text() for each in user.window.findChildren(kind) if is_clipped(each)] == []
    assert user.window.panel.widget().width() <= user.window.panel.viewport().width()
    assert user.window.minimumSizeHint().width() <= 1024
    assert user.window.panel.keep.fields["psnr"].text().count(",") == 1
    speak("")
    assert texts(user, user.window, dialog).items() - before.items() == set()


def texts(user, *windows):
    """Return all that windows say when nothing is under way any more, by where it is said."""
    for _ in range(2):  # what is shown may ask for more
        user.idle()
        user.session.afterwards.follow(user.state, user.state)
    user.window.show_figures(user.state)
    found = {}
    for window in windows:
        for each in (window, *window.findChildren(QAction), *window.findChildren(QtWidgets.QWidget)):
            typed = isinstance(each, QtWidgets.QLineEdit)
            found |= {(each, name): each.property(name) for name in SHOWN if not (typed and name == "text")}
        for box in window.findChildren(QtWidgets.QComboBox):
            found |= {(box, row): box.itemText(row) for row in range(box.count())}
        for bar in window.findChildren(QtWidgets.QTabBar):
            found |= {(bar, tab): bar.tabText(tab) for tab in range(bar.count())}
    return {where: text for where, text in found.items() if isinstance(text, str)}


def has_words(text, path):
    """Whether a text has words outside of brackets."""
    text = text.replace(path, "")
    while text != (text := re.sub(r"⟦[^⟦⟧]*⟧", "", text)):
        pass
    return re.search(r"[A-Za-z]{2}", NAMES.sub("", text))


def is_clipped(widget):
    """Whether a widget has not enough room for what it says."""
    icon = Qt.ToolButtonStyle.ToolButtonIconOnly
    bare = isinstance(widget, QtWidgets.QToolButton) and widget.toolButtonStyle() == icon
    if bare or not widget.isVisible() or (isinstance(widget, QtWidgets.QLabel) and widget.wordWrap()):
        return False
    text = re.sub("<[^>]*>|&", "", widget.text())
    return widget.fontMetrics().horizontalAdvance(text) > widget.width() + 1

import platform

import numpy as np
from PIL import features
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

import pcaimage
from pcaimage.gui.about import AboutDialog, facts
from pcaimage.gui.dialogs import open_once


def test_what_a_report_needs_is_said(qtbot):
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    found = facts()
    assert found["pcaimage"] == pcaimage.__version__
    assert found["Python"].startswith(platform.python_version())
    assert found["NumPy"] == np.__version__
    for name in ("Qt", "Pillow", "Linear algebra", "AVIF", "JPEG 2000", "System"):
        assert found[name]
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    assert set(found) | set(found.values()) <= shown
    assert any("MIT licence" in text for text in shown)


def test_everything_can_be_copied_for_a_report_and_what_pillow_lacks_is_said(qtbot, on_screen, monkeypatch):
    monkeypatch.setattr(features, "check", lambda feature: feature != "avif")
    dialog = on_screen(AboutDialog())
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == f"pcaimage: {pcaimage.__version__}"
    assert len(lines) == len(facts())
    assert dialog.copy.text() == "Copied"
    assert "AVIF: not part of this installation" in dialog.text
    assert "WebP: not" not in dialog.text


def test_it_goes_when_it_is_closed(qtbot, on_screen):
    parent = on_screen(QWidget())
    dialog = AboutDialog(parent)
    open_once(dialog)
    assert dialog.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: parent.findChild(AboutDialog) is None)

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QToolButton, QWidget

from pcaimage.gui.busy import ProgressStrip
from pcaimage.gui.colours import LIGHT
from pcaimage.gui.empty import EmptyView
from pcaimage.gui.messages import MessageBar, MessageLayer

# Qt 6.12 offers another overload, which 6.11 does not have yet.
pytestmark = pytest.mark.filterwarnings("ignore:.*QDragEnterEvent:DeprecationWarning")


@pytest.fixture
def bar(qtbot):
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.resize(500, 40)
    return bar


@pytest.fixture
def empty(qtbot):
    view = EmptyView()
    qtbot.addWidget(view)
    view.set_samples(["astronaut", "coffee", "retina", "rocket", "hubble_deep_field"])
    view.resize(700, 500)
    view.show()
    return view


def button(parent, text):
    return next(b for b in parent.findChildren(QAbstractButton) if b.text().replace("&", "") == text)


def test_a_message_stays_until_it_is_closed_by_button_or_escape(bar, qtbot):
    assert bar.text == ""
    bar.show_message("error", "photo.png is not an image.")
    assert bar.text == "photo.png is not an image."
    assert bar.accessibleName() == "Failure: photo.png is not an image."
    with qtbot.waitSignal(bar.changed):
        qtbot.mouseClick(bar.findChild(QToolButton), Qt.MouseButton.LeftButton)
    assert bar.text == ""
    bar.show_message("info", "Saved.")
    qtbot.keyClick(bar, Qt.Key.Key_A)
    assert bar.text == "Saved."
    with qtbot.waitSignal(bar.changed):
        qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.text == ""
    with qtbot.assertNotEmitted(bar.changed):
        bar.dismiss()


def test_a_message_can_offer_a_way_out(bar, qtbot):
    helped = []
    bar.show_message("warning", "The file is cut short.", "Open what is intact", lambda: helped.append(True))
    qtbot.mouseClick(button(bar, "Open what is intact"), Qt.MouseButton.LeftButton)
    assert helped == [True]
    bar.show_message("info", "Saved.")
    assert bar.findChild(QPushButton).isHidden()
    bar.clear()
    assert bar.isHidden()


LONG = "The file is damaged; only its first twelve components could be read, and none of its metadata. " * 2


@pytest.mark.parametrize("text", ["Saved.", LONG])
@pytest.mark.parametrize("width", [320, 900])
def test_a_message_lies_over_the_content_without_moving_it(on_screen, text, width):
    content, bar = QWidget(), MessageBar()
    layer = on_screen(MessageLayer(content, bar, content), width, 400)
    before = content.geometry()
    bar.show_message("warning", text, "Open it", lambda: None)
    assert content.geometry() == before == layer.rect()
    assert layer.rect().contains(bar.geometry())
    assert bar.geometry().bottom() > 300
    label = bar.findChild(QLabel)
    assert label.height() >= label.heightForWidth(label.width())
    layer.resize(width + 40, 300)
    assert layer.rect().contains(bar.geometry())
    assert layer.minimumSizeHint() == content.minimumSizeHint()
    bar.dismiss()
    assert bar.isHidden()


def test_progress_says_what_and_how_far_and_can_be_stopped(qtbot):
    strip = ProgressStrip()
    qtbot.addWidget(strip)
    assert strip.isHidden()
    strip.set_progress("fitting", 620, 1000)
    assert strip.text == "fitting 62\u00a0%"
    assert strip.accessibleName() == strip.text
    with qtbot.waitSignal(strip.stop.clicked):
        qtbot.mouseClick(strip.findChild(QToolButton), Qt.MouseButton.LeftButton)
    strip.set_progress("loading", 0, 0)
    assert strip.text == "loading …"
    strip.clear()
    assert strip.isHidden()


def test_the_empty_window_offers_every_way_in(empty, qtbot):
    with qtbot.waitSignal(empty.open.clicked):
        qtbot.mouseClick(button(empty, "Open…"), Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(empty.paste.clicked):
        qtbot.mouseClick(button(empty, "Paste"), Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(empty.sampleRequested) as sample:
        qtbot.mouseClick(button(empty, "Hubble deep field"), Qt.MouseButton.LeftButton)
    assert sample.args == ["hubble_deep_field"]


def test_a_file_over_the_empty_window_shows_that_it_would_be_taken(empty, qtbot, tmp_path):
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(f"{tmp_path}/a.png")])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier

    def title():
        return {label.text() for label in empty.findChildren(QLabel)}

    enter = QDragEnterEvent(QPoint(50, 50), copy, files, left, none)
    empty.dragEnterEvent(enter)
    assert enter.isAccepted()
    assert "Let go to open" in title()
    assert empty.grab().toImage().pixelColor(60, 60).name() == LIGHT.accent_soft
    empty.dragLeaveEvent(QDragLeaveEvent())
    assert "Drop an image here" in title()
    with qtbot.waitSignal(empty.filesDropped) as dropped:
        empty.dropEvent(QDropEvent(QPointF(50, 50), copy, files, left, none))
    assert dropped.args == [[f"{tmp_path}/a.png"]]

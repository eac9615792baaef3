import os
import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from pcaimage.errors import ImageError
from pcaimage.gui.empty import Card, EmptyView
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.thumbnail import sample_thumbnail
from pcaimage.gui.thumbnails import FOLDER, SIDE, Thumbnails, reduced, thumbnail_file
from pcaimage.imaging import read_image
from tests.gui.finding import find

RED = QColor(200, 30, 30)


@pytest.fixture(autouse=True)
def state_folder(own_reports, tmp_path):  # noqa: ARG001
    yield tmp_path / "state"
    for thread in threading.enumerate():
        if thread.name == FOLDER:
            thread.join(20)  # else it would go on in the folder of the next test


@pytest.fixture
def empty(qtbot):
    view = EmptyView()
    qtbot.addWidget(view)
    view.resize(700, 560)
    view.set_recent(["/pictures/a.png", "/pictures/b.jpg"])
    view.set_samples(["coffee", "digits"])
    view.show()
    return view


def picture_of(height=30, width=40):
    return Picture(np.full((height, width, 3), (200, 30, 30), np.uint8), (0.0, 0.0, width, height))


def red():
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(RED)
    return image


def test_recent_files_and_samples_are_cards(empty, qtbot):
    assert [card.text() for card in empty.findChildren(Card)] == [
        "a.png",
        "b.jpg",
        "Coffee",
        "Digits, a stack",
    ]
    with qtbot.waitSignal(empty.recentRequested) as asked:
        qtbot.mouseClick(find(empty, Card, "b.jpg"), Qt.MouseButton.LeftButton)
    assert asked.args == ["/pictures/b.jpg"]
    assert find(empty, Card, "b.jpg").toolTip() == "/pictures/b.jpg"
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        with qtbot.waitSignal(empty.sampleRequested) as asked:
            qtbot.keyClick(find(empty, Card, "Digits, a stack"), key)
        assert asked.args == ["digits"]


@pytest.mark.parametrize("width", [320, 500, 900])
def test_cards_stay_within_the_width(empty, qtbot, width):
    empty.set_recent([f"/pictures/{n}.png" for n in range(9)])
    empty.resize(width, 560)
    seen = lambda: [card for card in empty.findChildren(Card) if card.isVisible()]  # noqa: E731
    qtbot.waitUntil(lambda: len(seen()) == 5 + 2)
    cards = seen()
    assert all(card.mapTo(empty, card.rect().topLeft()).x() >= 0 for card in cards)
    assert all(card.mapTo(empty, card.rect().topRight()).x() < width for card in cards)


def test_a_card_shows_its_picture(empty):
    card = find(empty, Card, "a.png")
    before = card.grab().toImage().pixelColor(card.width() // 2, 40)
    empty.show_thumbnail("/pictures/a.png", red())
    assert card.picture is not None
    assert card.grab().toImage().pixelColor(card.width() // 2, 40) == RED != before
    assert find(empty, Card, "b.jpg").picture is None


def test_a_thumbnail_is_kept_for_the_next_time(qtbot, state_folder):
    thumbnails = Thumbnails()
    with qtbot.waitSignal(thumbnails.found):
        thumbnails.keep("/pictures/a.png", picture_of(400, 800), ["/pictures/a.png"])
    file = thumbnail_file("/pictures/a.png")
    qtbot.waitUntil(file.exists)
    with qtbot.waitSignal(thumbnails.found) as found:
        thumbnails.find(["/pictures/b.png", "/pictures/a.png"])
    path, image = found.args
    assert path == "/pictures/a.png"
    assert (image.width(), image.height()) == (SIDE, SIDE // 2)
    assert image.pixelColor(5, 5) == RED
    if os.name == "posix":
        assert file.parent.stat().st_mode & 0o077 == 0
    assert state_folder in file.parents


def test_thumbnails_of_other_files_go_and_a_damaged_one_is_none(qtbot):
    thumbnails = Thumbnails()
    for path in ("/a.png", "/b.png"):
        thumbnails.keep(path, picture_of(), ["/a.png", "/b.png"])
        qtbot.waitUntil(thumbnail_file(path).exists)
    thumbnail_file("/a.png").write_bytes(b"\x89PNG nonsense")
    with qtbot.waitSignal(thumbnails.found) as found:
        thumbnails.find(["/a.png", "/b.png"])
    assert found.args[0] == "/b.png"
    thumbnails.keep("/c.png", picture_of(), ["/c.png", "/b.png"])
    qtbot.waitUntil(lambda: thumbnail_file("/c.png").exists() and not thumbnail_file("/a.png").exists())
    assert thumbnail_file("/b.png").exists()
    thumbnails.forget()
    qtbot.waitUntil(lambda: not any(thumbnail_file(f"/{name}.png").exists() for name in "bc"))


@pytest.mark.parametrize(
    ("name", "channels"), [("camera", 1), ("cat", 3), ("digits", 1), ("synthetic bands", 3)]
)
def test_samples_have_thumbnails(name, channels):
    pixels = sample_thumbnail(name, 64)
    assert pixels.dtype == np.uint8
    assert pixels.shape[2] == channels
    assert pixels.std() > 20
    assert max(reduced(QImage(640, 320, QImage.Format.Format_RGB32)).size().toTuple()) == SIDE


@pytest.fixture
def stuck(monkeypatch):
    """A home folder that does not answer."""
    free = threading.Event()

    def wait(*_):
        free.wait(20)
        raise OSError

    monkeypatch.setattr("pcaimage.gui.thumbnails.private_folder", wait)
    yield free
    free.set()


@pytest.mark.usefixtures("stuck")
@pytest.mark.slow
def test_a_disk_that_does_not_answer_holds_nothing_up(user, photo):
    user.open(photo)
    user.trigger("close")
    card = find(user.window.empty, Card, "photo.png")
    assert card.isVisible()
    assert user.window.isVisible()
    user.until(lambda: card.picture is not None)  # made in memory


@pytest.mark.slow
def test_a_file_that_was_opened_is_offered_with_its_picture(user, photo):
    empty = user.window.empty
    assert [card.text() for card in empty.findChildren(Card)].count("photo.png") == 0
    user.open(photo)
    user.until(thumbnail_file(str(photo)).exists)
    user.trigger("close")
    card = find(empty, Card, "photo.png")
    assert card.isVisible()
    user.until(lambda: card.picture is not None)
    card.click()
    user.until(lambda: user.state.document is not None)
    clear = user.window.submenus["open-recent"].actions()[-1]
    clear.trigger()
    user.until(lambda: not thumbnail_file(str(photo)).exists())


def test_tables_are_named_as_such(tmp_path):
    table = tmp_path / "data.csv"
    table.write_text("1,2\n3,4\n")
    with pytest.raises(ImageError, match=r"pcaimage table data\.csv"):
        read_image(table)

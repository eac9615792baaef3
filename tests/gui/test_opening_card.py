from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QPushButton

from pcaimage.gui.session import session as session_module
from tests.gui.finding import find

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import User
    from pytestqt.qtbot import QtBot

    from pcaimage.progress import Progress


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A disk that gives a file when the event is set."""
    free, real = threading.Event(), session_module.open_document

    def wait(paths: list[str], progress: Progress, **options: Any) -> Any:
        while not free.wait(0.02):
            progress(3, 4)
        return real(paths, progress, **options)

    monkeypatch.setattr(session_module, "open_document", wait)
    yield free
    free.set()


def test_the_window_says_what_it_opens_and_how_far(
    user: User, held: threading.Event, photo: Path, qtbot: QtBot
) -> None:
    card = user.window.opening
    assert card.text == ""
    user.drop(photo)
    user.until(card.isVisible)
    assert card.text == card.accessibleName() == "Opening photo.png…"
    bar = find(card, QProgressBar)
    user.until(lambda: (bar.value(), bar.maximum()) == (3, 4))
    middle = card.mapTo(user.window, card.rect().center())
    pages = user.window.pages
    assert (middle - pages.mapTo(user.window, pages.rect().center())).manhattanLength() <= 2
    assert not card.has_picture
    held.set()
    user.rest()
    user.until(lambda: not card.isVisible())
    assert user.state.document is not None
    held.clear()
    user.drop(photo)
    user.until(card.isVisible)
    user.until(lambda: card.has_picture)  # from the first time
    assert user.window.compare.isVisible()
    qtbot.mouseClick(find(card, QPushButton), Qt.MouseButton.LeftButton)
    user.until(lambda: not card.isVisible())
    assert user.state.document.name == "photo.png"

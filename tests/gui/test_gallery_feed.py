import numpy as np
import pytest

from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.requests import Choose, Keep, ShowFrame, Toggle
from pcaimage.gui.session.session import Session
from pcaimage.gui.tabs.components.feed import PICTURE_SIDE, ComponentsFeed, OverlayFeed
from pcaimage.gui.tabs.components.page import ComponentsPage
from pcaimage.insight.components import overlay_of, picture_of


class Shown:
    """A session whose components are shown."""

    def __init__(self, qtbot):
        self.qtbot = qtbot
        self.gallery = ComponentsPage()
        qtbot.addWidget(self.gallery)
        self.session = Session(JobRunner(self.gallery), Choice("blocks", 4), self.gallery)
        self.gallery.resize(900, 190)
        self.gallery.show()
        self.feed = ComponentsFeed(self.session, self.gallery, self.gallery)
        self.overlays = OverlayFeed(self.session)
        self.laid = []
        self.overlays.overlayReady.connect(lambda overlay, text: self.laid.append((overlay, text)))

    def open(self, *paths):
        self.session.open_paths([str(path) for path in paths])
        self.until(lambda: self.session.state.fit is not None and self.rests)

    @property
    def rests(self):
        return not any(self.session.jobs.busy(kind) for kind in ("open", "fit", "gallery", "overlay"))

    def until(self, condition):
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=20_000)

    @property
    def pictures(self):
        return set(self.gallery.model.pictures)

    def has(self, number):
        """Whether a component's picture is that of the present components."""
        fit = self.session.state.fit
        expected = picture_of(fit.preview, number, PICTURE_SIDE)
        found = self.gallery.model.pictures[number]
        if (found.height(), found.width()) != expected.shape[:2]:
            return False
        corner = found.pixelColor(0, 0)
        return (corner.red(), corner.blue()) == (expected[0, 0, 0], expected[0, 0, -1])


@pytest.fixture
def shown(qtbot):
    shown = Shown(qtbot)
    yield shown
    shown.session.jobs.shutdown()


@pytest.mark.slow
def test_pictures_are_made_of_what_is_seen_and_about_once_more(shown, draw, tmp_path):
    shown.feed.set_active(True)
    shown.session.request(Choose(method="blocks", block=16))
    shown.open(draw(tmp_path / "large.png", 330, 330, 3))
    shown.session.request(Choose(block=16))
    shown.until(lambda: len(shown.pictures) > 20 and shown.rests)
    count = shown.gallery.model.rowCount()
    assert shown.pictures == set(range(1, 2 * shown.gallery.seen[1] + 1)) < set(range(1, count + 1))
    assert all(shown.has(number) for number in (1, 7, 20))
    bar = shown.gallery.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    shown.until(lambda: count in shown.pictures)


@pytest.mark.slow
def test_nothing_is_made_while_the_tab_is_not_seen(shown, photo):
    shown.open(photo)
    shown.until(lambda: shown.rests)
    assert shown.gallery.model.rowCount() == 48
    assert shown.pictures == set()
    shown.feed.set_active(True)
    shown.until(lambda: 1 in shown.pictures)


@pytest.mark.slow
def test_the_gallery_shows_what_is_kept_and_left_out(shown, photo):
    shown.feed.set_active(True)
    shown.open(photo)
    shown.session.request(Keep(9))
    shown.session.request(Toggle(4, out=True))
    assert shown.gallery.text == "9 of 48 components are kept, 1 of them left out"
    shown.session.request(Toggle(4, out=False))
    assert shown.gallery.text == "9 of 48 components are kept"


@pytest.mark.parametrize("method", ["photo", "channels", "blocks"])
@pytest.mark.slow
def test_another_method_brings_its_own_pictures(shown, photo, method):
    shown.feed.set_active(True)
    shown.open(photo)
    shown.until(lambda: 1 in shown.pictures)
    for each in (method, "blocks", method):
        shown.session.request(Choose(method=each))
        fit = shown.session.state.fit
        shown.until(lambda: shown.session.state.fitted and 3 in shown.pictures and shown.rests)
        assert each == "blocks" or shown.session.state.fit is not fit
        assert shown.has(1)
        assert shown.has(3)


def test_a_file_without_its_original_shows_its_components(shown, compressed):
    shown.feed.set_active(True)
    shown.open(compressed)
    shown.until(lambda: shown.pictures == set(range(1, 11)))
    assert shown.has(10)


@pytest.mark.slow
def test_a_stack_shows_whole_images(shown, draw, tmp_path):
    shown.feed.set_active(True)
    paths = [draw(tmp_path / f"{number}.png", 300, 400, 1, seed=number) for number in range(5)]
    shown.open(*paths)
    shown.until(lambda: len(shown.pictures) >= 4)
    assert shown.has(1)
    assert shown.gallery.model.pictures[1].width() == 200
    shown.overlays.set_component(1)
    shown.until(lambda: shown.laid and shown.laid[-1][0])
    first = shown.laid[-1][0]
    shown.session.request(ShowFrame(3))
    shown.until(lambda: shown.laid[-1][0] is not first)


def test_what_is_closed_is_not_shown(shown, photo):
    shown.feed.set_active(True)
    assert shown.gallery.text.startswith("The components appear here")
    shown.open(photo)
    shown.session.close()
    assert shown.gallery.model.rowCount() == 0
    assert shown.gallery.text.startswith("The components appear here")


@pytest.mark.slow
def test_the_gallery_says_that_components_are_being_found(shown, photo):
    said = []
    shown.session.jobs.started.connect(lambda kind: said.append(f"{kind}: {shown.gallery.text}"))
    shown.open(photo)
    assert "fit: Finding the components…" in said


def test_the_gallery_says_why_there_are_no_pictures(shown, photo, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("pcaimage.gui.tabs.components.feed.picture_of", fail)
    shown.open(photo)
    shown.feed.set_active(True)
    shown.until(lambda: "not enough memory" in shown.gallery.text)
    shown.session.request(Keep(5))
    assert "not enough memory" in shown.gallery.text


@pytest.mark.slow
def test_a_hovered_component_is_laid_over_the_image_and_taken_off(shown, photo):
    shown.open(photo)
    shown.overlays.set_component(3)
    shown.until(lambda: shown.laid and shown.laid[-1][0])
    fit = shown.session.state.fit
    assert fit is not None
    overlay, text = shown.laid[-1]
    assert overlay is not None
    assert text.startswith("component 3 · ")
    assert np.array_equal(overlay.pixels, overlay_of(fit.preview, 3).pixels)
    shown.overlays.set_component(0)
    assert shown.laid[-1] == (None, "")


@pytest.mark.slow
def test_an_overlay_that_comes_too_late_is_not_shown(shown, photo):
    shown.open(photo)
    shown.overlays.set_component(3)
    shown.overlays.set_component(0)
    shown.until(lambda: shown.session.jobs.wait(0) and shown.rests)
    shown.qtbot.wait(20)
    assert all(overlay is None for overlay, _ in shown.laid)


def test_the_overlay_goes_with_the_image(shown, photo):
    shown.open(photo)
    shown.overlays.set_component(3)
    shown.until(lambda: shown.laid and shown.laid[-1][0])
    shown.session.close()
    assert shown.laid[-1] == (None, "")


@pytest.mark.slow
def test_a_component_that_the_image_does_not_have_has_no_overlay(shown, photo):
    shown.open(photo)
    shown.overlays.set_component(49)
    assert shown.rests
    assert all(overlay is None for overlay, _ in shown.laid)

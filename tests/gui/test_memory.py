"""Nothing of an image stays behind once it is closed."""

import gc
import tracemalloc
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject

from pcaimage.gui.session.requests import Choose, Keep, LeaveOut, ShowRight, Toggle
from pcaimage.gui.session.state import Rival
from pcaimage.gui.tabs.curve import CurveFeed, RivalsFeed
from tests.gui.mouse import move

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unabridged")]

ROUNDS = 4
GROWTH = 1.005
TURNS = 20
"""More of the event loop than there are kinds of work, of which it delivers one a turn."""
MOST_BYTES = 24_000
"""The most that a round may leave, of which half are strings that signals carried; the pixels are 36,864."""


def kept_of(user):
    """Return what is large about an open image, without keeping it."""
    state, fit, settled = user.state, user.state.fit, user.state.settled
    found = [state.document, state.original, state.measured, state.rivalry, fit, settled]
    found += [] if fit is None else [fit.preview, fit.analysis]
    found += [] if settled is None else [settled.layers]
    return [weakref.ref(value) for value in found if value is not None]


def tidy():
    for _ in range(TURNS):
        QCoreApplication.processEvents()
    for _ in range(2):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        gc.collect()


def close(user):
    user.session.close()
    user.until(lambda: not user.session.jobs.busy())
    user.session.jobs.wait()
    tidy()


def idle(user):
    user.until(lambda: not user.session.jobs.busy())


def visit_tabs(user):
    tabs = user.window.tabs
    for number in [*range(1, tabs.count()), 0]:
        tabs.setCurrentIndex(number)
        idle(user)


def compare(user, *rivals):
    for mode in ("split", "difference"):
        user.trigger(mode)
        idle(user)
    for rival in rivals:
        user.session.request(ShowRight(rival))
        user.until(lambda rival=rival: getattr(user.state.rivalry, "rival", None) == rival)
        idle(user)
    user.trigger("side-by-side")


def magnify(user):
    user.window.actions_by_name["magnifier"].setChecked(True)
    canvas = user.window.compare.reconstruction
    move(canvas, canvas.rect().center())
    idle(user)


def use_everything(user, *rivals):
    """Look at the open image in every way, and return what was seen on the way."""
    session = user.session
    seen = kept_of(user)
    magnify(user)
    session.request(Keep(2, final=False))
    session.request(Keep(3))
    idle(user)
    visit_tabs(user)
    seen += kept_of(user)
    session.request(Toggle(2, out=True))
    idle(user)
    session.request(LeaveOut(frozenset()))
    idle(user)
    compare(user, *rivals)
    seen += kept_of(user)
    session.undo()
    idle(user)
    user.window.tabs.tab("components").page.hovered.emit(1)
    idle(user)
    return seen


def living(seen):
    """Return what is still there, and who keeps it."""
    found = []
    for each in seen:
        if (value := each()) is not None:
            keepers = [type(keeper).__name__ for keeper in gc.get_referrers(value)]
            found.append(f"{type(value).__name__}, kept by {keepers}")
    return found


@pytest.mark.parametrize("method", ["photo", "blocks"])
def test_nothing_of_a_closed_image_is_kept(user, photo, method):
    user.open(photo)
    idle(user)
    user.session.request(Choose(method=method))
    idle(user)
    other = "blocks" if method == "photo" else "photo"
    seen = use_everything(user, Rival("k", k=1), Rival("jpeg"), Rival("method", method=other))
    close(user)
    assert living(seen) == []


def test_nothing_of_an_image_is_kept_when_another_replaces_it_and_of_a_file_that_is_closed(
    user, photo, compressed
):
    user.open(photo)
    idle(user)
    seen = use_everything(user, Rival("jpeg"))
    user.open(compressed)
    idle(user)
    tidy()
    assert living(seen) == []
    seen = use_everything(user, Rival("k", k=1))
    close(user)
    assert living(seen) == []


@pytest.mark.usefixtures("unabridged")
def test_what_is_under_way_when_an_image_is_closed_is_not_kept_either(user, photo):
    user.open(photo)
    user.trigger("difference")
    user.window.tabs.setCurrentIndex(user.window.tabs.count() - 1)
    user.session.request(Keep(5))
    seen = kept_of(user)
    close(user)
    assert living(seen) == []


def test_four_images_leave_no_more_than_one(user, draw, tmp_path, monkeypatch):
    small = draw(tmp_path / "small.png", 96, 128, 3)
    # Other codecs' files and curves take most of the time, and are another test's.
    for feed in (CurveFeed, RivalsFeed):
        monkeypatch.setattr(feed, "refresh", lambda *_: None)

    def once():
        user.open(small)
        idle(user)
        visit_tabs(user)
        compare(user, Rival("k", k=1))
        close(user)
        return len(user.window.findChildren(QObject)), tracemalloc.get_traced_memory()[0]

    once()
    tracemalloc.start()
    try:
        objects, traced = once()
        for _ in range(ROUNDS - 1):
            more, traced_now = once()
    finally:
        tracemalloc.stop()
    assert more <= objects * GROWTH
    assert traced_now - traced <= ROUNDS * MOST_BYTES

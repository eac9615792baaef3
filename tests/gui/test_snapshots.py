"""The window's main states look as they did: see ``tests/gui/snapshots/README.md``.

Opening a window takes longer than all looks at it: states of the same image share one.
"""

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PILImage
from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QFontInfo
from PySide6.QtWidgets import QApplication

import pcaimage
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.requests import Choose, Keep, LeaveOut, Toggle
from pcaimage.imaging import Image, write_image
from pcaimage.insight.lab import built_in
from pcaimage.insight.lab import transitions as go
from tests.gui.snapshots.likeness import OTHER_FONT, USUAL, cells_of, likeness, read_cells, write_cells

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unabridged")]

FOLDER = Path(__file__).parent / "snapshots"
SIZE = QSize(1000, 700)
POINTS = 9.0
FAMILY = "DejaVu Sans"
QUIET = 5
"""Looks in a row that must find the window at rest."""
SAME = 3.0
"""Levels by which no cell is off of a picture that is worth no other reference."""
RENEW = os.environ.get("PCAIMAGE_SNAPSHOTS") == "renew"
SCHEMES = ("light", "dark")


def scenery(seed=0):
    """Something like a landscape: large surfaces of different colours, edges, and a little noise."""
    y, x = np.mgrid[:120, :180].astype(float)
    image = np.stack([90 + y, 130 + 0.5 * y, 230 - y], axis=2)
    hill = y > 70 + 25 * np.sin(x / 30 + seed)
    image[hill] = np.stack([60 + 0.4 * x, 120 - 0.3 * y, 40 + 0 * x], axis=2)[hill]
    image[(x - 40 - 20 * seed) ** 2 + (y - 35) ** 2 < 400] = 250, 220, 90
    image += np.random.default_rng(seed).normal(0, 4, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def write(path, pixels):
    write_image(path, Image(pixels), overwrite=True)
    return path


def open_scenery(user, folder):
    user.open(write(folder / "scenery.png", scenery()))
    user.session.request(Keep(8))


def split(user):
    user.session.request(Toggle(1, out=True))
    user.trigger("split")


def components(user):
    user.trigger("tab-3")
    gallery = user.window.tabs.tab("components").page
    gallery.view.setFocus()
    with user.qtbot.waitSignal(user.window.tabs.overlayReady):
        gallery.hovered.emit(1)
    user.session.request(Toggle(2, out=True))


def block(user):
    user.trigger("tab-5")
    user.window.tabs.tab("block").page.pin_at(58, 38)


OF_ONE_IMAGE = {
    "side-by-side": lambda _: None,
    "split": split,
    "difference": lambda user: user.trigger("difference"),
    "curve": lambda user: user.trigger("tab-2"),
    "components": components,
    "error": lambda user: user.trigger("tab-4"),
    "block": block,
    "table": lambda user: user.trigger("tab-6"),
}


def back(user):
    """Look as right after opening."""
    user.session.request(LeaveOut(frozenset()))
    user.trigger("side-by-side")
    user.trigger("tab-1")
    user.window.compare.reconstruction.setFocus()


@pytest.fixture(autouse=True)
def font(qapp):
    before, font = qapp.font(), QFont(FAMILY)
    font.setPointSizeF(POINTS)
    qapp.setFont(font)
    yield font
    qapp.setFont(before)


@pytest.fixture
def held_fit(monkeypatch):
    """A search for components that comes half way and stays there."""
    end = threading.Event()

    def of_image(_image, _choice, progress):
        while not end.wait(0.02):
            progress(1, 2)
        progress(1, 2)  # raises, as it was stopped

    monkeypatch.setattr(Fit, "of_image", of_image)
    yield
    end.set()


def rest(user):
    """Wait until nothing has been worked on for a moment; what is laid out may ask for more."""
    quiet = 0
    while quiet < QUIET:
        user.until(lambda: not user.session.jobs.busy())
        user.qtbot.wait(10)
        quiet = 0 if user.session.jobs.busy() else quiet + 1


def picture(user, scheme):
    """Return what is seen of the window."""
    if user.window.theme.scheme != scheme:
        user.window.theme.set_scheme(scheme)
    user.qtbot.wait(1)
    QApplication.processEvents()
    return user.window.grab(user.window.rect()).toImage()


def differences(user, state, folder):
    """Compare both schemes with what was seen before, or keep them for the next time."""
    light, dark = (picture(user, scheme) for scheme in SCHEMES)
    found = off(f"{state}-light", light, folder), off(f"{state}-dark", dark, folder)
    if likeness(read_cells(FOLDER / f"{state}-light.png"), cells_of(dark)).within(USUAL):
        found = *found, f"{state} looks the same in both schemes"
    return [each for each in found if each]


def off(name, seen, folder):
    path, cells = FOLDER / f"{name}.png", cells_of(seen)
    if RENEW:
        if not path.exists() or likeness(read_cells(path), cells).off.max() > SAME:
            write_cells(path, cells)
        return ""
    found = likeness(read_cells(path), cells)
    font = QFontInfo(QApplication.font())
    limits = USUAL if (font.family(), font.pointSizeF()) == (FAMILY, POINTS) else OTHER_FONT
    if found.within(limits):
        return ""
    seen.save(str(folder / f"{name}-seen.png"))
    light = np.clip(found.off * 4, 0, 255).astype(np.uint8)
    PILImage.fromarray(np.kron(light, np.ones((8, 8), np.uint8))).save(folder / f"{name}-off.png")
    return f"{name} looks different: {found}; see {folder}/{name}-seen.png and {name}-off.png"


def unlike(user, state):
    """Return whether the window looks different from a state, in the scheme that it has."""
    scheme = user.window.theme.scheme
    seen = cells_of(picture(user, scheme))
    return not likeness(read_cells(FOLDER / f"{state}-{scheme}.png"), seen).within(USUAL)


def harms_seen(user, state):
    """Hide parts of a window, and another time swap its views: return whether it is seen each time."""
    window, seen = user.window, []
    left, right = window.compare.original, window.compare.reconstruction
    for part in HARMED[state](window):
        part.hide()
        seen.append(unlike(user, state))
        part.show()
    if state == "components":
        places = left.geometry(), right.geometry()
        for swapped in (places[::-1], places):
            left.setGeometry(swapped[0])
            right.setGeometry(swapped[1])
            seen.append(unlike(user, state) == (swapped != places))
    return seen


HARMED = {
    "block": lambda window: (window.tabs.tabBar(), window.panel.account),
    "difference": lambda window: (window.compare.legend,),
    "components": lambda window: (window.compare.reconstruction.caption,),
}


@pytest.fixture
def sized(user):
    user.session.request(Choose(block=8))
    user.window.resize(SIZE)
    return user


def test_states_of_an_image_look_as_they_did_and_what_is_missing_is_seen(sized, tmp_path):
    open_scenery(sized, tmp_path)
    found, unseen = [], []
    for name, state in OF_ONE_IMAGE.items():
        state(sized)
        rest(sized)
        found += differences(sized, name, tmp_path)
        if name in HARMED and not RENEW:
            unseen += [name] * (not all(harms_seen(sized, name)))
        back(sized)
    assert not found
    assert not unseen


def without_original(user, folder):
    compressed = folder / "scenery.pcai"
    compressed.write_bytes(pcaimage.encode(scenery(), pcaimage.Settings(sampling=pcaimage.Blocks(8), k=8)))
    user.open(compressed)
    user.trigger("tab-4")
    rest(user)


def test_other_states_look_as_they_did(sized, tmp_path):
    rest(sized)
    found = differences(sized, "empty", tmp_path)
    sized.open(tmp_path / "nothing.png")
    rest(sized)
    found += differences(sized, "message", tmp_path)
    without_original(sized, tmp_path)
    found += differences(sized, "without-original", tmp_path)
    sized.trigger("tab-1")
    sized.open(*(write(tmp_path / f"{seed}.png", scenery(seed)) for seed in range(5)))
    rest(sized)
    assert not found + differences(sized, "stack", tmp_path)


@pytest.mark.usefixtures("held_fit")
def test_work_under_way_looks_as_it_did(sized, tmp_path):
    window = sized.window
    sized.drop(write(tmp_path / "scenery.png", scenery()))
    sized.until(lambda: window.session.jobs.busy("fit") and window.progress.isVisible())
    sized.until(lambda: "50" in window.progress.text and not window.session.jobs.busy("picture"))
    assert not differences(sized, "fitting", tmp_path)


def test_the_lab_looks_as_it_did(sized, tmp_path):
    page = sized.window.lab.open().page
    page.commands.by_name["animate"].setChecked(False)
    page.commit(go.with_line(page.state, 0.6))
    found = lab_differences(sized, page, "lab-line", SIZE, tmp_path)
    state = go.with_data(go.with_step(page.state, "biplot"), built_in("iris"))
    page.commit(go.with_arrow(go.with_arrow(go.finished(state), 2), 3))
    assert not found + lab_differences(sized, page, "lab-biplot", QSize(1600, 1000), tmp_path)
    page.window().close()


def lab_differences(user, page, name, size, folder):
    """Compare the lab in both schemes with what was seen before."""
    found = list[str]()
    page.window().resize(size)
    for scheme in SCHEMES:
        user.window.theme.set_scheme(scheme)
        user.qtbot.wait(1)
        QApplication.processEvents()
        found.append(off(f"{name}-{scheme}", page.grab().toImage(), folder))
    return [each for each in found if each]


@pytest.mark.parametrize("points", [POINTS - 1, POINTS + 1])
def test_a_point_more_or_less_is_no_difference(sized, font, points, tmp_path):
    font.setPointSizeF(points)
    QApplication.setFont(font)
    without_original(sized, tmp_path)  # long captions would fold
    assert RENEW or not differences(sized, "without-original", tmp_path)

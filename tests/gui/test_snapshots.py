"""The window's main states look as they did: see ``tests/gui/snapshots/README.md``."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image as PILImage
from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QFontInfo, QImage
from PySide6.QtWidgets import QApplication

import pcaimage
from pcaimage.gui.session.fit import Fit
from pcaimage.imaging import Image, write_image
from tests.gui.snapshots.likeness import OTHER_FONT, USUAL, cells_of, likeness, read_cells, write_cells

if TYPE_CHECKING:
    from conftest import User

    from pcaimage.gui.theme import Scheme
    from pcaimage.progress import Progress

FOLDER = Path(__file__).parent / "snapshots"
SIZE = QSize(1000, 700)
POINTS = 9.0
FAMILY = "DejaVu Sans"
QUIET = 5
"""How many looks must find the window at rest."""
SAME = 3.0
"""Levels by which no cell is off of a picture that is worth no other reference."""
RENEW = os.environ.get("PCAIMAGE_SNAPSHOTS") == "renew"
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

State = Callable[["User", Path], None]


def scenery(seed: int = 0) -> np.ndarray:
    """Something like a landscape: large surfaces of different colours, edges, and a little noise."""
    y, x = np.mgrid[:120, :180].astype(float)
    image = np.stack([90 + y, 130 + 0.5 * y, 230 - y], axis=2)
    hill = y > 70 + 25 * np.sin(x / 30 + seed)
    image[hill] = np.stack([60 + 0.4 * x, 120 - 0.3 * y, 40 + 0 * x], axis=2)[hill]
    image[(x - 40 - 20 * seed) ** 2 + (y - 35) ** 2 < 400] = 250, 220, 90
    image += np.random.default_rng(seed).normal(0, 4, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def write(path: Path, pixels: np.ndarray) -> Path:
    write_image(path, Image(pixels), overwrite=True)
    return path


def open_scenery(user: User, folder: Path) -> None:
    user.open(write(folder / "scenery.png", scenery()))
    user.window.session.set_components(8, final=True)


def empty(user: User, folder: Path) -> None:
    del user, folder


def side_by_side(user: User, folder: Path) -> None:
    open_scenery(user, folder)


def split(user: User, folder: Path) -> None:
    open_scenery(user, folder)
    user.window.session.leave_out(1, out=True)
    user.trigger("split")


def difference(user: User, folder: Path) -> None:
    open_scenery(user, folder)
    user.trigger("difference")


def curve(user: User, folder: Path) -> None:
    open_scenery(user, folder)
    user.trigger("tab-2")


def components(user: User, folder: Path) -> None:
    open_scenery(user, folder)
    user.trigger("tab-3")
    user.window.session.leave_out(2, out=True)


def error(user: User, folder: Path) -> None:
    open_scenery(user, folder)
    user.trigger("tab-4")


def block(user: User, folder: Path) -> None:
    open_scenery(user, folder)
    user.trigger("tab-5")
    user.window.tabs.block.pin_at(58, 38)


def table(user: User, folder: Path) -> None:
    open_scenery(user, folder)
    user.trigger("tab-6")


def without_original(user: User, folder: Path) -> None:
    path = folder / "scenery.pcai"
    path.write_bytes(pcaimage.encode(scenery(), pcaimage.Settings(sampling=pcaimage.Blocks(8), k=8)))
    user.open(path)
    user.trigger("tab-4")


def message(user: User, folder: Path) -> None:
    user.open(folder / "nothing.png")


def stack(user: User, folder: Path) -> None:
    user.open(*(write(folder / f"{seed}.png", scenery(seed)) for seed in range(5)))


def fitting(user: User, folder: Path) -> None:
    user.drop(write(folder / "scenery.png", scenery()))
    user.until(lambda: user.window.session.jobs.busy("fit") and user.window.progress.isVisible())
    user.until(lambda: "50" in user.window.progress.text and not user.window.session.jobs.busy("picture"))


STATES: dict[str, State] = {
    state.__name__.replace("_", "-"): state
    for state in (
        empty,
        side_by_side,
        split,
        difference,
        curve,
        components,
        error,
        block,
        table,
        without_original,
        message,
        stack,
        fitting,
    )
}


@pytest.fixture(autouse=True)
def font(qapp: QApplication) -> Iterator[QFont]:
    before, font = qapp.font(), QFont(FAMILY)
    font.setPointSizeF(POINTS)
    qapp.setFont(font)
    yield font
    qapp.setFont(before)


@pytest.fixture
def held_fit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A search for components that comes half way and stays there."""
    end = threading.Event()

    def of_image(_image: object, _choice: object, progress: Progress) -> Any:
        while not end.wait(0.02):
            progress(1, 2)
        progress(1, 2)  # raises, as it was stopped

    monkeypatch.setattr(Fit, "of_image", of_image)
    yield
    end.set()


def bring(user: User, state: str, folder: Path) -> None:
    """Bring the window into a state, and wait until nothing is missing."""
    window = user.window
    window.session.choose(block=8)
    window.resize(SIZE)
    STATES[state](user, folder)
    if state != "fitting":
        rest(user)


def rest(user: User) -> None:
    """Wait until nothing has been worked on for a moment; what is laid out may ask for more."""
    quiet = 0
    while quiet < QUIET:
        user.until(lambda: not user.window.session.jobs.busy())
        user.qtbot.wait(10)
        quiet = 0 if user.window.session.jobs.busy() else quiet + 1


def picture(user: User, scheme: Scheme) -> QImage:
    """Return what is seen of the window."""
    user.window.theme.set_scheme(scheme)
    user.qtbot.wait(1)
    QApplication.processEvents()
    return user.window.grab(user.window.rect()).toImage()


def check(name: str, seen: QImage, folder: Path) -> None:
    """Compare with what was seen before, or keep it for the next time."""
    path, cells = FOLDER / f"{name}.png", cells_of(seen)
    if RENEW:
        if not path.exists() or likeness(read_cells(path), cells).off.max() > SAME:
            write_cells(path, cells)
        return
    found = likeness(read_cells(path), cells)
    limits = USUAL if QFontInfo(QApplication.font()).family() == FAMILY else OTHER_FONT
    if not found.within(limits):
        seen.save(str(folder / f"{name}-seen.png"))
        light = np.clip(found.off * 4, 0, 255).astype(np.uint8)
        PILImage.fromarray(np.kron(light, np.ones((8, 8), np.uint8))).save(folder / f"{name}-off.png")
        pytest.fail(f"{name} looks different: {found}; see {folder}/{name}-seen.png and {name}-off.png")


def unlike(name: str, seen: QImage) -> bool:
    return not likeness(read_cells(FOLDER / f"{name}.png"), cells_of(seen)).within(USUAL)


@pytest.mark.parametrize("state", [name for name in STATES if name != "fitting"])
def test_a_state_looks_as_it_did_in_both_schemes(user: User, state: str, tmp_path: Path) -> None:
    bring(user, state, tmp_path)
    for scheme in SCHEMES:
        check(f"{state}-{scheme}", picture(user, scheme), tmp_path)


@pytest.mark.usefixtures("held_fit")
def test_work_under_way_looks_as_it_did_in_both_schemes(user: User, tmp_path: Path) -> None:
    bring(user, "fitting", tmp_path)
    for scheme in SCHEMES:
        check(f"fitting-{scheme}", picture(user, scheme), tmp_path)


@pytest.mark.parametrize("points", [POINTS - 1, POINTS + 1])
def test_a_point_more_or_less_is_no_difference(
    user: User, font: QFont, points: float, tmp_path: Path
) -> None:
    font.setPointSizeF(points)
    QApplication.setFont(font)
    bring(user, "table", tmp_path)
    for scheme in SCHEMES:
        check(f"table-{scheme}", picture(user, scheme), tmp_path)


def test_a_hidden_tab_bar_the_other_scheme_and_a_missing_panel_are_seen(user: User, tmp_path: Path) -> None:
    bring(user, "block", tmp_path)
    assert unlike("block-dark", picture(user, "light"))
    assert unlike("block-light", picture(user, "dark"))
    user.window.tabs.tabBar().hide()
    for scheme in SCHEMES:
        assert unlike(f"block-{scheme}", picture(user, scheme))
    user.window.tabs.tabBar().show()
    user.window.bytes.hide()
    assert unlike("block-light", picture(user, "light"))


def test_a_missing_legend_is_seen(user: User, tmp_path: Path) -> None:
    bring(user, "difference", tmp_path)
    user.window.compare.difference.legend.hide()
    for scheme in SCHEMES:
        assert unlike(f"difference-{scheme}", picture(user, scheme))


def test_swapped_views_and_a_missing_caption_are_seen(user: User, tmp_path: Path) -> None:
    bring(user, "components", tmp_path)
    left, right = user.window.compare.original, user.window.compare.reconstruction
    right.caption.hide()
    for scheme in SCHEMES:
        assert unlike(f"components-{scheme}", picture(user, scheme))
    right.caption.show()
    places = left.geometry(), right.geometry()
    right.setGeometry(places[0])
    left.setGeometry(places[1])
    for scheme in SCHEMES:
        assert unlike(f"components-{scheme}", picture(user, scheme))

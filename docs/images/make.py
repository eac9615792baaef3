"""Makes the documentation's pictures of the window: ``python docs/images/make.py``.

The real window draws them without a screen, light and dark, with the program's sample images. ``python
docs/images/make.py split error`` makes only some. The large ones are reduced to 256 colours, without
dithering, so that they stay small and text stays crisp.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from hand import Hand, pause
from PySide6.QtCore import QSettings, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QFont, QImage, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from reduced import MOST_BYTES, reduced

from pcaimage.gui.app import make_window
from pcaimage.gui.commands.help import KeyboardHelp
from pcaimage.gui.dialogs import several_question
from pcaimage.gui.preferences_dialog import PreferencesDialog
from pcaimage.gui.session.look import Look
from pcaimage.gui.session.requests import Keep, Reach, ShowBands, ShowLeft, ShowRight, Toggle, UsePreset
from pcaimage.gui.session.several import Several, listed
from pcaimage.gui.session.state import Rival
from pcaimage.gui.theme import Scheme, Theme, apply_theme
from pcaimage.imaging import BandInfo, Image, read_sample, write_image

HERE = Path(__file__).parent
SIZE = (1440, 900)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
BANDS = 31
"""Number of bands of the image of many bands."""
_FONT = ("DejaVu Sans", 9)

Scene = Callable[[Hand], QPixmap]


def scene_window(hand: Hand) -> QPixmap:
    """Show the whole window, side by side, with the spectrum."""
    hand.open("coffee", "blocks", 24)
    return hand.window.grab()


def scene_split(hand: Hand) -> QPixmap:
    """Show both pictures split, at 300 %, so that the difference is seen."""
    hand.open("cat", "photo", 32)
    hand.trigger("split")
    hand.window.compare.zoom_to(3.0)
    hand.rest()
    return hand.window.grab()


def scene_difference(hand: Hand) -> QPixmap:
    """Show the difference with its legend, and the error."""
    hand.open("astronaut", "blocks", 24)
    hand.trigger("difference")
    hand.tab(hand.window.tabs.page("error"))
    return hand.window.grab()


def scene_jpeg(hand: Hand) -> QPixmap:
    """Show a JPEG of the same size at the right."""
    hand.open("cat", "photo", 24)
    hand.session.request(Reach("size", 9_000))
    hand.rest()
    hand.session.request(ShowLeft("reconstruction"))
    hand.session.request(ShowRight(Rival("jpeg")))
    hand.window.compare.zoom_to(2.0)
    hand.rest()
    return hand.window.grab()


def scene_curve(hand: Hand) -> QPixmap:
    """Show size and quality, compared with other codecs."""
    hand.open("coffee")
    hand.tab(hand.window.tabs.page("curve"))
    return tabs_of(hand, 330)


def scene_components(hand: Hand) -> QPixmap:
    """Show the components as pictures, one left out, one as an overlay on the image."""
    hand.open("astronaut", "blocks", 24)
    hand.tab(hand.window.tabs.page("components"))
    hand.session.request(Toggle(5, out=True))
    hand.rest()
    view = hand.window.tabs.page("components").view
    hand.point(view.viewport(), view.visualRect(view.model().index(1, 0)).center())
    return hand.window.grab()


def scene_error(hand: Hand) -> QPixmap:
    """Show where the error is, its distribution, and the worst places."""
    hand.open("coffee")
    hand.tab(hand.window.tabs.page("error"))
    return tabs_of(hand, 330)


def scene_block(hand: Hand) -> QPixmap:
    """Show one block taken apart."""
    hand.open("astronaut", "blocks", 24)
    hand.tab(hand.window.tabs.page("block"))
    hand.window.tabs.page("block").pin_at(220, 110)
    hand.rest()
    return tabs_of(hand, 330)


def scene_table(hand: Hand) -> QPixmap:
    """Show one block decomposed into components."""
    hand.open("coffee", "blocks", 24)
    hand.tab(hand.window.tabs.page("table"))
    return tabs_of(hand, 330)


def scene_scatter(hand: Hand) -> QPixmap:
    """Show a stack's images as points."""
    open_digits(hand)
    hand.tab(hand.window.tabs.page("scatter"))
    return tabs_of(hand, 330)


def scene_montage(hand: Hand) -> QPixmap:
    """Show a stack's images before and after."""
    open_digits(hand)
    hand.tab(hand.window.tabs.page("montage"))
    return tabs_of(hand, 330)


def scene_pixel(hand: Hand) -> QPixmap:
    """Show the spectrum of a pixel."""
    hand.window.resize(1180, 760)
    open_cube(hand)
    hand.tab(hand.window.tabs.page("pixel"))
    hand.window.tabs.page("pixel").pin_at(273, 160)
    hand.rest()
    return hand.window.grab()


def scene_bands(hand: Hand) -> QPixmap:
    """Show the quality of each band."""
    open_cube(hand)
    hand.tab(hand.window.tabs.page("bands"))
    return tabs_of(hand, 330)


def scene_settings(hand: Hand) -> QPixmap:
    """Show the settings, and the breakdown of the file's size."""
    hand.open("coffee")
    return hand.window.side.grab()


def scene_several(hand: Hand) -> QPixmap:
    """Show the question about several images."""
    files = tuple(f"IMG_{number}.jpg" for number in range(2041, 2053))
    several = Several(files, (4_000_000,) * len(files), ("separate", "stack"), (4000, 3000))
    box, _ = several_question(hand.window, several)
    box.open()
    pause(200)
    pixmap = box.grab()
    box.close()
    return pixmap


def scene_photographs(hand: Hand) -> QPixmap:
    """Show the strip, and two photographs with settings of their own."""
    hand.window.resize(1024, 660)
    hand.trigger("layout-photo")
    with photographs_of_a_phone() as folder:
        open_strip(hand, folder)
        hand.session.request(UsePreset("small"))
        hand.rest()
        hand.window.photographs.strip.list.step(3)
        hand.rest()
        hand.session.request(Reach("psnr", 34.0))
        hand.rest()
        pause(500)
        return hand.window.grab()


def scene_exporting(hand: Hand) -> QPixmap:
    """Show the form that exports all photographs."""
    with photographs_of_a_phone() as folder:
        open_strip(hand, folder)
        hand.trigger("export-all")
        sheet = hand.window.queue.sheet
        if sheet is None:
            raise ValueError("There is no sheet.")
        sheet.form.folder.setText("Pictures/phone/jpeg")
        pixmap = sheet.grab()
        sheet.close()
        return pixmap


def scene_queue(hand: Hand) -> QPixmap:
    """Show what became of the photographs."""
    with photographs_of_a_phone() as folder:
        open_strip(hand, folder)
        hand.trigger("export-all")
        queue, sheet = hand.window.queue.queue, hand.window.queue.sheet
        if sheet is None:
            raise ValueError("There is no sheet.")
        sheet.begin.click()
        while queue.running:
            pause(100)
        sheet.resize(640, 400)
        sheet.table.clearFocus()
        pixmap = sheet.grab()
        sheet.close()
        return pixmap


def scene_preferences(hand: Hand) -> QPixmap:
    """Show the preferences."""
    return dialog_of(hand, "preferences", PreferencesDialog)


def scene_keys(hand: Hand) -> QPixmap:
    """Show the list of all keys."""
    return dialog_of(hand, "keyboard-help", KeyboardHelp)


SCENES: dict[str, Scene] = {
    name.removeprefix("scene_"): scene for name, scene in globals().items() if name.startswith("scene_")
}


def open_digits(hand: Hand) -> None:
    """Open the stack of handwritten digits, of which a few components are kept."""
    hand.open("digits", "stack", 16)


@contextmanager
def photographs_of_a_phone() -> Iterator[Path]:
    """Yield a folder of twelve photographs: pieces of the sample images, named as a phone names them."""
    pictures = [read_sample(name).pixels for name in ("coffee", "cat", "astronaut", "rocket")]
    # Of each the whole, its left part on end, and its middle mirrored.
    pieces = [
        piece for each in pictures for piece in (each, each[:, : each.shape[0] * 3 // 4], each[20:-20, ::-1])
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "phone"
        folder.mkdir()
        for number, piece in enumerate(pieces):
            path = folder / f"IMG_{2041 + number}.jpg"
            write_image(path, Image(np.ascontiguousarray(piece)), quality=95)
        yield folder


def open_strip(hand: Hand, folder: Path) -> None:
    """Open the photographs of a folder in the strip."""
    hand.window.photographs.open(listed([str(folder)]))
    hand.rest()
    pause(1000)
    hand.rest()


def open_cube(hand: Hand) -> None:
    """Open an image of many bands made from a photograph: its colours as smooth spectra, with some noise."""
    photograph = read_sample("coffee").pixels.astype(np.float32) ** 2.2
    wavelengths = np.linspace(420, 720, BANDS)
    peaks, widths = np.array([610, 540, 465])[:, None], np.array([45, 38, 28])[:, None]
    spectra = np.exp(-(((wavelengths - peaks) / widths) ** 2) / 2).astype(np.float32)
    cube = photograph @ spectra / photograph.max() * 3500 + 60
    cube += np.random.default_rng(0).normal(0, 4, cube.shape)
    info = BandInfo(wavelengths=tuple(wavelengths.tolist()), unit="nm")
    hand.session.open_image(Image(np.rint(cube).astype(np.uint16), name="coffee, 31 bands", bands=info))
    hand.rest()
    hand.session.request(ShowBands(Look("true-colour")))
    hand.session.request(Keep(2))
    hand.rest()


def tabs_of(hand: Hand, height: int) -> QPixmap:
    """Return the tabs alone, at the height at which they are read."""
    rows = hand.window.splitters["rows"]
    rows.setSizes([rows.height() - height, height])
    hand.rest()
    return hand.window.tabs.grab()


def dialog_of(hand: Hand, action: str, kind: type[QDialog]) -> QPixmap:
    """Return a dialog alone."""
    hand.window.actions_by_name[action].trigger()
    pause(200)
    dialog = next(iter(hand.window.findChildren(kind)))
    field = dialog.focusWidget()
    if field is not None:
        field.clearFocus()  # a blinking cursor would change the picture each time
    pixmap = dialog.grab()
    dialog.close()
    return pixmap


def shot(theme: Theme, scheme: Scheme, scene: Scene, size: tuple[int, int] = SIZE) -> QImage:
    """Return one picture, from a window of its own.

    Parameters
    ----------
    theme : Theme
        The application's look.
    scheme : {"light", "dark"}
        The colour scheme.
    scene : callable
        Prepares the window, and returns the part to show.
    size : tuple of int, optional
        Width and height of the window.
    """
    theme.set_scheme(scheme)
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat)
        settings.setValue("kept/layout", "science")
        window = make_window(theme, settings)
        window.resize(*size)
        window.show()
        QTest.qWaitForWindowActive(window, 100)
        try:
            return scene(Hand(window)).toImage()
        finally:
            window.session.jobs.shutdown()
            window.deleteLater()


def _hear(kind: QtMsgType, _: object, message: str) -> None:
    if "propagateSizeHints" not in message:  # logged for every window with a minimum size
        print(f"{kind.name}: {message}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the pictures named in `arguments`, or all; return 1 if one has become too large."""
    parser = argparse.ArgumentParser(description="Make the documentation's pictures of the window.")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"any of: {', '.join(SCENES)}")
    parser.add_argument("--to", type=Path, default=HERE, help="the folder; by default that of this script")
    chosen = parser.parse_args(arguments)
    qInstallMessageHandler(_hear)
    app = QApplication([sys.argv[0]])
    app.setFont(QFont(*_FONT))
    theme = apply_theme(app, "light")
    too_large = False
    for name in chosen.scenes or SCENES:
        for scheme in SCHEMES:
            path = chosen.to / f"{name}-{scheme}.png"
            path.write_bytes(reduced(shot(theme, scheme, SCENES[name])))
            size = path.stat().st_size
            too_large |= size > MOST_BYTES
            print(f"{path.name:28} {size / 1000:6.0f} KB{'  too large' if size > MOST_BYTES else ''}")
    return int(too_large)


if __name__ == "__main__":
    sys.exit(main())

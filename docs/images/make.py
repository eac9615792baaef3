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
from PySide6.QtCore import QSettings, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QFont, QImage, QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from reduced import MOST_BYTES, reduced
from user import User, pause

from pcaimage.gui.app import make_window
from pcaimage.gui.commands.help import KeyboardHelp
from pcaimage.gui.dialogs import several_question
from pcaimage.gui.export.sheet import ExportSheet
from pcaimage.gui.photographs.sheet import SendSheet
from pcaimage.gui.preferences_dialog import PreferencesDialog
from pcaimage.gui.session.display import Look
from pcaimage.gui.session.opening import Several, listed
from pcaimage.gui.session.requests import Keep, Reach, ShowBands, ShowLeft, ShowRight, Toggle, UsePreset
from pcaimage.gui.session.state import Rival
from pcaimage.gui.theme import Scheme, Theme, apply_theme
from pcaimage.imaging import BandInfo, Image, write_image
from pcaimage.imaging.reading.samples import read_sample

HERE = Path(__file__).parent
SIZE = (1440, 900)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
BANDS = 31
"""Number of bands of the image of many bands."""
_FONT = ("DejaVu Sans", 9)

Scene = Callable[[User], QPixmap]


def scene_window(user: User) -> QPixmap:
    """Show the whole window, side by side, with the spectrum."""
    user.open("coffee", "blocks", 24)
    return user.window.grab()


def scene_split(user: User) -> QPixmap:
    """Show both pictures split, at 300 %, so that the difference is seen."""
    user.open("cat", "photo", 32)
    user.trigger("split")
    user.window.compare.zoom_to(3.0)
    user.rest()
    return user.window.grab()


def scene_difference(user: User) -> QPixmap:
    """Show the difference with its legend, and the error."""
    user.open("astronaut", "blocks", 24)
    user.trigger("difference")
    user.tab("error")
    return user.window.grab()


def scene_jpeg(user: User) -> QPixmap:
    """Show a JPEG of the same size at the right."""
    user.open("cat", "photo", 24)
    user.session.request(Reach("size", 9_000))
    user.rest()
    user.session.request(ShowLeft("reconstruction"))
    user.session.request(ShowRight(Rival("jpeg")))
    user.window.compare.zoom_to(2.0)
    user.rest()
    return user.window.grab()


def scene_curve(user: User) -> QPixmap:
    """Show size and quality, compared with other codecs."""
    user.open("coffee")
    user.tab("curve")
    return tabs_of(user, 330)


def scene_components(user: User) -> QPixmap:
    """Show the components as pictures, one left out, one as an overlay on the image."""
    user.open("astronaut", "blocks", 24)
    view = user.tab("components").view
    user.session.request(Toggle(5, out=True))
    user.rest()
    user.point(view.viewport(), view.visualRect(view.model().index(1, 0)).center())
    return user.window.grab()


def scene_error(user: User) -> QPixmap:
    """Show where the error is, its distribution, and the worst places."""
    user.open("coffee")
    user.tab("error")
    return tabs_of(user, 330)


def scene_block(user: User) -> QPixmap:
    """Show one block taken apart."""
    user.open("astronaut", "blocks", 24)
    user.tab("block").pin_at(220, 110)
    user.rest()
    return tabs_of(user, 330)


def scene_table(user: User) -> QPixmap:
    """Show one block decomposed into components."""
    user.open("coffee", "blocks", 24)
    user.tab("table")
    return tabs_of(user, 330)


def scene_scatter(user: User) -> QPixmap:
    """Show a stack's images as points."""
    open_digits(user)
    user.tab("scatter")
    return tabs_of(user, 330)


def scene_montage(user: User) -> QPixmap:
    """Show a stack's images before and after."""
    open_digits(user)
    user.tab("montage")
    return tabs_of(user, 330)


def scene_pixel(user: User) -> QPixmap:
    """Show the spectrum of a pixel, and classes of pixels before and after."""
    user.window.resize(1180, 760)
    open_cube(user)
    user.session.request(Keep(1))
    page = user.tab("pixel")
    page.pin_at(273, 160)
    page.classes.setCurrentIndex(page.classes.findData(4))
    user.rest()
    return user.window.grab()


def scene_bands(user: User) -> QPixmap:
    """Show the quality of each band."""
    open_cube(user)
    user.tab("bands")
    return tabs_of(user, 330)


def scene_settings(user: User) -> QPixmap:
    """Show the settings, and the breakdown of the file's size."""
    user.open("coffee")
    return user.window.panel.grab()


def scene_several(user: User) -> QPixmap:
    """Show the question about several images."""
    files = tuple(f"IMG_{number}.jpg" for number in range(2041, 2053))
    several = Several(files, (4_000_000,) * len(files), ("separate", "stack"), (4000, 3000))
    box, _ = several_question(user.window, several)
    box.open()
    pause(200)
    pixmap = box.grab()
    box.close()
    return pixmap


def scene_photographs(user: User) -> QPixmap:
    """Show the strip, and two photographs with settings of their own."""
    user.window.resize(1024, 660)
    user.trigger("layout-photo")
    with photographs_of_a_phone() as folder:
        open_strip(user, folder)
        user.session.request(UsePreset("small"))
        user.rest()
        user.window.photographs.strip.list.step(3)
        user.rest()
        user.session.request(Reach("psnr", 34.0))
        user.rest()
        pause(500)
        return user.window.grab()


def scene_sending(user: User) -> QPixmap:
    """Show the form of what is sent, with its estimate."""
    with photographs_of_a_phone() as folder:
        return sent(user, folder, lambda sheet: sheet.form.folder.setText("Pictures/phone/to send"))


def scene_sent(user: User) -> QPixmap:
    """Show what became of the photographs."""
    queue = user.window.queue.queue

    def make(sheet: SendSheet) -> None:
        sheet.begin.click()
        while queue.running:
            pause(100)
        sheet.resize(640, 400)
        sheet.table.clearFocus()

    with photographs_of_a_phone() as folder:
        return sent(user, folder, make)


def scene_exporting(user: User) -> QPixmap:
    """Show the sheet of the export, with what it proposes and its size."""
    return exported(user, lambda _: None)


def scene_formats(user: User) -> QPixmap:
    """Show other formats that look as good."""

    def compare(sheet: ExportSheet) -> None:
        sheet.compare.setChecked(True)
        while "tried" in sheet.table_note.text():
            pause(100)

    return exported(user, compare)


def scene_preferences(user: User) -> QPixmap:
    """Show the preferences."""
    return dialog_of(user, "preferences", PreferencesDialog)


def scene_keys(user: User) -> QPixmap:
    """Show the list of all keys."""
    return dialog_of(user, "keyboard-help", KeyboardHelp)


def scene_hour(user: User) -> QPixmap:
    """Show a student's hour in the lab, in three windows of 1024 × 700."""
    lab = user.window.lab.open()
    lab.resize(1024, 700)
    page = lab.page
    page.turning.enabled = False
    numbers, moments = page.panes.numbers, list[QPixmap]()

    def keep(*commands: str) -> None:
        for name in commands:
            page.commands.by_name[name].trigger()
        user.rest()
        moments.append(lab.grab())

    page.open_text(
        b"| who | height | weight |\n|--|--|--|\n|Ann|1.62|54|\n|Bob|1.85|81|\n|Cy|1.71|70|", "Friends"
    )
    numbers.go_to(2, 1)
    numbers.model.typed.emit(2, 1, 68.0)
    keep("names")
    page.source.setCurrentText("Iris")
    page.source.activated.emit(page.source.currentIndex())
    page.follow("turn")
    for angle in (0.5, 1.2):
        page.panes.plane.lineMoved.emit(angle, True)
        page.commands.by_name["lay"].trigger()
    page.panes.plane.bestRequested.emit()
    numbers.show_kind("pull")
    keep("names", "components")
    page.source.setCurrentText("Digits")
    page.source.activated.emit(page.source.currentIndex())
    page.commands.by_name["finish"].trigger()
    page.follow("keep")
    page.panes.spectrum.kChosen.emit(20, True)
    keep("components")
    sheet = QPixmap(1024, 3 * 700 + 24)
    sheet.fill(lab.palette().mid().color())
    painter = QPainter(sheet)
    for number, moment in enumerate(moments):
        painter.drawPixmap(0, number * (700 + 12), moment)
    painter.end()
    lab.close()
    return sheet


SCENES: dict[str, Scene] = {
    name.removeprefix("scene_"): scene for name, scene in globals().items() if name.startswith("scene_")
}


def open_digits(user: User) -> None:
    """Open the stack of handwritten digits, of which a few components are kept."""
    user.open("digits", "stack", 16)


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


def open_strip(user: User, folder: Path) -> None:
    """Open the photographs of a folder in the strip."""
    user.window.photographs.open(listed([str(folder)]))
    user.rest()
    pause(1000)
    user.rest()


def sent(user: User, folder: Path, act: Callable[[SendSheet], object]) -> QPixmap:
    """Return the sheet of what is sent of a folder, after something was done with it."""
    open_strip(user, folder)
    user.trigger("send")
    sheet = user.window.queue.sheet
    if sheet is None:
        raise ValueError("There is no sheet.")
    sheet.form.value.setValue(2.0)
    while "≈" not in sheet.form.estimate.text() or "judged" in sheet.form.estimate.text():
        pause(100)
    act(sheet)
    pixmap = sheet.grab()
    sheet.close()
    return pixmap


def exported(user: User, act: Callable[[ExportSheet], object]) -> QPixmap:
    """Return the sheet of the export of a photograph, after something was done with it."""
    user.open("cat")
    user.window.actions_by_name["export"].trigger()
    sheet = user.window.findChildren(ExportSheet)[0]
    user.rest()  # until other formats were tried
    act(sheet)
    user.rest()
    while "B" not in sheet.size_line.text() or "≈" in sheet.size_line.text():
        pause(100)
    sheet.export.setFocus()
    pixmap = sheet.grab()
    sheet.close()
    return pixmap


def open_cube(user: User) -> None:
    """Open an image of many bands made from a photograph: its colours as smooth spectra, with some noise."""
    photograph = read_sample("coffee").pixels.astype(np.float32) ** 2.2
    wavelengths = np.linspace(420, 720, BANDS)
    peaks, widths = np.array([610, 540, 465])[:, None], np.array([45, 38, 28])[:, None]
    spectra = np.exp(-(((wavelengths - peaks) / widths) ** 2) / 2).astype(np.float32)
    cube = photograph @ spectra / photograph.max() * 3500 + 60
    cube += np.random.default_rng(0).normal(0, 4, cube.shape)
    info = BandInfo(wavelengths=tuple(wavelengths.tolist()), unit="nm")
    user.session.open_image(Image(np.rint(cube).astype(np.uint16), name="coffee, 31 bands", bands=info))
    user.rest()
    user.session.request(ShowBands(Look("true-colour")))
    user.session.request(Keep(2))
    user.rest()


def tabs_of(user: User, height: int) -> QPixmap:
    """Return the tabs alone, at the height at which they are read."""
    rows = user.window.splitters["rows"]
    rows.setSizes([rows.height() - height, height])
    user.rest()
    return user.window.tabs.grab()


def dialog_of(user: User, action: str, kind: type[QDialog]) -> QPixmap:
    """Return a dialog alone."""
    user.window.actions_by_name[action].trigger()
    pause(200)
    dialog = next(iter(user.window.findChildren(kind)))
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
            return scene(User(window)).toImage()
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

"""The magnifier: which pixel it shows, how large, and where the pixels come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer, Signal

from pcaimage.codec import Region
from pcaimage.gui.compare.loupe import Loupe, Pane
from pcaimage.gui.compare.painting import Layer, covers
from pcaimage.gui.compare.viewport import Size
from pcaimage.gui.screen.qimage import to_qimage

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from pcaimage.gui.compare.canvas import ImageCanvas
    from pcaimage.gui.screen.picture import Picture

FACTORS = (2, 4, 8, 16, 32)
_FIRST = 8
_MARGIN = 64
"""How much farther than it is seen a region is asked for, so that moving a little asks for nothing."""


class Magnifier(QObject):
    """Shows the pixel under the cursor enlarged, of every canvas that takes part.

    Parameters
    ----------
    parent : QWidget
        What the loupe stays inside of.
    canvases : tuple of ImageCanvas
        The left and the right one.
    """

    needed = Signal(object)
    """The :class:`Region` wanted in full resolution; answer with :meth:`set_magnified`."""

    def __init__(self, parent: QWidget, canvases: tuple[ImageCanvas, ImageCanvas]) -> None:
        super().__init__(parent)
        self._canvases = canvases
        self._given: tuple[Layer | None, Layer | None] = (None, None)
        self._values: tuple[str, str] | None = None
        self._asked: Region | None = None
        self._image = Size(0, 0)
        self._pixel: tuple[int, int] | None = None
        self._cursor = QPoint()
        self._on = False
        self._with_left = True
        self._factor = _FIRST
        self.loupe = Loupe(parent)
        self._asking = QTimer(self, singleShot=True, interval=0)
        self._asking.timeout.connect(self._ask)
        for canvas in canvases:
            canvas.pictureChanged.connect(self._renew)

    @property
    def on(self) -> bool:
        """Whether it is switched on; it is seen while the cursor is over the image."""
        return self._on

    @property
    def factor(self) -> int:
        """The magnification."""
        return self._factor

    def set_on(self, on: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Switch it on or off.

        Parameters
        ----------
        on : bool
            Off hides it.
        """
        self._on = on
        self._refresh()

    def set_image(self, image: Size, *, with_left: bool) -> None:
        """Forget all pixels, because another image is shown.

        Parameters
        ----------
        image : Size
            Its size.
        with_left : bool
            Whether there is a left picture.
        """
        self._image, self._with_left = image, with_left
        self._given, self._values, self._asked, self._pixel = (None, None), None, None, None
        self._refresh()

    def set_magnified(self, left: Picture | None, right: Picture | None) -> None:
        """Give pixels in full resolution.

        Parameters
        ----------
        left, right : Picture or None
            Of the region that was asked for; None for what is not known.
        """
        given = [
            None if picture is None else Layer(picture, to_qimage(picture.pixels))
            for picture in (left, right)
        ]
        self._given = given[0], given[1]
        self._refresh()

    def set_values(self, left: str, right: str) -> None:
        """Say what the pixel's values are, where a picture's eight bits do not tell.

        Parameters
        ----------
        left, right : str
            Such as ``"143 121 97"``; forgotten when the cursor moves to another pixel.
        """
        self._values = left, right
        self._refresh()

    def point_at(self, pixel: tuple[int, int] | None, cursor: QPoint | None = None) -> None:
        """Show another pixel.

        Parameters
        ----------
        pixel : tuple of int or None
            Column and row; None if the cursor is not over the image.
        cursor : QPoint, optional
            Where the cursor is, in the parent's coordinates.
        """
        if pixel != self._pixel:
            self._values = None
        self._pixel = pixel
        if cursor is not None:
            self._cursor = cursor
        self._refresh()

    def step(self, notches: int) -> None:
        """Magnify more or less.

        Parameters
        ----------
        notches : int
            How many factors to go on, or back if negative.
        """
        place = min(max(FACTORS.index(self._factor) + notches, 0), len(FACTORS) - 1)
        self._factor = FACTORS[place]
        self._refresh()

    def _refresh(self) -> None:
        seen = self._on and self._pixel is not None and bool(self._image.width)
        if seen and self._pixel is not None:
            first = 0 if self._with_left else 1
            panes = tuple(self._pane(i, self._pixel) for i in range(first, 2))
            self.loupe.show_pixel(self._pixel, self._factor, self._image, panes)
            self.loupe.move_beside(self._cursor)
            if not self._known(self._needed()):
                self._asking.start()
        if seen != self.loupe.isVisible():
            self.loupe.setVisible(seen)
            self.loupe.raise_()

    def _renew(self) -> None:
        """Have other pixels ready after one of the pictures changed."""
        self._asked = None
        if self._on:
            self._refresh()

    def _pane(self, side: int, pixel: tuple[int, int]) -> Pane:
        canvas, given = self._canvases[side], self._given[side]
        layers = list(canvas.layers)
        if given is not None:
            # What the canvas shows is newer, but only counts if it is as fine.
            fine = bool(layers) and layers[-1].picture.full_resolution
            layers.insert(len(layers) - 1 if fine else len(layers), given)
        name = canvas.lines[0] if canvas.lines else canvas.accessibleName()
        values = _values(layers, pixel) if self._values is None else self._values[side]
        return Pane(tuple(layers), name, values)

    def _needed(self) -> Region:
        if self._pixel is None:
            return Region(0, 0, 0, 0)
        return _around(self._pixel, self.loupe.reach(self._factor), self._image)

    def _known(self, region: Region) -> bool:
        return all(
            any(
                layer.picture.full_resolution and covers(layer.picture, region)
                for layer in self._canvases[side].layers
            )
            for side in range(0 if self._with_left else 1, 2)
        )

    def _ask(self) -> None:
        needed = self._needed()
        if self._pixel is None or not self._on or self._known(needed):
            return
        if self._asked is None or self._asked.united(needed) != self._asked:
            reach = self.loupe.reach(self._factor) + _MARGIN
            self._asked = _around(self._pixel, reach, self._image)
            self.needed.emit(self._asked)


def _around(pixel: tuple[int, int], reach: int, image: Size) -> Region:
    x, y = pixel
    return Region(
        max(0, x - reach),
        max(0, y - reach),
        min(int(image.width), x + reach + 1),
        min(int(image.height), y + reach + 1),
    )


def _values(layers: list[Layer], pixel: tuple[int, int]) -> str:
    x, y = pixel
    for picture, _ in reversed(layers):
        x0, y0, x1, y1 = picture.extent
        if picture.full_resolution and x0 <= x < x1 and y0 <= y < y1:
            rows, columns = picture.pixels.shape[:2]
            row, column = min(int(y - y0), rows - 1), min(int(x - x0), columns - 1)
            return " ".join(map(str, picture.pixels[row, column].tolist()))
    return ""

"""The original and its reconstruction, moved by one hand and compared in several ways."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from pcaimage.gui.compare.picker import ViewPicker
from pcaimage.gui.compare.pointed import PointedStage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QWidget

    from pcaimage.codec import Region
    from pcaimage.gui.compare.canvas import ImageCanvas
    from pcaimage.gui.compare.stage import Mode
    from pcaimage.gui.screen.picture import Picture


class CompareView(PointedStage):
    """Canvases that show the same part of the image, and what helps to compare them.

    Pictures and captions are given to the canvases, :attr:`original` (left), :attr:`reconstruction`
    (right) and :attr:`difference`; the viewport is given here, to all.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    clicked = Signal(int, int)
    """The image pixel that was clicked without dragging."""
    filesDropped = Signal(list)  # noqa: N815
    """Paths of files dropped here."""
    scaleRequested = Signal(object)  # noqa: N815
    """The full scale of the difference that the user wants, in levels; None for an automatic one."""
    leftRequested = Signal(str)  # noqa: N815
    """What the left view shall show: the value of one of its options."""
    rightRequested = Signal(object)  # noqa: N815
    """What the right view shall show: the value of one of its options."""
    rightComponentsRequested = Signal(int)  # noqa: N815
    """The k that the right view shall show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._peeking = False
        self.left_picker = ViewPicker("left view", self.original)
        self.right_picker = ViewPicker("right view", self.reconstruction)
        self.difference_picker = ViewPicker("picture compared with the left view", self.difference)
        self.difference.scaleRequested.connect(self.scaleRequested)
        self.left_picker.requested.connect(self._request_left)
        for picker in (self.right_picker, self.difference_picker):
            picker.requested.connect(self.rightRequested)
            picker.componentsRequested.connect(self.rightComponentsRequested)
        self.right_picker.resized.connect(self.reconstruction.caption.refresh)
        self.difference_picker.resized.connect(self.difference.caption.refresh)
        for canvas in self.canvases:
            canvas.clicked.connect(self.clicked)
            canvas.filesDropped.connect(self.filesDropped)

        self._order_tabs()

    @property
    def peeking(self) -> bool:
        """Whether the left picture is shown in place of the other."""
        return self._peeking

    def set_mode(self, mode: Mode) -> None:
        """Compare in another way; an image that was fitted stays fitted.

        Parameters
        ----------
        mode : {"side-by-side", "split", "difference"}
            Remembered, but without effect while there is no original.
        """
        super().set_mode(mode)
        self._show_peek()

    def set_original_available(self, available: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show or hide the left picture.

        Parameters
        ----------
        available : bool
            False for a compressed file that was opened without its original.
        """
        super().set_original_available(available)
        self._show_peek()

    def peek(self, on: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show the left picture in place of the right one, or of the difference, at once.

        Parameters
        ----------
        on : bool
            Whether to.
        """
        self._peeking = on
        self._show_peek()

    def set_difference_picture(self, picture: Picture | None) -> None:
        """Show newer differences.

        Parameters
        ----------
        picture : Picture or None
            In the colours of :func:`~pcaimage.gui.compare.heat.to_colours`.
        """
        self.difference.set_picture(picture)

    def set_full_scale(self, value: float | None, automatic: bool, deep: bool = False) -> None:  # noqa: FBT001, FBT002 - a Qt setter
        """Say what the brightest colour of the difference stands for; nothing is emitted.

        Parameters
        ----------
        value : float or None
            In levels of the pixels' values; None while it is not known.
        automatic : bool
            Whether it follows from the image.
        deep : bool, optional
            Whether pixels have 16 bits, so that larger scales are offered.
        """
        self.difference.legend.set_full_scale(value or 0.0, automatic=automatic, deep=deep)

    def set_left_choices(self, options: Iterable[tuple[object, ...]], current: object) -> None:
        """Offer other things for the left view; nothing is emitted.

        Parameters
        ----------
        options : iterable of ViewOption, or of tuple
            ``(value, text, enabled, tip)``, each value a str.
        current : object
            The value of what is shown.
        """
        self._choose(self.original, self.left_picker, options, current)

    def set_right_choices(self, options: Iterable[tuple[object, ...]], current: object) -> None:
        """Offer other things for the right view, which the difference is of too; nothing is emitted.

        Parameters
        ----------
        options : iterable of ViewOption, or of tuple
            ``(value, text, enabled, tip)``; a fifth item is a tuple of options for a submenu.
        current : object
            The value of what is shown.
        """
        offered = tuple(options)
        self._choose(self.reconstruction, self.right_picker, offered, current)
        self._choose(self.difference, self.difference_picker, offered, current)

    def set_right_components(self, k: int | None, most: int = 1) -> None:
        """Show a field for k in the right view's caption, or hide it; nothing is emitted.

        Parameters
        ----------
        k : int or None
            What it says; None hides it.
        most : int, optional
            The largest that can be typed.
        """
        for picker in (self.right_picker, self.difference_picker):
            picker.set_components(k, most)

    def set_marker(self, region: Region | None) -> None:
        """Frame some pixels of the image in all canvases.

        Parameters
        ----------
        region : Region or None
            The pixels; None for no frame.
        """
        for canvas in self.canvases:
            canvas.set_marker(region)

    def _choose(
        self,
        canvas: ImageCanvas,
        picker: ViewPicker,
        options: Iterable[tuple[object, ...]],
        current: object,
    ) -> None:
        picker.set_choices(options, current)
        canvas.caption.set_companion(picker)

    def _order_tabs(self) -> None:
        order: list[QWidget] = []
        for canvas, picker in (
            (self.original, self.left_picker),
            (self.reconstruction, self.right_picker),
            (self.difference, self.difference_picker),
        ):
            order += [canvas, picker.field, picker.button]
        order += [self.difference.legend.button, self.divider]
        for before, after in pairwise(order):
            self.setTabOrder(before, after)

    def _request_left(self, value: object) -> None:
        self.leftRequested.emit(value)

    def _show_peek(self) -> None:
        shown = self.front if self._peeking and self._with_original else None
        for canvas in (self.reconstruction, self.difference):
            canvas.show_instead(self.original if canvas is shown else None)

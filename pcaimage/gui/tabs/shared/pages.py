"""Building blocks of tab pages: message or content, the line of figures, panes, a pin; and their feeds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any, Generic, Protocol, TypeVar

from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QSizePolicy, QSpinBox, QSplitter, QStackedLayout, QWidget

from pcaimage.codec import Region
from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.feed import Feed, T, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.theme import Coloured, tabular
from pcaimage.language import tr
from pcaimage.progress import Progress

F = TypeVar("F")


class Readout(QLabel):
    """A line of figures, as wide as there is room, with an ellipsis where it is cut off.

    The label's own text would lay out the window with every number.
    """

    def __init__(self) -> None:
        super().__init__()
        self._line = ""
        self.setFont(tabular(self.font()))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        """Return the line."""
        return self._line

    def setText(self, text: str) -> None:
        """Show a line, and in the tooltip if it is cut off."""
        if text != self._line:
            self._line = text
            self.setAccessibleName(text)
            self.update()
        cut = self.fontMetrics().horizontalAdvance(text) > self.width()
        self.setToolTip(text if cut else "")

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint as much of the line as there is room for."""
        room = self.contentsRect()
        shown = self.fontMetrics().elidedText(self._line, Qt.TextElideMode.ElideRight, room.width())
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(room, int(self.alignment() | Qt.TextFlag.TextSingleLine), shown)
        painter.end()


def panes(*parts: tuple[QWidget, int], sizes: Sequence[int]) -> QSplitter:
    """Put widgets side by side, given with their stretch factors, and with movable borders between them."""
    splitter = QSplitter(Qt.Orientation.Horizontal)
    for place, (pane, stretch) in enumerate(parts):
        splitter.addWidget(pane)
        splitter.setStretchFactor(place, stretch)
        splitter.setCollapsible(place, False)
    splitter.setHandleWidth(8)
    splitter.setSizes(sizes)
    return splitter


def content_of(line: Sequence[QWidget], *parts: QWidget, spacing: int | None = None) -> QWidget:
    """Put a line of widgets above others; the first of the line and of the others take the room to spare."""
    content = QWidget()
    top = hbox((line[0], 1), *line[1:], spacing=spacing)
    vbox(top, (parts[0], 1), *parts[1:], of=content, margins=(8, 4, 8, 4), spacing=4)
    return content


def legend_of(entries: Iterable[tuple[str, str]]) -> str:
    """Return a line of rich text with squares of given colours, each before what it stands for."""
    return "&nbsp;&nbsp; ".join(
        f'<span style="color: {colour}">■</span>&nbsp;{escape(tr(text)).replace(" ", "&nbsp;")}'
        for colour, text in entries
    )


class MessagePage(Coloured):
    """A page that shows its content, or a message with the reason why there is none."""

    def __init__(self, parent: QWidget | None = None, readout: Readout | None = None) -> None:
        super().__init__(parent)
        self._readout = readout or Readout()
        """The line of figures, which is part of the content."""
        self._message = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True, margin=16)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._message)

    @property
    def text(self) -> str:
        """The line of figures, or why there are none."""
        return self._readout.text() if self._pages.currentIndex() else self._message.text()

    def set_message(self, sentence: str) -> None:
        """Set the reason why there is no content; visible only while there is none."""
        self._message.setText(sentence)

    def _add_content(self, *rows: Any, spacing: int = 4) -> None:
        """Add rows that reach from edge to edge."""
        content = QWidget()
        vbox(*rows, of=content, margins=(0, 4, 0, 0), spacing=spacing)
        self._pages.addWidget(content)

    def _show_content(self, *, on: bool = True) -> None:
        """Show the content, or else the message."""
        self._pages.setCurrentIndex(int(on))


class FiguresPage(MessagePage, Generic[F]):
    """A page that shows figures, or a sentence instead."""

    def _fill(self, content: QWidget, sentence: str) -> None:
        """Lay the page out, with a message at first."""
        self._pages.addWidget(content)
        self.say(sentence)

    @abstractmethod
    def set_figures(self, figures: F) -> None:
        """Show other figures."""

    def say(self, sentence: str) -> None:
        """Show a sentence instead of figures."""
        self._clear()
        self.set_message(sentence)
        self._show_content(on=False)
        self.setAccessibleDescription(sentence)

    @abstractmethod
    def _clear(self) -> None:
        """Empty the parts of the page."""


class Summarised(Protocol):
    """Figures of a comparison that are summed up in a line."""

    @property
    def exact(self) -> bool:
        """Whether there is no error at all."""

    @property
    def summary(self) -> str:
        """The most important figures in one line."""


C = TypeVar("C", bound=Summarised)


class ComparisonPage(FiguresPage[C]):
    """A page about the difference between the exact reconstruction and the original.

    Older figures stay, marked as such, until newer ones replace them.
    """

    EXACT = FINDING = ""  # messages without any error, and while this may be about to change

    def __init__(self) -> None:
        super().__init__()
        self._figures: C | None = None
        self._updating = False

    @property
    def figures(self) -> C | None:
        """The figures that are shown."""
        return self._figures

    def set_figures(self, figures: C) -> None:
        """Show the comparison of another reconstruction."""
        self._figures, self._updating = figures, False
        self._show(figures)
        self.set_message(self.EXACT)
        self._show_content(on=not figures.exact)
        self._describe("")

    def set_updating(self, updating: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Mark the figures as those of an earlier setting, or not."""
        if self._figures is not None and updating != self._updating:
            self._updating = updating
            self.set_message(self.FINDING if updating else self.EXACT)
            self._describe("")

    def say(self, sentence: str) -> None:
        """Show a sentence instead of figures."""
        self._figures, self._updating = None, False
        super().say(sentence)

    @abstractmethod
    def _show(self, figures: C) -> None:
        """Show figures in the parts of the page."""

    def _describe(self, words: str) -> None:
        """Show words in the line of figures, or the summary where there are none."""
        if self._figures is not None:
            summary = self._figures.summary + (" · updating…" if self._updating else "")
            self._readout.setText(words or summary)
            self.setAccessibleDescription(self.EXACT if self._figures.exact else summary)


class PinnablePage(FiguresPage[F]):
    """A page about the pixel or sample under the cursor, or about the one that is pinned."""

    targetChanged = Signal(int, int)  # noqa: N815
    """The x and y of the pixel that the page is to be about."""
    sampleChanged = Signal(object)  # noqa: N815
    """The :class:`~pcaimage.codec.Region` of the image that is shown now; None for none."""

    def __init__(self, what: str, about: str) -> None:
        super().__init__()
        self._region: Region | None = None
        self._pin = QCheckBox("Pin")
        self._pin.setToolTip(about)
        self._pin.setAccessibleName(f"Pin the {what}")

    @property
    def pinned(self) -> bool:
        """Whether the page stays at its place although the cursor moves on."""
        return self._pin.isChecked()

    def set_pinned(self, pinned: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Stay at the place that is shown, or follow the cursor again."""
        self._pin.setChecked(pinned)

    def set_target(self, x: int, y: int) -> None:
        """Follow the cursor to a pixel, unless the page is pinned."""
        if not self.pinned:
            self.targetChanged.emit(x, y)

    def pin_at(self, x: int, y: int) -> None:
        """Show the sample at a pixel, and stay there."""
        self.set_pinned(True)
        self.targetChanged.emit(x, y)

    def say(self, sentence: str) -> None:
        """Show a sentence instead of figures."""
        super().say(sentence)
        self._set_region(None)

    def _set_region(self, region: Region | None) -> None:
        if region != self._region:
            self._region = region
            self.sampleChanged.emit(region)


Page = TypeVar("Page", bound=FiguresPage[Any])


class FiguresFeed(Feed[Page, T]):
    """Supplies a page of figures about the open document."""

    def __init__(self, session: Session, page: Page) -> None:
        super().__init__(session, page)
        self._of: Document | None = None
        """The document for which the page was last cleared."""

    def _show(self, result: T) -> None:
        self._page.set_figures(result)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._page.say(sentence)


@dataclass(frozen=True, eq=False)
class Pair:
    """An image and its exact reconstruction, both of shape (H, W, C), and what they belong to."""

    state: SessionState
    document: Document
    fit: Fit
    original: NDArray[Any]
    reconstruction: NDArray[Any]


class ExactFeed(FiguresFeed[ComparisonPage[C], C]):
    """Compares the exact reconstruction with the original; older figures stay until there is one."""

    empty = waiting = no_original = ""
    """Messages without an image, without a reconstruction, and without an original."""

    def refresh(self) -> None:
        """Start the comparison of the present state, and mark older figures as such."""
        super().refresh()
        if self.active:
            want = self._want(self.session.state)
            self._page.set_updating(want is None or want.key != self._shown)

    def _want(self, state: SessionState) -> Want[C] | None:
        document, fit, settled = state.document, state.fit, state.current(state.settled)
        if document is None or document.image is None or fit is None or settled is None:
            return None
        original, reconstruction = document.image.pixels, settled.pixels
        if document.is_stack:
            original, reconstruction = original[state.frame], reconstruction[state.frame]
        pair = Pair(state, document, fit, original, reconstruction)
        return Want((fit, state.setting, state.frame), partial(self._compared, pair))

    @staticmethod
    @abstractmethod
    def _compared(pair: Pair, progress: Progress) -> C:
        """Compare an image with its reconstruction, on a worker thread."""

    def _forget(self, state: SessionState) -> None:
        document = state.document
        if document is None or document.image is None or document is not self._of:
            super()._forget(state)
            self._of = document
            self._clear()
        elif self._asked is not None:
            self.session.jobs.cancel(self.kind)
            self._asked = None

    def _clear(self) -> None:
        document = self.session.state.document
        if document is None:
            self._page.say(self.empty)
        else:
            self._page.say(self.waiting if document.image is not None else self.no_original)


class PointedFeed(FiguresFeed[PinnablePage[F], F]):
    """Analyses the sample at one pixel: the one under the cursor, or the pinned one."""

    finishes = True
    empty = waiting = ""  # messages without an image, and until results are possible

    def __init__(self, session: Session, page: PinnablePage[F]) -> None:
        super().__init__(session, page)
        self._target: tuple[int, int] | None = None
        page.targetChanged.connect(self._aim)

    def _aim(self, x: int, y: int) -> None:
        self._target = (x, y)
        self.refresh()

    def _place(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the target within an image of this width and height; its centre at first."""
        width, height = size
        x, y = self._target or (width // 2, height // 2)
        return min(max(x, 0), width - 1), min(max(y, 0), height - 1)

    def _forget(self, state: SessionState) -> None:
        if state.document is not self._of:
            self._of, self._target = state.document, None
            self._page.set_pinned(False)
        super()._forget(state)
        self._clear()

    def _clear(self) -> None:
        self._page.say(self.empty if self.session.state.document is None else self.waiting)


class AxesBoxes(QWidget):
    """Chooses the components whose scores are drawn across and up, counted from 1."""

    changed = Signal()  # other components are chosen

    def __init__(self) -> None:
        super().__init__()
        self.across, self.up = QSpinBox(), QSpinBox()
        for box, name in ((self.across, "across"), (self.up, "up")):
            box.setPrefix("c")  # as the axes are named
            box.setKeyboardTracking(False)
            box.setAccessibleName(f"Component {name}")
            box.setToolTip(f"The component whose scores are drawn {name}.")
            box.valueChanged.connect(lambda _: self.changed.emit())
        hbox(self.across, QLabel("×"), self.up, of=self, spacing=8)

    @property
    def chosen(self) -> tuple[int, int]:
        """The components that are chosen: across and up."""
        return self.across.value(), self.up.value()

    def set_components(self, count: int) -> None:
        """Offer other components, at first the first two; nothing is emitted."""
        for box, usual in ((self.across, 1), (self.up, 2)):
            with QSignalBlocker(box):
                box.setRange(1, max(count, 1))
                box.setValue(min(usual, max(count, 1)))

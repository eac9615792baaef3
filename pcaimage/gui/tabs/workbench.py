"""The tabs below the pictures: their registry, and the widget that makes and supplies their pages."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from pcaimage.gui.session.jobs import PICTURES
from pcaimage.gui.tabs.shared.tab import Images, Pinnable, Tab, TabContext, TabSpec

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QPaintEvent, QShowEvent

    from pcaimage import codec
    from pcaimage.gui.session.requests import Request
    from pcaimage.gui.session.session import Session
    from pcaimage.gui.session.state import SessionState


def _made_by(folder: str) -> Callable[[TabContext], Tab]:
    """Return a function that imports a tab's page and makes it: plots take as long to load as the window."""

    def make(context: TabContext) -> Tab:
        page: Any = import_module(f"pcaimage.gui.tabs.{folder}.page")
        made: Tab = page.make(context)
        return made

    return make


TABS = (
    TabSpec("spectrum", "Spectrum", _made_by("spectrum")),
    TabSpec("curve", "Size and quality", _made_by("curve")),
    TabSpec("components", "Components", _made_by("components"), early=True),
    TabSpec("error", "Error", _made_by("error")),
    TabSpec("block", "Block", _made_by("block")),
    TabSpec("table", "Table", _made_by("table"), early=True),
    TabSpec("scatter", "Scatter", _made_by("scatter"), Images.STACKS),
    TabSpec("montage", "Montage", _made_by("montage"), Images.STACKS),
    TabSpec("pixel", "Pixel", _made_by("pixel"), Images.BANDS),
    TabSpec("bands", "Bands", _made_by("bands"), Images.BANDS),
)

LONGEST = 3000
"""Milliseconds after which the tab that is seen is made even if the first image is not shown yet."""

_FIRST = frozenset({"open", "fit", *PICTURES})
"""The kinds of jobs that the first image needs."""
_NARROWEST, _LOWEST = 360, 150

F = TypeVar("F")


class Workbench(QTabWidget):
    """Makes a tab's page when it is first seen, and supplies it while it is seen.

    Making all pages would take longer than all the rest of the window. The first one is made when the window
    has been painted without it, and the image that it was opened with, if any.
    """

    sampleChanged = Signal(object)  # noqa: N815
    """The :class:`~pcaimage.codec.Region` that the tab is about, to be marked in the pictures, or None."""
    overlayReady = Signal(object, str)  # noqa: N815
    """An :class:`~pcaimage.insight.components.Overlay` to lay over the image and its caption, or None."""

    def __init__(
        self, session: Session, request: Callable[[Request], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = TabContext(session, request, self)
        self._tabs: dict[str, Tab] = {}
        self._marked: dict[QWidget, codec.Region | None] = {}
        self._ready = False
        self._patience = QTimer(self, singleShot=True, interval=LONGEST)
        self._patience.timeout.connect(self._begin)
        session.jobs.finished.connect(self._begin_if_idle)
        for spec in TABS:
            placeholder = QWidget()
            placeholder.setObjectName(spec.name)
            self.addTab(placeholder, spec.title)
        self.setDocumentMode(True)
        self.setAccessibleName("Plots and figures")
        self.show_state(session.state)
        self._context.sampleMarked.connect(self._mark)
        self._context.overlayReady.connect(self.overlayReady)
        self.currentChanged.connect(self._begin)
        for spec in TABS:
            if spec.early:
                self.tab(spec.name)

    def tab(self, name: str) -> Tab:
        """Return a tab by its name, made if it was not seen yet."""
        if name not in self._tabs:
            spec = next(spec for spec in TABS if spec.name == name)
            self._tabs[name] = made = spec.make(self._context)
            self._insert(TABS.index(spec), made)
        return self._tabs[name]

    def feed(self, kind: type[F]) -> F | None:
        """Return the feed of a type; None if its tab was never seen."""
        feeds = (feed for tab in self._tabs.values() for feed in tab.feeds)
        return next((feed for feed in feeds if isinstance(feed, kind)), None)

    def page(self, name: str) -> QWidget:
        """Return a tab's page by the tab's name."""
        return self.tab(name).page

    @property
    def plot(self) -> QWidget | None:
        """The page that is seen, if it has a plot that can be exported."""
        page = self.currentWidget()
        return page if hasattr(page, "plot_widget") else None

    def show_state(self, state: SessionState) -> None:
        """Show the tabs that suit the image."""
        document = state.document
        suits = {
            Images.ALL: True,
            Images.STACKS: document is not None and document.is_stack,
            Images.BANDS: document is not None and document.many_bands,
        }
        for number, spec in enumerate(TABS):
            if self.isTabVisible(number) != suits[spec.images]:
                self.setTabVisible(number, suits[spec.images])

    def point_at(self, x: int, y: int) -> None:
        """Follow the cursor to a pixel of the image."""
        page = self.currentWidget()
        if isinstance(page, Pinnable):
            page.set_target(x, y)

    def pin_at(self, x: int, y: int) -> None:
        """Stay at a pixel of the image that was clicked."""
        page = self.currentWidget()
        if isinstance(page, Pinnable):
            page.pin_at(x, y)

    def minimumSizeHint(self) -> QSize:
        """Return the smallest useful size; plots and tables ask for more than they need."""
        return QSize(_NARROWEST, _LOWEST)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar of tabs; behind the first frame, make the tab that is seen once there is time."""
        super().paintEvent(event)
        if not self._ready and not self._patience.isActive():
            self._patience.start()
            QTimer.singleShot(0, self, self._begin_if_idle)

    def showEvent(self, event: QShowEvent) -> None:
        """Supply the tab that is seen."""
        super().showEvent(event)
        self._supply()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop supplying."""
        super().hideEvent(event)
        self._supply()

    def _begin_if_idle(self) -> None:
        """Make the tab that is seen unless an image is on its way to the screen."""
        jobs = self._context.session.jobs
        if self._patience.isActive() and not any(jobs.busy(kind) for kind in _FIRST):
            QTimer.singleShot(0, self, self._begin)  # after the paint event, which is already queued

    def _begin(self) -> None:
        """Make and supply tabs from now on."""
        if not self._ready and self.isVisible():
            self._ready = True
            self._patience.stop()
        self._supply()

    def _insert(self, number: int, tab: Tab) -> None:
        """Put a page in the place of its placeholder."""
        seen, placeholder = self.currentIndex(), self.widget(number)
        title, visible = self.tabText(number), self.isTabVisible(number)
        with QSignalBlocker(self):
            self.removeTab(number)
            self.insertTab(number, tab.page, title)
            self.setTabVisible(number, visible)
            self.setCurrentIndex(seen)
        if placeholder is not None:
            placeholder.deleteLater()
        if self.window() is not self:
            self._follow_tabs(tab.page)
        for before, after in pairwise(tab.focus_order):
            self.setTabOrder(before, after)
        if number == seen:
            self._supply()

    def _supply(self) -> None:
        """Supply the tab that is seen, and no other, and mark the sample that it is about."""
        seen = self.currentWidget() if self.isVisible() and self._ready else None
        name = TABS[self.currentIndex()].name
        if seen is not None and name not in self._tabs:
            self.tab(name)  # comes back here
            return
        for made in self._tabs.values():
            for feed in made.feeds:
                if feed.active != (made.page is seen):
                    feed.set_active(made.page is seen)
        self.sampleChanged.emit(None if seen is None else self._marked.get(seen))

    def _mark(self, page: QWidget, sample: codec.Region | None) -> None:
        self._marked[page] = sample
        if self.currentWidget() is page:
            self.sampleChanged.emit(sample)

    def _follow_tabs(self, page: QWidget) -> None:
        """Have the Tab key reach a page after the tab bar, and not after all widgets made before it."""
        before: QWidget = self.tabBar()
        # Not by the chain itself: PySide never lets go of a window that it found there.
        for part in page.findChildren(QWidget):
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.window() is self.window():
                self.setTabOrder(before, part)
                before = part

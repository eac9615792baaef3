"""The tabs below the pictures: their registry, and the widget that makes and supplies their pages."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from pcaimage.gui.tabs.bands import page as bands
from pcaimage.gui.tabs.block import page as block
from pcaimage.gui.tabs.components import page as components
from pcaimage.gui.tabs.curve import page as curve
from pcaimage.gui.tabs.error import page as error
from pcaimage.gui.tabs.montage import page as montage
from pcaimage.gui.tabs.pixel import page as pixel
from pcaimage.gui.tabs.scatter import page as scatter
from pcaimage.gui.tabs.shared.tab import Images, Pinnable, Tab, TabContext, TabSpec
from pcaimage.gui.tabs.spectrum import page as spectrum
from pcaimage.gui.tabs.table import page as table

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from pcaimage import codec
    from pcaimage.gui.session.requests import Request
    from pcaimage.gui.session.session import Session
    from pcaimage.gui.session.state import SessionState

TABS = (
    TabSpec("spectrum", "Spectrum", spectrum.make),
    TabSpec("curve", "Size and quality", curve.make),
    TabSpec("components", "Components", components.make, early=True),
    TabSpec("error", "Error", error.make),
    TabSpec("block", "Block", block.make),
    TabSpec("table", "Table", table.make, early=True),
    TabSpec("scatter", "Scatter", scatter.make, Images.STACKS),
    TabSpec("montage", "Montage", montage.make, Images.STACKS),
    TabSpec("pixel", "Pixel", pixel.make, Images.BANDS),
    TabSpec("bands", "Bands", bands.make, Images.BANDS),
)

_NARROWEST, _LOWEST = 360, 150

F = TypeVar("F")


class Workbench(QTabWidget):
    """Makes a tab's page when it is first seen, and supplies it while it is seen.

    Making all pages would take longer than all the rest of the window.
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
        for spec in TABS:
            placeholder = QWidget()
            placeholder.setObjectName(spec.name)
            self.addTab(placeholder, spec.title)
        self.setDocumentMode(True)
        self.setAccessibleName("Plots and figures")
        self.show_state(session.state)
        self._context.sampleMarked.connect(self._mark)
        self._context.overlayReady.connect(self.overlayReady)
        self.currentChanged.connect(self._supply)
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

    def showEvent(self, event: QShowEvent) -> None:
        """Supply the tab that is seen."""
        super().showEvent(event)
        self._supply()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop supplying."""
        super().hideEvent(event)
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
        seen = self.currentWidget() if self.isVisible() else None
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

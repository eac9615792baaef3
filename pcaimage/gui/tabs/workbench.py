"""The tabs below the pictures: their registry, and the widget that makes and supplies their pages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from time import perf_counter
from typing import TypeVar

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QTabWidget, QWidget

from pcaimage import codec
from pcaimage.gui.session.jobs import PICTURES
from pcaimage.gui.session.requests import Request
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.pages import PinnablePage
from pcaimage.gui.tabs.shared.tab import Images, Tab, TabContext, TabSpec


def _parts() -> Iterator[None]:
    """Load what pages need, part by part: but for the plots' library itself, each takes some milliseconds.

    All of it on the window's thread: PySide keeps types, also those of subclasses, in tables without a lock,
    and Qt's own code looks there. Made by another thread they ended the process now and then.
    """
    for module in (QtCore, QtGui, QtWidgets):  # the plots' library asks for all their names
        for name in dir(module):
            getattr(module, name, None)
            yield
    for name in (*_NEEDED_BY_PLOTS, "pyqtgraph", *(f"pcaimage.gui.tabs.{spec.name}" for spec in TABS)):
        with suppress(ImportError):  # whoever needs it says so
            import_module(name)
        yield


TABS = (
    TabSpec("spectrum", "Spectrum"),
    TabSpec("curve", "Size and quality"),
    TabSpec("components", "Components", early=True),
    TabSpec("error", "Error"),
    TabSpec("block", "Block"),
    TabSpec("table", "Table", early=True),
    TabSpec("scatter", "Scatter", Images.STACKS),
    TabSpec("montage", "Montage", Images.STACKS),
    TabSpec("pixel", "Pixel", Images.BANDS),
    TabSpec("bands", "Bands", Images.BANDS),
)

NUMBERS = {spec.name: number for number, spec in enumerate(TABS)}
"""The places of the tabs by name, counted from 0."""

_NEEDED_BY_PLOTS = (
    *("PySide6.QtOpenGLWidgets", "PySide6.QtSvg", "PySide6.QtTest"),
    *("cProfile", "multiprocessing.connection", "pydoc", "xml.etree.ElementTree"),
)
_TURN = 0.004  # seconds of a turn of the event loop in which parts are loaded
_FIRST = frozenset({"open", "fit", *PICTURES})  # the kinds of jobs that the first image needs
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
    pageMade = Signal()  # noqa: N815
    """A page has taken the place of its placeholder, which says nothing of :attr:`plot`."""

    def __init__(self, session: Session, request: Callable[[Request], None]) -> None:
        super().__init__()
        self._context = TabContext(session, request, self)
        self._tabs: dict[str, Tab] = {}
        self._marked: dict[object, codec.Region | None] = {}
        self._suiting: set[str] = set()
        self._offered = set(NUMBERS)
        self._ready = self._painted = False
        session.jobs.finished.connect(self._prepare_if_idle)
        self._parts = _parts()
        self._loading = QTimer(self, interval=0)
        self._loading.timeout.connect(self._load)
        for spec in TABS:
            placeholder = QWidget()
            placeholder.setObjectName(spec.name)
            self.addTab(placeholder, spec.title)
        self.setDocumentMode(True)
        self.setAccessibleName("Plots and figures")
        self.show_state(session.state)
        session.afterwards.watch("document").connect(self.show_state)
        self._context.sampleMarked.connect(self._mark)
        self._context.overlayReady.connect(self.overlayReady)
        self.currentChanged.connect(self._begin)
        for spec in TABS:
            if spec.early:
                self.tab(spec.name)

    def tab(self, name: str) -> Tab:
        """Return a tab by its name, made if it was not seen yet."""
        made = self._made(name)
        if self.widget(NUMBERS[name]) is not made.page:
            self._insert(NUMBERS[name], made)
            self.pageMade.emit()
        return made

    def _made(self, name: str) -> Tab:
        if name not in self._tabs:
            self._tabs[name] = import_module(f"pcaimage.gui.tabs.{name}").make(self._context)
        return self._tabs[name]

    def feed(self, kind: type[F]) -> F | None:
        """Return the feed of a type; None if its tab was never seen."""
        return next((one for tab in self._tabs.values() for one in tab.feeds if isinstance(one, kind)), None)

    def suits(self, name: str) -> bool:
        """Return whether a tab is about images such as the one that is open."""
        return name in self._suiting

    @property
    def current(self) -> str:
        """The name of the tab that is chosen."""
        return TABS[self.currentIndex()].name

    @property
    def plot(self) -> QWidget | None:
        """The page of the tab that is chosen, if it has a plot that can be exported."""
        page = self.currentWidget()
        return page if getattr(page, "plot_widget", None) is not None else None

    def show_state(self, state: SessionState) -> None:
        """Show the tabs that suit the image."""
        document = state.document
        suits = {
            Images.ALL: True,
            Images.STACKS: document is not None and document.is_stack,
            Images.BANDS: document is not None and document.many_bands,
        }
        self._suiting = {spec.name for spec in TABS if suits[spec.images]}
        self._show_tabs()

    def offer(self, names: Collection[str]) -> None:
        """Show the tabs of these names where they suit the image, and no others."""
        self._offered = set(names)
        self._show_tabs()

    def show_tab(self, name: str) -> None:
        """Go to a tab that suits the image, also to one that is not offered."""
        self._offered.add(name)
        self._show_tabs()
        self.setCurrentIndex(NUMBERS[name])

    def _show_tabs(self) -> None:
        shown = self._suiting & self._offered
        if self.current not in shown and shown:
            self.setCurrentIndex(min(NUMBERS[name] for name in shown))
        for number, spec in enumerate(TABS):
            if self.isTabVisible(number) != (spec.name in shown):
                self.setTabVisible(number, spec.name in shown)

    def point_at(self, x: int, y: int) -> None:
        """Follow the cursor to a pixel of the image."""
        page = self._seen()
        if isinstance(page, PinnablePage):
            page.set_target(x, y)

    def pin_at(self, x: int, y: int) -> None:
        """Stay at a pixel of the image that was clicked."""
        page = self._seen()
        if isinstance(page, PinnablePage):
            page.pin_at(x, y)

    def outline(self, corners: list[tuple[float, float]]) -> None:
        """Choose the pixels inside a polygon that is drawn upon an image of many bands."""
        if self.suits("pixel"):
            self.show_tab("pixel")
            self.tab("pixel").page.outline(corners)  # type: ignore[attr-defined]  # pages are loaded late

    def minimumSizeHint(self) -> QSize:
        """Return the smallest useful size; plots and tables ask for more than they need."""
        return QSize(_NARROWEST, _LOWEST)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar of tabs; behind the first frame, make the tab that is seen once there is time."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self._loading.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Supply the tab that is seen."""
        super().showEvent(event)
        self._supply()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop supplying."""
        super().hideEvent(event)
        self._supply()

    def _load(self) -> None:
        """Load some parts; after the last one, make the page that is seen."""
        end = perf_counter() + _TURN
        while self._loading.isActive() and perf_counter() < end:
            if next(self._parts, self) is self:
                self._loading.stop()
                self._prepare_if_idle()

    def _prepare_if_idle(self) -> None:
        """Make the page that is seen unless an image is on its way to the screen; show it in another turn."""
        jobs = self._context.session.jobs
        waiting = any(jobs.busy(kind) for kind in _FIRST)
        if self._painted and not waiting and not self._loading.isActive():
            jobs.finished.disconnect(self._prepare_if_idle)
            self._made(self.current)
            QTimer.singleShot(0, self, self._begin)

    def _begin(self) -> None:
        """Make and supply tabs from now on."""
        self._ready = self._ready or self.isVisible()
        self._supply()

    def _insert(self, number: int, tab: Tab) -> None:
        """Put a page in the place of its placeholder."""
        seen, before = self.currentIndex(), self.widget(number)
        visible = self.isTabVisible(number)
        with QSignalBlocker(self):
            self.removeTab(number)
            self.insertTab(number, tab.page, TABS[number].title)
            self.setTabVisible(number, visible)
            self.setCurrentIndex(seen)
        if before is not None:
            before.deleteLater()
        if self.window() is not self:
            self._follow_tabs(tab.page)
        for earlier, later in pairwise(tab.focus_order):
            self.setTabOrder(earlier, later)
        if number == seen:
            self._supply()

    def _seen(self) -> object:
        """Return the page that is seen, or None."""
        return self.currentWidget() if self.isVisible() and self._ready else None

    def _supply(self) -> None:
        """Supply the page that is seen, and no others, and mark the sample that it is about."""
        seen = self._seen()
        if seen is not None and seen is not self.tab(self.current).page:
            return  # the page came here when it was made
        for made in self._tabs.values():
            for feed in made.feeds:
                if feed.active != (made.page is seen):
                    feed.set_active(made.page is seen)
        self.sampleChanged.emit(self._marked.get(seen))

    def _mark(self, page: QWidget, sample: codec.Region | None) -> None:
        self._marked[page] = sample
        if page is self._seen():
            self.sampleChanged.emit(sample)

    def _follow_tabs(self, page: QWidget) -> None:
        """Have the Tab key reach a page after the tab bar, and not after all widgets made before it."""
        before: QWidget = self.tabBar()
        # Not through the chain itself: PySide keeps alive any window that it finds there.
        for part in page.findChildren(QWidget):
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.window() is self.window():
                self.setTabOrder(before, part)
                before = part

"""The tabs below the pictures, and what supplies them."""

from __future__ import annotations

from dataclasses import astuple
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from pcaimage.gui.bands.look import Look
from pcaimage.gui.bands.pixel_feed import PixelFeed
from pcaimage.gui.bands.pixel_view import PixelView
from pcaimage.gui.bands.quality_feed import QualityFeed
from pcaimage.gui.bands.quality_view import QualityView
from pcaimage.gui.compare.geometry import Region
from pcaimage.gui.tabs.block import BlockInspector
from pcaimage.gui.tabs.block_feed import BlockFeed
from pcaimage.gui.tabs.curve import CurvePlot
from pcaimage.gui.tabs.curve_feed import CurveFeed
from pcaimage.gui.tabs.curve_rivals_feed import RivalsFeed
from pcaimage.gui.tabs.error import ErrorView
from pcaimage.gui.tabs.error_feed import ErrorFeed
from pcaimage.gui.tabs.gallery import ComponentGallery
from pcaimage.gui.tabs.gallery_feed import GalleryFeed, OverlayFeed
from pcaimage.gui.tabs.montage import Montage
from pcaimage.gui.tabs.montage_feed import MontageErrorsFeed, MontageFeed
from pcaimage.gui.tabs.scatter import ScatterView
from pcaimage.gui.tabs.scatter_feed import PointedFeed, ScatterFeed, ThumbnailsFeed
from pcaimage.gui.tabs.spectrum import SpectrumPlot
from pcaimage.gui.tabs.stack_tools import Toolbox
from pcaimage.gui.tabs.table import ComponentTable
from pcaimage.gui.tabs.table_feed import TableFeed
from pcaimage.insight.components import ColourAxes

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from pcaimage import codec
    from pcaimage.gui.session.session import Session
    from pcaimage.gui.session.state import SessionState
    from pcaimage.gui.tabs.feed import Feed

TABS = {
    "spectrum": "Spectrum",
    "curve": "Size and quality",
    "gallery": "Components",
    "error": "Error",
    "block": "Block",
    "table": "Table",
    "scatter": "Scatter",
    "montage": "Montage",
    "pixel": "Pixel",
    "bands": "Bands",
}
"""The attributes of the tabs and their titles."""
OF_STACKS, OF_BANDS = ("scatter", "montage"), ("pixel", "bands")

_NARROWEST, _LOWEST = 360, 150


class Workbench(QTabWidget):
    """Spectrum, size and quality, components, error, block and table of what is open.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    parent : QWidget, optional
        The parent widget.
    """

    placeRequested = Signal(int, int)  # noqa: N815
    """A pixel of the image that the user wants to see."""
    regionRequested = Signal(object)  # noqa: N815
    """A :class:`Region` of the image that the user wants to see."""
    sampleChanged = Signal(object)  # noqa: N815
    """The :class:`Region` of the block that is taken apart, or None."""
    overlayReady = Signal(object, str)  # noqa: N815
    """An :class:`.Overlay` to lay over the image and what it is, or None and nothing."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._feeds: dict[QWidget, tuple[Feed, ...]] = {}
        self._toolbox = Toolbox()
        self.setDocumentMode(True)
        self.setAccessibleName("Plots and figures")
        for name, title in TABS.items():
            place = QWidget()
            place.setObjectName(name)
            self.addTab(place, title)
        self._show_tabs(stack=False, bands=False)
        self.currentChanged.connect(self._supply)

    @cached_property
    def spectrum(self) -> SpectrumPlot:
        """The spectrum of eigenvalues."""
        page = SpectrumPlot()
        page.componentsRequested.connect(lambda k: self._session.set_components(k, final=False))
        self._furnish("spectrum", page)
        self._show_spectrum(self._session.state)
        return page

    @cached_property
    def curve(self) -> CurvePlot:
        """Size and quality."""
        page = CurvePlot()
        page.componentsRequested.connect(lambda k: self._session.set_components(k, final=False))
        self._furnish(
            "curve", page, CurveFeed(self._session, page, self), RivalsFeed(self._session, page, self)
        )
        return page

    @cached_property
    def gallery(self) -> ComponentGallery:
        """The components as pictures."""
        page, overlay = ComponentGallery(), OverlayFeed(self._session, self)
        page.leftOutRequested.connect(lambda number, out: self._session.leave_out(number, out=out))
        page.onlyRequested.connect(self._keep_only)
        page.allRequested.connect(lambda: self._session.leave_out_only(frozenset()))
        page.hovered.connect(overlay.set_component)
        overlay.overlayReady.connect(self.overlayReady)
        self._furnish("gallery", page, GalleryFeed(self._session, page))
        # The Tab key enters by the gallery's focus proxy, and would pass over what stands before it.
        self.setTabOrder(page.view, page.all_button)
        return page

    @cached_property
    def error(self) -> ErrorView:
        """Where the error is."""
        page = ErrorView()
        page.placeRequested.connect(self.placeRequested)
        page.regionRequested.connect(lambda region: self.regionRequested.emit(Region(*astuple(region))))
        self._furnish("error", page, ErrorFeed(self._session, page, self))
        return page

    @cached_property
    def block(self) -> BlockInspector:
        """A block, component by component."""
        page = BlockInspector()
        page.sampleChanged.connect(partial(self._mark, page))
        self._furnish("block", page, BlockFeed(self._session, page, self))
        return page

    @cached_property
    def table(self) -> ComponentTable:
        """The figures of all components."""
        page = ComponentTable()
        self._furnish("table", page, TableFeed(self._session, page))
        return page

    @cached_property
    def scatter(self) -> ScatterView:
        """The images of a stack by two of their scores."""
        page = ScatterView()
        page.frameRequested.connect(self._session.set_frame)
        feeds = (ScatterFeed, ThumbnailsFeed, PointedFeed)
        self._furnish("scatter", page, *(feed(self._session, page, self._toolbox) for feed in feeds))
        return page

    @cached_property
    def montage(self) -> Montage:
        """The images of a stack and their reconstructions."""
        page = Montage()
        page.frameRequested.connect(self._session.set_frame)
        feeds = (MontageErrorsFeed, MontageFeed)
        self._furnish("montage", page, *(feed(self._session, page, self._toolbox) for feed in feeds))
        return page

    @cached_property
    def pixel(self) -> PixelView:
        """All bands of a pixel."""
        page = PixelView()
        page.sampleChanged.connect(partial(self._mark, page))
        self._furnish("pixel", page, PixelFeed(self._session, page, self))
        return page

    @cached_property
    def bands(self) -> QualityView:
        """The quality of each band."""
        page = QualityView()
        page.bandRequested.connect(self._show_band)
        self._furnish("bands", page, QualityFeed(self._session, page, self))
        return page

    def _furnish(self, name: str, page: QWidget, *feeds: Feed) -> None:
        """Put a page where there was none until it was asked for: all would take longer than the window itself."""
        number = list(TABS).index(name)
        seen, visible, text = self.currentIndex(), self.isTabVisible(number), self.tabText(number)
        place = self.widget(number)
        with QSignalBlocker(self):
            self.removeTab(number)
            self.insertTab(number, page, text)
            self.setTabVisible(number, visible)
            self.setCurrentIndex(seen)
        place.deleteLater()
        self._feeds[page] = feeds
        if isinstance(page, (SpectrumPlot, CurvePlot, ComponentGallery, ComponentTable)):
            page.componentsCommitted.connect(lambda k: self._session.set_components(k, final=True))
        self._let_follow(page)
        if number == seen:
            self._supply()

    def _let_follow(self, page: QWidget) -> None:
        """Have the Tab key come to a page after the tabs, and not after all that was there before it."""
        before, each = cast("QWidget", self.tabBar()), page.nextInFocusChain()
        parts = []
        while page.isAncestorOf(each):
            parts.append(each)
            each = each.nextInFocusChain()
        for part in parts:
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus:
                self.setTabOrder(before, part)
                before = part

    def _show_tabs(self, *, stack: bool, bands: bool) -> None:
        """Show the tabs that make sense."""
        for number, name in enumerate(TABS):
            if name in OF_STACKS or name in OF_BANDS:
                self.setTabVisible(number, stack if name in OF_STACKS else bands)

    def _mark(self, page: QWidget, sample: codec.Region | None) -> None:
        seen = sample is not None and self.currentWidget() is page
        self.sampleChanged.emit(Region(*astuple(sample)) if sample is not None and seen else None)

    def _show_band(self, band: int) -> None:
        state = self._session.state
        look = state.look or (None if state.document is None else state.document.look)
        if look is not None:
            self._session.show_bands(Look("own", (band, band, band), look.percentiles))

    def _keep_only(self, number: int) -> None:
        count = 0 if self._session.state.fit is None else self._session.state.fit.n_components
        self._session.leave_out_only(frozenset(range(1, count + 1)) - {number})

    def show_state(self, state: SessionState, before: SessionState) -> None:
        """Show what a state says of the components.

        Parameters
        ----------
        state, before : SessionState
            The state, and the one that is shown.
        """
        if state.document is not before.document:
            document = state.document
            self._show_tabs(
                stack=document is not None and document.is_stack,
                bands=document is not None and document.many_bands,
            )
        if state.fit is not before.fit:
            self._show_spectrum(state)
        elif state.setting is not before.setting:
            self._show_kept(state)

    def _show_spectrum(self, state: SessionState) -> None:
        fit = state.fit
        if fit is None or not fit.whole:
            self.spectrum.set_spectrum([], 0)
        else:
            axes = ColourAxes.of(fit.preview.header, len(fit.variances))
            groups, names = (None, ()) if axes is None else (axes.groups, axes.names)
            self.spectrum.set_spectrum(fit.variances, fit.n_components, groups, names)
        self._show_kept(state)

    def _show_kept(self, state: SessionState) -> None:
        if state.setting.k and state.fit is not None:
            self.spectrum.set_k(state.setting.k)
            self.spectrum.set_left_out(state.setting.left_out)

    def point_at(self, x: int, y: int) -> None:
        """Follow the cursor.

        Parameters
        ----------
        x, y : int
            The pixel under it.
        """
        page = self.currentWidget()
        if isinstance(page, (BlockInspector, PixelView)):
            page.set_target(x, y)

    def pin_at(self, x: int, y: int) -> None:
        """Keep to a pixel that was clicked, where a tab shows one.

        Parameters
        ----------
        x, y : int
            The pixel.
        """
        page = self.currentWidget()
        if isinstance(page, (BlockInspector, PixelView)):
            page.pin_at(x, y)

    @property
    def plot(self) -> QWidget | None:
        """What can be exported of the tab that is seen."""
        page = self.currentWidget()
        return page if hasattr(page, "plot_widget") else None

    def minimumSizeHint(self) -> QSize:
        """Return the least that is of use; plots and tables can be narrower than they wish to be."""
        return QSize(_NARROWEST, _LOWEST)

    def showEvent(self, event: QShowEvent) -> None:
        """Supply the tab that is seen."""
        super().showEvent(event)
        self._supply()

    def hideEvent(self, event: QHideEvent) -> None:
        """Supply nothing that is not seen."""
        super().hideEvent(event)
        self._supply()

    def _supply(self) -> None:
        if not self.isVisible():
            seen = None
        elif name := self.currentWidget().objectName():  # a place without its page
            getattr(self, name)
            return
        else:
            seen = self.currentWidget()
        for page, feeds in self._feeds.items():
            for feed in feeds:
                if feed.active != (page is seen):
                    feed.set_active(page is seen)
        if isinstance(seen, PixelView) and seen.region is not None:
            self.sampleChanged.emit(Region(*astuple(seen.region)))
        elif not isinstance(seen, BlockInspector):
            self.sampleChanged.emit(None)

"""The tabs below the pictures, and what supplies them."""

from __future__ import annotations

from dataclasses import astuple
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QWidget

from pcaimage.gui.screen.geometry import Region
from pcaimage.gui.session.look import Look
from pcaimage.gui.tabs.bands.feed import QualityFeed
from pcaimage.gui.tabs.bands.page import QualityView
from pcaimage.gui.tabs.block.feed import BlockFeed
from pcaimage.gui.tabs.block.page import BlockInspector
from pcaimage.gui.tabs.components.feed import GalleryFeed, OverlayFeed
from pcaimage.gui.tabs.components.page import ComponentGallery
from pcaimage.gui.tabs.curve.feed import CurveFeed
from pcaimage.gui.tabs.curve.page import CurvePlot
from pcaimage.gui.tabs.curve.rivals_feed import RivalsFeed
from pcaimage.gui.tabs.error.feed import ErrorFeed
from pcaimage.gui.tabs.error.page import ErrorView
from pcaimage.gui.tabs.montage.feed import MontageErrorsFeed, MontageFeed
from pcaimage.gui.tabs.montage.page import Montage
from pcaimage.gui.tabs.pixel.feed import PixelFeed
from pcaimage.gui.tabs.pixel.page import PixelView
from pcaimage.gui.tabs.scatter.feed import PointedFeed, ScatterFeed, ThumbnailsFeed
from pcaimage.gui.tabs.scatter.page import ScatterView
from pcaimage.gui.tabs.shared.lazy_tabs import LazyTabs
from pcaimage.gui.tabs.shared.stack import Toolbox
from pcaimage.gui.tabs.spectrum.page import SpectrumPlot
from pcaimage.gui.tabs.table.feed import TableFeed
from pcaimage.gui.tabs.table.page import ComponentTable
from pcaimage.insight.components import ColourAxes

if TYPE_CHECKING:
    from pcaimage import codec
    from pcaimage.gui.session.session import Session
    from pcaimage.gui.session.state import SessionState
    from pcaimage.insight.curve import Curve
    from pcaimage.insight.references import Reference

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
EARLY = ("gallery", "table")
"""They hand the keys on, and Qt cannot change the order of the Tab key for such; they cost little, too."""
OF_STACKS, OF_BANDS = ("scatter", "montage"), ("pixel", "bands")

_NARROWEST, _LOWEST = 360, 150


class Workbench(LazyTabs):
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
    tableExportRequested = Signal()  # noqa: N815
    """The user wants the table as a file."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(TABS, parent)
        self._session, self._toolbox = session, Toolbox()
        self._curves: tuple[CurveFeed, RivalsFeed] | None = None
        self.setDocumentMode(True)
        self.setAccessibleName("Plots and figures")
        self._show_tabs(stack=False, bands=False)
        for name in EARLY:
            getattr(self, name)

    @cached_property
    def spectrum(self) -> SpectrumPlot:
        """The spectrum of eigenvalues."""
        page = SpectrumPlot()
        page.componentsRequested.connect(lambda k: self._session.set_components(k, final=False))
        page.componentsCommitted.connect(self._keep)
        self.furnish("spectrum", page)
        self._show_spectrum(page, self._session.state)
        return page

    @cached_property
    def curve(self) -> CurvePlot:
        """Size and quality."""
        page = CurvePlot()
        page.componentsRequested.connect(lambda k: self._session.set_components(k, final=False))
        page.componentsCommitted.connect(self._keep)
        self._curves = CurveFeed(self._session, page, self), RivalsFeed(self._session, page, self)
        self.furnish("curve", page, *self._curves)
        return page

    @cached_property
    def gallery(self) -> ComponentGallery:
        """The components as pictures."""
        page, overlay = ComponentGallery(), OverlayFeed(self._session, self)
        page.componentsCommitted.connect(self._keep)
        page.leftOutRequested.connect(lambda number, out: self._session.leave_out(number, out=out))
        page.onlyRequested.connect(self._keep_only)
        page.allRequested.connect(lambda: self._session.leave_out_only(frozenset()))
        page.hovered.connect(overlay.set_component)
        overlay.overlayReady.connect(self.overlayReady)
        self.furnish("gallery", page, GalleryFeed(self._session, page))
        # The Tab key enters by the gallery's focus proxy, and would pass over what stands before it.
        self.setTabOrder(page.view, page.all_button)
        return page

    @cached_property
    def error(self) -> ErrorView:
        """Where the error is."""
        page = ErrorView()
        page.placeRequested.connect(self.placeRequested)
        page.regionRequested.connect(lambda region: self.regionRequested.emit(Region(*astuple(region))))
        self.furnish("error", page, ErrorFeed(self._session, page, self))
        return page

    @cached_property
    def block(self) -> BlockInspector:
        """A block, component by component."""
        page = BlockInspector()
        page.sampleChanged.connect(partial(self._mark, page))
        self.furnish("block", page, BlockFeed(self._session, page, self))
        return page

    @cached_property
    def table(self) -> ComponentTable:
        """The figures of all components."""
        page = ComponentTable()
        page.componentsCommitted.connect(self._keep)
        page.exportRequested.connect(self.tableExportRequested)
        self.furnish("table", page, TableFeed(self._session, page))
        return page

    @cached_property
    def scatter(self) -> ScatterView:
        """The images of a stack by two of their scores."""
        page = ScatterView()
        page.frameRequested.connect(self._session.set_frame)
        feeds = (ScatterFeed, ThumbnailsFeed, PointedFeed)
        self.furnish("scatter", page, *(feed(self._session, page, self._toolbox) for feed in feeds))
        return page

    @cached_property
    def montage(self) -> Montage:
        """The images of a stack and their reconstructions."""
        page = Montage()
        page.frameRequested.connect(self._session.set_frame)
        feeds = (MontageErrorsFeed, MontageFeed)
        self.furnish("montage", page, *(feed(self._session, page, self._toolbox) for feed in feeds))
        return page

    @cached_property
    def pixel(self) -> PixelView:
        """All bands of a pixel."""
        page = PixelView()
        page.sampleChanged.connect(partial(self._mark, page))
        self.furnish("pixel", page, PixelFeed(self._session, page, self))
        return page

    @cached_property
    def bands(self) -> QualityView:
        """The quality of each band."""
        page = QualityView()
        page.bandRequested.connect(self._show_band)
        self.furnish("bands", page, QualityFeed(self._session, page, self))
        return page

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

    def _keep(self, k: int) -> None:
        self._session.set_components(k, final=True)

    def _keep_only(self, number: int) -> None:
        count = 0 if self._session.state.fit is None else self._session.state.fit.n_components
        self._session.leave_out_only(frozenset(range(1, count + 1)) - {number})

    @property
    def known_curves(self) -> tuple[Curve | None, tuple[Reference, ...]]:
        """What was found of size and quality: of this image's files, and of other codecs'."""
        return (None, ()) if self._curves is None else (self._curves[0].known, self._curves[1].known)

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
            self._show_spectrum(self.spectrum, state)
        elif state.setting is not before.setting:
            self._show_kept(self.spectrum, state)

    def _show_spectrum(self, plot: SpectrumPlot, state: SessionState) -> None:
        fit = state.fit
        if fit is None or not fit.whole:
            plot.set_spectrum([], 0)
        else:
            axes = ColourAxes.of(fit.preview.header, len(fit.variances))
            groups, names = (None, ()) if axes is None else (axes.groups, axes.names)
            plot.set_spectrum(
                fit.variances, fit.n_components, groups, names, fit.scale, total=fit.total_variance
            )
        self._show_kept(plot, state)

    def _show_kept(self, plot: SpectrumPlot, state: SessionState) -> None:
        if state.setting.k and state.fit is not None:
            plot.set_k(state.setting.k)
            plot.set_left_out(state.setting.left_out)

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

    def supply(self) -> None:
        """Supply the tab that is seen, and mark the block that it is about."""
        super().supply()
        seen = self.currentWidget() if self.isVisible() else None
        if isinstance(seen, PixelView) and seen.region is not None:
            self.sampleChanged.emit(Region(*astuple(seen.region)))
        elif not isinstance(seen, BlockInspector):
            self.sampleChanged.emit(None)

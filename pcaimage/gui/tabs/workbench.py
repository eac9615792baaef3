"""The tabs below the pictures, and what supplies them."""

from __future__ import annotations

from dataclasses import astuple
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QTabWidget

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
    from PySide6.QtWidgets import QWidget

    from pcaimage import codec
    from pcaimage.gui.session.fit import Fit
    from pcaimage.gui.session.session import Session
    from pcaimage.gui.session.state import SessionState
    from pcaimage.gui.tabs.feed import Feed

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
        self.spectrum, self.curve, self.gallery = SpectrumPlot(), CurvePlot(), ComponentGallery()
        self.error, self.block, self.table = ErrorView(), BlockInspector(), ComponentTable()
        self.scatter, self.montage = ScatterView(), Montage()
        self.pixel, self.bands = PixelView(), QualityView()
        self._session = session
        self._overlay = OverlayFeed(session, self)
        self.own_curve, self.other_curves = (
            CurveFeed(session, self.curve, self),
            RivalsFeed(session, self.curve, self),
        )
        self._feeds: dict[QWidget, tuple[Feed, ...]] = {
            self.curve: (self.own_curve, self.other_curves),
            self.gallery: (GalleryFeed(session, self.gallery),),
            **self._feeds_of_stacks(session),
            self.error: (ErrorFeed(session, self.error, self),),
            self.block: (BlockFeed(session, self.block, self),),
            self.table: (TableFeed(session, self.table),),
            self.pixel: (PixelFeed(session, self.pixel, self),),
            self.bands: (QualityFeed(session, self.bands, self),),
        }
        self.setDocumentMode(True)
        self.setAccessibleName("Plots and figures")
        for widget, title in (
            (self.spectrum, "Spectrum"),
            (self.curve, "Size and quality"),
            (self.gallery, "Components"),
            (self.error, "Error"),
            (self.block, "Block"),
            (self.table, "Table"),
            (self.scatter, "Scatter"),
            (self.montage, "Montage"),
            (self.pixel, "Pixel"),
            (self.bands, "Bands"),
        ):
            self.addTab(widget, title)
        self._show_tabs(stack=False, bands=False)
        # The Tab key enters by the gallery's focus proxy, and would pass over what stands before it.
        self.setTabOrder(self.gallery.view, self.gallery.all_button)
        self._connect()
        self.currentChanged.connect(self._supply)

    def _feeds_of_stacks(self, session: Session) -> dict[QWidget, tuple[Feed, ...]]:
        scatter, montage, toolbox = self.scatter, self.montage, Toolbox()
        return {
            scatter: tuple(
                feed(session, scatter, toolbox) for feed in (ScatterFeed, ThumbnailsFeed, PointedFeed)
            ),
            montage: tuple(feed(session, montage, toolbox) for feed in (MontageErrorsFeed, MontageFeed)),
        }

    def _show_tabs(self, *, stack: bool, bands: bool) -> None:
        """Show the tabs that make sense."""
        for tab in (self.scatter, self.montage):
            self.setTabVisible(self.indexOf(tab), stack)
        for page in (self.pixel, self.bands):
            self.setTabVisible(self.indexOf(page), bands)

    def _connect(self) -> None:
        session = self._session
        for of_stack in (self.scatter, self.montage):
            of_stack.frameRequested.connect(session.set_frame)
        for source in (self.spectrum, self.curve):
            source.componentsRequested.connect(lambda k: session.set_components(k, final=False))
        for chooser in (self.spectrum, self.curve, self.gallery, self.table):
            chooser.componentsCommitted.connect(lambda k: session.set_components(k, final=True))
        self.gallery.leftOutRequested.connect(lambda number, out: session.leave_out(number, out=out))
        self.gallery.onlyRequested.connect(self._keep_only)
        self.gallery.allRequested.connect(lambda: session.leave_out_only(frozenset()))
        self.gallery.hovered.connect(self._overlay.set_component)
        self._overlay.overlayReady.connect(self.overlayReady)
        self.error.placeRequested.connect(self.placeRequested)
        for follower in (self.block, self.pixel):
            follower.sampleChanged.connect(partial(self._mark, follower))
        self.bands.bandRequested.connect(self._show_band)
        self.error.regionRequested.connect(lambda region: self.regionRequested.emit(Region(*astuple(region))))

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
            self._show_spectrum(None if state.fit is None or not state.fit.whole else state.fit)
        if state.setting.k and state.fit is not None:
            self.spectrum.set_k(state.setting.k)
            self.spectrum.set_left_out(state.setting.left_out)

    def _show_spectrum(self, fit: Fit | None) -> None:
        if fit is None:
            self.spectrum.set_spectrum([], 0)
            return
        axes = ColourAxes.of(fit.preview.header, len(fit.variances))
        groups, names = (None, ()) if axes is None else (axes.groups, axes.names)
        self.spectrum.set_spectrum(fit.variances, fit.n_components, groups, names)

    def point_at(self, x: int, y: int) -> None:
        """Follow the cursor.

        Parameters
        ----------
        x, y : int
            The pixel under it.
        """
        page = self.currentWidget()
        if page is self.block or page is self.pixel:
            page.set_target(x, y)

    def pin_at(self, x: int, y: int) -> None:
        """Keep to a pixel that was clicked, where a tab shows one.

        Parameters
        ----------
        x, y : int
            The pixel.
        """
        page = self.currentWidget()
        if page is self.block or page is self.pixel:
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
        seen = self.currentWidget() if self.isVisible() else None
        for widget, feeds in self._feeds.items():
            for feed in feeds:
                if feed.active != (widget is seen):
                    feed.set_active(widget is seen)
        if seen is self.pixel and self.pixel.region is not None:
            self.sampleChanged.emit(Region(*astuple(self.pixel.region)))
        elif seen is not self.block:
            self.sampleChanged.emit(None)

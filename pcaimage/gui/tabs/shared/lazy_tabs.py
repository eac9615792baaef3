"""Tabs whose pages are made when they are first asked for, and supplied while they are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QTabWidget, QWidget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QHideEvent, QShowEvent

    from pcaimage.gui.tabs.shared.feed import Feed


class LazyTabs(QTabWidget):
    """Tabs that cost nothing until they are seen.

    Making all pages of the window would take longer than all the rest of it. Subclasses have an attribute
    for each page, which makes it and hands it to :meth:`furnish`.

    Parameters
    ----------
    titles : mapping of str to str
        The attributes and the titles of their tabs.
    parent : QWidget, optional
        The parent widget.
    """

    def __init__(self, titles: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = tuple(titles)
        self._feeds: dict[QWidget, tuple[Feed, ...]] = {}
        for name, title in titles.items():
            place = QWidget()
            place.setObjectName(name)
            self.addTab(place, title)
        self.currentChanged.connect(self.supply)

    def furnish(self, name: str, page: QWidget, *feeds: Feed) -> None:
        """Put a page into its tab.

        Parameters
        ----------
        name : str
            The attribute.
        page : QWidget
            The page.
        feeds : Feed
            What supplies it while it is seen.
        """
        number, seen = self._names.index(name), self.currentIndex()
        place, title, visible = self.widget(number), self.tabText(number), self.isTabVisible(number)
        with QSignalBlocker(self):
            self.removeTab(number)
            self.insertTab(number, page, title)
            self.setTabVisible(number, visible)
            self.setCurrentIndex(seen)
        if place is not None:
            place.deleteLater()
        self._feeds[page] = feeds
        if self.window() is not self:
            self._follow_tabs(page)
        if number == seen:
            self.supply()

    def supply(self) -> None:
        """Supply the tab that is seen, and nothing that is not."""
        seen = self.currentWidget() if self.isVisible() else None
        if seen is not None and seen not in self._feeds:
            getattr(self, self._names[self.currentIndex()])
            return
        for page, feeds in self._feeds.items():
            for feed in feeds:
                if feed.active != (page is seen):
                    feed.set_active(page is seen)

    def showEvent(self, event: QShowEvent) -> None:
        """Supply the tab that is seen."""
        super().showEvent(event)
        self.supply()

    def hideEvent(self, event: QHideEvent) -> None:
        """Supply nothing that is not seen."""
        super().hideEvent(event)
        self.supply()

    def _follow_tabs(self, page: QWidget) -> None:
        """Have the Tab key come to a page after the tabs, and not after all that was there before it."""
        before: QWidget = self.tabBar()
        # Not by the chain itself: PySide never lets go of a window that it found there.
        for part in page.findChildren(QWidget):
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.window() is self.window():
                self.setTabOrder(before, part)
                before = part

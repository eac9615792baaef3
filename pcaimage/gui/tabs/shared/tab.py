"""A tab of the workbench: its entry in the registry, and its page with the feeds that supply it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from pcaimage.gui.session.feed import Feed
from pcaimage.gui.session.requests import Request
from pcaimage.gui.session.session import Session

if TYPE_CHECKING:
    from pcaimage.gui.tabs.shared.stack import StackToolsCache


class Images(Enum):
    """The images for which a tab is shown."""

    ALL = auto()
    STACKS = auto()
    BANDS = auto()


@dataclass(frozen=True, eq=False)
class Tab:
    """A page, and what supplies it while it is seen.

    `focus_order` names parts that the Tab key visits in this order, where that of their making is wrong.
    """

    page: QWidget
    feeds: tuple[Feed[Any, Any], ...] = ()
    focus_order: tuple[QWidget, ...] = ()


class TabContext(QObject):
    """Connects pages with the rest of the window.

    `request` carries out what a page asks for.
    """

    sampleMarked = Signal(QObject, object)  # noqa: N815
    """A page, and the :class:`~pcaimage.codec.Region` of the sample it is about, or None."""
    overlayReady = Signal(object, str)  # noqa: N815
    """An :class:`~pcaimage.insight.components.Overlay` to lay over the image and its caption, or None."""

    def __init__(self, session: Session, request: Callable[[Request], None], parent: QObject) -> None:
        super().__init__(parent)
        self.session, self.request = session, request

    @cached_property
    def stack_tools(self) -> StackToolsCache:
        """The tools that the tabs of a stack share; few images are stacks."""
        from pcaimage.gui.tabs.shared.stack import StackToolsCache  # noqa: PLC0415 - see above

        return StackToolsCache()


def tab_of(
    page_type: Callable[[], Any], *feeds: Callable[..., Feed[Any, Any]], share_tools: bool = False
) -> Callable[[TabContext], Tab]:
    """Return a function that makes a tab of a page and its feeds, which may share the tools of a stack."""

    def make(context: TabContext) -> Tab:
        page = page_type()
        if hasattr(page, "requested"):
            page.requested.connect(context.request)
        if hasattr(page, "sampleChanged"):
            page.sampleChanged.connect(lambda region: context.sampleMarked.emit(page, region))
        if hasattr(page, "overlayReady"):
            page.overlayReady.connect(context.overlayReady)
        tools = (context.stack_tools,) if share_tools else ()
        return Tab(page, tuple(feed(context.session, page, *tools) for feed in feeds))

    return make


@dataclass(frozen=True)
class TabSpec:
    """An entry of the registry of tabs.

    `early` pages are made with the window: they hand the keyboard focus on to a part, and Qt cannot insert
    such a page into the order of the Tab key later.
    """

    name: str
    title: str
    images: Images = Images.ALL
    early: bool = False

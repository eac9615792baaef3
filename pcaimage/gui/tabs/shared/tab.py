"""A tab of the workbench: its entry in the registry, and its page with the feeds that supply it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from pcaimage.gui.session.requests import Request
from pcaimage.gui.session.session import Session

if TYPE_CHECKING:
    from pcaimage.gui.tabs.shared.stack import StackToolsCache


class Images(Enum):
    """The images for which a tab is shown."""

    ALL = auto()
    STACKS = auto()
    BANDS = auto()


class Supply(Protocol):
    """Keeps a page up to date while it is seen."""

    @property
    def active(self) -> bool:
        """Whether the page is seen."""

    def set_active(self, active: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Start to supply the page, or stop."""


@dataclass(frozen=True, eq=False)
class Tab:
    """A page, and what supplies it while it is seen.

    `focus_order` names parts that the Tab key visits in this order, where that of their making is wrong.
    """

    page: QWidget
    feeds: tuple[Supply, ...] = ()
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


@runtime_checkable
class Pinnable(Protocol):
    """A page about the pixel under the cursor, or about one that was clicked."""

    @property
    def pinned(self) -> bool:
        """Whether it stays at a pixel."""

    def set_pinned(self, pinned: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Stay at the pixel, or follow the cursor again."""

    def set_target(self, x: int, y: int) -> None:
        """Show the pixel under the cursor."""

    def pin_at(self, x: int, y: int) -> None:
        """Stay at a pixel that was clicked."""

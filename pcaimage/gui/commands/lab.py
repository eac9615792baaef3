"""The command that opens the PCA lab, with the open image as a source of samples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pcaimage.gui.lab.page import Source
    from pcaimage.gui.lab.window import LabWindow
    from pcaimage.gui.session.session import Session

_BLOCK = 8


class LabCommands(QObject):
    """Opens windows of the lab."""

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._window, self._session = window, session
        self.slots: dict[str, Callable[[], object]] = {"lab": self.open}
        """The slots of actions, by the name of the action."""

    def open(self) -> LabWindow:
        """Open a window of the lab, and return it."""
        # Imported here, as the lab may never be opened.
        from pcaimage.gui.lab.window import LabWindow  # noqa: PLC0415

        lab = LabWindow(self._window, self.sources())
        lab.show()
        return lab

    def open_table(self, path: Path) -> None:
        """Open a window of the lab with the table of a text file."""
        self.open().page.open_file(path)

    def sources(self) -> dict[str, Source]:
        """Return what samples can be taken of the open image, by name; nothing without one."""
        from pcaimage.insight.lab import blocks, channels, neighbours, stack  # noqa: PLC0415

        document = self._session.state.document
        image = None if document is None else document.image
        if document is None or image is None:
            return {}
        if document.is_stack:
            return {"Images of the stack": partial(stack, image.pixels, document.labels)}
        pixels = image.pixels
        found: dict[str, Source] = {"Neighbouring pixels": partial(neighbours, pixels)}
        if pixels.shape[-1] > 1:
            found["Channels of the image"] = partial(channels, pixels)
        if _BLOCK * _BLOCK * pixels.shape[-1] <= 1024:
            found[f"Blocks of {_BLOCK} × {_BLOCK}"] = partial(blocks, pixels, _BLOCK)
        return found

"""The command that opens the PCA lab, with the open image as a source of samples."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.session.requests import Choose, Keep
from pcaimage.gui.session.state import SessionState

if TYPE_CHECKING:
    from pcaimage.gui.lab.page import LabWindow, Source

_DONE, _ANIMATED, _RECORDS, _YES = "lab/done", "lab/animated", "lab/answers", "yes"
_BLOCK = 8
_STACK, _CHANNELS, _BLOCKS = "Images of the stack", "Channels of the image", f"Blocks of {_BLOCK} × {_BLOCK}"
_CHOICES = {
    _STACK: Choose(method="stack"),
    _CHANNELS: Choose(method="channels"),
    _BLOCKS: Choose(method="blocks", block=_BLOCK),
}
"""Sources whose components are those of a method of the compressor."""


class LabCommands(Commands):
    """Opens windows of the lab."""

    def __init__(self, context: CommandContext) -> None:
        super().__init__(context)
        self.slots = {"lab": self.open}

    def open(self) -> LabWindow:
        """Open a window of the lab, and return it."""
        # Imported here, as the lab may never be opened.
        from pcaimage.gui.lab.page import LabPage, LabWindow  # noqa: PLC0415

        page = LabPage(
            self.sources(),
            frozenset(_CHOICES),
            self._session.jobs,
            self._ticks(),
            self._preferences.kept(_RECORDS, ""),
        )
        page.desk.recorded.connect(lambda records: self._preferences.keep(_RECORDS, records))
        page.ticked.connect(self._tick)
        page.keepRequested.connect(self.keep)
        animate = page.commands.by_name["animate"]
        animate.setChecked(self._preferences.kept(_ANIMATED, _YES) == _YES)
        animate.toggled.connect(lambda on: self._preferences.keep(_ANIMATED, _YES if on else "no"))
        lab = LabWindow(self._window, page)
        lab.show()
        return lab

    def _ticks(self) -> frozenset[str]:
        return frozenset(self._preferences.kept(_DONE, "").split())

    def _tick(self, done: frozenset[str]) -> None:
        self._preferences.keep(_DONE, " ".join(sorted(done | self._ticks())))

    def keep(self, source: str, k: int, standardised: bool) -> None:  # noqa: FBT001 - Qt passes it by place
        """Keep k components of the open image, by the method that has the same samples as a source."""
        session = self._session
        session.request(replace(_CHOICES[source], standardize=standardised))
        if session.state.fitted:
            session.request(Keep(k))
            return
        document = session.state.document

        def keep_once_fitted(state: SessionState, _before: SessionState) -> None:
            if state.fitted or state.document is not document:
                session.stateChanged.disconnect(keep_once_fitted)
            if state.fitted and state.document is document:
                session.request(Keep(k))

        session.stateChanged.connect(keep_once_fitted)

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
            return {_STACK: partial(stack, image.pixels, document.labels)}
        pixels = image.pixels
        found: dict[str, Source] = {"Neighbouring pixels": partial(neighbours, pixels)}
        if pixels.shape[-1] > 1:
            found[_CHANNELS] = partial(channels, pixels)
        if _BLOCK * _BLOCK * pixels.shape[-1] <= 1024:
            found[_BLOCKS] = partial(blocks, pixels, _BLOCK)
        return found

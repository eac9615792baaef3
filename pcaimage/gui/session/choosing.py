"""Choosing how an image is fitted, and going back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from pcaimage.gui.session.choice import FROM_FILE, Choice
from pcaimage.gui.session.findings import OF_FIT
from pcaimage.gui.session.history import History
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.looking import Looking
from pcaimage.gui.session.model import ModelFile, open_model
from pcaimage.imaging import holds
from pcaimage.sampling import Stack


class Choosing(Looking):
    """A state whose components can be found in another way.

    Parameters
    ----------
    jobs : JobRunner
        Who does the work.
    choice : Choice
        How images are fitted at first.
    parent : QObject, optional
        The owner.
    """

    preferred = Signal(object)
    """A :class:`Choice` that the user made for an image; the next one is fitted like this, too."""

    def __init__(self, jobs: JobRunner, choice: Choice, parent: QObject | None = None) -> None:
        super().__init__(jobs, choice, parent)
        self._preferred = choice

    def prefer(self, choice: Choice) -> None:
        """Fit images like this from now on; what is open stays as it is.

        Parameters
        ----------
        choice : Choice
            How.
        """
        self._preferred = choice

    def choose(self, **fields: Any) -> None:
        """Change method, block size, standardisation and the like, and fit anew.

        Parameters
        ----------
        **fields
            Fields of :class:`Choice`.
        """
        self._returning = None
        self._choose(self._state.choice.changed(**fields))

    def choose_model(self, path: Path | None) -> None:
        """Use the components of another file, which are not stored again.

        Parameters
        ----------
        path : Path or None
            A ``.pcai`` file of blocks, channels or a stack; None to find the image's own components again.
        """
        if path is None:
            self._leave_model()
            return
        self.jobs.submit("model", partial(open_model, path), on_done=self._use_model, on_failed=self._report)

    def _leave_model(self) -> None:
        choice, document = replace(self._state.choice, model=None), self._state.document
        if document is not None and choice.method not in document.methods:
            suits = self._preferred.method in document.methods
            choice = replace(choice, method=self._preferred.method if suits else document.methods[0])
        self._returning = None
        self._choose(choice)

    def _use_model(self, model: ModelFile) -> None:
        document = self._state.document
        if document is not None and document.is_stack and not isinstance(model.sampling, Stack):
            self.failed.emit(f"{model.path.name} is a model of single images; what is open is a stack.")
            return
        self._returning = None
        self._choose(self._state.choice.with_model(model))

    def set_nodata(self, value: float | None) -> None:
        """Choose what stands where nothing was measured.

        Parameters
        ----------
        value : float or None
            None where everything was. What the file says itself is no choice.
        """
        document = self._state.document
        if document is None:
            return
        if value is not None and not holds(document.dtype, value):
            kind = document.dtype
            self.failed.emit(f"No value of type {kind} is {value:.9g}, so nothing can be marked by it.")
            return
        self.choose(nodata=FROM_FILE if value == document.bands.nodata else value)

    def undo(self) -> None:
        """Go back to what was set before; first of all, what is still being fitted is given up."""
        now = self._state.history.present
        if now is not None and now.choice != self._state.choice:
            self._choose(now.choice)
        else:
            self._go(self._state.history.undone())

    def redo(self) -> None:
        """Set again what was undone."""
        self._go(self._state.history.redone())

    def _go(self, history: History) -> None:
        point = history.present
        if point is None or history is self._state.history:
            return
        self._cancel("target")
        self._change(history=history)
        if self._state.fit is not None and point.choice == self._state.fit.choice:
            self._choose(point.choice)
            self._set(point.setting, final=True)
        else:
            self._returning = point.setting
            self._choose(point.choice)

    def _choose(self, choice: Choice) -> None:
        document = self._state.document
        if document is None or document.image is None:
            return
        under_way = self._state.fitted or self.jobs.busy("fit")
        if choice == self._state.choice and under_way:
            return
        if not document.is_stack and choice.model is None:
            usual = choice.usual
            if self._preferred.method == "photo" not in document.methods:
                usual = replace(usual, method="photo")  # photos will be photos again
            self._preferred = usual
            self.preferred.emit(usual)
        self._change(choice=choice, touched=True, hint="")
        if self._state.fitted:  # back to the components that are still there
            self._cancel(*OF_FIT)
            self._find_out()
        else:
            self._fit()

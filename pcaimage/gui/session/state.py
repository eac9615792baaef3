"""The state of the session with its undo history, as one frozen value. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Compressed, Estimate, error_bound
from pcaimage.gui.session.choice import NO_GOAL, Choice, Goal, Setting
from pcaimage.gui.session.display import Display, Layers, Look
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.insight.bands import SpectralAngles

MOST = 200  # the maximum number of steps that can be undone


@dataclass(frozen=True)
class Point:
    """Everything about a reconstruction that a user can set."""

    choice: Choice
    setting: Setting  # K, step, and the components left out
    goal: Goal = NO_GOAL  # the goal of the setting


@dataclass(frozen=True)
class History:
    """Points in the order in which they were set."""

    present: Point | None = None  # the present point; None before anything is fitted
    past: tuple[Point, ...] = ()  # the points to undo to, the newest last
    future: tuple[Point, ...] = ()  # the points to redo, the next one last

    def recorded(self, point: Point) -> History:
        """Return the history with a new present and nothing to redo; the same if it is the present."""
        if point == self.present:
            return self
        past = self.past if self.present is None else (*self.past, self.present)
        return History(point, past[-MOST:])

    def amended(self, point: Point) -> History:
        """Return the history with another present in place of this one."""
        return self if point == self.present else replace(self, present=point)

    def undone(self) -> History:
        """Return the history one step back."""
        if not self.past or self.present is None:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.present))

    def redone(self) -> History:
        """Return the history one step forward."""
        if not self.future or self.present is None:
            return self
        return History(self.future[-1], (*self.past, self.present), self.future[:-1])


class OfSetting(Protocol):
    """A result that belongs to a setting."""

    @property
    def setting(self) -> Setting:
        """The setting."""


R = TypeVar("R", bound=OfSetting)


@dataclass(frozen=True, eq=False)
class Opening:
    """A file that is being opened."""

    name: str
    picture: NDArray[np.uint8] | None = None
    """A small picture of it, shape (h, w, 1 or 3); None until it is found, or if there is none."""


@dataclass(frozen=True, eq=False)
class ExactReconstruction:
    """The exact reconstruction: the pixels that the file decodes to."""

    setting: Setting
    pixels: NDArray[Any]  # all pixels, for a stack those of all frames
    layers: Layers
    psnr: float | None  # PSNR in decibels; None without an original


@dataclass(frozen=True, eq=False)
class EncodedFile:
    """The compressed file of a setting, and its size."""

    setting: Setting
    n_bytes: int
    compressed: Compressed


@dataclass(frozen=True)
class Similarity:
    """The SSIM of the original and the reconstruction."""

    setting: Setting
    ssim: float  # structural similarity, at most 1
    angles: SpectralAngles | None = None  # the angles between spectra of many bands before and after


@dataclass(frozen=True, eq=False)
class SettingEstimate:
    """Estimates of size and quality at a setting."""

    setting: Setting
    estimate: Estimate


@dataclass(frozen=True)
class SizeGuess:
    """A rough size of a setting's file in bytes, which is there at once."""

    setting: Setting
    n_bytes: int


@dataclass(frozen=True)
class Rival:
    """The alternative that the right view compares the reconstruction with."""

    kind: str
    """``"k"``, ``"unrounded"``, ``"method"``, ``"file"``, or the name of another codec, as ``"jpeg"``."""
    k: int = 0  # the number of components, for ``"k"``
    method: str = ""  # ``"photo"``, ``"blocks"`` or ``"channels"``, for ``"method"``
    path: str = ""  # the file, for ``"file"``: the same image as another program shows it


@dataclass(frozen=True, eq=False)
class Rivalry:
    """A rival's picture."""

    rival: Rival
    fit: Fit  # the components that it is compared with
    n_bytes: int | None  # the size in bytes that it was fitted into; None if it has its own
    frame: int  # the image of the stack that is shown
    layers: Layers
    lines: tuple[str, ...]  # its description and its size, line by line
    pixels: NDArray[Any] = field(repr=False)
    original: NDArray[Any] | None = field(repr=False)
    """Its pixels, and those that they stand for; None without an original."""
    psnr: float | None  # PSNR in decibels; None without an original
    ssim: float | None = None  # structural similarity; None until it is found


@dataclass(frozen=True, eq=False)
class SessionState:
    """Everything that is open, chosen and known."""

    document: Document | None = None
    original: Layers | None = None
    frame: int = 0  # the image of a stack that is shown, counted from 0
    choice: Choice = field(default_factory=Choice)
    fit: Fit | None = None
    """The components, which may still be those of the previous choice; None until they are found."""
    setting: Setting = field(default_factory=lambda: Setting(0, None))
    goal: Goal = NO_GOAL  # the goal of the setting, which is sought again with other components
    moving: bool = False
    look: Look | None = None  # the chosen look of an image of many bands; None for the document's
    display: Display | None = None
    """The display of the chosen look, once it is computed; None for the document's."""
    left: str = "original"  # the picture in the left view: ``"original"`` or ``"reconstruction"``
    rival: Rival | None = None  # the rival in the right view; None for the reconstruction
    rivalry: Rivalry | None = None  # the rival's picture; None until it is made
    settled: ExactReconstruction | None = None
    measured: EncodedFile | None = None
    similarity: Similarity | None = None
    estimated: SettingEstimate | None = None
    guessed: SizeGuess | None = None
    """Results for `fit`, each with the setting that it belongs to; stale ones are not shown."""
    offers: Mapping[str, int] = field(default_factory=dict)
    """Estimated sizes of the files of presets, by name; empty until they are found."""
    hint: str = ""  # a message about a request that was not met
    history: History = field(default_factory=History)  # the undo history
    touched: bool = False  # whether settings were changed since the image was opened for the first time
    opening: Opening | None = None  # the file that is being opened, to take the place of the document

    @property
    def shown_by(self) -> Display | None:
        """The display of the document; None without one."""
        return self.document.display if self.display is None and self.document is not None else self.display

    @property
    def nodata(self) -> float | None:
        """The no-data value that the file names or the user chose."""
        return None if self.document is None else self.choice.nodata_of(self.document.bands.nodata)

    @property
    def has_original(self) -> bool:
        """Whether an original is open, which can be compressed; a compressed file can only be trimmed."""
        return self.document is not None and self.document.image is not None

    @property
    def bounded(self) -> bool:
        """Whether the greatest error determines how exact the file is."""
        return self.has_original and self.choice.bound is not None

    @property
    def lossless(self) -> bool:
        """Whether the file restores every value, as it also stores the residual."""
        document, fit = self.document, self.fit
        if document is None or fit is None or document.compressed is None:
            return self.setting.lossless
        complete = self.setting.k == fit.n_components and fit.whole
        return complete and error_bound(document.compressed.compressed) == 0

    @property
    def fitted(self) -> bool:
        """Whether the components belong to the present choice."""
        return self.fit is not None and self.fit.choice == self.choice

    @property
    def ready(self) -> bool:
        """Whether the file can be encoded: all components of the choice are there."""
        return self.fitted and self.fit is not None and self.fit.whole and not self.left_out_lost

    @property
    def exact(self) -> Layers | None:
        """The exact reconstruction of the present setting; None until it is known."""
        settled = self.current(self.settled)
        return None if settled is None else settled.layers

    def current(self, result: R | None) -> R | None:
        """Return a result if it belongs to the present setting, else None."""
        return result if result is not None and result.setting == self.setting else None

    @property
    def left_out_lost(self) -> bool:
        """Whether components are left out of a compressed file's picture; no file can represent that."""
        return bool(self.setting.left_out) and self.fit is not None and self.fit.analysis is None

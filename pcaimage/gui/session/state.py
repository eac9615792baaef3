"""The state of the session, as one frozen value. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from pcaimage.codec import Compressed, Estimate
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.display import Display, Layers
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.history import History
from pcaimage.gui.session.look import Look


@dataclass(frozen=True, eq=False)
class ExactReconstruction:
    """The exact reconstruction: pixel for pixel what the file decodes to."""

    setting: Setting
    pixels: NDArray[Any]
    """All of it, also of a stack."""
    layers: Layers
    psnr: float | None
    """Against the original, where there is one."""


@dataclass(frozen=True, eq=False)
class EncodedFile:
    """The size of the file, found by encoding."""

    setting: Setting
    n_bytes: int
    compressed: Compressed


@dataclass(frozen=True)
class Similarity:
    """The structural similarity of original and reconstruction."""

    setting: Setting
    ssim: float
    """Structural similarity, at most 1."""


@dataclass(frozen=True, eq=False)
class SettingEstimate:
    """Estimates of size and quality."""

    setting: Setting
    estimate: Estimate


@dataclass(frozen=True)
class Rival:
    """The alternative that the right view compares the reconstruction with."""

    kind: str
    """``"k"``, ``"method"``, ``"jpeg"``, ``"webp"``, ``"avif"`` or ``"jpeg2000"``."""
    k: int = 0
    """How many components, for ``"k"``; its step follows from it."""
    method: str = ""
    """``"photo"``, ``"blocks"`` or ``"channels"``, for ``"method"``."""


@dataclass(frozen=True, eq=False)
class Rivalry:
    """A rival's picture."""

    rival: Rival
    fit: Fit
    """The components beside which it stands."""
    n_bytes: int | None
    """The size that it was made to fit into; None where it has its own."""
    frame: int
    """The image of a stack that it is of."""
    layers: Layers
    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SessionState:
    """Everything that is open, chosen and known."""

    document: Document | None = None
    original: Layers | None = None
    frame: int = 0
    """Which image of a stack is shown."""
    choice: Choice = field(default_factory=Choice)
    fit: Fit | None = None
    """The components, once they are there. They may still be of the choice before."""
    setting: Setting = field(default_factory=lambda: Setting(0, None))
    moving: bool = False
    look: Look | None = None
    """How an image of many bands is to be shown; None until something is chosen."""
    display: Display | None = None
    """How it is shown, once that is found out; None for what the document says."""
    left: str = "original"
    """What the left view shows: ``"original"`` or ``"reconstruction"``."""
    rival: Rival | None = None
    """What the right view shows; None for the reconstruction."""
    rivalry: Rivalry | None = None
    """The rival's picture, once it is there."""
    settled: ExactReconstruction | None = None
    measured: EncodedFile | None = None
    similarity: Similarity | None = None
    estimated: SettingEstimate | None = None
    """What is known, each of `fit` and some setting; only what is of the present one is shown."""
    hint: str = ""
    """Why a target was not reached, or what to do next."""
    history: History = field(default_factory=History)
    """What can be undone and done again."""
    touched: bool = False
    """Whether the user changed anything since it was opened or saved."""

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
        """Whether what is open can be compressed; a compressed file can only be trimmed."""
        return self.document is not None and self.document.image is not None

    @property
    def bounded(self) -> bool:
        """Whether an image is being compressed within a greatest error."""
        return self.has_original and self.choice.bound is not None

    @property
    def fitted(self) -> bool:
        """Whether the components at hand are those that were chosen."""
        return self.fit is not None and self.fit.choice == self.choice

    @property
    def ready(self) -> bool:
        """Whether the chosen components are all there, as saving and measuring need."""
        return self.fitted and self.fit is not None and self.fit.whole and not self.left_out_lost

    @property
    def exact(self) -> Layers | None:
        """The exact reconstruction of the setting, by the components at hand, where it is known."""
        if self.settled is None or self.settled.setting != self.setting:
            return None
        return self.settled.layers

    @property
    def left_out_lost(self) -> bool:
        """Whether components are left out of a compressed file's picture, which no file can hold."""
        return bool(self.setting.left_out) and self.fit is not None and self.fit.analysis is None

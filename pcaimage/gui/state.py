"""What the window shows, as one frozen value. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from pcaimage.codec import Estimate
from pcaimage.gui.choice import Choice
from pcaimage.gui.display import Layers
from pcaimage.gui.document import Document
from pcaimage.gui.fit import Fit


@dataclass(frozen=True)
class Setting:
    """What decides about the reconstruction.

    Parameters
    ----------
    k : int
        How many components are kept.
    step : float or None
        The step that the user set; None where it follows from k.
    """

    k: int
    step: float | None


@dataclass(frozen=True, eq=False)
class Settled:
    """The exact reconstruction: pixel for pixel what the file decodes to.

    Parameters
    ----------
    setting : Setting
        What it is of.
    pixels : ndarray of uint8 or uint16
        All of it, also of a stack.
    layers : Layers
        The picture that is shown.
    psnr : float or None
        Against the original, where there is one.
    """

    setting: Setting
    pixels: NDArray[Any]
    layers: Layers
    psnr: float | None


@dataclass(frozen=True)
class Measured:
    """What was found by encoding.

    Parameters
    ----------
    setting : Setting
        What it is of.
    n_bytes : int
        The size of the file.
    """

    setting: Setting
    n_bytes: int


@dataclass(frozen=True)
class Similarity:
    """How alike original and reconstruction look.

    Parameters
    ----------
    setting : Setting
        What it is of.
    ssim : float
        Structural similarity, at most 1.
    """

    setting: Setting
    ssim: float


@dataclass(frozen=True, eq=False)
class Estimated:
    """Estimates of size and quality.

    Parameters
    ----------
    setting : Setting
        What they are of.
    estimate : Estimate
        The estimates.
    """

    setting: Setting
    estimate: Estimate


@dataclass(frozen=True, eq=False)
class SessionState:
    """Everything that is open, chosen and known.

    Parameters
    ----------
    document : Document or None
        What is open.
    original : Layers or None
        Its original in all sizes.
    frame : int
        Which image of a stack is shown.
    choice : Choice
        Method, block size and standardisation.
    fit : Fit or None
        The components, once they are there. They may still be of the choice before.
    setting : Setting
        k and step.
    moving : bool
        Whether k is being dragged.
    settled, measured, similarity, estimated
        What is known, each of `fit` and some setting; only what is of the present one is shown.
    hint : str
        Why a target was not reached, or what to do next.
    touched : bool
        Whether the user changed anything since it was opened or saved.
    """

    document: Document | None = None
    original: Layers | None = None
    frame: int = 0
    choice: Choice = field(default_factory=Choice)
    fit: Fit | None = None
    setting: Setting = Setting(0, None)
    moving: bool = False
    settled: Settled | None = None
    measured: Measured | None = None
    similarity: Similarity | None = None
    estimated: Estimated | None = None
    hint: str = ""
    touched: bool = False

    @property
    def fitted(self) -> bool:
        """Whether the components at hand are those that were chosen."""
        return self.fit is not None and self.fit.choice == self.choice

    @property
    def ready(self) -> bool:
        """Whether they are, and all of them are there: what saving and measuring need."""
        return self.fitted and self.fit is not None and self.fit.whole

    @property
    def exact(self) -> Layers | None:
        """The exact reconstruction of the setting, by the components at hand, where it is known."""
        if self.settled is None or self.settled.setting != self.setting:
            return None
        return self.settled.layers

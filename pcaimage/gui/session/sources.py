"""Where the pictures of the two views come from. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Layers, Shown
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.work import Task

Place = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels of the image."""


@dataclass(frozen=True, eq=False)
class Source:
    """What a view shows: pixels that are there, or else components to make them from.

    Parameters
    ----------
    layers : Layers or None
        The pixels.
    task : Task or None
        The components and the setting.
    """

    layers: Layers | None
    task: Task | None = None

    def same_as(self, other: Source | None) -> bool:
        """Return whether another source gives the same pictures.

        Parameters
        ----------
        other : Source or None
            The other.

        Returns
        -------
        bool
            Whether pixels, or components and setting, are the same.
        """
        if other is None or self.layers is not other.layers:
            return False
        if self.layers is not None or self.task is None or other.task is None:
            return self.layers is not None
        mine, theirs = self.task, other.task
        return (mine.fit, mine.setting, mine.frame, mine.display) == (
            theirs.fit,
            theirs.setting,
            theirs.frame,
            theirs.display,
        )

    def render(self, region: Place, scale: float) -> Shown:
        """Return a part of the picture.

        Parameters
        ----------
        region : (int, int, int, int)
            Left, top, right and bottom, in pixels of the image.
        scale : float
            Screen pixels to an image pixel.

        Returns
        -------
        Shown
            At about the screen's resolution.
        """
        if self.layers is not None:
            return self.layers.render(region, scale)
        if self.task is None:
            raise ValueError("There is nothing to show.")
        return self.task.render(None, region, scale)


def left_of(state: SessionState) -> Source | None:
    """Return where the left view's pictures come from.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    Source or None
        None while there are none.
    """
    if state.left == "reconstruction":
        return reconstruction_of(state)
    return None if state.original is None else Source(state.original)


def right_of(state: SessionState) -> Source | None:
    """Return where the right view's pictures come from.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    Source or None
        None while there are none. Until a rival's picture is there, the reconstruction stands for it.
    """
    rival, rivalry = state.rival, state.rivalry
    if rival is not None and rivalry is not None and rivalry.rival == rival:
        return Source(rivalry.layers)
    present = reconstruction_of(state)
    if rival is None or rival.kind != "k" or state.document is None or state.fit is None:
        return present
    k = min(rival.k, state.fit.n_components)
    return Source(None, Task(state.document, state.fit, Setting(k, None), state.frame, state.display))


def reconstruction_of(state: SessionState) -> Source | None:
    """Return where the reconstruction's pictures come from.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    Source or None
        By the components at hand, also while others are being found.
    """
    if state.document is None or state.fit is None:
        return None
    if state.setting.lossless and state.original is not None:
        return Source(state.original)
    return Source(state.exact, Task(state.document, state.fit, state.setting, state.frame, state.display))


def difference(left: Shown, right: Shown, white: float) -> NDArray[np.float32]:
    """Return how far two pictures are apart where the second has its pixels.

    Of pictures smaller than the image this is the difference of averages, which is less than the average
    difference; it is for as long as the exact pixels are not known.

    Parameters
    ----------
    left, right : Shown
        The pictures.
    white : float
        What 255 stands for.

    Returns
    -------
    ndarray of float32, shape of the second picture
        Root mean squares over the channels, in levels of the image.
    """
    rows = _nearest(left.pixels.shape[0], left.region[1::2], right.pixels.shape[0], right.region[1::2])
    columns = _nearest(left.pixels.shape[1], left.region[::2], right.pixels.shape[1], right.region[::2])
    channels = min(left.pixels.shape[2], right.pixels.shape[2], 3)
    before = left.pixels[rows][:, columns, :channels].astype(np.float32)
    before -= right.pixels[..., :channels]
    mean = np.einsum("hwc,hwc->hw", before, before) / np.float32(channels)
    result: NDArray[np.float32] = np.sqrt(mean) * np.float32(white / 255)
    return result


def _nearest(count: int, ends: tuple[int, ...], wanted: int, at: tuple[int, ...]) -> NDArray[np.intp]:
    """Return which of evenly spaced pixels lie nearest to others along one axis."""
    centres = at[0] + (np.arange(wanted) + 0.5) * (at[1] - at[0]) / wanted
    found = (centres - ends[0]) * count / (ends[1] - ends[0])
    return np.clip(found.astype(np.intp), 0, count - 1)

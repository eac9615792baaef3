"""Pictures of how far two others are apart. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pcaimage.gui.session.display import Shown
from pcaimage.gui.session.sources import Place, Source, difference
from pcaimage.insight.colour_map import to_colours
from pcaimage.insight.error_map import ErrorMap
from pcaimage.progress import Progress

_BRIGHT = 99.5
"""Percentile of the errors that is shown brightest."""


class Scale(NamedTuple):
    """What the colours of a difference mean.

    Parameters
    ----------
    full : float
        The difference that is shown brightest, in levels of the image.
    automatic : bool
        Whether it was chosen by the errors.
    exact : bool
        Whether the differences are of exact pixels, not of pictures of them.
    """

    full: float
    automatic: bool
    exact: bool


@dataclass
class _Seen:
    """What is known of an image's differences."""

    errors: tuple[Source, Source, ErrorMap] | None = None
    left: tuple[Source, Place, float, Shown] | None = None
    full: float = 0.0


class Differing:
    """The difference between two sources, exact where both have their pixels."""

    def __init__(self) -> None:
        self.wanted: float | None = None
        """What is to be shown brightest; None to have it chosen."""
        self._seen = _Seen()

    def forget(self) -> None:
        """Free what is known, because another image was opened."""
        self._seen = _Seen()  # work that is still under way keeps to the former

    def can_measure(self, left: Source, right: Source) -> bool:
        """Return whether exact errors can be found, and are not known yet.

        Parameters
        ----------
        left, right : Source
            What is compared.

        Returns
        -------
        bool
            Whether :meth:`measure` has something to do.
        """
        exact = left.layers is not None and right.layers is not None
        return exact and self._errors(left, right) is None

    def measure(self, left: Source, right: Source, progress: Progress) -> ErrorMap | None:
        """Return the exact errors, to be remembered by :meth:`learn`.

        Parameters
        ----------
        left, right : Source
            What is compared.
        progress : Progress
            Told of the work done.

        Returns
        -------
        ErrorMap or None
            None where the pixels are not known.
        """
        if left.layers is None or right.layers is None:
            return None
        return ErrorMap.of(left.layers.pixels, right.layers.pixels, progress)

    def learn(self, left: Source, right: Source, errors: ErrorMap | None) -> None:
        """Remember the exact errors; what was found too late never comes here.

        Parameters
        ----------
        left, right : Source
            What is compared.
        errors : ErrorMap or None
            How far they are apart.
        """
        if errors is not None:
            self._seen.errors = left, right, errors

    def render(
        self, left: Source, right: Source, region: Place, scale: float, white: float
    ) -> tuple[Shown, Scale]:
        """Return a picture of a part of the difference.

        Parameters
        ----------
        left, right : Source
            What is compared.
        region : (int, int, int, int)
            Left, top, right and bottom, in pixels of the image.
        scale : float
            Screen pixels to an image pixel.
        white : float
            What a picture's 255 stands for.

        Returns
        -------
        shown : Shown
            The picture.
        scale : Scale
            What its colours mean.
        """
        seen, errors = self._seen, self._errors(left, right)
        if errors is not None:
            seen.full = errors.full_scale
            values, place = errors.region(*region, scale), errors.covered(*region, scale)
        else:
            shown, before = right.render(region, scale), _left_picture(seen, left, region, scale)
            values, place = difference(before, shown, white), shown.region
            if not seen.full:
                bright = max(float(np.percentile(values, _BRIGHT)), 1.0)
                seen.full = 2.0 ** math.ceil(math.log2(bright))
        full = seen.full if self.wanted is None else self.wanted
        picture = Shown(to_colours(values, full), place)
        return picture, Scale(full, self.wanted is None, errors is not None)

    def _errors(self, left: Source, right: Source) -> ErrorMap | None:
        known = self._seen.errors
        if known is not None and known[0].same_as(left) and known[1].same_as(right):
            return known[2]
        return None


def _left_picture(seen: _Seen, left: Source, region: Place, scale: float) -> Shown:
    """Return a part of the left picture, which stays the same while k moves."""
    known = seen.left
    if known is not None and known[0].same_as(left) and known[1:3] == (region, scale):
        return known[3]
    shown = left.render(region, scale)
    seen.left = left, region, scale, shown
    return shown

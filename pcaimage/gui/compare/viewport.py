"""The viewport: the part of an image that is on the screen, and its scale. No Qt here.

Sizes of views and positions in them are in *device* pixels, so that a scale of 1 shows every image
pixel as exactly one pixel of the screen whatever the desktop's scaling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from pcaimage.codec import Region

_LARGEST_SCALE = 64.0
PRESETS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # scales offered in the zoom menu


class Size(NamedTuple):
    """Width and height, of an image in image pixels or of a view in device pixels."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Viewport:
    """The image point in the middle of a view, and the scale.

    In image coordinates pixel (0, 0) covers [0, 1) in both directions. The size of the view is passed to each
    method, in device pixels, since views of different sizes share a viewport.
    """

    centre_x: float
    centre_y: float
    scale: float  # device pixels per image pixel

    @classmethod
    def fit(cls, view: Size, image: Size) -> Viewport:
        """Return the viewport that shows all of an image, centred and as large as the view allows."""
        return cls(image.width / 2, image.height / 2, fit_scale(view, image))

    def is_fit(self, view: Size, image: Size) -> bool:
        """Return whether this shows all of the image as :meth:`fit` would, to within two device pixels."""
        fitted = Viewport.fit(view, image)
        off_x = abs(self.centre_x - fitted.centre_x) * self.scale
        off_y = abs(self.centre_y - fitted.centre_y) * self.scale
        growth = abs(self.scale - fitted.scale) * max(image)
        return max(off_x, off_y, growth) <= 2.0

    def to_view(self, x: float, y: float, view: Size) -> tuple[float, float]:
        """Return the position of an image point, in device pixels from the view's top left corner."""
        return (
            (x - self.centre_x) * self.scale + view.width / 2,
            (y - self.centre_y) * self.scale + view.height / 2,
        )

    def to_image(self, x: float, y: float, view: Size) -> tuple[float, float]:
        """Return the image point at a position of the view in device pixels: the inverse of :meth:`to_view`.

        It is outside the image where the view shows its surroundings.
        """
        return (
            (x - view.width / 2) / self.scale + self.centre_x,
            (y - view.height / 2) / self.scale + self.centre_y,
        )

    def panned(self, dx: float, dy: float, view: Size, image: Size) -> Viewport:
        """Return the clamped viewport after the image moved by so many device pixels."""
        moved = replace(
            self, centre_x=self.centre_x - dx / self.scale, centre_y=self.centre_y - dy / self.scale
        )
        return moved.clamped(view, image)

    def stepped(self, dx: float, dy: float, view: Size, image: Size) -> Viewport:
        """Return the viewport after keys moved the image by so many device pixels.

        It does not move along a side on which the view shows all of it, where keys can bring nothing into
        view. The pointer can, to see what a caption covers.
        """
        overlap_x = image.width * self.scale - view.width
        overlap_y = image.height * self.scale - view.height
        return self.panned(dx if overlap_x > 1 else 0, dy if overlap_y > 1 else 0, view, image)

    def zoomed(self, factor: float, x: float, y: float, view: Size, image: Size) -> Viewport:
        """Return the clamped viewport after a zoom about a position in device pixels."""
        scale = clamp_scale(self.scale * factor, view, image)
        image_x, image_y = self.to_image(x, y, view)
        there = Viewport(
            image_x - (x - view.width / 2) / scale, image_y - (y - view.height / 2) / scale, scale
        )
        return there.clamped(view, image)

    def clamped(self, view: Size, image: Size) -> Viewport:
        """Return the nearest viewport that neither loses the image nor leaves the range of scales.

        An image may be pulled in from its edge by a quarter of the view, so that a caption never
        covers a corner for good; one that is smaller than half the view is centred.
        """
        scale = clamp_scale(self.scale, view, image)
        return Viewport(
            _clamp_centre(self.centre_x, image.width, view.width / scale),
            _clamp_centre(self.centre_y, image.height, view.height / scale),
            scale,
        )

    def visible_region(self, view: Size, image: Size) -> Region:
        """Return the image pixels of which any part is on the screen; ``Region(0, 0, 0, 0)`` if none is."""
        left, top = self.to_image(0, 0, view)
        right, bottom = self.to_image(view.width, view.height, view)
        region = Region(
            max(0, math.floor(left)),
            max(0, math.floor(top)),
            min(int(image.width), math.ceil(right)),
            min(int(image.height), math.ceil(bottom)),
        )
        return Region(0, 0, 0, 0) if region.empty else region


def fit_scale(view: Size, image: Size) -> float:
    """Return the largest scale at which all of an image is visible; never 0."""
    return min(max(view.width, 1.0) / max(image.width, 1.0), max(view.height, 1.0) / max(image.height, 1.0))


def clamp_scale(scale: float, view: Size, image: Size) -> float:
    """Return the nearest allowed scale: a quarter of the fitting one to 64, 1 and the fitting one."""
    fitting = fit_scale(view, image)
    return min(max(scale, min(fitting / 4, 1.0)), max(_LARGEST_SCALE, fitting))


def percent_text(scale: float) -> str:
    """Return a scale as text such as ``183 %``, with one decimal below 10 %."""
    percent = 100 * scale
    return f"{percent:.0f}\u00a0%" if percent >= 9.95 else f"{percent:.1f}\u00a0%"


def _clamp_centre(centre: float, extent: float, shown: float) -> float:
    slack = max(0.0, extent - shown / 2) / 2
    return min(max(centre, extent / 2 - slack), extent / 2 + slack)

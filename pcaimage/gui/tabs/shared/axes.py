"""Axes of plots whose numbers are written as those in the text."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg


class SignedAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph is untyped
    """An axis on which negative numbers have a minus sign in place of a hyphen."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels of some places."""
        texts: list[str] = super().tickStrings(values, scale, spacing)
        return [text.replace("-", "−") for text in texts]


def signed_axes() -> dict[str, SignedAxis]:
    """Make the two axes of a plot."""
    return {side: SignedAxis(side) for side in ("left", "bottom")}

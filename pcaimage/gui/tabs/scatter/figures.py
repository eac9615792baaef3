"""What the scatter plot says, in words. No Qt here."""

from __future__ import annotations

EMPTY = "The scores of a stack's images on two components appear here as points."
FITTING = "Finding the components…"
NOT_FITTED = "There are no components yet: fitting was stopped."
TOO_FEW = "There are too few images for a plot."
HELP = "click a point to see its image · wheel to zoom, drag to move · Left and Right for the next image"


def axis_words(number: int, share: str) -> str:
    """Return what stands at an axis.

    Parameters
    ----------
    number : int
        The component, from 1.
    share : str
        What it explains.

    Returns
    -------
    str
        Such as ``Component 1 · 9.70 %``.
    """
    return f"Component {number} · {share}"


def short_axis_words(number: int, share: str) -> str:
    """Return what stands at an axis that has little room.

    Parameters
    ----------
    number : int
        The component, from 1.
    share : str
        What it explains.

    Returns
    -------
    str
        Such as ``c1 · 9.70 %``.
    """
    return f"c{number} · {share}"


def point_words(image: str, error: str, scores: tuple[float, float], axes: tuple[int, int]) -> str:
    """Return what is said of an image.

    Parameters
    ----------
    image : str
        Which one it is.
    error : str
        How wrong its reconstruction is; empty where that is not known.
    scores : (float, float)
        Its scores on the components shown.
    axes : (int, int)
        These components, from 1.

    Returns
    -------
    str
        One line.
    """
    parts = [
        image,
        error,
        *(f"c{axis} {score:+.0f}".replace("-", "−") for axis, score in zip(axes, scores, strict=True)),
    ]
    return " · ".join(filter(None, parts))

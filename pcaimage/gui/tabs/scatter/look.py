"""How the scatter plot tells labels apart: by colour, by shape, and by their names. No Qt here."""

from __future__ import annotations

from typing import NamedTuple

from pcaimage.gui.colours import Colours

SHAPES = ("o", "s", "t", "d", "+", "t1", "x", "p", "t2", "star")
"""Shapes, as pyqtgraph names them."""
_LIGHT = (
    "#0b6bb8",
    "#b5531c",
    "#117733",
    "#aa2277",
    "#8a6100",
    "#332288",
    "#0a8080",
    "#cc3344",
    "#5a6169",
    "#6b8e00",
)
_DARK = (
    "#57aef2",
    "#f2a65a",
    "#5fc98f",
    "#f08cc4",
    "#f3d969",
    "#9d92ff",
    "#59d6d6",
    "#ff8f8f",
    "#b8bec6",
    "#b5d334",
)

MOST_LISTED = 40
"""So many labels are listed in the legend."""


class Look(NamedTuple):
    """How a label's points look.

    Parameters
    ----------
    colour : str
        ``#rrggbb``.
    shape : str
        Of :data:`SHAPES`.
    """

    colour: str
    shape: str


def look_of(place: int, colours: Colours) -> Look:
    """Return how a label's points look; of ten labels no two share a colour or a shape.

    No ten colours can be told apart by everybody, so shapes and names at the points say the same.

    Parameters
    ----------
    place : int
        The label's place among all, from 0.
    colours : Colours
        The scheme.

    Returns
    -------
    Look
        The first hundred differ.
    """
    palette = _DARK if colours.dark else _LIGHT
    turn, first = divmod(place, len(palette))
    return Look(palette[first], SHAPES[(first + turn) % len(SHAPES)])

"""How the bands of a compressed image were scaled before their components were found."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from pcaimage.codec.compressed import Compressed
from pcaimage.codec.pack import decode_vector

_UNIT, _MOST = 0.01, 1.01


class Preparation(StrEnum):
    """What was done to features before the analysis."""

    NONE = "none"
    STANDARDIZED = "standardized"
    MNF = "mnf"


def preparation_of(compressed: Compressed) -> Preparation:
    """Tell how the features of an image were scaled.

    Files of many bands do not say it, as decoding does without. Their vectors do: those of plain components
    have a length of 1. The variances of standardised bands add up to their number; whitened noise alone has
    as much, and the signal comes on top.

    Parameters
    ----------
    compressed : Compressed
        The file.

    Returns
    -------
    Preparation
        ``NONE`` also where the file has no components.

    Raises
    ------
    FormatError
        If its components are damaged.
    """
    header = compressed.header
    if not header.is_bands:
        return Preparation.NONE if header.scale_bits is None else Preparation.STANDARDIZED
    # A component that is left out has no length; the first is the most exact.
    for component in compressed.components:
        vector = np.ldexp(decode_vector(header, component.vector).astype(np.float64), -component.precision)
        length = float(np.linalg.norm(vector))
        if length > 0:
            plain = abs(length - 1) < _UNIT
            return Preparation.NONE if plain else _scaled(compressed)
    return Preparation.NONE


def _scaled(compressed: Compressed) -> Preparation:
    header = compressed.header
    most = _MOST * header.n_features * header.n_samples / max(header.n_samples - 1, 1)
    return Preparation.MNF if compressed.spectrum.sum() > most else Preparation.STANDARDIZED

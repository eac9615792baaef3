"""Properties of a compressed image that need no decoding: preparation, PCA's loss, bounds, missing data."""

from __future__ import annotations

import struct
from collections.abc import Collection
from enum import StrEnum

import numpy as np

from pcaimage.codec.compressed import Compressed
from pcaimage.codec.values import Values
from pcaimage.errors import FormatError
from pcaimage.quality import psnr_of_mse
from pcaimage.sampling import Stack
from pcaimage.varint import read_varint

_UNIT, _MOST = 0.01, 1.01
_DUST = 1e-9  # share of the variance up to which a variance is due to rounding
_NODATA = struct.Struct("<xd")


def k_max(compressed: Compressed) -> int:
    """Return how many components could be kept: those of the model, of the spectrum, or of the image."""
    header = compressed.header
    if compressed.basis is not None:
        return compressed.basis.components
    return int(compressed.spectrum.size) or (
        header.max_components if header.traits.separable else compressed.k
    )


class Preparation(StrEnum):
    """The scaling of features before the analysis."""

    NONE = "none"
    STANDARDIZED = "standardized"
    MNF = "mnf"


def unrounded_psnr_of(compressed: Compressed, left_out: Collection[int] = ()) -> float | None:
    """Return the PSNR in decibels of a file if nothing had been rounded: what leaving components out costs.

    The mean squared error is that of :func:`~pcaimage.insight.component_table.component_rows`, by the
    spectrum that the file stores, which is exact to about 0.001 dB. Numbers left out by hand count from 1.
    None where the file does not tell: if its components are those of a photo or of many bands, or of a model
    file, or features were scaled.
    """
    header, variances = compressed.header, np.asarray(compressed.spectrum, np.float64)
    plain = not header.traits.separable and not header.traits.absorbs_scale and header.scale_bits is None
    if not plain or compressed.basis is not None or not compressed.k <= len(variances):
        return None
    kept = np.zeros(len(variances), bool)
    kept[: compressed.k] = True
    kept[[number - 1 for number in left_out if number <= compressed.k]] = False
    lost = float(variances[~kept].sum())
    count = header.n_samples
    error = (count - 1) / count * lost / header.n_features if lost > _DUST * float(variances.sum()) else 0.0
    return psnr_of_mse(error, header.peak)


def preparation_of(compressed: Compressed) -> Preparation:
    """Return how the features of an image were scaled; ``NONE`` if the file has no components.

    Files of many bands do not store it, as decoding does not need it, but their vectors reveal it: those of
    plain components have unit length. The variances of standardised bands add up to the number of bands; for
    whitened data the noise alone adds up to as much, and the signal comes on top. FormatError if the
    components are damaged.
    """
    header = compressed.header
    if not header.traits.absorbs_scale:
        return Preparation.NONE if header.scale_bits is None else Preparation.STANDARDIZED
    from pcaimage.codec.linear.coding import decode_vectors  # noqa: PLC0415 - photos have none

    # A component that is left out has zero length; the first one is the most precise.
    rows = decode_vectors(compressed)[2]
    for component, row in zip(compressed.components, rows, strict=True):
        length = float(np.linalg.norm(np.ldexp(row.astype(np.float64), -component.precision)))
        if length > 0:
            plain = abs(length - 1) < _UNIT
            return Preparation.NONE if plain else _scaled(compressed)
    return Preparation.NONE


def _scaled(compressed: Compressed) -> Preparation:
    header = compressed.header
    most = _MOST * header.n_features * header.n_samples / max(header.n_samples - 1, 1)
    return Preparation.MNF if compressed.spectrum.sum() > most else Preparation.STANDARDIZED


def error_bound(compressed: Compressed) -> float | None:
    """Return the largest possible error of a file's values: 0 if they are exact, None if it is unbounded.

    Those of an array are meant where it has one. FormatError if the corrections are damaged.
    """
    found = _error_of_image(compressed)
    return found if compressed.values is None else Values.of(compressed.values).bound(found)


def peak_of(compressed: Compressed) -> float | None:
    """Return what errors of a file's values are relative to; None of an array without errors."""
    unit = 1.0 if compressed.values is None else Values.of(compressed.values).unit
    return None if unit is None else compressed.header.peak * unit


def pixels_of(compressed: Compressed) -> tuple[int, ...]:
    """Return the shape that sizes are told of, with bands last."""
    return compressed.header.shape if compressed.values is None else Values.of(compressed.values).planes


def _error_of_image(compressed: Compressed) -> float | None:
    header, residual = compressed.header, compressed.residual
    if residual is None:
        return 0.0 if compressed.tiles is not None and isinstance(header.sampling, Stack) else None
    if not header.traits.bounds_errors:
        return 0.0
    error = read_varint(residual, 0)[0] // 2
    # Rounding real numbers to their unit adds half a unit.
    return (error + 0.5) * 2.0**-header.value_bits if header.dtype == "float32" else float(error)


def nodata_of(compressed: Compressed) -> float | None:
    """Return the value that marks missing data in a file; None if no data are missing.

    FormatError if the mask is damaged.
    """
    if compressed.missing is None:
        return None
    try:
        value: float = _NODATA.unpack_from(compressed.missing)[0]
    except struct.error as error:
        raise FormatError("The mask of what was not measured is damaged.") from error
    return value

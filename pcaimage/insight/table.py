"""What every component explains, what it costs, and what is left out when it is the last one kept."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Analysis, Header, Preparation, Spectrum
from pcaimage.insight.rows import ComponentRows
from pcaimage.insight.scale import SCALES
from pcaimage.pca import cumulative_shares
from pcaimage.quality import psnr_of_mse

Floats = NDArray[np.float64]


def component_rows(
    spectrum: Spectrum | Floats,
    header: Header,
    *,
    total: float | None = None,
    axes: NDArray[np.int64] | None = None,
    of_components: NDArray[np.int64] | None = None,
    prepared: Preparation = Preparation.NONE,
) -> ComponentRows:
    """Return the figures of every component.

    If the first k components are kept and nothing is rounded, the mean squared error of the pixels is what
    the others explain,

        MSE(k) = (n − 1) / n · Σ_{j>k} λ_j g_j / d

    for n samples of d features, since scores on different components are uncorrelated and variances have the
    divisor n − 1 [1]_. g_j = Σ_f (v_jf s_f)² is 1 unless features were divided by deviations s, or
    their noise was whitened. Rounding to
    whole values and limiting them to their range is not counted, and pixels by which edges are padded to
    whole blocks are.

    Parameters
    ----------
    spectrum : Spectrum, or ndarray of float64, shape (n,)
        The image's components, or where there is only a file their explained variances.
    header : Header
        The image's.
    total : float, optional
        For variances alone, that of all features, if more than the sum is known. NaN if the variances are
        those of the first components only: then quality is unknown.
    axes : ndarray of int64, shape (n,), optional
        The channel axis of each of a photo's components, counted from 1; see :func:`channel_axes`.
    of_components : ndarray of int64, shape (k,), optional
        Measured bytes of the first components, from :attr:`Parts.of_components`.
    prepared : Preparation, default Preparation.NONE
        What was done to features before the analysis, which tells how variances are called.

    Returns
    -------
    ComponentRows
        With none of them kept; see :meth:`ComponentRows.kept`.

    References
    ----------
    .. [1] I. T. Jolliffe, "Principal Component Analysis", 2nd ed., Springer 2002, section 6.1.
       :doi:`10.1007/b98835`
    """
    variances, known, hidden = _variances(spectrum, total)
    whole = spectrum.total_variance if isinstance(spectrum, Spectrum) else total
    if whole is None or not whole > 0:
        whole = float(variances.sum())
    bits = np.full(len(variances), np.nan)
    if of_components is not None:
        measured = of_components[: len(variances)]
        bits[: len(measured)] = 8.0 * measured
    shares = variances / whole if whole > 0 else np.zeros(len(variances))
    cumulative = cumulative_shares(variances, whole)[1:] if whole > 0 else np.ones(len(variances))
    psnr = _psnr(known, hidden, header)
    return ComponentRows(variances, shares, cumulative, bits, psnr, axes, scale=SCALES[prepared])


def _variances(spectrum: Spectrum | Floats, total: float | None) -> tuple[Floats, Floats, float]:
    """Return variances, variances in squared pixel values, and what no component explains in those."""
    if not isinstance(spectrum, Spectrum):
        variances = np.maximum(np.nan_to_num(np.asarray(spectrum, np.float64)), 0.0)
        return variances, variances, 0.0 if total is None else total - float(variances.sum())
    variances = np.maximum(spectrum.variances, 0.0)
    hidden = max(spectrum.total_variance - float(variances.sum()), 0.0)
    if isinstance(spectrum, Analysis):
        return variances, variances * spectrum.gains, hidden * float(np.mean(spectrum.pca.scale_**2))
    return variances, variances, hidden


def _psnr(variances: Floats, hidden: float, header: Header) -> Floats:
    behind = np.concatenate([np.cumsum(variances[::-1])[::-1][1:], [0.0]])[: len(variances)]
    # Of what only rounding made, nothing is left.
    total = float(variances.sum()) + hidden
    left = behind + (hidden if math.isnan(hidden) or hidden > 1e-9 * total else 0.0)
    count = header.n_samples
    errors = (count - 1) / count * left / header.n_features
    return np.array([math.nan if math.isnan(e) else psnr_of_mse(e, header.peak) for e in errors.tolist()])


def channel_axes(header: Header) -> NDArray[np.int64] | None:
    """Return which channel axis each of a photo's components describes.

    Parameters
    ----------
    header : Header
        The image's.

    Returns
    -------
    ndarray of int64, shape (n_components,), or None
        Counted from 1; None for other methods.
    """
    if not header.traits.separable:
        return None
    from pcaimage.codec.photo.layout import PER_CHANNEL  # noqa: PLC0415 - loaded for photos only
    from pcaimage.codec.photo.tables import Tables  # noqa: PLC0415

    planes = Tables.of(header.tables).components(header.shape[-1]).planes
    axes: NDArray[np.int64] = planes // PER_CHANNEL + 1
    return axes

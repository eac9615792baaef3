"""Estimates of files that also keep what the reconstruction lacks. No Qt here."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from pcaimage.codec import Estimate, Spectrum
from pcaimage.progress import Progress
from pcaimage.quality import psnr_of_mse


def with_corrections(estimate: Estimate, analysis: Spectrum, bound: float, progress: Progress) -> Estimate:
    """Add what corrections cost and buy to an estimate.

    Parameters
    ----------
    estimate : Estimate
        Of a file without them.
    analysis : Spectrum
        The components of many bands.
    bound : float
        How far values may be off.
    progress : Progress
        Told of the work done.

    Returns
    -------
    Estimate
        Of the file with them.
    """
    # Its loops are compiled: loaded where they are needed.
    from pcaimage.codec.bands.analysis import BandsAnalysis  # noqa: PLC0415
    from pcaimage.codec.bands.nearness import corrections  # noqa: PLC0415

    bands = cast("BandsAnalysis", analysis)
    found = corrections(bands, estimate.k, estimate.step, bound, progress)
    psnr = psnr_of_mse(found.mse, analysis.header.peak)
    return replace(estimate, n_bytes=estimate.n_bytes + round(found.n_bytes), mse=found.mse, psnr=psnr)

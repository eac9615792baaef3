"""Estimates of what may be wanted next, and of files that keep what reconstructions lack. No Qt here."""

from __future__ import annotations

from dataclasses import replace

from pcaimage.codec import Estimate, Rates, Spectrum, corrections
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.setting import Setting
from pcaimage.progress import Progress
from pcaimage.quality import psnr_of_mse

NEAR = 4.0
"""A photo's estimates are made ready for steps up to so many times larger or smaller than the present one."""


def look_ahead(rates: Rates, fit: Fit, now: Setting, progress: Progress) -> None:
    """Have estimates ready for what the user may want next.

    Parameters
    ----------
    rates : Rates
        Of the components.
    fit : Fit
        They.
    now : Setting
        What is kept at present.
    progress : Progress
        Told of the work done.
    """
    if not fit.preview.header.traits.costly_trials:
        rates.curve(progress)
        return
    # Of a photo, those of all steps would take the better part of a minute.
    step = float(fit.step(now.k, now.chosen_step))
    near = [k for k in range(1, fit.n_components + 1) if 1 / NEAR <= float(fit.step(k, None)) / step <= NEAR]
    for done, k in enumerate(sorted(near, key=lambda k: abs(k - now.k))):
        progress(done, len(near))
        rates.estimate(k)


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
    found = corrections(analysis, estimate.k, estimate.step, bound, progress)
    psnr = psnr_of_mse(found.mse, analysis.header.peak)
    return replace(estimate, n_bytes=estimate.n_bytes + round(found.n_bytes), mse=found.mse, psnr=psnr)

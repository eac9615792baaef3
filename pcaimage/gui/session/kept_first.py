"""How many components are kept before the user has said so. No Qt here."""

from __future__ import annotations

import numpy as np

from pcaimage.codec import Settings
from pcaimage.codec.encoder import resolve
from pcaimage.codec.spectrum import Spectrum
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.setting import Setting

FIRST_VARIANCE = 0.99
"""Share of the variance that is kept of an image that was just opened."""

FIRST_RATIO = 1.0
"""The ratio of signal and noise of components that are kept of an image whose noise was whitened."""

FIRST_STEP = 32.0
"""The step at which a photo of 8 bits that was just opened is shown: some 35 dB."""


def first_k(fit: Fit) -> int:
    """Return how many components are kept of an image that was just opened.

    Parameters
    ----------
    fit : Fit
        Its components.

    Returns
    -------
    int
        Those that explain enough of the variance; where noise is whitened, those with more signal than noise;
        of a photo, which needs nearly all of the variance, those that stand out of a step at which little is
        seen of it.
    """
    header = fit.preview.header
    if fit.choice.whitens:
        return max(1, int(np.count_nonzero(fit.variances > 1 + FIRST_RATIO)))
    return (
        _k_for_step(fit, FIRST_STEP * header.peak / 255)
        if header.traits.visual
        else fit.k_for_variance(FIRST_VARIANCE)
    )


def setting_within(analysis: Spectrum, bound: float) -> Setting:
    """Return the setting that makes a file small whose values are near enough.

    Parameters
    ----------
    analysis : Spectrum
        Components of many bands.
    bound : float
        How far values may be off.

    Returns
    -------
    Setting
        As the library chooses k and step.
    """
    k, step = resolve(analysis, Settings(max_error=bound))
    return Setting(k, None, tuned=None if step == analysis.step_for(k) else float(step))


def k_like(fit: Fit, other: Fit, k: int) -> int:
    """Return how many components keep about as much of an image as some of another method.

    Parameters
    ----------
    fit, other : Fit
        Of the image, and by another method.
    k : int
        How many of the other's components.

    Returns
    -------
    int
        From 1 to n_components.
    """
    if fit.choice.whitens != other.choice.whitens:
        return first_k(fit)  # shares are of something else
    photos = [each.choice.method == "photo" for each in (fit, other)]
    if all(photos) or not any(photos):
        return fit.k_for_variance(other.ratio(k))
    if fit.choice.standardize or other.choice.standardize:
        return first_k(fit)  # steps are in other units
    return _k_for_step(fit, float(other.step(k, None)))


def _k_for_step(fit: Fit, step: float) -> int:
    """Return how many components stand out of a step, but not all: to all belongs the finest step."""
    found = fit.n_components if fit.analysis is None else fit.analysis.k_for_step(step)
    return max(1, min(found, fit.n_components - 1))

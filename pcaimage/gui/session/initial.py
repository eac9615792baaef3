"""The setting that new components begin with, before the user has chosen one. No Qt here."""

from __future__ import annotations

import numpy as np

from pcaimage.codec import Settings
from pcaimage.codec.encoder import resolve
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.setting import Setting

FIRST_VARIANCE = 0.99
"""The share of the variance that is kept at first."""
FIRST_RATIO = 1.0
"""The signal-to-noise ratio of the components that are kept at first where noise is whitened."""
FIRST_STEP = 32.0
"""The step of a photo of 8 bits at first: some 35 dB."""


def first_setting(fit: Fit, step: float | None = None) -> Setting:
    """Return the setting of an image that was just opened; `step` is the user's, where there is one."""
    return _within_bound(fit) or Setting(first_k(fit), step)


def setting_like(fit: Fit, other: Fit, setting: Setting) -> Setting:
    """Return the setting that keeps about as much of an image as a setting of other components of it."""
    return _within_bound(fit) or Setting(k_like(fit, other, setting.k), setting.step)


def first_k(fit: Fit) -> int:
    """Return how many components are kept of an image that was just opened.

    They explain enough of the variance; where noise is whitened, they have more signal than noise; of a
    photo, which needs nearly all of the variance, they stand out of a step at which little loss is seen.
    """
    header = fit.preview.header
    if fit.choice.whitens:
        return max(1, int(np.count_nonzero(fit.variances > 1 + FIRST_RATIO)))
    if fit.choice.method == "photo":
        return _k_for_step(fit, FIRST_STEP * header.peak / 255)
    return fit.k_for_variance(FIRST_VARIANCE)


def _within_bound(fit: Fit) -> Setting | None:
    """Return k and step as the library chooses them where a greatest error is promised."""
    if fit.choice.bound is None or fit.analysis is None:
        return None
    k, step = resolve(fit.analysis, Settings(max_error=fit.choice.bound))
    return Setting(k, None, tuned=None if step == fit.analysis.step_for(k) else float(step))


def k_like(fit: Fit, other: Fit, k: int) -> int:
    """Return how many components keep about as much of an image as k components of another fit."""
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

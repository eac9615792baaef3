"""Traits of the methods that matter to callers, known from a header without loading a method."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.sampling import Bands, Lapped, Sampling


@dataclass(frozen=True)
class Traits:
    """Properties of a compression method.

    Components are `separable` if they are products of a channel axis and one-dimensional bases, as many as
    features: files then hold these instead of a vector for each component. A `visual` method is meant for
    viewing: by default k follows from a step with little visible loss, rather than from a share of the
    variance. One that `leads_with_means` begins with components, one for each channel, that are the means of
    blocks, which make a thumbnail. Trials are costly where quantising takes as long as encoding, and
    estimates at fine steps are slow: searches then make few, and keep their results.
    """

    separable: bool = False
    visual: bool = False
    leads_with_means: bool = False
    costly_trials: bool = False
    lossless: bool = False  # a file may hold a residual that makes its reconstruction exact
    bounds_errors: bool = False  # the residual may instead bound the error of every value
    masks_missing: bool = False  # a file may mark missing data
    streams_lines: bool = False  # images are read and decoded in strips, large ones mapped from files
    absorbs_scale: bool = False  # components include the features' deviations, which are not stored


_PHOTO = Traits(separable=True, visual=True, leads_with_means=True, costly_trials=True, lossless=True)
_BANDS = Traits(lossless=True, bounds_errors=True, masks_missing=True, streams_lines=True, absorbs_scale=True)
_BLOCKS = Traits()


def traits_of(sampling: Sampling) -> Traits:
    """Return the traits of the method for a kind of samples."""
    if isinstance(sampling, Lapped):
        return _PHOTO
    return _BANDS if isinstance(sampling, Bands) else _BLOCKS

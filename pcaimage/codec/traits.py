"""Traits of the methods that matter to callers, known from a header without loading a method."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.sampling import Bands, Lapped, Sampling


@dataclass(frozen=True)
class Traits:
    """Properties of a compression method.

    Parameters
    ----------
    separable : bool, default False
        Whether components are products of a channel axis and one-dimensional bases, as many as features.
        Files then hold those axes and bases instead of a vector for each component.
    visual : bool, default False
        Whether the method is meant for viewing: by default k follows from a step with little visible loss,
        rather than from a share of the variance.
    leads_with_means : bool, default False
        Whether the first components, one for each channel, are the means of blocks, which make a thumbnail.
    costly_trials : bool, default False
        Whether quantising takes as long as encoding, and estimates at fine steps are slow. Searches then make
        few trials, and keep their results.
    lossless : bool, default False
        Whether a file may hold a residual that makes its reconstruction exact.
    bounds_errors : bool, default False
        Whether the residual may instead bound the error of every value.
    masks_missing : bool, default False
        Whether a file may mark missing data.
    streams_lines : bool, default False
        Whether images are read and decoded in strips of lines, and large ones mapped from files.
    absorbs_scale : bool, default False
        Whether stored components include the features' standard deviations, which are then not stored.
    """

    separable: bool = False
    visual: bool = False
    leads_with_means: bool = False
    costly_trials: bool = False
    lossless: bool = False
    bounds_errors: bool = False
    masks_missing: bool = False
    streams_lines: bool = False
    absorbs_scale: bool = False


_PHOTO = Traits(separable=True, visual=True, leads_with_means=True, costly_trials=True, lossless=True)
_BANDS = Traits(lossless=True, bounds_errors=True, masks_missing=True, streams_lines=True, absorbs_scale=True)
_BLOCKS = Traits()


def traits_of(sampling: Sampling) -> Traits:
    """Return the traits of the method for a kind of samples."""
    if isinstance(sampling, Lapped):
        return _PHOTO
    return _BANDS if isinstance(sampling, Bands) else _BLOCKS

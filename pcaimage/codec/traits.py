"""What sets the methods apart for their callers: known from a header, without loading a method."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.sampling import Bands, Lapped, Sampling


@dataclass(frozen=True)
class Traits:
    """Properties of a compression method.

    Parameters
    ----------
    separable : bool, default False
        Whether components are products of a channel axis and one-dimensional bases, as many as there are
        features. Files then hold those axes and bases instead of a vector for each component.
    visual : bool, default False
        Whether the method is made for looking at images: by default k follows from a step at which little is
        seen, rather than from a share of the variance.
    leads_with_means : bool, default False
        Whether the first components, one for each channel, are the means of blocks. They are a thumbnail.
    costly_trials : bool, default False
        Whether rounding an image takes as long as encoding it, and estimates at fine steps are slow. Searches
        then make few trials, and their results are worth keeping.
    lossless : bool, default False
        Whether a file may hold a residual, which makes its reconstruction exact.
    bounds_errors : bool, default False
        Whether the residual may also leave an error, which no value exceeds.
    masks_missing : bool, default False
        Whether a file may say which values were not measured.
    streams_lines : bool, default False
        Whether images are read and decoded line by line, and mapped from files where they are large.
    absorbs_scale : bool, default False
        Whether stored components include the standard deviations of features, which are not stored then.
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
    """Return the properties of the method that compresses samples of a kind."""
    if isinstance(sampling, Lapped):
        return _PHOTO
    return _BANDS if isinstance(sampling, Bands) else _BLOCKS

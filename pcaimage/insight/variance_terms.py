"""Words for explained variances, which depend on how features were prepared."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.codec import Preparation


@dataclass(frozen=True)
class VarianceTerms:
    """Words for variances."""

    symbol: str  # before a number
    axis: str  # title of an axis, which may be short
    title: str  # of a column
    about: str  # one sentence
    of: str  # the quantity that shares refer to


_ALONG = "The explained variance: how far the samples spread along this component"
TERMS = {
    Preparation.NONE: VarianceTerms(
        "λ", "λ", "Variance λ", f"{_ALONG}, in squared pixel values.", "of the variance"
    ),
    Preparation.STANDARDIZED: VarianceTerms(
        "λ",
        "λ",
        "Variance λ",
        f"{_ALONG}, where each feature was divided by its standard deviation first.",
        "of the variance",
    ),
    Preparation.MNF: VarianceTerms(
        "λ = SNR + 1",
        "SNR + 1",
        "λ = SNR + 1",
        "The variance along this component where the noise, which was whitened first, has a variance of 1: "
        "its signal-to-noise ratio plus 1.",
        "of the variance in units of noise",
    ),
}
"""Terms by the preparation of features before the analysis."""

PLAIN = TERMS[Preparation.NONE]

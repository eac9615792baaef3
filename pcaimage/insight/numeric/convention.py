"""Conventions by which textbooks and programs differ in the numbers of the same PCA."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Divisor(StrEnum):
    """Divisor of sums of squares and products, for n samples."""

    N_MINUS_1 = "n-1"
    """The unbiased estimate, as in `numpy.cov`, scikit-learn and R."""
    N = "n"
    """The mean of the products, the maximum-likelihood estimate."""
    NONE = "none"
    """The undivided sums: the scatter matrix, XᵀX."""

    def of(self, count: int) -> int:
        """Return the divisor for a number of samples; 1 for undivided sums."""
        return {Divisor.N_MINUS_1: count - 1, Divisor.N: count, Divisor.NONE: 1}[self]

    @property
    def words(self) -> str:
        """Its notation in formulas: ``n − 1``, ``n`` or ``1``."""
        return {Divisor.N_MINUS_1: "n − 1", Divisor.N: "n", Divisor.NONE: "1"}[self]


class Sigma(StrEnum):
    """Standard deviations by which features are divided."""

    NONE = "none"
    """Features keep their units."""
    N_MINUS_1 = "n-1"
    """Divided by the deviation with the divisor n − 1, as R's `scale` does."""
    N = "n"
    """Divided by the deviation with the divisor n, as scikit-learn's `StandardScaler` does."""


@dataclass(frozen=True)
class Convention:
    """The convention by which a table becomes the matrix that is decomposed.

    Without centring, components are the directions of the largest mean square, and the first one points
    towards the mean. Sigma is the standard deviation, about the mean, by which each feature is divided; the
    divisor is that of sums of squares and products.
    """

    centre: bool = True
    sigma: Sigma = Sigma.NONE
    divisor: Divisor = Divisor.N_MINUS_1

    @property
    def standardized(self) -> bool:
        """Whether features are divided by their standard deviations."""
        return self.sigma is not Sigma.NONE

    @property
    def correlation(self) -> bool:
        """Whether the matrix is the correlation matrix: its diagonal is 1."""
        return self.centre and self.standardized and self.sigma.value == self.divisor.value

    @property
    def matrix_name(self) -> str:
        """Name of the matrix that is decomposed."""
        if self.correlation:
            return "Correlation (covariance of the standardised features)"
        kind = " of the standardised features" if self.standardized else ""
        if self.divisor is Divisor.NONE:
            return f"Scatter matrix XᵀX, undivided{kind and ','}{kind}"
        centred = "" if self.centre else ", not centred,"
        return f"{self.products.capitalize()}{centred}{kind}".rstrip(",")

    @property
    def squares(self) -> str:
        """What the diagonal of the matrix has, which is a variance of centred samples only."""
        if self.divisor is Divisor.NONE:
            return "sum of squares"
        if self.centre:
            return "variance"
        return "mean square" if self.divisor is Divisor.N else "squares / (n − 1)"

    @property
    def products(self) -> str:
        """What the matrix has off its diagonal: covariances of centred samples."""
        words = {"variance": "covariance", "mean square": "mean product"}
        return words.get(self.squares, self.squares.replace("squares", "products"))

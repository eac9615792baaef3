"""Conventions of texts about PCA, under which the numbers that they print come out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcaimage.insight.lab.data import Floats
from pcaimage.insight.numeric import Convention, Divisor, Sigma


@dataclass(frozen=True)
class Text:
    """A text's convention of PCA.

    Parameters
    ----------
    key, title : str
        Its name in programs, and its title.
    convention : Convention
        Centring, deviation and divisor.
    in_columns : bool
        Whether it writes samples as columns.
    ascending : bool
        Whether it lists the smallest eigenvalue first.
    whole : bool
        Whether it writes eigenvectors in whole numbers rather than with length 1.
    table : str or None
        The built-in table that it works through.
    """

    key: str
    title: str
    convention: Convention
    in_columns: bool = False
    ascending: bool = False
    whole: bool = False
    table: str | None = None


TEXTS: tuple[Text, ...] = (
    Text(
        "linear-algebra",
        "Linear Algebra in ML: PCA",
        Convention(divisor=Divisor.NONE),
        in_columns=True,
        ascending=True,
        table="five-features",
    ),
    Text("encoder", "Principal Component Analysis", Convention(centre=False, divisor=Divisor.NONE)),
    Text(
        "tacos",
        "Unveiling Dimensionality Reduction",
        Convention(sigma=Sigma.N),
        whole=True,
        table="three-prices",
    ),
    Text("under-the-hood", "PCA under the hood", Convention(sigma=Sigma.N_MINUS_1), in_columns=True),
    Text(
        "notes",
        "Principle Component Analysis",
        Convention(sigma=Sigma.N, divisor=Divisor.N),
        table="two-units",
    ),
)
"""The texts that the course follows."""


def differences(convention: Convention) -> tuple[str, ...]:
    """Return how figures by a convention differ from those of scikit-learn's PCA, one sentence each."""
    found = list[str]()
    if not convention.centre:
        found.append("The mean is left in: eigenvalues are mean squares, and scikit-learn always centres.")
    if convention.sigma is Sigma.N_MINUS_1:
        found.append("Deviations have the divisor n − 1; those of scikit-learn's StandardScaler have n.")
    if convention.divisor is Divisor.NONE:
        found.append("Sums are not divided: eigenvalues are n − 1 times those of scikit-learn.")
    if convention.divisor is Divisor.N:
        found.append("The divisor is n: eigenvalues are (n − 1) / n times those of scikit-learn.")
    return tuple(found)


def whole_numbers(vector: Floats, most: int = 12) -> Floats | None:
    """Return a nonzero vector in the smallest whole numbers of the same ratios, to 1e-9.

    None if the largest would be above `most`.
    """
    largest = float(np.abs(vector).max())
    for factor in range(1, most + 1):
        scaled = vector / largest * factor
        rounded = np.round(scaled)
        if np.abs(scaled - rounded).max() <= 1e-9 * factor:
            return rounded + 0.0
    return None

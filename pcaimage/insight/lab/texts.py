"""Conventions of texts about PCA, under which the numbers that they print come out."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.insight.numeric import Convention, Divisor, Sigma


@dataclass(frozen=True)
class Text:
    """A text's convention of PCA: its name in programs, its title, and how it centres, scales and divides."""

    key: str
    title: str
    convention: Convention


TEXTS: tuple[Text, ...] = (
    Text("linear-algebra", "Linear Algebra in ML: PCA", Convention(divisor=Divisor.NONE)),
    Text("encoder", "Principal Component Analysis", Convention(centre=False, divisor=Divisor.NONE)),
    Text("tacos", "Unveiling Dimensionality Reduction", Convention(sigma=Sigma.N)),
    Text("under-the-hood", "PCA under the hood", Convention(sigma=Sigma.N_MINUS_1)),
    Text("notes", "Principle Component Analysis", Convention(sigma=Sigma.N, divisor=Divisor.N)),
)
"""The texts that the course follows."""


def differences(convention: Convention) -> tuple[str, ...]:
    """Return how figures by a convention differ from those of scikit-learn's PCA, one sentence each."""
    found = list[str]()
    if not convention.centre:
        words = {Divisor.N_MINUS_1: "sums of squares over n − 1", Divisor.N: "mean squares"}
        squares = words.get(convention.divisor, "sums of squares")
        found.append(
            f"The mean is left in, which scikit-learn always subtracts: eigenvalues are {squares} about zero."
        )
    if convention.sigma is Sigma.N_MINUS_1:
        found.append("Deviations have the divisor n − 1; those of scikit-learn's StandardScaler have n.")
    if convention.divisor is not Divisor.N_MINUS_1:
        undivided = convention.divisor is Divisor.NONE
        found.append("Sums are not divided." if undivided else "The divisor is n instead of n − 1.")
    if found and convention.centre:
        found.append(f"Eigenvalues are {_FACTORS[convention.sigma, convention.divisor]} times those there.")
    return tuple(found)


_FACTORS = {
    (sigma, divisor): factors[sigma is Sigma.N_MINUS_1]
    for sigma in Sigma
    for divisor, factors in {
        Divisor.N_MINUS_1: ("1", "(n − 1) / n"),
        Divisor.N: ("(n − 1) / n", "(n − 1)² / n²"),
        Divisor.NONE: ("n − 1", "(n − 1)² / n"),
    }.items()
}
"""Eigenvalues of centred samples over those of scikit-learn, of standardised ones by its StandardScaler."""

"""Typed answers: what they are compared with, and how."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.state import LabState
from pcaimage.pca import components_for_ratio, cumulative_shares


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and a sentence about it."""

    right: bool
    words: str


@dataclass(frozen=True)
class Quantity:
    """A quantity of the PCA of a state, however far its basis is turned; signs of rows may be arbitrary."""

    title: str
    of: Callable[[LabState], Floats]
    either_sign: bool = False

    def at(self, state: LabState, places: tuple[int, ...]) -> Floats:
        """Return its entries, flat; places from 1 choose a row, and an entry of it. SettingsError if none."""
        found = np.atleast_1d(self.of(state))
        for place in places:
            if not found.ndim or not 1 <= place <= len(found):
                raise SettingsError(f"There is no number {place} of the {self.title.lower()}.")
            found = found[place - 1]
        return np.ravel(found)


def _scores(state: LabState) -> Floats:
    """Return the scores, a row for each component."""
    return state.prepared.pca.components @ state.prepared.samples.T


def _reconstruction(state: LabState) -> Floats:
    kept = state.prepared.pca.components[: state.k]
    found: Floats = state.prepared.samples @ kept.T @ kept * state.prepared.widths + state.prepared.shift
    return found


def _first_angle(state: LabState) -> Floats:
    """Return the angle of the line of most variance in the plane, in degrees."""
    return np.array([np.degrees(state.basis.best_angle(*state.plane))])


QUANTITIES: dict[str, Quantity] = {
    "mean": Quantity("Mean of each feature", lambda s: s.prepared.mean),
    "deviations": Quantity("Standard deviation of each feature", lambda s: s.prepared.deviations),
    "prepared": Quantity("Prepared samples", lambda s: s.prepared.samples),
    "matrix": Quantity("Matrix C", lambda s: s.prepared.matrix),
    "correlation": Quantity("Correlations", lambda s: s.prepared.correlation),
    "trace": Quantity("Trace of C", lambda s: np.array(s.prepared.trace)),
    "angle": Quantity("Angle of the best line in degrees", _first_angle),
    "eigenvalues": Quantity("Eigenvalues", lambda s: s.prepared.pca.variances),
    "components": Quantity("Components", lambda s: s.prepared.pca.components, either_sign=True),
    "scores": Quantity("Scores on each component", _scores, either_sign=True),
    "shares": Quantity(
        "Share that the first k components keep", lambda s: cumulative_shares(s.prepared.pca.variances)[1:]
    ),
    "k95": Quantity(
        "Fewest components for 95 %", lambda s: np.array(components_for_ratio(s.prepared.pca.variances, 0.95))
    ),
    "error": Quantity(
        "Variance that k components leave out", lambda s: np.array(s.prepared.pca.variances[s.k :].sum())
    ),
    "reconstruction": Quantity("Reconstruction from k components", _reconstruction),
}
"""The quantities by name; each is computed from the samples, so that a table can be exchanged."""

_PART = re.compile(r"([+-]?)(√?)([0-9]+[.,]?[0-9]*|[.,][0-9]+)(e[+-]?[0-9]+)?(%?)", re.IGNORECASE)
_ROOT = re.compile(r"(?:√|sqrt)\s*\(?\s*", re.IGNORECASE)
_SIGNS = str.maketrans("−–;[](){}", "--" + " " * 7)
_LONGEST = 40  # letters of a number


def judged(typed: str, wanted: tuple[float, ...] | str, tolerance: float, *, either_sign: bool) -> Verdict:
    """Compare an answer with the right one: a word letter by letter, numbers within a tolerance."""
    if isinstance(wanted, str):
        right = "".join(typed.split()).casefold() == "".join(wanted.split()).casefold()
        return Verdict(right, "Right." if right else "That is not it.")
    found = numbers_in(typed, len(wanted))
    if found is None:
        count = "a number" if len(wanted) == 1 else f"{len(wanted)} numbers, with spaces between them"
        return Verdict(False, f"Type {count}.")
    off = np.abs(np.array(found) - wanted)
    if either_sign:
        off = min(off, np.abs(np.array(found) + wanted), key=lambda each: float(each.max()))
    wrong = np.flatnonzero(~(off <= tolerance * (1 + 1e-9) + 1e-12))
    if not wrong.size:
        return Verdict(True, "Right.")
    which = "" if len(wanted) == 1 else f" Number {wrong[0] + 1} is off."
    return Verdict(False, f"Not yet.{which}")


def numbers_in(text: str, count: int) -> list[float] | None:
    """Return so many numbers of a text, or None: with points or commas, fractions, roots, and per cent."""
    plain = _ROOT.sub("√", text).translate(_SIGNS)
    # Commas stand between numbers, or before decimals.
    for pieces in (re.split(r"[,\s]+", plain), re.split(r"(?:,\s|\s)+", plain)):
        found = [_number(each) for each in pieces if each]
        if len(found) == count and None not in found:
            return [each for each in found if each is not None]
    return None


def _number(text: str) -> float | None:
    above, slash, below = text.partition("/")
    one, other = _plain(above), _plain(below) if slash else 1.0
    return one / other if one is not None and other else None


def _plain(text: str) -> float | None:
    found = _PART.fullmatch(text)
    if found is None or len(text) > _LONGEST:
        return None
    sign, root, digits, power, percent = found.groups()
    value = float(digits.replace(",", ".") + (power or ""))
    value = (value**0.5 if root else value) / (100 if percent else 1)
    return -value if sign == "-" else value

"""Eigenvalues and eigenvectors worked through as on paper, in words and numbers."""

from __future__ import annotations

import numpy as np

from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.elimination import MOST_BY_HAND, characteristic, reduced
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.texts import whole_numbers
from pcaimage.insight.numeric.ties import ties

_HIGH = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def by_hand(state: LabState) -> str:
    """Return the characteristic polynomial, its roots, and the eigenvectors by elimination, as text.

    More than six features get a sentence instead: nobody would do that by hand.
    """
    matrix = state.prepared.matrix
    if len(matrix) > MOST_BY_HAND:
        return (
            f"With {len(matrix):,} features nobody finds eigenvalues by hand. Up to {MOST_BY_HAND} are shown."
        )
    values = state.prepared.pca.variances.tolist()
    runs = [run for run in ties(values) if len(run) > 1]
    firsts = [index for index in range(len(values)) if not any(index in run[1:] for run in runs)]
    lines = [f"det(λI − C) = {_polynomial(characteristic(matrix))} = 0"]
    lines.append("λ = " + ", ".join(figure(_clean(value, values), 5) for value in values))
    for first in firsts:
        lines += ["", *_solved(matrix, _clean(values[first], values))]
    if runs:
        lines += ["", "Eigenvectors of equal eigenvalues are arbitrary: any basis of their space will do."]
    return "\n".join(lines)


def _clean(value: float, values: list[float]) -> float:
    return 0.0 if abs(value) <= 1e-12 * max(values[0], 0.0) else value


def _solved(matrix: Floats, value: float) -> list[str]:
    found = reduced(matrix, value)
    lines = [f"(C − λI) v = 0 for λ = {figure(value, 5)}:"]
    for before, after in zip(found.stages[0].tolist(), found.stages[-1].tolist(), strict=True):
        lines.append(f"  {_row(before)}   →   {_row(after)}")
    for solution in found.solutions:
        whole = whole_numbers(solution)
        shown = solution if whole is None else whole
        length = float(np.linalg.norm(shown))
        unit = ", ".join(figure(each, 4) for each in (shown / length).tolist())
        vector = ", ".join(figure(each, 4) for each in shown.tolist())
        lines.append(f"  v = ({vector}), length {figure(length, 4)}; of length 1: ({unit})")
    return lines


def _row(numbers: list[float]) -> str:
    return "[" + "  ".join(figure(number, 4).rjust(9) for number in numbers) + " ]"


def _polynomial(coefficients: Floats) -> str:
    degree, parts = len(coefficients) - 1, list[str]()
    dust = 1e-12 * float(np.abs(coefficients).max())
    for place, value in enumerate(coefficients.tolist()):
        power = degree - place
        if abs(value) <= dust:
            continue
        symbol = "" if power == 0 else "λ" if power == 1 else "λ" + str(power).translate(_HIGH)
        number = "" if symbol and value == 1 else figure(abs(value), 4)
        sign = ("" if not parts else " + ") if value > 0 else " − "
        parts.append(sign + " ".join(part for part in (number, symbol) if part))
    return "".join(parts)

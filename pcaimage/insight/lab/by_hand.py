"""Eigenvalues and eigenvectors worked through as on paper, in words and numbers."""

from __future__ import annotations

import numpy as np

from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.elimination import MOST_BY_HAND, characteristic, eigenvalues, reduced
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.texts import whole_numbers
from pcaimage.insight.numeric import ties

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
    values = eigenvalues(matrix).tolist()
    runs = [run for run in ties(values) if len(run) > 1]
    firsts = [index for index in range(len(values)) if not any(index in run[1:] for run in runs)]
    lines = [f"det(λI − C) = {_polynomial(characteristic(matrix))} = 0"]
    lines.append("λ = " + ", ".join(figure(value, 5) for value in values))
    for first in firsts:
        equal = next((len(run) for run in runs if run.start == first), 1)
        lines += ["", *_solved(matrix, values[first], equal)]
    if runs:
        lines += ["", "Eigenvectors of equal eigenvalues are arbitrary: any basis of their space will do."]
    return "\n".join(lines)


def _solved(matrix: Floats, value: float, equal: int) -> list[str]:
    found = reduced(matrix, value)
    if len(found.free) != equal or not found.is_certain:
        return [f"For λ = {figure(value, 5)} the scales of the features differ too much: standardise them."]
    lines = [f"(C − λI) v = 0 for λ = {figure(value, 5)}:"]
    for before, after in zip(found.stages[0].tolist(), found.stages[-1].tolist(), strict=True):
        lines.append(f"  {_row(before)}   →   {_row(after)}")
    for solution in found.solutions:
        whole = whole_numbers(solution)
        shown = whole if whole is not None and not ((whole == 0) & (solution != 0)).any() else solution
        length = float(np.linalg.norm(shown))
        unit = ", ".join(figure(each, 4) for each in (shown / length).tolist())
        vector = ", ".join(figure(each, 4) for each in shown.tolist())
        lines.append(f"  v = ({vector}), length {figure(length, 4)}; of length 1: ({unit})")
    return lines


def _row(numbers: list[float]) -> str:
    return "[" + "  ".join(figure(number, 4).rjust(9) for number in numbers) + " ]"


def _polynomial(coefficients: Floats) -> str:
    degree, parts = len(coefficients) - 1, list[str]()
    for place, value in enumerate(coefficients.tolist()):
        power = degree - place
        if not value:
            continue
        symbol = "" if power == 0 else "λ" if power == 1 else "λ" + str(power).translate(_HIGH)
        number = "" if symbol and value == 1 else figure(abs(value), 4)
        sign = ("" if not parts else " + ") if value > 0 else " − "
        parts.append(sign + " ".join(part for part in (number, symbol) if part))
    return "".join(parts)

"""The figures of a step in plain Python: a listing that runs as it stands, by the convention of a state."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import cost_figures
from pcaimage.insight.lab.live import numbers_formula
from pcaimage.insight.lab.plain import chapters
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.numeric import Divisor, Sigma

MOST_WRITTEN = 200
"""Numbers of a matrix that are written out; more are read from a file that *Copy as CSV* makes."""


def listing(state: LabState) -> str:
    """Return a program, for NumPy, that works out the figures of the state's step from the samples."""
    samples = _array("X", state.data.samples, state.data.features, "Samples X")
    parts = ["import numpy as np\n", samples, "n, d = X.shape", _Parts(state)[state.step]]
    return "\n".join(part for part in parts if part) + "\n"


class _Parts(dict[str, str]):
    """The chapters of the listings and what fills them, by name, worked out when asked for."""

    def __init__(self, state: LabState) -> None:
        super().__init__()
        self._state = state

    def __missing__(self, name: str) -> str:
        if name in _FILLED:
            return str(_FILLED[name](self._state))
        chosen = _CHOSEN[name](self._state) if name in _CHOSEN else name
        return chapters("listings.md")[chosen].format_map(self)


def _array(name: str, values: Floats, columns: tuple[str, ...], table: str) -> str:
    if values.size <= MOST_WRITTEN:
        rows = ",\n".join(f"    {row}" for row in values.tolist())
        return f"{name} = np.array([\n{rows},\n])"
    # The first line has the names of the columns, which may have several lines themselves.
    skipped = 1 + "".join(columns).count("\n")
    options = f'delimiter=",", skiprows={skipped}, usecols=range(1, {values.shape[1] + 1})'
    read = f'{name} = np.loadtxt("{name}.csv", {options}, comments=None, quotechar=\'"\', ndmin=2)'
    return f"# {name}.csv: choose “{table}” among the numbers, and copy it as CSV.\n{read}"


def _sigma(state: LabState) -> str:
    sigma = f"sigma = X.std(axis=0, ddof={0 if state.convention.sigma is Sigma.N else 1})"
    if not state.convention.standardized:
        return f"{sigma}  # features are not divided by it"
    constant = np.flatnonzero(state.prepared.deviations == 0).tolist()
    return sigma + (f"\nsigma[{constant}] = 1  # features that never vary" if constant else "")


def _basis(state: LabState) -> str:
    """Return which axes there are: the features, the components, or as they were turned."""
    axes = state.basis.axes
    if np.array_equal(axes, np.eye(len(axes))):
        return "features"
    return "components" if np.array_equal(axes, state.prepared.pca.components) else "turned"


def _begun(state: LabState) -> str:
    """Return where power iteration begins: along the line, or as it was given."""
    return "given" if state.powers and not np.array_equal(state.powers[0], state.direction) else "line"


_CHOSEN: dict[str, Callable[[LabState], str]] = {"based": _basis, "begun": _begun}
_OVER = {Divisor.N_MINUS_1: " / (n - 1)", Divisor.N: " / n", Divisor.NONE: ""}
_FILLED: dict[str, Callable[[LabState], object]] = {
    "mean": lambda s: (
        "mean = X.mean(axis=0)" if s.convention.centre else "mean = np.zeros(d)  # the mean is left in"
    ),
    "sigma": _sigma,
    "shifted": lambda s: "(X - mean) / sigma" if s.convention.standardized else "X - mean",
    "over": lambda s: _OVER[s.convention.divisor],
    "axes": lambda s: _array("axes", s.basis.axes, s.data.features, "Axes V"),
    "i": lambda s: s.plane[0],
    "j": lambda s: s.plane[1],
    "degrees": lambda s: float(np.degrees(s.angle)),
    "start": lambda s: s.powers[0].tolist(),
    "steps": lambda s: max(len(s.powers) - 1, 1),
    "k": lambda s: s.k,
    "decoded": lambda s: "(codes @ axes[:k]) * sigma" if s.convention.standardized else "codes @ axes[:k]",
    "directions": lambda s: [taken.direction.tolist() for taken in s.taken[1]],
    "step": lambda s: cost_figures(s).step,
    "numbers": lambda s: (
        numbers_formula(s.convention, given=s.basis.given).replace("k ", "k * ").replace("2 d", "2 * d")
    ),
}
"""What stands between braces in the chapters of the listings."""

"""Tables and conventions for property tests."""

import numpy as np
from hypothesis import strategies as st

from pcaimage.insight.lab import LabData, LabState
from pcaimage.insight.numeric import Convention, Divisor, Sigma

CONVENTIONS = st.builds(
    Convention, centre=st.booleans(), sigma=st.sampled_from(Sigma), divisor=st.sampled_from(Divisor)
)


def of(samples, convention=None):
    """Return the lab's state for samples without names."""
    names = tuple(f"x{number}" for number in range(1, samples.shape[1] + 1))
    return LabState.of(LabData("Drawn", names, samples), convention)


@st.composite
def states(draw, least_features=2):
    """Draw a state: normal numbers, small whole numbers, crossed designs; a few samples of a few features."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 12)), draw(st.integers(least_features, 5))
    kind = draw(st.sampled_from(["normal", "whole", "crossed"]))
    if kind == "normal":
        samples = rng.normal(rng.normal(0, 5, d), rng.uniform(0.1, 10, d), (n, d))
    elif kind == "whole":
        samples = rng.integers(0, 3, (n, d)).astype(float)
    else:
        lengths = rng.integers(1, 6, d)
        samples = np.concatenate([np.diag(lengths), -np.diag(lengths)]).astype(float)
    return of(samples, draw(CONVENTIONS))


def evaluated(expression):
    """Evaluate a formula by Python itself."""
    return float(eval(expression, {"__builtins__": {"sum": sum}}))  # noqa: S307 - made by the lab

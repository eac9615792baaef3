"""Cases of parametrized tests of which only some are run every time."""

import pytest


def slow_but(quick, names):
    """Return all names as cases; those that are not `quick` are marked as slow.

    Raises
    ------
    ValueError
        If a quick case is not among them: else a case that was renamed would go unnoticed.
    """
    return slow_values_but(quick, {name: name for name in names})


def slow_values_but(quick, cases):
    """Return the values of a dictionary as cases, named by their keys; see :func:`slow_but`."""
    if unknown := set(quick) - set(cases):
        raise ValueError(f"There are no cases {sorted(unknown)} among {sorted(cases)}.")
    return [
        pytest.param(value, id=name, marks=() if name in quick else pytest.mark.slow)
        for name, value in cases.items()
    ]


def one_in(number, values):
    """Return all values as cases; all but every `number`-th, from the first on, are marked as slow."""
    return [
        pytest.param(value, marks=pytest.mark.slow if place % number else ())
        for place, value in enumerate(values)
    ]

"""``pcaimage table``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pcaimage.cli.table_text import say_steps
from pcaimage.cli.terminal import say_json
from pcaimage.insight.numeric import MAX_TEXT_BYTES, Deflated, TableSteps, deflate, read_table, take_apart

STDIN = "-"


def table(
    source: Path,
    *,
    standardize: bool = False,
    k: int | None = None,
    variance: float | None = None,
    deflation: bool = False,
    labels: str | None = None,
    header: bool | None = None,
    digits: int = 7,
    as_json: bool = False,
) -> None:
    """Print every step of the principal component analysis of a small table.

    Parameters
    ----------
    source : Path
        A CSV file; ``-`` is standard input.
    standardize : bool, default False
        Whether to divide each feature by its standard deviation.
    k : int, optional
        How many components to keep; all by default.
    variance : float, optional
        Keep the fewest components that explain this share of the variance.
    deflation : bool, default False
        Whether to find the kept components one at a time, too.
    labels : str, optional
        The column with the rows' labels.
    header : bool, optional
        Whether the first row names the columns.
    digits : int, default 7
        Figures of the largest number of each table.
    as_json : bool, default False
        Whether it is for a program.

    Raises
    ------
    PcaImageError
        If it is no table of numbers, or there are no such components.
    """
    name = "The table" if str(source) == STDIN else source.name
    found = read_table(_bytes(source), name, header=header, labels=labels)
    steps = take_apart(found, standardize=standardize, k=k, variance=variance)
    deflated = deflate(steps) if deflation else None
    if as_json:
        say_json(describe(steps, deflated))
    else:
        say_steps(steps, deflated, digits)


def describe(steps: TableSteps, deflated: list[Deflated] | None = None) -> dict[str, Any]:
    """Return every step, by the names that they have in JSON.

    Parameters
    ----------
    steps : TableSteps
        The table, taken apart.
    deflated : list of Deflated, optional
        The components, found one at a time.

    Returns
    -------
    dict
        What JSON can hold.
    """
    given, k = steps.table, steps.k
    return {
        "samples": len(given.values),
        "features": list(given.features),
        "labels": None if given.labels is None else list(given.labels),
        "standardized": steps.standardized,
        "divisor": steps.divisor,
        "mean": steps.mean.tolist(),
        "deviations": steps.deviations.tolist(),
        "covariance": steps.covariance.tolist(),
        "correlation": steps.matrix.tolist() if steps.standardized else None,
        "total_variance": steps.total_variance,
        "eigenvalues": steps.variances.tolist(),
        "shares": steps.shares.tolist(),
        "cumulative": steps.cumulative.tolist(),
        "components": steps.components.tolist(),
        "prepared": steps.prepared.tolist(),
        "k": k,
        "scores": steps.scores[:, :k].tolist(),
        "reconstruction": steps.reconstruction.tolist(),
        "rms_error": steps.rms_error,
        "kept_variance": steps.kept_variances.tolist(),
        "squared_error": steps.squared_errors.tolist(),
        "deflation": None if deflated is None else [_deflated(part) for part in deflated],
    }


def _deflated(part: Deflated) -> dict[str, Any]:
    return {
        "before": part.before,
        "variance": part.variance,
        "after": part.after,
        "component": part.component.tolist(),
        "difference": part.difference,
    }


def _bytes(source: Path) -> bytes:
    """Return a file's bytes, and one more than may be if there are too many."""
    if str(source) == STDIN:
        return sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    with source.open("rb") as file:
        return file.read(MAX_TEXT_BYTES + 1)

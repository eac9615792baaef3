"""``pcaimage table``: the PCA of a small table of numbers, step by step."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.cli.grid import aligned_numbers, say_grid
from pcaimage.cli.terminal import say, say_json
from pcaimage.insight.numeric import MAX_TEXT_BYTES, Deflated, TableSteps, deflate, read_table, take_apart

STDIN = "-"
SHOWN = 60
"""How many samples are printed; JSON has all of them."""


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
        Name or number of the column with the rows' labels.
    header : bool, optional
        Whether the first row names the columns; by default it is guessed.
    digits : int, default 7
        Significant figures of the largest number in each table.
    as_json : bool, default False
        Whether to print JSON.
    """
    name = "The table" if str(source) == STDIN else source.name
    found = read_table(_bytes(source), name, header=header, labels=labels)
    steps = take_apart(found, standardize=standardize, k=k, variance=variance)
    deflated = deflate(steps) if deflation else None
    if as_json:
        say_json(describe(steps, deflated))
    else:
        _Printer(steps, digits).print_all(deflated)


def describe(steps: TableSteps, deflated: list[Deflated] | None = None) -> dict[str, Any]:
    """Return every step by its JSON key."""
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


class _Printer:
    """Prints the steps of an analysis as tables.

    Parameters
    ----------
    steps : TableSteps
        The analysis.
    digits : int
        Significant figures of the largest number in each table.
    """

    def __init__(self, steps: TableSteps, digits: int) -> None:
        self.steps, self.digits = steps, digits
        self.names = list(steps.table.features)
        self.component_names = [f"component {index}" for index in range(1, len(self.names) + 1)]

    def print_all(self, deflated: list[Deflated] | None) -> None:
        """Print all steps in the order in which they are done by hand."""
        self.features()
        self.matrix()
        self.spectrum()
        self.components()
        if deflated is not None:
            self.deflation(deflated)
        self.samples()
        self.agreement()

    def grid(
        self,
        title: str,
        corner: str,
        columns: Sequence[str],
        names: Sequence[str],
        values: NDArray[np.float64],
    ) -> None:
        """Print a matrix with names for its rows and columns."""
        texts = aligned_numbers(values, self.digits)
        rows = [[name, *row] for name, row in zip(names, texts, strict=True)]
        say_grid(title, [corner, *columns], rows)

    def features(self) -> None:
        """Print means and standard deviations."""
        steps = self.steps
        count = f"{len(steps.table.values)} samples × {len(self.names)} features"
        say(f"{steps.table.name}: {count}; variances have the divisor n − 1 = {steps.divisor}")
        columns = [steps.mean, steps.deviations] if steps.standardized else [steps.mean]
        titles = ["mean", "σ"][: len(columns)]
        self.grid(
            "Mean and standard deviation" if len(columns) > 1 else "Mean",
            "",
            titles,
            self.names,
            np.stack(columns, 1),
        )
        constant = [name for name, width in zip(self.names, steps.deviations, strict=True) if width == 0]
        if constant:
            say(f"Constant: {', '.join(constant)}")

    def matrix(self) -> None:
        """Print the covariance or correlation matrix."""
        title = (
            "Correlation (covariance of the standardised features)"
            if self.steps.standardized
            else "Covariance"
        )
        self.grid(title, "", self.names, self.names, self.steps.matrix)

    def spectrum(self) -> None:
        """Print the eigenvalues and their shares of the variance."""
        steps = self.steps
        eigenvalues = aligned_numbers(steps.variances[:, None], self.digits)
        shares = [
            [f"{100 * value:.2f} %" for value in pair]
            for pair in zip(steps.shares.tolist(), steps.cumulative.tolist(), strict=True)
        ]
        rows = [
            [str(index), *value, *share, "kept" if index <= steps.k else ""]
            for index, (value, share) in enumerate(zip(eigenvalues, shares, strict=True), start=1)
        ]
        total = aligned_numbers([[steps.total_variance]], self.digits)[0][0]
        header = ["component", "eigenvalue", "share", "cumulative", ""]
        say_grid("Eigenvalues", header, rows, after=f"Sum: {total}, the trace of the matrix")

    def components(self) -> None:
        """Print the eigenvectors."""
        self.grid(
            "Components (unit length, largest entry positive; books may show −1 times them)",
            "",
            self.names,
            self.component_names,
            self.steps.components,
        )

    def deflation(self, deflated: list[Deflated]) -> None:
        """Print the components found by deflation."""
        columns = ["variance before", "along it", "left", "difference", *self.names]
        figures = aligned_numbers(
            np.array([[part.before, part.variance, part.after] for part in deflated]).reshape(-1, 3),
            self.digits,
        )
        entries = aligned_numbers(
            np.array([part.component for part in deflated]).reshape(-1, len(self.names)), self.digits
        )
        rows = [
            [name, *figure, f"{part.difference:.1e}", *entry]
            for name, part, figure, entry in zip(
                self.component_names, deflated, figures, entries, strict=False
            )
        ]
        title = "One at a time (each is the direction in which the rest varies most, and is then removed)"
        say_grid(title, ["", *columns], rows)

    def samples(self) -> None:
        """Print each sample, its scores and its reconstruction."""
        steps, shown = self.steps, min(SHOWN, len(self.steps.table.values))
        labels = steps.table.labels or tuple(str(number) for number in range(1, shown + 1))
        labels, prepared = labels[:shown], "Standardised" if steps.standardized else "Centred"
        self.grid(f"{prepared} samples", "", self.names, labels, steps.prepared[:shown])
        self.grid(
            f"Scores on {steps.k} of {len(self.names)} components",
            "",
            self.component_names[: steps.k],
            labels,
            steps.scores[:shown, : steps.k],
        )
        if steps.k < len(self.names):
            self.grid(
                f"Reconstruction from {steps.k} of {len(self.names)} components",
                "",
                self.names,
                labels,
                steps.reconstruction[:shown],
            )
        if shown < len(steps.table.values):
            say(f"{len(steps.table.values) - shown} more samples are not shown; --json has them.")

    def agreement(self) -> None:
        """Print figures that show that maximal variance and minimal error are the same."""
        steps = self.steps
        both = np.stack([steps.kept_variances, steps.squared_errors], 1)
        discarded = np.maximum(steps.total_variance - steps.kept_variances, 0.0)
        columns = ["variance of the scores", "squared error / (n − 1)", "variance left out"]
        names = [f"k = {k}" for k in range(1, len(both) + 1)]
        self.grid("Most variance, least error", "", columns, names, np.column_stack([both, discarded]))
        unit = "standardised features" if steps.standardized else "the table's units"
        say(
            f"For every k the squared error of the reconstruction (in {unit}) is the variance left out: "
            "the components with the largest variance are also those with the smallest error."
        )
        error = aligned_numbers([[steps.rms_error]], self.digits)[0][0]
        say(f"With k = {steps.k} the numbers of the table are off by {error} (root mean square).")


def _bytes(source: Path) -> bytes:
    """Read a file, but not much more than the limit of its size."""
    if str(source) == STDIN:
        return sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    with source.open("rb") as file:
        return file.read(MAX_TEXT_BYTES + 1)

"""The steps of a table's analysis as tables at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcaimage.cli.grids import numbers, say_grid
from pcaimage.cli.terminal import say
from pcaimage.insight.numeric import Deflated, TableSteps

SHOWN = 60
"""How many samples are shown; JSON has them all."""


def say_steps(steps: TableSteps, deflated: list[Deflated] | None, digits: int) -> None:
    """Print the steps in the order in which they are done by hand.

    Parameters
    ----------
    steps : TableSteps
        The table, taken apart.
    deflated : list of Deflated or None
        The components, found one at a time.
    digits : int
        Figures of the largest number of each table.
    """
    printer = _Printer(steps, digits)
    printer.features()
    printer.matrix()
    printer.spectrum()
    printer.components()
    if deflated is not None:
        printer.deflation(deflated)
    printer.samples()
    printer.agreement()


class _Printer:
    """Prints one step after the other.

    Parameters
    ----------
    steps : TableSteps
        The table, taken apart.
    digits : int
        Figures of the largest number of each table.
    """

    def __init__(self, steps: TableSteps, digits: int) -> None:
        self.steps, self.digits = steps, digits
        self.names = list(steps.table.features)
        self.components_names = [f"component {index}" for index in range(1, len(self.names) + 1)]

    def grid(
        self,
        title: str,
        corner: str,
        columns: Sequence[str],
        names: Sequence[str],
        values: NDArray[np.float64],
    ) -> None:
        """Print a matrix with the names of its rows and columns."""
        texts = numbers(values, self.digits)
        rows = [[name, *row] for name, row in zip(names, texts, strict=True)]
        say_grid(title, [corner, *columns], rows)

    def features(self) -> None:
        """Print means and deviations."""
        steps = self.steps
        count = f"{len(steps.table.values)} samples × {len(self.names)} features"
        say(f"{steps.table.name}: {count}; variances have the divisor n − 1 = {steps.divisor}")
        columns = [steps.mean, steps.deviations] if steps.standardized else [steps.mean]
        titles = ["mean", "σ"][: len(columns)]
        self.grid(
            "Mean and deviation" if len(columns) > 1 else "Mean", "", titles, self.names, np.stack(columns, 1)
        )
        constant = [name for name, width in zip(self.names, steps.deviations, strict=True) if width == 0]
        if constant:
            say(f"Never varies: {', '.join(constant)}")

    def matrix(self) -> None:
        """Print what is taken apart."""
        title = (
            "Correlation (covariance of the standardised features)"
            if self.steps.standardized
            else "Covariance"
        )
        self.grid(title, "", self.names, self.names, self.steps.matrix)

    def spectrum(self) -> None:
        """Print eigenvalues and shares."""
        steps = self.steps
        eigenvalues = numbers(steps.variances[:, None], self.digits)
        shares = [
            [f"{100 * value:.2f} %" for value in pair]
            for pair in zip(steps.shares.tolist(), steps.cumulative.tolist(), strict=True)
        ]
        rows = [
            [str(index), *value, *share, "kept" if index <= steps.k else ""]
            for index, (value, share) in enumerate(zip(eigenvalues, shares, strict=True), start=1)
        ]
        total = numbers([[steps.total_variance]], self.digits)[0][0]
        header = ["component", "eigenvalue", "share", "cumulative", ""]
        say_grid("Eigenvalues", header, rows, after=f"Together {total}, the trace of the matrix")

    def components(self) -> None:
        """Print the eigenvectors."""
        self.grid(
            "Components (of unit length, the largest entry positive; books may show −1 times them)",
            "",
            self.names,
            self.components_names,
            self.steps.components,
        )

    def deflation(self, deflated: list[Deflated]) -> None:
        """Print the components as they are found one at a time."""
        columns = ["variance before", "along it", "left", "difference", *self.names]
        figures = numbers(
            np.array([[part.before, part.variance, part.after] for part in deflated]).reshape(-1, 3),
            self.digits,
        )
        entries = numbers(
            np.array([part.component for part in deflated]).reshape(-1, len(self.names)), self.digits
        )
        rows = [
            [name, *figure, f"{part.difference:.1e}", *entry]
            for name, part, figure, entry in zip(
                self.components_names, deflated, figures, entries, strict=False
            )
        ]
        title = (
            "One at a time (each the direction in which what is left varies most, which is then taken away)"
        )
        say_grid(title, ["", *columns], rows)

    def samples(self) -> None:
        """Print what is known of each sample."""
        steps, shown = self.steps, min(SHOWN, len(self.steps.table.values))
        labels = steps.table.labels or tuple(str(number) for number in range(1, shown + 1))
        labels, prepared = labels[:shown], "Standardised" if steps.standardized else "Centred"
        self.grid(f"{prepared} samples", "", self.names, labels, steps.prepared[:shown])
        self.grid(
            f"Scores on {steps.k} of {len(self.names)} components",
            "",
            self.components_names[: steps.k],
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
        """Show that the most variance and the least error are the same thing."""
        steps = self.steps
        both = np.stack([steps.kept_variances, steps.squared_errors], 1)
        discarded = np.maximum(steps.total_variance - steps.kept_variances, 0.0)
        columns = ["variance of the scores", "squared error / (n − 1)", "variance left out"]
        names = [f"k = {k}" for k in range(1, len(both) + 1)]
        self.grid("Most variance, least error", "", columns, names, np.column_stack([both, discarded]))
        unit = "standardised features" if steps.standardized else "the table's units"
        say(
            f"For every k the squared error of the reconstruction (in {unit}) is the variance left out: "
            "the components of the largest variance are those of the smallest error."
        )
        error = numbers([[steps.rms_error]], self.digits)[0][0]
        say(f"With k = {steps.k} a number of the table is wrong by {error} (root mean square).")

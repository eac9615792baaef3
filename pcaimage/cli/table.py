"""``pcaimage table``: the PCA of a small table of numbers, step by step."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcaimage.cli.commands import TableCommand
from pcaimage.cli.declared import TableSigma
from pcaimage.cli.terminal import say, say_grid, say_json
from pcaimage.insight import numeric
from pcaimage.insight.formatting import percent, share_percent
from pcaimage.insight.numeric.cells import aligned_numbers, aligned_products

STDIN = "-"
SHOWN = 60  # number of samples printed; JSON has all of them


def table(given: TableCommand) -> None:
    """Print every step of the principal component analysis of a small table."""
    name = "The table" if str(given.source) == STDIN else given.source.name
    found = numeric.read_table(
        _bytes(given.source), name, header=given.header, labels=given.labels, transpose=given.transpose
    )
    convention = numeric.Convention(
        centre=not given.no_centre,
        sigma=numeric.Sigma(given.sigma or TableSigma.N_MINUS_1)
        if given.sigma or given.standardize
        else numeric.Sigma.NONE,
        divisor=given.divisor,
    )
    steps = numeric.take_apart(found, convention=convention, k=given.k, variance=given.variance)
    deflated = numeric.deflate(steps) if given.deflation else None
    if given.as_json:
        say_json(describe(steps, deflated))
    else:
        _Printer(steps, given.digits).print_all(deflated)


def describe(steps: numeric.TableSteps, deflated: list[numeric.Deflated] | None = None) -> dict[str, Any]:
    """Return every step by its JSON key."""
    given, k = steps.table, steps.k
    return {
        "samples": len(given.values),
        "features": list(given.features),
        "labels": None if given.labels is None else list(given.labels),
        "standardized": steps.prepared.convention.standardized,
        "divisor": steps.prepared.divisor,
        "mean": steps.prepared.mean.tolist(),
        "deviations": steps.prepared.deviations.tolist(),
        "covariance": steps.covariance.tolist(),
        "correlation": steps.prepared.matrix.tolist() if steps.prepared.convention.correlation else None,
        "total_variance": steps.prepared.trace,
        "eigenvalues": steps.variances.tolist(),
        "shares": steps.shares.tolist(),
        "cumulative": steps.cumulative.tolist(),
        "components": steps.components.tolist(),
        "prepared": steps.prepared.samples.tolist(),
        "k": k,
        "scores": steps.scores[:, :k].tolist(),
        "reconstruction": steps.reconstruction.tolist(),
        "rms_error": steps.rms_error,
        "kept_variance": steps.kept_variances.tolist(),
        "squared_error": steps.squared_errors.tolist(),
        "deflation": None if deflated is None else [_deflated(part) for part in deflated],
        "centred": steps.prepared.convention.centre,
        "sigma": steps.prepared.convention.sigma.value if steps.prepared.convention.standardized else None,
        "scatter": (steps.prepared.matrix * steps.prepared.divisor).tolist(),
        "matrix": steps.prepared.matrix.tolist(),
        "scores_covariance": steps.scores_covariance[:k, :k].tolist(),
        "residuals": steps.residuals.tolist(),
        "arbitrary": [[index + 1 for index in run] for run in steps.prepared.ties],
    }


def _deflated(part: numeric.Deflated) -> dict[str, Any]:
    return {
        "before": part.before,
        "variance": part.along,
        "after": part.left,
        "component": part.direction.tolist(),
        "difference": part.difference,
    }


class _Printer:
    """Prints the steps of an analysis as tables, with so many significant figures."""

    def __init__(self, steps: numeric.TableSteps, digits: int) -> None:
        self.steps, self.digits = steps, digits
        self.by = steps.prepared.convention
        self.names = list(steps.table.features)
        self.component_names = [f"component {index}" for index in range(1, len(self.names) + 1)]
        # Size of the rounding error of zeros, in the units of prepared numbers.
        self.dust = steps.rounding / steps.prepared.widths
        self.square_dust = (
            float(np.square(self.dust).sum()) * len(steps.table.values) / steps.prepared.divisor
        )

    def print_all(self, deflated: list[numeric.Deflated] | None) -> None:
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
        *,
        dust: ArrayLike = 0.0,
    ) -> None:
        """Print a matrix with names for its rows and columns."""
        texts = aligned_numbers(values, self.digits, dust=dust)
        rows = [[name, *row] for name, row in zip(names, texts, strict=True)]
        say_grid(title, [corner, *columns], rows)

    def number(self, value: float, dust: float = 0.0) -> str:
        """Format a single number."""
        return aligned_numbers([[value]], self.digits, dust=dust)[0][0]

    def features(self) -> None:
        """Print means and standard deviations."""
        steps = self.steps
        count = f"{len(steps.table.values)} samples × {len(self.names)} features"
        divided = (
            "sums of squares are not divided"
            if self.by.divisor is numeric.Divisor.NONE
            else f"{'variances' if self.by.centre else 'squares'} have the divisor "
            f"{self.by.divisor.words} = {steps.prepared.divisor}"
        )
        say(f"{steps.table.name}: {count}; {divided}")
        if steps.table.note:
            say(steps.table.note)
        columns = [("mean", steps.prepared.mean)]
        title = "Mean" if self.by.centre else "Mean (not subtracted: lines go through zero)"
        if steps.prepared.convention.standardized:
            columns.append(("σ", steps.prepared.deviations))
            title += f", and standard deviation with the divisor {numeric.Divisor(self.by.sigma.value).words}"
        titles = [name for name, _ in columns]
        values = np.stack([each for _, each in columns], 1)
        dust = np.zeros_like(values)
        dust[:, 0] = steps.rounding
        # Features may be in any units.
        texts = aligned_products(values, self.digits, dust=dust)
        rows = [[name, *row] for name, row in zip(self.names, texts, strict=True)]
        say_grid(title, ["", *titles], rows)
        constant = [self.names[index] for index in np.flatnonzero(steps.prepared.deviations == 0)]
        if constant:
            say(f"Constant: {', '.join(constant)}")

    def matrix(self) -> None:
        """Print the covariance or correlation matrix."""
        widths = np.sqrt(np.diagonal(self.steps.prepared.matrix))
        dust = np.outer(widths, widths) * 1e-14
        texts = aligned_products(self.steps.prepared.matrix, self.digits, dust=dust)
        rows = [[name, *row] for name, row in zip(self.names, texts, strict=True)]
        say_grid(self.by.matrix_name, ["", *self.names], rows)

    def spectrum(self) -> None:
        """Print the eigenvalues and their shares of the variance."""
        steps = self.steps
        eigenvalues = aligned_numbers(steps.variances[:, None], self.digits)
        shares = [
            [text.replace("\u00a0", " ") for text in (share_percent(100 * share), percent(100 * cumulative))]
            for share, cumulative in zip(steps.shares.tolist(), steps.cumulative.tolist(), strict=True)
        ]
        rows = [
            [str(index), *value, *share, "kept" if index <= steps.k else ""]
            for index, (value, share) in enumerate(zip(eigenvalues, shares, strict=True), start=1)
        ]
        header = ["component", "eigenvalue", "share", "cumulative", ""]
        total = self.number(steps.prepared.trace)
        say_grid("Eigenvalues", header, rows, after=f"Sum: {total}, the trace of the matrix")

    def components(self) -> None:
        """Print the eigenvectors."""
        self.grid(
            "Components (unit length, largest entry positive; books may show −1 times them)",
            "",
            self.names,
            self.component_names,
            self.steps.components,
            dust=1e-14,
        )
        for run in self.steps.prepared.ties:
            first, last = run.start + 1, run.stop
            names = f"Components {first} and {last}" if len(run) == 2 else f"Components {first} to {last}"
            which = "have no variance" if self.steps.variances[run.start] == 0 else "have the same variance"
            say(
                f"{names} {which}: any {len(run)} orthonormal vectors that span the same space would do, and "
                "other programs show others."
            )

    def deflation(self, deflated: list[numeric.Deflated]) -> None:
        """Print the components found by deflation."""
        columns = ["variance before", "along it", "left", "difference", *self.names]
        figures = aligned_numbers(
            np.array([[part.before, part.along, part.left] for part in deflated]).reshape(-1, 3),
            self.digits,
            dust=self.square_dust,
        )
        entries = aligned_numbers(
            np.array([part.direction for part in deflated]).reshape(-1, len(self.names)),
            self.digits,
            dust=1e-11,
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
        labels = labels[:shown]
        title = {
            (True, True): "Standardised samples",
            (True, False): "Centred samples",
            (False, True): "Samples over their standard deviations",
            (False, False): "Samples",
        }[self.by.centre, steps.prepared.convention.standardized]
        self.grid(title, "", self.names, labels, steps.prepared.samples[:shown], dust=self.dust)
        self.grid(
            f"Scores on {steps.k} of {len(self.names)} components",
            "",
            self.component_names[: steps.k],
            labels,
            steps.scores[:shown, : steps.k],
            dust=float(np.linalg.norm(self.dust)),
        )
        if steps.k < len(self.names):
            self.grid(
                f"Reconstruction from {steps.k} of {len(self.names)} components",
                "",
                self.names,
                labels,
                steps.reconstruction[:shown],
                dust=steps.rounding,
            )
        if shown < len(steps.table.values):
            say(f"{len(steps.table.values) - shown} more samples are not shown; --json has them.")

    def agreement(self) -> None:
        """Print figures that show that maximal variance and minimal error coincide."""
        steps = self.steps
        both = [steps.kept_variances, steps.squared_errors, steps.discarded_variances]
        if self.by.divisor is numeric.Divisor.NONE:
            columns = ["sum of squares of the scores", "squared error", "sum of squares left out"]
        else:
            words = self.by.divisor.words
            error = f"squared error / {words if words == 'n' else f'({words})'}"
            kind = "variance" if self.by.centre else "mean square"
            columns = [f"{kind} of the scores", error, f"{kind} left out"]
        names = [f"k = {k}" for k in range(1, len(self.names) + 1)]
        self.grid(
            "Most variance, least error", "", columns, names, np.column_stack(both), dust=self.square_dust
        )
        unit = "standardised features" if steps.prepared.convention.standardized else "the table's units"
        say(
            f"For every k the squared error of the reconstruction (in {unit}) is the variance left out: "
            "the components with the largest variance are also those with the smallest error."
        )
        if (np.abs(steps.residuals) <= steps.rounding).all():
            say(
                f"With k = {steps.k} the numbers of the table come back exactly, but for the rounding of "
                "floating-point numbers."
            )
            return
        error = self.number(steps.rms_error)
        say(f"With k = {steps.k} the numbers of the table are off by {error} (root mean square).")


def _bytes(source: Path) -> bytes:
    """Read a file, but not much more than its size limit."""
    if str(source) == STDIN:
        return sys.stdin.buffer.read(numeric.PRINTED.n_bytes + 1)
    with source.open("rb") as file:
        return file.read(numeric.PRINTED.n_bytes + 1)

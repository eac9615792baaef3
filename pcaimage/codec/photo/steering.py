"""Reaches a mean squared error in one pass, by adapting the Lagrange multiplier of some slices.

The step that reaches a PSNR is estimated, with an error of up to a quarter of a decibel, however large the
sample. Every other slice is therefore coded and measured first. Their errors, in relation to those that the
sizes of scores suggest, predict the error of the whole photo within a few hundredths of a decibel. The other
slices are then coded with a Lagrange multiplier that makes up for the difference. A multiplier that is a
quarter larger or smaller changes the PSNR by about a third of a decibel, and costs 0.1 to 0.4 % of the bytes
compared with another step. Results do not depend on the number of cores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.method import Near
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.checking import MEASURING, Checks
from pcaimage.codec.photo.coding import Coded, encoder, joined, quantize_checked
from pcaimage.codec.photo.layout import UNIT, PhotoLayout
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.statistics import square_errors
from pcaimage.codec.photo.strengths import with_strengths
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.parallel import side_by_side
from pcaimage.progress import Progress, no_progress, overlapping

FEWEST = 4
"""Photos of fewer slices are coded as usual."""

LIVELY = 0.4, 0.85
"""Sizes of scores, in steps, for which the Lagrange multiplier decides whether they become zero."""

CHANGED = 0.17
"""Increase of the squared error for each such score, in squared steps, if the multiplier grows e-fold. The
true value is between half and twice this on most photographs, and is learned while coding."""

EXPECTED, CODED = 0.3, 0.05
"""Standard deviations, in decibels, of a slice's error from the prediction by other slices, and by its own
error with the usual multiplier; relative to the standard deviation of :data:`CHANGED` among photographs."""

LEAST, MOST = 1 / 1.6, 1.6
"""Range of the multiplier, relative to the usual one: within it the loss of rate is small, and slices do not
look different."""

PROBED = 2
"""Number of slices that are coded first with another multiplier, to learn how strongly it acts."""

REACH = 0.25
"""Change of the multiplier's natural logarithm in slices that are coded again; it determines their number."""

FAR = 0.2
"""Deviation of the first slices in decibels from which the step is replaced."""

OCTAVE = 5.0
"""Approximate decrease of the PSNR in decibels for a doubled step."""

FARTHEST = 0.5
"""Largest change of the step in octaves."""

ROUNDS = 3
"""Largest number of corrections after all slices are coded."""

COUNTED = 1 << 16
"""Approximate number of blocks from which statistics are gathered."""


def quantize_near(
    analysis: PhotoAnalysis, k: int, step: Step, original: NDArray[Any], near: Near, progress: Progress
) -> PhotoModel:
    """Round and code the first k components of a photo with a given mean squared error, if it can be reached.

    Parameters
    ----------
    analysis : PhotoAnalysis
        The photo.
    k : int
        How many components.
    step : Step
        Δ, with about the wanted error. If it is far off, it is replaced, and k follows.
    original : ndarray of uint8 or uint16
        The photo, from which the error is measured.
    near : Near
        The wanted error and its tolerance.
    progress : Progress
        Told of the work done.

    Returns
    -------
    PhotoModel
        With its measured error. Photos of few slices are coded with the given step.
    """
    few = len(PhotoLayout(analysis.header).slices) < FEWEST
    if few or analysis.graphic is not None:
        return quantize_checked(analysis, k, step, original, progress, proven=False)
    coding, measuring = overlapping(progress, 1 / (1 + MEASURING))
    steering = _Steering(analysis, k, step, original, coding)
    wanted, first = near.mse * original.size, range(0, steering.count, 2)
    again = list(range(1, steering.count, 2))
    steering.begin(first)
    found = steering.error_of(first) + steering.expected(again)
    missed = _decibels((wanted - steering.seams(wanted)) / found)
    if abs(missed) > FAR:
        octaves = min(max(missed / OCTAVE, -FARTHEST), FARTHEST)
        step = Step.nearest(max(float(step) * 2**octaves, analysis.finest_step))
        steering = _Steering(analysis, analysis.k_for_step(float(step)), step, original, coding)
        steering.begin(first)
    probed = again[len(again) // PROBED // 2 :: max(len(again) // PROBED, 1)][:PROBED]
    for numbers in (probed, [number for number in again if number not in probed]):
        steering.steer(numbers, wanted - steering.seams(wanted))
    for _ in range(ROUNDS):
        squares = steering.squares
        missed = _decibels(wanted / squares)
        if abs(missed) <= near.tolerance:
            break
        seams = squares - steering.error_of(range(steering.count))
        steering.steer(steering.chosen(wanted - squares), wanted - seams)
    measuring(1, 1)
    return steering.model


class _Statistics(NamedTuple):
    """Statistics of the sizes of a slice's scores.

    Parameters
    ----------
    error : float
        Approximate squared error, in squared steps, up to a common factor.
    lively : float
        Number of scores for which the multiplier decides whether they become zero, with the same factor.
    """

    error: float
    lively: float


class _Steering:
    """Codes slices of a photo with one step, and measures their errors."""

    def __init__(
        self, analysis: PhotoAnalysis, k: int, step: Step, original: NDArray[Any], progress: Progress
    ) -> None:
        def heard(done: int, total: int) -> None:
            progress(min(done, total), total)  # some slices are coded twice

        self._analysis, self._original = analysis, original
        self._empty, self._encode = encoder(analysis, k, step, heard)
        self._statistics = _statistics(analysis, k, step, self._empty)
        self._height = self._empty.header.shape[0]
        self._plain: dict[int, float] = {}
        self._prices: dict[int, float] = {}
        self._errors: dict[int, float] = {}
        self._coded: dict[int, Coded] = {}
        self.count = len(self._empty.scores)

    def begin(self, numbers: Sequence[int]) -> None:
        """Code the first slices with the usual multiplier, and choose by them how the photo is shrunk."""
        parts = side_by_side(lambda place: self._encode(numbers[place]), len(numbers))
        scores = list(self._empty.scores)
        for number, coded in zip(numbers, parts, strict=True):
            self._coded[number], self._prices[number] = coded, 1.0
            scores[number] = coded.scores
        known = with_strengths(self._analysis, replace(self._empty, scores=tuple(scores)), numbers)
        self._empty = replace(known, scores=self._empty.scores)
        self._checks = Checks(self._empty, self._original, no_progress, proven=False)
        side_by_side(lambda place: self._measure(numbers[place]), len(numbers))

    def code(self, numbers: Sequence[int], prices: Sequence[float]) -> None:
        """Code some slices with multiples of the usual multiplier, and measure them."""

        def code(place: int) -> None:
            number, price = numbers[place], prices[place]
            self._coded[number], self._prices[number] = self._encode(number, price), price
            self._measure(number)

        side_by_side(code, len(numbers))

    def _measure(self, number: int) -> None:
        error = self._errors[number] = float(self._checks.measure(number, self._coded[number].scores))
        if self._prices[number] == 1:
            self._plain[number] = error

    def steer(self, numbers: Sequence[int], wanted: float) -> None:
        """Code some slices so that the error of all is as wanted if those not coded yet follow them."""
        again = [
            *numbers,
            *(number for number in range(self.count) if number not in (*self._errors, *numbers)),
        ]
        left = wanted - self.error_of(number for number in self._errors if number not in again)
        factor, low, high = self._factor, math.log(LEAST), math.log(MOST)

        def worth(number: int, change: float) -> float:
            return min(max(self._worth(number) + change, low), high)

        def error(change: float) -> float:
            changes = {number: worth(number, change) - self._worth(number) for number in again}
            return sum(self._now(n) * _ratio(factor * self._slope(n) * changes[n]) for n in again)

        least, most = low - high, high - low
        for _ in range(40):
            change = (least + most) / 2
            least, most = (change, most) if error(change) < left else (least, change)
        self.code(numbers, [math.exp(worth(number, least)) for number in numbers])

    def chosen(self, more: float) -> list[int]:
        """Return slices to be coded again so that the total error changes by `more`."""
        end = math.log(MOST if more > 0 else LEAST)
        gains = dict[int, float]()
        for number in range(self.count):
            room = min(abs(end - self._worth(number)), REACH)
            gains[number] = self._now(number) * (_ratio(self._factor * self._slope(number) * room) - 1)
        found, sum_ = list[int](), 0.0
        for number in sorted(gains, key=lambda number: (-gains[number], number)):
            if sum_ < abs(more):
                found.append(number)
                sum_ += gains[number]
        return found

    def _worth(self, number: int) -> float:
        """Return the natural logarithm of a slice's multiplier relative to the usual one."""
        return math.log(self._prices.get(number, 1.0))

    def _now(self, number: int) -> float:
        """Return the error of a slice, predicted if it is not coded yet."""
        return self._errors[number] if number in self._errors else self.expected([number])

    def _slope(self, number: int) -> float:
        """Return the approximate decrease of a slice's PSNR in decibels if its multiplier grows e-fold."""
        error, lively = self._statistics[number]
        return 10 / math.log(10) * CHANGED * lively / error

    @property
    def _factor(self) -> float:
        """Ratio of this photo's slopes to their estimates: posterior mean for a Gaussian prior."""
        known = product = 1.0
        for number in sorted(self._prices):
            spread = CODED if number in self._plain else EXPECTED
            fall = self._worth(number) * self._slope(number) / spread
            fallen = _decibels(self._errors[number] / self.expected([number])) / spread
            known, product = known + fall**2, product + fall * fallen
        return max(product / known, 0.2)

    def error_of(self, numbers: Iterable[int]) -> float:
        """Return the squared error of some slices, seams left out."""
        return sum(self._errors[number] for number in numbers)

    def expected(self, numbers: Iterable[int]) -> float:
        """Predict the squared error of some slices with the usual multiplier, from those coded with it."""
        known = sorted(self._plain)
        ratios = [self._plain[number] / self._statistics[number].error for number in known]
        return sum(
            self._plain.get(number, float(np.interp(number, known, ratios)) * self._statistics[number].error)
            for number in numbers
        )

    def seams(self, squares: float) -> float:
        """Estimate the part of a photo's squared error that lies in the lines between slices."""
        return squares * 2 * self._empty.layout.reach * (self.count - 1) / self._height

    @property
    def squares(self) -> float:
        """The squared error of the photo."""
        parts = self._coded

        def measure(place: int) -> None:
            self._checks.measure_seam(place + 1, parts[place].scores, parts[place + 1].scores)

        side_by_side(measure, self.count - 1)
        return float(self._checks.squares)

    @property
    def model(self) -> PhotoModel:
        """The photo, all of whose slices are coded."""
        return self._checks.applied(joined(self._empty, [self._coded[n] for n in range(self.count)]))


def _statistics(analysis: PhotoAnalysis, k: int, step: Step, model: PhotoModel) -> list[_Statistics]:
    """Return the statistics of each slice."""
    layout, factor = model.layout, np.float32(UNIT / float(step))
    rows, columns = layout.grid
    stride = max(1, round(math.sqrt(rows * columns / COUNTED)))
    gone = {*range(k, analysis.n_components), *indices(analysis.left_out, analysis.n_components)}

    def found(number: int) -> _Statistics:
        part, wrong, lively = layout.slices[number], 0.0, 0.0
        for index, plane in enumerate(analysis.order.tolist()):
            sizes = np.abs(analysis.planes[plane][part][::stride, ::stride].astype(np.float32) * factor)
            if index in gone:
                wrong += float(np.square(sizes).mean())
            elif index < layout.channels:
                wrong += 1 / 12
            else:
                wrong += float(square_errors(sizes).mean())
                lively += float(((sizes > LIVELY[0]) & (sizes < LIVELY[1])).mean())
        seams = (number > 0) + (number < len(layout.slices) - 1)
        height: float = part.stop - part.start - seams / 2
        return _Statistics(max(wrong, 1e-6) * height, lively * height)

    return side_by_side(found, len(layout.slices))


def _decibels(ratio: float) -> float:
    return 10 * math.log10(max(ratio, 1e-12))


def _ratio(decibels: float) -> float:
    return math.exp(decibels * math.log(10) / 10)

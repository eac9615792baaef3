"""Meets an error in one pass: the second half of a photo makes good what the first half missed.

The step of a PSNR follows from estimates, which miss by up to a quarter of a decibel, however large the
sample. So every other slice is coded and measured; what these miss, and the sizes of scores, tell the error
of the others within a few hundredths. Their bits are then worth a little more or less than usual, by which
their error comes out as it is needed. A quarter more or less changes it by a third of a decibel, and costs
0.2 % of the bytes, compared with another step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.method import Near
from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.checking import MEASURING, Checks
from pcaimage.codec.photo.coding import PRICE, Coded, encoder, joined, quantize_checked
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.statistics import square_errors
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.parallel import side_by_side
from pcaimage.progress import Progress, overlapping
from pcaimage.sampling.lapped import BLOCK

FEWEST = 4
"""Slices from which there is something to steer."""

SLOPE, SPREAD = 1.3, 0.14
"""By how many decibels the PSNR falls when a bit is worth e times as much: 0.8 to 1.8 on photographs, and
several times as much where noise is about as large as the step. It is learned; what is expected of a slice is
wrong by so many decibels, for each by which photographs differ."""

LEAST, MOST = PRICE / 1.6, PRICE * 1.6
"""Between these a slice looks like others, and takes hardly more bytes than it has to."""

PROBED = 2
"""So many slices show how much it changes before all others are coded: not fewer than most machines code at
once, and always as many, for a file is the same on all of them."""

REACH = 0.25
"""By how many e-folds the worth of bits is changed in slices that are coded again; so many of them are."""

FAR = 0.2
"""By how many decibels a first half may miss that is kept; otherwise another step is better."""

OCTAVE = 5.0
"""By how many decibels the PSNR falls with an octave of the step, about."""

FARTHEST = 0.5
"""By how many octaves another step may differ from the first: an estimate is never farther off."""

ROUNDS = 3
"""How often slices are coded at most after the first half."""

COUNTED = 1 << 16
"""About how many blocks of a photo are looked at."""


def quantize_near(
    analysis: PhotoAnalysis, k: int, step: Step, original: NDArray[Any], near: Near, progress: Progress
) -> PhotoModel:
    """Round and code the first k components of a photo so that its error is as wanted, if that is possible.

    Parameters
    ----------
    analysis : PhotoAnalysis
        The photo.
    k : int
        How many components.
    step : Step
        Δ, at which the error is about as wanted. If it is far off, another one is taken, and the k of that.
    original : ndarray of uint8 or uint16
        The photo, from which the error is measured.
    near : Near
        What is wanted.
    progress : Progress
        Told of the work done.

    Returns
    -------
    PhotoModel
        It knows its error. Photos of few slices are coded as they always are.
    """
    coding, measuring = overlapping(progress, 1 / (1 + MEASURING))
    steering = _Steering(analysis, k, step, original, coding)
    if steering.count < FEWEST:
        return quantize_checked(analysis, k, step, original, progress, proven=False)
    wanted, first = near.mse * original.size, range(0, steering.count, 2)
    again = list(range(1, steering.count, 2))
    steering.code(first, [PRICE] * len(first))
    found = steering.error_of(first) + steering.expected(again)
    missed = _decibels((wanted - steering.seams(wanted)) / found)
    if abs(missed) > FAR:
        octaves = min(max(missed / OCTAVE, -FARTHEST), FARTHEST)
        step = Step.nearest(max(float(step) * 2**octaves, analysis.finest_step))
        steering = _Steering(analysis, analysis.k_for_step(float(step)), step, original, coding)
        steering.code(first, [PRICE] * len(first))
    for numbers in (again[:PROBED], again[PROBED:]):
        steering.steer(numbers, again, wanted - steering.seams(wanted))
        again = again[PROBED:]
    for _ in range(ROUNDS):
        squares = steering.squares
        missed = _decibels(wanted / squares)
        if abs(missed) <= near.tolerance:
            break
        again = steering.plainest(math.ceil(steering.count * abs(missed) / (REACH * steering.slope)))
        seams = squares - steering.error_of(range(steering.count))
        steering.steer(again, again, wanted - seams)
    measuring(1, 1)
    return steering.model


class _Steering:
    """Codes slices of a photo at one step, and measures them."""

    def __init__(
        self, analysis: PhotoAnalysis, k: int, step: Step, original: NDArray[Any], progress: Progress
    ) -> None:
        def heard(done: int, total: int) -> None:
            progress(min(done, total), total)  # some slices are coded twice

        self._empty, self._encode = encoder(analysis, k, step, heard)
        self._checks = Checks(self._empty, original, lambda _done, _total: None, proven=False)
        self._statistics = _errors(analysis, k, step, self._empty)
        self._height = self._empty.header.shape[0]
        self._plain: dict[int, float] = {}
        self._prices: dict[int, float] = {}
        self._errors: dict[int, float] = {}
        self._coded: dict[int, Coded] = {}
        self.count = len(self._empty.scores)

    def code(self, numbers: Sequence[int], prices: Sequence[float]) -> None:
        """Code some slices, and measure them."""

        def code(place: int) -> None:
            number, price = numbers[place], prices[place]
            self._coded[number] = coded = self._encode(number, price)
            self._prices[number] = price
            self._errors[number] = float(self._checks.measure(number, coded.scores))
            if price == PRICE:
                self._plain[number] = self._errors[number]

        side_by_side(code, len(numbers))

    def steer(self, numbers: Sequence[int], again: Sequence[int], wanted: float) -> None:
        """Code some slices so that all have the wanted error if the others of `again` follow them."""
        left = wanted - self.error_of([number for number in self._errors if number not in again])
        now = sum(self._errors.get(number, self.expected([number])) for number in again)
        gain = _decibels(now / left) if left > 0 else math.inf
        factor = math.exp(-min(gain / self.slope, 1.0))
        prices = [self._prices.get(number, PRICE) * factor for number in numbers]
        self.code(numbers, [min(max(price, LEAST), MOST) for price in prices])

    def plainest(self, count: int) -> list[int]:
        """Return the slices whose bits are worth the most nearly what they usually are."""
        changes = {number: abs(math.log(price / PRICE)) for number, price in self._prices.items()}
        return sorted(changes, key=lambda number: (changes[number], number))[:count]

    @property
    def slope(self) -> float:
        """By how many decibels the PSNR falls when a bit is worth e times as much, as far as it is known."""
        known, product = 1.0, SLOPE
        for number, price in sorted(self._prices.items()):
            worth = math.log(price / PRICE) / SPREAD
            fallen = _decibels(self._errors[number] / self.expected([number])) / SPREAD
            known, product = known + worth**2, product + worth * fallen
        return max(product / known, SLOPE / 2)

    def error_of(self, numbers: Iterable[int]) -> float:
        """Return the squared error of some slices, seams left out."""
        return sum(self._errors[number] for number in numbers)

    def expected(self, numbers: Iterable[int]) -> float:
        """Return the squared error that some slices have at the usual price, by those that are known."""
        known = sorted(self._plain)
        ratios = [self._plain[number] / self._statistics[number] for number in known]
        return sum(
            self._plain.get(number, float(np.interp(number, known, ratios)) * self._statistics[number])
            for number in numbers
        )

    def seams(self, squares: float) -> float:
        """Return about how much of a photo's squared error lies between slices."""
        return squares * BLOCK * (self.count - 1) / self._height

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


def _errors(analysis: PhotoAnalysis, k: int, step: Step, model: PhotoModel) -> list[float]:
    """Return about what squared error each slice has, judging by the sizes of its scores alone."""
    layout, factor = model.layout, np.float32(UNIT / float(step))
    rows, columns = layout.grid
    stride = max(1, round(math.sqrt(rows * columns / COUNTED)))
    gone = {*range(k, analysis.n_components), *indices(analysis.left_out, analysis.n_components)}

    def error(number: int) -> float:
        part, wrong = layout.slices[number], 0.0
        for index, plane in enumerate(analysis.order.tolist()):
            sizes = np.abs(analysis.planes[plane][part][::stride, ::stride].astype(np.float32) * factor)
            if index in gone:
                wrong += float(np.square(sizes).mean())
            else:
                wrong += 1 / 12 if index < layout.channels else float(square_errors(sizes).mean())
        seams = (number > 0) + (number < len(layout.slices) - 1)
        height: float = part.stop - part.start - seams / 2
        return max(wrong, 1e-6) * height

    return side_by_side(error, len(layout.slices))


def _decibels(ratio: float) -> float:
    return 10 * math.log10(max(ratio, 1e-12))

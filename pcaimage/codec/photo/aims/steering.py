"""Reaches an error or a size in one pass, by adapting the Lagrange multiplier of some slices.

The step that reaches a PSNR or a size is estimated, with an error of up to a quarter of a decibel or some
percent, however large the sample. About every other slice is therefore coded and measured first. Their
errors or sizes, in relation to those that the scores suggest, predict that of the whole photo within a few
hundredths of a decibel, or half a percent. The other slices are then coded with a Lagrange multiplier that
makes up for the difference. A multiplier that is a quarter larger or smaller changes the PSNR by about a
third of a decibel and the size by 7 %, and costs 0.1 to 0.4 % of the bytes compared with another step.
Results do not depend on the number of cores.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.method import Near, Sized
from pcaimage.codec.photo.aims.rates import COMPONENT_BYTES, FILE_BYTES
from pcaimage.codec.photo.aims.statistics import stride_of
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.checking import MEASURING, Checks, proves
from pcaimage.codec.photo.coding import Coded, encoder, joined, quantize, quantize_checked, with_strengths
from pcaimage.codec.photo.layout import UNIT, PhotoLayout
from pcaimage.codec.photo.masking import masking, of_blocks
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.scores.costs import is_lively, size_bits, square_errors
from pcaimage.codec.photo.tables import plan_of
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, no_progress, overlapping

FEWEST = 4  # photos of fewer slices are coded as usual

CHANGED = 0.17
"""Increase of the squared error for each lively score, in squared steps, if the multiplier grows e-fold. The
true value is between half and twice this on most photographs, and is learned while coding."""

EXPECTED, CODED = 0.3, 0.05
"""Standard deviations, in decibels, of a slice's amount from the prediction by other slices, and by its own
amount with the usual multiplier; relative to the standard deviation of slopes among photographs."""

LEAST, MOST = 1 / 1.6, 1.6
"""Range of the multiplier, relative to the usual one: within it the loss of rate is small, and slices do not
look different."""

TOGETHER = 2
"""Number of slices that are first coded with another multiplier, and show how strongly it acts; it then
doubles."""

REACH = 0.25
"""Change of the multiplier's natural logarithm in slices that are coded again; it determines their number."""

FARTHEST = 0.5  # largest change of the step in octaves
STEPS = 2  # largest number of times that the step is replaced
ROUNDS = 3  # largest number of corrections after all slices are coded


class Guess(NamedTuple):
    """What the sizes of a slice's scores suggest, up to a common factor."""

    amount: float  # with the usual multiplier
    lively: float  # number of scores for which the multiplier decides whether they become zero


class Steering(ABC):
    """Codes slices of a photo with one step so that an amount, summed over all of them, is as wanted."""

    changed: ClassVar[float]
    """Approximate increase of the amount for each lively score if the multiplier grows e-fold."""

    octave: ClassVar[float]  # approximate increase of the amount in decibels for a doubled step

    far: ClassVar[float]
    """Deviation in decibels from which the step is replaced, if multipliers cannot make up for it."""

    def __init__(
        self,
        analysis: PhotoAnalysis,
        k: int,
        step: Step,
        progress: Progress,
        *,
        proven: bool,
    ) -> None:
        def reported(done: int, total: int) -> None:
            progress(min(done, total), total)  # some slices are coded twice

        self.analysis = analysis
        self.empty, self.encode = encoder(analysis, k, step, reported)
        self.coded: dict[int, Coded] = {}
        self._plain: dict[int, float] = {}
        self._prices: dict[int, float] = {}
        self._amounts: dict[int, float] = {}
        self._proofs: dict[int, bytes] | None = {} if proven else None
        self.count = len(self.empty.scores)
        self._guesses = side_by_side(self.guess, self.count)

    @abstractmethod
    def measure(self, number: int) -> float:
        """Return the amount of a slice that is coded."""

    @abstractmethod
    def guess(self, number: int) -> Guess:
        """Return what the sizes of scores in a slice suggest; it is asked once, before any slice is coded."""

    @abstractmethod
    def apart(self, wanted: float) -> float:
        """Estimate the part of a photo's amount that is of no single slice."""

    @property
    @abstractmethod
    def total(self) -> float:
        """The amount of the photo, all of whose slices are coded."""

    @property
    def first(self) -> list[int]:
        """The slices that are coded first: few of many, so that little is lost if the step is replaced."""
        return self.spread(2)

    def spread(self, number: int) -> list[int]:
        """Return so many slices, evenly spread; of few slices all."""
        if self.count < FEWEST:
            return list(range(self.count))
        return [place * self.count // number for place in range(number)]

    def begin(self, numbers: Sequence[int]) -> None:
        """Code the first slices with the usual multiplier."""
        self.code(numbers, [1.0] * len(numbers))

    def code(self, numbers: Sequence[int], prices: Sequence[float]) -> None:
        """Code some slices with multiples of the usual multiplier, and measure them.

        A core that is left over proves other slices.
        """
        proofs = {} if self._proofs is None else self._proofs
        others = [n for n in self.coded if n not in (*numbers, *proofs) and self._proofs is not None]

        def work(place: int) -> None:
            if place >= len(numbers):
                number = others[place - len(numbers)]
                coded = self.coded[number]
                right = proves(self.empty, number, coded.data, coded.scores, lambda _: None)
                proofs[number] = coded.data if right else b""
                return
            number, price = numbers[place], prices[place]
            proofs.pop(number, None)
            self.coded[number] = self.encode(number, price)
            self.add(number, price)

        side_by_side(work, len(numbers) + len(others))

    @property
    def joined(self) -> PhotoModel:
        """The photo, all of whose slices are coded, with what of it is proven."""
        numbers = range(self.count)
        found = joined(self.empty, [self.coded[number] for number in numbers])
        return replace(found, proven=tuple(self._proofs.get(n, b"") for n in numbers) if self._proofs else ())

    def add(self, number: int, price: float) -> None:
        """Measure a slice that was coded with a multiple of the usual multiplier."""
        self._prices[number], self._amounts[number] = price, self.measure(number)
        if price == 1:
            self._plain[number] = self._amounts[number]

    def steer(self, numbers: Sequence[int], wanted: float) -> None:
        """Code some slices so that the amount of all is as wanted if those not coded yet follow them."""
        again = [
            *numbers,
            *(number for number in range(self.count) if number not in (*self._amounts, *numbers)),
        ]
        left = wanted - sum(self._amounts[number] for number in self._amounts if number not in again)
        factor, low, high = self._factor, math.log(LEAST), math.log(MOST)

        def worth(number: int, change: float) -> float:
            return min(max(self._worth(number) + change, low), high)

        def amount(change: float) -> float:
            changes = {number: worth(number, change) - self._worth(number) for number in again}
            return sum(self._now(n) * _ratio(factor * self._slope(n) * changes[n]) for n in again)

        least, most = low - high, high - low
        for _ in range(40):
            change = (least + most) / 2
            least, most = (change, most) if (amount(change) < left) == self._grows else (least, change)
        self.code(numbers, [math.exp(worth(number, least)) for number in numbers])

    def chosen(self, more: float) -> list[int]:
        """Return slices to be coded again so that the total amount changes by `more`."""
        end = math.log(MOST if (more > 0) == self._grows else LEAST)
        gains = dict[int, float]()
        for number in range(self.count):
            gains[number] = self.gain(number, math.copysign(min(abs(end - self._worth(number)), REACH), more))
        found, sum_ = list[int](), 0.0
        for number in sorted(gains, key=lambda number: (-gains[number], number)):
            if sum_ < abs(more) and gains[number] > 0:
                found.append(number)
                sum_ += gains[number]
        return found

    def gain(self, number: int, change: float) -> float:
        """Return by how much the amount of a slice changes.

        Its multiplier's natural logarithm changes by as much as `change`, so that the amount changes in the
        direction of its sign.
        """
        return abs(self._now(number) * (_ratio(self._factor * abs(self._slope(number)) * change) - 1))

    @property
    def _grows(self) -> bool:
        """Whether the amount grows with the multiplier."""
        return self.octave > 0

    def _slope(self, number: int) -> float:
        """Return about how many decibels a slice's amount grows if its multiplier grows e-fold."""
        amount, lively = self._guesses[number]
        return decibels(math.e) * self.changed * lively / amount

    def _worth(self, number: int) -> float:
        """Return the natural logarithm of a slice's multiplier relative to the usual one."""
        return math.log(self._prices.get(number, 1.0))

    def _now(self, number: int) -> float:
        """Return the amount of a slice, predicted if it is not coded yet."""
        return self._amounts[number] if number in self._amounts else self._expected(number)

    @property
    def _factor(self) -> float:
        """Ratio of this photo's slopes to their estimates: posterior mean for a Gaussian prior."""
        known = product = 1.0
        for number in sorted(self._prices):
            spread = CODED if number in self._plain else EXPECTED
            change = self._worth(number) * self._slope(number) / spread
            changed = decibels(self._amounts[number] / self._expected(number)) / spread
            known, product = known + change**2, product + change * changed
        return max(product / known, 0.2)

    @property
    def sum(self) -> float:
        """The amount of all slices, predicted for those not coded yet."""
        return sum(self._now(number) for number in range(self.count))

    def _expected(self, number: int) -> float:
        """Predict the amount of a slice with the usual multiplier, from those coded with it."""
        if number in self._plain:
            return self._plain[number]
        known = sorted(self._plain)
        ratios = [self._plain[each] / self._guesses[each].amount for each in known]
        return float(np.interp(number, known, ratios)) * self._guesses[number].amount


T = TypeVar("T", bound=Steering)


def steered(make: Callable[[int, Step], T], k: int, step: Step, wanted: float, tolerance: float) -> T:
    """Code all slices of a photo so that an amount is as wanted, if that can be reached.

    `make` returns what codes slices with a k and a step. If the amount at the step is far off, the step is
    replaced, and k follows. The tolerance is in decibels.
    """
    steering = make(k, step)
    first = steering.first
    again = [number for number in range(steering.count) if number not in first]
    steering.begin(first)
    for _ in range(STEPS):
        left = wanted - steering.apart(wanted) - steering.sum
        missed, farthest = decibels(1 + left / steering.sum), math.copysign(math.log(MOST), left)
        reach = sum(steering.gain(number, farthest) for number in again or first)
        if abs(missed) <= steering.far or abs(left) <= reach:
            break
        octaves = min(max(missed / steering.octave, -FARTHEST), FARTHEST)
        analysis = steering.analysis
        other = Step.nearest(max(float(step) * 2**octaves, analysis.finest_step))
        if other == step:
            break
        step = other
        steering = make(analysis.k_for_step(float(step)), step)
        steering.begin(first)
    count = TOGETHER
    while again:
        numbers = again[:: -(-len(again) // count)]
        again = [number for number in again if number not in numbers]
        steering.steer(numbers, wanted - steering.apart(wanted))
        count *= 2
    for _ in range(ROUNDS):
        total = steering.total
        if abs(decibels(wanted / total)) <= tolerance:
            break
        apart, chosen = total - steering.sum, steering.chosen(wanted - total)
        if not chosen:
            break
        steering.steer(chosen, wanted - apart)
    return steering


def quantize_near(analysis: PhotoAnalysis, k: int, step: Step, near: Near, progress: Progress) -> PhotoModel:
    """Round and code the first k components of a photo with a given mean squared error, if it can be reached.

    If the error at the step is far off, the step is replaced, and k follows; photos of few slices are coded
    with the step that is given. The error is measured against the original.
    """
    few = len(PhotoLayout(analysis.header).slices) < FEWEST
    if few or analysis.graphic is not None:
        return quantize_checked(analysis, k, step, near.original, progress, proven=False)
    coding, measuring = overlapping(progress, 1 / (1 + MEASURING))

    def make(k: int, step: Step) -> _Errors:
        return _Errors(analysis, k, step, near.original, coding, proven=near.proven)

    steering = steered(make, k, step, near.mse * near.original.size, near.tolerance)
    measuring(1, 1)
    return steering.model


class _Errors(Steering):
    """Steers the squared error."""

    changed, octave, far = CHANGED, 5.0, 0.2

    def __init__(
        self,
        analysis: PhotoAnalysis,
        k: int,
        step: Step,
        original: NDArray[Any],
        progress: Progress,
        *,
        proven: bool,
    ) -> None:
        super().__init__(analysis, k, step, progress, proven=proven)
        self._original = original

    @property
    def first(self) -> list[int]:
        """About half of the slices, on which the strengths depend; an even number, as machines have cores."""
        return self.spread(2 * round(self.count / 4))

    def begin(self, numbers: Sequence[int]) -> None:
        """Code the first slices with the usual multiplier, and choose by them how the photo is shrunk."""
        parts = side_by_side(lambda place: self.encode(numbers[place]), len(numbers))
        scores = list(self.empty.scores)
        for number, coded in zip(numbers, parts, strict=True):
            self.coded[number] = coded
            scores[number] = coded.scores
        known = with_strengths(self.analysis, replace(self.empty, scores=tuple(scores)), numbers)
        self.empty = replace(known, scores=self.empty.scores)
        # Memory for reconstruction would be held beside that for coding.
        alone = replace(self.empty, memories=None)
        self._checks = Checks(alone, self._original, no_progress, proven=False)
        side_by_side(lambda place: self.add(numbers[place], 1.0), len(numbers))

    def measure(self, number: int) -> float:
        """Return the squared error of a slice, its seams left out."""
        return float(self._checks.measure(number, self.coded[number].scores))

    def guess(self, number: int) -> Guess:
        """Return the squared error, in squared steps, by the sizes of scores in some blocks."""
        layout, analysis = self.empty.layout, self.analysis
        stride, factor = stride_of(layout.grid), np.float32(UNIT / float(self.empty.header.step))
        gone = {
            *range(self.empty.k, analysis.n_components),
            *indices(analysis.left_out, analysis.n_components),
        }
        part, wrong, lively = layout.slices[number], 0.0, 0.0
        for index, plane in enumerate(analysis.order.tolist()):
            sizes = np.abs(analysis.planes[plane][part][::stride, ::stride].astype(np.float32) * factor)
            if index in gone:
                wrong += float(np.square(sizes).mean())
            elif index < layout.channels:
                wrong += 1 / 12
            else:
                wrong += float(square_errors(sizes).mean())
                lively += float(is_lively(sizes).mean())
        seams = (number > 0) + (number < self.count - 1)
        height: float = part.stop - part.start - seams / 2
        return Guess(max(wrong, 1e-6) * height, lively * height)

    def apart(self, wanted: float) -> float:
        """Estimate the part of a photo's squared error that lies in the lines between slices."""
        return wanted * 2 * self.empty.layout.reach * (self.count - 1) / self.empty.header.shape[0]

    @property
    def total(self) -> float:
        """The squared error of the photo."""

        def measure(place: int) -> None:
            self._checks.measure_seam(place + 1, self.coded[place].scores, self.coded[place + 1].scores)

        side_by_side(measure, self.count - 1)
        return float(self._checks.squares)

    @property
    def model(self) -> PhotoModel:
        """The photo, all of whose slices are coded."""
        _ = self.total  # seams may be older than their slices
        return self._checks.applied(self.joined)


def decibels(ratio: float) -> float:
    """Return a ratio of two amounts in decibels."""
    return 10 * math.log10(max(ratio, 1e-12))


def _ratio(decibels: float) -> float:
    return math.exp(decibels * math.log(10) / 10)


SIZE_CHANGED = -1.4
"""Increase of the bits for each lively score if the multiplier grows e-fold: between -1.2 and -1.9 on
photographs."""


def quantize_sized(
    analysis: PhotoAnalysis, k: int, step: Step, sized: Sized, progress: Progress
) -> PhotoModel:
    """Round and code the first k components of a photo with a given size, if it can be reached.

    If the size at the step is far off, the step is replaced, and k follows. Photos of one slice, images with
    tiles, and those whose size the finest step does not reach are coded with the step that is given.
    """
    finest = float(step) <= analysis.finest_step
    if finest or len(PhotoLayout(analysis.header).slices) == 1 or analysis.graphic is not None:
        return quantize(analysis, k, step, progress)

    def make(k: int, step: Step) -> _Sizes:
        return _Sizes(analysis, k, step, progress, proven=sized.proven)

    wanted = max(sized.n_bytes - FILE_BYTES - k * COMPONENT_BYTES, 1.0)
    tolerance = decibels(1 + sized.tolerance)
    return with_strengths(analysis, steered(make, k, step, wanted, tolerance).joined)


class _Sizes(Steering):
    """Steers the number of bytes."""

    changed, octave, far = SIZE_CHANGED, -3.5, 0.1

    def measure(self, number: int) -> float:
        """Return the bytes of a slice; one for a slice without components."""
        return max(float(len(self.coded[number].data)), 1.0)

    def guess(self, number: int) -> Guess:
        """Return the bits by the sizes of scores in some blocks."""
        layout, part = self.empty.layout, self.empty.layout.slices[number]
        height, columns = part.stop - part.start, layout.grid[1]
        stride = stride_of(layout.grid)
        header, analysis = self.empty.header, self.analysis
        plan = plan_of(header)
        levels = np.zeros((height, columns), np.int64)
        if header.levels:
            wanted, _ = masking(analysis.planes, header, UNIT, part)
            wanted = np.clip(np.rint(wanted), 0, header.levels - 1).astype(np.int64)
            levels = of_blocks(wanted, height, columns)
        levels, bits, lively = levels[::stride, ::stride], 1e-3, 0.0
        for index in range(layout.channels, self.empty.k):
            sizes = np.abs(analysis.plane(index)[part][::stride, ::stride].astype(np.float32))
            sizes *= np.float32(UNIT / float(header.step))
            if plan.local:
                sizes *= plan.inverse(int(analysis.order[index]))[levels]
            bits += float(size_bits(sizes).mean())
            lively += float(is_lively(sizes).mean())
        return Guess(bits * height, lively * height)

    def apart(self, wanted: float) -> float:  # noqa: ARG002 - it does not depend on the size
        """Estimate the bytes that say how long the parts of slices are."""
        parts = [self.coded[number] for number in sorted(self.coded)]
        more = sum(map(len, joined(self.empty, parts).segments)) - sum(len(part.data) for part in parts)
        return more * (self.count - 1) / max(len(parts) - 1, 1)

    @property
    def total(self) -> float:
        """The bytes of all components."""
        return max(float(sum(map(len, self.joined.segments))), 1.0)

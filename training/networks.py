"""Training of the networks that expect scores from the components that were coded before them.

An edge that crosses a block shows in all of its components. Linear prediction cannot tell: for every edge
there is one the other way round. A network with one hidden layer can. Its inputs are the components of lower
frequency in a block and around it, its outputs the scores of a group of components.

An image may be inverted, and its contrast changed, so networks are odd functions that scale with their
inputs: the threshold of a hidden unit is a share of the inputs' mean magnitude, and nothing is constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.layout import PER_CHANNEL
from pcaimage.codec.photo.tables import Arrays
from pcaimage.codec.photo.transform.cascade import Cascade
from training.bases import BLOCK, residuals, rounded

Floats = NDArray[np.float32]

GROUPS = ((1,), (2,), (3,), (4,), (5, 6), tuple(range(7, 2 * BLOCK - 1)))
"""The sums u + v of the frequencies of each group."""

VALUE_BITS = 3
"""Known coefficients are given to networks in units of Δ / 8."""

FARTHEST = 8191
"""Largest magnitude of a known coefficient."""

Input = tuple[int, int, int]

_NEIGHBOURS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)
_BESIDE = tuple(place for place in _NEIGHBOURS if 0 in place)

HIDDEN = (32, 64, 64, 96, 96, 96)
"""Hidden units of the network of each group."""

UNEXPECTED = 5
"""The group that is expected in the first channel alone: in others next to nothing would be gained."""

STEPS = (4.0, 8.0, 16.0, 32.0)
"""Steps that photographs are quantised with."""

CROP = 768
"""Lines and columns of the part of a photograph that is looked at."""

WEIGHT_BITS, THRESHOLD_BITS = 10, 13
MOST, MOST_SUM = (1 << 15) - 1, (1 << 31) - 1

MOST_SAMPLES = 800_000
BATCH, BATCHES = 256, 60_000
RATES = (6e-3, 1e-5)
"""First and last learning rate."""

TOLERANCE = 0.3
"""Errors below this share of the inputs' mean magnitude count as noise."""

_MOMENT, _SQUARES = 0.9, 0.995


class Turn(NamedTuple):
    """One of the symmetries of a square: first transposed or not, then mirrored or not in both directions.

    Where inputs and outputs come from when a photograph is turned, and the signs that they get.
    """

    inputs: NDArray[np.int64]
    input_signs: Floats
    outputs: NDArray[np.int64]
    output_signs: Floats


class Samples(NamedTuple):
    """Inputs, shape (n, n_inputs), and the scores to expect, shape (n, n_outputs), in steps."""

    inputs: Floats
    wanted: Floats


class Quantized(NamedTuple):
    """A channel of a quantised photograph.

    Parameters
    ----------
    known : ndarray of int16, shape (64, rows + 2, columns + 2)
        Coefficients in eighths of the step, with a border of the nearest blocks.
    wanted : ndarray of float16, shape (64, rows, columns)
        Unrounded scores, in steps, less their prediction from means.
    """

    known: NDArray[np.int16]
    wanted: NDArray[np.float16]


class Network(NamedTuple):
    """Weights of inputs (H, n), thresholds (H,) in mean magnitudes, and weights of hidden units (m, H)."""

    hidden: Floats
    thresholds: Floats
    outputs: Floats


def components_of(group: int) -> tuple[int, ...]:
    """Return the components of a group, 8 u + v, in ascending order."""
    sums = GROUPS[group]
    return tuple(place for place in range(1, BLOCK**2) if sum(divmod(place, BLOCK)) in sums)


def inputs_of(group: int) -> list[Input]:
    """Return the inputs of a group's network: component, and rows and columns of blocks to where it is taken.

    The constant component stands for the difference of a neighbour's mean to the block's own.
    """

    def ranked(place: int) -> tuple[int, int, int]:
        u, v = divmod(place, BLOCK)
        return u + v, max(u, v), place

    known = sorted((place for lower in range(group) for place in components_of(lower)), key=ranked)
    lowest = [place for place in known if max(divmod(place, BLOCK)) == 1]
    found: list[Input] = [(place, 0, 0) for place in known]
    found += [(0, *there) for there in _NEIGHBOURS]
    found += [(place, *there) for place in lowest for there in _NEIGHBOURS]
    if group > 1:
        found += [(place, *there) for place in (2, 2 * BLOCK) for there in _BESIDE]
    return found


def train_networks(
    images: Sequence[NDArray[np.uint8]],
    basis: NDArray[np.int64],
    order: NDArray[np.int64],
    prediction: NDArray[np.int64],
) -> Arrays:
    """Return the arrays of all groups' networks, for the first channel and for the others.

    They are those of ``docs/format.md``. Images are uint8 of shape (H, W, 3), and seen at half size as well.
    """
    channels = [
        channel
        for image in images
        for planes in _views(image, basis)
        for step in STEPS
        for channel in quantized(planes, order, prediction, step)
    ]
    kinds = channels[::3], [*channels[1::3], *channels[2::3]]
    arrays: Arrays = {}
    for group in range(len(GROUPS)):
        first = whole(trained(kinds[0], group, basis))
        if group == UNEXPECTED:
            others = [np.zeros_like(values) for values in first]
        else:
            others = whole(trained(kinds[1], group, basis))
        for name, *both in zip(Network._fields, first, others, strict=True):
            arrays[f"{name}_{group}"] = np.stack(both)
    return arrays


def _views(image: NDArray[np.uint8], basis: NDArray[np.int64]) -> Iterator[Floats]:
    """Yield the scores that an encoder finds of a photograph's middle, and of that at half the size."""
    height, width = (side // 2 for side in image.shape[:2])
    quarters = image[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3)
    for view in (image, np.rint(quarters.mean(axis=(1, 3))).astype(np.uint8)):
        top, left = (max((side - CROP) // 16 * 8, 0) for side in view.shape[:2])
        part = np.ascontiguousarray(view[top : top + CROP, left : left + CROP])
        planes = Cascade.of_image(part, basis, basis).forward(part, 1 / 8)
        yield planes.astype(np.float32) / np.float32(8)


def quantized(
    planes: Floats, order: NDArray[np.int64], prediction: NDArray[np.int64], step: float
) -> list[Quantized]:
    """Quantise a photograph's scores, shape (192, rows, columns) in pixel values; return its channels."""
    rest = residuals(planes, order, prediction, step).transpose(2, 0, 1)
    flat = order[:, 0] * PER_CHANNEL + order[:, 1] * BLOCK + order[:, 2]
    values, wanted = np.rint(planes / np.float32(step)), np.zeros(planes.shape, np.float16)
    values[flat] = planes[flat] / np.float32(step) + (rounded(rest) - rest)
    wanted[flat] = rest
    known = np.clip(np.floor(np.ldexp(values, VALUE_BITS)), -MOST, MOST).astype(np.int16)
    known = np.pad(known, ((0, 0), (1, 1), (1, 1)), mode="edge")
    starts = range(0, len(planes), PER_CHANNEL)
    return [Quantized(known[s : s + PER_CHANNEL], wanted[s : s + PER_CHANNEL]) for s in starts]


def turns(group: int, basis: NDArray[np.int64]) -> list[Turn]:
    """Return what the symmetries of a square do to a group; the basis tells which components are odd."""
    parity = np.sign(np.sum(basis * basis[:, ::-1], axis=1))
    told: list[Input] = [(place, 0, 0) for place in components_of(group)]
    found = []
    for transposed, down, right in product((False, True), (1, -1), (1, -1)):
        signs = np.outer(parity if down < 0 else parity**2, parity if right < 0 else parity**2).ravel()
        parts = []
        for each in (inputs_of(group), told):
            moved: list[Input] = [(place, y * down, x * right) for place, y, x in each]
            if transposed:
                moved = [(place % BLOCK * BLOCK + place // BLOCK, x, y) for place, y, x in moved]
            own = np.array([place for place, _, _ in each])
            parts.append((np.array([each.index(place) for place in moved]), signs[own].astype(np.float32)))
        found.append(Turn(*parts[0], *parts[1]))
    return found


def trained(channels: Sequence[Quantized], group: int, basis: NDArray[np.int64]) -> Network:
    """Train the network of a group."""
    random = np.random.default_rng(group)
    return fitted(samples(channels, group, random), HIDDEN[group], turns(group, basis), random)


def samples(channels: Sequence[Quantized], group: int, random: np.random.Generator) -> Samples:
    """Return samples of a group, from blocks in which enough is known for a decoder to expect something."""
    sizes = [channel.wanted[0].size for channel in channels]
    share = MOST_SAMPLES / sum(sizes)
    found, wanted = [], []
    for (values, scores), size in zip(channels, sizes, strict=True):
        down, right = np.divmod(np.flatnonzero(random.random(size) < share), scores.shape[2])
        known = np.empty((len(down), len(inputs_of(group))), np.float32)
        for number, (component, y, x) in enumerate(inputs_of(group)):
            column = values[component, down + 1 + y, right + 1 + x].astype(np.int32)
            if component == 0:
                column = (column - values[0, down + 1, right + 1]) >> 1
            known[:, number] = np.clip(column, -FARTHEST, FARTHEST)
        busy = np.abs(known).sum(axis=1) >= known.shape[1]
        found.append(np.ldexp(known[busy], -VALUE_BITS))
        wanted.append(scores[list(components_of(group))][:, down[busy], right[busy]].T.astype(np.float32))
    return Samples(np.concatenate(found), np.concatenate(wanted))


def fitted(known: Samples, units: int, seen: Sequence[Turn], random: np.random.Generator) -> Network:
    """Fit a network by stochastic gradient descent [1]_, each batch turned in another way.

    It makes the sum of log(1 + (e / s)²) small, of the errors e, where s is what counts as noise: about twice
    the bits that errors take.

    References
    ----------
    .. [1] D. P. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015.
    """
    n, m = known.inputs.shape[1], known.wanted.shape[1]
    weights, slopes, moments, squares = np.zeros((4, units * (n + 1 + m)), np.float32)
    network, slope = _parts(weights, units, n), _parts(slopes, units, n)
    network.hidden[:] = random.normal(0, n**-0.5, (units, n))
    network.thresholds[:] = -0.3
    network.outputs[:] = random.normal(0, 0.05 * units**-0.5, (m, units))
    picked = _batches(len(known.inputs), random)
    for number in range(BATCHES):
        _slopes(network, _turned(known, next(picked), seen[number % len(seen)]), slope)
        moments += (slopes - moments) * np.float32(1 - _MOMENT)
        squares += (slopes * slopes - squares) * np.float32(1 - _SQUARES)
        rate = RATES[0] * (RATES[1] / RATES[0]) ** (number / BATCHES)
        start = np.sqrt(1 - _SQUARES ** (number + 1)) / (1 - _MOMENT ** (number + 1))
        weights -= np.float32(rate * start) * moments / (np.sqrt(squares) + np.float32(1e-6))
    return network


def _parts(values: Floats, units: int, count: int) -> Network:
    """Return a network in some memory, for `units` hidden units and `count` inputs."""
    hidden, thresholds, told = np.split(values, [units * count, units * (count + 1)])
    return Network(hidden.reshape(units, count), thresholds, told.reshape(-1, units))


def _batches(count: int, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of samples, in another order each time that all were seen."""
    while True:
        order = random.permutation(count)
        yield from (order[start : start + BATCH] for start in range(0, max(count - BATCH, 0) + 1, BATCH))


def _turned(known: Samples, picked: NDArray[np.int64], turn: Turn) -> Samples:
    return Samples(
        known.inputs[picked][:, turn.inputs] * turn.input_signs,
        known.wanted[picked][:, turn.outputs] * turn.output_signs,
    )


def _slopes(network: Network, batch: Samples, result: Network) -> None:
    """Compute the gradient of the loss of a batch."""
    size = np.abs(batch.inputs).mean(axis=1)
    sums, bound = batch.inputs @ network.hidden.T, np.outer(size, network.thresholds)
    above, below = bound + sums > 0, bound - sums > 0
    found = (bound + sums) * above - (bound - sums) * below
    error = found @ network.outputs.T - batch.wanted
    noise = 1 + np.square(np.float32(TOLERANCE) * size)
    error /= (noise[:, None] + error * error) * np.float32(len(size) / 2)
    back = error @ network.outputs
    above, below = back * above, back * below
    np.matmul(error.T, found, out=result.outputs)
    np.matmul((above + below).T, batch.inputs, out=result.hidden)
    np.matmul(size, above - below, out=result.thresholds)


def whole(network: Network) -> list[NDArray[np.int16]]:
    """Return a network's three arrays in integers, such that no sum of a decoder leaves 32 bits.

    Hidden units are scaled to weights of length one, which changes nothing else.
    """
    units, count = network.hidden.shape
    length = np.sqrt(np.square(network.hidden).sum(axis=1)) + np.float32(1e-9)
    hidden = np.rint(np.ldexp(network.hidden / length[:, None], WEIGHT_BITS))
    thresholds = np.rint(np.ldexp(network.thresholds / (length * count), THRESHOLD_BITS))
    left = (MOST_SUM - np.abs(hidden).sum(axis=1) * FARTHEST) // (count * FARTHEST >> 3)
    told = np.ldexp(network.outputs * length, WEIGHT_BITS)
    # Each weight grows by a half at most when it is rounded.
    share = (MOST_SUM / MOST - units / 2) / np.maximum(np.abs(told).sum(axis=1), 1)
    found = hidden, np.clip(thresholds, -left, left), np.rint(told * np.minimum(share, 1)[:, None])
    return [np.clip(each, -MOST, MOST).astype(np.int16) for each in found]

"""Networks learn from edges what scores to expect, and decoders can compute with them."""

import numpy as np
import pytest

from pcaimage.codec.photo.tables import NEWEST, Tables
from tests.reference import networks as reference
from training import networks
from training.bases import scores_of
from training.networks import (
    FARTHEST,
    GROUPS,
    Network,
    components_of,
    inputs_of,
    quantized,
    samples,
    trained,
    turns,
    whole,
)
from training.shrinkage import BANDS, SIZES, Equations, equations, fitted, gains_of

SIDE = 96


def edges(seed):
    """Return a photograph of half-planes in flat colours."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:SIDE, :SIDE]
    image = np.full((SIDE, SIDE, 3), 128.0)
    for _ in range(6):
        angle, place = random.uniform(0, 6.3), random.uniform(-30, 30)
        image[np.cos(angle) * (x - 48) + np.sin(angle) * (y - 48) > place] = random.uniform(20, 235, 3)
    return np.clip(image + random.normal(size=image.shape), 0, 255).astype(np.uint8)


def channels_of(image, step=8.0):
    arrays = Tables.of(NEWEST).arrays
    order, prediction = arrays["order"].astype(np.int64), arrays["prediction"].astype(np.int64)
    planes = scores_of(np.ascontiguousarray(image), Tables.of(NEWEST).basis)
    return quantized(planes, order, prediction, step)


@pytest.mark.parametrize("group", [2, 5])
def test_turned_photographs_have_turned_samples(group, monkeypatch):
    monkeypatch.setattr(networks, "MOST_SAMPLES", 1 << 20)
    noise = np.random.default_rng(4).integers(0, 256, (64, 64, 1)).repeat(3, axis=2)
    image = (noise * np.array([1, 0.8, 0.6])).astype(np.uint8)
    random = np.random.default_rng(0)
    known = samples(channels_of(image)[:1], group, random)
    places = np.arange(64).reshape(8, 8)
    for number, turn in enumerate(turns(group, Tables.of(NEWEST).basis)):
        steps = 1 - number // 2 % 2 * 2, 1 - number % 2 * 2
        pixels, moved = (image.swapaxes(0, 1), places.T) if number > 3 else (image, places)
        other = samples(channels_of(pixels[:: steps[0], :: steps[1]])[:1], group, random)
        blocks = moved[:: steps[0], :: steps[1]].ravel()
        inputs = known.inputs[blocks][:, turn.inputs] * turn.input_signs
        wanted = known.wanted[blocks][:, turn.outputs] * turn.output_signs
        # A channel's sign is not given by its pixels; and inputs are rounded towards one side.
        sign = np.sign(np.sum(inputs * other.inputs))
        assert np.abs(sign * inputs - other.inputs).mean() < 0.1 * np.abs(inputs).mean()
        assert np.abs(sign * wanted - other.wanted).mean() < 0.1 * np.abs(wanted).mean()


def test_a_decoder_expects_what_was_learned_from_other_edges(monkeypatch):
    monkeypatch.setattr(networks, "BATCHES", 600)
    monkeypatch.setattr(networks, "BATCH", 64)
    group = 1
    seen = [channels_of(edges(seed))[0] for seed in range(10)]
    layers = [array.astype(np.int64) for array in whole(trained(seen, group, Tables.of(NEWEST).basis))]
    known, wanted = channels_of(edges(77))[0]
    inside = known[:, 1:-1, 1:-1].astype(np.int64)
    around = [reference.moved(inside[0] >> 3, *there) - (inside[0] >> 3) for there in reference.AROUND]
    coefficients = {divmod(place, 8): inside[place] << 5 for place in components_of(0)}
    told = reference.evaluated(*layers, reference.inputs_of(coefficients, around, group)) / 256
    scores = wanted[list(components_of(group))].astype(np.float64)
    before, after = (np.log1p(np.square(rest)).sum() for rest in (scores, scores - told))
    assert after < 0.9 * before


def test_networks_of_all_groups_are_the_same_each_time(monkeypatch):
    monkeypatch.setattr(networks, "BATCHES", 6)
    monkeypatch.setattr(networks, "STEPS", (8.0,))
    monkeypatch.setattr(networks, "HIDDEN", (16,) * len(GROUPS))
    arrays, basis = Tables.of(NEWEST).arrays, Tables.of(NEWEST).basis
    order, prediction = arrays["order"].astype(np.int64), arrays["prediction"].astype(np.int64)
    first, second = (
        networks.train_networks([edges(1), edges(2)], basis, order, prediction) for _ in range(2)
    )
    assert len(first) == 3 * len(GROUPS)
    for group in range(len(GROUPS)):
        known, told = len(inputs_of(group)), len(components_of(group))
        shapes = {"hidden": (2, 16, known), "thresholds": (2, 16), "outputs": (2, told, 16)}
        for name, shape in shapes.items():
            array = first[f"{name}_{group}"]
            assert array.shape == shape
            assert array.dtype == np.int16
            busy = array.any(axis=tuple(range(1, array.ndim)))
            assert list(busy) == [True, group != networks.UNEXPECTED]
            assert np.array_equal(array, second[f"{name}_{group}"])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_no_sum_leaves_32_bits(scale):
    random = np.random.default_rng(3)
    units, known = 64, 50

    def some(*shape):
        return (scale * random.normal(size=shape)).astype(np.float32)

    network = Network(some(units, known), some(units) * np.float32(scale), some(5, units) / np.float32(20))
    hidden, thresholds, told = (each.astype(np.int64) for each in whole(network))
    sums = np.abs(hidden).sum(axis=1) * FARTHEST + np.abs(thresholds) * (known * FARTHEST >> 3)
    assert sums.max() < 1 << 31
    assert (np.abs(told).sum(axis=1) * 32767).max() < 1 << 31
    # What is small enough is only rounded, in another share for each hidden unit.
    lengths = np.linalg.norm(network.hidden, axis=1)
    assert np.allclose(hidden / 1024 * lengths[:, None], network.hidden, atol=1e-3 * lengths.max())
    if scale == 1:
        assert np.allclose(thresholds / 8192 * known * lengths, network.thresholds, atol=0.1)
        assert np.allclose(told / 1024 / lengths, network.outputs, atol=1e-3)


CELLS = BANDS * SIZES


def photograph(seed):
    """Return soft stripes in some colour, with an edge."""
    y, x = np.indices((40, 48))
    wave = 100 + 50 * np.sin(x / (3 + seed) + y / 9) + 60 * (x + 2 * y > 60)
    colours = wave[..., None] * np.array([1, 0.9 - seed / 10, 0.5])
    return np.clip(colours + np.random.default_rng(seed).normal(size=colours.shape), 0, 255).astype(np.uint8)


def better(gains, part):
    """Return by how much a channel's squared error falls, with the best strengths."""
    squares, helped = gains @ part.products @ gains.T, gains @ part.helped
    strengths = np.linalg.lstsq(squares, helped, rcond=None)[0]
    return float(2 * strengths @ helped - strengths @ squares @ strengths)


def plus(first, second):
    return Equations(first.products + second.products, first.helped + second.helped)


@pytest.fixture(scope="module")
def known():
    return [equations(photograph(seed), Tables.of(NEWEST), 24.0) for seed in (1, 2, 3)]


def test_taking_out_small_coefficients_helps(known):
    for channels in known:
        products, helped = channels[0]
        assert products.shape == (CELLS, CELLS)
        assert np.allclose(products, products.T, rtol=1e-4, atol=1e-4)
        # Gains are shares that are added: those of small coefficients are below zero.
        smallest = fitted([channels[0]], 1)[0].reshape(BANDS, SIZES)[:, 0]
        assert np.median(smallest) < -0.05
        assert helped.reshape(BANDS, SIZES)[:, 0].sum() < 0


@pytest.mark.slow
def test_two_components_fit_photographs_better_than_one(known):
    parts = [channels[0] for channels in known]
    one, two = (sum(better(fitted(parts, count), part) for part in parts) for count in (1, 2))
    assert 0 < one < 0.99 * two


def test_components_are_found_again_where_they_made_the_photographs():
    random = np.random.default_rng(5)
    true = np.kron(random.normal(size=(2, BANDS)), np.linspace(1, 2, SIZES))
    parts = []
    for strength in (-1.5, -0.6, 0.5, 1.6):
        cells = random.normal(size=(CELLS, 900)) * 9
        parts.append(Equations(cells @ cells.T, cells @ (cells.T @ (true[0] + strength * true[1]))))
    found = fitted(parts, 2)
    inside = found @ np.linalg.pinv(true) @ true
    assert np.abs(found - inside).max() < 0.02 * np.abs(found).max()


def test_grades_between_steps_learn_from_both(known):
    fine = [[channels[channel] for channels in known] for channel in range(3)]
    coarse = [parts[::-1] for parts in fine]
    both = [[plus(a, b) for a, b in zip(*each, strict=True)] for each in zip(fine, coarse, strict=True)]
    gains = gains_of([fine, coarse])
    assert gains.shape == (3, 2, 3, BANDS, SIZES)
    assert gains.any(axis=(2, 3, 4)).all()
    assert np.array_equal(gains[1], gains_of([both])[0])
    assert not np.array_equal(gains[1], gains[0])

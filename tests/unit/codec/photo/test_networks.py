"""Networks that expect components from those of lower frequencies."""

import numpy as np
import pytest

from pcaimage.codec.photo.scores.networks import (
    GROUPS,
    KNOWN,
    SHIFT,
    Expectations,
    components_of,
    inputs_of,
    networks_of,
)
from pcaimage.codec.photo.scores.prediction import keep
from pcaimage.codec.photo.tables import NEWEST, Tables
from tests.reference import networks as reference

GROUP = range(len(GROUPS))
TRAINED = Tables.of(NEWEST).arrays


def some_means(rows, columns, largest):
    random = np.random.default_rng(columns)
    return random.integers(-largest, largest, (8, rows, columns), np.int32, endpoint=True)


def some_components(rows, columns, largest):
    """Return coefficients of the components that networks know, half of them zeros."""
    random = np.random.default_rng(rows)
    found = random.integers(-largest, largest, (len(KNOWN), rows, columns), np.int32, endpoint=True)
    found *= random.integers(0, 2, found.shape, np.int32)
    return dict(zip(KNOWN, found, strict=True))


def knowing(channel, means, components, arrays=TRAINED):
    _, rows, columns = means.shape
    expectations = Expectations(networks_of(arrays), rows, columns)
    expectations.learn_means(channel, means)
    for place, coefficients in components.items():
        keep(coefficients, SHIFT, expectations.place_of(64 * channel + place))
    return expectations


def by_document(channel, group, means, components, arrays=TRAINED):
    known = {divmod(place, 8): plane.astype(np.int64) for place, plane in components.items()}
    inputs = reference.inputs_of(known, list(means.astype(np.int64)), group)
    return reference.evaluated(*reference.layers(arrays, channel, group), inputs)


@pytest.mark.parametrize("largest", [30, 3000, 1 << 20])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 7), (3, 16), (9, 33), (40, 1), (2, 15)])
def test_the_core_evaluates_networks_as_the_document_says(rows, columns, largest):
    means = some_means(rows, columns, min(largest // 4, 1 << 15))
    components = some_components(rows, columns, largest)
    for channel in (0, 1, 3):
        expectations = knowing(channel, means, components)
        for group in GROUP:
            expected = by_document(channel, group, means, components)
            found = [expectations.of(64 * channel + place) for place in components_of(group)]
            assert np.array_equal(found, expected)
            # The last group is expected in the first channel alone.
            assert np.any(expected) == (group < 5 or channel == 0) or largest == 30


def test_blocks_of_which_next_to_nothing_is_known_are_expected_to_be_zero():
    means, components = np.zeros((8, 3, 20), np.int32), some_components(3, 20, 3000)
    for plane in components.values():
        plane[:, :10] = 0
    found = [knowing(0, means, components).of(place) for place in components_of(5)]
    assert not np.any(np.array(found)[..., :9])
    assert np.any(np.array(found)[..., 9:])  # the tenth has neighbours


@pytest.mark.parametrize("group", GROUP)
@pytest.mark.parametrize("kind", [0, 1])
def test_no_sum_of_trained_networks_leaves_32_bits(group, kind):
    hidden, thresholds, outputs = (np.abs(layer) for layer in reference.layers(TRAINED, kind, group))
    largest = (hidden.shape[1] * 8191) >> 3
    assert (hidden.sum(axis=1) * 8191 + thresholds * largest).max() < 1 << 31
    assert (outputs.sum(axis=1) * 32767).max() < 1 << 31


@pytest.mark.parametrize("group", GROUP)
def test_trained_networks_have_the_layers_that_the_core_has_room_for(group):
    (units, known), (results, width) = (
        TRAINED[f"{name}_{group}"].shape[1:] for name in ("hidden", "outputs")
    )
    assert TRAINED[f"thresholds_{group}"].shape == (2, units)
    assert (known, results, width) == (len(inputs_of(group)), len(components_of(group)), units)
    assert units % 4 == 0
    assert max(units, known, results) <= 96


def test_weights_of_odd_shapes_are_filled_up_with_zeros():
    random = np.random.default_rng(3)
    arrays = {}
    for group in GROUP:
        n_inputs, n_results = len(inputs_of(group)), len(components_of(group))
        for name, shape in (("hidden", (8, n_inputs)), ("thresholds", (8,)), ("outputs", (n_results, 8))):
            arrays[f"{name}_{group}"] = random.integers(-900, 900, (2, *shape)).astype(np.int16)
    means, components = some_means(3, 5, 700), some_components(3, 5, 3000)
    expectations = knowing(0, means, components, arrays)
    for group in GROUP:
        found = [expectations.of(place) for place in components_of(group)]
        assert np.array_equal(found, by_document(0, group, means, components, arrays))


@pytest.mark.parametrize("columns", [16, 40, 270])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 1.0])
@pytest.mark.sweep(2)
def test_blocks_are_expected_alike_whether_many_or_few_are_busy(columns, share):
    means, components = some_means(2, columns, 4), some_components(2, columns, 3000)
    quiet = np.random.default_rng(columns).random((2, columns)) > share
    # A busy block's neighbours know of it by the components that they take from there.
    means[:, quiet] = 0
    for coefficients in components.values():
        coefficients[:, :] = np.where(quiet, 0, coefficients)
    group = 3
    found = knowing(0, means, components)
    told = np.stack([found.of(place) for place in components_of(group)])
    assert np.array_equal(told, by_document(0, group, means, components))
    assert told.any()

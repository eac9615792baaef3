"""Networks that expect components from those of lower frequencies."""

import numpy as np
import pytest

from pcaimage.codec.photo.memory import Memory
from pcaimage.codec.photo.slices import PhotoSliceCoder
from pcaimage.codec.photo.tables import NEWEST, Tables
from pcaimage.core.library import LONG, Array, function
from tests.reference import networks as reference
from training.files import flat
from training.networks import GROUPS, components_of, inputs_of

GROUP = range(len(GROUPS))
KNOWN = [place for place, *_ in inputs_of(5) if place][:27]
"""The components that networks know, in the order of their inputs."""

_EXPECT = function(
    "pcai_slice_expect",
    None,
    Array(np.uint8, writable=True),
    LONG,
    LONG,
    Array(np.int32),
    Array(np.int32),
    Array(np.int16, writable=True),
)


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


def expected_of(channel, group, means, components, tables=None):
    """Return what the core expects of the components of a group."""
    _, rows, columns = means.shape
    plan = (tables or Tables.of(NEWEST)).components(4)
    coder = PhotoSliceCoder(plan, np.zeros((256, rows, columns), np.int32), memory=Memory())
    found = np.full((len(components_of(group)), rows, columns), 9, np.int16)
    known = np.stack([components[place] for place in KNOWN]).astype(np.int32)
    _EXPECT(coder.room, channel, group, means, known, found)
    return found


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
        for group in GROUP:
            expected = by_document(channel, group, means, components)
            assert np.array_equal(expected_of(channel, group, means, components), expected)
            # The last group is expected in the first channel alone.
            assert np.any(expected) == (group < 5 or channel == 0) or largest == 30


def test_blocks_of_which_next_to_nothing_is_known_are_expected_to_be_zero():
    means, components = np.zeros((8, 3, 20), np.int32), some_components(3, 20, 3000)
    for plane in components.values():
        plane[:, :10] = 0
    found = expected_of(0, 5, means, components)
    assert not np.any(found[..., :9])
    assert np.any(found[..., 9:])  # the tenth has neighbours


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


def test_networks_may_have_any_weights():
    random, arrays = np.random.default_rng(3), dict(TRAINED)
    grade = Tables.of(NEWEST).graded(1)
    for group in GROUP:
        for name in ("hidden", "thresholds", "outputs"):
            like = arrays[f"{name}_{group}"]
            arrays[f"{name}_{group}"] = random.integers(-300, 300, like.shape).astype(np.int16)
    tables = Tables(np.frombuffer(flat(arrays), np.uint8), lambda _grade: grade)
    means, components = some_means(3, 5, 700), some_components(3, 5, 3000)
    for group in GROUP:
        found = expected_of(0, group, means, components, tables)
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
    told = expected_of(0, group, means, components)
    assert np.array_equal(told, by_document(0, group, means, components))
    assert told.any()

"""Networks that expect components from those of lower frequencies."""

import numpy as np
import pytest

from pcaimage.codec.coding.memory import Memories, Memory
from pcaimage.codec.photo.tables import NEWEST, Tables
from tests.reference import networks as reference
from training.networks import GROUPS, components_of, inputs_of

GROUP = range(len(GROUPS))
TRAINED = Tables.of(NEWEST).arrays


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


def test_what_is_large_enough_is_used_again_under_its_name():
    memory = Memory()
    first = memory.array("first", (100,), np.uint8)
    assert np.shares_memory(first, memory.array("first", (5, 5), np.int16))
    assert not np.shares_memory(first, memory.array("second", (10,), np.uint8))
    assert not np.shares_memory(first, memory.array("first", (500,), np.uint8))


def test_a_memory_is_lent_once_at_a_time():
    memories = Memories()
    first, second = memories.take(), memories.take()
    assert first is not second
    memories.give_back(first)
    assert memories.take() is first

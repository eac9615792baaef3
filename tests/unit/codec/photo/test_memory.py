"""Memory that is used again."""

import numpy as np

from pcaimage.codec.coding.memory import Memories, Memory


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

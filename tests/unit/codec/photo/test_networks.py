"""The core expects what the format says, and nothing is known beyond it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pcaimage.codec.photo.networks import (
    FARTHEST,
    GROUPS,
    KNOWN,
    Expectations,
    components_of,
    inputs_of,
    networks_of,
)
from pcaimage.codec.photo.prediction import differences
from pcaimage.codec.photo.tables import NEWEST, Arrays, Tables

Integers = NDArray[np.int64]


def expected(arrays: Arrays, channel: int, group: int, planes: Integers, means: Integers) -> Integers:
    """Return what is expected of a group's components, from coefficients in Δ / 256 and means in Δ."""
    rows, columns = means.shape
    padded = np.pad(planes, ((0, 0), (1, 1), (1, 1)), mode="edge")
    around = np.pad(means, 1, mode="edge")
    columns_of = []
    for place, down, right in inputs_of(group):
        there = slice(1 + down, 1 + down + rows), slice(1 + right, 1 + right + columns)
        values = padded[(place, *there)] >> 5 if place else ((around[there] - means) << 8) >> 6
        columns_of.append(np.clip(values, -8191, 8191))
    known = np.stack(columns_of, axis=-1)
    names = ("hidden", "thresholds", "outputs")
    hidden, thresholds, told = (arrays[f"{name}_{group}"][min(channel, 1)].astype(np.int64) for name in names)
    size = np.abs(known).sum(axis=-1, keepdims=True)
    sums, bound = known @ hidden.T, thresholds * (size >> 3)
    assert (np.abs(sums) + np.abs(bound)).max() < 1 << 31
    units = np.clip((np.maximum(sums + bound, 0) - np.maximum(bound - sums, 0)) >> 7, -32767, 32767)
    assert (np.abs(units) @ np.abs(told).T).max() < (1 << 31) - 128
    found = np.clip((units @ told.T + 128) >> 8, -32767, 32767)
    return np.moveaxis(np.where(size < known.shape[-1], 0, found), -1, 0)


@pytest.mark.parametrize("scale", [0, 60, 3000, 400_000])
@pytest.mark.parametrize("shape", [(5, 19), (1, 1), (3, 8)])
def test_expectations_are_those_of_the_format(shape: tuple[int, int], scale: int) -> None:
    arrays, random = Tables.of(NEWEST).arrays, np.random.default_rng(scale)
    for channel in (0, 2):
        planes = np.rint(random.laplace(size=(64, *shape)) * scale).astype(np.int32)
        # Some blocks are flat.
        planes[:, random.random(shape) < 0.3] = 0
        means = np.rint(random.normal(size=shape) * scale / 400).astype(np.int32)
        expectations = Expectations(networks_of(arrays), *shape)
        around = np.empty((8, *shape), np.int32)
        differences(means, around)
        expectations.learn_means(channel, around)
        for group in range(len(GROUPS)):
            want = expected(arrays, channel, group, planes.astype(np.int64), means.astype(np.int64))
            for place, plane in zip(components_of(group), want, strict=True):
                assert np.array_equal(expectations.of(64 * channel + place), plane)
            for place in components_of(group):
                expectations.learn(64 * channel + place, planes[place])


def test_weights_in_use_keep_all_sums_within_32_bits() -> None:
    arrays = Tables.of(NEWEST).arrays
    for group in range(len(GROUPS)):
        names = ("hidden", "thresholds", "outputs")
        hidden, thresholds, told = (np.abs(arrays[f"{name}_{group}"].astype(np.int64)) for name in names)
        farthest = hidden.shape[-1] * FARTHEST >> 3
        assert (hidden.sum(axis=-1) * FARTHEST + thresholds * farthest).max() < 1 << 31
        assert told.sum(axis=-1).max() * 32767 + 128 < 1 << 31


def test_groups_have_each_component_once() -> None:
    found = [place for group in range(len(GROUPS)) for place in components_of(group)]
    assert sorted(found) == list(range(1, 64))
    assert set(KNOWN) == set(found[: len(KNOWN)])
    assert [len(inputs_of(group)) for group in range(len(GROUPS))] == [8, 26, 45, 49, 54, 67]

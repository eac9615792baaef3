"""Reconstruction is exact: the same pixels in any order of summation, on any number of threads."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pcaimage
from pcaimage import Bands, Blocks, Settings, Stack, container
from pcaimage.codec import Analysis, Header, IntegerModel, Step
from pcaimage.codec.compressed import MAX_PRECISION
from pcaimage.codec.linear.coding import pack, unpack
from pcaimage.codec.linear.model import EXACT, ScorePlanes
from pcaimage.codec.linear.quantize import quantize
from pcaimage.codec.step import MAX_EXPONENT, MIN_EXPONENT
from pcaimage.errors import SettingsError
from tests.unit.container.test_reference_linear import scene

MODELS = {
    "blocks": lambda: quantize(Analysis.fit(scene(40, 33, 3), Blocks(4)), 30, Step.nearest(1.7)),
    "16 bits": lambda: quantize(Analysis.fit(scene(40, 33, 3, peak=65535), Blocks(4)), 48, Step.nearest(0.5)),
    "standardised": lambda: quantize(
        Analysis.fit(scene(30, 30, 9), Blocks(2), standardize=True), 9, Step.nearest(0.003)
    ),
    "stack": lambda: quantize(Analysis.fit(scene(9, 10, 11), Stack()), 8, Step.nearest(3.3)),
}


def by_whole_numbers(model):
    """Return the samples by Python's integers, in no clever way."""
    header, bits = model.header, 120
    scale = np.ones(header.n_features, int) if model.scale is None else model.scale
    total = np.zeros((header.n_samples, header.n_features), object)
    total += [int(m) << (bits - header.mean_bits) for m in model.mean]
    for j in np.random.default_rng(1).permutation(model.k):
        shift = bits + header.step.exponent - model.precisions[j] - (header.scale_bits or 0)
        weights = model.entries[j].astype(object) * scale.astype(object) * header.step.mantissa
        total += np.outer(model.scores[j].astype(object), weights << shift)
    rounded = (total + (1 << (bits - 1))) >> bits
    return np.clip(rounded, 0, header.peak).astype(header.dtype)


@pytest.mark.parametrize("name", MODELS)
def test_reconstruction_is_that_of_whole_numbers_in_any_order(name):
    model = MODELS[name]()
    expected = by_whole_numbers(model)
    assert np.array_equal(model.samples(slice(None)), expected)
    image = model.header.sampling.from_samples(expected, model.header.shape)
    assert np.array_equal(model.reconstruct(), image.reshape(model.header.output_shape))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(model.k)
        shuffled = replace(
            model,
            entries=model.entries[order],
            scores=model.scores[order],
            precisions=tuple(model.precisions[j] for j in order),
        )
        assert np.array_equal(shuffled.reconstruct(), model.reconstruct())


def test_samples_one_by_one_are_those_of_the_whole():
    model = MODELS["blocks"]()
    whole = model.samples(slice(None))
    which = np.array([17, 3, 55, 0])
    assert np.array_equal(model.samples(which), whole[which])
    assert np.array_equal(model.samples(slice(5, 6))[0], whole[5])


PROGRAM = """
import hashlib, sys, pcaimage
data = sys.stdin.buffer.read()
print(hashlib.sha256(pcaimage.decode(data).tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_number_of_threads_makes_no_difference():
    data = pcaimage.encode(scene(150, 170, 3), Settings(Blocks(8), k=150))
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    other = "3" if os.environ.get(names[0]) == "1" else "1"  # than here
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=data,
        env=os.environ | dict.fromkeys(names, other),
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert result.stdout.decode().strip() == hashlib.sha256(pcaimage.decode(data).tobytes()).hexdigest()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.sweep(2)
def test_integers_come_back_from_their_bytes(name):
    model = MODELS[name]()
    found = unpack(pack(model, np.zeros(0)))
    assert found.header == model.header
    assert found.precisions == model.precisions
    for attribute in ("mean", "entries", "scores"):
        assert np.array_equal(getattr(found, attribute), getattr(model, attribute))
    assert (found.scale is None) == (model.scale is None)
    if model.scale is not None:
        assert np.array_equal(found.scale, model.scale)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_trimmed_files_decode_to_the_pixels_at_k(name):
    model = MODELS[name]()
    data = container.write(pack(model, np.zeros(0)))
    for k in (1, model.k // 2, model.k):
        expected = model.trimmed(k).reconstruct()
        assert np.array_equal(pcaimage.decode(data, k), expected)
        assert np.array_equal(pcaimage.decode(container.trim(data, k)), expected)


def tiny(scores, entry, precision, step, **header):
    description = Header((2, 2, 1), "uint8", Bands(), step, **header)
    return IntegerModel(
        description,
        np.array([100]),
        None,
        np.array([[entry]]),
        (precision,),
        np.array([[scores, -scores, 0, 1]], np.int32),
    )


def test_sums_that_would_not_be_exact_are_refused():
    fits, large = (tiny(1 << 20, 1 << 20, 20, Step(2049, exponent)) for exponent in (-11, -30))
    assert fits.magnitude < EXACT <= large.magnitude
    assert fits.reconstruct().ravel().tolist() == [255, 0, 100, 101]
    with pytest.raises(SettingsError, match="step is too small"):
        large.reconstruct()
    with pytest.raises(SettingsError, match="step is too small"):
        pack(large, np.zeros(0))


def test_halves_are_rounded_up_and_the_ends_clipped():
    # scores times 1/2: 100 + 0.5, 100 - 0.5, 100, 100.5
    assert tiny(1, 1, 1, Step(2048, -11)).reconstruct().ravel().tolist() == [101, 100, 100, 101]
    assert tiny(5, 1, 1, Step(2048, -11)).reconstruct().ravel().tolist() == [103, 98, 100, 101]
    assert tiny(9999, 1, 1, Step(2048, -11)).reconstruct().ravel().tolist() == [255, 0, 100, 101]


def test_components_without_scores_and_mantissas_of_powers_of_two_take_no_room():
    model = tiny(1, 1, 1, Step(2048, -11))
    empty = replace(
        model,
        entries=np.vstack([model.entries, [[(1 << 31) - 1]]]),
        precisions=(1, MAX_PRECISION),
        scores=np.vstack([model.scores, np.zeros_like(model.scores)]),
    )
    assert np.array_equal(empty.reconstruct(), model.reconstruct())
    assert tiny(5, 3, 10, Step(2048, -12)).fraction_bits == 11
    assert tiny(5, 3, 10, Step(2049, -12)).fraction_bits == 22
    assert tiny(5, 3, 0, Step(2048, 0)).fraction_bits == 1


@given(st.floats(2.0**-28, 2.0**51))
def test_nearest_step_is_within_a_part_in_4096(value):
    step = Step.nearest(value)
    assert abs(float(step) - value) <= value / 4096
    neighbours = [float(step) * (1 + sign / step.mantissa) for sign in (-1, 1)]
    assert all(abs(float(step) - value) <= abs(other - value) * (1 + 1e-12) for other in neighbours)
    assert Step.nearest(float(step)) == step


def test_steps_at_the_ends_of_the_range_are_taken_and_others_refused():
    assert Step.nearest(2048 * 2.0**MIN_EXPONENT) == Step(2048, MIN_EXPONENT)
    assert Step.nearest(4095 * 2.0**MAX_EXPONENT) == Step(4095, MAX_EXPONENT)
    assert Step.nearest(4095.7) == Step(2048, 1)
    for value in (0.0, -1.0, float("nan"), float("inf"), 2.0**-30, 2.0**53, 1e-300, 1e300):
        with pytest.raises(SettingsError):
            Step.nearest(value)
    for mantissa, exponent in ((2047, 0), (4096, 0), (2048, -41), (2048, 41)):
        with pytest.raises(SettingsError, match="not a valid step"):
            Step(mantissa, exponent)


def test_scores_of_16_bits_stay_small_until_one_needs_more():
    planes = ScorePlanes(2, 3)
    planes.put((0,), np.array([1, -32767, 32767]))
    assert planes.array.dtype == np.int16
    planes.put((1, slice(0, 1)), np.array([-32768.0]))
    assert planes.array.dtype == np.int32
    assert planes.array.tolist() == [[1, -32767, 32767], [-32768, 0, 0]]

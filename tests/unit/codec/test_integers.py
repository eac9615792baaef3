"""Reconstruction is exact: the same pixels in any order of summation, on any number of threads."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pcaimage
from pcaimage import Bands, Blocks, Settings, Stack, container
from pcaimage.codec import Analysis, Header, IntegerModel, Step
from pcaimage.codec.coding.range_coder import RangeCoder, RangeWriter
from pcaimage.codec.compressed import MAX_PRECISION
from pcaimage.codec.linear.coding import pack, unpack
from pcaimage.codec.linear.model import EXACT, ScorePlanes
from pcaimage.codec.linear.quantize import quantize
from pcaimage.codec.step import MAX_EXPONENT, MIN_EXPONENT
from pcaimage.core.library import LONG, STRUCT, Array, function, held
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


Bits = list[tuple[int, int]]
"""Probability of a one, in 1/65536, and the bit."""

code_bits = function(
    "pcai_range_code_bits", None, STRUCT, Array(np.int32), Array(np.uint8, writable=True), LONG, LONG
)


def write(coder, bits):
    """Write bits where there is room."""
    probabilities = np.array([p for p, _ in bits], np.int32)
    code_bits(coder, probabilities, np.array([bit for _, bit in bits], np.uint8), len(bits), 0)


def coded(bits, runs=1):
    """Return the bytes, written in several runs."""
    writer = RangeWriter()
    for run in np.array_split(np.arange(len(bits)), runs):
        writer.reserve(len(run))
        write(writer.coder, [bits[index] for index in run.tolist()])
        writer.keep()
    return writer.finish()


def decoded(data, probabilities):
    bits = np.empty(len(probabilities), np.uint8)
    stream = np.frombuffer(data, np.uint8)
    reader = held(RangeCoder(0, (1 << 32) - 1, 0, 0, 0, stream.size, stream))
    code_bits(reader, np.array(probabilities, np.int32), bits, len(bits), 1)
    return bits.tolist()


some_bits = st.lists(
    st.tuples(st.sampled_from([1, 2, 32768, 65534, 65535]) | st.integers(1, 65535), st.integers(0, 1)),
    max_size=200,
)


@pytest.mark.slow
@given(some_bits, st.integers(1, 4))
def test_bits_of_any_probability_come_back(bits, runs):
    data = coded(bits, runs)
    assert decoded(data, [p for p, _ in bits]) == [bit for _, bit in bits]
    assert not data.endswith(b"\0")


@pytest.mark.parametrize("bit", [0, 1])
@pytest.mark.parametrize("probability", [1, 65535])
def test_long_runs_of_likely_and_of_unlikely_bits_come_back(probability, bit):
    # The unlikely ones carry through hundreds of bytes that are pending.
    # Zeros alone would take no bytes: those at the end are left out.
    bits = [*[(probability, bit)] * 500, (32768, 1)]
    data = coded(bits)
    assert decoded(data, [p for p, _ in bits]) == [bit for _, bit in bits]
    likely = (bit == 1) == (probability == 65535)
    assert len(data) < 5 if likely else 490 < len(data) <= 1010
    assert decoded(b"", [probability, 32768] * 100) == [0] * 200


@pytest.mark.slow
@settings(max_examples=30)
@given(some_bits, st.binary(max_size=20))
def test_what_is_missing_reads_as_zeros(bits, noise):
    probabilities = [p for p, _ in bits]
    for data in (coded(bits), noise):
        for length in range(0, len(data), 7):
            cut = data[:length]
            assert decoded(cut, probabilities) == decoded(cut + bytes(99), probabilities)


def test_a_prefix_of_bits_needs_four_bytes_more_than_are_certain():
    random = np.random.default_rng(0)
    bits = list(
        zip(random.integers(1, 65536, 3000).tolist(), random.integers(0, 2, 3000).tolist(), strict=True)
    )
    data = coded(bits)
    for count in (1, 100, 2000):
        writer = RangeWriter()
        writer.reserve(count)
        write(writer.coder, bits[:count])
        writer.keep()
        needed = writer.certain
        followed_by_anything = data[:needed] + random.bytes(50)
        assert decoded(followed_by_anything, [p for p, _ in bits[:count]]) == [bit for _, bit in bits[:count]]


def drawn(probabilities, seed):
    """Return bits as likely as they are said to be, and how many bytes they are worth."""
    ones = np.random.default_rng(seed).integers(0, 65536, probabilities.size) < probabilities
    worth = -np.log2(np.where(ones, probabilities, 65536 - probabilities) / 65536).sum() / 8
    return list(zip(probabilities.tolist(), ones.astype(int).tolist(), strict=True)), float(worth)


@pytest.mark.parametrize("lowest", [1, 20000])
def test_size_is_within_a_thousandth_of_the_ideal(lowest):
    probabilities = np.random.default_rng(lowest).integers(lowest, 65537 - lowest, 60_000)
    bits, worth = drawn(probabilities, 1)
    assert worth > 4000
    assert len(coded(bits)) < 1.001 * worth + 4

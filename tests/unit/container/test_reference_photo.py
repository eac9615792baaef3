"""docs/format.md is enough to decode photos: a decoder written from it gives the same pixels and scores."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

import pcaimage
from pcaimage import Settings, codec, container
from pcaimage.codec import Component, Compressed, Header, Step
from pcaimage.codec.compressed import DEPENDENT, ORDERED, REGIONS, SHRUNK, WEIGHTED
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.tables import NEWEST
from pcaimage.codec.photo.transform.cascade import cascade_to_bytes
from pcaimage.errors import SettingsError
from pcaimage.sampling import Lapped
from tests.golden.make import drawing, tiled
from tests.reference import photo as reference
from tests.unit.container.files import waves

CASES = {
    "colour": (waves(16, 31, 3), 20.0),
    "grey without an axis": (waves(24, 31), 12.0),
    "two channels of odd sizes": (waves(17, 23, 2), 40.0),
    "four channels": (waves(21, 30, 4), 60.0),
    "one pixel": (waves(1, 1, 3), 2.0),
    "one column": (waves(30, 1), 5.0),
    "16 bits": (waves(12, 17, 3, peak=65535), 3000.0),
    "16 bits, large scores": (waves(9, 10, peak=65535), 1.0),
    "fine steps": (waves(16, 16), 0.5),
    "steps of 5.5": (waves(10, 15, 3), 5.5),
    "steps of 23": (waves(16, 20, 3), 23.0),
    "coarse steps": (waves(40, 40, 3), 500.0),
}


def same(data, k):
    decoded, expected = reference.decode(data, k), pcaimage.decode(data, k)
    assert decoded.pixels.shape == expected.shape
    assert np.array_equal(decoded.pixels, expected)
    scores = coding.unpack(container.read(data), k).scores
    assert all(map(np.array_equal, decoded.scores, scores))
    return decoded


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_reference_decoder_gives_the_same_photo_with_all_tools_and_with_few(name):
    array, step = CASES[name]
    for data in (pcaimage.encode(array, Settings(Lapped(), step=step)), dependent(array, step)):
        whole = same(data, None)
        for k in (1, min(5, whole.k)):
            same(data, k)
    # Scores in half steps need not be dependent.
    whole = same(dependent(array, step, tools=0), None)
    assert not whole.header.dependent
    channels = whole.header.channels
    assert not any(np.any(part[channels:] % 2) for part in whole.scores)


def dependent(array, step, k=None, slice_rows=0, strengths=(), slopes=(), tools=DEPENDENT):
    """Return a file with some tools."""
    analysis = PhotoAnalysis.fit(array)
    tools |= ORDERED if slopes else 0
    header = replace(analysis.header, slice_rows=slice_rows, tools=tools, slopes=slopes)
    analysis = replace(analysis, header=header)
    k = analysis.k_for_step(step) if k is None else k
    model = coding.quantize(analysis, k, Step.nearest(step))
    if strengths:
        model = replace(model, header=replace(model.header, tools=tools | SHRUNK, strengths=strengths))
    return container.write(coding.pack(model))


@pytest.mark.slow
def test_shrinkage_does_not_end_at_slices():
    data = dependent(waves(37, 12, 1), 30.0, 60, slice_rows=2, strengths=(9, -5))
    decoded = same(data, None)
    assert len(decoded.scores) == 3
    assert decoded.header.strengths == (9, -5)
    strips = np.concatenate(list(codec.decode_strips(container.read(data))))
    assert np.array_equal(strips, decoded.pixels)


@pytest.mark.slow
@pytest.mark.parametrize("strengths", [(16, 0, 0, 0, 3, -4), (0,) * 6, (1, 16, -16, 16, 0, 9)])
def test_channels_are_shrunk_apart(strengths):
    for array, step in ((waves(13, 18, 3), 25.0), (waves(11, 9, 3, peak=65535), 12000.0)):
        same(dependent(array, step, 90, strengths=strengths), None)


ORDERS = {
    "colour": (-40, -35, 10, -9, -16, -60, -70, 0, 7, -24, -50, -50, 5, -1),
    "grey without an axis": (-127, 30, -128, 127),
    "four channels": (-10, -20, -30, 5, 127, 1, 2, 3, -4, -128, 0, 0, 0, 0, 20, -30, -20, -10, 9),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ORDERS)
def test_components_stand_in_the_order_that_the_header_gives(name):
    array, step = CASES[name]
    data = dependent(array[:16], step, slopes=ORDERS[name])
    whole = same(data, None)
    assert whole.header.slopes == ORDERS[name]
    for k in (4, whole.k // 2):
        pixels = same(data, k).pixels
        assert np.array_equal(pixels, pcaimage.decode(container.trim(data, k)))


def with_local_steps(array, step, levels, middle, weights=(), slice_rows=0):
    analysis = PhotoAnalysis.fit(array)
    tools = DEPENDENT | (REGIONS if levels else 0) | (WEIGHTED if weights else 0)
    more = {"levels": levels, "middle": middle, "weights": weights, "slice_rows": slice_rows}
    analysis = replace(analysis, header=replace(analysis.header, tools=tools, **more))
    # Any weights, not those that an encoder chooses for a step.
    with patch.object(coding, "with_step", lambda header, step: replace(header, step=step)):
        return coding.quantize(analysis, min(analysis.n_components, 50), Step.nearest(step))


def uneven(*shape, peak=255):
    """Return a scene that is quiet in one half."""
    array = waves(*shape, peak=peak)
    array[: shape[0] // 2, shape[1] // 2 :] //= 24
    return array


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "peak", "step", "levels", "middle", "weights", "slice_rows"),
    [
        ((45, 50, 3), 255, 20.0, 14, 8, (6, 0, 6, 6), 0),
        ((45, 37), 255, 9.0, 16, 2, (), 3),
        ((21, 30, 4), 255, 30.0, 0, 0, (32, -32, 5, 32, 0), 0),
        ((17, 19, 2), 65535, 4000.0, 2, 1, (0, 31, -31), 1),
        ((9, 10), 65535, 1.0, 5, 4, (1, -32), 0),
        ((1, 1, 3), 255, 5.0, 3, 0, (), 0),
    ],
)
def test_reference_decoder_reads_local_steps(shape, peak, step, levels, middle, weights, slice_rows):
    model = with_local_steps(uneven(*shape, peak=peak), step, levels, middle, weights, slice_rows)
    data = container.write(coding.pack(model))
    decoded = same(data, None)
    assert (decoded.header.local.levels, decoded.header.local.weights) == (levels, weights)
    again = coding.unpack(container.read(data))
    assert again.same_as(model)
    assert np.array_equal(again.reconstruct().reshape(shape), decoded.pixels)
    same(data, 1)


def test_quiet_regions_have_finer_steps_than_busy_ones():
    model = with_local_steps(uneven(64, 64, 3), 12.0, 14, 8)
    (levels,) = model.levels
    assert levels[:2, 2:].max() < levels[2:].min()


def test_squared_errors_of_coefficients_are_those_of_pixels_with_local_steps():
    array = (uneven(48, 40, 3).astype(np.uint16) + 20000).astype(np.uint16)
    model = with_local_steps(array, 14.0, 14, 8, (6, 0, 6, 6))
    model = replace(model, header=replace(model.header, tools=DEPENDENT | REGIONS | WEIGHTED, strengths=()))
    planes = PhotoAnalysis.fit(array).planes
    found = model.picture.coefficients(0, model.layout.grid[0]) * (float(model.header.step) / 256)
    of_scores = float(np.square(planes * UNIT - found).sum())
    of_pixels = float(np.square(model.reconstruct().astype(float) - array).sum())
    # Pixels are rounded.
    assert of_scores == pytest.approx(of_pixels - array.size / 12, rel=0.02)


def test_headers_with_tools_that_do_not_fit_are_refused():
    header = Header((16, 16, 1), "uint8", Lapped(), Step.nearest(9.0), tables=1, tools=DEPENDENT)
    wrong = [
        replace(header, tools=DEPENDENT | 128),
        replace(header, tools=DEPENDENT | ORDERED),
        replace(header, tools=DEPENDENT | ORDERED, slopes=(1, 2, 3)),
        replace(header, tools=DEPENDENT | ORDERED, slopes=(1, 128, 3, 4)),
        replace(header, slopes=(1, 2, 3, 4)),
        replace(header, tools=DEPENDENT | REGIONS),
        replace(header, tools=DEPENDENT | REGIONS, levels=17),
        replace(header, tools=DEPENDENT | REGIONS, levels=1),
        replace(header, tools=DEPENDENT | REGIONS, levels=4, middle=4),
        replace(header, tools=DEPENDENT, levels=4),
        replace(header, tools=DEPENDENT | WEIGHTED),
        replace(header, tools=DEPENDENT | WEIGHTED, weights=(4,)),
        replace(header, tools=DEPENDENT | WEIGHTED, weights=(-1, 0)),
        replace(header, tools=DEPENDENT | WEIGHTED, weights=(0, 33)),
        replace(header, tools=DEPENDENT, weights=(4, 0)),
        replace(header, tools=DEPENDENT | 32),
        replace(header, tools=DEPENDENT | SHRUNK, strengths=(8,)),
        replace(header, tools=DEPENDENT | SHRUNK, strengths=(8, -17)),
        replace(header, tools=DEPENDENT | SHRUNK, strengths=(8, 0), step=Step.nearest(0.5)),
    ]
    for each in wrong:
        with pytest.raises(SettingsError):
            container.write(Compressed(each, b"", ()))


@pytest.mark.slow
@pytest.mark.parametrize("slice_rows", [1, 2, 4])
def test_reference_decoder_reads_slices(slice_rows):
    analysis = PhotoAnalysis.fit(waves(37, 12, 1))
    analysis = replace(analysis, header=replace(analysis.header, slice_rows=slice_rows))
    data = container.write(coding.pack(coding.quantize(analysis, 60, Step.nearest(9.0))))
    for k in (2, 20, None):
        assert len(same(data, k).scores) == -(-5 // slice_rows)


@pytest.mark.slow
def test_reference_decoder_reads_own_bases():
    random, own = np.random.default_rng(2), []
    for _ in range(2):
        basis = np.linalg.qr(random.normal(size=(8, 8)))[0] * 2**14
        own.append(np.rint(basis).astype(np.int64))
    analysis = PhotoAnalysis.fit(waves(24, 25, 3))
    cascade = replace(analysis.cascade, vertical=own[0], horizontal=own[1])
    image = coding.pack(coding.quantize(analysis, 60, Step.nearest(20.0)))
    mean = cascade_to_bytes(cascade, analysis.cascade.vertical)
    assert len(mean) == 1 + 2 * (3 + 9 + 128)
    same(container.write(replace(image, mean=mean)), None)


@pytest.mark.sweep(48)
@pytest.mark.parametrize(
    ("shape", "kind", "step", "slice_rows"),
    [
        ((24, 24, 3), "uint8", 10.0, 0),
        ((17, 25, 4), "uint8", 100.0, 2),
        ((24, 16, 2), "uint16", 20.0, 0),
        ((24, 16, 1), "uint8", 0.002, 1),
    ],
)
@pytest.mark.parametrize("filling", [b"", b"\xff", None])
@pytest.mark.parametrize("local", [{}, {"levels": 16, "middle": 2}])
def test_whatever_the_bytes_are_they_mean_the_same_to_both(shape, kind, step, slice_rows, filling, local):
    random = np.random.default_rng(slice_rows)
    if local:
        local = {**local, "weights": (9, -3, 8, 5, 6)[: 1 + shape[2]]}
    analysis = PhotoAnalysis.fit(waves(*shape).astype(kind))
    shrunk = step * 255 >= np.iinfo(kind).max
    tools, strengths = (DEPENDENT | SHRUNK, (16, -16) * shape[2]) if shrunk else (DEPENDENT, ())
    tools, slopes = tools | ORDERED, tuple(random.integers(-128, 128, 5 * shape[2] - 1).tolist())
    more = {
        "tables": NEWEST,
        "tools": tools | (REGIONS | WEIGHTED if local else 0),
        "slopes": slopes,
        **local,
    }
    header = Header(
        shape, kind, Lapped(), Step.nearest(step), strengths=strengths, slice_rows=slice_rows, **more
    )
    slices = -(-3 // slice_rows) if slice_rows else 1
    segments = [bytes(slices - 1) + (random.bytes(9) if filling is None else filling) for _ in range(40)]
    mean = cascade_to_bytes(analysis.cascade, analysis.cascade.vertical)
    components = tuple(Component(0, b"", segment) for segment in segments)
    same(container.write(Compressed(header, mean, components)), None)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("shape", "step"), [((25, 38, 3), None), ((9, 70, 1), 40.0), ((12, 17, 4), 3.0), ((20, 5, 2), 20.0)]
)
def test_reference_decoder_gives_the_same_tiles(shape, step):
    array = drawing(*shape)
    decoded = same(tiled(array, step), None)
    assert decoded.header.tiled
    if step is None:
        assert np.array_equal(decoded.pixels, array)

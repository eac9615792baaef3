"""Photos whose components stand in the order of their own spectrum."""

from dataclasses import replace

import numpy as np
import pytest

from pcaimage.codec import Region, Step
from pcaimage.codec.compressed import ORDERED
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.aims.rates import PhotoRates
from pcaimage.codec.photo.analysis import LARGEST, LEAST_BLOCKS, PhotoAnalysis, slopes_of
from pcaimage.codec.photo.picture import Picture
from pcaimage.codec.photo.planes import Planes
from pcaimage.codec.photo.screen.preview import PhotoPreview
from pcaimage.codec.photo.tables import NEWEST, Tables
from pcaimage.imaging.reading.samples import read_sample
from pcaimage.insight.component_table import channel_axes
from pcaimage.insight.model_file import arrays_of


def ordered(slopes, channels=3):
    """Return the planes of components that are not constant in the order of slopes."""
    return Tables.of(NEWEST).components(channels, slopes).planes[channels:]


@pytest.fixture(scope="module")
def analysis():
    cat = read_sample("cat").pixels
    return PhotoAnalysis.fit(np.ascontiguousarray(cat[:256, 40:296]))


def as_in_tables(analysis):
    tools = analysis.header.tools & ~ORDERED
    return replace(analysis, header=replace(analysis.header, tools=tools, slopes=()))


def fallen(slopes):
    """Return variances that fall as slopes say."""
    down, along = np.indices((8, 8)).reshape(2, -1)
    u, v, largest = np.log2(1 + np.stack([down, along, np.maximum(down, along)]))
    numbers = np.array([0, *slopes]).reshape(-1, 5)
    octaves = numbers @ np.stack([np.full(64, 2.0), u, v, largest, (down + along) / 2]) / 16
    return np.exp2(octaves - 3).ravel()


def test_slopes_are_those_of_the_variances_which_fall_in_their_order():
    slopes = (-20, -31, 4, -3, -9, -30, -10, -16, 2, -24, 7, -22, -25, -5)
    found = np.array(slopes_of(fallen(slopes)))
    assert np.abs(found - slopes).max() <= 1
    assert slopes_of(fallen(slopes) * 2.0**-3) == tuple(found)
    slopes = (-30, -35, 3, -2, -7, -26, -31, 6, 0, 5, -30, -36, 1, 3)
    order = ordered(slopes)
    assert sorted(order) == sorted(ordered(()))
    assert np.diff(np.log2(fallen(slopes)[order])).max() < 0.15


def test_equal_levels_and_small_photos_keep_the_order_of_the_tables_and_absent_colours_are_last():
    assert np.array_equal(ordered((0,) * 14), ordered(()))
    assert ordered((LARGEST, 0, -LARGEST - 1, 0), 1)[0] == 8
    pixels = np.zeros((8 * LEAST_BLOCKS, 8), np.uint8)
    assert PhotoAnalysis.fit(pixels).header.slopes
    assert not PhotoAnalysis.fit(pixels[8:]).header.slopes
    variances = fallen((-30, -30, -9, -2) + (0,) * 10)
    variances[64:] = 0
    assert set(ordered(slopes_of(variances))[:40]) <= set(range(64))


def test_the_first_components_are_better_than_those_of_the_tables(analysis):
    usual = as_in_tables(analysis)
    assert sorted(usual.order) == sorted(analysis.order)
    best = np.sort(analysis.variances[3:])[::-1]
    for k in (16, 32, 64, 96):
        left = analysis.variances[k:].sum()
        assert left < 0.9 * usual.variances[k:].sum()
        assert left < 1.2 * best[k - 3 :].sum()
    rises, usual_rises = (np.maximum(np.diff(np.log2(each.variances[3:])), 0) for each in (analysis, usual))
    assert rises.sum() < 0.5 * usual_rises.sum()


def test_other_scores_have_an_order_of_their_own(analysis):
    turned = analysis.planes.reshape(3, 8, 8, *analysis.planes.shape[1:]).swapaxes(1, 2)
    planes = np.ascontiguousarray(turned).reshape(analysis.planes.shape)
    other = replace(analysis, found=Planes(planes)).ordered()
    down, along = analysis.header.slopes[:2]
    assert other.header.slopes[:2] == (along, down)
    assert np.array_equal(np.sort(other.variances), np.sort(analysis.variances))


@pytest.mark.slow
def test_a_file_decodes_and_shows_what_was_coded(analysis):
    model = coding.quantize(analysis, 24, Step.nearest(60.0))
    assert model.header.tools & ORDERED
    packed = coding.pack(model)
    assert coding.unpack(packed).same_as(model)
    few = coding.unpack(packed, 11)
    assert np.array_equal(few.reconstruct(), model.trimmed(11).reconstruct())
    whole = Region(0, 0, 10_000, 10_000)
    seen = PhotoPreview.of(few).render(whole, 1.0, 11).pixels.astype(int)
    plain = replace(few, header=replace(few.header, tools=few.header.tools & ~2, strengths=()))
    assert np.abs(seen - plain.reconstruct()).mean() < 0.5


@pytest.mark.slow
def test_estimates_are_of_the_same_components(analysis):
    rates, step = PhotoRates(analysis), 64.0
    for k in (2, 30):
        model = coding.quantize(analysis, k, Step.nearest(step))
        header = replace(model.header, tools=model.header.tools & ~2, strengths=())
        picture = Picture(header, analysis.cascade, [])
        pixels = picture.pixels_of(analysis.planes, (1, -3))
        true = replace(model, header=header).mean_squared_error(pixels.reshape(header.shape))
        assert rates.estimate(k, step).mse == pytest.approx(true, rel=0.05)


def test_axes_and_models_name_the_same_components(analysis):
    components = Tables.of(NEWEST).components(3, analysis.header.slopes)
    assert np.array_equal(components.planes, analysis.order)
    axes = channel_axes(analysis.header)
    assert axes is not None
    assert np.array_equal(axes, analysis.order // 64 + 1)
    named = arrays_of(analysis, k=12, step=Step.nearest(9.0))["order"]
    assert np.array_equal(named @ (64, 8, 1), analysis.order[:12])

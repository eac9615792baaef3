"""Pictures for the screen are what full reconstruction and averaging would give."""

import numpy as np
import pytest
from skimage import data

from pcaimage.codec import Analysis, Drawing, Preview, Region, Screen
from pcaimage.codec.linear.preview import NEGLIGIBLE
from pcaimage.codec.linear.quantize import quantize
from pcaimage.codec.linear.thumbnail import LARGEST, SMALLEST, thumbnail
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.screen.preview import PhotoPreview
from pcaimage.codec.step import WIDEST_ZONE, Step, dead_zone
from pcaimage.sampling import Blocks, Channels, Stack
from tests.unit.codec.photo.slices import sliced
from tests.unit.codec.test_parts import scene


def fitted(array, sampling, k, *, standardize=False):
    analysis = Analysis.fit(array, sampling, standardize=standardize)
    return quantize(analysis, k, analysis.step_for(k))


def padded(model):
    """Return the reconstruction with what lies over the image's edge."""
    header = model.header
    rows, columns = header.sampling.grid(header.shape)
    size, _, channels = header.sampling.feature_grid(header.shape)
    shape = (rows * size, columns * size, channels)
    return header.sampling.from_samples(model.samples(slice(None)), shape).astype(np.float64)


def boxes(picture, cell):
    """Average cells; an odd last one stands for itself."""
    if cell > 1:
        picture = np.pad(picture, ((0, -len(picture) % cell), (0, -picture.shape[1] % cell), (0, 0)), "edge")
    rows, columns, channels = len(picture) // cell, picture.shape[1] // cell, picture.shape[2]
    return picture.reshape(rows, cell, columns, cell, channels).mean(axis=(1, 3))


WHOLE = Region(0, 0, 10_000, 10_000)

METHODS = [
    (scene(45, 52, 3), Blocks(8), False),
    (scene(45, 52, 3), Blocks(6), True),
    (scene(33, 31, 1), Blocks(4), False),
    (scene(20, 23, 3), Channels(), False),
    (scene(20, 23, 7), Channels(), True),
    (scene(30, 26, 3, peak=65535), Blocks(5), False),
]


@pytest.mark.parametrize(("array", "sampling", "standardize"), METHODS)
def test_full_resolution_is_the_exact_reconstruction_in_any_mixture_of_the_channels(
    array, sampling, *, standardize
):
    model = fitted(array, sampling, 3, standardize=standardize)
    preview = Preview.of_model(model)
    for k in (1, 3):
        view = preview.render(WHOLE, 1.0, k)
        exact = padded(model.trimmed(k)) * (255 / model.header.peak)
        assert view.pixels.shape == exact.shape
        assert np.abs(view.pixels - exact).max() <= 1
        assert (view.left, view.top, view.right, view.bottom) == (0, 0, exact.shape[1], exact.shape[0])
    rng = np.random.default_rng(4)
    mix = rng.uniform(-1, 1, (array.shape[-1], 3)) * 200 / np.iinfo(array.dtype).max
    screen = Screen(mix.astype(np.float32), np.array([90, 120, 150], np.float32))
    view = preview.render(WHOLE, 1.0, 3, Drawing(screen=screen))
    expected = np.clip(padded(model) @ mix + screen.offset, 0, 255)
    # The expected values are rounded before they are mixed, those of the picture after it.
    assert np.abs(view.pixels - expected).max() < 1 + 0.5 * np.abs(mix).sum(axis=0).max()


@pytest.mark.parametrize(("scale", "cell"), [(3.0, 1), (1.0, 1), (0.5, 2), (0.27, 4), (0.125, 8)])
def test_reduced_views_are_averages(scale, cell):
    model = fitted(scene(45, 52, 3), Blocks(8), 9)
    view = Preview.of_model(model).render(WHOLE, scale, 9)
    expected = boxes(padded(model), cell)
    assert view.pixels.shape == expected.shape
    assert np.abs(view.pixels - expected).max() <= 1
    model = fitted(scene(21, 30, 3), Channels(), 3)  # each pixel is a sample
    view = Preview.of_model(model).render(WHOLE, 0.25, 3)
    expected = boxes(boxes(padded(model), 2), 2)
    assert np.abs(view.pixels - expected).max() <= 1


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("scale", "halvings"), [(1 / 16, 1), (1 / 33, 2), (1 / 100, 4), (1e-6, None)])
def test_views_smaller_than_blocks_average_blocks(scale, halvings):
    model = fitted(scene(101, 75, 3), Blocks(8), 9)
    view = Preview.of_model(model).render(WHOLE, scale, 9)
    expected = boxes(padded(model), 8)
    for _ in range(20 if halvings is None else halvings):
        expected = boxes(expected, 2) if len(expected) * expected.shape[1] > 1 else expected
    assert view.pixels.shape == expected.shape
    assert np.abs(view.pixels - expected).max() <= 1


def of_blocks(array):
    return Preview.of_model(fitted(array, Blocks(8), 9))


def of_a_photo_of_slices(array):
    return PhotoPreview.of(coding.quantize(sliced(array), 9, Step.nearest(9.0)))


REGIONS = "0,0,1,1 9,17,30,35 50,59,52,61 51,60,52,61 -5,-5,70,70 0,44,52,61 60,70,70,80 8,8,8,8"


@pytest.mark.parametrize(("preview_of", "apart"), [(of_blocks, 1), (of_a_photo_of_slices, 0)])
@pytest.mark.parametrize("scale", [1.0, 0.25, 1 / 16])
@pytest.mark.parametrize("region", [Region(*map(int, each.split(","))) for each in REGIONS.split()])
@pytest.mark.sweep(15)
def test_regions_are_parts_of_the_whole_and_cover_what_was_asked(preview_of, apart, region, scale):
    preview = preview_of(scene(61, 52, 3))
    whole, part = preview.render(WHOLE, scale, 9), preview.render(region, scale, 9)
    cell = (whole.right - whole.left) // whole.pixels.shape[1]
    assert part.pixels.shape[:2] == ((part.bottom - part.top) // cell, (part.right - part.left) // cell)
    cut = whole.pixels[part.top // cell : part.bottom // cell, part.left // cell : part.right // cell]
    assert part.pixels.size
    assert np.abs(part.pixels.astype(int) - cut).max() <= apart
    assert part.left <= max(region.left, 0) or region.left >= 52
    assert part.top <= max(region.top, 0) or region.top >= 61
    assert part.right >= min(region.right, 52)
    assert part.bottom >= min(region.bottom, 61)


@pytest.mark.parametrize("bands", [(4, 0, 2), (6,), (1, 1, 1)])
@pytest.mark.parametrize(("preview_of", "channels"), [(of_blocks, 7), (of_a_photo_of_slices, 3)])
def test_bands_are_chosen(preview_of, channels, bands):
    preview, bands = preview_of(scene(61, 52, channels)), tuple(band % channels for band in bands)
    for scale in (1.0, 0.5, 1 / 16):
        whole, chosen = preview.render(WHOLE, scale, 9), preview.render(WHOLE, scale, 9, Drawing(bands=bands))
        assert np.abs(chosen.pixels.astype(int) - whole.pixels[..., list(bands)]).max() <= 1


def test_the_white_is_shown_as_white_unless_another_value_is():
    array = (scene(24, 24, 3, peak=65535) // 16).astype(np.uint16)
    model = fitted(array, Blocks(4), 30)
    dark = Preview.of_model(model).render(WHOLE, 1.0, 30, Drawing(white=65535.0))
    bright = Preview.of_model(model).render(WHOLE, 1.0, 30)
    assert dark.pixels.max() < 20
    assert np.abs(bright.pixels - padded(model) * (255 / 4095)).max() <= 1


def test_an_analysis_shows_what_its_file_will():
    array = scene(141, 148, 3)
    analysis = Analysis.fit(array, Blocks(8), standardize=True)
    preview = Preview.of_analysis(analysis)
    for k in (10, 30):
        step = analysis.step_for(k)
        exact = quantize(analysis, k, step).reconstruct().astype(int)
        view = preview.render(WHOLE, 1.0, k, Drawing(step=float(step))).pixels[:141, :148]
        assert np.mean(np.abs(view - exact)) < 1.5
    everything = preview.render(WHOLE, 1.0, analysis.n_components).pixels[:141, :148]
    assert np.abs(everything.astype(int) - array).max() <= 1


def test_a_step_rounds_the_scores_unless_the_view_is_large(monkeypatch):
    analysis = Analysis.fit(scene(45, 52, 3), Blocks(8))
    preview = Preview.of_analysis(analysis)
    exact, rounded = preview.render(WHOLE, 1.0, 20), preview.render(WHOLE, 1.0, 20, Drawing(step=300.0))
    assert np.abs(rounded.pixels.astype(int) - exact.pixels).max() > 5
    monkeypatch.setattr("pcaimage.codec.linear.preview.QUANTIZED_NUMBERS", 10)
    assert np.array_equal(preview.render(WHOLE, 1.0, 20, Drawing(step=300.0)).pixels, exact.pixels)


@pytest.mark.parametrize("frame", [0, 4])
@pytest.mark.parametrize("peak", [255, 65535])
def test_frames_of_a_stack_are_shown_at_their_step(frame, peak):
    model = fitted(scene(6, 20, 17, 3, peak=peak), Stack(), 5)
    preview = Preview.of_model(model)
    exact = model.reconstruct()[frame] * (255 / peak)
    view = preview.render(WHOLE, 1.0, 5, Drawing(frame=frame))
    assert (view.left, view.top, view.right, view.bottom) == (0, 0, 17, 20)
    assert np.abs(view.pixels - exact).max() <= 1
    part = preview.render(Region(3, 5, 9, 11), 1.0, 5, Drawing(frame=frame, bands=(2,)))
    assert np.abs(part.pixels[..., 0] - exact[5:11, 3:9, 2]).max() <= 1
    small = preview.render(WHOLE, 0.3, 5, Drawing(frame=frame))
    assert np.abs(small.pixels - exact[::3, ::3]).max() <= 1
    assert (small.right, small.bottom) == (18, 21)
    analysis = Analysis.fit(scene(6, 20, 17, 1), Stack())
    coarse = Preview.of_analysis(analysis).render(WHOLE, 1.0, 5, Drawing(step=1e6, frame=frame))
    assert np.abs(coarse.pixels.ravel() - analysis.pca.mean_).max() <= 1


def test_what_is_left_out_changes_no_pixel_by_more_than_rounding():
    array = scene(64, 64, 3)
    analysis = Analysis.fit(array, Blocks(8))
    preview, last = Preview.of_analysis(analysis), analysis.n_components
    _, _, kept = preview.averaged_components(last, 8, [0, 1, 2], 1.0)
    assert len(kept) < last
    expected = boxes(array.astype(float), 8)
    assert np.abs(preview.render(WHOLE, 0.125, last).pixels - expected).max() <= 0.5 + 8 * NEGLIGIBLE
    flat = Preview.of_analysis(Analysis.fit(np.full((40, 40, 3), 77, np.uint8), Blocks(8)))
    assert (flat.render(Region(0, 0, 40, 40), 1.0, 5).pixels == 77).all()


@pytest.mark.parametrize(
    ("shape", "budget", "expected"),
    [
        ((200, 100, 3), 10**6, (96, 48, 3)),
        ((200, 100, 1), 10**6, (96, 48, 1)),
        ((300, 300, 12), 10**6, (96, 96, 1)),
        ((20, 10, 3), 10**6, (20, 10, 3)),
        ((200, 200, 3), 3 * 400, (20, 20, 3)),
        ((1000, 2, 1), 10**6, (96, 1, 1)),
        ((200, 200, 3), 3 * 16, None),
        ((7, 7, 3), 10**6, None),
        ((200, 200, 3), 0, None),
    ],
)
@pytest.mark.sweep(5)
def test_thumbnails_keep_to_size_and_budget(shape, budget, expected):
    picture = thumbnail(scene(*shape), budget)
    assert (None if picture is None else picture.shape) == expected
    assert picture is None or (picture.size <= budget and SMALLEST <= max(picture.shape[:2]) <= LARGEST)


@pytest.mark.slow
@pytest.mark.parametrize("peak", [255, 65535])
def test_thumbnails_are_averages(peak):
    array = scene(192, 96, 3, peak=peak)
    picture = thumbnail(array, 10**6, 255 / peak)
    assert np.abs(picture - boxes(array.astype(float), 2) * (255 / peak)).max() <= 0.51
    many = scene(192, 192, 5)
    expected = boxes(many.astype(float), 2).mean(axis=2, keepdims=True)
    assert np.abs(thumbnail(many, 10**6) - expected).max() <= 0.51


def test_a_moving_picture_is_nearer_to_the_exact_one_with_its_dead_zone():
    array = data.astronaut()[:192, :192]
    analysis = Analysis.fit(array, Blocks(8))
    step = analysis.step_for(20)
    exact = quantize(analysis, 20, step).reconstruct().astype(int)
    preview = Preview.of_analysis(analysis)

    def difference(zone):
        view = preview.render(Region(0, 0, 192, 192), 1.0, 20, Drawing(step=float(step), zone=zone))
        return float(np.abs(view.pixels - exact).mean())

    zone = dead_zone(float(step), analysis.finest_step)
    # What remains: the file's scores are fitted to its rounded components, and chosen by what they cost.
    assert difference(zone) < 0.9 * difference(0.0)


def test_a_screen_shows_images_of_a_stack_in_other_colours():
    array = scene(5, 12, 10, 6)
    model = fitted(array, Stack(), 4)
    screen = Screen(np.eye(6, 3, dtype=np.float32) * 1.5, np.full(3, -60, np.float32))
    view = Preview.of_model(model).render(WHOLE, 1.0, 4, Drawing(screen=screen, frame=2))
    expected = np.clip(model.reconstruct()[2, ..., :3] * 1.5 - 60, 0, 255)
    assert np.abs(view.pixels - expected).max() < 2


def test_the_dead_zone_grows_from_the_finest_step_up_to_its_widest():
    zones = [dead_zone(step, 0.5) for step in (0.1, 0.5, 1.0, 2.0, 4.0, 400.0)]
    assert zones == sorted(zones)
    assert zones[0] == zones[1] == 0 < zones[2]
    assert zones[-1] == zones[-2] == WIDEST_ZONE

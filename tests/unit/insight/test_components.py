import numpy as np
import pytest

from pcaimage.codec import Drawing, Region, Screen, analyse, pictures
from pcaimage.insight.components import ADDS, OPACITY, SUBTRACTS, ColourAxes, Shares, overlay_of, picture_of
from pcaimage.sampling import Blocks, Channels, Lapped, Stack
from tests.smooth import smooth

RNG = np.random.default_rng(8)


def image(channels=3):
    return smooth(44, 60, channels, noise=5)


def stack(count=6):
    return np.stack([np.roll(image(1), 3 * number, axis=1) for number in range(count)])


def preview(sampling, channels=3):
    array = stack() if isinstance(sampling, Stack) else image(channels)
    return pictures(analyse(array, sampling))


@pytest.mark.parametrize("sampling", [Blocks(4), Blocks(8), Lapped()])
@pytest.mark.parametrize("channels", [1, 3])
def test_a_picture_is_the_component_about_mid_grey_with_full_contrast(sampling, channels):
    shown = preview(sampling, channels)
    for number in (1, 2, 9, 16):
        picture, component = picture_of(shown, number), shown.component_picture(number)
        assert picture.dtype == np.uint8
        assert picture.shape == component.shape
        swing = picture.astype(float) - 128
        assert np.abs(swing).max() == 127
        expected = component / np.abs(component).max() * 127
        assert np.abs(swing - expected).max() <= 0.51


def test_a_component_that_is_zero_somewhere_is_mid_grey_there():
    plain = np.full((16, 16, 1), 90, np.uint8)
    plain[::4, ::4] = 200
    plain[8:, 1::4] = 10
    picture = picture_of(pictures(analyse(plain, Blocks(4))), 1)
    component = pictures(analyse(plain, Blocks(4))).component_picture(1)
    assert set(np.unique(picture[np.abs(component) < 1e-6])) == {128}


@pytest.mark.parametrize(("channels", "shown"), [(1, 1), (2, 1), (3, 3), (7, 3)])
def test_a_component_of_blocks_is_shown_as_grey_or_colour(channels, shown):
    assert picture_of(preview(Blocks(4), channels), 1).shape == (4, 4, shown)


def test_a_component_can_be_shown_as_chosen_bands_or_as_a_screen_mixes_it():
    parts = preview(Blocks(4), 5)
    mix = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    whole, screen = parts.component_picture(2), Screen(mix, np.zeros(3, np.float32))
    for how, component in (({"bands": (4, 0, 2)}, whole[..., [4, 0, 2]]), ({"screen": screen}, whole @ mix)):
        picture = picture_of(parts, 2, **how).astype(float) - 128
        assert np.abs(picture - component / np.abs(component).max() * 127).max() <= 0.51


def test_a_component_of_channels_is_shown_by_its_scores_all_over_the_image():
    parts = preview(Channels(), 5)
    picture = picture_of(parts, 1, 30)
    assert picture.shape == (22, 30, 1)
    scores = parts.score_plane(1, 30)
    assert np.corrcoef(picture.ravel(), scores.ravel())[0, 1] > 0.999


@pytest.mark.parametrize("sampling", [Blocks(4), Blocks(8), Lapped(), Channels()])
def test_an_overlay_has_the_hue_of_the_sign_and_the_opacity_of_the_size(sampling):
    parts = preview(sampling)
    for number in (1, 2, 3):
        scores, overlay = parts.score_plane(number), overlay_of(parts, number)
        assert overlay.pixels.shape == (*scores.shape, 4)
        assert overlay.pixels.flags.c_contiguous
        for found, hue in ((scores > 0, ADDS), (scores < 0, SUBTRACTS)):
            assert np.unique(overlay.pixels[found][:, :3], axis=0).tolist() == [list(hue)]
        alpha, size = overlay.pixels[..., 3], np.abs(scores)
        assert alpha.max() == OPACITY
        assert not alpha[size < 0.05 * overlay.full_scale].any()
        by_size = np.argsort(size.ravel())
        assert (np.diff(alpha.ravel()[by_size].astype(int)) >= 0).all()


@pytest.mark.parametrize("sampling", [Blocks(4), Blocks(8), Lapped(), Channels(), Stack()])
def test_an_overlay_covers_the_image(sampling):
    covered = (64, 48) if sampling in {Blocks(8), Lapped()} else (60, 44)
    assert overlay_of(preview(sampling), 1).region == (0, 0, *covered)


def test_an_overlay_of_a_large_image_is_reduced_and_still_lies_where_it_belongs():
    array = np.zeros((18, 1100, 2), np.uint8)
    array[:, 1080:, 0] = 255
    array[..., 1] = RNG.integers(0, 9, (18, 1100))
    overlay = overlay_of(pictures(analyse(array, Channels())), 1)
    left, top, right, bottom = overlay.region
    assert overlay.pixels.shape[:2] == (9, 550)
    assert (left, top, right, bottom) == (0, 0, 1100, 18)
    assert np.unique(np.nonzero(overlay.pixels[..., 3] == OPACITY)[1]).tolist() == list(range(540, 550))


def test_few_strong_scores_do_not_pale_all_others_and_an_overlay_of_nothing_is_transparent():
    array = RNG.integers(100, 110, (80, 80, 1)).astype(np.uint8)
    array[:2, :2] = 255
    assert overlay_of(pictures(analyse(array, Channels())), 1).full_scale < 20
    nothing = overlay_of(pictures(analyse(np.full((16, 16, 1), 7, np.uint8), Blocks(4))), 1)
    assert not nothing.pixels[..., 3].any()


def test_an_overlay_of_a_stack_is_what_the_component_changes_in_the_image():
    parts = preview(Stack())
    k, whole = 2, Region(0, 0, 60, 44)
    for frame in (0, 3):
        overlay = overlay_of(parts, k, frame)
        with_it = parts.render(whole, 1.0, k, Drawing(frame=frame)).pixels[..., 0].astype(float)
        without = parts.render(whole, 1.0, k, Drawing(frame=frame, left_out=frozenset({k}))).pixels[..., 0]
        change = with_it - without
        strong = (np.abs(change) > 0.3 * overlay.full_scale) & (np.abs(change) > 2)
        assert strong.any()
        hue = np.where(change[..., None] > 0, ADDS, SUBTRACTS)
        assert (overlay.pixels[..., :3] == hue)[strong].all()
        assert overlay.pixels[..., 3][strong].min() > 0.2 * OPACITY


def test_figures_are_told_in_words():
    shares = Shares.of([90.0, 9.99, 0.009, 0.001, -1e-9])
    assert len(shares) == 5
    assert shares.describe(1) == "component 1 · 90.00\u00a0% · cumulative 90.00\u00a0%"
    assert shares.share(4) == "< 0.01\u00a0%"
    assert shares.share(5) == "0.00\u00a0%"
    assert shares.describe(2).endswith("cumulative 99.99\u00a0%")
    assert Shares.of([0.0, 0.0]).describe(1) == "component 1 · 0.00\u00a0% · cumulative 100.00\u00a0%"


def test_a_photos_components_belong_to_axes_of_its_own_colours_and_no_others():
    photo = analyse(image(), Lapped())
    axes = ColourAxes.of(photo.header, photo.n_components)
    assert axes.names == ("1st colour axis", "2nd colour axis", "3rd colour axis")
    assert np.bincount(axes.groups).tolist() == [64, 64, 64]
    # The axes are a PCA: along the first, pixels vary most.
    totals = np.bincount(axes.groups, photo.variances)
    assert totals[0] == totals.max()
    first = ColourAxes.of(photo.header, 5)
    assert first.groups.tolist() == axes.groups[:5].tolist()
    for sampling, channels in ((Lapped(), 1), (Blocks(4), 3), (Channels(), 3)):
        assert ColourAxes.of(analyse(image(channels), sampling).header, 5) is None

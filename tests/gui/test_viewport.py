import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.codec import Region
from pcaimage.gui.compare.viewport import Size, Viewport, clamp_scale, fit_scale, percent_text

VIEW = Size(800, 600)
IMAGE = Size(768, 512)

sizes = st.builds(Size, st.integers(1, 5000), st.integers(1, 5000))
views = st.builds(Size, st.integers(50, 4000), st.integers(50, 3000))
factors = st.floats(1e-3, 1e3)
positions = st.tuples(st.floats(0, 50), st.floats(0, 50))


def test_fit_shows_the_whole_image_and_no_more_and_a_viewport_knows_whether_it_fits():
    viewport = Viewport.fit(VIEW, IMAGE)
    assert viewport.scale == pytest.approx(800 / 768)
    assert viewport.visible_region(VIEW, IMAGE) == Region(0, 0, 768, 512)
    assert viewport.to_view(0, 0, VIEW)[0] == pytest.approx(0)
    assert viewport.to_view(768, 512, VIEW)[0] == pytest.approx(800)
    assert viewport.is_fit(VIEW, IMAGE)
    assert viewport.is_fit(Size(801, 600), IMAGE)
    assert not viewport.is_fit(Size(900, 600), IMAGE)
    assert not viewport.panned(20, 0, VIEW, IMAGE).is_fit(VIEW, IMAGE)
    assert fit_scale(Size(0, 0), IMAGE) > 0
    assert Viewport(-5000, 0, 1.0).visible_region(VIEW, IMAGE) == Region(0, 0, 0, 0)


@pytest.mark.slow
@given(sizes, views, factors, positions)
def test_zooming_keeps_what_is_under_the_cursor_unless_the_edge_forbids(image, view, factor, at):
    start = Viewport.fit(view, image)
    before = start.to_image(*at, view)
    after = start.zoomed(factor, *at, view, image)
    again = Viewport(before[0] - (at[0] - view.width / 2) / after.scale, 0, after.scale).centre_x
    clamped = after.centre_x != pytest.approx(again, abs=1e-6 * image.width)
    unclamped = after.to_image(*at, view)[0] == pytest.approx(before[0], abs=1e-6 * image.width)
    assert clamped or unclamped


@pytest.mark.slow
@given(sizes, views, factors, st.floats(-1e5, 1e5), st.floats(-1e5, 1e5))
def test_the_image_cannot_be_lost(image, view, factor, dx, dy):
    start = Viewport.fit(view, image).zoomed(factor, view.width / 2, view.height / 2, view, image)
    moved = start.panned(dx, dy, view, image)
    assert not moved.visible_region(view, image).empty
    assert 0 <= moved.centre_x <= image.width
    assert 0 <= moved.centre_y <= image.height
    assert moved.clamped(view, image) == moved


@pytest.mark.slow
@given(sizes, views, st.sampled_from([0.3, 0.7, 1.0]))
def test_keys_leave_an_image_alone_that_is_all_in_view(image, view, factor):
    fitted = Viewport.fit(view, image)
    start = Viewport(fitted.centre_x, fitted.centre_y, fitted.scale * factor)
    for step in ((64, 0), (-64, 0), (0, 64), (0, -64)):
        moved = start.stepped(*step, view, image)
        assert (moved.centre_x, moved.centre_y) == pytest.approx((start.centre_x, start.centre_y))


def test_keys_move_an_image_along_the_sides_that_reach_beyond_the_view():
    wide = Viewport(384, 256, 1.1)  # 845 x 563 device pixels in 800 x 600
    assert wide.stepped(64, 64, VIEW, IMAGE) == wide.panned(64, 0, VIEW, IMAGE) != wide
    near = Viewport(384, 256, 4.0)
    assert near.stepped(64, -64, VIEW, IMAGE) == near.panned(64, -64, VIEW, IMAGE)


@pytest.mark.slow
@given(sizes, views, factors, positions)
def test_view_and_image_coordinates_are_inverse(image, view, factor, at):
    viewport = Viewport.fit(view, image).zoomed(factor, *at, view, image)
    assert viewport.to_view(*viewport.to_image(*at, view), view) == pytest.approx(at, abs=1e-4)


@pytest.mark.slow
@given(sizes, views, factors)
def test_the_visible_region_covers_the_view_and_stays_in_the_image(image, view, factor):
    viewport = Viewport.fit(view, image).zoomed(factor, 0, 0, view, image)
    x0, y0, x1, y1 = viewport.visible_region(view, image).edges
    assert 0 <= x0 < x1 <= image.width
    assert 0 <= y0 < y1 <= image.height
    left, top = viewport.to_view(x0, y0, view)
    assert left <= 1e-3 or x0 == 0
    assert top <= 1e-3 or y0 == 0


def test_scales_end_at_a_quarter_of_fit_and_at_64():
    huge = Size(8000, 6000)
    assert clamp_scale(1e-9, VIEW, huge) == pytest.approx(fit_scale(VIEW, huge) / 4)
    assert clamp_scale(1e9, VIEW, huge) == 64
    assert clamp_scale(1.0, VIEW, Size(2, 2)) == 1.0
    assert clamp_scale(300.0, VIEW, Size(2, 2)) == 300.0


def test_an_edge_can_be_pulled_from_under_the_caption():
    viewport = Viewport(100, 100, 4.0).panned(1e6, 1e6, VIEW, IMAGE)
    assert viewport.to_view(0, 0, VIEW) == pytest.approx((200, 150))


def test_the_region_of_two_views_holds_both():
    empty = Region(0, 0, 0, 0)
    assert Region(0, 0, 4, 4).united(Region(2, 3, 9, 5)) == Region(0, 0, 9, 5)
    assert empty.united(Region(1, 1, 2, 2)) == Region(1, 1, 2, 2)
    assert Region(1, 1, 2, 2).united(empty) == Region(1, 1, 2, 2)


@pytest.mark.parametrize(
    ("scale", "text"),
    [(1.0, "100\u00a0%"), (1.834, "183\u00a0%"), (0.0625, "6.2\u00a0%"), (64, "6400\u00a0%")],
)
def test_scales_are_read_as_percent(scale, text):
    assert percent_text(scale) == text

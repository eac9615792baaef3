"""Components that are left out, wherever that shows."""

import numpy as np
import pytest

import pcaimage
from pcaimage.gui.session import resolve
from pcaimage.gui.session.requests import Choose, Keep, KeepOnly, Toggle

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(user, photo):
    user.open(photo)
    user.session.request(Keep(10))
    user.rest()
    return user


def test_the_picture_the_figures_and_the_file_lack_it(opened, answers, tmp_path):
    window, before = opened.window, opened.state.settled.pixels
    variance = resolve.panel_view(opened.state).variance
    window.tabs.tab("components").page.requested.emit(Toggle(1, out=True))
    opened.rest()
    now = resolve.panel_view(opened.state).variance
    share = 100 * opened.state.fit.ratio(1)
    assert now == pytest.approx(variance - share, abs=1e-6)
    assert not np.array_equal(opened.state.settled.pixels, before)
    assert "1 left out" in opened.caption
    answers.save = tmp_path / "without.pcai"
    opened.trigger("save")
    opened.rest()
    np.testing.assert_array_equal(pcaimage.open(answers.save).decode(), opened.state.settled.pixels)


def test_it_is_put_back_by_undo_by_the_menu_and_by_another_method_and_one_alone_can_be_kept(opened):
    window, before, fit = opened.window, opened.state.setting, opened.state.fit
    window.session.request(Toggle(3, out=True))
    window.session.request(Toggle(4, out=True))
    assert opened.state.setting.left_out == {3, 4}
    opened.trigger("undo")
    assert opened.state.setting.left_out == {3}
    opened.trigger("put-back")
    assert opened.state.setting == before
    assert not window.actions_by_name["put-back"].isEnabled()
    window.tabs.tab("components").page.requested.emit(KeepOnly(2))
    assert opened.state.setting.left_out == set(range(1, fit.n_components + 1)) - {2}
    opened.rest()
    share = 100 * (fit.ratio(2) - fit.ratio(1))
    assert resolve.panel_view(opened.state).variance == pytest.approx(share, abs=1e-6)
    opened.session.request(Choose(block=8))
    opened.rest()
    assert not opened.state.setting.left_out


def test_of_a_compressed_file_they_are_left_out_of_the_picture_only(user, compressed):
    user.open(compressed)
    assert user.window.actions_by_name["export"].isEnabled()
    user.session.request(Toggle(1, out=True))
    user.rest()
    assert user.state.exact is None
    assert not user.window.actions_by_name["save"].isEnabled()
    assert not user.window.actions_by_name["export"].isEnabled()
    assert "put them back" in resolve.panel_view(user.state).hint
    user.trigger("put-back")
    user.rest()
    assert user.window.actions_by_name["export"].isEnabled()

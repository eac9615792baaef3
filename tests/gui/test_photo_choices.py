"""Basis and losslessness of photos, in the window."""

import math

import numpy as np
import pytest

import pcaimage
from pcaimage.codec import Basis, Tune
from pcaimage.gui.session import resolve
from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.requests import Choose, Reach

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(user, photo):
    user.open(photo)
    user.session.request(Choose(method="photo"))
    user.rest()
    return user


def test_the_basis_is_chosen_and_undone(opened):
    form = opened.window.panel.compress
    assert form.basis.isVisible()
    form.basis.setCurrentIndex(form.basis.findData(Basis.OWN))
    form.basis.activated.emit(form.basis.currentIndex())
    opened.rest()
    assert opened.state.fit.choice.basis == Basis.OWN
    assert opened.state.measured.compressed.mean[0] == 1  # bases of its own
    assert "--basis own" in command_for(opened.state)
    opened.trigger("undo")
    opened.rest()
    assert opened.state.fit.choice.basis == Basis.AUTO


def test_what_a_photo_is_optimised_for_is_chosen_and_undone(opened):
    form, before = opened.window.panel.compress, opened.state
    assert form.tune.currentText() == "Automatic"
    assert before.measured.compressed.header.levels > 0
    form.tune.setCurrentIndex(form.tune.findData(Tune.PSNR))
    form.tune.activated.emit(form.tune.currentIndex())
    assert opened.state.fitted  # at once: the components are the same
    opened.rest()
    assert opened.state.measured.compressed.header.levels == 0
    assert opened.state.setting == before.setting
    assert opened.state.settled.psnr > before.settled.psnr
    opened.trigger("undo")
    opened.rest()
    assert opened.state.choice.tune is Tune.AUTO
    assert opened.state.measured.n_bytes == before.measured.n_bytes


def test_a_typed_psnr_is_what_a_photo_is_optimised_for_until_another_goal(opened):
    opened.session.request(Reach("psnr", 40.0))
    opened.rest()
    assert 40 <= opened.state.settled.psnr <= 40.3  # of small photos there are few
    assert opened.state.measured.compressed.header.levels == 0
    assert "--tune psnr" in command_for(opened.state)
    opened.session.request(Reach("size", opened.state.measured.n_bytes))
    opened.rest()
    assert opened.state.measured.compressed.header.levels > 0
    assert "--tune eye" in command_for(opened.state)


def test_a_lossless_file_gives_back_the_original(opened, answers, tmp_path):
    lossy = opened.state.measured.n_bytes
    opened.trigger("preset-lossless")
    opened.rest()
    assert opened.state.setting.lossless
    original = opened.state.document.image.pixels
    np.testing.assert_array_equal(opened.state.settled.pixels, original)
    assert resolve.figures(opened.state).psnr == math.inf
    assert opened.state.measured.n_bytes > lossy
    answers.save = tmp_path / "exact.pcai"
    opened.trigger("save")
    opened.rest()
    np.testing.assert_array_equal(pcaimage.open(answers.save).decode(), original)
    assert answers.save.stat().st_size == opened.state.measured.n_bytes
    assert "--lossless" in command_for(opened.state)


def test_blocks_say_that_they_cannot(opened):
    opened.session.request(Choose(method="blocks"))
    opened.rest()
    before = opened.state.setting.k
    opened.trigger("preset-lossless")
    opened.rest()
    assert not opened.state.setting.lossless
    assert opened.state.setting.k == before
    assert "Only photos" in resolve.panel_view(opened.state).error

"""The goal: what was set last, which all else follows."""

import numpy as np
import pytest
from PIL import Image as Pillow

from pcaimage.gui.compare.captions import reconstruction_caption
from pcaimage.gui.session.choice import Choice, Goal
from pcaimage.gui.session.requests import Aim, Choose, Keep, Quantise, Reach, SetStep, UsePreset
from pcaimage.imaging import Image, write_image
from tests.smooth import spectra

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(session_user, photo):
    session_user.session.prefer(Choice("photo"))
    session_user.open(photo)
    return session_user


@pytest.mark.parametrize("kind", ["JPEG", "CMYK", "opacity", "GIF", "grey"])
def test_every_kind_of_picture_opens_at_the_same_quality(session_user, photo, kind):
    path = photo.with_suffix({"JPEG": ".jpg", "CMYK": ".jpg", "GIF": ".gif"}.get(kind, ".png"))
    with Pillow.open(photo) as picture:
        mode = {"CMYK": "CMYK", "opacity": "RGBA", "GIF": "P", "grey": "L"}.get(kind, "RGB")
        picture.convert(mode).save(path, quality=95)
    session_user.session.prefer(Choice("photo"))
    session_user.open(path)
    assert session_user.state.goal == Goal("preset", preset="balanced")
    assert session_user.state.setting.tuned == 25.5
    assert not session_user.state.history.past


def test_a_cube_opens_at_a_quality_that_suits_its_noise(session_user, tmp_path):
    write_image(tmp_path / "cube.hdr", Image(spectra(30, 40, 12, kind="uint16", least=3000, noise=12)))
    session_user.session.prefer(Choice("photo"))  # as at a first start
    session_user.open(tmp_path / "cube.hdr")
    assert session_user.state.choice.method == "bands"
    assert session_user.state.goal == Goal("preset", preset="balanced")
    errors = session_user.state.settled.pixels.astype(float) - session_user.state.document.image.pixels
    assert 4 < np.sqrt(np.mean(errors**2)) < 14  # about the noise, and not a share of the variance
    session_user.until(lambda: session_user.state.similarity is not None)
    assert "spectral angle" in "\n".join(reconstruction_caption(session_user.state))


def test_other_images_open_at_a_share_of_their_variance(session_user, photo):
    session_user.session.prefer(Choice("blocks", 4))
    session_user.open(photo)
    assert session_user.state.goal == Goal("variance", 99.0)


WISHES = {
    "k": Keep(40),
    "step": Quantise(12.0),
    "variance": Reach("variance", 98.0),
    "psnr": Reach("psnr", 33.0),
    "size": Reach("size", 1500),
    "preset": UsePreset("small"),
}


def test_what_is_set_becomes_the_goal_and_undo_brings_back_the_one_before(opened):
    for measure, wish in [*WISHES.items(), ("step", SetStep(14.0))]:
        before = opened.state.goal
        opened.session.request(wish)
        opened.rest()
        assert opened.state.goal.measure == measure
        opened.trigger("undo")
        assert opened.state.goal == before
        opened.trigger("redo")
        assert opened.state.goal.measure == measure


def test_components_of_a_photo_are_added_at_the_step_at_hand_and_a_mark_keeps_the_present_value(opened):
    opened.rest()
    setting = opened.state.setting
    opened.session.request(Aim("psnr"))
    assert opened.state.setting == setting
    assert opened.state.goal == Goal("psnr", opened.state.settled.psnr)
    opened.session.request(Quantise(60.0))
    k = opened.state.setting.k
    for more in (1, 2, 3):
        opened.session.request(Keep(k + more))
        assert (opened.state.setting.k, opened.state.setting.tuned) == (k + more, 60.0)
    opened.session.request(SetStep(None))  # k follows again
    assert (opened.state.setting.k, opened.state.setting.tuned) == (k, 60.0)


def test_another_method_reaches_the_same_goal(opened):
    opened.session.request(Reach("psnr", 34.0))
    opened.rest()
    past = len(opened.state.history.past)
    opened.session.request(Choose(method="blocks", block=4))
    opened.rest()
    opened.rest()  # the search begins when there are components
    assert opened.state.goal == Goal("psnr", 34.0)
    assert opened.state.settled.psnr == pytest.approx(34.05, abs=0.05)
    assert len(opened.state.history.past) == past + 1


def test_what_lossless_keeps_is_the_goal_of_its_preset(opened):
    opened.session.request(UsePreset("lossless"))
    opened.rest()
    assert opened.state.setting.lossless
    assert opened.state.goal == Goal("preset", preset="lossless")
    opened.session.request(Keep(opened.state.setting.k - 1))
    assert not opened.state.setting.lossless
    assert opened.state.setting.tuned == 25.5  # not the coarse step beneath the residual

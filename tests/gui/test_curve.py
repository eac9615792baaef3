from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.gui.colours import LIGHT
from pcaimage.gui.session.requests import Choose, Keep
from pcaimage.gui.tabs.curve import EMPTY, CurveFeed, RivalsFeed, figures
from pcaimage.gui.tabs.curve.page import CurvePage
from pcaimage.insight.curve import Curve, curve_of_file
from pcaimage.insight.references import Reference
from tests.gui.finding import find
from tests.gui.mouse import move

LEFT = Qt.MouseButton.LeftButton
CURVE = Curve(
    OperatingPoints.of_components(100),
    np.geomspace(1000, 1e6, 100),
    psnr=np.linspace(22, 52, 100),
    share=np.linspace(50, 100, 100),
)
JPEG = Reference("jpeg", "JPEG", (5, 50, 95), (5000, 50_000, 500_000), (24.0, 32.0, 40.0), sampled=False)
AVIF = replace(JPEG, name="avif", title="AVIF", psnr=(27.0, 35.0, 43.0), sampled=True)


@pytest.fixture
def plot(on_screen):
    plot = on_screen(CurvePage(), 900, 260)
    plot.set_curve(CURVE)
    plot.set_k(24)
    plot.grab()
    return plot


@pytest.mark.slow
def test_a_curve_that_grows_does_not_end_a_drag(plot, requests, qtbot):
    qtbot.mousePress(plot.surface, LEFT, pos=plot.position_of(50))
    plot.set_curve(replace(CURVE, n_bytes=CURVE.n_bytes * 1.01))
    qtbot.mouseRelease(plot.surface, LEFT, pos=plot.position_of(60))
    assert requests == [Keep(50, final=False), Keep(60, final=False), Keep(60)]


def test_the_k_under_the_mouse_is_described_with_what_others_make_of_as_many_bytes(plot):
    plot.set_references([JPEG, AVIF])
    plot.grab()
    move(plot.surface, plot.position_of(70))
    assert plot.text.startswith("k = ")
    assert plot.text != figures.describe(plot.data, 24)
    assert "JPEG" in plot.text
    assert "AVIF" in plot.text
    assert not plot.grab().isNull()


def test_what_is_only_guessed_yet_has_no_figures(plot):
    plot.set_curve(replace(CURVE, rough=np.arange(100) >= 50))
    plot.set_k(24)
    assert plot.text.startswith("k = 24 · ≈")
    assert "dB" in plot.text
    plot.set_k(80)
    assert plot.text == "k = 80 · being estimated"


def test_the_measure_can_be_changed(plot, qtbot):
    plot.set_curve(replace(CURVE, ssim=np.linspace(0.5, 0.999, 100)))
    with qtbot.waitSignal(plot.measureChanged) as changed:
        find(plot, QToolButton, "Show SSIM").click()
    assert changed.args == ["ssim"]
    assert find(plot, QToolButton, "Show SSIM").isChecked()
    assert "SSIM" in plot.text
    plot.grab()


# Numbers and words


def test_where_the_file_passes_the_original_is_said_and_what_other_codecs_reach():
    data, rivals = figures.CurveData(CURVE, original=493_000, original_name="original PNG"), (JPEG, AVIF)
    crossing = CURVE.crossing(493_000)
    assert "larger than the original" in figures.describe(data, crossing + 1)
    assert "larger" not in figures.describe(data, crossing)
    said = figures.summary(data, figures.Present(3))
    assert f"From k = {crossing + 1} on the file is larger than the original PNG" in said
    data, present = figures.CurveData(CURVE, references=rivals), figures.Present(3, n_bytes=50_000)
    assert figures.rivals_at(data, 1) == ""
    assert figures.rivals_at(data, 3, present) == "at this size: JPEG 32.0, AVIF 35.0\u00a0dB"


@pytest.mark.slow
def test_a_file_without_original_shows_exact_sizes_and_the_variance(plot):
    plot.set_curve(curve_of_file([100, 150, 180], np.array([0, 0.7, 0.9, 1.0])))
    plot.set_k(2)
    assert plot.text == "k = 2 · 150\u00a0B · 90.00\u00a0% of the variance"
    assert find(plot, QToolButton, "Show SSIM").isHidden()


def test_the_elbow_is_named_by_what_its_curve_follows():
    sizes, psnr = np.arange(1, 21) * 1000.0, 30 + 8 * np.sqrt(np.arange(20) / 19)
    steps = OperatingPoints(np.arange(20) // 2 + 150, 64.0 * 0.9 ** np.arange(20))
    for points, setting in ((OperatingPoints.of_components(20), "k"), (steps, "Δ")):
        data = figures.CurveData(Curve(points, sizes, psnr=psnr, share=psnr))
        assert figures.describe_elbow(data).startswith(f"elbow, {setting} = ")


def test_curves_are_named_in_their_colours_beside_the_note(plot):
    assert plot.legend == ()
    plot.set_references([AVIF, JPEG])
    plot.set_note("rivals", "estimating")
    colours = LIGHT.references
    assert plot.legend == ((LIGHT.accent, "pcaimage"), (colours[2], "AVIF"), (colours[0], "JPEG"))
    assert plot.note == "estimating"


# Supplied by a session


@pytest.fixture
def photo(tmp_path, draw):
    """A picture that all codecs encode at once."""
    return draw(tmp_path / "photo.png", 26, 33, 3)


@pytest.fixture
def fed(supply):
    return supply(CurvePage(), CurveFeed, RivalsFeed)


@pytest.mark.slow
def test_an_open_image_has_its_curve_and_those_of_other_codecs(session_user, fed, photo):
    assert fed.text == EMPTY
    session_user.open(photo)
    session_user.idle()
    before, references = fed.data.curve, fed.data.references
    assert before.progress == 1
    assert {"JPEG", "JPEG 2000"} <= {each.title for each in references}
    assert fed.data.original == photo.stat().st_size
    assert f"k = {session_user.state.setting.k} · " in fed.text
    assert "≈" not in fed.text.split(" · at this size")[0], "by now it is measured"
    assert fed.note == ""
    session_user.session.request(Choose(block=8))
    session_user.idle()
    assert fed.data.curve is not before
    assert fed.data.most == session_user.state.fit.n_components
    assert fed.data.references == references
    assert not fed.data.curve.ssim.size  # until it is asked for
    fed.set_measure("ssim")
    session_user.idle()
    assert fed.data.curve.ssim.size == fed.data.most
    assert all(each.ssim for each in fed.data.references)
    assert "SSIM" in fed.text


def test_a_compressed_file_shows_its_own_sizes(session_user, fed, compressed):
    session_user.open(compressed)
    session_user.idle()
    assert fed.data.most == 10
    assert fed.data.curve.n_bytes[-1] == compressed.stat().st_size
    assert "of the variance" in fed.text
    assert fed.note == "without original"


@pytest.mark.slow
def test_an_image_of_many_bands_has_its_own_curve_only(session_user, fed, tmp_path, draw):
    session_user.open(draw(tmp_path / "bands.tif", 40, 40, 7))
    session_user.idle()
    assert fed.data.most
    assert fed.data.references == ()
    assert fed.note == "no other codecs"

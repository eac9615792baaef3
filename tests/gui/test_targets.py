import math
from dataclasses import replace

import numpy as np
import pytest

from pcaimage.errors import Cancelled
from pcaimage.gui.session.choice import Choice, Goal, Setting
from pcaimage.gui.session.targets import find_goal, find_offers, find_preset, find_psnr, find_size, find_ssim
from pcaimage.gui.session.work import similarity
from pcaimage.insight.formatting import file_size
from pcaimage.progress import no_progress
from tests.flat import logo
from tests.gui.work import task_of
from tests.smooth import smooth

pytestmark = pytest.mark.sweep(4)
METHODS = [Choice("photo"), Choice("blocks", 4), Choice("blocks", 8, standardize=True), Choice("channels")]


@pytest.fixture(scope="module", params=METHODS, ids=lambda choice: f"{choice.method}-{choice.block}")
def task(request):
    return task_of(smooth(96, 128, 3, seed=5), request.param)


def at(task, target):
    return replace(task, setting=target.applied(task.setting))


@pytest.mark.parametrize(
    ("find", "wanted"),
    [
        *((find_psnr, decibels) for decibels in (34.0, 36.5, 42.0)),
        *((find_ssim, share) for share in (0.93, 0.985)),
        *((find_size, n_bytes) for n_bytes in (7000, 9000)),
    ],
)
@pytest.mark.slow
def test_a_target_is_met_from_its_better_side_and_closely(task, find, wanted):
    target = find(task, wanted, no_progress)
    assert target.hint == ""
    reached = at(task, target)
    if find is find_size:
        assert 0.98 * wanted <= reached.measure(no_progress).n_bytes <= wanted
        return
    settled = reached.settle(no_progress)
    if find is find_psnr:
        assert settled.psnr == pytest.approx(wanted + 0.05, abs=0.05)
    else:
        found = similarity(task.document, settled, no_progress).ssim
        assert found == pytest.approx(wanted + 0.001, abs=0.001)


@pytest.mark.slow
def test_what_the_file_carries_counts_as_well():
    alpha = np.random.default_rng(1).integers(0, 256, (40, 56), np.uint8)
    task = task_of(smooth(40, 56, 3, seed=5), Choice("photo"), alpha=alpha)
    target = find_size(task, 4000, no_progress)
    assert 3920 <= at(task, target).measure(no_progress).n_bytes <= 4000


@pytest.mark.slow
def test_a_step_that_was_set_gives_way_to_the_target(task):
    coarse = replace(task, setting=Setting(3, 60.0))
    target = find_psnr(coarse, 41.0, no_progress)
    reached = at(coarse, target)
    assert reached.setting.step is None
    assert reached.settle(no_progress).psnr == pytest.approx(41.1, abs=0.1)


def test_what_is_out_of_reach_leads_to_the_nearest_and_better_than_asked_for_is_success(task):
    small = find_size(task, 3, no_progress)
    assert small.hint.startswith("3\u00a0B cannot be reached; ")
    assert small.hint.endswith(" is the least.")
    found = [find_psnr(task, 3.0, no_progress), find_ssim(task, 0.001, no_progress)]
    assert [(target.k, target.hint) for target in found] == [(1, "")] * 2
    blank = task_of(np.full((24, 32, 3), 255, np.uint8), task.fit.choice)
    found = [find_psnr(blank, 40.0, no_progress), find_ssim(blank, 0.95, no_progress)]
    assert [target.hint for target in found] == [""] * 2


def test_targets_are_reached_from_above_with_12_bits():
    pixels = np.rint(smooth(96, 128, 3, seed=5).astype(float) * 16).astype(np.uint16)
    task = task_of(pixels, Choice("photo"))
    settled = at(task, find_psnr(task, 38.0, no_progress)).settle(no_progress)
    error = np.square(pixels.astype(float) - settled.pixels).mean()
    assert settled.psnr == pytest.approx(10 * np.log10(4095**2 / error))
    assert 38.0 <= settled.psnr <= 38.2


@pytest.mark.slow
def test_one_of_similarity_is_as_good_as_the_original(task):
    settled = at(task, find_ssim(task, 1.0, no_progress)).settle(no_progress)
    assert similarity(task.document, settled, no_progress).ssim > 0.9995


def test_a_size_beyond_all_need_says_so():
    task = task_of(smooth(24, 32, 3, seed=5), Choice("photo"))
    target = find_size(task, 10_000_000, no_progress)
    most = file_size(at(task, target).measure(no_progress).n_bytes)
    assert target.hint == f"10.0\u00a0MB is more than the image needs; {most} is the most it can take."
    assert target.k == task.fit.n_components


@pytest.mark.slow
def test_left_out_components_bound_what_can_be_reached(task):
    lacking = replace(task, setting=Setting(1, None, frozenset({1})))
    target = find_psnr(lacking, 60.0, no_progress)
    reached = at(lacking, target).settle(no_progress).psnr
    assert target.hint.startswith("60.00\u00a0dB cannot be reached; ")
    assert f"{reached:.2f}\u00a0dB is the most" in target.hint
    assert at(lacking, target).setting.left_out == {1}


@pytest.mark.parametrize("find", [find_psnr, find_ssim, find_size])
def test_a_search_can_be_stopped(task, find):
    calls = []

    def stop(done, total):
        calls.append(done / total)
        raise Cancelled

    with pytest.raises(Cancelled):
        find(task, {find_psnr: 38.0, find_ssim: 0.95, find_size: 5000}[find], stop)
    assert calls


@pytest.mark.slow
def test_a_photo_is_not_coded_again_to_be_shown(monkeypatch):
    task = task_of(smooth(48, 64, 3, seed=5), Choice("photo"))
    target = find_size(task, 2000, no_progress)
    monkeypatch.setattr("pcaimage.codec.quantize", lambda *_: pytest.fail("It was coded again."))
    assert at(task, target).measure(no_progress).n_bytes <= 2000


def test_flat_colours_are_kept_exactly_where_that_is_smaller_and_no_preset_is_larger():
    task = task_of(logo(), Choice("photo"))
    exact = at(task, find_preset(task, "lossless", no_progress))
    for goal in (Goal("preset", preset="visually-lossless"), Goal("psnr", 52.0)):
        found = at(task, find_goal(task, goal, no_progress))
        assert found.setting == exact.setting
        assert found.settle(no_progress).psnr == math.inf
    offers = find_offers(task, no_progress)
    assert offers["visually-lossless"] == max(offers.values()) == exact.measure(no_progress).n_bytes

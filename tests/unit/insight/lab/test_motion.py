"""A turn is shown by states that are turns themselves, from where it begins to where it leads."""

import numpy as np
import pytest

from pcaimage.insight.lab import TABLES, LabData, LabState, built_in
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.motion import FRAMES, MOST_TURNED, Motion
from pcaimage.insight.numeric import Convention


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("act", [go.finished, go.turned_best, go.in_order, go.plane_flipped])
def test_frames_lead_to_the_end_and_keep_the_trace(table, act):
    before = LabState.of(built_in(table))
    after = act(before)
    motion = Motion.between(before, after)
    assert motion is not None
    assert motion.at(0.0).basis.axes == pytest.approx(before.basis.axes, abs=1e-12)
    signs = np.sign(np.sum(motion.at(1.0).basis.axes * after.basis.axes, axis=1))
    assert motion.at(1.0).basis.axes == pytest.approx(after.basis.axes * signs[:, None], abs=1e-12)
    frames = motion.frames()
    assert len(frames) == FRAMES
    assert frames[-1] is after
    if act is not go.plane_flipped:
        for frame in frames:
            axes = frame.basis.axes
            assert axes @ axes.T == pytest.approx(np.eye(len(axes)), abs=1e-12)
            assert frame.trace == pytest.approx(before.trace)


def test_a_plane_is_turned_evenly_and_a_line_the_shorter_way():
    before = LabState.of(built_in("five-features"))
    half = Motion.between(before, go.turned_best(before)).at(0.5)
    cosine = half.basis.axes[0] @ before.basis.axes[0]
    assert np.degrees(np.arccos(cosine)) == pytest.approx(62.61 / 2, abs=0.01)
    laid = go.with_line(before, np.radians(80))
    half = Motion.between(laid, go.with_line(laid, np.radians(-80))).at(0.5)
    assert np.degrees(half.angle) % 180 == pytest.approx(90)


def test_other_samples_and_many_features_are_shown_at_once():
    before = LabState.of(built_in("cross"))
    assert Motion.between(before, LabState.of(built_in("cross"))) is None
    assert Motion.between(before, go.with_convention(before, Convention(centre=False))) is None
    assert Motion.between(before, go.with_k(before, 1)) is None
    count = MOST_TURNED + 1
    many = LabData("Many", tuple(map(str, range(count))), np.random.default_rng(0).normal(size=(40, count)))
    state = LabState.of(many)
    assert Motion.between(state, go.finished(state)) is None

import numpy as np

from pcaimage.codec.coding.rounding import WIDEST_ZONE, dead_zone, rounded


def test_there_is_no_dead_zone_at_the_finest_step():
    assert dead_zone(0.5, 0.5) == 0
    assert dead_zone(0.1, 0.5) == 0


def test_the_dead_zone_grows_with_the_step_up_to_its_widest():
    zones = [dead_zone(step, 0.5) for step in (0.5, 1.0, 2.0, 4.0, 400.0)]
    assert zones == sorted(zones)
    assert zones[-1] == zones[-2] == WIDEST_ZONE


def test_rounding_without_a_zone_is_to_the_nearest():
    scores = np.array([-1.6, -0.51, -0.49, 0.0, 0.49, 0.51, 1.4], np.float32)
    assert rounded(scores, 0.0).tolist() == [-2, -1, 0, 0, 0, 1, 1]


def test_a_dead_zone_draws_scores_towards_zero_alike_on_both_sides():
    scores = np.array([0.55, 0.6, 1.55, 1.6, 2.4])
    expected = [0, 1, 1, 2, 2]
    assert rounded(scores.copy(), 0.08).tolist() == expected
    assert rounded(-scores, 0.08).tolist() == [-value for value in expected]

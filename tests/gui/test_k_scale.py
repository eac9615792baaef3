import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.gui.panel.k_slider import KScale, signal_to_error

KINDS = {
    "even": KScale.even,
    "logarithmic": KScale.logarithmic,
    "variances": lambda most: KScale.of_variances(1e4 / np.arange(1, most + 1) ** 2.0),
    "constant": lambda most: KScale.of_variances(np.zeros(most)),
}


@pytest.mark.parametrize("kind", KINDS)
@given(most=st.integers(1, 3000), data=st.data())
@pytest.mark.slow
def test_every_k_has_a_place_of_its_own(kind, most, data):
    scale = KINDS[kind](most)
    k = data.draw(st.integers(1, most))
    assert scale.k_max == most
    assert 0 <= scale.place_of(k) <= 1
    assert scale.k_at(scale.place_of(k)) == k


@pytest.mark.parametrize("kind", KINDS)
@given(one=st.floats(0, 1), two=st.floats(0, 1), most=st.integers(1, 3000))
@pytest.mark.slow
def test_further_right_is_never_a_smaller_k(kind, one, two, most):
    scale = KINDS[kind](most)
    low, high = sorted((one, two))
    assert 1 <= scale.k_at(low) <= scale.k_at(high) <= most
    assert (scale.k_at(0.0), scale.k_at(1.0)) == (1, most)


def test_without_variances_equal_ways_multiply_k():
    assert KScale.logarithmic(192).k_at(0.5) == 14


def test_for_photos_equal_ways_add_to_k():
    assert KScale.even(193).k_at(0.5) == 97


def test_equal_ways_change_the_quality_about_equally_where_it_matters():
    variances = 1e4 / np.arange(1, 193) ** 2.2
    decibels = signal_to_error(variances)
    scale = KScale.of_variances(variances)
    ks = np.array([scale.k_at(x) for x in np.linspace(0.1, 0.7, 13)])
    gains = np.diff(decibels[ks - 1])
    assert gains.max() < 3 * gains.min()
    logarithmic = np.array([KScale.logarithmic(192).k_at(x) for x in np.linspace(0.1, 0.7, 13)])
    worse = np.diff(decibels[logarithmic - 1])
    assert gains.std() < worse.std()


def test_one_large_component_does_not_take_all_of_the_slider():
    variances = np.ones(100)
    variances[50] = 1e6
    scale = KScale.of_variances(variances)
    assert scale.place_of(51) - scale.place_of(50) < 0.5


def test_quality_grows_with_every_component():
    found = signal_to_error(np.array([100.0, 1.0, 10.0, 0.1]))
    assert list(found) == sorted(found)
    assert found[-1] == pytest.approx(50)

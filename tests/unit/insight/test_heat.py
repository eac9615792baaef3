import numpy as np
import pytest

from pcaimage.insight.error_map import HEAT, to_colours


def lightness(colours):
    """CIE L* of sRGB colours."""
    linear = np.where(
        colours <= 0.04045 * 255, colours / 255 / 12.92, ((colours / 255 + 0.055) / 1.055) ** 2.4
    )
    y = linear @ np.array([0.2126, 0.7152, 0.0722])
    return 116 * np.where(y > 0.008856, np.cbrt(y), 7.787 * y + 16 / 116) - 16


def test_every_step_is_lighter_by_nearly_the_same():
    light = lightness(HEAT.astype(float))
    assert light[0] < 1
    assert light[-1] > 95
    assert (np.diff(light) > -0.2).all()  # to within the rounding to whole levels
    assert (np.diff(light[::8]) > 1).all()
    assert (np.diff(light[::8]) < 5).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float64, np.float32])
def test_nothing_is_dark_and_full_scale_and_all_beyond_is_bright(dtype):
    colours = to_colours(np.array([[0, 5, 10, 250]], dtype), 10)
    assert colours.shape == (1, 4, 3)
    assert colours.dtype == np.uint8
    assert colours[0].tolist() == HEAT[[0, 127, 255, 255]].tolist()
    values = np.arange(0, 250, 7)
    assert (to_colours(values.astype(dtype), 200) == to_colours(values.astype(np.float32), 200)).all()

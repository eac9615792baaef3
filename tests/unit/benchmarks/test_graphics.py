import numpy as np
import pytest

from benchmarks.graphics import (
    HEIGHT,
    SIZE,
    WIDTH,
    bars,
    boxes,
    curves,
    drawn,
    poster,
    prose,
    sign,
    source,
)


def pixels(image):
    rows = np.array(image.constBits(), np.uint8).reshape(HEIGHT, image.bytesPerLine())
    return rows[:, : 3 * WIDTH].reshape(HEIGHT, WIDTH, 3)


@pytest.mark.sweep(6)
@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("draw", [prose, source, bars, curves, boxes, poster])
def test_drawings_have_a_plain_ground_and_something_on_it(draw):
    image = drawn(draw)
    assert (image.width(), image.height()) == SIZE
    found = pixels(image)
    plain = (found == 255).all(axis=2).mean()
    assert 0.3 < plain < 0.99


@pytest.mark.slow
@pytest.mark.usefixtures("qapp")
def test_the_sign_lies_over_a_photograph():
    found = pixels(drawn(sign))
    assert (found == [0x0B, 0x5D, 0x2A]).all(axis=2).mean() > 0.1
    assert len(np.unique(found[::8, ::8].reshape(-1, 3), axis=0)) > 1000

"""Pictures with a colour profile, as a screen shows them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import ImageCms

from pcaimage.imaging import ScreenColours

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def exchanged() -> bytes:
    """Return a profile whose red is the green of sRGB, and its green the red."""
    return SRGB.replace(b"rXYZ", b"----", 1).replace(b"gXYZ", b"rXYZ", 1).replace(b"----", b"gXYZ", 1)


def test_colours_are_those_that_the_profile_means() -> None:
    found = ScreenColours.of(exchanged(), 3)
    assert found is not None
    pixels = np.array([[[250, 10, 20], [128, 128, 128]], [[0, 200, 0], [90, 10, 250]]], np.uint8)
    shown = found.applied(pixels)
    assert np.abs(shown.astype(int) - pixels[..., [1, 0, 2]]).max() <= 2
    opacity = np.full((2, 2, 1), 77, np.uint8)
    both = found.applied(np.concatenate([pixels, opacity], axis=-1))
    np.testing.assert_array_equal(both[..., :3], shown)
    np.testing.assert_array_equal(both[..., 3:], opacity)
    assert both.flags.c_contiguous


@pytest.mark.parametrize(
    ("profile", "channels"), [(None, 3), (SRGB, 3), (exchanged(), 1), (exchanged()[:200], 3), (b"", 1)]
)
def test_where_nothing_is_to_be_converted(profile: bytes | None, channels: int) -> None:
    assert ScreenColours.of(profile, channels) is None

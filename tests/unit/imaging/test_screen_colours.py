"""Pictures with a colour profile, as a screen shows them."""

import struct

import numpy as np
import pytest
from PIL import ImageCms
from PySide6.QtGui import QColorSpace

from pcaimage.errors import ImageError
from pcaimage.imaging.measures.screen_colours import ScreenColours, screen_profile_name

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


P3 = bytes(QColorSpace(QColorSpace.NamedColorSpace.DisplayP3).iccProfile().data())


def exchanged(profile=SRGB):
    """Return a profile whose red is the green of another one, and its green the red."""
    return profile.replace(b"rXYZ", b"----", 1).replace(b"gXYZ", b"rXYZ", 1).replace(b"----", b"gXYZ", 1)


def test_colours_are_those_that_the_profile_means():
    found = ScreenColours.of(exchanged(), 3)
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
def test_where_nothing_is_to_be_converted(profile, channels):
    assert ScreenColours.of(profile, channels) is None


def test_a_wide_gamut_is_kept_on_a_screen_that_has_it():
    pixels = np.array([[[255, 0, 0], [0, 255, 0], [10, 250, 40], [128, 128, 128]]], np.uint8)
    assert ScreenColours.of(P3, 3, P3) is None  # nothing is squeezed through sRGB
    narrow = ScreenColours.of(P3, 3)
    assert len(np.unique(narrow.applied(pixels)[0, 1:3], axis=0)) == 1  # two greens of P3 are one in sRGB
    wide = ScreenColours.of(exchanged(P3), 3, P3)
    assert np.abs(wide.applied(pixels).astype(int) - pixels[..., [1, 0, 2]]).max() <= 2


def test_pictures_without_a_profile_are_srgb_on_any_screen():
    found = ScreenColours.of(None, 3, P3)
    red, grey = found.applied(np.array([[[255, 0, 0], [128, 128, 128]]], np.uint8))[0].astype(int)
    # Red of sRGB in the coordinates of P3: 0.9175, 0.2003, 0.1386.
    np.testing.assert_allclose(red, [234, 51, 35], atol=2)
    np.testing.assert_allclose(grey, 128, atol=1)
    assert ScreenColours.of(None, 3, SRGB) is None
    assert ScreenColours.of(None, 1, P3) is None  # its greys are those of sRGB
    assert ScreenColours.of(None, 2, P3) is None


def test_grey_has_a_tint_where_the_screen_needs_it():
    """A screen that shows equal values as no grey gets three channels."""
    place = SRGB.index(b"bTRC") + 4
    (offset,) = struct.unpack(">I", SRGB[place : place + 4])
    straight = SRGB.replace(SRGB[place : place + 8], struct.pack(">II", len(SRGB), 12), 1)
    straight = straight.replace(straight[offset : offset + 4], SRGB[offset : offset + 4])
    # rTRC, gTRC and bTRC share their place in the file: only the first that is replaced becomes linear.
    tinted = straight + b"curv" + bytes(8)
    found = ScreenColours.of(None, 1, struct.pack(">I", len(tinted)) + tinted[4:])
    shown = found.applied(np.full((2, 3, 1), 100, np.uint8))
    assert shown.shape == (2, 3, 3)
    assert np.ptp(shown[0, 0].astype(int)) > 20
    with_opacity = np.full((2, 3, 4), 100, np.uint8)
    assert found.applied(with_opacity)[..., 3].tolist() == [[100] * 3] * 2


@pytest.mark.parametrize("damaged", [b"", P3[:150], b"\0" * 300, P3[:16] + b"CMYK" + P3[20:]])
def test_a_screen_profile_that_cannot_be_used_counts_as_srgb_and_others_have_a_name(damaged):
    assert ScreenColours.of(None, 3, damaged) is None
    found, again = ScreenColours.of(P3, 3, damaged), ScreenColours.of(P3, 3)
    pixels = np.array([[[250, 10, 20]]], np.uint8)
    np.testing.assert_array_equal(found.applied(pixels), again.applied(pixels))
    with pytest.raises(ImageError, match="colour profile"):
        screen_profile_name(damaged)
    assert screen_profile_name(SRGB) == "sRGB built-in"
    with pytest.raises(ImageError, match="not one of a screen"):
        screen_profile_name(SRGB[:12] + b"prtr" + SRGB[16:])

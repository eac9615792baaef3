from dataclasses import replace

import numpy as np
import pytest

from pcaimage.errors import Cancelled
from pcaimage.imaging import Image, Trials, encode_image, smallest
from pcaimage.imaging.image.formats import format_named
from tests.smooth import smooth
from tests.stop import stop

JPEG, WEBP, LOSSLESS = (format_named(name) for name in ("JPEG", "WEBP", "WEBP-LOSSLESS"))
RANGE = (1, 100)


@pytest.fixture
def trials():
    return Trials(Image(smooth(90, 120, 3, seed=3, noise=4, scale=9)))


@pytest.mark.parametrize("target", [JPEG, WEBP], ids=lambda target: target.name)
def test_of_equal_size_is_the_best_that_fits(trials, target):
    found = trials.at_size(target, 4000, RANGE)
    assert 0.9 * 4000 < found.n_bytes <= 4000
    assert found.exact
    assert len(encode_image(trials.image, target.name, found.quality)) == found.n_bytes


def test_of_equal_looks_is_about_the_smallest_that_reaches_it(trials):
    found = trials.at_score(JPEG, 70.0, RANGE)
    assert 70.0 <= found.score < 74.0
    assert trials.alternative(JPEG, found.quality - 2).score < 70.0


def test_what_cannot_be_reached_is_as_near_as_it_gets(trials):
    assert trials.at_size(JPEG, 10, RANGE).quality == 1
    assert trials.at_size(JPEG, 10**6, RANGE).quality == 100
    assert trials.at_score(JPEG, 99.0, (1, 40)).quality == 40
    assert trials.at_score(JPEG, -500.0, RANGE).quality == 1
    with pytest.raises(Cancelled):
        trials.at_size(JPEG, 4000, RANGE, stop)


def test_metadata_count_but_are_no_pixels(trials):
    carrying = Trials(replace(trials.image, exif=b"MM\0*" + bytes(500)))
    plain, more = (each.alternative(JPEG, 50) for each in (trials, carrying))
    assert plain.n_bytes + 504 <= more.n_bytes <= plain.n_bytes + 520
    assert more.exact
    assert carrying.at_size(JPEG, 4000, RANGE).n_bytes <= 4000


def test_a_large_picture_is_estimated_from_a_sample_until_it_is_measured():
    pixels = smooth(256, 1024, 3, seed=3, noise=4, scale=9)
    trials = Trials(Image(pixels, alpha=np.full((256, 1024), 255, np.uint8)), most=2 * 256 * 256)
    found = trials.at_size(WEBP, 20_000, RANGE)
    assert not found.exact
    measured = trials.measure(WEBP, found.quality)
    assert measured.exact
    assert measured.n_bytes == len(encode_image(trials.image, "WEBP", found.quality))
    assert found.n_bytes == pytest.approx(measured.n_bytes, rel=0.1)
    assert found.psnr == pytest.approx(measured.psnr, abs=0.3)
    assert trials.alternative(WEBP, found.quality) == measured
    assert trials.at_size(WEBP, 20_000, RANGE).n_bytes <= 20_000


def test_steps_between_tiles_are_no_part_of_the_estimate_of_a_soft_picture():
    frequencies = np.hypot(np.fft.fftfreq(1024)[:, None], np.fft.rfftfreq(1536)) + 1e-3
    noise = np.random.default_rng(0).normal(size=(1024, 1536))
    soft = np.fft.irfft2(np.fft.rfft2(noise) / frequencies**2, noise.shape)
    pixels = np.clip(128 + 50 * soft / soft.std(), 0, 255).astype(np.uint8)
    trials, target = Trials(Image(pixels[..., None]), most=6 << 16), format_named("JXL")
    assert trials.size(target, 60)[0] == pytest.approx(len(trials.encode(target, 60)), rel=0.06)


def test_the_smallest_of_a_photograph_is_lossy_and_of_a_drawing_lossless(trials):
    formats = [JPEG, WEBP, LOSSLESS]
    assert smallest(trials, formats)[0].format in (JPEG, WEBP)
    drawing = np.zeros((120, 160, 3), np.uint8)
    drawing[30:60, 40:90], drawing[70:, :50] = (200, 20, 60), (10, 240, 250)
    first = smallest(Trials(Image(drawing)), formats)[0]
    assert (first.format, first.score) == (LOSSLESS, 100)


def test_what_is_transparent_does_not_count():
    pixels, alpha = smooth(64, 64, 3, seed=1, noise=4, scale=9), np.zeros((64, 64), np.uint8)
    alpha[:, 32:] = 255
    hidden = pixels.copy()
    hidden[:, :32] = 0
    one, other = (Trials(Image(each, alpha=alpha)).alternative(WEBP, 60) for each in (pixels, hidden))
    assert one.score == pytest.approx(other.score, abs=1)

"""The sample images: all there, small, named in the NOTICE, and what they are said to be."""

from pathlib import Path

import make_samples
import numpy as np
import pytest

from pcaimage.errors import ImageError
from pcaimage.imaging.reading.samples import read_sample, sample_names
from pcaimage.machine.folders import asset

NOTICE = Path(__file__).parents[3] / "NOTICE"
FOLDER = asset("resources", "samples")
PHOTOGRAPHS = ("astronaut", "cat", "coffee", "rocket", "galaxies", "retina", "camera")


@pytest.mark.slow
def test_the_files_are_those_that_are_offered_and_are_small():
    files = {path.name for path in FOLDER.iterdir()}
    assert files == {read_sample(name).name for name in sample_names()}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3_000_000


def test_the_notice_has_source_author_and_licence_of_each():
    entries = NOTICE.read_text("utf-8").split("\n\n")
    for path in FOLDER.iterdir():
        (entry,) = [entry for entry in entries if entry.startswith(f"{path.name}\n")]
        assert "Author" in entry
        assert "Source: " in entry or "computed by" in entry
        assert any(licence in entry for licence in ("CC0 1.0", "CC BY 4.0", "ublic domain", "MIT licence"))


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_photographs_are_grey_or_coloured_with_eight_bits(name):
    sample = read_sample(name)
    assert sample.pixels.dtype == np.uint8
    assert sample.pixels.ndim == 3
    assert sample.channels == (1 if name == "camera" else 3)
    assert sample.name.startswith(name)


def test_digits_are_a_labelled_stack_whose_means_are_unlike():
    digits = read_sample("digits")
    assert digits.pixels.shape == (1797, 8, 8, 1)
    assert digits.pixels.max() == 240
    assert np.bincount(digits.labels).min() > 170
    means = np.array([digits.pixels[digits.labels == digit].mean(axis=0).ravel() for digit in range(10)])
    nearest = ((digits.pixels.reshape(1797, 1, 64) - means) ** 2).sum(axis=-1).argmin(axis=1)
    assert (nearest == digits.labels).mean() > 0.85


def test_synthetic_bands_are_mixtures_of_few_spectra_and_noise_as_the_script_makes_them():
    scene, made = read_sample("synthetic bands"), make_samples.scene()
    assert scene.pixels.dtype == np.uint16
    assert scene.bands.nanometres[0] == 410
    assert scene.bands.nanometres[-1] == 1000
    red, green, blue = (scene.bands.nanometres[band] for band in scene.bands.shown)
    assert red > 600 > green > 500 > blue
    spectra = scene.pixels.reshape(-1, scene.channels).astype(np.float64)
    deviations = np.sqrt(np.linalg.eigvalsh(np.cov(spectra.T))[::-1])
    assert deviations[4] > 50
    assert deviations[5] < 10
    assert made.bands == scene.bands
    # Another version of NumPy may round otherwise, here and there.
    assert np.abs(made.pixels.astype(int) - scene.pixels).max() <= 1
    assert np.mean(made.pixels != scene.pixels) < 0.01


def test_what_is_no_sample_or_is_missing_is_said(monkeypatch):
    with pytest.raises(ImageError, match=r"no sample image named 'dog'; there are: astronaut, cat"):
        read_sample("dog")
    monkeypatch.setattr("pcaimage.imaging.reading.samples.asset", lambda *parts: asset(*parts, "nothing"))
    with pytest.raises(ImageError, match=r"installed without resources/samples/cat\.webp"):
        read_sample("cat")

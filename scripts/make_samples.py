"""Makes the samples that are not photographs: a synthetic scene of many bands, and a set of digits.

``python scripts/make_samples.py`` writes both to ``resources/samples``; the digits come from scikit-learn's
copy of the set, which the NOTICE names.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging import BandInfo, Image, write_image

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "samples"

SIDE, BANDS = 64, 60
"""Pixels along each side of the scene, and its bands."""
WHITE = 4000
"""The sensor's count for a white surface."""
NOISE, SHOT = 2.0, 0.05
"""Standard deviation of dark noise in counts, and of shot noise per square root of a count."""

Reals = NDArray[np.float64]


def bump(wavelengths: Reals, centre: float, width: float) -> Reals:
    """Return a bell curve of height 1 over wavelengths in nanometres."""
    return np.exp(-(((wavelengths - centre) / width) ** 2) / 2)


def rise(wavelengths: Reals, centre: float, width: float) -> Reals:
    """Return a curve that rises from 0 to 1."""
    return 1 / (1 + np.exp((centre - wavelengths) / width))


def spectra(wavelengths: Reals) -> Reals:
    """Return typical reflectances of six surfaces at wavelengths in nanometres, shape (6, n_bands).

    They are bare soil, ripe grain, grass, wood, water, and a blue roof.
    """
    x = wavelengths
    green, edge = bump(x, 550, 32), rise(x, 715, 14)
    damp = 1 - 0.12 * bump(x, 970, 22)  # water in leaves absorbs there
    return np.array(
        [
            0.06 + 0.30 * rise(x, 640, 110),
            0.05 + 0.42 * rise(x, 590, 55) - 0.05 * bump(x, 675, 16),
            (0.03 + 0.07 * green + 0.46 * edge) * damp,
            (0.02 + 0.03 * green + 0.27 * edge) * damp,
            0.07 * bump(x, 450, 70) + 0.03 * bump(x, 560, 50),
            0.08 + 0.38 * bump(x, 465, 38) + 0.25 * rise(x, 820, 40),
        ]
    )


def abundances(random: np.random.Generator) -> Reals:
    """Return the share of each surface in each pixel, shape (SIDE, SIDE, 6).

    Fields have blurred borders, and there are a river and roofs. Shares add up to 1.
    """
    rows, columns = np.mgrid[:SIDE, :SIDE] + 0.0
    seeds = random.uniform(0, SIDE, (18, 2))
    kinds = np.arange(18) % 4
    distances = np.hypot(rows[..., None] - seeds[:, 0], (columns[..., None] - seeds[:, 1]) * 1.4)
    shares = np.exp(-(distances - distances.min(axis=-1, keepdims=True)) / 0.9)
    cover = np.stack([shares[..., kinds == kind].sum(axis=-1) for kind in range(4)], axis=-1)
    cover *= 1 + 0.25 * random.standard_normal(cover.shape).clip(-2, 2)  # weeds, stones, furrows
    cover = cover.clip(0.0, None) / cover.clip(0.0, None).sum(axis=-1, keepdims=True)
    river = rise(3.2 - np.abs(columns - 0.6 * SIDE - 9 * np.sin(rows / 11)), 0, 0.6)
    roofs = np.zeros((SIDE, SIDE))
    for row, column in ((14, 12), (15, 18), (21, 14), (57, 63)):
        roofs[row : row + 3, column : column + 4] = 1
    roofs *= 1 - river
    left = (1 - river - roofs)[..., None] * cover
    return np.concatenate([left, river[..., None], roofs[..., None]], axis=-1)


def scene() -> Image:
    """Return an image of many bands: mixtures of a few spectra in uneven light, with noise."""
    random = np.random.default_rng(2026)
    wavelengths = np.linspace(410, 1000, BANDS).round(1)
    light = 0.55 + 0.45 * bump(wavelengths, 560, 190)  # the sun's spectrum times the sensor's sensitivity
    light *= 1 - 0.35 * bump(wavelengths, 762, 5)  # oxygen
    slopes = 0.9 + 0.1 * np.sin(np.arange(SIDE) / 17)[:, None] * np.cos(np.arange(SIDE) / 23)
    counts = abundances(random) @ spectra(wavelengths) * slopes[..., None] * light * WHITE
    counts += random.standard_normal(counts.shape) * (NOISE + SHOT * np.sqrt(counts))
    info = BandInfo(
        wavelengths=tuple(wavelengths.tolist()),
        unit="nm",
        shown=tuple(int(np.abs(wavelengths - colour).argmin()) for colour in (640, 550, 460)),
    )
    return Image(np.rint(counts).clip(0, 4095).astype(np.uint16), name="synthetic_bands.npz", bands=info)


def digits() -> Image:
    """Return handwritten digits of 8 × 8 pixels as a labelled stack; its 17 grey levels are 15 apart."""
    from sklearn.datasets import load_digits  # noqa: PLC0415 - tests have it, whoever runs the program need not

    found = load_digits()
    pixels = (15 * found.images).astype(np.uint8)[..., None]
    return Image(pixels, name="digits.npz", labels=found.target.astype(np.int64))


def main() -> None:
    """Write the samples."""
    for image in (scene(), digits()):
        path = FOLDER / image.name
        write_image(path, image, overwrite=True)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

"""Measures of quality that are closer to the eye than PSNR: MS-SSIM of luma, SSIMULACRA 2, and Butteraugli.

References
----------
.. [1] Z. Wang, E. P. Simoncelli, A. C. Bovik, "Multi-scale structural similarity for image quality
   assessment", Asilomar Conference on Signals, Systems and Computers, 2003.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from scipy.ndimage import gaussian_filter

from pcaimage.imaging.measures.metrics import Ssimulacra

Floats = NDArray[np.float64]
Perceptual = Literal["ms-ssim", "ssimulacra2", "butteraugli"]

LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in luma, as of ITU-R BT.601."""

WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""Weights of the scales, from the finest on [1]_."""

_SIGMA, _RADIUS = 1.5, 5


def luma(pixels: NDArray[Any]) -> Floats:
    """Return the luma of an image.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (H, W, 3) or (H, W)
        Colour, or grey, which is its own luma.

    Returns
    -------
    ndarray of float64, shape (H, W)
        From 0 to 255.
    """
    values: Floats = pixels.astype(np.float64)
    return values @ np.array(LUMA) if values.ndim == 3 else values


def ms_ssim(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Return the multi-scale structural similarity of two images' luma [1]_.

    Windows are Gaussians of 11 × 11 with σ = 1.5 that lie within the image; each scale is the mean over 2 × 2
    pixels of the one before. An image too small for five scales has fewer, whose weights are scaled to the
    same sum. Contrast and structure that correlate negatively count as 10⁻⁶.

    Parameters
    ----------
    a, b : ndarray of uint8, shape (H, W, 3) or (H, W)
        Images of the same shape.

    Returns
    -------
    float
        1 for equal images.

    Raises
    ------
    ValueError
        If a side is shorter than 11 pixels.
    """
    one, two = luma(a), luma(b)
    scales = _scales(min(one.shape))
    exponents = np.array(WEIGHTS[:scales]) * (sum(WEIGHTS) / sum(WEIGHTS[:scales]))
    result = 1.0
    for scale, exponent in enumerate(exponents.tolist()):
        similar, structure = _similarities(one, two)
        result *= max(similar if scale == scales - 1 else structure, 1e-6) ** exponent
        one, two = _halved(one), _halved(two)
    return result


def _scales(side: int) -> int:
    window = 2 * _RADIUS + 1
    if side < window:
        raise ValueError(f"MS-SSIM needs at least {window} pixels along each side, not {side}.")
    return min(len(WEIGHTS), (side // window).bit_length())


def _similarities(a: Floats, b: Floats) -> tuple[float, float]:
    """Return the mean similarity, and its part without luminance."""
    luminance, structure = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mean_a, mean_b = _smoothed(a), _smoothed(b)
    variances = _smoothed(a * a) - mean_a**2 + _smoothed(b * b) - mean_b**2
    covariance = _smoothed(a * b) - mean_a * mean_b
    contrast = (2 * covariance + structure) / (variances + structure)
    light = (2 * mean_a * mean_b + luminance) / (mean_a**2 + mean_b**2 + luminance)
    return float((light * contrast).mean()), float(contrast.mean())


def _smoothed(values: Floats) -> Floats:
    inner = slice(_RADIUS, -_RADIUS)
    found: Floats = gaussian_filter(values, _SIGMA, radius=_RADIUS)[inner, inner]
    return found


def _halved(values: Floats) -> Floats:
    height, width = values.shape[0] // 2, values.shape[1] // 2
    found: Floats = values[: 2 * height, : 2 * width].reshape(height, 2, width, 2).mean(axis=(1, 3))
    return found


def ssimulacra2(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Return SSIMULACRA 2 of an image and its reconstruction, uint8 of shape (H, W, 3) or (H, W)."""
    first, second = (each[..., None] if each.ndim == 2 else each for each in (a, b))
    return Ssimulacra(first).score(second)


def butteraugli(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Return Butteraugli's distance of two uint8 images as its 3-norm, by libjxl's ``butteraugli_main``."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, name)) for name in ("original.png", "decoded.png")]
        for pixels, file in zip((a, b), files, strict=True):
            Pillow.fromarray(pixels).save(file, compress_level=1)
        command = ("butteraugli_main", *files)
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(told.split("3-norm:")[1])


MEASURES: dict[Perceptual, Callable[[NDArray[Any], NDArray[Any]], float]] = {
    "ms-ssim": ms_ssim,
    "ssimulacra2": ssimulacra2,
    "butteraugli": butteraugli,
}
"""By their names on the command line."""

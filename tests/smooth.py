"""Something like photographs, and like images of many bands."""

import numpy as np


def smooth(*shape, seed=0, noise=3, scale=8, most=255):
    """Return pixels whose neighbours and channels are alike, with a little noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: shape[-3], : shape[-2]] / scale
    waves = sum(np.sin(a * x + b * y + c) for a, b, c in rng.uniform(0.2, 2.0, (6, 3)))
    image = 128 + 18 * waves[..., None] + rng.normal(0, noise, shape) + 10 * np.arange(shape[-1])
    return np.clip(image * (most / 255), 0, most).astype(np.uint8 if most == 255 else np.uint16)


def spectra(*shape, kind="int16", least=1500, noise=6.0, seed=3):
    """Return values of bands that two spectra explain, with a little noise; real ones are a thousandth."""
    y, x = np.mgrid[: shape[0], : shape[1]] / 8.0
    field = np.sin(x + y)[..., None] * np.linspace(1, 2, shape[2]) + np.cos(2 * x)[..., None]
    values = least + 300 * field + np.random.default_rng(seed).normal(0, noise, shape)
    return (values / 1000 if kind == "float32" else np.rint(values)).astype(kind)

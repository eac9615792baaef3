"""The README of a model's archive, with NumPy code that rebuilds an image from it."""

from __future__ import annotations

import textwrap
from collections.abc import Container
from typing import Any

from numpy.typing import NDArray

from pcaimage.codec import Preparation

_FIELDS = {
    "mean": "mean of all samples, in pixel values",
    "components": "orthonormal rows, by descending variance: the principal components",
    "synthesis": "rows, by descending variance: what a score of one adds to the bands. They are not "
    "orthonormal, for features were scaled before the analysis",
    "whitening": "symmetric map of centred samples to ones whose noise has a variance of 1: R^-1, where R is "
    "the root of the noise's covariance",
    "colouring": "the way back: R",
    "scale": "standard deviations; features were divided by them after the mean was subtracted",
    "channel_axes": "orthonormal rows: the principal components of a pixel's channels",
    "vertical": "orthonormal rows: the components of the columns of a lapped block",
    "horizontal": "orthonormal rows: the components of the rows of a lapped block",
    "lapping": "orthonormal map of the eight pixels across each border between blocks",
    "order": "for each component its channel axis, vertical and horizontal row, from 0",
    "explained_variance": "variance of the scores on every component, also on those not kept (divisor n - 1)",
    "explained_variance_ratio": "the same as shares of the variance of all features",
    "n_samples": "n, the number of samples",
    "k": "how many components are kept",
    "left_out": "which of them were left out by hand, counted from 1",
    "step": "the quantiser's step in the compressed file; nothing here is rounded by it",
    "method": "what a sample is: photo, blocks, channels, stack or bands",
    "preparation": "what was done to features before the analysis: none, standardized or mnf",
    "block": "pixels along the side of a block; 0 where there are no blocks",
    "shape": "the image: height, width, channels; of a stack the number of images first",
    "dtype": "the type of the image's values",
    "name": "what the image is called",
}

_WHITENED = {
    "components": "orthonormal rows, by descending signal-to-noise ratio: the principal components of "
    "whitened samples",
    "explained_variance": "signal-to-noise ratio of every component plus 1, also of those not kept: the "
    "variance of scores, of which noise has 1 (divisor n - 1)",
    "explained_variance_ratio": "the same as shares of the variance in units of noise, not of the bands",
}

_MNF = (
    " This is the minimum noise fraction transform: noise, which was estimated from differences of "
    "neighbouring pixels, was made alike and uncorrelated in all bands before the principal components were "
    "found."
)

_HEAD = """\
A principal component model, written by pcaimage.

Read it with NumPy:

    import numpy as np
    model = np.load("model.npz")
    model["mean"], model.files

Fields
------

"""

_SAMPLES = {
    "blocks": """\
    size = int(model["block"])
    padding = ((0, -height % size), (0, -width % size), (0, 0))
    padded = np.pad(image, padding, mode="edge")
    rows, columns = padded.shape[0] // size, padded.shape[1] // size
    blocks = padded.reshape(rows, size, columns, size, channels).swapaxes(1, 2)
    samples = blocks.reshape(rows * columns, -1).astype(float)
""",
    "channels": """\
    samples = image.reshape(-1, channels).astype(float)
""",
    "stack": """\
    samples = image.reshape(len(image), -1).astype(float)
""",
}

_SAMPLES["bands"] = _SAMPLES["channels"]
_PIXELS = {
    "blocks": """\
    blocks = samples.reshape(rows, columns, size, size, channels).swapaxes(1, 2)
    rebuilt = blocks.reshape(padded.shape)[:height, :width]
""",
    "channels": """\
    rebuilt = samples.reshape(image.shape)
""",
    "stack": """\
    rebuilt = samples.reshape(image.shape)
""",
}

_PIXELS["bands"] = _PIXELS["channels"]

_ABOUT = {
    "blocks": "A sample is a block of pixels; its features are in the order row, column, channel. The right "
    "and lower edges of the image are continued to whole blocks.",
    "channels": "A sample is a pixel; its features are its channels.",
    "bands": "A sample is a pixel; its features are its bands. Pixels that were not measured in all bands "
    "took no part in the analysis.",
    "stack": "A sample is an image of the stack; its features are in the order row, column, channel.",
    "photo": "A photo's components are products: an axis of the channels, a vertical and a horizontal "
    "pattern of eight lapped pixels. `order` says which product each component is. The scores of a block are "
    "vertical @ block @ horizontal.T, for each channel axis. The patterns reach over the borders of blocks "
    "by lapping. A compressed file also predicts a component that it does not have from its neighbours' "
    "means; here such components are zero.",
}

_PHOTO = """\
    def lap(pixels, matrix):
        for axis in (0, 1):
            lines = np.moveaxis(pixels, axis, -1)
            inner = lines[..., 4:-4]
            groups = inner.reshape(*inner.shape[:-1], -1, 8)
            lines[..., 4:-4] = (groups @ matrix).reshape(inner.shape)

    padding = ((0, -height % 8), (0, -width % 8), (0, 0))
    padded = np.pad(image.astype(float), padding, mode="edge")
    turned = (padded - model["mean"]) @ model["channel_axes"].T
    lap(turned, model["lapping"].T)
    rows, columns = padded.shape[0] // 8, padded.shape[1] // 8
    blocks = turned.reshape(rows, 8, columns, 8, channels)
    v, h = model["vertical"], model["horizontal"]
    scores = np.einsum("ua,iajbc,vb->cuvij", v, blocks, h)

    kept = np.zeros_like(scores)
    axis, down, along = model["order"].T
    kept[axis, down, along] = scores[axis, down, along]

    blocks = np.einsum("ua,cuvij,vb->iajbc", v, kept, h)
    turned = blocks.reshape(padded.shape)
    lap(turned, model["lapping"])
    rebuilt = (turned @ model["channel_axes"] + model["mean"])[:height, :width]
"""


def readme_of(arrays: dict[str, NDArray[Any]]) -> str:
    """Return the README of a model's arrays: what they are, and how to rebuild an image from them."""
    method = str(arrays["method"])
    whitened = str(arrays["preparation"]) == Preparation.MNF
    meanings = _FIELDS | (_WHITENED if whitened else {})
    lines = [_field(key, array, meanings[key]) for key, array in arrays.items()]
    about = [
        "",
        "Method",
        "------",
        "",
        textwrap.fill(_ABOUT[method] + (_MNF if whitened else ""), 100),
        "",
        "Rebuild an image from its first k components",
        "--------------------------------------------",
        "",
        "`image` is an array of the shape above, `model` was read as above.",
        "",
        code_of(method, arrays),
    ]
    return _HEAD + "\n".join([*lines, *about])


def code_of(method: str, fields: Container[str]) -> str:
    """Return NumPy code, indented by four, that rebuilds an image by the method of a name.

    It uses ``np``, ``model`` and ``image``, and assigns ``rebuilt``; `fields` are the names of the archive's
    arrays.
    """
    start = "" if method == "stack" else '    height, width, channels = model["shape"]\n'
    if method == "photo":
        return start + _PHOTO
    before, rows, after = "", 'model["components"]', ""
    if "scale" in fields:
        before, after = ' / model["scale"]', ' * model["scale"]'
    elif "whitening" in fields:
        before, after = ' @ model["whitening"]', ' @ model["colouring"]'
    elif "synthesis" in fields:
        rows = 'model["synthesis"]'
    onto = f"np.linalg.pinv({rows})" if "synthesis" in fields else f"{rows}.T"
    return (
        f"{start}{_SAMPLES[method]}\n"
        f'    scores = (samples - model["mean"]){before} @ {onto}\n'
        f'    samples = scores @ {rows}{after} + model["mean"]\n\n'
        f"{_PIXELS[method]}"
    )


def _field(key: str, array: NDArray[Any], meaning: str) -> str:
    value = f"({' × '.join(map(str, array.shape))})" if array.ndim else f"= {array.item()}"
    indented = textwrap.fill(meaning, 100, initial_indent="    ", subsequent_indent="    ")
    return f"{key} {value}\n{indented}"

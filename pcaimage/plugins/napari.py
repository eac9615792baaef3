"""napari opens ``.pcai`` files; ``napari.yaml`` beside this module tells it so.

Nothing of napari is imported: images are returned as arrays with display options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import api

Layer = tuple[NDArray[Any], dict[str, Any], str]


def get_reader(path: str | Sequence[str]) -> Callable[[str | Sequence[str]], list[Layer]] | None:
    """Return the reader of some files, :func:`read`; None if one of them is of another format."""
    return read if all(each.lower().endswith(api.SUFFIX) for each in _listed(path)) else None


def read(path: str | Sequence[str]) -> list[Layer]:
    """Return an image layer (pixels, options, kind) for each file.

    Grey is (H, W), colour (H, W, 3 or 4), many bands are (C, H, W), so that the slider of the first axis goes
    through them; stacks have the images first. Wavelengths are in the layer's metadata.
    """
    return [_layer(each) for each in _listed(path)]


def _layer(path: str) -> Layer:
    opened = api.open_file(path)
    image, info = opened.image(), opened.bands
    pixels, is_colour = image.pixels, image.channels == 3
    if is_colour and image.alpha is not None:
        pixels = np.concatenate([pixels, image.alpha[..., None]], axis=-1)
    elif image.channels == 1:
        pixels = pixels[..., 0]
    elif not is_colour:
        pixels = np.moveaxis(pixels, -1, -3)
    about = {"wavelengths": info.wavelengths, "unit": info.unit, "names": info.names, "components": opened.k}
    name = opened.compressed.metadata.name or path.replace("\\", "/").rpartition("/")[2]
    return pixels, {"name": name, "rgb": is_colour, "metadata": about}, "image"


def _listed(path: str | Sequence[str]) -> list[str]:
    return [path] if isinstance(path, str) else [*path]

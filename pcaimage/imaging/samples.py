"""Sample photographs, which come with scikit-image."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pcaimage.errors import ImageError

if TYPE_CHECKING:
    from pcaimage.imaging.image import Image

_FILES = {
    "astronaut": "astronaut.png",
    "cat": "chelsea.png",
    "coffee": "coffee.png",
    "rocket": "rocket.jpg",
    "galaxies": "hubble_deep_field.jpg",
    "retina": "retina.jpg",
    "tissue": "ihc.png",
    "camera": "camera.png",
    "coins": "coins.png",
    "moon": "moon.png",
}


def _folder() -> Path:
    # Only located: importing scikit-image is slow, and its loaders may access the network.
    spec = find_spec("skimage")
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places or ["."]))) / "data"


def sample_names() -> tuple[str, ...]:
    """List the sample photographs that are installed.

    Returns
    -------
    tuple of str
        Names for :func:`read_sample`, colour before grey.
    """
    folder = _folder()
    return tuple(name for name, file in _FILES.items() if (folder / file).is_file())


def read_sample(name: str) -> Image:
    """Read a sample photograph; the network is not needed.

    Parameters
    ----------
    name : str
        One of :func:`sample_names`.

    Returns
    -------
    Image
        The photograph, 8 bits, grey or RGB.

    Raises
    ------
    ImageError
        If there is none of that name.
    """
    from pcaimage.imaging.read import read_image  # noqa: PLC0415 - their names alone are asked for more often

    if name not in sample_names():
        names = ", ".join(sample_names()) or "none is installed"
        raise ImageError(f"There is no sample photograph named {name!r}; there are: {names}.")
    file = _FILES[name]
    return replace(read_image(_folder() / file), name=f"{name}{Path(file).suffix}")

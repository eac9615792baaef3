"""Which other codecs there are to compare with, and what they can carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import features

from pcaimage.errors import SettingsError

_LEAST_BITS, _MOST_BITS = 0.005, 48.0
"""The range of JPEG 2000's quality, in bits per pixel."""


@dataclass(frozen=True)
class Rival:
    """A codec to compare with.

    Parameters
    ----------
    name : str
        What it is called in programs.
    title : str
        What it is called in sentences.
    form : str
        What Pillow calls it.
    feature : str
        The part of Pillow that it needs.
    qualities : tuple of float
        The worst and the best quality.
    max_side : int
        The longest side in pixels.
    note : str
        Its settings in words.
    options : dict
        Its settings.
    whole : bool
        Whether qualities are whole numbers; else they are bits per pixel.
    deep : bool
        Whether it carries grey of 16 bits.
    """

    name: str
    title: str
    form: str
    feature: str
    qualities: tuple[float, float]
    max_side: int
    note: str
    options: dict[str, Any] = field(repr=False)
    whole: bool = True
    deep: bool = False


_JPEG = {"subsampling": "4:2:0", "optimize": True, "progressive": True}

RIVALS: tuple[Rival, ...] = (
    Rival("jpeg", "JPEG", "JPEG", "jpg", (1, 100), 65_500, "4:2:0, optimised, progressive", _JPEG),
    Rival("webp", "WebP", "WEBP", "webp", (0, 100), 16_383, "method 6", {"method": 6}),
    Rival("avif", "AVIF", "AVIF", "avif", (0, 100), 65_536, "4:4:4, speed 6", {"speed": 6}),
    Rival(
        "jpeg2000",
        "JPEG 2000",
        "JPEG2000",
        "jpg_2000",
        (_LEAST_BITS, _MOST_BITS),
        2**31 - 1,
        "9/7 wavelet",
        {"irreversible": True, "no_jp2": True, "quality_mode": "rates"},
        whole=False,
        deep=True,
    ),
)
"""The codecs that there are, in the order in which they are shown."""


def rival_named(name: str) -> Rival:
    """Find a codec.

    Parameters
    ----------
    name : str
        Such as ``"jpeg"``.

    Returns
    -------
    Rival
        The codec.

    Raises
    ------
    SettingsError
        If there is none of that name.
    """
    for rival in RIVALS:
        if rival.name == name:
            return rival
    names = ", ".join(rival.name for rival in RIVALS)
    raise SettingsError(f"There is no codec {name!r} to compare with; there are {names}.")


def obstacle(name: str, shape: Sequence[int], dtype: np.dtype[Any] | type | str) -> str | None:
    """Tell why a codec cannot be compared with.

    Parameters
    ----------
    name : str
        Such as ``"jpeg"``.
    shape : sequence of int
        Shape of the image's pixels.
    dtype : dtype
        Their type.

    Returns
    -------
    str or None
        A sentence for the user; None where nothing is in the way.

    Raises
    ------
    SettingsError
        If there is no such codec.
    """
    rival, kind = rival_named(name), np.dtype(dtype)
    deep = kind.itemsize > 1
    title, channels = rival.title, shape[-1]
    hurdles = (
        (len(shape) != 3, f"{title} holds one image, not a stack."),
        (channels not in (1, 3), f"{title} holds grey or RGB, not {channels} bands."),
        (kind.kind != "u", f"{title} holds whole numbers from 0 on, not {kind.name}."),
        (deep and not rival.deep, f"{title} holds 8 bits a channel here, not 16."),
        (deep and channels != 1, f"{title} with 16 bits is written in grey only here, not in colour."),
        (max(shape[:2]) > rival.max_side, f"{title} holds at most {rival.max_side:,} pixels a side."),
        (not features.check(rival.feature), f"{title} is not part of this installation (Pillow lacks it)."),
    )
    return next((sentence for stands, sentence in hurdles if stands), None)

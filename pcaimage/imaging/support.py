"""Which formats this installation of Pillow was built with."""

from __future__ import annotations

from PIL import features

FEATURES = {"AVIF": "avif", "JPEG 2000": "jpg_2000", "WebP": "webp"}
"""Formats that an installation may lack, and what Pillow calls them."""


def supported_formats() -> dict[str, str]:
    """Return the versions of the libraries behind formats that may be missing.

    Returns
    -------
    dict of str to str
        By the format's name; an empty version where it is missing.
    """
    return {
        name: (features.version(feature) or "built in") if features.check(feature) else ""
        for name, feature in FEATURES.items()
    }

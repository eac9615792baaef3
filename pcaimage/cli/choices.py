"""The values that options with a fixed set of choices accept."""

from __future__ import annotations

from enum import StrEnum

from pcaimage.choices import WRITABLE


class MethodName(StrEnum):
    """The methods, named after their kind of samples."""

    PHOTO = "photo"
    BLOCKS = "blocks"
    CHANNELS = "channels"
    STACK = "stack"
    BANDS = "bands"


class Stripped(StrEnum):
    """The metadata to remove."""

    PLACE = "place"
    ALL = "all"


class Pages(StrEnum):
    """The ways to interpret a file's planes: as bands of one image, or as separate images."""

    BANDS = "bands"
    IMAGES = "images"


class TableDivisor(StrEnum):
    """Divisors of a table's sums of squares and products, for n samples."""

    N_MINUS_1 = "n-1"
    N = "n"
    NONE = "none"


class TableSigma(StrEnum):
    """Divisors of the standard deviations by which a table is standardised."""

    N_MINUS_1 = "n-1"
    N = "n"


def format_names() -> list[str]:
    """Return the names of the formats that images are written in, as their endings."""
    return [suffix.removeprefix(".") for suffix in (*WRITABLE, ".gif")]


def preset_names() -> list[str]:
    """Return the names of the presets that are built in and of those that this user has saved."""
    from pcaimage.api.preset_files import known_presets  # noqa: PLC0415 - only a shell that completes asks

    return [preset.name for preset in known_presets()]

"""The colour profile of the screen: that of the system, sRGB, or a file that the user chose. No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pcaimage.errors import ImageError
from pcaimage.imaging import screen_profile_name

SYSTEM, SRGB = "system", "srgb"
"""Settings; any other is the path of a file."""
_MOST_BYTES = 16_000_000


def find_profile(setting: str, ask_system: Callable[[], bytes | None]) -> bytes | None:
    """Return the ICC profile of a screen by a setting; None for sRGB, and where the system has none.

    ImageError if a file that the user chose is gone, or is no profile of a screen.
    """
    if setting == SRGB:
        return None
    return check_profile(Path(setting)) if setting != SYSTEM else ask_system() or None


def check_profile(path: Path) -> bytes:
    """Return the profile of a screen in a file; raise ImageError with a sentence for the user otherwise."""
    try:
        with path.open("rb") as file:
            found = file.read(_MOST_BYTES)
    except OSError as error:
        raise ImageError(f"The screen profile {path.name} cannot be read.") from error
    try:
        screen_profile_name(found)
    except ImageError as error:
        raise ImageError(f"{path.name} is not used: {str(error)[0].lower()}{str(error)[1:]}") from error
    return found

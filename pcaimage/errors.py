"""Exceptions that callers can catch.

Every message is one sentence for a person: what is wrong, where, and if possible what to do.
"""

from __future__ import annotations


class PcaImageError(Exception):
    """Base class of every error that pcaimage raises on purpose."""


class DataError(PcaImageError, ValueError):
    """Data for which PCA is undefined: NaN, infinity, no samples, or a shape that does not fit."""


class NumberError(DataError, TypeError):
    """Objects that are no numbers."""


class SettingsError(PcaImageError, ValueError):
    """Settings that contradict each other, or that the image cannot satisfy."""


class TargetError(SettingsError):
    """A quality or size that cannot be reached; the message names the nearest that can."""


class FormatError(PcaImageError):
    """A ``.pcai`` file that is damaged, cut short, or not in that format at all; the offset is in bytes."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message if offset is None else f"{message} (at byte {offset})")
        self.message = message
        self.offset = offset


class ModelError(FormatError):
    """A ``.pcai`` file whose basis is in a model file that is missing or does not match."""


class TruncatedError(FormatError):
    """A ``.pcai`` file whose end is missing; its complete components can still be opened on request."""


class ImageError(PcaImageError):
    """An image file that cannot be read or written."""


class ImageTooLargeError(ImageError):
    """An image over the size limit, refused from its header before memory is allocated."""


class ChangedError(ImageError):
    """An image file that another program changed while pixels were read from it."""


class ImplausibleSizeError(ImageTooLargeError):
    """A compressed image whose header claims far more pixels than its file can be expected to hold.

    What is claimed takes as much as so many bytes of pixels.
    """

    def __init__(self, message: str, claimed: int = 0) -> None:
        super().__init__(message)
        self.claimed = claimed


class CoreError(PcaImageError, ImportError):
    """The compiled part of the program is missing, damaged, or of another version."""


class Cancelled(Exception):  # noqa: N818 - it is not an error; nothing went wrong
    """Raised from a progress callback to stop the work that reports to it."""


def reason_of(error: OSError) -> str:
    """Return the system's error as a sentence that names the file."""
    reason = error.strerror or str(error) or "unknown error"
    about = f"{error.filename}: " if error.filename else ""
    return f"{about}{reason[:1].lower() if about else reason[:1].upper()}{reason[1:]}."

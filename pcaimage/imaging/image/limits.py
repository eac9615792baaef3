"""Size limits, checked against an image's header before memory is allocated."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

from pcaimage.errors import ImageTooLargeError, SettingsError

MAX_PIXELS = 500_000_000  # pixels of one image: 22,000 x 22,000
MAX_BYTES = 1_500_000_000
"""Bytes of all pixels; compression takes up to 12 times as much memory, which must fit into 24 GiB."""

MAX_MAPPED_BYTES = 64_000_000_000  # bytes of pixels that stay in their file and are read from it part by part

MAX_UNBACKED_BYTES = 80_000_000
"""Bytes that a compressed file may claim on top of what its length makes plausible: 26 megapixels."""

VARIABLE = "PCAIMAGE_MAX_PIXELS"


@dataclass(frozen=True)
class Limits:
    """The largest image that is read; SettingsError if a limit is not positive."""

    max_pixels: int = MAX_PIXELS  # width x height of one image or one image of a stack
    max_bytes: int = MAX_BYTES  # of all pixels with all channels and images, uncompressed
    max_mapped_bytes: int = MAX_MAPPED_BYTES  # the same for pixels that stay in their file; see cubes.raw
    # That a compressed image may take on top of a multiple of its file's length, see api.opening: a file of
    # some bytes that claims more is more likely malicious than flat
    max_unbacked_bytes: int = MAX_UNBACKED_BYTES

    def __post_init__(self) -> None:
        if min(self.max_pixels, self.max_bytes, self.max_mapped_bytes, self.max_unbacked_bytes) < 1:
            raise SettingsError("Limits on the size of an image must be positive.")

    @classmethod
    def default(cls, environment: Mapping[str, str] | None = None) -> Limits:
        """Return the default limits.

        ``PCAIMAGE_MAX_PIXELS``, in the process's environment by default, sets `max_pixels`, and raises the
        limits on bytes to three times as much if that exceeds their default. `max_unbacked_bytes` is not
        raised with it: that a user has large images says nothing of a file. SettingsError if it is not a
        positive whole number.
        """
        text = (os.environ if environment is None else environment).get(VARIABLE, "").strip()
        if not text:
            return cls()
        digits = text.replace("_", "")
        if not (digits.isascii() and digits.isdigit() and int(digits)):
            raise SettingsError(f"{VARIABLE} must be a number of pixels such as 500000000, not {text!r}.")
        n_bytes = 3 * int(digits)
        return cls(int(digits), max(MAX_BYTES, n_bytes), max(MAX_MAPPED_BYTES, n_bytes))

    @classmethod
    def of_bytes(cls, n_bytes: int) -> Limits:
        """Return limits that admit every image of at most so many bytes, however short its file."""
        return cls(n_bytes, n_bytes, n_bytes, max(n_bytes, MAX_UNBACKED_BYTES))

    def check(
        self,
        width: int,
        height: int,
        bytes_per_pixel: int = 1,
        *,
        frames: int = 1,
        name: str,
        mapped: bool = False,
    ) -> None:
        """Refuse an image, or stack, that is over a limit: ImageTooLargeError says how to raise it.

        A pixel's bytes are those of all channels, with alpha. `mapped` pixels stay in their file.
        """
        pixels = width * height
        size = f"{width:,} x {height:,} pixels" + (f" x {frames:,} images" if frames > 1 else "")
        if pixels > (most := self.max_pixels):
            limit = f"{most / 1e6:,.0f} megapixels" if most >= 10_000_000 else f"{most:,} in all"
            raise ImageTooLargeError(
                f"{name} has {size}, more than the limit of {limit}; set {VARIABLE}={pixels} to read it."
            )
        n_bytes = pixels * bytes_per_pixel * frames
        allowed = self.max_mapped_bytes if mapped else self.max_bytes
        if n_bytes > allowed:
            raise ImageTooLargeError(
                f"{name} has {size} of {bytes_per_pixel:,} bytes, {n_bytes / 1e9:,.1f} GB in all, more than "
                f"the limit of {allowed / 1e9:,.1f} GB; "
                f"set {VARIABLE}={max(pixels, math.ceil(n_bytes / 3))} to read it."
            )

"""Each pixel is a sample, and pixels lie beside each other."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.sampling.channels import Channels


@dataclass(frozen=True)
class Bands(Channels):
    """A pixel's bands are its features, as of :class:`Channels`; its neighbours tell what to expect of it."""

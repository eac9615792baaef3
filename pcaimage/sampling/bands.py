"""Sampling of pixels with many bands."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.sampling.channels import Channels


@dataclass(frozen=True)
class Bands(Channels):
    """Each pixel is a sample of its bands, as in :class:`Channels`; it is predicted from its neighbours."""

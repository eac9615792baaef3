"""The scores of an image's pixels as an image of their own, for programs of remote sensing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pcaimage.codec import Analysis, IntegerModel, Model, Preparation, Spectrum
from pcaimage.errors import SettingsError
from pcaimage.imaging import BandInfo, Image
from pcaimage.imaging.georeference.geo import only_place
from pcaimage.insight.component_table import TERMS
from pcaimage.insight.components import Shares
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Bands, Channels


def score_image(
    source: Spectrum | Model,
    numbers: Sequence[int],
    shares: Shares,
    bands: BandInfo,
    progress: Progress = no_progress,
) -> Image:
    """Return the scores of all pixels on some components, from 1, as bands of float32 in this order.

    A score is (x - mean) · d with the component d, after scaling or whitening as for the analysis;
    that of a file is rounded as it is there. Bands have names such as ``PC 1, 83.21 %`` and the georeference
    of `bands`, and NaN where nothing was measured. SettingsError if samples are not single pixels.
    """
    header = source.header
    if not isinstance(source, Analysis | IntegerModel) or not isinstance(header.sampling, Bands | Channels):
        raise SettingsError("Only components of bands or channels have a score for each pixel.")
    rows, scores = np.array(numbers) - 1, np.empty((header.n_samples, len(numbers)), np.float32)
    if isinstance(source, IntegerModel):
        scores[:] = (source.scores[rows] * np.float32(header.step)).T
    else:
        for chunk, values in source.projected(source.whole_projection[rows], source.pca.mean_):
            progress(chunk.stop, header.n_samples)
            scores[chunk] = values.T
    pixels = scores.reshape(*header.shape[:2], len(numbers))
    if source.missing is not None:
        pixels[source.missing.incomplete] = math.nan
    kind = "MNF" if shares.scale == TERMS[Preparation.MNF] else "PC"
    names = tuple(f"{kind} {number}, {shares.share(number)}".replace("\u00a0", " ") for number in numbers)
    gap = None if source.missing is None else math.nan
    return Image(pixels, bands=replace(only_place(bands), names=names, nodata=gap))

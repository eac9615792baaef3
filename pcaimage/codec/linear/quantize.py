"""Quantisation of the mean, components and scores of an image, each with the precision that pays off."""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.segments import join_streams
from pcaimage.codec.compressed import MAX_MEAN_BITS, MAX_PRECISION, MAX_SCALE_BITS, Header
from pcaimage.codec.linear import slices
from pcaimage.codec.linear.analysis import Analysis
from pcaimage.codec.linear.model import TOO_SMALL, IntegerModel, ScorePlanes, as_reals, with_exact_sums
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted, no_progress

PRICE = 0.12
"""Lagrange multiplier of the rate–distortion optimisation: squared steps per bit, found by experiment [1]_.

.. [1] The slope of an ideal coder's distortion at high rates would be (ln 2 / 6) = 0.116.
"""

_DIGITS = slices.LARGEST.bit_length() - 1

Ints = NDArray[np.int64]


def quantize(analysis: Analysis, k: int, step: Step, progress: Progress = no_progress) -> IntegerModel:
    """Quantise and code the first k components of an image and their scores.

    SettingsError if k is out of range, or the step too small for the range of the image.
    """
    analysis.check_k(k)
    header, mean, scale = fixed(analysis, k, step)
    external = analysis.external_basis

    def quantized(digits: tuple[int, ...]) -> IntegerModel:
        rows = entries(analysis, digits)
        model = code_with(analysis, header, mean, scale, rows, digits, progress)
        # Those of a model file include components whose scores are left out.
        return model if external is None else replace(model, entries=external.entries[:k])

    least = None if external is not None else 0
    return with_exact_sums(quantized, precisions(analysis, k, float(step)), least)


def code_with(
    analysis: Analysis,
    header: Header,
    mean: Ints,
    scale: Ints | None,
    rows: Ints,
    digits: tuple[int, ...],
    progress: Progress = no_progress,
) -> IntegerModel:
    """Round and code the scores of an image on components that are rounded already.

    Mean and deviations are in the units of the header, row j in units of 2^-digits[j]. The result is the
    model that decoding will give; SettingsError if the step is too small for the range of the image.
    """
    k, parts = len(digits), slices.slices_of(header)
    projection = analysis.fitted(as_reals(rows, digits)) / float(header.step)
    centre, width = np.ldexp(mean.astype(np.float64), -header.mean_bits), None
    if scale is not None:
        width = np.ldexp(scale.astype(np.float64), -(header.scale_bits or 0))
    planes, tick, lock = ScorePlanes(k, header.n_samples), counted(progress, len(parts) * k), Lock()

    def work(number: int) -> tuple[bytes, list[int]]:
        tile = parts[number]
        scores = np.zeros((k, math.prod(tile.shape)), np.float32)
        for chunk, found in analysis.projected(projection, centre, width, tile):
            scores[:, chunk] = found
        if scores.size and float(np.abs(scores).max()) >= slices.LARGEST:
            raise SettingsError(TOO_SMALL)
        mask, result = slices.mask_of(header, analysis.missing, tile), np.empty(scores.shape, np.int32)
        wanted = scores.reshape(k, *mask.shape)
        coded = slices.encode(
            lambda plane: wanted[plane].astype(np.float64),
            result.reshape(wanted.shape),
            mask,
            slices.predictors_of(header),
            PRICE,
            tick,
        )
        # Another thread may be replacing the planes by ones of a wider type.
        with lock:
            planes.put(
                (slice(None), tile.samples(header)), result[:, slices.mask_of(header, None, tile).ravel()]
            )
        return coded

    coded = side_by_side(work, len(parts))
    segments = join_streams([data for data, _ in coded], [certain for _, certain in coded])
    return IntegerModel(header, mean, scale, rows, digits, planes.array, segments, analysis.missing)


def precisions(analysis: Analysis, k: int, step: float) -> tuple[int, ...]:
    """Return the fractional bits of the entries of each of the first k components.

    Rounding an entry to a step δ costs λ δ²/12 in each of n samples, and one more bit halves δ. A score's bit
    buys the same reduction at δ = Δ / √(n λ), so finer entries would cost more than they are worth. Where
    entries have few levels, one more bit costs less.
    """
    if analysis.external_basis is not None:
        return analysis.external_basis.precisions[:k]
    deviations = np.sqrt(analysis.pca.n_samples_ * np.maximum(analysis.variances[:k], 1e-30))
    wanted = np.log2(deviations / (step * analysis.lengths[:k]))
    two_levels = math.ceil(math.log2(analysis.header.n_features) / 2) + 1  # of entries of a unit vector
    least = two_levels - math.floor(math.log2(float(np.median(analysis.lengths))))
    least = min(max(least, 0), MAX_PRECISION)
    most = _DIGITS - np.frexp(np.abs(analysis.vectors[:k]).max(axis=1))[1]
    rounded = np.where(wanted < least + 1, np.ceil(wanted), np.rint(wanted))
    found = np.minimum(np.clip(rounded, least, MAX_PRECISION), most)
    return tuple(np.maximum(found, 0).astype(int).tolist())


def entries(analysis: Analysis, digits: tuple[int, ...]) -> Ints:
    """Return the first components as integers, (k, n_features); zeros if left out.

    Component j is in units of 2^-digits[j].
    """
    rows = analysis.vectors[: len(digits)]
    found: Ints = np.rint(np.ldexp(rows, np.array(digits, np.int64)[:, None])).astype(np.int64)
    return found


def fixed(analysis: Analysis, k: int, step: Step) -> tuple[Header, Ints, Ints | None]:
    """Return the header of a file of k components, the mean, and the standard deviations if it stores them.

    The mean is precise, as its error affects every sample.
    """
    basis, pca = analysis.external_basis, analysis.pca
    source = slices.sliced(analysis.header, k, analysis.corrected)
    if basis is not None:
        bits = basis.source.header
        header = replace(source, step=step, mean_bits=bits.mean_bits, scale_bits=bits.scale_bits)
        return header, basis.mean, basis.scale
    wanted = math.ceil(math.log2(math.sqrt(pca.n_samples_) / (float(step) * analysis.typical_scale)))
    most = _DIGITS - math.frexp(float(np.abs(pca.mean_).max()))[1]
    header = replace(source, step=step, mean_bits=max(0, min(wanted, most, MAX_MEAN_BITS)))
    mean = np.rint(np.ldexp(pca.mean_, header.mean_bits)).astype(np.int64)
    if not pca.standardize or source.traits.absorbs_scale:
        return header, mean, None
    bits_of_scale = 12 - math.frexp(float(pca.scale_.max()))[1]
    header = replace(header, scale_bits=min(max(bits_of_scale, 0), MAX_SCALE_BITS))
    scale = np.maximum(np.rint(np.ldexp(pca.scale_, header.scale_bits or 0)), 1).astype(np.int64)
    return header, mean, scale

"""The stages of the pipeline, timed one by one."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pcaimage
from benchmarks.codecs import Codec
from benchmarks.photographs import Bytes
from benchmarks.timing import Timing, alternating, once, repeated
from pcaimage import Settings
from pcaimage.codec import Analysis, Drawing, Preview, Region
from pcaimage.codec.linear.quantize import quantize as quantized
from pcaimage.imaging import psnr
from pcaimage.sampling import Blocks

SAMPLING = Blocks(8)

VIEW = (1600, 1000)
"""Width and height of the rendered view."""

SCALES = (0.0, 1 / 12, 0.25, 0.5, 0.75, 1.0, 2.0, 4.0)
"""Screen pixels per image pixel; 0 stands for the zoom that shows the whole image."""


@dataclass(frozen=True)
class Zoom:
    """Times of pictures at one zoom, over a sweep of k.

    Parameters
    ----------
    name : str
        The zoom.
    first : float
        Seconds for the first picture, which fills caches.
    timing : Timing
        All other pictures.
    """

    name: str
    first: float
    timing: Timing


@dataclass(frozen=True)
class Coding:
    """The costs of coding at some k.

    Parameters
    ----------
    k : int
        Number of components.
    n_bytes : int
        Size of the file.
    psnr : float
        Of the reconstruction.
    quantize, reconstruct, encode, decode, save : float
        Seconds; encoding starts from the array and includes the fit, saving includes encoding and
        verification.
    """

    k: int
    n_bytes: int
    psnr: float
    quantize: float
    reconstruct: float
    encode: float
    decode: float
    save: float


@dataclass(frozen=True)
class Rival:
    """The costs of another codec.

    Parameters
    ----------
    name : str
        The codec and its quality.
    n_bytes : int
        Size of the file.
    psnr : float
        Of the decoded image.
    encode, decode : float
        Seconds.
    """

    name: str
    n_bytes: int
    psnr: float
    encode: float
    decode: float


def time_fitting(array: Bytes, runs: int) -> dict[str, Timing]:
    """Time everything up to the first picture, alternately.

    Returns
    -------
    dict of str to Timing
        ``copy``, ``blocks``, ``product`` (XᵀX of the float32 matrix), ``fit`` (including cutting), ``scores``
        and ``picture`` (everything from the array to the first picture).
    """
    matrix = SAMPLING.to_samples(array).astype(np.float32)
    analysis = Analysis.fit(array, SAMPLING)
    return alternating(
        {
            "copy": array.copy,
            "blocks": lambda: SAMPLING.to_samples(array),
            "product": lambda: matrix.T @ matrix,
            "fit": lambda: Analysis.fit(array, SAMPLING),
            "scores": analysis.scores,
            "picture": lambda: _first_picture(array),
        },
        runs,
    )


def _first_picture(array: Bytes) -> object:
    analysis = Analysis.fit(array, SAMPLING)
    preview = Preview.of_analysis(analysis)
    k = analysis.k_for_variance(0.99)
    region, scale = _view(array.shape, 0.0)
    return preview.render(region, scale, k, Drawing(step=float(analysis.step_for(k))))


def time_previews(analysis: Analysis, ks: Sequence[int], runs: int) -> list[Zoom]:
    """Time the pictures of a view at several zooms, over `runs` sweeps of the slider through `ks`."""
    preview = Preview.of_analysis(analysis)
    zooms = []
    for chosen in SCALES:
        region, scale = _view(analysis.header.shape, chosen)

        def render(k: int, region: Region = region, scale: float = scale) -> object:
            return preview.render(region, scale, k, Drawing(step=float(analysis.step_for(k))))

        first, _ = once(lambda: render(1))
        taken = [once(lambda: render(k))[0] for _ in range(runs) for k in ks]  # noqa: B023 - called at once
        name = f"{100 * scale:.0f} %" if chosen else f"all of it ({100 * scale:.0f} %)"
        zooms.append(Zoom(name, first, Timing(tuple(taken))))
    return zooms


def _view(shape: tuple[int, ...], scale: float) -> tuple[Region, float]:
    """Return the central part of an image that a view shows, and the scale."""
    height, width = shape[:2]
    used = scale or min(VIEW[0] / width, VIEW[1] / height)
    across, down = min(width, round(VIEW[0] / used)), min(height, round(VIEW[1] / used))
    left, top = (width - across) // 2, (height - down) // 2
    return Region(left, top, left + across, top + down), used


def time_coding(array: Bytes, analysis: Analysis, k: int, runs: int) -> Coding:
    """Time the coding of an image at some k; the best of `runs` counts."""
    settings = Settings(sampling=SAMPLING, k=k)
    quantize, model = repeated(lambda: quantized(analysis, k, analysis.step_for(k)), runs)
    reconstruct, pixels = repeated(model.reconstruct, runs)
    encode, data = repeated(lambda: pcaimage.encode(array, settings), runs)
    decode, decoded = repeated(lambda: pcaimage.decode(data), runs)
    assert np.array_equal(pixels, decoded)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "image.pcai")
        save, n_bytes = repeated(lambda: pcaimage.save(path, array, settings, overwrite=True), runs)
    return Coding(
        k=k,
        n_bytes=n_bytes,
        psnr=psnr(array, decoded),
        quantize=quantize.best,
        reconstruct=reconstruct.best,
        encode=encode.best,
        decode=decode.best,
        save=save.best,
    )


def time_rival(array: Bytes, codec: Codec, quality: float, runs: int) -> Rival:
    """Time another codec at a quality; the best of `runs` counts."""
    encode, data = repeated(lambda: codec.encode(array, quality), runs)
    decode, decoded = repeated(lambda: codec.decode(data), runs)
    name = f"{codec.name}, {quality:g}"
    return Rival(name, len(data), psnr(array, decoded), encode.best, decode.best)

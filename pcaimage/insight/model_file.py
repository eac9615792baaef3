"""Exports for other programs: the model as a NumPy archive that describes itself, and scores as an image."""

from __future__ import annotations

import math
import os
import textwrap
import tomllib
import zipfile
from collections.abc import Collection, Container, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Analysis, IntegerModel, Model, Preparation, Spectrum
from pcaimage.codec.linear.statistics import Whitening
from pcaimage.errors import SettingsError
from pcaimage.imaging import BandInfo, Image
from pcaimage.imaging.disk.atomic import atomic_write
from pcaimage.imaging.georeference.geo import only_place
from pcaimage.insight.component_table import TERMS
from pcaimage.insight.components import Shares
from pcaimage.machine.folders import asset
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, name_of
from pcaimage.sampling.blocks import LAPPING_BITS, lapping

Arrays = dict[str, NDArray[Any]]

README = "README.txt"  # the archive's only member that is not an array. ``numpy.load`` returns its bytes

_BASIS_BITS = 14
_UNIT = 0.01  # largest deviation of a rounded component's length from 1


def save_model(path: str | os.PathLike[str], arrays: Arrays, *, overwrite: bool = False) -> None:
    """Write :func:`arrays_of` a model as ``.npz``; ImageError if the file exists or cannot be written."""
    text = readme_of(arrays)

    def write(file: BinaryIO) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(README, text)
            for key, array in arrays.items():
                with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)

    atomic_write(path, write, overwrite=overwrite)


def arrays_of(
    source: Spectrum | Model,
    *,
    k: int,
    step: float,
    variances: NDArray[np.float64] | None = None,
    left_out: Collection[int] = (),
    name: str = "",
    prepared: Preparation | None = None,
) -> Arrays:
    """Return a model's arrays, by the names that the README explains; nothing is rounded by the step.

    Components left out are there, too. A Spectrum has all variances and the preparation; a Model needs them.
    """
    header, sampling = source.header, source.header.sampling
    known = source.variances if isinstance(source, Spectrum) else variances
    explained = np.zeros(0) if known is None else np.maximum(np.asarray(known, np.float64), 0.0)
    total = source.total_variance if isinstance(source, Spectrum) else float(explained.sum())
    arrays = _photo(source, k) if header.traits.separable else _components(source, k)
    return arrays | {
        "explained_variance": explained,
        "explained_variance_ratio": explained / total if total > 0 else np.zeros_like(explained),
        "n_samples": np.array(header.n_samples),
        "k": np.array(k),
        "left_out": np.array(sorted(left_out), np.int64),
        "step": np.array(float(step)),
        "method": np.array(name_of(sampling)),
        "preparation": np.array(str(_preparation(source) if prepared is None else prepared)),
        "block": np.array(sampling.size if isinstance(sampling, Blocks | Lapped) else 0),
        "shape": np.array(header.shape),
        "dtype": np.array(header.dtype),
        "name": np.array(name),
    }


def _components(source: Spectrum | Model, k: int) -> Arrays:
    """Return mean, components in pixel values, and the scaling or whitening of features."""
    if isinstance(source, Analysis):
        pca, white = source.pca, _whitening(source)
        arrays: Arrays = {"mean": pca.mean_, "components": pca.components_[:k]}
        if white is not None:
            return arrays | {"whitening": white.inverse, "colouring": white.root}
        return arrays | ({"scale": pca.scale_} if pca.standardize else {})
    model, header = cast("IntegerModel", source), source.header
    units = np.exp2(-np.array(model.precisions[:k], np.float64))[:, None]
    rows = model.entries[:k] * units
    # Files of bands do not store how features were scaled; their rows are in pixel values already.
    lengths = np.linalg.norm(rows, axis=1)
    kind = "components" if np.allclose(lengths[lengths > 0], 1, atol=_UNIT) else "synthesis"
    arrays = {"mean": model.mean * 2.0**-header.mean_bits, kind: rows}
    if model.scale is not None and header.scale_bits is not None:
        arrays["scale"] = model.scale * 2.0**-header.scale_bits
    return arrays


def _whitening(source: Spectrum | Model) -> Whitening | None:
    return getattr(source, "white", None)


def _preparation(source: Spectrum | Model) -> Preparation:
    if _whitening(source) is not None:
        return Preparation.MNF
    divided = source.pca.standardize if isinstance(source, Analysis) else source.header.scale_bits is not None
    return Preparation.STANDARDIZED if divided else Preparation.NONE


def _photo(source: Spectrum | Model, k: int) -> Arrays:
    """Return the bases that a photo's components are products of, and the factors of each component."""
    from pcaimage.codec.photo.analysis import PhotoAnalysis  # noqa: PLC0415 - loaded for photos only
    from pcaimage.codec.photo.model import PhotoModel  # noqa: PLC0415
    from pcaimage.codec.photo.tables import Tables  # noqa: PLC0415

    cascade, header = cast("PhotoAnalysis | PhotoModel", source).cascade, source.header
    planes = Tables.of(header.tables).components(header.shape[-1], header.slopes).planes[:k]
    bases = {"channel_axes": cascade.rotation, "vertical": cascade.vertical, "horizontal": cascade.horizontal}
    return {
        "mean": cascade.mean.astype(np.float64),
        **{key: basis * 2.0**-_BASIS_BITS for key, basis in bases.items()},
        "lapping": lapping() * 2.0**-LAPPING_BITS,
        "order": np.stack([planes // 64, planes // 8 % 8, planes % 8], axis=1),
    }


def readme_of(arrays: dict[str, NDArray[Any]]) -> str:
    """Return the README of a model's arrays: what they are, and how to rebuild an image from them."""
    method = str(arrays["method"])
    whitened = str(arrays["preparation"]) == Preparation.MNF
    texts = _texts()
    meanings = texts["fields"] | (texts["fields_of_mnf"] if whitened else {})
    lines = [_field(key, array, meanings[key]) for key, array in arrays.items()]
    about = [
        "",
        "Method",
        "------",
        "",
        textwrap.fill(f"{texts['about'][method]} {texts['mnf'] if whitened else ''}", 100),
        "",
        "Rebuild an image from its first k components",
        "--------------------------------------------",
        "",
        "`image` is an array of the shape above, `model` was read as above.",
        "",
        code_of(method, arrays),
    ]
    return str(texts["head"]) + "\n".join([*lines, *about])


def code_of(method: str, fields: Container[str]) -> str:
    """Return NumPy code, indented by four, that rebuilds an image by the method of a name.

    It uses ``np``, ``model`` and ``image``, and assigns ``rebuilt``; `fields` are the names of the archive's
    arrays.
    """
    texts = _texts()
    start = "" if method == "stack" else '    height, width, channels = model["shape"]\n'
    if method == "photo":
        return f"{start}{texts['photo']}"
    before, rows, after = "", 'model["components"]', ""
    if "scale" in fields:
        before, after = ' / model["scale"]', ' * model["scale"]'
    elif "whitening" in fields:
        before, after = ' @ model["whitening"]', ' @ model["colouring"]'
    elif "synthesis" in fields:
        rows = 'model["synthesis"]'
    onto = f"np.linalg.pinv({rows})" if "synthesis" in fields else f"{rows}.T"
    return (
        f"{start}{texts['samples'][method]}\n"
        f'    scores = (samples - model["mean"]){before} @ {onto}\n'
        f'    samples = scores @ {rows}{after} + model["mean"]\n\n'
        f"{texts['pixels'][method]}"
    )


def _texts() -> dict[str, Any]:
    return tomllib.loads(asset("resources", "model-readme.toml").read_text("utf-8"))


def _field(key: str, array: NDArray[Any], meaning: str) -> str:
    value = f"({' × '.join(map(str, array.shape))})" if array.ndim else f"= {array.item()}"
    indented = textwrap.fill(meaning, 100, initial_indent="    ", subsequent_indent="    ")
    return f"{key} {value}\n{indented}"


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

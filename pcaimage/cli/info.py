"""``pcaimage info``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.api import CompressedImage
from pcaimage.cli.breakdown import PARTS, breakdown
from pcaimage.cli.contents import band_rows, describe_bands
from pcaimage.cli.files import open_compressed
from pcaimage.cli.method import Method
from pcaimage.cli.terminal import say_json, say_table
from pcaimage.cli.values import size_text
from pcaimage.codec import Compressed, Preparation, basis_id, error_bound, has_basis, preparation_of
from pcaimage.container import SIGNATURE
from pcaimage.imaging import bits_per_pixel
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Stack

METHODS = {
    Lapped: Method.PHOTO,
    Blocks: Method.BLOCKS,
    Channels: Method.CHANNELS,
    Stack: Method.STACK,
    Bands: Method.BANDS,
}
_SHOWN_COMPONENTS = 5


def info(path: Path, *, as_json: bool = False) -> None:
    """Print what a ``.pcai`` file holds.

    Parameters
    ----------
    path : Path
        The file.
    as_json : bool, default False
        Whether it is for a program.

    Raises
    ------
    PcaImageError
        If the file cannot be read.
    """
    opened = open_compressed(path, hint="`pcaimage decode --salvage` saves what is whole.")
    data = path.read_bytes()
    values = describe(opened, data)
    if as_json:
        say_json(values)
    else:
        say_table(path.name, rows(values))


def describe(opened: CompressedImage, data: bytes) -> dict[str, Any]:
    """Return what a file holds, by the names that it has in JSON.

    Parameters
    ----------
    opened : CompressedImage
        The file.
    data : bytes
        Its bytes.

    Returns
    -------
    dict
        What JSON can hold; None is what the file does not tell.
    """
    compressed = opened.compressed
    header, metadata, spectrum = compressed.header, compressed.metadata, compressed.spectrum
    raw = header.raw_bytes + (0 if compressed.alpha is None else compressed.alpha.nbytes)
    error, prepared = error_bound(compressed), preparation_of(compressed)
    block = header.sampling.size if isinstance(header.sampling, Blocks) else None
    return {
        "format_version": ".".join(map(str, data[len(SIGNATURE) : len(SIGNATURE) + 2])),
        "width": header.shape[-2],
        "height": header.shape[-3],
        "channels": header.shape[-1],
        "frames": header.shape[0] if len(header.shape) == 4 else 1,
        "dtype": header.dtype,
        "alpha": compressed.alpha is not None,
        "icc_profile": metadata.icc_profile is not None,
        "exif": metadata.exif is not None,
        "method": METHODS[type(header.sampling)].value,
        "block": block,
        "standardized": prepared is Preparation.STANDARDIZED,
        "mnf": prepared is Preparation.MNF,
        "k": compressed.k,
        "k_max": _k_max(compressed),
        "step": float(header.step),
        "file_bytes": opened.n_bytes,
        "raw_bytes": raw,
        "original_bytes": metadata.file_size,
        "original_name": metadata.name or None,
        "bits_per_pixel": bits_per_pixel(opened.n_bytes, header.shape),
        "ratio": raw / opened.n_bytes,
        "variance_kept": _kept(spectrum, compressed.k),
        "bytes": breakdown(data, compressed.components),
        "lossless": error == 0,
        "max_error": error,
        **describe_bands(opened.bands),
        "basis": _basis(compressed),
        "spectrum": [float(f"{variance:.6g}") for variance in spectrum],
    }


def rows(values: dict[str, Any]) -> dict[str, str]:
    """Return what a file holds in words.

    Parameters
    ----------
    values : dict
        From :func:`describe`.

    Returns
    -------
    dict of str to str
        A table's rows.
    """
    original = values["original_bytes"]
    kept = values["variance_kept"]
    pixel = f"{values['bits_per_pixel']:.3g} bits a pixel, {values['ratio']:.1f} : 1 of the raw pixels"
    bands = {key: text for key, text in band_rows(values).items() if text}
    found = {
        "Original": (values["original_name"] or "unnamed") + (f", {size_text(original)}" if original else ""),
        "Image": _image_text(values),
        **bands,
        "Method": _method_text(values),
        "Components": f"{values['k']} of {values['k_max']}",
        **({"Basis": _basis_text(values["basis"])} if values["basis"] else {}),
        "Variance kept": "not recorded" if kept is None else f"{100 * kept:.2f} %",
        "Step": f"{values['step']:g}",
        "File": f"{size_text(values['file_bytes'])} ({values['file_bytes']} bytes), {pixel}",
        "Format": f"version {values['format_version']}",
    }
    for part in PARTS:
        if n_bytes := values["bytes"][part]:
            found[f"  {part}"] = f"{n_bytes:>10} bytes {100 * n_bytes / values['file_bytes']:6.1f} %"
    if shares := _leading_shares(values["spectrum"]):
        found["First components"] = ", ".join(f"{100 * share:.2f} %" for share in shares) + (
            " of the variance, in units of noise" if values["mnf"] else " of the variance"
        )
    return found


def _k_max(compressed: Compressed) -> int:
    header = compressed.header
    if compressed.basis is not None:
        return compressed.basis.components
    return int(compressed.spectrum.size) or (
        header.max_components if header.traits.separable else compressed.k
    )


def _basis(compressed: Compressed) -> dict[str, Any] | None:
    """Return where the basis is, and its id; None where the file has none that others could use."""
    basis = compressed.basis
    if basis is None and not has_basis(compressed):
        return None
    found = basis_id(compressed) if basis is None else basis
    return {"in_model_file": basis is not None, "id": str(found), "components": found.components}


def _basis_text(basis: dict[str, Any]) -> str:
    if basis["in_model_file"]:
        return f"in model file, id {basis['id']}, of {basis['components']} components"
    return f"its own, id {basis['id']}"


def _image_text(values: dict[str, Any]) -> str:
    frames, channels = values["frames"], values["channels"]
    carried = {"alpha": "alpha", "icc_profile": "ICC profile", "exif": "EXIF"}
    texts = [
        (f"{frames} images of " if frames > 1 else "") + f"{values['width']} × {values['height']} pixels",
        f"{channels} {'channel' if channels <= 4 else 'band'}{'s' if channels > 1 else ''}",
        values["dtype"],
        *(text for name, text in carried.items() if values[name]),
    ]
    return ", ".join(texts)


def _method_text(values: dict[str, Any]) -> str:
    block = f" of {values['block']} × {values['block']} pixels" if values["block"] else ""
    ways = {
        "standardized": ", standardised",
        "mnf": ", noise whitened (MNF)",
        "lossless": ", without loss",
    }
    near = f", every value within ±{values['max_error']:g}" if values["max_error"] else ""
    return f"{values['method']}{block}{''.join(text for name, text in ways.items() if values[name])}{near}"


def _leading_shares(spectrum: list[float]) -> list[float]:
    """Return the shares of the variance that the first components explain."""
    total = sum(spectrum)
    return [variance / total for variance in spectrum[:_SHOWN_COMPONENTS]] if total else []


def _kept(spectrum: NDArray[np.float64], k: int) -> float | None:
    """Return the share of the variance that the first k components explain."""
    if not spectrum.size:
        return None
    total = float(spectrum.sum())
    return float(spectrum[:k].sum()) / total if total else 1.0

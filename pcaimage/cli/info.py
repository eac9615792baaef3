"""``pcaimage info``: the contents of a ``.pcai`` file, or of an image that is not compressed yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage import codec, imaging
from pcaimage.api import CompressedImage, timing_of
from pcaimage.cli.commands import InfoCommand
from pcaimage.cli.declared import member_of
from pcaimage.cli.files import limits_of, open_compressed, source_file
from pcaimage.cli.formatting import finite_or_name, rate_text, size_text, used_text, within_text
from pcaimage.cli.terminal import say_json, say_table
from pcaimage.errors import PcaImageError
from pcaimage.imaging import BandInfo, Contents, Limits, Timing, bits_per_pixel
from pcaimage.imaging.image.source import is_folder
from pcaimage.insight.formatting import percent
from pcaimage.insight.size_breakdown import breakdown_of
from pcaimage.sampling import Blocks, Lapped, name_of
from pcaimage.signature import SIGNATURE, is_compressed

_SHOWN_COMPONENTS = 5
DIRECT = "coded directly"
SALVAGE_HINT = "`pcaimage decode --salvage` saves the intact components."


def info(given: InfoCommand) -> None:
    """Print the contents of a file, a folder or a stream, for a person or as JSON."""
    limits = limits_of(given.limit)
    with source_file(given.path, limits=limits) as file:
        _info(file, member_of(given.array, given.select), limits, as_json=given.as_json)


def _info(path: Path, member: str | None, limits: Limits | None, *, as_json: bool) -> None:
    if is_compressed(path) and member is None:
        values = describe(open_compressed(path, hint=SALVAGE_HINT, limits=limits), path.read_bytes())
        title, table = path.name, rows(values)
    else:
        contents = imaging.inspect(path, member)
        values = describe_contents(contents) | {"peak": _peak(path, member, contents, limits)}
        title, table = contents.name, contents_rows(contents)
        table["Values"] += _used(values)
    if as_json:
        say_json(values)
    else:
        say_table(title, table)


def _peak(path: Path, member: str | None, contents: Contents, limits: Limits | None) -> float | None:
    """Return what errors of an image of 16 bits will be relative to; None for others, and damaged ones."""
    if contents.dtype != "uint16" or is_folder(path):
        return None
    try:
        return imaging.read_image(path, limits=limits, member=member, contents=contents).peak
    except PcaImageError:
        return None


def describe(opened: CompressedImage, data: bytes) -> dict[str, Any]:
    """Return the contents of a ``.pcai`` file by their JSON keys; None for what the file does not record."""
    compressed = opened.compressed
    header, metadata, spectrum = compressed.header, compressed.metadata, compressed.spectrum
    raw = header.raw_bytes + (0 if compressed.alpha is None else compressed.alpha.nbytes)
    raw = raw if opened.values is None else opened.values.n_bytes
    height, width, channels = codec.pixels_of(compressed)[-3:]
    error, prepared = codec.error_bound(compressed), codec.preparation_of(compressed)
    block = header.sampling.size if isinstance(header.sampling, Blocks) else None
    return {
        "format_version": "{}.{}".format(*divmod(data[len(SIGNATURE)], 16)),
        "width": width,
        "height": height,
        "channels": channels,
        "frames": header.shape[0] if len(header.shape) == 4 else 1,
        "dtype": opened.dtype.name,
        "array": None if opened.values is None else list(opened.shape),
        "peak": codec.peak_of(compressed),
        "alpha": compressed.alpha is not None,
        "icc_profile": metadata.icc_profile is not None,
        "exif": metadata.exif is not None,
        "xmp": metadata.xmp is not None,
        "iptc": metadata.iptc is not None,
        **_describe_timing(timing_of(compressed)),
        "method": name_of(header.sampling),
        "block": block,
        "tools": [*header.tool_names, *([DIRECT] if compressed.is_direct else [])],
        "standardized": prepared is codec.Preparation.STANDARDIZED,
        "mnf": prepared is codec.Preparation.MNF,
        "k": compressed.k,
        "k_max": codec.k_max(compressed),
        "step": float(header.step),
        "file_bytes": opened.n_bytes,
        "raw_bytes": raw,
        "original_bytes": metadata.file_size,
        "original_name": metadata.name or None,
        "bits_per_pixel": bits_per_pixel(opened.n_bytes, codec.pixels_of(compressed)),
        "ratio": raw / opened.n_bytes,
        "variance_kept": _kept(spectrum, compressed.k),
        "bytes": breakdown_of(compressed, data).framed,
        "lossless": error == 0,
        "max_error": error,
        **describe_bands(opened.bands, opened.dtype.name),
        "basis": _basis(compressed),
        "spectrum": [float(f"{variance:.6g}") for variance in spectrum],
    }


def _describe_timing(timing: Timing | None) -> dict[str, Any]:
    """Return the timing of an animation by its JSON keys."""
    return {"durations": timing and [*timing.durations], "plays": timing and timing.plays}


def _variance_text(values: dict[str, Any]) -> str:
    kept = values["variance_kept"]
    if kept is not None:
        return percent(100 * kept).replace("\u00a0", " ")
    # No file of a photo has the variances of its image.
    return "" if values["method"] == name_of(Lapped()) else "not recorded"


def rows(values: dict[str, Any]) -> dict[str, str]:
    """Return the values of :func:`describe` as the rows of a table for people."""
    original = values["original_bytes"]
    pixel = (
        f"{rate_text(values['bits_per_pixel'], values['channels'])}, "
        f"{values['ratio']:.1f} : 1 compared with raw pixels"
    )
    durations = values["durations"]
    timing = None if durations is None else Timing(tuple(durations), values["plays"])
    found = {
        "Original": (values["original_name"] or "unnamed") + (f", {size_text(original)}" if original else ""),
        "Image": _image_text(values),
        **({} if timing is None else {"Animation": timing.text}),
        **band_rows(values),
        "Method": _method_text(values),
        "Components": f"{values['k']} of {values['k_max']}",
        **({"Basis": _basis_text(values["basis"])} if values["basis"] else {}),
        "Variance kept": _variance_text(values),
        "Step": f"{values['step']:g}",
        "File": f"{size_text(values['file_bytes'])} ({values['file_bytes']} bytes), {pixel}",
        "Format": ", ".join([f"version {values['format_version']}", *values["tools"]]),
    }
    if DIRECT in values["tools"]:
        found |= {"Components": f"none: bands are {DIRECT}", "Variance kept": "", "Step": ""}
    for part, n_bytes in values["bytes"].items():
        if n_bytes:
            found[f"  {part}"] = f"{n_bytes:>10} bytes {100 * n_bytes / values['file_bytes']:6.1f} %"
    # A file stores its spectrum in steps of 0.07 %, so percentages are accurate to one decimal.
    if total := sum(values["spectrum"]):
        shares = [variance / total for variance in values["spectrum"][:_SHOWN_COMPONENTS]]
        found["First components"] = ", ".join(f"{100 * share:.1f} %" for share in shares) + (
            " of the variance, in units of noise" if values["mnf"] else " of the variance"
        )
    return found


def describe_contents(contents: Contents) -> dict[str, Any]:
    """Return the contents of an image that is not compressed, by their JSON keys."""
    return {
        "format": contents.format,
        "shape": list(contents.shape),
        "dtype": contents.dtype,
        "readings": [{"kind": each.kind, "shape": list(each.shape)} for each in contents.readings],
        "ambiguous": contents.ambiguous,
        "alpha": contents.has_alpha,
        **_describe_timing(contents.timing),
        "frames_missing": contents.frames_missing,
        "original_bytes": contents.file_size,
        "arrays": list(contents.members),
        "axes": list(contents.axes),
        "labels": contents.labels,
        **describe_bands(contents.bands, contents.dtype),
    }


def describe_bands(bands: BandInfo, dtype: str) -> dict[str, Any]:
    """Return the metadata of the bands by their JSON keys; the range is that of what can be stored."""
    ends = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
    meant = bands.scales or bands.offsets or bands.value_unit
    return {
        "band_names": list(bands.names),
        "wavelengths": list(bands.wavelengths),
        "wavelength_unit": bands.unit or None,
        "nodata": finite_or_name(bands.nodata),
        "georeferenced": any(tag.code in range(33550, 34738) for tag in bands.tags)
        or any(key == "map info" for key, _ in bands.fields),
        "value_unit": bands.value_unit or None,
        "scales": list(bands.scales),
        "offsets": list(bands.offsets),
        "value_range": list(bands.physical(ends.min, ends.max)) if ends and meant else None,
    }


def band_rows(values: dict[str, Any]) -> dict[str, str]:
    """Return the values of :func:`describe_bands` as rows of a table; unknown ones are empty."""
    nodata = values["nodata"]
    return {
        "Bands": _span(values["band_names"]),
        "Wavelengths": _span([f"{value:g}" for value in values["wavelengths"]], values["wavelength_unit"]),
        "No-data value": "" if nodata is None else nodata if isinstance(nodata, str) else f"{nodata:g}",
        "Values mean": _meaning(values),
        "Position": "georeferenced" if values["georeferenced"] else "",
    }


def _meaning(values: dict[str, Any]) -> str:
    """Return what stored numbers stand for, such as ``0.05 × number + 100, in K: from −1538 to 1738``."""
    scales, offsets, unit = values["scales"], values["offsets"], values["value_unit"]
    alike = len(set(scales)) < 2 and len(set(offsets)) < 2
    text = f"{scales[0] if scales else 1:g} × number" if alike else "each band by its own scale"
    text += f" + {offsets[0]:g}" if alike and offsets else ""
    texts = [text if scales or offsets else "", f"in {unit}" if unit else ""]
    reach = values["value_range"]
    known = f": from {reach[0]:g} to {reach[1]:g} can be stored" if reach and any(texts) else ""
    return ", ".join(filter(None, texts)) + known


def contents_rows(contents: Contents) -> dict[str, str]:
    """Return the contents of an image that is not compressed, as the rows of a table for people."""
    size, lost = contents.file_size, contents.frames_missing
    missing = f"{lost:,} frame{'s are' if lost > 1 else ' is'} damaged or missing" if lost else ""
    table = {
        "Format": contents.format,
        "Read as": contents.default.text,
        "Or as": "; ".join(each.text for each in contents.readings[1:]),
        "Values": contents.dtype + (", with opacity" if contents.has_alpha else ""),
        **({} if contents.timing is None else {"Animation": contents.timing.text}),
        "Damaged": missing,
        "File": "" if size is None else f"{size_text(size)} ({size} bytes)",
        "Arrays": ", ".join(contents.members),
        "Axes": ", ".join(
            f"{axis} {side:,}" for axis, side in zip(contents.axes, contents.shape, strict=False)
        ),
        "To choose": contents.asks and f"{contents.asks}; --array and --select choose",
        "Labels": "" if contents.labels is None else Path(contents.labels).name,
        **band_rows(describe_bands(contents.bands, contents.dtype)),
    }
    if contents.ambiguous:
        table["Ambiguous"] = "the file does not say which; choose with encode --pages bands or --pages images"
    return table


def _span(texts: list[str], unit: str | None = None) -> str:
    """Shorten a list to at most four items and an ellipsis."""
    shown = ", ".join(texts) if len(texts) <= 4 else f"{texts[0]}, {texts[1]}, … {texts[-1]}"
    return f"{shown} {unit or ''}".strip()


def _basis(compressed: codec.Compressed) -> dict[str, Any] | None:
    """Describe the basis by its JSON keys; None if the file has none that other files could use."""
    basis = compressed.basis
    if basis is None and not codec.has_basis(compressed):
        return None
    found = codec.basis_id(compressed) if basis is None else basis
    return {"in_model_file": basis is not None, "id": str(found), "components": found.components}


def _basis_text(basis: dict[str, Any]) -> str:
    if basis["in_model_file"]:
        return f"in model file, id {basis['id']}, {basis['components']} components"
    return f"its own, id {basis['id']}"


def _image_text(values: dict[str, Any]) -> str:
    if values["array"] is not None:
        return f"an array of {' × '.join(map(str, values['array'])) or 'one number'}, {values['dtype']}"
    frames, channels = values["frames"], values["channels"]
    carried = {"alpha": "alpha", "icc_profile": "ICC profile", "exif": "EXIF", "xmp": "XMP", "iptc": "IPTC"}
    texts = [
        (f"{frames} images of " if frames > 1 else "") + f"{values['width']} × {values['height']} pixels",
        f"{channels} {'channel' if channels <= 4 else 'band'}{'s' if channels > 1 else ''}",
        values["dtype"] + _used(values),
        *(text for name, text in carried.items() if values[name]),
    ]
    return ", ".join(texts)


def _used(values: dict[str, Any]) -> str:
    """Return how many bits of 16 are used, in brackets; nothing if all are, and for other types."""
    text = used_text(values["peak"]) if values["dtype"] == "uint16" and values["peak"] else ""
    return f" ({text})" if text else ""


def _method_text(values: dict[str, Any]) -> str:
    block = f" of {values['block']} × {values['block']} pixels" if values["block"] else ""
    ways = {"standardized": ", standardised", "mnf": ", noise whitened (MNF)", "lossless": ", lossless"}
    scale = max(map(abs, values["scales"]), default=1.0)
    near = within_text(values["max_error"], scale, values["value_unit"] or "")
    return f"{values['method']}{block}{''.join(text for name, text in ways.items() if values[name])}{near}"


def _kept(spectrum: NDArray[np.float64], k: int) -> float | None:
    """Return the share of the variance that the first k components explain."""
    if not spectrum.size:
        return None
    total = float(spectrum.sum())
    return float(spectrum[:k].sum()) / total if total else 1.0

"""``pcaimage info`` of images that are not compressed yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pcaimage.cli.terminal import say_json, say_table
from pcaimage.cli.values import number_or_word, size_text
from pcaimage.imaging import BandInfo, Contents, inspect


def contents(path: Path, *, as_json: bool = False) -> None:
    """Print what an image, a cube, a stack or a folder holds.

    Parameters
    ----------
    path : Path
        The file or folder.
    as_json : bool, default False
        Whether it is for a program.

    Raises
    ------
    PcaImageError
        If it cannot be read.
    """
    found = inspect(path)
    if as_json:
        say_json(describe(found))
    else:
        say_table(found.name, rows(found))


def describe(found: Contents) -> dict[str, Any]:
    """Return what a file holds, by the names that it has in JSON.

    Parameters
    ----------
    found : Contents
        What it holds.

    Returns
    -------
    dict
        What JSON can hold.
    """
    return {
        "format": found.format,
        "shape": list(found.shape),
        "dtype": found.dtype,
        "readings": [{"kind": each.kind, "shape": list(each.shape)} for each in found.readings],
        "ambiguous": found.ambiguous,
        "alpha": found.has_alpha,
        "original_bytes": found.file_size,
        "arrays": list(found.members),
        "labels": None if found.labels is None else str(found.labels),
        **describe_bands(found.bands),
    }


def describe_bands(bands: BandInfo) -> dict[str, Any]:
    """Return what is known of bands, by the names that it has in JSON.

    Parameters
    ----------
    bands : BandInfo
        What is known.

    Returns
    -------
    dict
        What JSON can hold.
    """
    return {
        "band_names": list(bands.names),
        "wavelengths": list(bands.wavelengths),
        "wavelength_unit": bands.unit or None,
        "nodata": number_or_word(bands.nodata),
        "georeferenced": any(tag.code in range(33550, 34738) for tag in bands.tags)
        or any(key == "map info" for key, _ in bands.fields),
    }


def band_rows(values: dict[str, Any]) -> dict[str, str]:
    """Return what is known of bands in words.

    Parameters
    ----------
    values : dict
        From :func:`describe_bands`.

    Returns
    -------
    dict of str to str
        A table's rows; empty texts for what is not known.
    """
    nodata = values["nodata"]
    return {
        "Bands": _span(values["band_names"]),
        "Wavelengths": _span([f"{value:g}" for value in values["wavelengths"]], values["wavelength_unit"]),
        "Not measured": "" if nodata is None else nodata if isinstance(nodata, str) else f"{nodata:g}",
        "Place": "georeferenced" if values["georeferenced"] else "",
    }


def rows(found: Contents) -> dict[str, str]:
    """Return what a file holds in words.

    Parameters
    ----------
    found : Contents
        What it holds.

    Returns
    -------
    dict of str to str
        A table's rows.
    """
    table = {
        "Format": found.format,
        "Read as": found.default.text,
        "Or as": "; ".join(each.text for each in found.readings[1:]),
        "Values": found.dtype + (", with opacity" if found.has_alpha else ""),
        "File": "" if found.file_size is None else f"{size_text(found.file_size)} ({found.file_size} bytes)",
        "Arrays": ", ".join(found.members),
        "Labels": "" if found.labels is None else Path(found.labels).name,
        **band_rows(describe_bands(found.bands)),
    }
    if found.ambiguous:
        table["Undecided"] = "the file does not say which; encode --pages bands or --pages images decides"
    return {key: text for key, text in table.items() if text}


def _span(texts: list[str], unit: str | None = None) -> str:
    """Return a list in short."""
    shown = ", ".join(texts) if len(texts) <= 4 else f"{texts[0]}, {texts[1]}, … {texts[-1]}"
    return f"{shown} {unit or ''}".strip()

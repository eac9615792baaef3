"""The README of a model's archive, with NumPy code that rebuilds an image from it."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Container
from typing import Any

from numpy.typing import NDArray

from pcaimage.codec import Preparation
from pcaimage.machine.folders import asset


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

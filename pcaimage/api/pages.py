"""A compressed image as a web page: one HTML file with a decoder in it, which opens without a network.

The decoder is that of ``pcai.h`` as WebAssembly; of the tables of photos a page has what its image uses.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from string import Template

import numpy as np

from pcaimage.api.opening import CompressedImage, described, open_bytes, shown
from pcaimage.codec.photo.pruning import used_tables
from pcaimage.codec.photo.tables import Arrays
from pcaimage.errors import ImageError
from pcaimage.imaging import Limits
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.language import ENGLISH, in_use, language_tag, tr
from pcaimage.machine.folders import asset
from pcaimage.progress import Progress, no_progress, part

SUFFIX = ".html"

_ALPHABET = np.array([code for code in range(33, 127) if chr(code) not in "<&-"], np.uint8)
"""The 91 characters of blocks of data; pairs of them are 13 bits."""

_LINE = 960  # characters of a line

_IMPORT = re.compile(r'^import [^;]*? from "\./(\w+)\.js";\n', re.MULTILINE)

_SAID = re.compile(r'\btr\(\s*"([^"]+)"')
"""Matches what a script has translated."""

_REMARK = re.compile(r"^\s*(?:/\*\*.*?\*/|//[^\n]*)\n|^[ \n]+", re.MULTILINE | re.DOTALL)
"""Matches comments that have lines of their own, empty lines, and the room before a line."""

PREVIEW, QUALITY = 480, 50
"""Longest side in pixels, and WebP quality, of the picture that is printed, and shown without scripts."""


def web_page(
    data: bytes,
    name: str = "Image",
    *,
    model: bytes | None = None,
    limits: Limits | None = None,
    progress: Progress = no_progress,
) -> bytes:
    """Return a web page, in UTF-8, that shows a compressed image, with any number of its components.

    The page is one file and asks for nothing else, so that it opens offline, and from a mail. The model is
    the contents of the model file, if the basis is in one. ImageError if the program was installed without
    its decoder for web pages; what cannot be decoded is refused as by :func:`pcaimage.decode`.
    """
    opened = open_bytes(data, name, limits=limits)
    if model is not None:
        opened = opened.with_model(open_bytes(model, "The model", limits=limits))
    if opened.values is not None:
        raise ImageError(f"{name} keeps an array that is no image, which web pages do not show.")
    blocks = {"decoder": decoder()}
    if opened.compressed.header.tables:
        shared, own, grade = used_tables(opened.compressed, part(progress, 0.0, 0.7))
        blocks |= {"shared": packed(shared), f"grade-{grade}": packed(own)}
    files = {"picture": data} | ({} if model is None else {"model": model})
    preview = _preview(opened, part(progress, 0.7, 1.0))
    return assembled("page", name, blocks, files, preview=preview).encode()


def save_page(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    model: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    overwrite: bool = False,
    progress: Progress = no_progress,
) -> None:
    """Write a web page that shows a ``.pcai`` file, as :func:`web_page` makes it.

    Parameters
    ----------
    source, target : path
        The compressed image, and the HTML file.
    model : path, optional
        The model file, if the basis is in one.
    limits : Limits, optional
        Size limits of the image.
    overwrite : bool, default False
        Whether an existing file may be replaced.
    progress : Progress, optional
        As for :func:`web_page`.
    """
    lent = None if model is None else Path(model).read_bytes()
    data, name = Path(source).read_bytes(), Path(source).name
    page = web_page(data, name, model=lent, limits=limits, progress=progress)
    atomic_write_bytes(target, page, overwrite=overwrite)


def decoder() -> bytes:
    """Return the decoder as WebAssembly."""
    try:
        return asset("resources", "web", "pcai.wasm").read_bytes()
    except FileNotFoundError as error:
        raise ImageError(
            "The decoder for web pages is missing; in a checkout, `make web` makes it."
        ) from error


def joined(name: str) -> str:
    """Return a script and all that it imports as one, without what either exports."""
    order = list[str]()

    def visit(module: str) -> None:
        if module not in order:
            text = asset("resources", "web", f"{module}.js").read_text("utf-8")
            for imported in _IMPORT.findall(text):
                visit(imported)
            texts[module] = re.sub(r"^export ", "", _IMPORT.sub("", text), flags=re.MULTILINE)
            order.append(module)

    texts = dict[str, str]()
    visit(name)
    return _REMARK.sub("", "".join(texts[module] for module in order))


def texts_of(script: str) -> dict[str, str]:
    """Return what a script says in the language in use, by the English of it."""
    return {} if in_use()[0] == ENGLISH else {text: tr(text) for text in _SAID.findall(joined(script))}


def packed(tables: Arrays) -> bytes:
    """Return tables as ``packed.js`` reads them: bytes of equal weight side by side, which deflate better."""
    heads, parts = [], []
    for name, array in sorted(tables.items()):
        flat = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1)
        difference = np.diff(flat, prepend=flat.dtype.type(0))
        choices = [each.view(np.uint8).reshape(len(flat), -1).T.tobytes() for each in (flat, difference)]
        differs = len(zlib.compress(choices[1])) < len(zlib.compress(choices[0]))
        heads.append([name, array.dtype.str[1:], array.shape, int(differs)])
        parts.append(choices[differs])
    return json.dumps(heads, separators=(",", ":")).encode() + b"\n" + b"".join(parts)


def assembled(
    script: str,
    title: str,
    blocks: dict[str, bytes],
    files: dict[str, bytes] | None = None,
    *,
    preview: str = "",
    connect: str = "'none'",
    languages: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Return a page with a script, blocks of data that are deflated, and files that are not.

    It speaks the language in use, or of some the reader's, whose texts are given by their English.
    """
    code = f'"use strict";\n(() => {{\n{joined(script)}}})();\n'
    style = asset("resources", "web", "page.css").read_text("utf-8")
    texts = [_block(name, zlib.compress(data, 9)) for name, data in blocks.items()]
    texts += [_block(name, data) for name, data in (files or {}).items()]
    said = dict(languages or {language_tag(): texts_of(script)})
    about = json.dumps({"name": title, "languages": said}, ensure_ascii=False).replace("<", "\\u003c")
    texts.append(f'<script type="application/json" id="about">{about}</script>')
    return Template(asset("resources", "web", "page.html").read_text("utf-8")).substitute(
        language=ENGLISH if languages else language_tag(),
        script=code,
        script_hash=_digest(code),
        style=style,
        style_hash=_digest(style),
        connect=connect,
        title=html.escape(title),
        preview=preview,
        blocks="\n".join(texts),
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _block(name: str, data: bytes) -> str:
    text = as_text(data)
    lines = "\n".join(text[start : start + _LINE] for start in range(0, len(text), _LINE))
    return f'<script type="text/plain" id="{name}" data-size="{len(data)}">\n{lines}\n</script>'


def as_text(data: bytes) -> str:
    """Return bytes as text: 13 bits in two characters, as a letter or digit has in base64 six."""
    parts = []
    for start in range(0, len(data), 13 << 16):
        bits = np.unpackbits(np.frombuffer(data[start : start + (13 << 16)], np.uint8))
        words = np.pad(bits, (0, -len(bits) % 13)).reshape(-1, 13) @ (1 << np.arange(13)[::-1])
        parts.append(_ALPHABET[np.stack(np.divmod(words, 91), axis=1)].tobytes().decode("ascii"))
    return "".join(parts)


def _preview(opened: CompressedImage, progress: Progress) -> str:
    is_stack = len(opened.compressed.header.shape) == 4
    image = opened.frame(0, progress=progress) if is_stack else opened.image(progress=progress)
    if image.pixels.dtype == np.uint16:
        pixels = np.rint(image.pixels * (255 / image.peak)).astype(np.uint8)
        image = replace(image, pixels=pixels, alpha=None, white=None)
    text = tr(described(opened.compressed, opened.n_bytes))
    source = base64.b64encode(shown(image, PREVIEW, "webp", QUALITY)).decode()
    return (
        f'<figure class="preview"><img src="data:image/webp;base64,{source}" alt="{html.escape(text)}">'
        f"<figcaption>{html.escape(text)}</figcaption></figure>"
    )

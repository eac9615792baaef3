"""Makes what shows ``.pcai`` files in browsers: the viewer, and ``pcai.js``, a script for any page.

``docs/viewer/index.html`` is the one, with ``photo.html``, a page of a picture, beside it; ``build/npm`` is
the other, as a package for npm. ``make web`` made the decoder in them.
"""

from __future__ import annotations

import json
import shutil
import sys
import zlib
from pathlib import Path

from compile_core import BUILD, ROOT
from languages.texts import texts_of_pages
from make_lib import TABLES

sys.path.insert(0, str(ROOT))

import pcaimage
from pcaimage.api.pages import assembled, decoder, joined, packed
from pcaimage.codec.photo.tables import parsed
from pcaimage.errors import PcaImageError
from pcaimage.imaging import read_image
from pcaimage.language import LANGUAGES, language_tag, spoken, tr

WEB = ROOT / "resources" / "web"
VIEWER, PACKAGE = ROOT / "docs" / "viewer" / "index.html", BUILD / "npm"

EXPORTED = "show, decode, watch, PcaiImage"

DESCRIBED = {
    "name": "pcaimage",
    "version": pcaimage.__version__,
    "description": "Shows .pcai images in any page",
    "license": "MIT",
    "type": "module",
    "exports": {".": {"types": "./pcai.d.ts", "default": "./pcai.js"}, "./pcai.js": "./pcai.js"},
    "types": "./pcai.d.ts",
    "sideEffects": True,
    "keywords": ["pca", "image", "compression", "decoder", "webassembly"],
}


def tables() -> dict[str, bytes]:
    """Return the tables of photos, as scripts read them."""
    return {
        path.stem: packed(parsed(path.read_bytes())) for path in sorted(TABLES.glob("*.tables"), reverse=True)
    }


def viewer() -> str:
    """Return the page."""
    parts = {"decoder": decoder(), **tables()}
    return assembled("viewer", "pcaimage viewer", parts, connect="'self'", languages=languages())


def languages() -> dict[str, dict[str, str]]:
    """Return what the page says in all languages but English, and why the decoder refuses files."""
    found = {}
    for language in LANGUAGES:
        with spoken(language):
            found[language_tag()] = {text: tr(text) for text, _ in texts_of_pages() if tr(text) != text}
    return found


def package() -> dict[str, bytes]:
    """Return the files of the package: the script, and beside it what it fetches when it needs it."""
    parts = {"decoder": decoder(), **tables()}
    files = {f"{name}.bin": zlib.compress(data, 9) for name, data in parts.items()}
    script = f"{joined('pcai')}export {{ {EXPORTED} }};\n".encode()
    return files | {
        "pcai.js": script,
        "pcai.d.ts": (WEB / "pcai.d.ts").read_bytes(),
        "package.json": json.dumps(DESCRIBED | {"files": ["*.bin", "pcai.*"]}, indent=2).encode() + b"\n",
        "README.md": (WEB / "README.md").read_bytes(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def put(folder: Path) -> None:
    """Put the package into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in package().items():
        (folder / name).write_bytes(content)


def main() -> None:
    """Write both."""
    try:
        page = viewer()
        put(PACKAGE)
    except PcaImageError as error:
        sys.exit(str(error))
    VIEWER.parent.mkdir(exist_ok=True)
    VIEWER.write_text(page, "utf-8")
    photo = VIEWER.with_name("photo.pcai")
    pixels = read_image(ROOT / "resources" / "samples" / "coffee.webp").pixels
    pcaimage.save(photo, pixels, overwrite=True)
    pcaimage.save_page(photo, photo.with_suffix(".html"), overwrite=True)
    print(f"{VIEWER.relative_to(ROOT)}: {len(page):,} bytes")
    for name in ("pcai.js", "decoder.bin", "shared.bin", "grade-1.bin"):
        print(f"{(PACKAGE / name).relative_to(ROOT)}: {(PACKAGE / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

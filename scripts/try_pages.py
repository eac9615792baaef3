"""Makes web pages of golden files, and tries them in browsers: `make pages`.

Chromium, Firefox and node are needed; browsers are installed if this is root. npm brings what drives them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress

from compile_core import BUILD, ROOT

sys.path.insert(0, str(ROOT))

import numpy as np
from make_viewer import put, viewer

import pcaimage
from pcaimage.imaging import read_image

PAGES = BUILD / "pages"
GOLDEN = ROOT / "tests" / "golden"
DRIVER = "puppeteer-core@25"
_PATIENCE = 60  # seconds

FILES = {
    "lossless": "photo-lossless",
    "opacity": "photo-alpha-metadata",
    "sixteen": "photo-16-bit",
    "cube": "bands",
    "stack": "stack",
}
"""Golden files whose pages are tried, by the names of the pages."""

PACKAGES = {"chrome": ("chromium", "chromium"), "firefox": ("firefox-esr", "firefox-esr")}
"""Programs and Debian packages of browsers."""


def browsers() -> dict[str, str]:
    """Return the paths of the browsers that there are, or can be installed."""
    missing = [package for program, package in PACKAGES.values() if not shutil.which(program)]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing, "fonts-dejavu-core"]
        for command in (["apt-get", "update"], install):
            subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)
    found = {name: shutil.which(program) for name, (program, _) in PACKAGES.items()}
    return {name: path for name, path in found.items() if path}


def make() -> None:
    """Make pages, with the pixels that they must have beside them."""
    PAGES.mkdir(parents=True, exist_ok=True)
    (PAGES / "viewer.html").write_text(viewer(), "utf-8")
    put(PAGES / "npm")
    sample, photo = PAGES / "photo.pcai", read_image(ROOT / "resources" / "samples" / "coffee.webp")
    pcaimage.save(sample, photo, overwrite=True)
    # Large enough to have its components in several chunks.
    noise = np.random.default_rng(7).integers(-9, 10, (1200, 1800, 3))
    large = np.clip(np.tile(photo.pixels, (3, 3, 1)) + noise, 0, 255).astype(np.uint8)
    pcaimage.save(PAGES / "large.pcai", large, overwrite=True)
    sources = {"photo": sample} | {name: GOLDEN / f"{golden}.pcai" for name, golden in FILES.items()}
    for name, source in sources.items():
        pcaimage.save_page(source, PAGES / f"{name}.html", overwrite=True)
        image = pcaimage.open(source).image()
        pixels = image.pixels if image.alpha is None else np.dstack([image.pixels, image.alpha])
        (PAGES / f"{name}.raw").write_bytes(pixels.astype(pixels.dtype.newbyteorder(">")).tobytes())


def installed(npm: str) -> bool:
    """Install what drives browsers, and return whether that worked; a registry that is silent is left."""
    command = [npm, "install", "--prefix", str(PAGES), "--no-audit", "--no-fund", DRIVER]
    with suppress(subprocess.SubprocessError):
        subprocess.run(command, check=True, timeout=_PATIENCE)
        return True
    return False


def main() -> None:
    """Try the pages; stop with what node says if one fails."""
    found, node, npm = browsers(), shutil.which("node"), shutil.which("npm")
    if not (found and node and npm):
        print(f"Pages were not tried: that takes {', '.join(p for _, p in PACKAGES.values())}, node and npm.")
        return
    make()
    if not installed(npm):
        print(f"Pages were not tried: npm could not install {DRIVER}.")
        return
    environment = {**os.environ, "PAGES": str(PAGES), "BROWSERS": json.dumps(found)}
    tests = sorted(str(path) for path in (ROOT / "tests" / "web").glob("*.test.mjs"))
    sys.exit(subprocess.run([node, "--test", *tests], env=environment, check=False).returncode)


if __name__ == "__main__":
    main()

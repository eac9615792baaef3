"""A cache of other codecs' results, which are slow to compute and do not change."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.codecs import Codec
from benchmarks.curves import Point
from pcaimage.imaging.disk.atomic import atomic_write

_MEASURES = "measures 2"
"""The version of the quality measures; increase it if they change, so that cached results are discarded."""

Kept = dict[str, dict[str, Any]]


def default_cache() -> Path:
    """Return the default file of the cache, in the user's folder for such files."""
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches"
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "pcaimage" / "benchmarks.json"


class PointCache:
    """Measured points by image, codec with its options and versions, and setting.

    Parameters
    ----------
    path : Path
        A JSON file. A missing or damaged one counts as empty.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: Kept | None = None
        self._digests: dict[Path, str] = {}

    def find(self, codec: Codec, image: Path, measures: Sequence[str] = ()) -> list[Point]:
        """Return the cached points of an image, identified by its contents; none of our own codecs.

        `measures` are those that points must have beside PSNR and SSIM.
        """
        if codec.identity is None:
            return []
        if self._kept is None:
            self._kept = self._read()
        known = self._kept.get(self._key(codec.identity, image, measures), {})
        found = (known.get(f"{quality:g}") for quality in codec.qualities)
        return [Point(codec=codec.name, image=image.name, **values) for values in found if values]

    def keep(self, codec: Codec, image: Path, points: Sequence[Point], measures: Sequence[str] = ()) -> None:
        """Add measured points to the file, without losing those added by others meanwhile.

        Points of this project's own codecs are ignored, as those change. `measures` are those that the points
        have beside PSNR and SSIM.
        """
        if codec.identity is None or not points:
            return
        kept = self._read()
        known = kept.setdefault(self._key(codec.identity, image, measures), {})
        for point in points:
            values = asdict(point)
            del values["codec"], values["image"]
            known[f"{point.quality:g}"] = values
        self._path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"points": kept}, ensure_ascii=False)
        atomic_write(self._path, partial(_write, text), overwrite=True)
        self._kept = kept

    def _read(self) -> Kept:
        try:
            kept: Kept = json.loads(self._path.read_text(encoding="utf-8"))["points"]
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return kept

    def _key(self, identity: str, image: Path, measures: Sequence[str]) -> str:
        if image not in self._digests:
            with image.open("rb") as file:
                self._digests[image] = hashlib.file_digest(file, "sha256").hexdigest()
        more = "".join(f", {name}" for name in sorted(measures))
        return f"{self._digests[image]}, {identity}, {_MEASURES}{more}"


def _write(text: str, file: Any) -> None:
    file.write(text.encode())

"""Compares what *Export* proposes with what other programs make by default.

``QT_QPA_PLATFORM=offscreen python -m benchmarks.exports [FILE...]``, by default for ten pictures of this
repository: photographs, screenshots, logos with transparency and scanned pages. Others are files as
``cwebp -q 80``, ``cjpeg -q 82`` and ``avifenc -q 60`` write them, and without loss ``cwebp -lossless`` and
``cwebp -lossless -z 9``, by the same libraries through Pillow. The smallest of the lossy ones is compared
with the proposed format at no lower visible quality (SSIMULACRA 2).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image as Pillow
from PIL import ImageFilter
from PySide6.QtWidgets import QApplication

from benchmarks.graphics import drawn, prose, source
from benchmarks.tables import console, table
from pcaimage.imaging import Image, Trials, encode_image, read_image, smallest
from pcaimage.imaging.image.formats import Format, format_named, obstacle
from pcaimage.imaging.image.pixels import join_alpha
from pcaimage.imaging.reading.samples import read_sample
from pcaimage.imaging.rivals.alternatives import INVISIBLE, PROPOSED, crossing, decoded, without_metadata

_ROOT = Path(__file__).resolve().parent.parent
_SAMPLE, _EFFORT = 6 << 16, 6  # as the sheet of the window has them
_LOSSY: dict[str, tuple[str, dict[str, Any]]] = {
    "cwebp -q 80": ("WEBP", {"quality": 80}),
    "cjpeg -q 82": ("JPEG", {"quality": 82}),
    "avifenc -q 60": ("AVIF", {"quality": 60, "speed": 6, "subsampling": "4:4:4"}),
}
_LOSSLESS = {"quality": 75}, {"quality": 100, "method": 6}
"""Options of lossless WebP: those of cwebp without others, and of its option -z 9."""


class Row(NamedTuple):
    """What is proposed for a picture, the smallest of the others, and what is proposed for its quality."""

    name: str
    proposed: str
    n_bytes: int
    score: float
    other: str
    other_bytes: int
    other_score: float
    equal_bytes: int
    equal_score: float
    lossless_bytes: int


def scanned(seed: int) -> Image:
    """Return a page of text as a scanner sees it: a little turned and blurred, on paper with grain."""
    application = QApplication.instance() or QApplication(["benchmark"])
    page = drawn(prose if seed % 2 else source, "#f6f2e8")
    rows = np.frombuffer(page.constBits(), np.uint8).reshape(page.height(), page.bytesPerLine())
    picture = Pillow.fromarray(rows[:, : 3 * page.width()].reshape(page.height(), page.width(), 3).copy())
    turned = picture.rotate(0.7, Pillow.Resampling.BICUBIC, fillcolor=(240, 236, 226))
    blurred = np.asarray(turned.filter(ImageFilter.GaussianBlur(0.8)), np.float32)
    grain = np.random.default_rng(seed).normal(0, 2.5, blurred.shape[:2])[..., None]
    del application
    return Image(np.clip(np.rint(blurred + grain), 0, 255).astype(np.uint8), name=f"scan {seed}")


def pictures(files: Sequence[Path]) -> list[Image]:
    """Return the pictures of files, without metadata, or else those of the repository."""
    if files:
        return [without_metadata(read_image(each)) for each in files]
    shots = [
        _ROOT / "docs" / "images" / f"{name}.png" for name in ("window-light", "split-dark", "curve-light")
    ]
    own = *shots, *(_ROOT / "icons" / "app" / f"pcaimage-{size}.png" for size in (256, 512))
    samples = [read_sample(name) for name in ("coffee", "cat", "astronaut")]
    return [*map(without_metadata, (*samples, *map(read_image, own))), scanned(1), scanned(2)]


def compared(image: Image) -> Row:
    """Compare the proposal for a picture with the others."""
    alpha = image.alpha is not None
    known = [format_named(each) for each in PROPOSED]
    formats = [each for each in known if obstacle(each, image.shape, image.dtype, alpha=alpha) is None]
    sample, whole = Trials(image, _SAMPLE), Trials(image, image.pixels.size)
    values = join_alpha(image.pixels, image.alpha)
    picture = Pillow.fromarray(values[..., 0] if values.shape[-1] == 1 else values)

    def other(name: str, **options: Any) -> bytes:
        file = BytesIO()
        picture.save(file, name, **options)
        return file.getvalue()

    def ours(target: Format, quality: int | None) -> tuple[int, float]:
        data = encode_image(image, target.name, quality, _EFFORT)
        return len(data), whole.compared(decoded(data, image, target))[1]

    rivals = {
        title: other(name, **options)
        for title, (name, options) in _LOSSY.items()
        if not alpha or format_named(name).alpha
    }
    best = min(rivals, key=lambda each: len(rivals[each]))
    shown = decoded(rivals[best], image, format_named(_LOSSY[best][0]))
    score = whole.compared(shown)[1]
    proposal = smallest(sample, formats, INVISIBLE)[0]
    proposed = equal = ours(proposal.format, proposal.quality)
    if proposal.quality is not None:
        target = smallest(sample, formats, score - 0.01)[0].format
        _, quality = crossing(lambda at: ours(target, at)[1], score - 1e-6, (0, target.max_quality + 1))
        equal = ours(target, quality)
    lossless = min(len(other("WEBP", lossless=True, **options)) for options in _LOSSLESS)
    return Row(
        image.name or "picture",
        proposal.format.title,
        *proposed,
        best,
        len(rivals[best]),
        score,
        *equal,
        lossless,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures, and return 1 if a proposal is larger than another program's file."""
    command = argparse.ArgumentParser(prog="python -m benchmarks.exports", description=__doc__)
    command.add_argument("files", nargs="*", type=Path, metavar="FILE")
    options = command.parse_args(arguments)
    rows = list[Row]()
    for image in pictures(options.files):
        rows.append(compared(image))
        print(rows[-1], file=sys.stderr, flush=True)
    others = "smallest of the others", "bytes", "looks"
    titles = "picture", "proposed", "bytes", "looks", *others, "ours at that", "looks", "lossless WebP"
    body = [
        (
            row.name,
            row.proposed,
            f"{row.n_bytes:,}",
            f"{row.score:.1f}",
            row.other,
            f"{row.other_bytes:,}",
            f"{row.other_score:.1f}",
            f"{row.equal_bytes:,}",
            f"{row.equal_score:.1f}",
            f"{row.lossless_bytes:,}",
        )
        for row in rows
    ]
    console().print(table("Exports", titles, body))
    return int(any(row.equal_bytes > row.other_bytes for row in rows))


if __name__ == "__main__":
    sys.exit(main())

"""Compares decoders on fresh files of all methods, types and odd sides: ``try_fresh_files.py [--files 500]``.

Each file is decoded by Python, by the command `pcai` of ``make lib``, in node by the decoder of ``make web``,
and by the reference decoders of the tests. The same seed gives the same files; those that decoders disagree
on are kept in ``build/fresh``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import make_web
import numpy as np
from compile_core import BUILD, ROOT
from make_lib import LIB, TABLES
from numpy.typing import NDArray

sys.path.insert(0, str(ROOT))

import pcaimage
from pcaimage import Bands, Blocks, Settings, Stack
from pcaimage.choices import Tune
from tests.golden.make import digest, drawing
from tests.reference import linear, photo
from tests.unit.lib.test_golden_files import scene

PROGRAM, KEPT = LIB / "pcai", BUILD / "fresh"
KINDS = ("photo", "exact photo", "drawing", "blocks", "bands", "exact bands", "stack", "exact stack", "lent")

Random = np.random.Generator
Image = NDArray[Any]


class Made(NamedTuple):
    """A file, the model file that has its basis, if any, what the image is like, and it, if it is exact."""

    data: bytes
    model: bytes | None
    words: str
    image: Image | None


def made(number: int, seed: int) -> Made:
    """Make a file; PcaImageError if there is none of such an image."""
    random, kind = np.random.default_rng([seed, number]), KINDS[number % len(KINDS)]
    image, settings, lender = drawn(kind, random)
    model = None if lender is None else pcaimage.encode(lender, settings)
    data = pcaimage.encode(image, settings) if model is None else pcaimage.encode(image, model=model)
    exact = image if settings.lossless else None
    return Made(data, model, f"{number}: {kind} {image.shape} {image.dtype}", exact)


def drawn(kind: str, random: Random) -> tuple[Image, Settings, Image | None]:
    """Return an image, settings for it, and an image that lends it its basis, if it has none of its own."""
    height, width, channels = (int(side) for side in random.integers((1, 1, 1), (41, 41, 5)))
    dtype = str(random.choice(["uint8", "uint16"]))
    image = scene(random, (height, width, channels), dtype)
    step = float(random.choice([3.0, 11.0, 40.0])) * (257 if dtype == "uint16" else 1)
    if kind == "photo":
        return image, Settings(step=step, tune=Tune.EYE if random.integers(2) else Tune.PSNR), None
    if kind == "exact photo":
        return image, Settings(lossless=True), None
    if kind == "drawing":
        return drawing(height + 30, width + 30, channels), Settings(lossless=bool(random.integers(2))), None
    if kind in {"blocks", "lent"}:
        blocks = Blocks(int(random.integers(2, 12)))
        lender = scene(random, (40, 40, channels), dtype) if kind == "lent" else None
        return image, Settings(blocks, step=step, standardize=bool(random.integers(2))), lender
    if kind in {"stack", "exact stack"}:
        exact = kind == "exact stack"
        count = int(random.choice([1, 2, 4] if exact else [1, 3, 40, 1030]))
        lines = int(random.choice([1, 2, height])) if exact else height
        shape = (count, *((lines, width) if count < 100 else (5, 7)), channels)
        image = scene(random, shape, "uint8") // 16 if exact else scene(random, shape, dtype)
        return image, Settings(Stack(), lossless=True) if exact else Settings(Stack(), step=step), None
    dtype = str(random.choice(["uint8", "uint16", "int16", "float32"]))
    image = scene(random, (height, width, int(random.integers(1, 30))), dtype)
    nodata = image.flat[0].item() if random.integers(2) else None
    if nodata is not None:
        image[random.random(image.shape[:2]) < 0.1] = nodata
        image[random.random(image.shape) < 0.02] = nodata
    error = {"float32": 0.01}.get(dtype, float(random.integers(0, 3))) if kind == "exact bands" else None
    return image, Settings(Bands(), nodata=nodata, max_error=error), None


def by_reference(data: bytes, model: bytes | None) -> Image:
    """Return what the decoders that were written from the format's document alone make of a file."""
    if not pcaimage.container.peek(data).tables:
        return linear.decode(data, model=model).values
    is_exact = pcaimage.container.read(data).residual is not None
    return photo.original(data) if is_exact else photo.decode(data).pixels


def by_command(path: Path, model: Path | None) -> Image:
    """Return what the command makes of a file."""
    to = path.with_suffix(".npy")
    words: list[str | Path] = [PROGRAM, "decode", path, to, *(("--model", model) if model else ())]
    subprocess.run(words, check=True, capture_output=True)
    return np.asarray(np.load(to))


def tried(number: int, seed: int, folder: Path) -> tuple[str, dict[str, str]]:
    """Make a file; return what its image is like, and digests of what each decoder here makes of it."""
    path, model = folder / f"{number}.pcai", folder / f"{number}.model.pcai"
    try:
        file = made(number, seed)
    except pcaimage.PcaImageError as refused:
        return f"{number}: {KINDS[number % len(KINDS)]}: {refused}", {}
    path.write_bytes(file.data)
    if file.model:
        model.write_bytes(file.model)
    decoders: dict[str, Callable[[], Image]] = {
        "Python": lambda: pcaimage.decode(file.data, model=file.model),
        "the reference": lambda: by_reference(file.data, file.model),
        "pcai": lambda: by_command(path, model if file.model else None),
    }
    if (exact := file.image) is not None:
        decoders["the encoder"] = lambda: exact
    return file.words, {name: outcome(decoder) for name, decoder in decoders.items()}


def outcome(decoder: Callable[[], Image]) -> str:
    """Return the digest of an image, or why there is none."""
    try:
        return str(digest(decoder()))
    except Exception as error:  # noqa: BLE001 - whatever it is, decoders must agree on it
        return repr(error)


def in_node(numbers: list[int], folder: Path) -> list[str]:
    """Return digests of what the decoder of web pages makes of files."""
    jobs = [{"file": f"{folder}/{each}.pcai", "models": [f"{folder}/{each}.model.pcai"]} for each in numbers]
    command = ["node", str(ROOT / "lib" / "decode.mjs"), str(make_web.LIBRARY), str(TABLES)]
    asked = "".join(json.dumps(job) + "\n" for job in jobs)
    said = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    answers = [json.loads(line) for line in said.splitlines()]
    return [next(iter(answer.get("pixels", {"": answer.get("fault")}).values())) for answer in answers]


def main() -> None:
    """Compare; stop with a nonzero exit code if decoders differ, or one is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1, help="the same gives the same files")
    wanted = parser.parse_args()
    if not (shutil.which("node") and make_web.LIBRARY.exists()):
        sys.exit("The decoder for web pages is missing: `make web` makes it, and node runs it.")
    with tempfile.TemporaryDirectory() as name, multiprocessing.Pool(os.cpu_count()) as pool:
        folder = Path(name)
        all_tried = pool.map(partial(tried, seed=wanted.seed, folder=folder), range(wanted.files), 1)
        numbers = [number for number, (_, found) in enumerate(all_tried) if found]
        for number, found in zip(numbers, in_node(numbers, folder), strict=True):
            all_tried[number][1]["node"] = found
        faults = [f"{words}: {found}" for words, found in all_tried if len(set(found.values())) > 1]
        for fault in faults:
            KEPT.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / f"{fault.split(':')[0]}.pcai", KEPT)
    refused = [words for words, found in all_tried if not found]
    print(*refused, *faults, sep="\n")
    print(f"{len(numbers)} files were decoded by Python, the reference, pcai and node; {len(faults)} faults.")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

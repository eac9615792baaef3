"""Images of many bands compared with other codecs: rate, distortion, corrections, and a very large cube.

``python -m benchmarks.multiband --cube FILE [--no-rivals] [--scale N] [--json FILE] [--strict]``
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import tifffile
from numpy.typing import NDArray

import pcaimage
from benchmarks.bdrate import bd_rate, quality_at
from benchmarks.memory import resident_peak
from benchmarks.multiband_rivals import (
    PlaneCurves,
    Point,
    blosc,
    codecs,
    jpeg2000_by_band,
    jpegls_by_band,
    lossless,
    zfp,
)
from benchmarks.processes import printed_by
from benchmarks.tables import Target, console, seconds, table, targets_table, write_json
from pcaimage import Bands, Settings, container
from pcaimage.choices import Effort
from pcaimage.codec import Step, methods

RATE, QUALITY = 0.3, 50.0
"""Bits per sample, and the PSNR in decibels required there."""

GAIN, LOSSLESS_BITS, MEMORY = -15.0, 8.4, 2.0
"""Limits: per cent of JPEG 2000 of the planes; lossless bits per sample; gigabytes for a large cube."""

ERRORS = (1, 2, 4, 8, 16, 32, 64, 128)
SPECTRA, SCALE_BANDS, SCALE_LINES = 12, 200, 50

_OCTAVES = np.arange(-1.5, 5.01, 0.5)


class Speed(NamedTuple):
    """Bits per sample, and megabytes of values per second of processor time in both directions."""

    bits: float
    encode: float
    decode: float

    @classmethod
    def of(cls, cube: NDArray[Any], encode: Callable[[], bytes], decode: Callable[[bytes], Any]) -> Speed:
        """Measure the best of a few times."""
        times, data = [math.inf, math.inf], b""
        for _ in range(3):
            start = time.process_time()
            data = encode()
            between = time.process_time()
            decode(data)
            spent = between - start, time.process_time() - between
            times = [min(pair) for pair in zip(times, spent, strict=True)]
        return cls(8 * len(data) / cube.size, *(cube.nbytes / 1e6 / each for each in times))


@dataclasses.dataclass
class Report:
    """All measurements.

    Parameters
    ----------
    curves : dict of str to list of Point
        Points by codec, including ``"pcaimage"``.
    exact : dict of str to float
        Lossless bits per sample by codec.
    near : list of (int, Point, Point or None)
        Error bounds, with the points of this project and of JPEG-LS.
    scale : dict of str to float
        Seconds, bits per sample and gigabytes of the large cube.
    speed : dict of str to Speed
        Of exact coding, by codec.
    """

    curves: dict[str, list[Point]]
    exact: dict[str, float]
    near: list[tuple[int, Point, Point | None]]
    scale: dict[str, float]
    speed: dict[str, Speed] = dataclasses.field(default_factory=dict)

    def gain(self, name: str) -> float:
        """Return by how many per cent our files are larger than a codec's at equal quality."""
        try:
            return 100 * bd_rate(_numbers(self.curves[name]), _numbers(self.curves["pcaimage"]))
        except ValueError:
            return math.nan

    @property
    def targets(self) -> list[Target]:
        """The targets, and the measured values."""
        quality = quality_at(*_numbers(self.curves["pcaimage"]), RATE) or 0.0
        found = [Target(f"50 dB less PSNR at {RATE} bits per sample", QUALITY - quality, 0.0, " dB")]
        found.append(Target("without loss", self.exact["pcaimage"], LOSSLESS_BITS, " bits"))
        if "JPEG 2000 of PCA planes" in self.curves:
            gain = self.gain("JPEG 2000 of PCA planes")
            found.append(Target("bytes against JPEG 2000 of PCA planes", gain, GAIN, " %"))
        if self.scale:
            found.append(Target("memory for the large cube", self.scale["gigabytes"], MEMORY, " GB"))
        return found


def _numbers(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    return [point.bits for point in points], [point.psnr for point in points]


def read_cube(path: Path) -> NDArray[Any]:
    """Return an image with bands last; pages of a TIFF are bands."""
    if path.suffix == ".npy":
        return np.asarray(np.load(path, mmap_mode="r"))
    found = tifffile.imread(path)
    return np.ascontiguousarray(np.moveaxis(found, 0, 2))


def our_curve(cube: NDArray[Any]) -> list[Point]:
    """Return whole files at steps around the default one, each decoded again."""
    analysis = methods.analyse(cube, Bands())
    usual, points = float(cast("Any", analysis).usual_step), list[Point]()
    for octave in _OCTAVES:
        step = Step.nearest(usual * 2.0 ** (1.5 - octave))
        model = methods.quantize(analysis, analysis.k_for_step(float(step)), step)
        data = container.write(methods.pack(model, analysis))
        points.append(Point.of(cube, pcaimage.decode(data), len(data)))
    return points


def our_exact(cube: NDArray[Any], error: int) -> Point:
    """Return a file whose values are within an error bound, decoded again."""
    data = pcaimage.encode(cube, Settings(Bands(), max_error=error))
    point = Point.of(cube, pcaimage.decode(data), len(data))
    assert point.error <= error
    return point


def measure(cube: NDArray[Any], *, with_rivals: bool) -> Report:
    """Measure everything except the large cube."""
    ic = codecs() if with_rivals else None
    curves = {"pcaimage": our_curve(cube)}
    least = [point.psnr for point in curves["pcaimage"]]
    if ic is not None:
        lift = 20 * math.log10(65535 / float(cube.max()))
        levels = [level + lift for level in np.linspace(min(least), max(least), 12).tolist()]
        base = float(cube.max()) ** 2 * 10 ** (-np.linspace(min(least), max(least) + 4, 24) / 10)
        curves["JPEG 2000 of PCA planes"] = list(PlaneCurves(ic, cube).points((4 * base).tolist()))
        curves["JPEG 2000 by band"] = list(jpeg2000_by_band(ic, cube, levels))
        curves["ZFP"] = list(zfp(ic, cube, [2.0**power for power in range(1, 12)]))
        curves["JPEG-LS, near-lossless"] = list(jpegls_by_band(ic, cube, ERRORS))
    theirs = curves.get("JPEG-LS, near-lossless", [None] * len(ERRORS))
    near = [(error, our_exact(cube, error), other) for error, other in zip(ERRORS, theirs, strict=True)]
    exact = {"pcaimage": our_exact(cube, 0).bits, **lossless(ic, cube)}
    return Report(curves, exact, near, {})


def measure_speed(cube: NDArray[Any]) -> dict[str, Speed]:
    """Measure exact coding by both efforts, and by Blosc."""
    found, whole = dict[str, Speed](), np.ascontiguousarray(cube)
    for effort in (Effort.FAST, Effort.STANDARD):
        settings = Settings(Bands(), lossless=True, effort=effort)
        encode = partial(pcaimage.encode, whole, settings)
        found[f"pcaimage, {effort}"] = Speed.of(whole, encode, pcaimage.decode)
    for level in (5, 9):
        if (codec := blosc(level)) is not None:
            found[f"Blosc, Zstandard {level}"] = Speed.of(whole, partial(codec.encode, whole), codec.decode)
    return found


def make_cube(path: Path, side: int) -> None:
    """Write a cube of smooth random spectra with noise."""
    random = np.random.default_rng(0)
    cube = np.lib.format.open_memmap(path, "w+", np.uint16, (side, side, SCALE_BANDS))
    spectra = np.cumsum(np.cumsum(random.normal(size=(SPECTRA, SCALE_BANDS)), axis=1), axis=1)
    spectra /= np.abs(spectra).max(axis=1, keepdims=True)
    pace, phase = random.random((SPECTRA, 2)) * 0.05, random.random(SPECTRA) * 6
    for start in range(0, side, SCALE_LINES):
        y = np.arange(start, min(start + SCALE_LINES, side))[:, None, None]
        shares = np.sin(pace[:, 0] * y + phase) * np.cos(
            pace[:, 1] * np.arange(side)[None, :, None] + 2 * phase
        )
        noise = random.normal(size=(len(y), side, SCALE_BANDS), scale=8)
        cube[start : start + SCALE_LINES] = (2000 + 600 * shares @ spectra + noise).clip(0, 65535)
    cube.flush()


def encode_mapped(path: Path) -> None:
    """Encode a mapped cube; print seconds, bytes, and the peak memory of the process."""
    small = np.random.default_rng(0).integers(0, 99, (16, 16, 6)).astype(np.uint16)
    pcaimage.encode(small)
    start = time.perf_counter()
    data = pcaimage.encode(np.load(path, mmap_mode="r"))
    print(time.perf_counter() - start, len(data), resident_peak())


def measure_scale(side: int) -> dict[str, float]:
    """Encode a cube from a mapped file in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cube.npy")
        make_cube(path, side)
        printed = printed_by("benchmarks.multiband", "--encode", str(path))
    took, size, memory = map(float, printed.split())
    raw = side * side * SCALE_BANDS
    return {"seconds": took, "bits": 8 * size / raw, "gigabytes": memory / 1e9}


def show(report: Report) -> None:
    """Print tables."""
    out = console()
    rates = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0)
    rows: list[tuple[str, ...]] = []
    for name, points in report.curves.items():
        found = [quality_at(*_numbers(points), rate) for rate in rates]
        cells = ["–" if quality is None else f"{quality:.2f}" for quality in found]
        gain = "" if name == "pcaimage" else f"{report.gain(name):+.1f} %"
        rows.append((name, *cells, gain))
    out.print(table("PSNR at bits per sample", ("", *map(str, rates), "our bytes"), rows))
    rows = [(name, f"{bits:.3f}") for name, bits in report.exact.items()]
    out.print(table("Without loss", ("", "bits per sample"), rows))
    rows = [
        (f"± {error}", f"{own.bits:.3f}", "–" if other is None else f"{other.bits:.3f}", f"{own.psnr:.2f}")
        for error, own, other in report.near
    ]
    out.print(table("Every value within", ("", "pcaimage, bits", "JPEG-LS, bits", "our PSNR"), rows))
    rows = [(name, *(f"{value:.2f}" for value in speed)) for name, speed in report.speed.items()]
    names = ("", "bits per sample", "encode, MB/s", "decode, MB/s")
    out.print(table("Exact, processor time", names, rows))
    if report.scale:
        scale = report.scale
        rows = [("encode", seconds(scale["seconds"]), f"{scale['bits']:.4f}", f"{scale['gigabytes']:.2f} GB")]
        out.print(table("A mapped cube", ("", "time", "bits per sample", "memory"), rows))
    out.print(targets_table(report.targets))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cube", type=Path, help="a TIFF whose pages are bands, or a .npy file")
    parser.add_argument("--no-rivals", action="store_true", help="measure nothing but pcaimage")
    parser.add_argument("--scale", type=int, metavar="N", help="also a cube of N × N × 200, for example 2000")
    parser.add_argument("--json", type=Path, help="a file to write the results to, as JSON")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument("--encode", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.encode is not None:
        encode_mapped(given.encode)
        return 0
    if given.cube is None:
        parser.error("--cube FILE is needed")
    cube = read_cube(given.cube)
    report = measure(cube, with_rivals=not given.no_rivals)
    report.speed = measure_speed(cube)
    if given.scale:
        report.scale = measure_scale(given.scale)
    show(report)
    write_json(given.json, dataclasses.asdict(report))
    return 1 if given.strict and not all(target.reached for target in report.targets) else 0


if __name__ == "__main__":
    sys.exit(main())

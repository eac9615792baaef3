"""Images of many bands compared with other codecs: rate, distortion, corrections, and a very large cube.

``python -m benchmarks.multiband --cube FILE [--no-rivals] [--noisy] [--scale N] [--json FILE]
[--markdown] [--strict]``
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import tifffile
from numpy.typing import NDArray

import pcaimage
from benchmarks.bdrate import bd_rate, quality_at
from benchmarks.ccsds_best import ccsds123
from benchmarks.memory import resident_peak
from benchmarks.multiband_rivals import (
    PlaneCurves,
    Point,
    blosc,
    codecs,
    jpeg2000_by_band,
    jpegls_by_band,
    lossless,
    sz3,
    zfp,
)
from benchmarks.processes import printed_by
from benchmarks.tables import Target, console, seconds, table, targets_table, write_json
from pcaimage import Bands, Settings, container
from pcaimage.choices import Effort
from pcaimage.codec import Step, methods

RATE, QUALITY = 0.3, 50.0
"""Bits per sample, and the PSNR in decibels required there."""

GAIN, LOSSLESS_BITS, MEMORY = -28.0, 5.75, 2.0
"""Limits: per cent of JPEG 2000 of the planes; lossless bits per sample; gigabytes for a large cube."""

PACES = {
    "default": (25.0, 40.0),
    "noise 1.0": (25.0, 40.0),
    "exact": (25.0, 40.0),
    "fast, exact": (100.0, 200.0),
}
"""Megabytes per second by the clock, on two cores, that are required for encoding and decoding."""

ERRORS, NOISY_ERRORS = (1, 2, 4, 8, 16, 32, 64, 128), (0, 4, 16)
SPECTRA, SCALE_BANDS, SCALE_LINES = 12, 200, 50
NOISY_SIDE, NOISY_BANDS = 512, 64
CLOCK, PROCESSOR = time.perf_counter, time.process_time

_OCTAVES = np.arange(-1.5, 5.01, 0.5)


class Speed(NamedTuple):
    """Bits per sample, and megabytes of values per second in both directions.

    Parameters
    ----------
    bits : float
        Bits per sample.
    encode, decode : float
        By the clock.
    encode_cpu, decode_cpu : float
        By the time of all cores together.
    """

    bits: float
    encode: float
    decode: float
    encode_cpu: float
    decode_cpu: float

    @classmethod
    def of(cls, cube: NDArray[Any], encode: Callable[[], bytes], decode: Callable[[bytes], Any]) -> Speed:
        """Measure the best of three times."""
        times, data = [math.inf] * 4, b""
        for _ in range(3):
            before = CLOCK(), PROCESSOR()
            data = encode()
            between = CLOCK(), PROCESSOR()
            decode(data)
            ends = (*before, *between, CLOCK(), PROCESSOR())
            spent = [after - earlier for earlier, after in zip(ends, ends[2:], strict=False)]
            times = [min(pair) for pair in zip(times, spent, strict=True)]
        clock, cpu, decoding, decoding_cpu = (cube.nbytes / 1e6 / each for each in times)
        return cls(8 * len(data) / cube.size, clock, decoding, cpu, decoding_cpu)


@dataclasses.dataclass
class Report:
    """All measurements.

    Parameters
    ----------
    curves : dict of str to list of Point
        Points by codec, including ``"pcaimage"``.
    exact : dict of str to float
        Lossless bits per sample by codec.
    near : dict of str to list of Point
        Points with errors of at most ``ERRORS``, by codec.
    scale : dict of str to float
        Seconds, bits per sample and gigabytes of the large cube.
    speed : dict of str to dict of str to Speed
        By cube and settings.
    noisy : dict of str to list of Point
        Points of the noisy cube with errors of at most ``NOISY_ERRORS``, by codec.
    """

    curves: dict[str, list[Point]]
    exact: dict[str, float]
    near: dict[str, list[Point]]
    scale: dict[str, float] = dataclasses.field(default_factory=dict)
    speed: dict[str, dict[str, Speed]] = dataclasses.field(default_factory=dict)
    noisy: dict[str, list[Point]] = dataclasses.field(default_factory=dict)

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
        for cube, by_settings in self.speed.items():
            for name, limits in PACES.items():
                for way, limit in zip(("encode", "decode"), limits, strict=True):
                    pace = getattr(by_settings[name], way)
                    found.append(Target(f"{way}, {name}: {cube}", pace, limit, " MB/s", least=True))
        if self.scale:
            found.append(Target("memory for the large cube", self.scale["gigabytes"], MEMORY, " GB"))
        return found


def _numbers(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    finite = [point for point in points if math.isfinite(point.psnr)]
    return [point.bits for point in finite], [point.psnr for point in finite]


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


def our_exact(cube: NDArray[Any], error: int, effort: Effort = Effort.STANDARD) -> Point:
    """Return a file whose values are within an error bound, decoded again."""
    data = pcaimage.encode(cube, Settings(Bands(), max_error=error, effort=effort))
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
    found = within(cube, (0, *ERRORS), with_rivals=with_rivals)
    exact = {name: points[0].bits for name, points in found.items() if name != "JPEG-LS"}
    near = {name: points[1:] for name, points in found.items()}
    curves |= {f"{name}, near-lossless": points for name, points in near.items() if "pcaimage" not in name}
    return Report(curves, exact | lossless(ic, cube), near)


def within(cube: NDArray[Any], errors: Sequence[int], *, with_rivals: bool) -> dict[str, list[Point]]:
    """Return points with every value within some errors, by codec."""
    found = {
        "pcaimage": [our_exact(cube, error) for error in errors],
        "pcaimage, fast": [our_exact(cube, error, Effort.FAST) for error in errors],
    }
    if not with_rivals:
        return found
    if (ic := codecs()) is not None:
        found["JPEG-LS"] = list(jpegls_by_band(ic, cube, errors))
    found["CCSDS 123"] = ccsds123(cube, errors)
    if sz := list(sz3(cube, errors)):
        found["SZ3"] = sz
    return found


def measure_speed(cube: NDArray[Any]) -> dict[str, Speed]:
    """Measure the default settings, some others, exact coding by both efforts, and Blosc."""
    found, whole = dict[str, Speed](), np.ascontiguousarray(cube)
    fast, bands = Effort.FAST, Bands()
    for name, settings in {
        "default": Settings(bands),
        "noise 1.0": Settings(bands, noise=1.0),
        "exact": Settings(bands, lossless=True),
        "fast": Settings(bands, effort=fast),
        "fast, exact": Settings(bands, lossless=True, effort=fast),
        "fast, ± 4": Settings(bands, max_error=4, effort=fast),
        "fast, ± 16": Settings(bands, max_error=16, effort=fast),
    }.items():
        found[name] = Speed.of(whole, partial(pcaimage.encode, whole, settings), pcaimage.decode)
    for level in (5, 9):
        if (codec := blosc(level)) is not None:
            found[f"Blosc, Zstandard {level}"] = Speed.of(whole, partial(codec.encode, whole), codec.decode)
    return found


def make_cube(path: Path, side: int, bands: int) -> None:
    """Write a cube of smooth random spectra with noise, of a standard deviation of 8."""
    random = np.random.default_rng(0)
    cube = np.lib.format.open_memmap(path, "w+", np.uint16, (side, side, bands))
    spectra = np.cumsum(np.cumsum(random.normal(size=(SPECTRA, bands)), axis=1), axis=1)
    spectra /= np.abs(spectra).max(axis=1, keepdims=True)
    pace, phase = random.random((SPECTRA, 2)) * 0.05, random.random(SPECTRA) * 6
    for start in range(0, side, SCALE_LINES):
        y = np.arange(start, min(start + SCALE_LINES, side))[:, None, None]
        shares = np.sin(pace[:, 0] * y + phase) * np.cos(
            pace[:, 1] * np.arange(side)[None, :, None] + 2 * phase
        )
        noise = random.normal(size=(len(y), side, bands), scale=8)
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
        make_cube(path, side, SCALE_BANDS)
        printed = printed_by("benchmarks.multiband", "--encode", str(path))
    took, size, memory = map(float, printed.split())
    raw = side * side * SCALE_BANDS
    return {"seconds": took, "bits": 8 * size / raw, "gigabytes": memory / 1e9}


def tables_of(report: Report) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield titles, columns and rows."""
    rates = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0)
    rows: list[tuple[str, ...]] = []
    for name, points in report.curves.items():
        found = [quality_at(*_numbers(points), rate) for rate in rates]
        cells = ["–" if quality is None else f"{quality:.2f}" for quality in found]
        gain = "" if name == "pcaimage" else f"{report.gain(name):+.1f} %".replace("-", "−")
        rows.append((name, *cells, gain))
    yield "PSNR at bits per sample", ("", *map(str, rates), "our bytes"), rows
    yield (
        "Without loss",
        ("", "bits per sample"),
        [(name, f"{bits:.3f}") for name, bits in sorted(report.exact.items(), key=lambda item: item[1])],
    )
    for title, errors, near in (
        ("Every value within, bits per sample", ERRORS, report.near),
        (f"{NOISY_BANDS} noisy bands, bits per sample", NOISY_ERRORS, report.noisy),
    ):
        if near:
            yield (
                title,
                ("", *near, "our PSNR"),
                [
                    (f"± {error}", *(f"{points[at].bits:.3f}" for points in near.values()), f"{own.psnr:.2f}")
                    for at, (error, own) in enumerate(zip(errors, near["pcaimage"], strict=True))
                ],
            )
    for cube, speed in report.speed.items():
        yield (
            f"MB/s: {cube}",
            ("", "bits per sample", "encode", "decode", "encode, CPU", "decode, CPU"),
            [
                (name, f"{each.bits:.3f}", *(f"{pace:.0f}" for pace in each[1:]))
                for name, each in speed.items()
            ],
        )
    if scale := report.scale:
        memory = f"{scale['gigabytes']:.2f} GB"
        row = ("encode", seconds(scale["seconds"]), f"{scale['bits']:.4f}", memory)
        yield "A mapped cube", ("", "time", "bits per sample", "memory"), [row]


def show(report: Report, *, markdown: bool) -> None:
    """Print tables."""
    out = console()
    for title, columns, rows in tables_of(report):
        if markdown:
            lines = [columns, ("---", *["---:"] * (len(columns) - 1)), *rows]
            print(f"{title}\n", *(f"| {' | '.join(line)} |" for line in lines), "", sep="\n")
        else:
            out.print(table(title, columns, rows))
    out.print(targets_table(report.targets))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cube", type=Path, help="a TIFF whose pages are bands, or a .npy file")
    parser.add_argument("--no-rivals", action="store_true", help="measure nothing but pcaimage")
    parser.add_argument("--noisy", action="store_true", help="also compare files of the noisy cube; minutes")
    parser.add_argument("--scale", type=int, metavar="N", help="also a cube of N × N × 200, for example 2000")
    parser.add_argument("--json", type=Path, help="a file to write the results to, as JSON")
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
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
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "noisy.npy")
        make_cube(made, NOISY_SIDE, NOISY_BANDS)
        noisy = np.load(made)
    for name, each in {given.cube.stem: cube, f"{NOISY_BANDS} noisy bands": noisy}.items():
        report.speed[name] = measure_speed(each)
    if given.noisy:
        report.noisy = within(noisy, NOISY_ERRORS, with_rivals=not given.no_rivals)
    if given.scale:
        report.scale = measure_scale(given.scale)
    show(report, markdown=given.markdown)
    write_json(given.json, dataclasses.asdict(report))
    return 1 if given.strict and not all(target.reached for target in report.targets) else 0


if __name__ == "__main__":
    sys.exit(main())

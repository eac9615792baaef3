"""Compares versions of this project's own codec: what each change gains, and what it costs in time.

``python -m benchmarks.ablation BEFORE.json AFTER.json …`` reads results that ``benchmarks.rate_distortion
--json`` wrote at each version, and prints the change of bytes at equal quality from the first to each other
one, by all measures that all of them have.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.table import Table

from benchmarks.comparison import AXES
from benchmarks.curves import Axis, Curve, Point
from benchmarks.tables import console, table

_NOTHING = "–"


@dataclasses.dataclass(frozen=True)
class Version:
    """The results of one version.

    Parameters
    ----------
    name : str
        What to call it.
    curves : dict of str to Curve
        By image.
    seconds : (float, float) or None
        Seconds for each megapixel to encode and to decode, where they were measured.
    """

    name: str
    curves: dict[str, Curve]
    seconds: tuple[float, float] | None = None

    @classmethod
    def read(cls, path: Path, codec: str) -> Version:
        """Return the results of a codec in a file.

        Parameters
        ----------
        path : Path
            JSON, whose name without its suffix is the version's.
        codec : str
            The codec's name.

        Returns
        -------
        Version
            Its curves.

        Raises
        ------
        ValueError
            If the file has none of that codec.
        """
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        points: dict[str, list[Point]] = {}
        for values in found["points"]:
            if values["codec"] == codec and values["psnr"] is not None:
                point = Point(**{"encode_seconds": 0.0, "decode_seconds": 0.0, **values})
                points.setdefault(point.image, []).append(point)
        if not points:
            raise ValueError(f"{path} has no results of {codec}.")
        curves = {image: Curve(codec, image, tuple(each)) for image, each in points.items()}
        seconds = (found.get("seconds_per_megapixel") or {}).get(codec)
        return cls(path.stem, curves, None if seconds is None else (seconds[0], seconds[1]))

    def change(self, base: Version, axis: Axis) -> dict[str, float]:
        """Return the change of the rate at equal quality, by image.

        Parameters
        ----------
        base : Version
            What to compare with.
        axis : Axis
            By what quality is measured.

        Returns
        -------
        dict of str to float
            −0.1 for 10 % less, for each image that both have.
        """
        shared = [image for image in self.curves if image in base.curves]
        found = {image: self.curves[image].rate_against(base.curves[image], axis) for image in shared}
        return {image: change for image, change in found.items() if change is not None}


def ablation_table(versions: Sequence[Version]) -> Table:
    """Return the changes from the first version to the others.

    Parameters
    ----------
    versions : sequence of Version
        At least two.

    Returns
    -------
    Table
        A row for each but the first, with its changes and its times in those of the first.
    """
    base, points = versions[0], [p for v in versions for curve in v.curves.values() for p in curve.points]
    axes = [axis for axis in AXES if all(point.has(axis) for point in points)]
    rows = []
    for version in versions[1:]:
        cells = [_mean(list(version.change(base, axis).values())) for axis in axes]
        images = version.change(base, "psnr")
        each = " ".join(f"{100 * change:+.1f}" for change in images.values())
        rows.append((version.name, *cells, *_times(version, base), each))
    heads = (f"against {base.name}", *(axis.upper() for axis in axes), "encode", "decode", "PSNR, each image")
    return table("Bytes at equal quality", heads, rows)


def _mean(changes: Sequence[float]) -> str:
    return f"{100 * fmean(changes):+.2f} %" if changes else _NOTHING


def _times(version: Version, base: Version) -> tuple[str, str]:
    if version.seconds is None or base.seconds is None:
        return _NOTHING, _NOTHING
    encode, decode = (own / other for own, other in zip(version.seconds, base.seconds, strict=True))
    return f"× {encode:.2f}", f"× {decode:.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    command = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    command.add_argument("results", nargs="+", type=Path, help="JSON files, the one to compare with first")
    command.add_argument("--codec", default="PCA photo", help="whose results are compared (%(default)s)")
    options = command.parse_args(arguments)
    if len(options.results) < 2:
        command.error("there is nothing to compare: give two files or more")
    try:
        versions = [Version.read(path, options.codec) for path in options.results]
    except (OSError, ValueError) as error:
        command.error(str(error))
    console().print(ablation_table(versions))
    return 0


if __name__ == "__main__":
    sys.exit(main())

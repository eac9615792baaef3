"""Keeps what a benchmark found, with its command and date; ``scripts/check_docs.py`` compares tables with it.

``python -m benchmarks.store FOUND.json NAME COMMAND`` writes ``benchmarks/results/NAME.json``, of the results
that ``benchmarks.rate_distortion --json`` wrote. ``-`` in place of a file takes a table in Markdown from
standard input, of what another benchmark printed, today or at the date that is given behind the command.
"""

from __future__ import annotations

import datetime as dt
import json
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pcaimage

RESULTS = Path(__file__).with_name("results")
NAMES = {
    "AVIF (psnr)": "AVIF, PSNR",
    "AVIF (psnr, 10 bits)": "AVIF, PSNR, 10 bits",
    "AVIF (iq, 10 bits)": "AVIF, iq, 10 bits",
}
"""What tables call a codec."""


MEASURES = {
    "psnr": "PSNR",
    "ssim": "SSIM",
    "ms-ssim": "MS-SSIM",
    "ssimulacra2": "SSIMULACRA 2",
    "butteraugli": "Butteraugli",
}


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """Return changes of bytes as tables show them.

    Means of all codecs are by measure, codec and other codec. Those of the first codec are also ``by`` other
    codec (with _ for spaces), image or range of bits per pixel, and measure; and for each range by ``psnr``.
    """
    shown = _of_first(found)
    for codec, others in found["changes"].items():
        for anchor, measures in others.items():
            for measure, change in measures.items():
                if codec != anchor:
                    _put(shown.setdefault(measure, {}), codec, anchor, change["mean"])
    return shown


def _of_first(found: dict[str, Any]) -> dict[str, Any]:
    own, shown = found["own"][0], dict[str, Any](by={}, within={})
    for anchor, measures in found["changes"][own].items():
        for measure, change in measures.items():
            for row, each in {**change["each"], "mean": change["mean"]}.items():
                _put_by(shown["by"], anchor, Path(row).stem, measure, each)
    for name, by_measure in found.get("ranges", {}).items():
        for measure, means in by_measure.items():
            for anchor, change in means[own].items():
                _put_by(shown["by"], anchor, name, measure, change)
        for anchor, change in by_measure["psnr"][own].items():
            _put(shown["within"], name, anchor, change)
    return shown


def _put(rows: dict[str, dict[str, str]], codec: str, anchor: str, change: float | None) -> None:
    if change is not None:
        rows.setdefault(NAMES.get(codec, codec), {})[NAMES.get(anchor, anchor)] = percent(change)


def _put_by(tables: dict[str, Any], anchor: str, row: str, measure: str, change: float | None) -> None:
    table = NAMES.get(anchor, anchor).replace(" ", "_")
    _put(tables.setdefault(table, {}), row, MEASURES[measure], change)


def percent(change: float) -> str:
    """Return a relative change as text, such as ``"−12.3 %"``."""
    return f"{'−' if change < 0 else '+'}{abs(100 * change):.1f} %"


def tabled(lines: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the cells of a table by row and column."""
    titles, _, *rows = ([cell.strip() for cell in line.strip()[1:-1].split("|")] for line in lines)
    return {name: dict(zip(titles[1:], cells, strict=True)) for name, *cells in rows}


def main() -> None:
    """Write a result."""
    path, name, command, *date = sys.argv[1:]
    if path == "-":
        kept: dict[str, Any] = {"figures": tabled(sys.stdin)}
    else:
        found = json.loads(Path(path).read_text("utf-8"))
        kept = {"images": found["images"], "figures": figures(found)}
    result = {
        "command": command,
        "date": date[0] if date else f"{dt.datetime.now(dt.UTC):%Y-%m-%d}",
        "pcaimage": pcaimage.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        **kept,
    }
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Benchmark of starting the window as a process, to its first frame and to an image's reconstruction.

``QT_QPA_PLATFORM=offscreen python -m benchmarks.window_start [--image FILE] [--runs N] [--json FILE]``
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pcaimage.gui.window import MainWindow

FRAME, PICTURE = "first painted frame", "first reconstruction"
LIMITS = {FRAME: 0.6, PICTURE: 1.5}
"""Seconds from the start of the process; the picture is of a photograph of 24 megapixels."""

_STARTED = "PCAIMAGE_BENCHMARK_STARTED"


def started(image: Path) -> dict[str, float]:
    """Start the program with an image; return the seconds until frame and picture are shown.

    They are the elapsed seconds by :data:`FRAME` and :data:`PICTURE`, and likewise processor seconds.
    """
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, _STARTED: repr(time.time())}
        command = [sys.executable, "-m", "benchmarks.window_start", "--watched", str(image)]
        answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return found


def run_watched(image: str) -> None:
    """Run the program as its script does, print when frame and picture are shown, and quit."""
    from pcaimage.cli import main, window  # noqa: PLC0415 - as late as the program imports them

    def import_module(name: str) -> Any:
        program: Any = importlib.import_module(name)
        if name != window.PROGRAM:
            return program
        make = program.make_window

        def watched(*given: Any) -> MainWindow:
            found: MainWindow = make(*given)
            _watch(found)
            return found

        program.make_window = watched
        return program

    window.importlib = SimpleNamespace(import_module=import_module)  # type: ignore[assignment, attr-defined]
    sys.argv = ["pcaimage", "gui", image]
    main.run()


def _watch(window: MainWindow) -> None:
    """Record when the window, and the reconstruction in it, is first painted."""
    from PySide6.QtCore import QCoreApplication, QEvent, QObject  # noqa: PLC0415 - Qt is loaded by now

    begun, found = float(os.environ[_STARTED]), dict[str, float]()
    arrived = list[bool]()

    class Watcher(QObject):
        def eventFilter(self, _: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
            if event.type() == QEvent.Type.UpdateRequest:
                # Delivered when the painting is done.
                QCoreApplication.postEvent(self, QEvent(QEvent.Type.User), 1)
            return False

        def customEvent(self, _: QEvent) -> None:  # noqa: N802 - as above
            what = PICTURE if arrived else FRAME
            if what not in found:
                found[what], found[f"{what}, processor"] = time.time() - begun, time.process_time()
            if PICTURE in found:
                print(json.dumps(found), flush=True)
                os._exit(0)

    watcher = Watcher(window)
    window.installEventFilter(watcher)
    window.comparing.renderer.rightReady.connect(lambda _: arrived.append(True))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if a target is missed and that was asked to be an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.window_start", description=__doc__)
    parser.add_argument("--image", type=Path, help="a photograph's file; by default one is found or made")
    parser.add_argument("--runs", type=int, default=5, help="how often the program is started")
    parser.add_argument("--json", type=Path, help="a file to write the results to, as JSON")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument("--watched", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.watched is not None:
        run_watched(options.watched)
        return 0
    # The watched process does without: it is measured.
    from benchmarks.tables import Target, console, seconds, targets_table, write_json  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        image = options.image or _made(Path(folder))
        runs = [started(image) for _ in range(options.runs)]
    best = {name: min(run[name] for run in runs) for name in runs[0]}
    screen = console()
    for name, value in best.items():
        screen.print(f"{name}: {seconds(value)}")
    targets = [Target(f"start to {name}", best[name], limit, "s") for name, limit in LIMITS.items()]
    screen.print(targets_table(targets))
    write_json(options.json, {"image": image.name, "runs": runs, "best": best})
    return int(options.strict and not all(target.reached for target in targets))


def _made(folder: Path) -> Path:
    """Create the file of a large photograph."""
    from benchmarks.photographs import large_photograph  # noqa: PLC0415 - the watched process does without
    from pcaimage.imaging import Image, write_image  # noqa: PLC0415 - as above

    _, array = large_photograph(None)
    path = folder / "photograph.bmp"
    write_image(path, Image(array))
    return path


if __name__ == "__main__":
    sys.exit(main())

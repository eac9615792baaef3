"""Make the faults of docs/reliability.md happen, and print what held as a table.

``try_faults.py [--rounds N] [--windows N] [--seed N]``: so many kills and races, and so many windows that are
killed while they save. It needs fork, so Linux or macOS. Everything happens in a temporary folder. It exits
with 1 if anything did not hold.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pcaimage
from pcaimage import Blocks, Settings
from pcaimage.errors import PcaImageError
from pcaimage.imaging import Image, write_bands, write_image

SETTINGS = Settings(sampling=Blocks(8), k=12)
FORMATS = ("png", "jpg", "webp", "tif", "bmp", "jp2", "hdr", "npy", "npz", "pcai")
WAIT = 60
"""Seconds after which a process is taken to hang."""


@dataclass
class Trial:
    """A fault, how often it was tried, and what did not hold."""

    fault: str
    expected: str
    tried: int
    failures: list[str]

    @property
    def row(self) -> str:
        """The line of a Markdown table."""
        found = "held" if not self.failures else f"**failed {len(self.failures)} ×**: {self.failures[0]}"
        return f"| {self.fault} | {self.expected} | {self.tried:,} | {found} |"


@dataclass
class Bench:
    """What the trials need: a folder of their own, and how often to try."""

    folder: Path
    rounds: int
    windows: int
    random: random.Random

    def new(self, name: str) -> Path:
        """Return a new folder."""
        folder = self.folder / name
        folder.mkdir()
        return folder


def picture(seed: int, side: int = 160) -> np.ndarray:
    """Return an image of random waves."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side] / 8.0
    waves = sum(np.sin(a * x + b * y + c) for a, b, c in rng.uniform(0.2, 2.0, (5, 3)))
    noise = rng.normal(0, 4, (side, side, 3))
    image: np.ndarray = np.clip(128 + 18 * waves[..., None] + noise, 0, 255).astype(np.uint8)
    return image


def forked(work: Callable[[], None]) -> int:
    """Run work in a copy of this process, and return its number."""
    number = os.fork()
    if number:
        return number
    code = 9
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def ended(number: int) -> int:
    """Wait for a process, and return how it ended as a shell says it."""
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def command(*words: str | Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run the program."""
    arguments = [sys.executable, "-m", "pcaimage", *map(str, words)]
    return subprocess.run(arguments, capture_output=True, timeout=WAIT, check=False, **options)  # type: ignore[call-overload,no-any-return]  # options of run


def in_a_sentence(found: subprocess.CompletedProcess[bytes]) -> str:
    """Return what is wrong with the way in which a command was refused; empty if nothing is."""
    said = found.stderr.decode(errors="replace")
    if found.returncode != 1 or b"Traceback" in found.stderr or not said.startswith("pcaimage: "):
        return f"exit {found.returncode}: {said.strip()[-200:]}"
    return ""


def killed_while_overwriting(bench: Bench) -> Trial:
    """Kill a process that saves over a file, at random moments."""
    folder, failures = bench.new("kill"), list[str]()
    target, images = folder / "a.pcai", [picture(1), picture(2)]
    whole = {pcaimage.encode(image, SETTINGS) for image in images}
    target.write_bytes(min(whole))

    def save_for_ever() -> None:
        while True:
            for image in images:
                pcaimage.save(target, image, SETTINGS, overwrite=True)

    for _ in range(bench.rounds):
        number = forked(save_for_ever)
        time.sleep(bench.random.uniform(0, 0.06))
        os.kill(number, signal.SIGKILL)
        ended(number)
        if target.read_bytes() not in whole:
            failures.append(f"{target.stat().st_size} bytes of neither image")
    pcaimage.save(target, images[0], SETTINGS, overwrite=True)
    left = [each.name for each in folder.iterdir() if each != target]
    failures += [f"{name} was left" for name in left]
    return Trial(
        "killed (SIGKILL) while overwriting",
        "old or new file; the next save tidies up",
        bench.rounds,
        failures,
    )


def two_writers(bench: Bench) -> Trial:
    """Let two processes save over one file at the same time."""
    folder, failures = bench.new("writers"), list[str]()
    target, images = folder / "a.pcai", [picture(3), picture(4)]
    whole = {pcaimage.encode(image, SETTINGS) for image in images}
    each = max(1, bench.rounds // 10)
    for _ in range(10):

        def save(image: np.ndarray) -> None:
            for _ in range(each):
                pcaimage.save(target, image, SETTINGS, overwrite=True)

        numbers = [forked(lambda image=image: save(image)) for image in images]  # type: ignore[misc]  # bound at once
        codes = [ended(number) for number in numbers]
        if target.read_bytes() not in whole or any(codes):
            failures.append(f"a mixture, or exit codes {codes}")
    failures += [f"{left.name} was left" for left in folder.iterdir() if left != target]
    return Trial("two writers of one file", "one of the two files, whole", 20 * each, failures)


@contextmanager
def small_disk(n_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def disk_full(bench: Bench) -> Trial:
    """Write every format to a disk that is full after some bytes."""
    folder, failures, tried = bench.new("full"), list[str](), 0
    image = Image(np.random.default_rng(5).integers(0, 255, (240, 240, 3)).astype(np.uint8))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for suffix in FORMATS:
        target = folder / f"a.{suffix}"
        for room in (0, 1, 700, 4096, 9000):
            before = {path: path.read_bytes() for path in folder.iterdir()}
            tried += 1
            try:
                with small_disk(room):
                    if suffix == "pcai":
                        pcaimage.save(
                            target, image, Settings(sampling=Blocks(8), k=192, step=1), overwrite=True
                        )
                    else:
                        write_image(target, image, overwrite=True)
                failures.append(f"{suffix} was written to a disk with room for {room} bytes")
            except PcaImageError as error:
                if "space" not in str(error):
                    failures.append(f"{suffix}: {error}")
            if {path: path.read_bytes() for path in folder.iterdir()} != before:
                failures.append(f"{suffix} left something with room for {room} bytes")
        if suffix == "pcai":
            pcaimage.save(target, image, SETTINGS, overwrite=True)
        else:
            write_image(target, image, overwrite=True)
    bands, tried = folder / "bands", tried + 1
    try:
        with small_disk(9000):
            write_bands(bands, image)
        failures.append("bands were written to a full disk")
    except PcaImageError:
        failures += ["a part of the bands was left"] if bands.exists() else []
    return Trial(
        "disk full, every format", "a sentence; what was there stays, nothing is left", tried, failures
    )


LITTLE_MEMORY = """
import resource, sys
import PIL.Image, tifffile, pcaimage.cli.encode
from pcaimage.cli.main import run
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv.pop(1)),) * 2)
run()
"""


def no_memory(bench: Bench) -> Trial:
    """Give the program less and less memory."""
    folder, failures, tried = bench.new("memory"), list[str](), 0
    np.save(folder / "a.npy", np.random.default_rng(6).integers(0, 255, (5000, 5000, 3)).astype(np.uint8))
    if not Path("/proc/self/statm").exists():
        return Trial("too little memory", "a sentence, nothing is left", 0, [])
    for megabytes in (60, 100, 180, 260, 400):
        tried += 1
        words = [
            sys.executable,
            "-c",
            LITTLE_MEMORY,
            str(megabytes << 20),
            "encode",
            "a.npy",
            "b.pcai",
            "--method",
            "blocks",
        ]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        found = subprocess.run(
            words, cwd=folder, capture_output=True, timeout=600, check=False, env=environment
        )
        if found.returncode or (folder / "b.pcai").exists() is False:
            failures += [text] if (text := in_a_sentence(found)) else []
        failures += [
            f"{left.name} was left" for left in folder.iterdir() if left.name not in {"a.npy", "b.pcai"}
        ]
        (folder / "b.pcai").unlink(missing_ok=True)
    return Trial("too little memory", "a sentence, nothing is left", tried, failures)


def input_cut(bench: Bench) -> Trial:
    """Cut a mapped cube short while it is encoded, at random moments."""
    folder, failures = bench.new("cut"), list[str]()
    cube = np.random.default_rng(7).integers(0, 4000, (400, 200, 24)).astype(np.uint16)
    source, target = folder / "a.npy", folder / "a.pcai"
    rounds = max(1, bench.rounds // 20)
    for _ in range(rounds):
        np.save(source, cube)
        mapped = np.load(source, mmap_mode="r")

        def encode(mapped: np.ndarray = mapped) -> None:
            try:
                pcaimage.save(target, mapped, Settings(k=2, sampling=Blocks(8)))
            except PcaImageError:
                os._exit(7)
            os._exit(0)

        number = forked(encode)
        time.sleep(bench.random.uniform(0, 0.2))
        os.truncate(source, bench.random.randrange(200, source.stat().st_size))
        code = ended(number)
        if code not in {0, 7} or target.exists() != (code == 0):
            failures.append(f"exit {code}, and the file is {'there' if target.exists() else 'not there'}")
        target.unlink(missing_ok=True)
    return Trial(
        "mapped input cut short while it is encoded", "a sentence, nothing is left", rounds, failures
    )


def refused_places(bench: Bench) -> Trial:
    """Write where that is not possible: folders, missing folders, pipes, devices, read-only folders."""
    folder, failures = bench.new("places"), list[str]()
    source = folder / "a.png"
    write_image(source, Image(picture(8, 40)))
    os.mkfifo(folder / "pipe.pcai")
    (folder / "folder.pcai").mkdir()
    (folder / "link.pcai").symlink_to("pipe.pcai")
    places = ["pipe.pcai", "link.pcai", "folder.pcai", "missing/b.pcai", "a" * 300 + ".pcai"]
    if os.geteuid():  # root may write anywhere
        (folder / "closed").mkdir(0o500)
        places.append("closed/b.pcai")
    for place in places:
        found = command("encode", source, folder / place, "--overwrite", "--method", "blocks")
        failures += [f"{place[:20]}: {text}"] if (text := in_a_sentence(found)) else []
    kept = {"a.png", "pipe.pcai", "folder.pcai", "link.pcai", "closed"}
    failures += [f"{left.name} was left" for left in folder.iterdir() if left.name not in kept]
    if not (folder / "pipe.pcai").is_fifo():
        failures.append("the pipe was replaced")
    return Trial(
        "target is a pipe, a folder, missing, too long or read-only", "a sentence", len(places), failures
    )


def no_home(bench: Bench) -> Trial:
    """Run the program without a home, without a folder for caches, and with a bare environment."""
    folder, failures = bench.new("home"), list[str]()
    source = folder / "a.png"
    write_image(source, Image(picture(9, 40)))
    package = str(Path(pcaimage.__file__).parent.parent)
    bare = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": package}
    homes = [{}, {"HOME": "/proc/none"}, {"HOME": "/dev/null"}, {"HOME": str(folder / "missing")}]
    for number, home in enumerate(homes):
        target = folder / f"{number}.pcai"
        found = command("encode", source, target, env={**bare, **home})
        back = command("decode", target, folder / f"{number}.png", env={**bare, **home})
        if found.returncode or back.returncode:
            failures.append(f"{home}: {(found.stderr + back.stderr).decode(errors='replace')[-200:]}")
    return Trial("home missing or not writable, bare environment", "works", 2 * len(homes), failures)


def slow_input(bench: Bench) -> Trial:
    """Read from a pipe that yields a few bytes at a time, and from one that ends too soon."""
    folder, failures = bench.new("slow"), list[str]()
    data = pcaimage.encode(picture(10, 64), SETTINGS)
    for whole in (True, False):
        words = [sys.executable, "-m", "pcaimage", "decode", "-", str(folder / f"{whole}.png")]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            if process.stdin is None or process.stderr is None:
                raise RuntimeError("no pipes")
            part = data if whole else data[: len(data) // 2]
            for start in range(0, len(part), max(1, len(part) // 40)):
                process.stdin.write(part[start : start + max(1, len(part) // 40)])
                process.stdin.flush()
                time.sleep(0.02)
            process.stdin.close()
            said, code = process.stderr.read(), process.wait(WAIT)
        if code != (0 if whole else 1) or b"Traceback" in said or (folder / f"{whole}.png").exists() != whole:
            failures.append(f"exit {code}: {said[-200:]!r}")
    return Trial("slow input, and one that ends too soon", "waited for; a sentence", 2, failures)


def windows_killed(bench: Bench) -> Trial:
    """Kill windows while they save over a file; the next start must find what was open."""
    folder, failures = bench.new("windows"), list[str]()
    source, target = folder / "a.png", folder / "a.pcai"
    write_image(source, Image(picture(11)))
    whole = pcaimage.encode(picture(12), SETTINGS)
    target.write_bytes(whole)
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        **{name: str(folder) for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")},
    }
    code = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from pcaimage.gui import app
real = app.make_window
def make(*arguments):
    window = real(*arguments)
    beat = QTimer(window, interval=20)
    beat.timeout.connect(lambda: window.session.task() and window.session.save(Path(sys.argv[1])))
    window.session.saved.connect(lambda *_: print("saved", flush=True))
    beat.start()
    return window
app.make_window = make
app.main([sys.argv[2]])
"""
    for _ in range(bench.windows):
        words = [sys.executable, "-c", code, str(target), str(source)]
        with subprocess.Popen(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            if process.stdout is None or not process.stdout.readline():
                failures.append("the window did not save")
            time.sleep(bench.random.uniform(1.1, 1.6))  # what is open is noted within a second
            process.kill()
        try:
            pcaimage.decode(target.read_bytes())
        except PcaImageError as error:
            failures.append(str(error))
        notes = list(folder.glob("pcaimage/windows/*/open.json"))
        if not notes:
            failures.append("the window noted nothing")
        for note in notes:
            shutil.rmtree(note.parent)
    return Trial(
        "window killed while saving", "old or new file; what was open is noted", bench.windows, failures
    )


TRIALS = (
    killed_while_overwriting,
    two_writers,
    disk_full,
    no_memory,
    input_cut,
    refused_places,
    no_home,
    slow_input,
    windows_killed,
)


def main() -> None:
    """Print the table, and exit with 1 if anything did not hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--windows", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="run the trials whose name has this in it")
    chosen = parser.parse_args()
    print("| fault | must | tried | found |\n|---|---|---:|---|")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), chosen.rounds, chosen.windows, random.Random(chosen.seed))  # noqa: S311
        for trial in TRIALS:
            if not chosen.only or chosen.only in trial.__name__:
                found = trial(bench)
                print(found.row, flush=True)
                failed = failed or bool(found.failures)
    sys.exit(failed)


if __name__ == "__main__":
    main()

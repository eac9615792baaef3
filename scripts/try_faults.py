"""Provokes the faults of docs/reliability.md, and prints the outcomes as a table.

``try_faults.py [--rounds N] [--windows N] [--seed N]`` sets the number of kills and races, and of windows
that are killed while they save. It needs fork, so Linux or macOS. Everything happens in a temporary folder.
It exits with 1 if anything did not hold.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pcaimage
from pcaimage import Blocks, Settings, Stack, imaging
from pcaimage.errors import PcaImageError
from pcaimage.imaging import Image, write_image
from pcaimage.imaging.writing.folder_write import write_bands
from pcaimage.machine.folders import asset

SETTINGS = Settings(sampling=Blocks(8), k=12)
FORMATS = ("png", "jpg", "webp", "tif", "bmp", "jp2", "hdr", "npy", "npz", "pcai")
NOBODY = 65534
"""User id without privileges."""
WAIT = 60
"""Timeout for a process, in seconds."""


@dataclass
class Trial:
    """A fault, the number of attempts, and what did not hold."""

    fault: str
    expected: str
    tried: int
    failures: list[str]

    @property
    def row(self) -> str:
        """The line of a Markdown table."""
        if not self.tried:
            return f"| {self.fault} | {self.expected} | 0 | not tried here |"
        found = "held" if not self.failures else f"**failed {len(self.failures)} ×**: {self.failures[0]}"
        return f"| {self.fault} | {self.expected} | {self.tried:,} | {found} |"


@dataclass
class Bench:
    """Parameters of the trials: a temporary folder, and the number of attempts."""

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
    """Run work in a forked process, and return its process id."""
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
    """Wait for a process, and return its exit status as a shell reports it."""
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def command(
    *words: str | Path, before: Sequence[str] = (), **options: object
) -> subprocess.CompletedProcess[bytes]:
    """Run the program, with a command prefix if given."""
    arguments = [*before, sys.executable, "-m", "pcaimage", *map(str, words)]
    return subprocess.run(arguments, capture_output=True, timeout=WAIT, check=False, **options)  # type: ignore[call-overload,no-any-return]  # options of run


def in_a_sentence(found: subprocess.CompletedProcess[bytes]) -> str:
    """Return what is wrong with the way in which a command was refused; empty if nothing."""
    said = found.stderr.decode(errors="replace")
    if found.returncode != 1 or b"Traceback" in found.stderr or not said.startswith("pcaimage: "):
        return f"exit {found.returncode}: {said.strip()[-200:]}"
    return ""


def as_ordinary_user() -> list[str] | None:
    """Return the command prefix that drops root's privileges; None if that is not possible."""
    if os.geteuid():
        return []
    words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    try:
        subprocess.run([*words, sys.executable, "-c", "import numpy"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None  # there is no such program, or only root may read Python's files
    return words


def owned(folder: Path) -> Path:
    """Make the ordinary user the owner of a folder."""
    if not os.geteuid():
        os.chown(folder, NOBODY, NOBODY)
    return folder


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
    """Limit the size of files that this process writes, as if the disk were full."""
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


def batch_killed(bench: Bench) -> Trial:
    """Kill a batch at random moments, and resume it each time."""
    folder, failures, kills = bench.new("batch"), list[str](), max(4, bench.rounds // 50)
    photos, out = bench.new("batch-photos"), folder / "out"
    for number in range(4 * kills):
        write_image(photos / f"{number}.png", Image(picture(100 + number, 48)))
    words = [sys.executable, "-m", "pcaimage", "batch", str(photos), "-o", str(out), "--workers", "2"]
    words += ["--method", "blocks", "--k", "12", "--resume"]
    made = dict[str, int]()
    for number in range(kills):
        seconds = WAIT if number % 4 else bench.random.uniform(0, 3)  # some are killed while they start
        _killed(words, out, len(made) + bench.random.randrange(1, 5), seconds)
        failures += _made_twice(out, made)
    done = subprocess.run(words, capture_output=True, timeout=WAIT, check=False)
    if done.returncode or b"Traceback" in done.stderr:
        failures.append(f"exit {done.returncode}: {done.stderr.decode()[-200:]}")
    failures += _made_twice(out, made)
    for number in range(4 * kills):
        alone = folder / "alone.pcai"
        pcaimage.save(alone, imaging.read_image(photos / f"{number}.png"), SETTINGS, overwrite=True)
        target = out / f"{number}.pcai"
        if not target.exists() or target.read_bytes() != alone.read_bytes():
            failures.append(f"{target.name} is missing, or another file")
    failures += [f"{left.name} was left" for left in out.glob(".pcaimage-*.tmp")]
    return Trial(
        "batch killed (SIGKILL), and resumed", "every output whole, none made twice", kills, failures
    )


def _killed(words: list[str], out: Path, enough: int, seconds: float) -> None:
    """Run a batch, and kill it after some seconds, or when there are enough outputs."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and process.poll() is None and len([*out.glob("*.pcai")]) < enough:
            time.sleep(0.001)
        process.kill()


def _made_twice(out: Path, made: dict[str, int]) -> list[str]:
    """Record the existing outputs, and return those that changed since they were recorded."""
    now = {path.name: path.stat().st_mtime_ns for path in out.glob("*.pcai")}
    twice = [f"{name} was made twice" for name, when in now.items() if made.get(name, when) != when]
    made |= now
    return twice


def refused_places(bench: Bench) -> Trial:
    """Write to invalid places: folders, missing folders, pipes, devices, read-only folders."""
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


def read_only_folder(bench: Bench) -> Trial:
    """Write every format into a folder, and over a file in it, that a user may only read."""
    fault, expected = (
        "folder may only be read, every format, as an ordinary user",
        "a sentence; nothing changed",
    )
    folder, failures, prefix = bench.new("closed"), list[str](), as_ordinary_user()
    if prefix is None:
        return Trial(fault, expected, 0, [])
    source, image = folder / "a.png", Image(picture(20, 40))
    write_image(source, image)
    pcaimage.save(folder / "a.pcai", image, SETTINGS)
    for suffix in FORMATS:
        (folder / f"there.{suffix}").write_bytes(b"what was there before")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    folder.chmod(0o555)
    for suffix in FORMATS:
        for name in ("there", "new"):
            words: list[str | Path] = [
                "decode",
                folder / "a.pcai",
                folder / f"{name}.{suffix}",
                "--overwrite",
            ]
            if suffix == "pcai":
                words = ["encode", source, *words[2:], "--method", "blocks"]
            found = command(*words, before=prefix)
            failures += [f"{name}.{suffix}: {text}"] if (text := in_a_sentence(found)) else []
    if {path.name: path.read_bytes() for path in folder.iterdir()} != before:
        failures.append("the folder was changed")
    return Trial(fault, expected, 2 * len(FORMATS), failures)


def read_only_package(bench: Bench) -> Trial:
    """Run the program from a package that cannot be written to, without a home, as an ordinary user."""
    fault, expected = (
        "package and home not writable, as an ordinary user",
        "works; the package stays as it was",
    )
    folder, failures, prefix = bench.new("package"), list[str](), as_ordinary_user()
    if prefix is None:
        return Trial(fault, expected, 0, [])
    package = folder / "pcaimage"
    shutil.copytree(Path(pcaimage.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("icons", "resources"):  # as in an installed package
        shutil.copytree(asset(part), package / "_assets" / part, dirs_exist_ok=True)
    for path in (*package.rglob("*"), package):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted(package.rglob("*"))
    work = owned(bench.new("package-work"))
    write_image(work / "a.png", Image(picture(21, 64)))
    environment = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(folder),
        "HOME": "/proc/none",
        "QT_QPA_PLATFORM": "offscreen",
        "TMPDIR": str(work),
    }
    programs = [[*ENCODE, "--method", method] for method in ("photo", "bands", "blocks", "channels")]
    programs += [
        ["decode", "b.pcai", "b.png", "--overwrite"],
        ["info", "b.pcai"],
        ["compare", "a.png", "b.png"],
    ]
    words = [[sys.executable, "-m", "pcaimage", *each] for each in programs]
    words += [[sys.executable, "-c", each, str(package)] for each in (CORE_LOADED, WINDOW_OPENED)]
    for each in words:
        found = subprocess.run(
            [*prefix, *each], cwd=work, env=environment, capture_output=True, timeout=WAIT, check=False
        )
        if found.returncode or b"Traceback" in found.stderr:
            failures.append(f"{each[3:]}: exit {found.returncode}, {found.stderr.decode()[-300:]}")
    if sorted(package.rglob("*")) != before:
        failures.append("the package was changed")
    return Trial(fault, expected, len(words), failures)


ENCODE = ["encode", "a.png", "b.pcai", "--overwrite"]

CORE_LOADED = """
import sys
from pathlib import Path
from pcaimage.core import library
import pcaimage.codec
assert library.path_of_library().is_relative_to(sys.argv[1]), library.path_of_library()
"""

WINDOW_OPENED = """
import sys
from PySide6.QtCore import QTimer
from pcaimage.gui import app
real = app.make_window
def make(*arguments):
    window = real(*arguments)
    beat = QTimer(window, interval=20)
    beat.timeout.connect(lambda: window.session.task() and app.QApplication.exit(0))
    beat.start()
    return window
app.make_window = make
sys.exit(app.main(["a.png"]))
"""

JUMPING_CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long jump(void) {
    static unsigned seed;
    if (!seed) seed = (unsigned)getpid();
    return (long)(rand_r(&seed) % 20001 - 10000) * 63072;  /* twenty years back or forth */
}
int clock_gettime(clockid_t kind, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(kind, now);
    if (kind == CLOCK_REALTIME) now->tv_sec += jump();
    return code;
}
time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval *now, void *zone) {
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
"""
"""A library that replaces the system's clock: each call returns another year."""

SAVING = """
import sys, time
import numpy as np, pcaimage
from pcaimage import Blocks, Settings
assert len({round(time.time() / 1e7) for _ in range(50)}) > 9, "the clock does not jump"
for number in range(int(sys.argv[2])):
    image = np.full((64, 64, 3), number % 200, np.uint8)
    pcaimage.save(sys.argv[1], image, Settings(sampling=Blocks(8), k=2), overwrite=True)
"""


def clock_jumps(bench: Bench) -> Trial:
    """Save while the clock jumps by years, and others save, are killed, and leave files of any age."""
    fault, expected = (
        "clock that jumps by years, with two writers, one killed",
        "saved; the next save tidies up",
    )
    folder, failures = bench.new("clock"), list[str]()
    library, code, compiler = folder / "clock.so", folder / "clock.c", shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return Trial(fault, expected, 0, [])
    code.write_text(JUMPING_CLOCK, "utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, code, "-ldl"], check=True)
    place, rounds, each = bench.new("clock-work"), max(1, bench.rounds // 50), 40
    target = place / "a.pcai"
    words = [sys.executable, "-c", SAVING, str(target), str(each)]
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    for _ in range(rounds):
        killed, other = (subprocess.Popen(words, env=environment, stderr=subprocess.PIPE) for _ in range(2))
        time.sleep(bench.random.uniform(0.3, 1.5))
        killed.kill()
        for left in place.glob(".pcaimage-*"):
            with suppress(FileNotFoundError):
                os.utime(left, (bench.random.choice((0, 2**31, 2**33)),) * 2)
        said = other.communicate(timeout=WAIT)[1]
        killed.communicate()
        if other.returncode:
            failures.append(f"exit {other.returncode}: {said.decode()[-200:]}")
        try:
            pcaimage.decode(target.read_bytes())
        except (PcaImageError, OSError) as error:
            failures.append(str(error))
    pcaimage.save(target, picture(22, 64), SETTINGS, overwrite=True)
    failures += [f"{left.name} was left" for left in place.iterdir() if left != target]
    return Trial(fault, expected, rounds * each, failures)


def input_vanishes(bench: Bench) -> Trial:
    """Remove images, a folder of them, or an image's second file, while they are opened and encoded."""
    folder, failures = bench.new("vanishes"), list[str]()
    rounds = max(4, bench.rounds // 20)
    image, target = picture(23), folder / "a.pcai"
    for number in range(rounds):
        source = bench.new(f"vanishes-{number}")
        names = ("1.png", "2.png", "3.png", "4.png", "5.png") if number % 2 else ("a.hdr",)
        for name in names:
            write_image(source / name, Image(image))
        opened = source if number % 2 else source / "a.hdr"

        def encode(opened: Path = opened) -> None:
            try:
                stack = opened.is_dir()
                read = imaging.read_stack(opened) if stack else imaging.read_image(opened)
                pcaimage.save(target, read, Settings(k=2, sampling=Stack() if stack else Blocks(8)))
            except PcaImageError as error:
                os._exit(7 if str(error).endswith(".") else 8)
            os._exit(0)

        process = forked(encode)
        time.sleep(bench.random.uniform(0, 0.04))
        shutil.rmtree(source)
        code = ended(process)
        if code not in {0, 7} or target.exists() != (code == 0):
            failures.append(f"exit {code}, and the file is {'there' if target.exists() else 'not there'}")
        target.unlink(missing_ok=True)
    failures += [f"{left.name} was left" for left in folder.iterdir()]
    return Trial("input removed while it is opened", "a sentence, nothing is left", rounds, failures)


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


def slow_pipes(bench: Bench) -> Trial:
    """Let input come and output go a few bytes at a time, through pipes; some inputs end too soon."""
    folder, failures = bench.new("slow"), list[str]()
    image = picture(10, 64)
    write_image(folder / "a.png", Image(image))
    png, packed = (folder / "a.png").read_bytes(), pcaimage.encode(image, SETTINGS)
    cases = (
        (["decode", "-", "-", "--format", "png"], packed),
        (["encode", "-", "-", "--method", "blocks"], png),
    )
    for words, data in cases:
        for whole in (True, False):
            code, out, said = _slowly(words, data if whole else data[: len(data) // 2])
            held = code == 0 and bool(out) if whole else code == 1 and not out
            if not held or b"Traceback" in said:
                failures.append(f"{words[0]}: exit {code}, {len(out)} bytes, {said[-200:]!r}")
    return Trial("slow pipes as input and output; input ends too soon", "waited for; a sentence", 4, failures)


def _slowly(words: list[str], data: bytes) -> tuple[int, bytes, bytes]:
    """Run the program on slow pipes; return its exit code and what it wrote to both streams."""
    arguments = [sys.executable, "-m", "pcaimage", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0) as process:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("no pipes")
        step = max(1, len(data) // 40)
        for start in range(0, len(data), step):
            process.stdin.write(data[start : start + step])
            time.sleep(0.02)
        process.stdin.close()
        out = b""
        while part := process.stdout.read(max(1, len(data) // 40)):
            out += part
            time.sleep(0.02)
        return process.wait(WAIT), out, process.stderr.read()


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
            time.sleep(bench.random.uniform(1.1, 1.6))  # the open file is recorded within a second
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
    input_vanishes,
    read_only_folder,
    read_only_package,
    clock_jumps,
    batch_killed,
    refused_places,
    no_home,
    slow_pipes,
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
        Path(folder).chmod(0o755)  # an ordinary user must be able to enter it
        bench = Bench(Path(folder), chosen.rounds, chosen.windows, random.Random(chosen.seed))  # noqa: S311
        for trial in TRIALS:
            if not chosen.only or chosen.only in trial.__name__:
                found = trial(bench)
                print(found.row, flush=True)
                failed = failed or bool(found.failures)
    sys.exit(failed)


if __name__ == "__main__":
    main()

"""Files that another program changes while their pixels are read from them.

Each test is a process of its own, for the system ends processes that read what is gone.
"""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import pcaimage
from pcaimage.imaging import Image, write_image

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses to cut mapped files"),
]

CUBE = np.random.default_rng(2).integers(0, 4000, (96, 128, 24)).astype(np.uint16)
"""An image of 590 kB: dozens of pages."""

PRELUDE = """
import subprocess, sys
import numpy as np
from pathlib import Path
import pcaimage
from pcaimage import api
from pcaimage.codec import Settings
from pcaimage.codec.linear import model
from pcaimage.errors import ChangedError, ImageError
from pcaimage.imaging import read_image, write_image
from pcaimage.imaging.cubes import raw
from pcaimage.imaging.image import pixels
raw.MAP_FROM = 1

def other_program(code, path="{path}"):
    subprocess.run([sys.executable, "-c", code, path], check=True)

def cut(*_):
    other_program("import os, sys; os.truncate(sys.argv[1], 8192)")

def once(act):
    done = []
    def progress(*_):
        if not done:
            done.append(act())
    return progress
"""


def outcome(code, path, status=0):
    """Run code in another process, after the prelude, which must end with a status."""
    found = subprocess.run(
        [sys.executable, "-c", PRELUDE.replace("{path}", str(path)) + code],
        capture_output=True,
        text=True,
        cwd=path.parent,
        env={**os.environ, "PYTHONFAULTHANDLER": ""},
        timeout=300,
        check=False,
    )
    assert found.returncode == status, found.stderr
    return found


@pytest.fixture
def npy(tmp_path):
    np.save(tmp_path / "cube.npy", CUBE)
    return tmp_path / "cube.npy"


def test_encoding_says_that_the_file_changed_and_leaves_nothing(npy):
    code = """
whole = Path("cube.npy").read_bytes()
ways = [{"k": 3}, {"psnr": 60}, {"lossless": True}, {"sampling": pcaimage.Channels(), "k": 3}]
for settings in [Settings(**way) for way in ways]:
    Path("cube.npy").write_bytes(whole)
    image = read_image("cube.npy")
    assert image.is_mapped
    try:
        api.save("out.pcai", image, settings, progress=once(cut))
    except ChangedError as error:
        print(error)
"""
    found = outcome(code, npy)
    sentence = (
        "cube.npy was changed by another program while it was being read; try again when that is finished."
    )
    assert found.stdout.splitlines() == [sentence] * 4
    assert list(npy.parent.iterdir()) == [npy]


def test_writing_says_so_too(npy):
    code = """
whole = Path("cube.npy").read_bytes()
def write_over():
    other_program("import sys; open(sys.argv[1], 'r+b').write(b'x' * 9000)")
for name in ["out.npy", "out.npz", "out.tif", "out.hdr"]:
    for change in [cut, write_over]:
        Path("cube.npy").write_bytes(whole)
        image = read_image("cube.npy")
        change()
        try:
            write_image(name, image)
        except ImageError as error:
            print(error)
"""
    found = outcome(code, npy)
    assert found.stdout.count("changed by another program") == 8
    assert list(npy.parent.iterdir()) == [npy]


def test_cubes_of_envi_are_guarded(tmp_path):
    write_image(tmp_path / "a.hdr", Image(CUBE))
    code = """
header = Path("a.hdr").read_text()
values = np.fromfile("a.img", np.uint16)
for interleave in ["bsq", "bil", "bip"]:
    Path("a.hdr").write_text(header.replace("bsq", interleave))
    values.tofile("a.img")
    image = read_image("a.hdr")
    assert image.is_mapped
    cut()
    assert not image.pixels[-1, -1].any()
    try:
        api.compress_image(image, Settings(k=2))
    except ChangedError as error:
        print(error)
"""
    found = outcome(code, tmp_path / "a.img")
    assert found.stdout.count("a.img was changed") == 3


def test_a_file_that_is_cut_while_it_is_read_into_memory(npy):
    code = """
raw.MAP_FROM = 1 << 40
real = raw.watch
raw.watch = lambda array: (real(array), cut())
try:
    read_image("cube.npy")
except ChangedError as error:
    print(error)
"""
    found = outcome(code, npy)
    assert found.stdout.startswith("cube.npy was changed")


def test_a_file_that_is_replaced_is_not_changed(npy):
    code = """
import os
image = read_image("cube.npy")
np.save("other.npy", np.zeros((3, 3)))
os.replace("other.npy", "cube.npy")
api.save("out.pcai", image, Settings(lossless=True))
"""
    outcome(code, npy)
    assert np.array_equal(pcaimage.decode((npy.parent / "out.pcai").read_bytes()), CUBE)


def test_several_threads_may_meet_the_end_of_a_file(npy):
    code = """
from concurrent.futures import ThreadPoolExecutor
from pcaimage.machine.mapped import check_watched
images = [read_image("cube.npy") for _ in range(8)]
cut()
with ThreadPoolExecutor(16) as pool:
    sums = list(pool.map(lambda image: int(image.pixels[::-1].astype(np.int64).sum()), images * 8))
assert min(sums) >= 0
del images
import gc
gc.collect()
check_watched()
image = read_image("other.npy")
assert int(image.pixels.sum()) == 5000
check_watched()
"""
    np.save(npy.parent / "other.npy", np.ones((100, 50), np.uint8))
    outcome(code, npy)


@pytest.mark.parametrize("before", ["", "import faulthandler; faulthandler.enable()"])
def test_other_bus_errors_end_the_process_as_ever(npy, before):
    code = f"""
{before}
image = read_image("cube.npy")
other = np.memmap("other", np.uint8, "r")
import os
os.truncate("other", 0)
print(other[-1])
"""
    (npy.parent / "other").write_bytes(bytes(1 << 16))
    found = outcome(code, npy, -signal.SIGBUS)
    assert ("Fatal Python error: Bus error" in found.stderr) == bool(before)


def test_a_bus_error_that_is_sent_ends_the_process(npy):
    code = 'import os, signal\nread_image("cube.npy")\nos.kill(os.getpid(), signal.SIGBUS)\nos._exit(3)'
    outcome(code, npy, -signal.SIGBUS)


def test_the_command_line_says_so_in_a_sentence(npy):
    code = """
from pcaimage.cli import encode, main
real = encode.api.compress_image
def compress(*arguments, **options):
    cut()
    return real(*arguments, **options)
encode.api.compress_image = compress
sys.argv = ["pcaimage", "encode", "cube.npy", "out.pcai", "--k", "3"]
main.run()
"""
    found = outcome(code, npy, 1)
    assert found.stderr.splitlines()[-1].startswith("pcaimage: cube.npy was changed by another program")
    assert "Traceback" not in found.stderr
    assert list(npy.parent.iterdir()) == [npy]

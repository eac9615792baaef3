"""Programs in C that know nothing of this package decode with the library that is installed for them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pcaimage
from tests.golden import make

ROOT = Path(__file__).parents[3]

STRANGER = Path(__file__).with_name("stranger.c").read_text("utf-8")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A folder with the library."""
    if sys.platform == "win32" or not shutil.which("cc"):
        pytest.skip("There is no compiler.")
    folder = tmp_path_factory.mktemp("installed")
    made = tmp_path_factory.mktemp("made")
    script = ROOT / "scripts" / "make_lib.py"
    command = [sys.executable, str(script), "--to", str(made), "--prefix", str(folder)]
    subprocess.run(command, check=True)
    return folder


def run(words, **more):
    return subprocess.run([*map(str, words)], capture_output=True, check=False, **more)


@pytest.mark.slow
@pytest.mark.parametrize("static", [False, True])
def test_a_strangers_program_decodes_a_file(prefix, tmp_path, static):
    if not shutil.which("pkg-config"):
        pytest.skip("There is no pkg-config.")
    source = tmp_path / "stranger.c"
    source.write_text(STRANGER)
    environment = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig"), "PATH": "/usr/bin:/bin"}
    asked = run(["pkg-config", "--cflags", "--libs", "pcai"], env=environment)
    assert asked.returncode == 0, asked.stderr
    words = asked.stdout.decode().split()
    if static:
        words = [str(prefix / "lib" / "libpcai.a") if word == "-lpcai" else word for word in words]
    program = tmp_path / "stranger"
    compiled = run(["cc", "-Wall", "-Wextra", "-Werror", source, "-o", program, *words])
    assert compiled.returncode == 0, compiled.stderr
    data = (make.HERE / "blocks-8.pcai").read_bytes()
    done = run([program], input=data, env={"LD_LIBRARY_PATH": str(prefix / "lib")})
    assert done.returncode == 0, done.stderr
    assert done.stdout == pcaimage.decode(data).tobytes()


@pytest.mark.slow
def test_the_library_shows_its_interface_alone(prefix):
    if not shutil.which("nm"):
        pytest.skip("There is no nm.")
    header = (prefix / "include" / "pcai.h").read_text()
    for library, words in (("libpcai.so", ["-D", "--defined-only"]), ("libpcai.a", ["-g", "--defined-only"])):
        lines = run(["nm", *words, prefix / "lib" / library]).stdout.decode().splitlines()
        names = [line.split()[-1] for line in lines if len(line.split()) == 3]
        assert "pcai_open" in names
        assert all(f" {name}(" in header or f"*{name}(" in header for name in names)


@pytest.mark.slow
def test_the_command_decodes_to_arrays_and_pictures(prefix, tmp_path):
    command = prefix / "bin" / "pcai"
    for name in ("blocks-alpha-metadata", "bands-real", "stack", "white-blocks", "bands-lossless-holes"):
        path = make.HERE / f"{name}.pcai"
        opened = pcaimage.open(path)
        for k in (None, 1):
            asked = [command, "decode", path, tmp_path / "out.npy", *(() if k is None else ("--k", k))]
            assert run(asked).returncode == 0
            np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), opened.decode(k))
        told = json.loads(run([command, "info", path, "--json"]).stdout)
        assert (told["components"], told["chunks"][-1]["stop"]) == (opened.k, path.stat().st_size)
        for size in (7, 300):
            assert run([command, "thumbnail", path, tmp_path / "out.png", size]).returncode == 0
            with picture_at(tmp_path / "out.png") as picture:
                assert max(picture.size) <= size


def picture_at(path):
    """Open a picture, and check that it is whole."""
    picture = Image.open(path)
    picture.load()
    return picture


@pytest.mark.slow
def test_the_command_writes_portable_pictures_with_opacity(prefix):
    path = make.HERE / "blocks-alpha-metadata.pcai"
    data = run([prefix / "bin" / "pcai", "decode", path, "-"]).stdout
    head, _, pixels = data.partition(b"ENDHDR\n")
    assert head.splitlines()[1:] == [
        b"WIDTH 38",
        b"HEIGHT 45",
        b"DEPTH 4",
        b"MAXVAL 255",
        b"TUPLTYPE RGB_ALPHA",
    ]
    found = np.frombuffer(pixels, np.uint8).reshape(45, 38, 4)
    opened = pcaimage.open(path)
    np.testing.assert_array_equal(found[..., :3], opened.decode())
    np.testing.assert_array_equal(found[..., 3], opened.compressed.alpha)
    stack = run([prefix / "bin" / "pcai", "decode", make.HERE / "stack-16-bit.pcai", "-"]).stdout
    images = stack.split(b"P7\n")[1:]
    expected = pcaimage.open(make.HERE / "stack-16-bit.pcai").decode()
    assert len(images) == len(expected)
    assert images[1].partition(b"ENDHDR\n")[2] == expected[1].astype(">u2").tobytes()


@pytest.mark.slow
def test_the_command_says_what_is_wrong_in_a_sentence(prefix, tmp_path):
    command, path = prefix / "bin" / "pcai", make.HERE / "blocks-8.pcai"
    cut = tmp_path / "cut.pcai"
    cut.write_bytes(path.read_bytes()[:-20])
    for words, sentence in (
        (["info", cut], f"{cut}: The file is cut short. (at byte {cut.stat().st_size})"),
        (["decode", make.HERE / "lent-stack.pcai", "-"], "The image's basis is in a model file"),
        (["decode", path, "-", "--k", "99"], "The image does not have so many components."),
        (["decode", make.HERE / "bands-real.pcai", tmp_path / "x.pam"], "give a name that ends in .npy."),
        (["decode", tmp_path / "none.pcai", "-"], "It cannot be read."),
        (["decode", path, "-", "--k", "x"], "--k: It needs another number."),
    ):
        done = run([command, *words])
        assert done.returncode == 1
        assert sentence in done.stderr.decode()
    assert run([command, "decode", cut, tmp_path / "x.pam", "--salvage"]).returncode == 0
    assert run([command]).returncode == 2
    model = make.HERE / "stack-grey-3d.pcai"
    asked = [command, "decode", make.HERE / "lent-stack.pcai", tmp_path / "x.npy", "--model", model]
    assert run(asked).returncode == 0
    np.testing.assert_array_equal(
        np.load(tmp_path / "x.npy"), pcaimage.open(make.HERE / "lent-stack.pcai", model=model).decode()
    )

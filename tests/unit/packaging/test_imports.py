"""Modules that importing the library and running each command load, and those that they do not.

``tests/unit/test_api.py`` says the rest.
"""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden"

HEAVY = frozenset({"argcomplete", "rich", "PIL", "tifffile", "scipy", "skimage", "PySide6"})
"""Packages that no command loads unless it is named below that it does."""

LAZY = ("api", "batching", "codec", "container", "imaging", "pca")


def loaded(*words, folder):
    """Run a command, and return the modules that are loaded when it has ended."""
    program = """import sys
from pcaimage.cli import main
sys.argv = ["pcaimage", *sys.argv[1:]]
try:
    main.run()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)"""
    answer = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    # How numbers are read and written is a module of a few lines, which needs no other.
    return set(answer.stderr.split()) - {"pcaimage.insight", "pcaimage.insight.formatting"}


@pytest.mark.parametrize("suffix", ["png", "tif", "npy", "npz", "hdr"])
@pytest.mark.slow
def test_decoding_loads_no_library_for_what_is_written_here(tmp_path, suffix):
    found = loaded("decode", str(GOLDEN / "blocks-8.pcai"), f"out.{suffix}", folder=tmp_path)
    assert found & HEAVY == ({"tifffile"} if suffix == "tif" else set())
    unwanted = ("pcaimage.gui", "pcaimage.insight", "pcaimage.codec.encoder", "pcaimage.imaging.reading.read")
    assert not [name for name in found if name.startswith(unwanted)]
    writers = {"tiff.write", "still.png", "cubes.numpy_files", "cubes.envi"}
    used = {name for name in writers if f"pcaimage.imaging.{name}" in found}
    assert len(used) == 1


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["jpg", "bmp"])
def test_decoding_to_what_pillow_writes_loads_pillow_alone(tmp_path, suffix):
    found = loaded("decode", str(GOLDEN / "blocks-8.pcai"), f"out.{suffix}", folder=tmp_path)
    assert found & HEAVY == {"PIL"}


@pytest.mark.parametrize("method", ["photo", "bands", "blocks"])
@pytest.mark.sweep(3)
def test_decoding_loads_no_method(tmp_path, method):
    name = "blocks-8" if method == "blocks" else method
    found = loaded("decode", str(GOLDEN / f"{name}.pcai"), "out.npy", folder=tmp_path)
    methods = {each for each in ("photo", "linear") if f"pcaimage.codec.{each}.method" in found}
    assert not methods
    estimating = ("rates", "preview", "own_bases", "linear.exact", "quantizer")
    assert not [each for each in found if each.startswith("pcaimage.codec") and each.endswith(estimating)]


def test_encoding_a_photo_by_its_step_loads_what_it_needs_alone(tmp_path):
    (tmp_path / "in.ppm").write_bytes(b"P6 16 16 255\n" + bytes(range(256)) * 3)
    found = loaded("encode", "in.ppm", "out.pcai", folder=tmp_path)
    assert found & HEAVY == {"PIL"}
    others = ("codec.targets", "codec.linear", "codec.photo.residual", "cli.info", "insight")
    assert not [name for name in found if name.startswith(tuple(f"pcaimage.{each}" for each in others))]
    assert "concurrent.futures" not in found


LOOKING = {
    "info": ["info", "{file}"],
    "info --json": ["info", "{file}", "--json"],
    "trim": ["trim", "{file}", "out.pcai", "--k", "3"],
}


@pytest.mark.parametrize("words", LOOKING.values(), ids=LOOKING)
@pytest.mark.slow
def test_looking_at_a_file_loads_no_other_format(tmp_path, words):
    given = [word.format(file=GOLDEN / "blocks-8.pcai") for word in words]
    allowed = {"rich"} if words == ["info", "{file}"] else set()
    assert loaded(*given, folder=tmp_path) & HEAVY <= allowed


@pytest.mark.slow
def test_a_batch_loads_no_format_where_it_only_waits(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.png").touch()
    program = f"""import sys
from pcaimage.cli import main
sys.argv = ["pcaimage", "batch", "in", "-o", "out"]
try:
    main.run()
except SystemExit as end:
    assert end.code == 2
assert not {set(HEAVY)} & set(sys.modules)"""
    words = [sys.executable, "-c", program]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    subprocess.run(words, cwd=tmp_path, env=environment, check=True, timeout=120)


@pytest.mark.parametrize("package", LAZY)
@pytest.mark.slow
def test_names_are_those_of_their_modules_whatever_is_imported_first(package):
    """A module of a function's name must not take its place."""
    program = f"""import importlib, pkgutil
import pcaimage.{package} as package
for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(found.name)
for name in package.__all__:
    assert not isinstance(getattr(package, name), type(pkgutil)), name
    assert name in dir(package), name"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=120)


def test_every_lazy_package_is_among_those_tested():
    lazy = {
        ".".join(path.parent.relative_to(ROOT / "pcaimage").parts)
        for path in (ROOT / "pcaimage").rglob("__init__.py")
        if "= importing(" in path.read_text()
    }
    assert lazy == set(LAZY)


def test_only_what_a_lazy_package_publishes_is_imported_from_it() -> None:
    """Type checkers see all names of its modules."""
    pattern = re.compile(r"from pcaimage\.([\w.]+) import (\([^)]*\)|[^(\n]+)")
    for path in (ROOT / "pcaimage").rglob("*.py"):
        for package, text in pattern.findall(path.read_text()):
            names = {name.split()[0] for name in text.strip("()").split(",") if name.strip()}
            if package in LAZY and names != {"*"}:
                where = ROOT.joinpath("pcaimage", *package.split("."))
                known = {each.stem for each in where.iterdir()}
                assert names <= known | {*importlib.import_module(f"pcaimage.{package}").__all__}, path

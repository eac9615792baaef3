"""The built wheel, installed where the checkout cannot be seen, is the whole program."""

import json
import os
import site
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import compile_core
import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


def run(*command, cwd):
    result = tried(*command, cwd=cwd)
    assert result.returncode == 0, f"{command} failed:\n{result.stdout}{result.stderr}"
    return result.stdout


def tried(*command, cwd):
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"} | {name for name in os.environ if "COV" in name}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"QT_QPA_PLATFORM": "offscreen", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # Without isolation nothing is fetched: the build backend is one of the test requirements.
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return an environment that holds the wheel, and borrows only its dependencies from this one."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    install = ["install", "--no-deps", "--no-index", wheel]
    run(sys.executable, "-m", "pip", "--python", python, *install, cwd=folder)
    # A folder named in a .pth file is searched after the environment's own packages, and the .pth files in it
    # (an editable install's, say) are not read: the checkout stays out of sight.
    own = sysconfig.get_path("purelib", "venv", {"base": str(folder)})
    Path(own, "dependencies.pth").write_text("\n".join(site.getsitepackages()))
    return folder


@pytest.fixture
def python(installed, tmp_path):
    return lambda *arguments: run(installed / "bin" / "python", *arguments, cwd=tmp_path)


def test_the_wheel_contains_icons_resources_types_the_licence_and_the_library_of_its_platform(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    shipped = {name.removeprefix("pcaimage/_assets/") for name in names}
    for folder in ("icons", "resources"):
        assert shipped >= {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.*")}
    assert "pcaimage/py.typed" in names
    for text in ("LICENSE", "NOTICE"):
        assert any(name.endswith(f"licenses/{text}") for name in names)
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "docs", "training"))]
    core = [name for name in names if name.startswith("pcaimage/core/")]
    libraries = [name for name in core if Path(name).suffix in {".so", ".dll", ".dylib"}]
    assert libraries == [f"pcaimage/core/{compile_core.library().name}"]
    assert wheel.name.endswith(f"-py3-none-{compile_core.this_platform().tag}.whl")


def test_the_source_archive_has_what_the_core_is_compiled_from(tmp_path):
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    sources = [path for path in compile_core.SOURCES.iterdir() if path.suffix in {".c", ".h"}]
    assert names >= {path.relative_to(ROOT).as_posix() for path in sources}
    assert names >= {"hatch_build.py", "scripts/compile_core.py", "pyproject.toml"}
    assert not [name for name in names if Path(name).suffix in {".so", ".o", ".dll", ".dylib"}]


def test_the_installed_package_is_the_wheels_and_finds_its_assets(python, installed):
    program = (
        "import pcaimage, pcaimage.machine.folders as a\n"
        "print(pcaimage.__file__, a.asset('icons', 'open.svg'), a.asset('icons', 'app', 'pcaimage-64.png'),"
        " a.asset('resources', 'org.pcaimage.PcaImage.desktop'), sep='\\n')"
    )
    for path in python("-c", program).splitlines():
        assert Path(path).resolve().is_relative_to(installed.resolve())


def test_an_image_goes_through_the_installed_program_and_comes_back(python, tmp_path):
    rows, columns = np.mgrid[0:61, 0:83]
    picture = np.stack([rows * 4, columns * 3, (rows + columns) % 97 * 2], axis=-1).astype(np.uint8)
    Image.fromarray(picture).save(tmp_path / "in.png")

    python(
        "-m", "pcaimage", "encode", "in.png", "out.pcai", "--method", "blocks", "--block", "8", "--k", "20"
    )
    python("-m", "pcaimage", "decode", "out.pcai", "back.png")
    information = json.loads(python("-m", "pcaimage", "info", "out.pcai", "--json"))

    assert information["k"] == 20
    assert (tmp_path / "out.pcai").stat().st_size < (tmp_path / "in.png").stat().st_size * 20
    back = np.asarray(Image.open(tmp_path / "back.png"), dtype=float)
    assert back.shape == picture.shape
    assert np.mean((back - picture) ** 2) < 100  # better than 28 dB


@pytest.mark.parametrize("damaged", [None, b"", b"no library"], ids=["missing", "empty", "other"])
def test_without_its_core_the_program_says_so_in_a_sentence(installed, tmp_path, damaged):
    python = installed / "bin" / "python"
    library = Path(run(python, "-c", "import pcaimage.core as c; print(c.__path__[0])", cwd=tmp_path).strip())
    library /= compile_core.library().name
    kept = library.rename(tmp_path / "kept")
    try:
        if damaged is not None:
            library.write_bytes(damaged)
        for words in ("gui", ""):
            window = tried(python, "-m", "pcaimage", *words.split(), cwd=tmp_path)
            assert window.returncode == 1
            assert window.stderr.startswith(f"pcaimage: The compiled core {library} is ")
            assert window.stderr.endswith("pip install .` in the program's folder compiles it.\n")
            assert window.stderr.count("\n") == 1
        # What needs no core still works.
        assert "usage" in run(python, "-m", "pcaimage", "--help", cwd=tmp_path)
        imported = tried(python, "-c", "import pcaimage.codec.coding.range_coder", cwd=tmp_path)
        last = imported.stderr.splitlines()[-1]
        assert last.startswith(f"pcaimage.errors.CoreError: The compiled core {library} is ")
    finally:
        kept.replace(library)

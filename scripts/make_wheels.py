"""Makes wheels for all platforms on one machine, and checks their contents.

``make_wheels.py`` makes all; ``make_wheels.py linux-x86_64 macos-arm64`` makes these. Zig compiles the core
for each. The wheel for this machine is installed and used without compiler and network.
"""

from __future__ import annotations

import os
import platform as host
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from email.parser import Parser
from itertools import product
from pathlib import Path
from typing import Any

import lief
import make_web
from compile_core import BUILD, PLATFORMS, ROOT, SOURCES, Platform

DIST = ROOT / "dist"
WHEELHOUSE = BUILD / "wheelhouse"
"""Wheels of the program's dependencies, so that it can be installed without a network."""

GLIBC = (2, 17)
MACOS = (11, 0)

_LIBRARIES = r"libc\.so(\.6)?|libm\.so\.6|ld-linux-\S+|/usr/lib/libSystem\.B\.dylib"
"""Libraries that every system of its kind has."""

_USE = """
import numpy as np, pcaimage
from PIL import Image
rows, columns = np.mgrid[0:61, 0:83]
picture = np.stack([rows * 4, columns * 3, (rows + columns) % 97 * 2], axis=-1).astype(np.uint8)
Image.fromarray(picture).save("in.png")
for settings in (pcaimage.Settings(lossless=True), pcaimage.Settings(pcaimage.Bands(), lossless=True)):
    assert (pcaimage.decode(pcaimage.encode(picture, settings)) == picture).all()
"""


def declared(files: list[Path]) -> set[str]:
    """Return the names that source files of the core export."""
    names = r"^(?:API\s[^;{}()]*?|EITHER_WIDTH\(API, )(pcai_\w+)[(,]"
    return {name for file in files for name in re.findall(names, file.read_text("utf-8"), re.MULTILINE)}


def make(name: str) -> Path:
    """Make the wheel of a platform."""
    print(f"{name}: ", end="", flush=True)
    before = set(DIST.glob("*.whl"))
    for old in DIST.glob(f"*-{PLATFORMS[name].tag}.whl"):
        old.unlink()
        before.discard(old)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(DIST)]
    environment = {**os.environ, "PCAIMAGE_PLATFORM": name}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(result.stderr.strip())
    (wheel,) = set(DIST.glob("*.whl")) - before
    return wheel


def check(wheel: Path, name: str) -> list[str]:
    """Return a sentence for each fault of a wheel for a platform."""
    platform = PLATFORMS[name]
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        archive.extractall(folder)
        (notes,) = Path(folder).glob("*.dist-info/WHEEL")
        faults = _check_tags(wheel, notes.read_text("utf-8"), platform)
        libraries = [
            path for path in Path(folder).rglob("*") if path.suffix in {".so", ".dll", ".dylib", ".pyd"}
        ]
        expected = Path(folder, "pcaimage", "core", platform.file)
        if libraries != [expected]:
            return [*faults, f"It holds {[path.name for path in libraries]}."]
        return [*faults, *_check_library(expected, name)]


def _check_tags(wheel: Path, notes: str, platform: Platform) -> list[str]:
    said = Parser().parsestr(notes)
    tags = {"-".join(parts) for parts in product(["py3"], ["none"], platform.tag.split("."))}
    faults = []
    if not wheel.name.endswith(f"-py3-none-{platform.tag}.whl"):
        faults.append("Its name is wrong.")
    if set(said.get_all("Tag", [])) != tags or said["Root-Is-Purelib"] != "false":
        faults.append("Its tags are wrong.")
    return faults


def _check_library(path: Path, name: str) -> list[str]:
    """Return the faults of a library: its exports, its dependencies, and its requirements."""
    library: Any = lief.parse(str(path))
    exported = {function.name.removeprefix("_") for function in library.exported_functions}
    # Some formats do not tell functions from constants.
    others = r"_*(mh_dylib_header|dso_handle)|pcai_size_of_\w+"
    exported = {function for function in exported if not re.fullmatch(others, function)}
    faults = []
    if exported != declared(list(SOURCES.glob("*.c"))):
        faults.append(f"It exports {sorted(exported)}.")
    machine = lief.Header.ARCHITECTURES.X86_64 if "x86_64" in name else lief.Header.ARCHITECTURES.ARM64
    if library.abstract.header.architecture != machine:
        faults.append(f"It is for {library.abstract.header.architecture}.")
    needed = [str(getattr(each, "name", each)) for each in library.libraries]
    if foreign := [
        each for each in needed if not re.fullmatch(_LIBRARIES, each) and each != platform_name(library)
    ]:
        faults.append(f"It needs {foreign}.")
    return [*faults, *_check_age(library)]


def platform_name(library: Any) -> str:
    """Return a macOS library's install name; empty on other systems."""
    commands = [each for each in getattr(library, "libraries", []) if hasattr(each, "command")]
    return next((each.name for each in commands if each.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB), "")


def _check_age(library: Any) -> list[str]:
    """Return the symbols that a library needs and older systems lack."""
    if isinstance(library, lief.ELF.Binary):
        names = [
            version.name
            for needs in library.symbols_version_requirement
            for version in needs.get_auxiliary_symbols()
        ]
        newer = [name for name in names if _numbers(name) > GLIBC]
        return [f"It needs {newer}."] if newer else []
    if isinstance(library, lief.MachO.Binary):
        oldest = tuple(
            (library.build_version or library.version_min).minos
            if library.build_version
            else library.version_min.version
        )
        return [f"It needs macOS {oldest}."] if oldest[:2] != MACOS else []
    return []


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", name)))


def use(wheel: Path) -> None:
    """Install a wheel into a fresh environment and use it, without compiler and network."""
    WHEELHOUSE.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    fetch = [
        *pip,
        "download",
        "--quiet",
        "--only-binary",
        ":all:",
        "--find-links",
        str(WHEELHOUSE),
        "-d",
        str(WHEELHOUSE),
    ]
    subprocess.run([*fetch, str(wheel)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
        programs = environment / "bin"
        install = [
            "--python",
            str(programs / "python"),
            "install",
            "--quiet",
            "--no-index",
            "--find-links",
            str(WHEELHOUSE),
        ]
        alone = [*_cut_off(), "env", "-i", f"PATH={programs}", f"HOME={folder}", "LANG=C.UTF-8"]
        # pip is that of the outer environment; it sees neither a compiler nor the network.
        subprocess.run([*alone, *pip, *install, str(wheel)], cwd=folder, check=True)
        for command in (
            ["python", "-c", _USE],
            ["pcaimage", "encode", "in.png", "out.pcai", "--psnr", "40"],
            ["pcaimage", "decode", "out.pcai", "out.png"],
        ):
            found = str(programs / command[0])
            subprocess.run([*alone, found, *command[1:]], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    print("The wheel of this machine was installed and used without compiler and network.")


def _cut_off() -> list[str]:
    """Return the command prefix that cuts off the network, if that is permitted."""
    command = ["unshare", "--user", "--map-root-user", "--net"]
    allowed = (
        shutil.which("unshare")
        and not subprocess.run([*command, "true"], capture_output=True, check=False).returncode
    )
    return [str(shutil.which("unshare")), *command[1:]] if allowed else []


def main() -> None:
    """Make and check wheels; stop with their faults."""
    lief.logging.disable()
    make_web.make()
    names = sys.argv[1:] or list(PLATFORMS)
    if unknown := [name for name in names if name not in PLATFORMS]:
        sys.exit(f"{', '.join(unknown)} is none of {', '.join(PLATFORMS)}.")
    faults = []
    for name in names:
        wheel = make(name)
        found = check(wheel, name)
        print(f"{wheel.name}, {wheel.stat().st_size:,} bytes", *found)
        faults += [f"{name}: {fault}" for fault in found]
        if not found and name == f"{sys.platform}-{host.machine()}" and host.libc_ver()[0] == "glibc":
            use(wheel)
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()

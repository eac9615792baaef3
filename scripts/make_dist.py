"""Makes what is released, in ``dist/``, and tries it: ``make_dist.py [WHAT ...]``.

Without names it makes ``archives`` (source archive and wheel, twice, which must have the same bytes),
``notes`` (of the changelog), ``sbom`` (what the program is made of, as CycloneDX), ``folder`` (the program
with its Python, of at most 250 MB, by PyInstaller), ``deb`` (the folder as a Debian package) and ``sums``.
``try`` installs each of these in clean Debians, stable and testing: the package, the folder, the wheel, and
the source archive where there is no compiler. What is installed encodes, decodes and opens a window. Root
and debootstrap are needed; ``SUITES`` and ``WAYS`` choose.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DIST, BUILD = ROOT / "dist", ROOT / "build" / "dist"
MOST = 250_000_000
"""Bytes of the folder."""

QT = "libegl1 libgl1 libdbus-1-3 libfontconfig1 libglib2.0-0 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4"
SHOWN = "libxcb-keysyms1 libxcb-image0 libxcb-render-util0 libxcb-shape0"
NEEDED = f"{QT} {SHOWN}".replace("libglib2.0-0", "libglib2.0-0 | libglib2.0-0t64").replace(" lib", ", lib")
NEEDED = NEEDED.replace("|, ", "| ")

USED = r"""
set -eu
cd "$(mktemp -d)"
Xvfb :7 -screen 0 1280x800x24 2>/dev/null &
screen=$!
trap 'kill $screen 2>/dev/null || true' EXIT
while [ ! -e /tmp/.X11-unix/X7 ]; do sleep 0.1; done
# What lacks is installed by the command that the program names.
pcaimage doctor | sed -n 's/sudo //g; s/.*\(apt-get update &&\)/\1/p' >cure
[ ! -s cure ] || sh -ex cure >/dev/null
pcaimage doctor
pcaimage encode /photo.webp photo.pcai --psnr 36
pcaimage decode photo.pcai photo.png
pcaimage page photo.pcai photo.html
pcaimage batch /photo.webp photo.png -o out -j 2
pcaimage photo.pcai &
window=$(timeout 120 xdotool search --sync --onlyvisible --name photo.pcai | head -n 1)
xdotool getwindowname "$window"
xdotool windowclose "$window"
"""


def shown(*command: str | Path, **named: Any) -> str:
    """Run a command; stop with what it said if it fails."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, check=False, **named
    )
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def version() -> str:
    """Return the program's version."""
    return str(re.findall(r'__version__ = "(.*)"', (ROOT / "pcaimage" / "__init__.py").read_text("utf-8"))[0])


def epoch() -> int:
    """Return the time that all files have: that of the last commit."""
    named = os.environ.get("SOURCE_DATE_EPOCH")
    return int(named or shown("git", "log", "-1", "--format=%ct", cwd=ROOT))


def steady() -> dict[str, str]:
    """Return an environment in which the same sources become the same bytes."""
    return {**os.environ, "SOURCE_DATE_EPOCH": str(epoch()), "PYTHONHASHSEED": "0"}


def archives() -> None:
    """Make source archive and wheel twice, from two folders; stop if they differ."""
    made = []
    for name in ("first", "second"):
        folder = BUILD / name
        shutil.rmtree(folder, ignore_errors=True)
        # The wheel is built from the unpacked archive, as whoever gets the archive builds it.
        shown(
            sys.executable,
            "-m",
            "build",
            "--no-isolation",
            "--outdir",
            folder,
            ".",
            cwd=ROOT,
            env=steady(),
        )
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    if made[0] != made[1]:
        sys.exit(
            f"Built again, these differ: {', '.join(n for n in made[0] if made[0][n] != made[1].get(n))}."
        )
    for name, data in made[0].items():
        (DIST / name).write_bytes(data)


def notes() -> None:
    """Write the notes of this version: its part of the changelog."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    part = re.search(rf"^## \[{re.escape(version())}\].*?$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if part is None:
        sys.exit(f"CHANGELOG.md has no part for {version()}.")
    (DIST / f"pcaimage-{version()}-notes.md").write_text(
        f"# pcaimage {version()}\n\n{part[1].strip()}\n", "utf-8"
    )


def required(name: str, found: dict[str, metadata.Distribution]) -> None:
    """Collect a package and all that it requires here."""
    try:
        package = metadata.distribution(name)
    except metadata.PackageNotFoundError:  # for other systems
        return
    key = re.sub(r"[-_.]+", "-", package.metadata["Name"]).lower()
    if key in found:
        return
    found[key] = package
    for each in _needs(package):
        required(each, found)


def sbom() -> None:
    """Write what the program is made of, as CycloneDX 1.6."""
    found: dict[str, metadata.Distribution] = {}
    required("pcaimage", found)
    links = {key: sorted(_needs(package) & set(found)) for key, package in found.items()}
    parts = [_part(key, package) for key, package in sorted(found.items())]
    (own,) = (each for each in parts if each["name"] == "pcaimage")
    own["type"] = "application"
    refs = {each["name"]: each["bom-ref"] for each in parts}
    names = {key: refs[package.metadata["Name"]] for key, package in found.items()}
    text = json.dumps([parts, links], sort_keys=True)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, text)}",
        "version": 1,
        "metadata": {
            "timestamp": f"{datetime.fromtimestamp(epoch(), UTC):%Y-%m-%dT%H:%M:%SZ}",
            "component": own,
        },
        "components": [each for each in parts if each is not own],
        "dependencies": [
            {"ref": names[key], "dependsOn": [names[each] for each in needs]}
            for key, needs in sorted(links.items())
        ],
    }
    (DIST / f"pcaimage-{version()}.cdx.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def _needs(package: metadata.Distribution) -> set[str]:
    """Return the names of what a package requires, without its extras."""
    names = (re.findall(r"^[\w.-]+", each)[0] for each in package.requires or () if "extra ==" not in each)
    return {re.sub(r"[-_.]+", "-", name).lower() for name in names}


def _part(key: str, package: metadata.Distribution) -> dict[str, Any]:
    purl = f"pkg:pypi/{key}@{package.version}"
    part: dict[str, Any] = {"type": "library", "bom-ref": purl, "name": package.metadata["Name"]}
    part |= {"version": package.version, "purl": purl}
    licence = package.metadata.json.get("license_expression")
    if isinstance(licence, str):
        part["licenses"] = [{"expression": licence}]
    return part


def folder() -> None:
    """Make a folder with the program and its Python; stop if it is too large or does not encode."""
    (wheel,) = (DIST).glob(f"pcaimage-{version()}-*{os.uname().machine}*.whl")
    environment = BUILD / "environment"
    shutil.rmtree(environment, ignore_errors=True)
    shown(sys.executable, "-m", "venv", environment)
    shown(environment / "bin" / "pip", "install", "--quiet", wheel, "pyinstaller>=6.10")
    options = ["--noconfirm", "--clean", "--name", "pcaimage", "--onedir", "--collect-all", "pcaimage"]
    options += ["--recursive-copy-metadata", "pcaimage", "--exclude-module", "tkinter"]
    places = ["--distpath", f"{BUILD}/packed", "--workpath", f"{BUILD}/work", "--specpath", str(BUILD)]
    packer, start = environment / "bin" / "pyinstaller", ROOT / "packaging" / "start.py"
    shown(packer, *options, *places, start, cwd=BUILD, env=steady())
    lighten(BUILD / "packed" / "pcaimage")
    check_folder(BUILD / "packed" / "pcaimage")


def lighten(packed: Path) -> None:
    """Remove what the window does not load: Qt's translations, GTK's dialogs, and symbols of Python."""
    qt = packed / "_internal" / "PySide6" / "Qt"
    shutil.rmtree(qt / "translations", ignore_errors=True)
    for path in (qt / "plugins" / "platformthemes" / "libqgtk3.so", packed / "_internal" / "libgtk-3.so.0"):
        path.unlink(missing_ok=True)
    for path in (packed / "_internal").glob("libpython3*.so*"):
        shown("strip", "--strip-unneeded", path)


def check_folder(packed: Path) -> None:
    """Stop if the folder is too large or does not encode, and pack it."""
    size = sum(path.stat().st_size for path in packed.rglob("*") if path.is_file() and not path.is_symlink())
    print(f"folder: {size / 1e6:.0f} MB")
    if size > MOST:
        sys.exit(f"The folder has {size / 1e6:.0f} MB; at most {MOST / 1e6:.0f} are allowed.")
    photo = ROOT / "resources" / "samples" / "coffee.webp"
    with tempfile.TemporaryDirectory() as name:
        shown(packed / "pcaimage", "encode", photo, "a.pcai", "--psnr", "34", cwd=name)
        shown(packed / "pcaimage", "batch", photo, "-o", "out", "-j", "2", cwd=name)
    with tarfile.open(
        DIST / f"pcaimage-{version()}-linux-{os.uname().machine}.tar.xz", "w:xz", preset=2
    ) as archive:
        archive.add(packed, "pcaimage", filter=_plain)


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = epoch()
    return entry


def deb() -> None:
    """Make a Debian package of the folder, with menu entry, types of files, icons, manual and completions."""
    root = BUILD / "deb"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(BUILD / "packed" / "pcaimage", root / "usr" / "lib" / "pcaimage", symlinks=True)
    (root / "usr" / "bin").mkdir(parents=True)
    (root / "usr" / "bin" / "pcaimage").symlink_to("../lib/pcaimage/pcaimage")
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(root / "usr" / "share"),
        "XDG_CONFIG_HOME": str(BUILD / "no"),
    }
    shown(root / "usr" / "lib" / "pcaimage" / "pcaimage", "desktop", "--install", env=environment)
    share = root / "usr" / "share"
    for path in (*share.rglob("*.desktop"), *share.rglob("*.thumbnailer")):
        path.write_text(
            path.read_text("utf-8").replace(f"{root}/usr/lib/pcaimage/pcaimage", "/usr/bin/pcaimage"), "utf-8"
        )
    for made in (
        "mime/mime.cache",
        "mime/globs",
        "applications/mimeinfo.cache",
        "icons/hicolor/icon-theme.cache",
    ):
        (share / made).unlink(
            missing_ok=True
        )  # what the system's own programs make, for all packages together
    for path in (share / "mime").iterdir():
        if path.name != "packages":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (share / "zsh" / "site-functions").rename(share / "zsh" / "vendor-completions")
    (share / "doc" / "pcaimage").mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", share / "doc" / "pcaimage" / "copyright")
    shutil.copy(ROOT / "CHANGELOG.md", share / "doc" / "pcaimage" / "changelog")
    for path in (*(share / "man").rglob("*.1"), share / "doc" / "pcaimage" / "changelog"):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        path.unlink()
    for path in (root / "usr" / "lib" / "pcaimage" / "_internal").rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.chmod(0o644)
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    machine = shown("dpkg", "--print-architecture").strip()
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN" / "control").write_text(
        f"Package: pcaimage\nVersion: {version()}\nArchitecture: {machine}\n"
        "Section: graphics\nPriority: optional\n"
        f"Maintainer: The pcaimage developers <pcaimage@localhost>\nInstalled-Size: {size // 1024}\n"
        f"Depends: libc6, {NEEDED}\nRecommends: man-db, shared-mime-info, desktop-file-utils\n"
        "Description: compress images by principal component analysis\n"
        " A desktop program and a command line that show what every component buys.\n",
        "utf-8",
    )
    shown(
        "dpkg-deb",
        "--root-owner-group",
        "-z3",
        "--build",
        root,
        DIST / f"pcaimage_{version()}_{machine}.deb",
        env=steady(),
    )


def sums() -> None:
    """Write the checksums of all files."""
    files = sorted(path for path in DIST.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (DIST / "SHA256SUMS").write_text("".join(lines), "utf-8")


_PIP = "python3 -m venv /opt/{0} && /opt/{0}/bin/pip install -q /dist/{1}"

INSTALLED = {
    "package": ("apt-get -qq install --no-install-recommends /dist/*.deb && pcaimage doctor", ""),
    "folder": ("tar -C /opt -xf /dist/*-linux-*.tar.xz", "/opt/pcaimage"),
    "wheel": (_PIP.format("wheel", "*.whl"), "/opt/wheel/bin"),
    "source": (_PIP.format("source", "*[0-9].tar.gz"), "/opt/source/bin"),
}
"""How each is installed, and where its command is then."""

REMOVED = "apt-get -qq purge pcaimage && test ! -e /usr/lib/pcaimage && test ! -e /usr/bin/pcaimage"


def attempt() -> None:
    """Install each of what is released in a clean Debian, encode there, and open a window."""
    if os.geteuid() or not shutil.which("debootstrap"):
        sys.exit("Root and debootstrap are needed.")
    for suite in os.environ.get("SUITES", "stable testing").split():
        with tempfile.TemporaryDirectory(prefix="debian-") as name:
            clean, root = Path(name, "clean"), Path(name, "root")
            shown("debootstrap", "--variant=minbase", suite, clean)
            shutil.copytree(DIST, clean / "dist")
            shutil.copy(ROOT / "resources" / "samples" / "coffee.webp", clean / "photo.webp")
            # Whoever reaches the package index through a proxy has its certificate in the machine's own.
            shutil.copy("/etc/ssl/certs/ca-certificates.crt", clean / "certificates")
            # A mirror of testing may be older than it says it will be.
            (clean / "etc/apt/apt.conf.d/late").write_text('Acquire::Check-Valid-Until "false";\n', "utf-8")
            tools = "xz-utils xvfb xdotool fonts-dejavu-core python3-venv"
            within(clean, f"apt-get -qq install --no-install-recommends {tools}")
            for way in os.environ.get("WAYS", " ".join(INSTALLED)).split():
                shown("cp", "-a", clean, root)
                command, path = INSTALLED[way]
                start = time.monotonic()
                within(root, command)
                print(f"{suite}, {way}, installed in {time.monotonic() - start:.0f} s:", flush=True)
                print(within(root, USED, path), flush=True)
                if way == "package":
                    within(root, REMOVED)
                shutil.rmtree(root)


def within(root: Path, command: str, path: str = "") -> str:
    """Run a command in a root, whose environment names nothing of this machine."""
    named = [f"PATH=/usr/sbin:/usr/bin:/sbin:/bin:{path}", "LANG=C.UTF-8", "HOME=/root", "DISPLAY=:7"]
    named += ["PIP_CERT=/certificates", "DEBIAN_FRONTEND=noninteractive"]
    # Processes are seen there while it runs, which the fetched compiler needs.
    entered = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    inside = ["env", "-i", *named, "sh", "-ec", command]
    return shown("unshare", "--mount", "sh", "-c", entered, root, *inside)


WAYS: dict[str, Callable[[], None]] = {
    **{each.__name__: each for each in (archives, notes, sbom, folder, deb, sums)},
    "try": attempt,
}


def main() -> None:
    """Make what is named, or all."""
    DIST.mkdir(exist_ok=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or [each for each in WAYS if each != "try"]:
        print(f"{name} …", flush=True)
        WAYS[name]()


if __name__ == "__main__":
    main()

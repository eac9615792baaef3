"""Makes plug-ins by which other programs open ``.pcai`` files, in ``build/plugins``, and installs them.

``make_plugins.py`` makes a loader of gdk-pixbuf, an image format of Qt 6 and a driver of GDAL, each where
that is installed for programs; ``--install`` puts them where this system's programs look, and refreshes
their caches.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from compile_core import BUILD, ROOT, SOURCES, CompileError, run
from make_lib import make

PLUGINS = BUILD / "plugins"
LOADER, FORMAT, DRIVER = "libpixbufloader-pcai.so", "imageformats/libqpcai.so", "gdal_PCAI.so"
NEEDED = {"gdk-pixbuf-2.0": "libgdk-pixbuf-2.0-dev", "Qt6Gui": "qt6-base-dev", "gdal": "libgdal-dev"}
"""What plug-ins are compiled against, and its packages on Debian."""

_COMMON = ("-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", f"-I{SOURCES}", f"-I{ROOT / 'lib'}")
_MULTIARCH = sysconfig.get_config_var("MULTIARCH") or ""
_LINKS = ("-shared", "-Wl,--gc-sections", "-Wl,--exclude-libs,ALL", "-lm")


def config(module: str, *words: str) -> list[str]:
    """Return what pkg-config says of a module; nothing if it is not installed."""
    if not shutil.which("pkg-config"):
        return []
    found = subprocess.run(["pkg-config", *words, module], capture_output=True, text=True, check=False)
    return found.stdout.split() if found.returncode == 0 else []


def make_loader(folder: Path) -> Path | None:
    """Compile the loader of gdk-pixbuf, where libpcai is in a folder; None if there is no gdk-pixbuf."""
    flags = config("gdk-pixbuf-2.0", "--cflags", "--libs")
    if not flags:
        return None
    sources = [str(ROOT / "lib" / name) for name in ("pixbuf.c", "rgba.c")]
    library = str(folder / "libpcai.a")
    run(["cc", "-std=c11", *_COMMON, *sources, library, *_LINKS, *flags], folder / LOADER)
    return folder / LOADER


def make_format(folder: Path) -> Path | None:
    """Compile the image format of Qt; None if Qt is not installed for programs."""
    flags = config("Qt6Gui", "--cflags", "--libs")
    tools = config("Qt6Core", "--variable=libexecdir")
    if not flags or not tools:
        return None
    target = folder / FORMAT
    target.parent.mkdir(parents=True, exist_ok=True)
    source = ROOT / "lib" / "qt.cpp"
    run(
        [f"{tools[0]}/moc", f"-I{ROOT / 'lib'}", *config("Qt6Gui", "--cflags-only-I"), str(source)],
        folder / "qt.moc",
    )
    run(["cc", "-std=c11", *_COMMON, "-c", str(ROOT / "lib" / "rgba.c")], folder / "rgba.o")
    words = ["c++", "-std=c++17", *_COMMON, f"-I{folder}", str(source), str(folder / "rgba.o")]
    run([*words, str(folder / "libpcai.a"), *_LINKS, *flags], target)
    return target


def make_driver(folder: Path) -> Path | None:
    """Compile the driver of GDAL, where libpcai is in a folder; None if there is no GDAL for programs."""
    flags = config("gdal", "--cflags", "--libs")
    if not flags:
        return None
    run(["cc", "-std=c11", *_COMMON, "-c", str(ROOT / "lib" / "rgba.c")], folder / "rgba.o")
    sources = [str(ROOT / "lib" / name) for name in ("gdal.cpp", "tiles.cpp")]
    words = ["c++", "-std=c++17", *_COMMON, *sources, str(folder / "rgba.o")]
    run([*words, str(folder / "libpcai.a"), *_LINKS, *flags], folder / DRIVER)
    return folder / DRIVER


def install() -> list[Path]:
    """Copy plug-ins to where programs of this system look; return where they are."""
    targets = {
        LOADER: config("gdk-pixbuf-2.0", "--variable=gdk_pixbuf_moduledir"),
        FORMAT: config("Qt6Core", "--variable=plugindir"),
        DRIVER: [f"{folder}/{_MULTIARCH}/gdalplugins" for folder in config("gdal", "--variable=libdir")],
    }
    installed = []
    for plugin, folders in targets.items():
        if (PLUGINS / plugin).exists() and folders:
            target = Path(folders[0], plugin)
            target.parent.mkdir(parents=True, exist_ok=True)
            installed.append(Path(shutil.copy(PLUGINS / plugin, target)))
    refresh = config("gdk-pixbuf-2.0", "--variable=gdk_pixbuf_query_loaders")
    if refresh:
        subprocess.run([refresh[0], "--update-cache"], check=True)
    return installed


def main() -> None:
    """Make the plug-ins, and install them if asked to; say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true", help="install them for all users")
    wanted = parser.parse_args()
    try:
        make(PLUGINS)
        made = {
            "gdk-pixbuf-2.0": make_loader(PLUGINS),
            "Qt6Gui": make_format(PLUGINS),
            "gdal": make_driver(PLUGINS),
        }
    except CompileError as error:
        sys.exit(str(error))
    for module, plugin in made.items():
        print(plugin or f"Without {NEEDED[module]} there is no plug-in for {module}.")
    for plugin in install() if wanted.install else ():
        print(f"Installed {plugin}")


if __name__ == "__main__":
    main()

"""The program as a bundle in the user's Applications, which the Finder opens ``.pcai`` files with.

The Finder hands files to a program that runs already; the window takes them.
References: Apple, "Information Property List", "Defining file and data types for your app".
"""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pcaimage
from pcaimage.cli.desktops import KINDS, NAME
from pcaimage.machine.folders import asset

_GENERAL = {"pcai": "public.image", "pcalab": "public.json"}
_REGISTER = Path(
    "/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister"
)


def install() -> None:
    """Make the bundle, in place of an older one."""
    contents = bundle() / "Contents"
    start = contents / "MacOS" / "pcaimage"
    icon = contents / "Resources" / "pcaimage.icns"
    for folder in (start.parent, icon.parent):
        folder.mkdir(parents=True, exist_ok=True)
    start.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pcaimage gui "$@"\n', "utf-8")
    start.chmod(0o755)
    png = asset("icons", "app", "pcaimage-512.png").read_bytes()
    sizes = ((len(png) + rest).to_bytes(4, "big") for rest in (16, 8))
    icon.write_bytes(b"icns%sic09%s" % tuple(sizes) + png)
    (contents / "Info.plist").write_bytes(plistlib.dumps(properties()))
    _register("-f")


def remove() -> None:
    """Remove the bundle."""
    if bundle().exists():
        _register("-u")
        shutil.rmtree(bundle())


def bundle() -> Path:
    """Return the folder that the Finder shows as the program."""
    return Path.home() / "Applications" / "pcaimage.app"


def properties() -> dict[str, Any]:
    """Return what the bundle says of the program and of what it opens."""
    exported, opened = [], []
    for suffix, (word, comment, mime) in KINDS.items():
        name = f"org.pcaimage.{word.lower()}"
        tags = {"public.filename-extension": [suffix], "public.mime-type": [mime]}
        exported.append(
            {
                "UTTypeIdentifier": name,
                "UTTypeDescription": comment,
                "UTTypeConformsTo": [_GENERAL[suffix]],
                "UTTypeTagSpecification": tags,
            }
        )
        opened.append(_document(comment, name, "Owner"))
    return {
        "CFBundleIdentifier": NAME,
        "CFBundleName": "pcaimage",
        "CFBundleExecutable": "pcaimage",
        "CFBundleIconFile": "pcaimage",
        "CFBundlePackageType": "APPL",
        "CFBundleInfoDictionaryVersion": "6.0",
        "CFBundleShortVersionString": pcaimage.__version__,
        "CFBundleVersion": pcaimage.__version__,
        "NSHighResolutionCapable": True,
        "UTExportedTypeDeclarations": exported,
        "CFBundleDocumentTypes": [*opened, _document("Image", "public.image", "Alternate")],
    }


def _document(comment: str, kind: str, rank: str) -> dict[str, Any]:
    role = "Editor" if rank == "Owner" else "Viewer"
    return {
        "CFBundleTypeName": comment,
        "CFBundleTypeRole": role,
        "LSHandlerRank": rank,
        "LSItemContentTypes": [kind],
    }


def _register(option: str) -> None:
    """Tell Launch Services; it finds the bundle by itself later on."""
    if _REGISTER.exists():
        subprocess.run([_REGISTER, option, bundle()], check=False, capture_output=True)  # noqa: S603

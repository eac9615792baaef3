"""Installs the program in a clean Debian, for a user, and has others open its files: ``try_debian.py``.

Root and debootstrap are needed. Debian gets what a desktop has of itself, the user a virtual environment with
the wheel and its dependencies, and ``pcaimage desktop --install``; then the type of a file is asked for, a
thumbnail made as file managers make it, the file converted by ImageMagick, and opened by a double click.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from compile_core import ROOT

HOME = "/srv/person"
QT = "libegl1 libgl1 libdbus-1-3 libfontconfig1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4"
SHOWN = "libxcb-keysyms1 libxcb-image0 libxcb-render-util0 libxcb-shape0 fonts-dejavu-core xvfb xdotool"
DESKTOP = "libglib2.0-bin shared-mime-info desktop-file-utils imagemagick python3-venv"

USERS = r"""
set -eu
said() {
    echo "$1: $2"
    [ "$2" = "$3" ]
}
kind() {
    gio info -a standard::content-type photo.pcai | sed -n 's/.*content-type: //p'
}
cd
python3 -m venv program
program/bin/pip install --quiet --no-index --find-links /wheels pcaimage
program/bin/pcaimage encode /photo.webp photo.pcai
program/bin/pcaimage desktop --install
said type "$(kind)" image/x-pcaimage
said opener "$(gio mime image/x-pcaimage | sed -n '1s/.*: //p')" org.pcaimage.PcaImage.desktop
entry=$(sed -n 's/^Exec=//p' .local/share/thumbnailers/org.pcaimage.PcaImage.thumbnailer)
eval "$(echo "$entry" | sed 's|%i|photo.pcai|; s|%o|thumbnail.png|; s|%s|120|')"
said thumbnail "$(identify -format '%m %wx%h' thumbnail.png)" "PNG 120x80"
convert photo.pcai photo.png
said ImageMagick "$(identify -format '%m %wx%h' photo.png)" "PNG 600x400"
Xvfb :7 -screen 0 1280x800x24 2>/dev/null &
trap 'kill %1' EXIT
export DISPLAY=:7
gio open photo.pcai
window=$(timeout 120 xdotool search --sync --onlyvisible --name photo.pcai | head -n 1)
said window "$(xdotool getwindowname "$window")" "photo.pcai – pcaimage"
xdotool windowclose "$window"
program/bin/pcaimage desktop --remove
said "type afterwards" "$(kind)" application/octet-stream
"""


def main() -> None:
    """Try; stop with what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="bookworm", help="whose Python is that which is running")
    parser.add_argument("--wheel", type=Path, help="of the program; made if it is not given")
    wanted = parser.parse_args()
    if os.geteuid() or not shutil.which("debootstrap"):
        sys.exit("Root and debootstrap are needed.")
    with tempfile.TemporaryDirectory(prefix="debian-") as name:
        root = Path(name)
        root.chmod(0o755)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(root / "wheels")]
        shown(["debootstrap", "--variant=minbase", wanted.suite, name], quiet=True)
        inside = ["chroot", name, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
        install = f"apt-get install --yes --no-install-recommends {QT} {SHOWN} {DESKTOP}"
        shown([*inside, "DEBIAN_FRONTEND=noninteractive", *install.split()], quiet=True)
        shown([*pip, str(wanted.wheel or ROOT)])
        shutil.copy(ROOT / "resources" / "samples" / "coffee.webp", root / "photo.webp")
        shown([*inside, "useradd", "--create-home", "--home-dir", HOME, "person"])
        as_person = f"setpriv --reuid=person --regid=person --init-groups env HOME={HOME} bash -c"
        shown([*inside, *as_person.split(), USERS])


def shown(command: list[str], *, quiet: bool = False) -> None:
    """Run a command; stop if it fails."""
    out = subprocess.DEVNULL if quiet else None
    if subprocess.run(command, stdout=out, check=False).returncode:
        sys.exit(f"{command[0]} failed.")


if __name__ == "__main__":
    main()

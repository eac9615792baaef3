"""``pcaimage desktop``: the program in this user's desktop, which then opens ``.pcai`` files."""

from __future__ import annotations

import sys

from pcaimage.cli.commands import DesktopCommand
from pcaimage.cli.declared import UsageError
from pcaimage.cli.desktops import freedesktop, macos, windows
from pcaimage.cli.terminal import say

_SYSTEMS = {"darwin": macos, "win32": windows}


def desktop(given: DesktopCommand) -> None:
    """Add the program to this user's desktop, or remove it."""
    if given.install == given.remove:
        raise UsageError("Give one of --install and --remove.")
    system = _SYSTEMS.get(sys.platform, freedesktop)
    (system.install if given.install else system.remove)()
    say(f"The desktop {'now' if given.install else 'no longer'} opens .pcai files with pcaimage.")

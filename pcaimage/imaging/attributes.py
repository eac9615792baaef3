"""Owner, permissions and extended attributes of a file that is replaced."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_OF_THE_CONTENTS: Final = frozenset({"security.capability", "security.ima", "security.evm"})
"""Extended attributes that vouch for the contents, which are others now."""
_ACL: Final = "system.posix_acl_access"


def copy_attributes(source: Path, target: Path) -> None:
    """Give a file the owner, group, extended attributes and permissions of another, as far as is permitted.

    A group that cannot be kept is allowed no more than others are: nobody may read more than before.
    """
    found = source.stat()
    mode = stat.S_IMODE(found.st_mode)
    if sys.platform != "win32":
        mode = _copy_owner(found, target, mode)
    if sys.platform == "linux":
        # A list for other people's groups does not fit to a file that could not be given to them.
        without = _OF_THE_CONTENTS if mode == stat.S_IMODE(found.st_mode) else _OF_THE_CONTENTS | {_ACL}
        _copy_extended(source, target, without)
    with suppress(OSError):  # the file stays private, on a file system without permissions as that has it
        target.chmod(mode)


if sys.platform != "win32":

    def _copy_owner(source: os.stat_result, target: Path, mode: int) -> int:
        """Copy owner and group; return the permissions that fit to what could be copied."""
        now = target.stat()
        if source.st_gid != now.st_gid:
            try:
                os.chown(target, -1, source.st_gid)
            except OSError:
                mode &= ~(stat.S_ISGID | stat.S_IRWXG) | (mode & stat.S_IRWXO) << 3
        if source.st_uid != now.st_uid:
            try:
                os.chown(target, source.st_uid, -1)
            except OSError:
                mode &= ~stat.S_ISUID
        return mode


if sys.platform == "linux":

    def _copy_extended(source: Path, target: Path, without: frozenset[str]) -> None:
        """Copy extended attributes, access control lists among them."""
        names = list[str]()
        with suppress(OSError):
            names = os.listxattr(source)
        for name in names:
            if name not in without:
                with suppress(OSError):
                    os.setxattr(target, name, os.getxattr(source, name))

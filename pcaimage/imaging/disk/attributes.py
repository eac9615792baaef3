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
"""Extended attributes that certify the contents, which have changed."""
_ACL: Final = "system.posix_acl_access"


def copy_attributes(source: Path, target: Path) -> None:
    """Give a file the owner, group, extended attributes and permissions of another, as far as permitted.

    If the group cannot be kept, the new group gets no more permissions than others have: nobody may read more
    than before.
    """
    found = source.stat()
    mode = stat.S_IMODE(found.st_mode)
    if sys.platform != "win32":
        mode = _copy_owner(found, target, mode)
    if sys.platform == "linux":
        # An access control list for another group does not suit a file that could not be given to it.
        without = _OF_THE_CONTENTS if mode == stat.S_IMODE(found.st_mode) else _OF_THE_CONTENTS | {_ACL}
        _copy_extended(source, target, without)
    with suppress(OSError):  # the file stays private, or as the file system has it if that has no permissions
        target.chmod(mode)


if sys.platform != "win32":

    def _copy_owner(source: os.stat_result, target: Path, mode: int) -> int:
        """Copy owner and group; return the permissions that suit the owner and group that could be copied."""
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
        """Copy extended attributes, including access control lists."""
        names = list[str]()
        with suppress(OSError):
            names = os.listxattr(source)
        for name in names:
            if name not in without:
                with suppress(OSError):
                    os.setxattr(target, name, os.getxattr(source, name))

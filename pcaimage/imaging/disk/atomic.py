"""Atomic file writing: the target is either complete or as it was before."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from pcaimage.errors import ImageError
from pcaimage.imaging.disk.temporary import temporary_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


def atomic_write(
    path: str | os.PathLike[str],
    write: Callable[[BinaryIO], None],
    *,
    overwrite: bool,
    verify: Callable[[Path], None] | None = None,
) -> None:
    """Write a temporary file in the target's folder, then move it into place.

    Whatever happens on the way, the target is either as it was or complete; the temporary file is removed, by
    the next save into the folder if the process is killed. A new file gets the permissions that the umask
    leaves; a replaced one keeps its own, its extended attributes and, where permitted, its owner and group. A
    symbolic link stays and the file that it points to is replaced; other hard links keep the old contents.

    `verify` is called with the path of the complete temporary file; raising from it keeps the target as it
    was. ImageError if the target exists and `overwrite` is not set, is a pipe, a device or the like, its
    folder is missing, or writing is not permitted or runs out of room.
    """
    target = Path(os.path.realpath(path))
    name = Path(path).name
    try:
        _check_target(target, name, overwrite=overwrite)
        # What replaces a file that others may not read must not be readable on the way either.
        with temporary_file(target.parent, private=target.exists()) as (temporary, file):
            write(file)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            if verify is not None:
                verify(temporary)
            _move(temporary, target, name, overwrite=overwrite)
    except OSError as error:
        raise ImageError(_message(error, target, name)) from error


def atomic_write_bytes(
    path: str | os.PathLike[str],
    data: bytes,
    *,
    overwrite: bool,
    verify: Callable[[Path], None] | None = None,
) -> None:
    """Write bytes to a file as :func:`atomic_write` does."""

    def write(file: BinaryIO) -> None:
        file.write(data)

    atomic_write(path, write, overwrite=overwrite, verify=verify)


def move_all(source: Path, folder: Path, names: Sequence[str], *, overwrite: bool) -> None:
    """Move files into a folder of the same disk: all of them, or none if one cannot be moved.

    `source` is a temporary folder that contains just the files of these names. Those that are replaced are
    kept in it meanwhile; each is complete at any time, whenever the process is killed. ImageError is raised
    when a file exists and may not be replaced, or is no regular file; OSError when one cannot be moved.
    """
    targets = {name: Path(os.path.realpath(folder / name)) for name in names}
    kept = dict[str, Path]()
    for name, target in targets.items():
        _check_target(target, name, overwrite=overwrite)
        if target.exists():
            copy_attributes(target, source / name)
            kept[name] = source / f"{name}.old"
            try:
                os.link(target, kept[name])
            except OSError:  # the file system has no hard links
                shutil.copy2(target, kept[name])
    moved = list[str]()
    try:
        for name, target in targets.items():
            moved.append(name)
            (source / name).replace(target)
    except BaseException:
        for name in moved:
            with suppress(OSError):
                _put_back(kept.get(name), source / name, targets[name])
        raise


def _put_back(kept: Path | None, new: Path, target: Path) -> None:
    if new.exists():
        return  # it was not moved
    if kept is None:
        target.unlink()
    else:
        kept.replace(target)


def exists_error(name: str) -> ImageError:
    """Return the error for a file that exists and may not be overwritten."""
    return ImageError(f"{name} already exists; it is replaced only when overwriting is asked for.")


def _check_target(target: Path, name: str, *, overwrite: bool) -> None:
    if target.is_dir():
        raise ImageError(f"{name or target} is a folder; give the name of a file in it.")
    if not target.parent.is_dir():
        raise ImageError(f"{name} cannot be saved: the folder {target.parent} does not exist.")
    _refuse_special(target, name)
    if target.exists() and not overwrite:
        raise exists_error(name)
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "read-only file")


def _refuse_special(target: Path, name: str) -> None:
    if target.exists() and not target.is_file():
        raise ImageError(f"{name} is a pipe, a device or the like, and no file that could be replaced.")


def _move(temporary: Path, target: Path, name: str, *, overwrite: bool) -> None:
    if overwrite:
        if target.exists():
            _refuse_special(target, name)
            copy_attributes(target, temporary)
        temporary.replace(target)
        return
    try:
        # Unlike renaming, linking fails when the target has come into being meanwhile.
        os.link(temporary, target)
    except FileExistsError as error:
        raise exists_error(name) from error
    except OSError:
        # The file system has no hard links.
        temporary.replace(target)


def _message(error: OSError, target: Path, name: str) -> str:
    if error.errno in _DISK_FULL:
        return f"{name} cannot be saved: there is not enough space on the disk."
    if error.errno in _FORBIDDEN:
        return f"{name} cannot be saved: writing to {target.parent} is not permitted."
    if error.errno == errno.EFAULT:  # what was to be written is mapped from a file that has become shorter
        return f"{name} cannot be saved: the image's file was changed by another program meanwhile."
    return f"{name} cannot be saved: {error.strerror or 'the disk reported an error'}."


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

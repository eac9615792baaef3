"""Atomic file writing: the target is either complete or as it was before.

Temporary files and folders are next to the target, and do not outlive a killed process for ever. Each is
locked while its process uses it. A killed process loses its locks, and the next save into the same folder
removes everything that has the name of a temporary file and is not locked.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from pcaimage.errors import ImageError
from pcaimage.machine.locks import lock
from pcaimage.progress import Progress, no_progress

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


def save_zip(path: str | os.PathLike[str], files: Sequence[Path], progress: Progress = no_progress) -> int:
    """Put files into a zip, uncompressed as pictures are already, and return its size in bytes.

    ImageError if one cannot be read, or the zip cannot be written; one that exists is replaced.
    """
    import zipfile  # noqa: PLC0415 - it is seldom needed

    def write(file: BinaryIO) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            for each in files:
                progress(0, 1)
                archive.write(each, each.name)

    atomic_write(path, write, overwrite=True)
    return Path(path).stat().st_size


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


if sys.platform != "win32":
    import fcntl


_NAME = re.compile(r"\.pcaimage-[0-9a-f]{12}\.tmp")
_LOCKS: bool = sys.platform != "win32"
_ABANDONED = 86_400  # age in seconds at which a temporary file counts as abandoned, if files cannot be locked
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_LOOK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def temporary_file(folder: Path, *, private: bool) -> Iterator[tuple[Path, BinaryIO]]:
    """Create a temporary file, and remove it afterwards unless it has been renamed.

    Its lock ends with the context, so the file may be closed earlier. If `private`, only its owner has
    permissions, from the first byte on; otherwise the umask decides.
    """
    remove_abandoned(folder)
    while True:
        path = folder / _name()
        number = os.open(path, _NEW, 0o600 if private else 0o666)
        if lock(number) and _is_at(number, path):
            break
        os.close(number)  # another process takes the new file for an abandoned one, and removes it
    # A duplicate shares the lock, and keeps it when the file is closed; Windows cannot move open files.
    held = os.dup(number) if _LOCKS else None
    try:
        # Unlike with os.fdopen, the file's name is its path, which tifffile needs.
        with open(path, "w+b", opener=lambda *_: number) as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)
        if held is not None:
            os.close(held)


@contextmanager
def temporary_folder(folder: Path, *, private: bool) -> Iterator[Path]:
    """Create a temporary folder, and remove it with its contents afterwards unless it has been renamed.

    If `private`, only its owner has permissions; otherwise the umask decides.
    """
    remove_abandoned(folder)
    while True:
        path = folder / _name()
        path.mkdir(0o700 if private else 0o777)
        try:
            held = os.open(path, os.O_RDONLY) if _LOCKS else None
        except FileNotFoundError:  # another process has removed it already
            continue
        if held is None or (lock(held) and _is_at(held, path)):
            break
        os.close(held)  # another process takes the new folder for an abandoned one, and removes it
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if held is not None:
            os.close(held)


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files and folders of this user whose processes have ended; errors are ignored."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(path: Path) -> None:
    found = path.lstat()
    is_folder = stat.S_ISDIR(found.st_mode)
    if not (is_folder or stat.S_ISREG(found.st_mode)):
        return
    if sys.platform == "win32":
        if time.time() - found.st_mtime > _ABANDONED:
            _remove(path, is_folder=is_folder)
        return
    if found.st_uid != os.geteuid():
        return
    held = os.open(path, _LOOK)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is in use, or cannot be locked
        if _is_at(held, path):
            _remove(path, is_folder=is_folder)
    finally:
        os.close(held)


def _remove(path: Path, *, is_folder: bool) -> None:
    if is_folder:
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def _name() -> str:
    return f".pcaimage-{os.urandom(6).hex()}.tmp"


def _is_at(number: int, path: Path) -> bool:
    """Return whether a file still has its name."""
    try:
        return os.path.samestat(os.fstat(number), path.lstat())
    except FileNotFoundError:
        return False

import errno
import os
import stat

import pytest

from pcaimage.errors import FormatError, ImageError
from pcaimage.imaging.disk.atomic import atomic_write, copy_attributes


def contents(data):
    def write(file):
        file.write(data)

    return write


def failing(error):
    def write(file):
        file.write(b"half")
        raise error

    return write


@pytest.fixture
def old(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    return tmp_path / "old"


def test_a_new_file_is_written_with_the_umasks_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        atomic_write(tmp_path / "new", contents(b"whole"), overwrite=False)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"new": b"whole"}


def test_a_file_is_replaced_only_when_asked_and_keeps_its_permissions(old):
    old.chmod(0o604)
    with pytest.raises(ImageError, match="old already exists"):
        atomic_write(old, contents(b"new"), overwrite=False)
    assert old.read_bytes() == b"old"
    atomic_write(old, contents(b"new"), overwrite=True)
    assert old.read_bytes() == b"new"
    assert stat.S_IMODE(old.stat().st_mode) == 0o604


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("error", [FormatError("no"), KeyboardInterrupt(), OSError(errno.ENOSPC, "full")])
def test_a_failure_leaves_everything_as_it_was(tmp_path, *, overwrite, error):
    target = tmp_path / "old"
    if overwrite:
        target.write_bytes(b"old")
    with pytest.raises(ImageError if isinstance(error, OSError) else type(error)):
        atomic_write(target, failing(error), overwrite=overwrite)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"] * overwrite


def test_the_complete_file_is_verified_before_it_is_moved(tmp_path, old):
    def verify(path):
        assert (path.read_bytes(), old.read_bytes()) == (b"new", b"old")
        raise FormatError("does not decode")

    with pytest.raises(FormatError, match="does not decode"):
        atomic_write(old, contents(b"new"), overwrite=True, verify=verify)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    target = tmp_path / "new"

    def write(file):
        file.write(b"mine")
        target.write_bytes(b"theirs")

    with pytest.raises(ImageError, match="already exists"):
        atomic_write(target, write, overwrite=False)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"theirs"]


def test_a_file_system_without_links_will_do(tmp_path, monkeypatch):
    def link(*_):
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", link)
    atomic_write(tmp_path / "new", contents(b"whole"), overwrite=False)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"whole"]


def test_the_file_behind_a_link_is_replaced_and_a_hard_link_keeps_the_old_contents(tmp_path, old):
    (tmp_path / "elsewhere").mkdir()
    link, other = tmp_path / "elsewhere" / "link", tmp_path / "other"
    link.symlink_to(old)
    os.link(old, other)
    atomic_write(link, contents(b"new"), overwrite=True)
    assert link.is_symlink()
    assert (old.read_bytes(), other.read_bytes()) == (b"new", b"old")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (errno.ENOSPC, "not enough space"),
        (errno.EROFS, "not permitted"),
        (errno.EACCES, "not permitted"),
        (errno.EIO, "cannot be saved"),
    ],
)
def test_trouble_with_the_disk_is_told_in_one_sentence(tmp_path, code, message):
    with pytest.raises(ImageError, match=message) as caught:
        atomic_write(tmp_path / "a.png", failing(OSError(code, os.strerror(code))), overwrite=False)
    assert str(caught.value).startswith("a.png cannot be saved")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere/a.png", r"folder .*nowhere does not exist"),
        (".", "is a folder"),
        ("x" * 300, "cannot be saved"),
    ],
)
def test_paths_that_no_file_can_have_are_refused(tmp_path, name, message):
    with pytest.raises(ImageError, match=message):
        atomic_write(tmp_path / name, contents(b""), overwrite=True)
    assert not list(tmp_path.iterdir())


def test_a_read_only_file_is_not_replaced(old, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ImageError, match="not permitted"):
        atomic_write(old, contents(b"new"), overwrite=True)
    assert old.read_bytes() == b"old"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_what_replaces_a_private_file_is_private_from_its_first_byte(old):
    old.chmod(0o600)
    modes = []

    def write(file):
        modes.append(stat.S_IMODE(os.fstat(file.fileno()).st_mode))
        file.write(b"new")

    atomic_write(old, write, overwrite=True)
    old.chmod(0o664)
    atomic_write(old, write, overwrite=True)
    assert modes == [0o600, 0o600]
    assert stat.S_IMODE(old.stat().st_mode) == 0o664


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files to others")
def test_a_replaced_file_keeps_its_owner(old):
    os.chown(old, 12345, 23456)
    old.chmod(0o640)
    atomic_write(old, contents(b"new"), overwrite=True)
    found = old.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o640)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of this kind")
def test_a_group_that_cannot_be_kept_may_do_no_more_than_others(tmp_path, old, monkeypatch):
    new = tmp_path / "new"
    new.write_bytes(b"new")
    old.chmod(0o664)
    given = old.stat()
    now = os.stat_result((*given[:4], given.st_uid + 1, given.st_gid + 1, *given[6:]))
    seen = iter([now])

    def chown(*_):
        raise PermissionError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "chown", chown)
    monkeypatch.setattr(type(old), "stat", lambda *_, **__: next(seen, given))
    copy_attributes(old, new)
    monkeypatch.undo()
    assert stat.S_IMODE(new.stat().st_mode) == 0o644


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="the platform has no extended attributes")
def test_a_replaced_file_keeps_its_extended_attributes(old):
    try:
        os.setxattr(old, "user.origin", b"a camera")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    atomic_write(old, contents(b"new"), overwrite=True)
    assert (old.read_bytes(), os.getxattr(old, "user.origin")) == (b"new", b"a camera")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("through_a_link", [False, True])
def test_what_is_not_a_regular_file_is_never_replaced(tmp_path, *, overwrite, through_a_link):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    name = "link" if through_a_link else "pipe"
    with pytest.raises(ImageError, match=f"{name} is a pipe, a device or the like"):
        atomic_write(tmp_path / name, contents(b"new"), overwrite=overwrite)
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_a_pipe_that_appears_meanwhile_is_not_replaced(tmp_path):
    target = tmp_path / "old"

    def write(file):
        file.write(b"new")
        os.mkfifo(target)

    with pytest.raises(ImageError, match="pipe"):
        atomic_write(target, write, overwrite=True)
    assert target.is_fifo()
    assert len(list(tmp_path.iterdir())) == 1

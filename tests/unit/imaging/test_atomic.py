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


def test_a_new_file_is_written_with_the_umasks_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        atomic_write(tmp_path / "new", contents(b"whole"), overwrite=False)
    finally:
        os.umask(before)
    assert (tmp_path / "new").read_bytes() == b"whole"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["new"]


def test_a_file_is_replaced_only_when_asked_and_keeps_its_permissions(tmp_path):
    target = tmp_path / "old"
    target.write_bytes(b"old")
    target.chmod(0o604)
    with pytest.raises(ImageError, match="old already exists"):
        atomic_write(target, contents(b"new"), overwrite=False)
    assert target.read_bytes() == b"old"
    atomic_write(target, contents(b"new"), overwrite=True)
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("error", [FormatError("no"), KeyboardInterrupt(), OSError(errno.ENOSPC, "full")])
def test_a_failure_leaves_everything_as_it_was(tmp_path, *, overwrite, error):
    target = tmp_path / "old"
    if overwrite:
        target.write_bytes(b"old")
    with pytest.raises(ImageError if isinstance(error, OSError) else type(error)):
        atomic_write(target, failing(error), overwrite=overwrite)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"] * overwrite


def test_the_complete_file_is_verified_before_it_is_moved(tmp_path):
    target = tmp_path / "old"
    target.write_bytes(b"old")

    def verify(path):
        assert path.read_bytes() == b"new"
        assert target.read_bytes() == b"old"
        raise FormatError("does not decode")

    with pytest.raises(FormatError, match="does not decode"):
        atomic_write(target, contents(b"new"), overwrite=True, verify=verify)
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


def test_the_file_behind_a_link_is_replaced(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "real").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(folder / "real")
    atomic_write(link, contents(b"new"), overwrite=True)
    assert link.is_symlink()
    assert (folder / "real").read_bytes() == b"new"


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


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ImageError, match=r"folder .*nowhere does not exist"):
        atomic_write(tmp_path / "nowhere" / "a.png", contents(b""), overwrite=False)


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(ImageError, match="is a folder"):
        atomic_write(tmp_path, contents(b""), overwrite=True)


def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch):
    target = tmp_path / "old"
    target.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ImageError, match="not permitted"):
        atomic_write(target, contents(b"new"), overwrite=True)
    assert target.read_bytes() == b"old"


def test_a_name_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(ImageError, match="cannot be saved"):
        atomic_write(tmp_path / ("x" * 300), contents(b""), overwrite=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_what_replaces_a_private_file_is_private_from_its_first_byte(tmp_path):
    target = tmp_path / "old"
    target.write_bytes(b"old")
    target.chmod(0o600)
    modes = []

    def write(file):
        modes.append(stat.S_IMODE(os.fstat(file.fileno()).st_mode))
        file.write(b"new")

    atomic_write(target, write, overwrite=True)
    target.chmod(0o664)
    atomic_write(target, write, overwrite=True)
    assert modes == [0o600, 0o600]
    assert stat.S_IMODE(target.stat().st_mode) == 0o664


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files to others")
def test_a_replaced_file_keeps_its_owner(tmp_path):
    target = tmp_path / "old"
    target.write_bytes(b"old")
    os.chown(target, 12345, 23456)
    target.chmod(0o640)
    atomic_write(target, contents(b"new"), overwrite=True)
    found = target.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o640)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of this kind")
def test_a_group_that_cannot_be_kept_may_do_no_more_than_others(tmp_path, monkeypatch):
    target, new = tmp_path / "old", tmp_path / "new"
    target.write_bytes(b"old")
    new.write_bytes(b"new")
    target.chmod(0o664)
    given = target.stat()
    now = os.stat_result((*given[:4], given.st_uid + 1, given.st_gid + 1, *given[6:]))
    seen = iter([now])

    def chown(*_):
        raise PermissionError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "chown", chown)
    monkeypatch.setattr(type(target), "stat", lambda *_, **__: next(seen, given))
    copy_attributes(target, new)
    monkeypatch.undo()
    assert stat.S_IMODE(new.stat().st_mode) == 0o644


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="the platform has no extended attributes")
def test_a_replaced_file_keeps_its_extended_attributes(tmp_path):
    target = tmp_path / "old"
    target.write_bytes(b"old")
    try:
        os.setxattr(target, "user.origin", b"a camera")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    atomic_write(target, contents(b"new"), overwrite=True)
    assert target.read_bytes() == b"new"
    assert os.getxattr(target, "user.origin") == b"a camera"


def test_another_hard_link_keeps_the_old_contents(tmp_path):
    target, other = tmp_path / "old", tmp_path / "other"
    target.write_bytes(b"old")
    os.link(target, other)
    atomic_write(target, contents(b"new"), overwrite=True)
    assert (target.read_bytes(), other.read_bytes()) == (b"new", b"old")


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

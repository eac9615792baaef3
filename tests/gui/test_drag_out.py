from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PILImage
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from pcaimage.gui.clipboard import file_data, to_image
from pcaimage.gui.drag_out import DragFolder, DragHandle, DragOut
from pcaimage.gui.export.plan import ExportPlan
from pcaimage.gui.session.requests import Keep
from pcaimage.imaging import Image, read_image, write_image
from tests.gui.mouse import move

pytestmark = pytest.mark.slow

LEFT = Qt.MouseButton.LeftButton


class Handle(DragHandle):
    """A handle whose drags are looked at instead of performed."""

    def __init__(self):
        super().__init__()
        self.drags = []

    def perform(self, drag):
        data = drag.mimeData()
        image = data.imageData() if data.hasImage() else QImage()
        self.drags.append(([url.toLocalFile() for url in data.urls()], image, drag.pixmap().isNull()))


@pytest.fixture
def handle(on_screen):
    return on_screen(Handle(), 32, 32)


@pytest.fixture
def out(session_user, photo, handle):
    session_user.open(photo)
    return DragOut(session_user.session, handle)


def drag(handle, qtbot, *, keys=Qt.KeyboardModifier.NoModifier):
    qtbot.mousePress(handle, LEFT, keys, QPoint(5, 5))
    move(handle, QPoint(31, 31))


def test_the_reconstruction_goes_along_as_file_and_picture(out, handle, session_user, qtbot):
    drag(handle, qtbot)
    session_user.until(lambda: handle.drags)
    (path,), image, bare = handle.drags[0]
    assert Path(path).name == "photo reconstruction.png"
    assert np.array_equal(read_image(path).pixels, session_user.state.settled.pixels)
    assert np.array_equal(to_image(image).pixels, session_user.state.settled.pixels)
    assert not bare
    assert not handle.isDown()
    assert out.parent() is handle


def test_with_ctrl_it_is_the_compressed_file(out, handle, session_user, qtbot, tmp_path):
    assert out
    drag(handle, qtbot, keys=Qt.KeyboardModifier.ControlModifier)
    session_user.until(lambda: handle.drags)
    (path,), image, _ = handle.drags[0]
    session_user.session.task().save(tmp_path / "saved.pcai", lambda _done, _total: None)
    assert Path(path).name == "photo.pcai"
    assert Path(path).read_bytes() == (tmp_path / "saved.pcai").read_bytes()
    assert image.isNull()


def test_what_lets_go_too_early_drags_at_once_the_next_time(out, handle, session_user, qtbot):
    qtbot.mousePress(handle, LEFT, pos=QPoint(5, 5))
    qtbot.mouseRelease(handle, LEFT, pos=QPoint(6, 6))
    session_user.until(lambda: out.prepared)
    assert handle.drags == []
    drag(handle, qtbot)
    assert len(handle.drags) == 1
    session_user.session.request(Keep(session_user.state.setting.k + 1))
    assert not out.prepared


def test_nothing_is_dragged_before_there_is_a_result(session_user, handle, qtbot, photo):
    out = DragOut(session_user.session, handle)
    assert not handle.isEnabled()
    drag(handle, qtbot)
    session_user.open(photo)
    assert handle.isEnabled()
    session_user.session.close()
    assert not handle.isEnabled()
    assert handle.drags == []
    assert not out.prepared


def test_many_bands_go_as_a_format_that_holds_them(session_user, handle, qtbot, tmp_path):
    bands = np.random.default_rng(2).integers(0, 256, (20, 24, 7), np.uint8)
    write_image(tmp_path / "bands.tif", Image(bands))
    session_user.open(tmp_path / "bands.tif")
    DragOut(session_user.session, handle)
    drag(handle, qtbot)
    session_user.until(lambda: handle.drags)
    (path,), image, _ = handle.drags[0]
    assert path.endswith("bands reconstruction.tif")
    assert read_image(path).pixels.shape == (20, 24, 7)
    assert not image.isNull()


def test_an_export_s_format_goes_along_without_another_picture(handle, session_user, qtbot, photo):
    session_user.open(photo)
    plan = ExportPlan("JPEG").with_quality(70)
    out = DragOut(session_user.session, handle, plan_for=lambda _: plan)
    drag(handle, qtbot)
    session_user.until(lambda: handle.drags)
    (path,), image, bare = handle.drags[0]
    assert Path(path).name == "photo reconstruction.jpg"
    with PILImage.open(path) as written:
        assert (written.format, written.size) == ("JPEG", (61, 45))
    assert image.isNull()
    assert not bare
    assert out.prepared
    plan = ExportPlan("PNG")
    drag(handle, qtbot)
    session_user.until(lambda: len(handle.drags) == 2)
    assert handle.drags[1][0][0].endswith("photo reconstruction.png")
    assert not handle.drags[1][1].isNull()


def test_a_file_s_own_bytes_go_along(tmp_path):
    (tmp_path / "a.webp").write_bytes(b"RIFF")
    data = file_data(tmp_path / "a.webp")
    assert bytes(data.data("image/webp")) == b"RIFF"
    assert not data.hasImage()
    (tmp_path / "b.npy").write_bytes(b"numbers")
    assert file_data(tmp_path / "b.npy").formats() == ["text/uri-list"]
    assert file_data(tmp_path / "gone.png").formats() == ["text/uri-list"]


def test_files_wait_for_who_takes_them_but_not_for_ever():
    folder = DragFolder()
    paths = [folder.place("same name.png") for _ in range(6)]
    assert len(set(paths)) == 6
    assert [path.parent.is_dir() for path in paths] == [False, False, True, True, True, True]
    above = paths[-1].parent.parent
    del folder
    assert not above.exists()

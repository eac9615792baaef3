import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QPushButton

import pcaimage
from pcaimage.gui.compare.captions import original_caption
from pcaimage.gui.empty import OpeningView
from pcaimage.gui.lab.page import LabWindow
from pcaimage.gui.session import transitions
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.command_line import table_command
from pcaimage.gui.session.kept import kept_from, kept_of
from pcaimage.gui.session.opening import DamagedError, OpenOptions, open_document
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.session.state import Opening
from pcaimage.imaging import Image, Limits
from pcaimage.imaging.cubes import raw
from pcaimage.imaging.image.formats import title_of
from pcaimage.imaging.reading.samples import read_sample
from pcaimage.progress import no_progress
from tests.deep_avif import COLOUR

pytestmark = pytest.mark.filterwarnings("ignore:.*QDropEvent:DeprecationWarning")


def test_the_open_dialog_and_the_recent_files_open(user, answers, photo, draw, tmp_path):
    other = draw(tmp_path / "other.png", 20, 20, 1)
    answers.open = [str(photo)]
    user.trigger("open")
    user.rest()
    user.open(other)
    recent = user.window.submenus["open-recent"]
    assert [action.text() for action in recent.actions()] == [str(other), str(photo), "Clear"]
    recent.actions()[1].trigger()
    user.until(lambda: user.state.document.name == "photo.png")
    other.unlink()
    recent.aboutToShow.emit()
    user.until(lambda: [action.text() for action in recent.actions()] == [str(photo), "Clear"])
    recent.actions()[1].trigger()
    assert not recent.isEnabled()


@pytest.mark.slow
def test_a_sample_photograph_opens(user, monkeypatch):
    small = Image(np.ascontiguousarray(read_sample("camera").pixels[:32, :32]), name="camera.png")
    monkeypatch.setattr(
        "pcaimage.gui.session.opening.read_sample", lambda name: small if name == "camera" else None
    )
    user.window.empty.sampleRequested.emit("camera")
    user.rest()
    assert user.state.document.name == "camera"
    assert user.state.document.path is None


def test_what_cannot_be_opened_is_said_and_changes_nothing(user, photo, tmp_path):
    user.open(photo)
    before = user.state
    contents = {"notes.txt": b"hello", "cut.png": b"\x89PNG\r\n\x1a\n" + bytes(40), "junk.pcai": b"junk" * 40}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    for sentence in ("gone.png", "notes.txt is not an image", "cut.png is ", "junk.pcai cannot be opened"):
        user.open(tmp_path / sentence.split()[0])
        assert user.message.startswith(sentence)
        assert user.state.document is before.document
        assert user.state.exact is before.exact
        user.trigger("cancel")
        assert user.message == ""


def test_a_cut_file_is_offered_as_far_as_it_is_whole(user, compressed):
    compressed.write_bytes(compressed.read_bytes()[: -compressed.stat().st_size // 3])
    user.open(compressed)
    assert user.state.document is None
    assert user.message.startswith("small.pcai cannot be opened")
    user.window.messages.action.click()
    user.rest()
    assert 1 <= user.state.fit.n_components < 10
    assert "is damaged; only its first" in user.message


def test_several_dropped_images_are_a_stack(user, draw, tmp_path):
    files = [draw(tmp_path / f"{i}.png", 12, 16, 1, seed=i) for i in range(4)]
    user.open(*files)
    window = user.window
    assert user.state.choice.method == "stack"
    assert window.frame.isVisible()
    assert "image 1 of 4" in window.compare.original.caption.lines[1]
    window.frame.setValue(3)
    user.rest()
    assert user.state.frame == 2
    assert "image 3 of 4" in window.compare.original.caption.lines[1]
    np.testing.assert_array_equal(user.state.exact.pixels, user.state.settled.pixels[2])
    window.session.request(ShowFrame(1))
    assert window.frame.value() == 2
    window.compare.cursorMoved.emit(3, 4)
    assert window.pixel.text().startswith("(3, 4)   original ")
    window.compare.cursorLeft.emit()
    assert window.pixel.text() == ""


@pytest.mark.slow
def test_after_a_stack_an_image_is_fitted_as_images_were(user, photo, draw, tmp_path):
    folder = tmp_path / "stack"
    folder.mkdir()
    for i in range(3):
        draw(folder / f"{i}.png", 12, 16, 1, seed=i)
    user.open(folder)
    assert user.state.document.name == "stack"
    user.open(photo)
    assert (user.state.choice.method, user.state.choice.block) == ("blocks", 4)
    assert not user.window.frame.isVisible()


def test_images_of_different_sizes_are_no_stack(user, photo, draw, tmp_path, answers):
    user.open(photo, draw(tmp_path / "b.png", 12, 16, 3))
    assert "several" not in answers.asked
    user.until(lambda: user.state.document is not None)
    assert not user.state.document.is_stack
    user.session.open_paths([str(photo), str(tmp_path / "b.png")])
    user.until(lambda: user.message.startswith("All images of a stack must be alike"))
    user.window.messages.dismiss()
    (tmp_path / "c.pcai").write_bytes(b"")
    user.session.open_paths([str(photo), str(tmp_path / "c.pcai")])
    user.until(lambda: user.message.startswith("c.pcai is already compressed"))


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 3, 1), (40, 1, 3)])
@pytest.mark.slow
def test_tiny_images_open(user, draw, tmp_path, shape):
    user.open(draw(tmp_path / "tiny.png", *shape))
    assert user.state.exact is not None
    assert "\nk = " in user.caption


def test_the_clipboard_s_image_and_copied_files_are_pasted_and_an_empty_one_is_said(user, photo):
    QGuiApplication.clipboard().clear()
    user.trigger("paste")
    assert user.message == "There is no image on the clipboard."
    picture = QImage(20, 10, QImage.Format.Format_RGB32)
    picture.fill(QColor("#336699"))
    picture.setPixelColor(3, 4, QColor("#ffffff"))
    QGuiApplication.clipboard().setImage(picture)
    user.trigger("paste")
    user.rest()
    assert (user.state.document.name, user.state.document.size) == ("Pasted image", (20, 10))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(photo))])
    QGuiApplication.clipboard().setMimeData(data)
    user.trigger("paste")
    user.rest()
    assert (user.state.document.name, user.message) == ("photo.png", "")


@pytest.mark.slow
def test_closing_an_image_brings_back_the_empty_window_which_closes_during_work(user, photo, settings):
    user.open(photo)
    user.trigger("close")
    assert user.window.pages.currentWidget() is user.window.empty
    assert user.window.windowTitle() == "pcaimage"
    assert not user.window.zoom.isEnabled()
    assert user.window.zoom.text() == ""
    user.drop(photo)
    assert user.window.close()
    assert not user.session.jobs.busy()
    assert settings.contains("window/geometry")


@pytest.mark.slow
def test_a_file_that_claims_too_much_is_opened_when_the_user_trusts_it(user, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "flat.pcai"
    path.write_bytes(pcaimage.encode(np.zeros((400, 300, 3), np.uint8)))
    monkeypatch.setattr(Limits, "default", classmethod(lambda cls: cls(max_unbacked_bytes=1)))
    user.open(path)
    window = user.window
    assert window.pages.currentWidget() is window.empty
    assert "claims to be an image of 400 × 300 × 3 numbers" in window.messages.text
    assert "--limit" not in window.messages.text
    button = next(
        b for b in window.messages.findChildren(QPushButton) if b.text().replace("&", "") == "Open it"
    )
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    user.rest()
    assert window.pages.currentWidget() is window.compare
    assert not window.messages.text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses to cut mapped files")
@pytest.mark.slow
def test_a_file_that_another_program_cuts_short_is_told_and_another_can_be_opened(
    user, answers, photo, tmp_path, monkeypatch
):
    monkeypatch.setattr(raw, "MAP_FROM", 1)
    cube, target = tmp_path / "cube.npy", tmp_path / "out.pcai"
    np.save(cube, np.random.default_rng(3).integers(0, 9000, (64, 80, 9)).astype(np.uint16))
    user.open(cube)
    assert user.state.document.image.is_mapped
    os.truncate(cube, 8192)
    answers.save = target
    user.trigger("save")
    user.rest()
    assert "cube.npy was changed by another program" in user.message
    assert not target.exists()
    user.window.show_figures(user.state)
    assert user.window.isVisible()
    user.open(photo)
    assert user.state.document.name == photo.name
    assert user.state.settled is not None


def animation(path, count=6):
    colours = np.random.default_rng(4).integers(0, 256, (20, 24, 3)).astype(np.uint8)
    frames = [Pillow.fromarray(np.roll(colours, 3 * number, axis=1)) for number in range(count)]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=80)
    return path


@pytest.mark.parametrize("ending", ["gif", "webp", "png"])
def test_an_animation_opens_whole_and_one_frame_of_it_if_asked_for(tmp_path, ending):
    path = animation(tmp_path / f"six.{ending}")
    whole = open_document([str(path)], no_progress).document
    assert (whole.images_in_file, whole.shape) == (1, (6, 20, 24, 3))
    assert whole.timing.durations == (80,) * 6
    assert whole.file_size == path.stat().st_size
    one = open_document([str(path)], no_progress, OpenOptions(frame=2)).document
    assert (one.images_in_file, one.image_word, one.is_stack, one.timing) == (6, "frame", False, None)
    assert one.file_size == path.stat().st_size // 6
    assert one.original_words == f"a frame of the original {title_of(one.format)}"
    state = transitions.opened(one, Choice())
    assert original_caption(state)[1].startswith("frame 3 of 6 · 24 × 20 · ")
    again = kept_of(state)
    kept = kept_from(json.loads(json.dumps(again.to_values())))
    found = open_document(list(kept.paths), no_progress, kept.options).document
    assert (found.images_in_file, found.image_in_file, found.shape) == (6, 2, (20, 24, 3))
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(DamagedError, match="only its first 5 frames are intact"):
        open_document([str(path)], no_progress)
    found = open_document([str(path)], no_progress, OpenOptions(salvage=True)).document
    assert (found.frames, found.damaged) == (5, True)


def test_the_first_page_of_a_tiff_is_compared_with_its_share(tmp_path):
    path = animation(tmp_path / "six.tif")
    document = open_document([str(path)], no_progress).document
    assert (document.images_in_file, document.image_word, document.is_stack) == (6, "page", False)
    assert document.original_words == "a page of the original TIFF"
    whole = open_document([str(path)], no_progress, OpenOptions(together=True)).document
    assert (whole.images_in_file, whole.shape, whole.timing) == (1, (6, 20, 24, 3), None)
    again = kept_of(transitions.opened(whole, Choice()))
    assert open_document(list(again.paths), no_progress, again.options).document.frames == 6


@pytest.mark.slow
def test_an_animation_is_played_stepped_through_and_one_frame_opened_alone(user, tmp_path):
    path = animation(tmp_path / "six.gif")
    user.open(path)
    assert user.message == ""
    assert user.window.play.isVisible()
    user.trigger("next-image")
    user.trigger("next-image")
    user.trigger("previous-image")
    assert user.state.frame == 1
    user.qtbot.keyClick(user.window.frame, Qt.Key.Key_Right)
    assert user.state.frame == 2
    player = user.window.stack.player
    user.trigger("play")
    assert player.playing
    user.until(lambda: user.state.frame not in {2, 3})  # it began with the one that was shown
    user.trigger("play")
    assert not player.playing
    user.trigger("play")
    user.session.request(ShowFrame((user.state.frame + 3) % 6))
    assert not player.playing
    assert not user.window.actions_by_name["play"].isChecked()
    user.session.request(ShowFrame(2))
    user.trigger("image-alone")
    user.rest()
    assert user.message == "six.gif has 6 frames; only frame 3 is open."
    assert not user.window.play.isVisible()
    user.window.messages.action.click()
    user.rest()
    assert user.state.document.frames == 6


def test_a_table_leads_to_the_lab_and_to_the_command_that_reads_it(user, tmp_path):
    path = tmp_path / "my numbers.csv"
    path.write_text("a,b\n1,2\n3,5\n4,4\n")
    user.drop(path)
    user.until(lambda: user.message)
    command = table_command(path)
    assert user.message == (
        "my numbers.csv is a table of numbers, not an image; the PCA lab does its PCA. "
        f"In a terminal: {command}"
    )
    messages = user.window.messages
    messages.other.click()
    assert QGuiApplication.clipboard().text() == command
    user.drop(path)
    user.until(lambda: messages.action.text() == "Open in the PCA Lab" and messages.action.isVisible())
    messages.action.click()
    (lab,) = user.window.findChildren(LabWindow)
    assert lab.page.state.data.features == ("a", "b")
    assert lab.page.state.data.samples.tolist() == [[1, 2], [3, 5], [4, 4]]
    lab.page.open_file(tmp_path / "gone.csv")
    assert "gone.csv" in lab.page.messages.text
    lab.close()
    assert (
        table_command(Path("/data/my numbers.csv"), windows=False) == "pcaimage table '/data/my numbers.csv'"
    )


@pytest.mark.slow
def test_while_a_file_opens_the_window_says_which_and_shows_it(user, tmp_path):
    path = tmp_path / "<b>large.jpg"
    Pillow.fromarray(np.full((160, 240, 3), 200, np.uint8)).save(path)
    user.window.session.open_paths([str(path)])
    assert user.state.opening.name == path.name
    user.until(lambda: user.state.opening is None or user.state.opening.picture is not None)
    user.rest()
    assert user.state.opening is None
    assert user.window.pages.currentWidget() is user.window.compare
    user.window.session.open_paths([str(tmp_path / "none.jpg")])
    user.until(lambda: user.message)
    assert user.state.opening is None
    user.window.session.open_paths([str(path)])
    user.window.session.stop()
    assert user.state.opening is None


def test_the_page_of_an_opening_file_has_its_name_and_picture(qtbot):
    view = OpeningView()
    qtbot.addWidget(view)
    view.resize(300, 200)
    view.show_opening(Opening("a.jpg"))
    assert view.text == "Opening a.jpg…"
    assert view.picture is None
    view.show_opening(Opening("a.jpg", np.full((20, 40, 3), (250, 10, 20), np.uint8)))
    shown = view.grab().toImage()
    assert shown.pixelColor(150, 60).getRgb()[:3] == (250, 10, 20)
    assert shown.pixelColor(150, 195).getRgb()[:3] != (250, 10, 20)
    view.set_progress(3, 5)
    assert view.text == "Opening a.jpg… 60\u00a0%"
    view.set_progress(0, 0)
    view.show_opening(None)
    assert view.text == "Opening a.jpg…"


def test_bits_that_are_not_read_are_told_of(user, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imagecodecs", None)  # as where it is not installed
    (tmp_path / "deep.avif").write_bytes(COLOUR)
    user.open(tmp_path / "deep.avif")
    assert "8 of 10 bits" in original_caption(user.state)[1]
    assert user.message.startswith("deep.avif has 10 bits a channel, of which 8 are read; install ")
    np.save(tmp_path / "fine.npy", np.linspace(0, 1, 140).reshape(5, 7, 4))
    user.open(tmp_path / "fine.npy")
    assert "32 of 64 bits" in original_caption(user.state)[1]
    assert "one image. fine.npy has 64 bits a channel, of which 32 are read; " in user.message

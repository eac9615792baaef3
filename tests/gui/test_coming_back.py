"""What was set for an image stays with it until the window closes, and nothing is asked."""

import os

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox

from pcaimage.gui import dialogs
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.kept import Kept
from pcaimage.gui.session.requests import Choose, Keep, LeaveOut, Reach, ShowFrame
from pcaimage.gui.session.sharing import MOST, Memory, Own
from tests.gui.conftest import write
from tests.smooth import smooth

ASK_SEVERAL = dialogs.ask_several


@pytest.fixture
def other(draw, tmp_path):
    return draw(tmp_path / "other.png", 24, 28, 3, seed=2)


def test_settings_of_each_image_come_back_with_it(session_user, photo, other):
    session_user.open(photo)
    session_user.session.request(Choose(method="blocks", block=8))
    session_user.rest()
    session_user.session.request(Keep(20))
    session_user.session.request(LeaveOut(frozenset({3})))
    left = session_user.state
    session_user.open(other)
    assert session_user.state.setting != left.setting
    session_user.session.request(Reach("psnr", 30.0))
    session_user.rest()
    aimed = session_user.state
    session_user.open(photo)
    assert (session_user.state.choice, session_user.state.setting, session_user.state.goal) == (
        left.choice,
        left.setting,
        left.goal,
    )
    session_user.session.undo()
    assert session_user.state.setting == Setting(20, None)
    session_user.session.close()
    session_user.drop(other)
    session_user.until(lambda: session_user.state.document is not None)
    session_user.session.close()  # before its components are found
    session_user.open(other)
    assert (session_user.state.setting, session_user.state.goal) == (aimed.setting, aimed.goal)
    session_user.open(other)  # the same again, in its own place
    assert session_user.state.goal == aimed.goal


@pytest.mark.parametrize(("first", "then"), [(None, "channels"), ("channels", "blocks")])
def test_an_image_has_the_choice_that_was_made_for_it_or_else_that_of_others(
    session_user, photo, other, first, then
):
    session_user.open(photo)
    if first is not None:  # its components are not found before the other is opened
        session_user.session.request(Choose(method=first))
    session_user.open(other)
    session_user.session.request(Choose(method=then))
    session_user.rest()
    session_user.open(photo)
    assert session_user.state.choice.method == "channels"


def test_a_file_that_was_changed_begins_anew(session_user, photo, other):
    session_user.open(photo)
    session_user.session.request(Keep(7))
    before = photo.stat()
    write(photo, smooth(45, 61, 3, seed=9))  # while it is open
    os.utime(photo, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))
    session_user.open(other)
    session_user.open(photo)
    assert not session_user.state.touched
    assert session_user.state.setting.k != 7


def test_a_compressed_file_and_a_sample_come_back(session_user, compressed, photo):
    session_user.open(compressed)
    session_user.session.request(Keep(4))
    session_user.session.open_sample("camera")
    session_user.rest()
    session_user.session.request(Keep(5))
    session_user.open(compressed)
    assert session_user.state.setting.k == 4
    session_user.session.open_sample("camera")
    session_user.rest()
    assert session_user.state.setting.k == 5
    session_user.open(photo)
    assert not session_user.state.touched


@pytest.mark.slow
def test_a_file_that_is_read_in_another_way_has_other_settings(session_user, draw, tmp_path):
    files = [draw(tmp_path / f"{number}.png", 16, 20, 3, seed=number) for number in range(4)]
    session_user.open(*files)
    session_user.session.request(ShowFrame(2))
    session_user.session.request(Keep(2))
    session_user.open(files[0])
    assert not session_user.state.touched
    session_user.open(*files)
    assert (session_user.state.frame, session_user.state.setting.k) == (2, 2)


def test_what_is_remembered_is_bounded():
    memory = Memory()
    for number in range(MOST + 5):
        memory.put((f"/{number}.png",), Own(None, Kept(f"{number}.png", (f"/{number}.png",), Choice(), None)))
    assert memory.of(Document("4.png", inputs=()).__class__("4.png")) is None
    assert [memory.of_file(f"/{number}.png", 0) for number in (0, MOST)] == [None, None]


def test_nothing_is_asked_on_the_way_out(user, photo, other, answers):
    user.open(photo)
    user.session.request(Keep(7))
    answers.open = [str(other)]
    user.trigger("open")
    user.rest()
    assert user.state.document.path == other
    user.session.request(Keep(3))
    user.trigger("close")
    assert user.state.document is None
    user.open(photo)
    assert user.state.setting.k == 7
    assert user.window.windowTitle() == "photo.png – pcaimage"
    assert not user.window.isWindowModified()
    assert user.window.close()
    assert answers.asked == ["open"]


def test_a_window_that_is_closed_while_it_saves_waits_for_the_file(user, photo, answers, tmp_path):
    user.open(photo)
    answers.save = tmp_path / "none" / "photo.pcai"
    user.trigger("save")
    assert not user.window.close()
    user.until(lambda: user.window.messages.kind == "error")
    assert user.window.isVisible()  # to say so
    answers.save = tmp_path / "photo.pcai"
    user.trigger("save")
    assert not user.window.close()
    user.until(lambda: not user.window.isVisible())
    assert answers.save.exists()


def test_a_question_goes_with_the_images_that_it_is_about(user, draw, photo, tmp_path, monkeypatch):
    monkeypatch.setattr(dialogs, "ask_several", ASK_SEVERAL)
    alike = [draw(tmp_path / f"{name}.png", 16, 20, 3) for name in "ab"]
    user.drop(*alike)
    user.until(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    user.window.files.open_paths([str(photo)])  # as a later start asks for
    assert QApplication.activeModalWidget() is None
    user.rest()
    assert user.state.document.path == photo
    user.session.request(Keep(7))
    user.window.files.open_paths([str(photo), *map(str, alike)], apart=True)
    user.rest()
    user.until(lambda: user.window.photographs.is_open)
    assert [each.name for each in user.window.photographs.roll.own] == ["photo.png"]
    user.rest()


def test_an_offer_goes_with_the_file_that_it_is_about(user, compressed, photo):
    compressed.write_bytes(compressed.read_bytes()[:-40])
    user.open(compressed)
    assert user.window.messages.action.text() == "Open what is intact"
    user.window.files.open_paths([str(photo)])
    assert not user.message
    user.rest()
    assert not user.message


@pytest.mark.slow
def test_photographs_keep_their_settings_when_the_strip_is_left(user, draw, answers, photo, tmp_path):
    answers.several = "separate"
    files = [draw(tmp_path / f"{name}.png", 40, 48, 3, seed=seed) for seed, name in enumerate("abc")]
    user.open(*files)
    user.until(lambda: user.state.fitted)
    user.session.request(Keep(7))
    user.rest()
    window = user.window
    window.photographs.strip.list.selectAll()
    window.photographs.apply_to_selected()
    assert len(window.photographs.roll.own) == 3
    user.open(photo)
    assert not window.photographs.is_open
    user.open(files[1])  # which was never open
    user.until(lambda: user.state.fitted and user.state.setting.k == 7)
    user.rest()
    user.session.request(Keep(9))
    user.open(*files)
    user.until(lambda: user.state.fitted)
    user.rest()
    roll = window.photographs.roll
    assert [each.name for each in roll.own] == ["a.png", "b.png", "c.png"]
    assert roll.photographs[1].own.settings.k == 9
    assert user.state.setting.k == 7
    window.photographs.strip.list.selectAll()
    window.photographs.share_again()
    user.until(lambda: user.state.fitted and user.state.setting.k != 7)
    user.rest()
    assert window.photographs.roll.own == ()
    assert not answers.asked.count("sure")

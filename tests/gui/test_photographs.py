"""Several photographs at once: the question, the strip, and the settings that each has or shares."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QMessageBox, QWidget

from pcaimage.api import Preset
from pcaimage.gui.dialogs import several_question
from pcaimage.gui.photographs.bar import PhotographStrip
from pcaimage.gui.photographs.miniatures import Miniatures
from pcaimage.gui.photographs.model import PhotographModel
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.gui.session.requests import Choose, Keep, Reach, UsePreset
from pcaimage.gui.session.several import Several, listed, several_in
from pcaimage.gui.session.sharing import Own, choice_of, differs
from pcaimage.progress import no_progress

from .conftest import smooth, write


@pytest.fixture
def three(tmp_path):
    """Three photographs of one size in a folder, which are opened as they are compressed best."""
    folder = tmp_path / "phone"
    folder.mkdir()
    return [write(folder / f"{name}.png", smooth(40, 48, 3, seed=seed)) for seed, name in enumerate("abc")]


@pytest.fixture
def apart(user, answers, three):
    """A window with a strip of the three."""
    user.window.preferences.choice = replace(user.window.preferences.choice, method="photo")
    user.session.prefer(user.window.preferences.choice)
    answers.several = "separate"
    user.open(*three)
    user.until(lambda: user.state.fitted)
    user.rest()
    return user


def found(paths):
    several = several_in([str(path) for path in paths], no_progress)
    assert several is not None
    return several


def go_to(user, name):
    strip, roll = user.window.photographs.strip.list, user.window.photographs.roll
    rows = {photograph.name: row for row, photograph in enumerate(roll.photographs)}
    strip.step(rows[name] - strip.currentIndex().row())
    user.until(lambda: user.state.document is not None and user.state.document.name == name)
    user.until(lambda: user.state.fitted)
    user.rest()


# The question


def test_only_what_is_possible_is_offered(three, tmp_path):
    assert found(three).ways == ("separate", "stack")
    assert found(three).question == "How are these 3 images of 48 × 40 pixels to be opened?"
    grey = [write(tmp_path / f"{n}.png", smooth(8, 9, 1, seed=n)) for n in range(2)]
    assert found(grey).ways == ("separate", "stack", "bands")
    other = write(tmp_path / "other.png", smooth(9, 9, 1))
    assert found([*grey, other]).ways == ("separate",)
    assert found([three[0], tmp_path / "none.pcai"][:1] * 1 + [three[1]]).dimensions == (48, 40)
    (tmp_path / "broken.png").write_bytes(b"no image")
    assert found([three[0], tmp_path / "broken.png"]).ways == ("separate",)


def test_a_folder_stands_for_its_images(three, tmp_path):
    assert found([three[0].parent]).files == tuple(str(path) for path in three)
    assert found([three[0].parent]).sizes == tuple(path.stat().st_size for path in three)
    assert several_in([str(three[0])], no_progress) is None
    assert listed([str(three[0]), str(three[0].parent)]).files == tuple(str(path) for path in three)
    bands = tmp_path / "bands"
    bands.mkdir()
    for number in (1, 2):
        write(bands / f"B0{number}.png", smooth(8, 9, 1, seed=number))
    assert several_in([str(bands)], no_progress) is None


def test_the_question_explains_and_remembers(qtbot, three):
    parent = QWidget()
    qtbot.addWidget(parent)
    box, buttons = several_question(parent, found(three))
    assert list(buttons.values()) == ["separate", "stack"]
    assert buttons[box.defaultButton()] == "separate"
    assert "strip" in box.informativeText()
    assert isinstance(box.checkBox(), QCheckBox)
    assert isinstance(box, QMessageBox)


def test_the_answer_is_asked_for_once(user, answers, three):
    answers.several, answers.always = "stack", True
    user.open(*three)
    assert user.state.document.is_stack
    user.open(*three)
    assert answers.asked.count("several") == 1
    preferences = user.window.preferences
    assert preferences.several == "stack"
    answers.several = None
    preferences.several = None
    user.window.session.close()
    user.open(*three)
    assert user.state.document is None


@pytest.mark.slow
def test_grey_pictures_open_as_bands(user, answers, tmp_path):
    grey = [write(tmp_path / f"{n}.png", smooth(8, 9, 1, seed=n)) for n in range(5)]
    answers.several = "bands"
    user.open(*grey)
    assert user.state.document.shape == (8, 9, 5)
    assert user.state.document.many_bands


# The strip


def test_photographs_stand_in_a_strip_and_open_one_at_a_time(apart, three):
    strip = apart.window.photographs.strip
    assert strip.isVisible()
    assert [strip.list.model().index(row, 0).data() for row in range(3)] == ["a.png", "b.png", "c.png"]
    assert strip.count.text() == "3 photographs"
    assert apart.state.document.path == three[0]
    go_to(apart, "c.png")
    assert strip.list.rows == [2]
    apart.trigger("previous-photograph")
    apart.until(lambda: apart.state.document.path == three[1])
    apart.rest()
    apart.window.session.close()
    assert not strip.isVisible()
    assert not apart.window.actions_by_name["compress-all"].isEnabled()


@pytest.mark.slow
def test_each_photograph_has_its_own_settings(apart):
    roll = lambda: apart.window.photographs.roll  # noqa: E731
    apart.session.request(UsePreset("small"))
    apart.rest()
    assert [each.name for each in roll().own] == ["a.png"]
    setting = apart.state.setting
    go_to(apart, "b.png")
    assert apart.state.goal.preset == "balanced"
    assert [each.name for each in roll().own] == ["a.png"]
    go_to(apart, "a.png")
    assert (apart.state.goal.preset, apart.state.setting) == ("small", setting)
    apart.session.request(UsePreset("balanced"))
    apart.rest()
    assert roll().own == ()


def test_settings_are_applied_to_all_and_taken_back(apart):
    photographs = apart.window.photographs
    apart.session.request(Choose(method="blocks", block=8))
    apart.until(lambda: apart.state.fitted)
    apart.session.request(Keep(7))
    apart.rest()
    assert len(photographs.roll.own) == 1
    photographs.apply_to_all()
    assert photographs.roll.own == ()
    assert apart.message == "3 photographs have these settings now."
    go_to(apart, "b.png")
    apart.until(lambda: apart.state.setting.k == 7)
    apart.rest()
    assert apart.state.choice.method == "blocks"
    assert photographs.roll.own == ()
    apart.session.request(Keep(9))
    apart.rest()
    photographs.share_again()
    apart.until(lambda: apart.state.setting.k == 7)
    assert photographs.roll.own == ()


@pytest.mark.slow
def test_settings_are_applied_to_the_selected(apart):
    photographs, strip = apart.window.photographs, apart.window.photographs.strip.list
    apart.session.request(Reach("psnr", 30.0))
    apart.rest()
    strip.selectAll()
    strip.selectionModel().select(strip.model().index(2, 0), strip.selectionModel().SelectionFlag.Deselect)
    photographs.apply_to_selected()
    assert [each.name for each in photographs.roll.own] == ["a.png", "b.png"]
    go_to(apart, "b.png")
    apart.until(lambda: apart.state.goal.measure == "psnr")
    apart.rest()
    assert [each.name for each in photographs.roll.own] == ["a.png", "b.png"]


def test_settings_of_files_that_are_made_are_shown(apart):
    photographs, small = apart.window.photographs, Preset("small", step=70.0, bits=0.35)
    paths = [each.path for each in photographs.roll.photographs]
    photographs.show_shared(small, paths[1:2], keeps_own=True)
    assert [each.name for each in photographs.roll.own] == ["b.png"]
    photographs.show_shared(small, paths, keeps_own=False)
    apart.until(lambda: apart.state.goal.preset == "small")
    apart.rest()
    assert (photographs.roll.own, photographs.roll.shared) == ((), small)


def test_photographs_are_removed_and_added(apart, three, tmp_path):
    strip, photographs = apart.window.photographs.strip.list, apart.window.photographs
    strip.setFocus()
    QTest.keyClick(strip, Qt.Key.Key_Delete)
    apart.until(lambda: apart.state.document.path == three[1])
    apart.rest()
    assert [each.name for each in photographs.roll.photographs] == ["b.png", "c.png"]
    photographs.add([str(write(tmp_path / "d.png", smooth(9, 9, 3))), str(three[1])])
    apart.until(lambda: len(photographs.roll) == 3)
    assert [each.name for each in photographs.roll.photographs] == ["b.png", "c.png", "d.png"]
    assert strip.rows == [0]
    assert all(path.exists() for path in three)


def test_a_photograph_that_cannot_be_opened_leaves_the_present_one(apart, three):
    three[1].write_bytes(b"no image any more")
    apart.window.photographs.strip.list.step(1)
    apart.until(lambda: "b.png" in apart.message)
    assert apart.state.document.path == three[0]
    assert apart.window.photographs.strip.list.rows == [0]


# Its parts


def test_a_roll_is_a_value():
    roll = Roll(tuple(Photograph(f"/x/{name}", 10) for name in "abc"))
    own = Own(Preset("p", psnr=30.0))
    assert roll.n_bytes == 30
    marked = roll.with_own("/x/b", own)
    assert [each.path for each in marked.own] == ["/x/b"]
    assert marked.with_own("/x/b", own) is marked
    assert roll.own == ()
    assert marked.sharing(Preset("q", psnr=31.0)).own == ()
    assert [each.name for each in marked.without([1]).photographs] == ["a", "c"]
    assert len(roll.joined(Roll.of(Several(("/x/c", "/x/d"), (1, 2))))) == 4


def test_equal_settings_are_no_own_ones():
    own = Own(Preset("own", step=26.0, psnr=36.0))
    assert not differs(own, Preset("balanced", step=26.0 * (1 + 1e-9), psnr=36.0))
    assert differs(own, Preset("other", psnr=36.0))
    assert choice_of(Preset("b", method="blocks", block=16)).block == 16
    assert choice_of(Preset("b", standardize=True)).prepared.value == choice_of(Preset("b")).prepared.value


@pytest.fixture
def strip(qtbot, look):  # noqa: ARG001 - as in the window
    model = PhotographModel()
    strip = PhotographStrip(model)
    model.setParent(strip)
    qtbot.addWidget(strip)
    strip.resize(700, 140)
    model.show_roll(Roll(tuple(Photograph(f"/none/{number}.jpg", 1) for number in range(40))))
    strip.show()
    return strip


def test_keys_go_through_the_strip(strip, qtbot):
    view, opened = strip.list, list[int]()
    view.opened.connect(opened.append)
    view.show_current(0)
    for key, row in (
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_PageDown, 1 + len(view.seen()) - 2),
        (Qt.Key.Key_End, 39),
        (Qt.Key.Key_Left, 38),
        (Qt.Key.Key_Home, 0),
    ):
        QTest.keyClick(view, key)
        assert view.currentIndex().row() == row
    assert opened == []  # those that are passed on the way are not opened
    QTest.keyClick(view, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: opened == [1])
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.rows == [1, 2]
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert opened == [1, 2]


def test_the_strip_says_what_it_shows(strip):
    index = strip.list.model().index(3, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "3.jpg, 4 of 40"
    assert index.data(Qt.ItemDataRole.ToolTipRole).startswith("/none/3.jpg")
    assert strip.list.accessibleName() == "Photographs"


def test_small_pictures_are_made_and_bounded(
    qtbot,
    three,
    monkeypatch,
    look,  # noqa: ARG001
):
    paths = [str(path) for path in three]
    (three[1]).write_bytes(b"no image")
    miniatures = Miniatures()
    miniatures.want(paths, QSize(24, 24))
    qtbot.waitUntil(lambda: all(miniatures.picture(path) is not None for path in paths))
    assert [miniatures.picture(path).width() for path in paths] == [24, 0, 24]
    assert miniatures.n_bytes == 2 * 24 * 20 * 4
    monkeypatch.setattr("pcaimage.gui.photographs.miniatures.MOST_BYTES", 3000)
    miniatures.want(paths, QSize(30, 30))
    qtbot.waitUntil(lambda: miniatures.picture(paths[2]) is not None)
    assert miniatures.n_bytes <= 3000
    miniatures.close()


def test_a_compressed_file_has_a_small_picture(compressed):
    from pcaimage.gui.session.thumbnail import file_thumbnail

    picture = file_thumbnail(compressed, 30)
    assert picture.dtype == np.uint8
    assert 30 <= max(picture.shape) < 40
    assert QApplication.instance() is not None

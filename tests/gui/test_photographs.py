"""Several photographs at once: the question, the strip, and the settings that each has or shares."""

import zipfile
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

import pcaimage
from pcaimage.api import Preset
from pcaimage.batching import Compress, Export, Goal, Result, State
from pcaimage.batching.batches import Batch
from pcaimage.batching.sharing import Portion
from pcaimage.gui import dialogs
from pcaimage.gui.dialogs import several_question
from pcaimage.gui.photographs import words
from pcaimage.gui.photographs.form import SendForm
from pcaimage.gui.photographs.miniatures import Miniatures
from pcaimage.gui.photographs.plan import BALANCED, SendPlan, folder_for
from pcaimage.gui.photographs.queue import Errand, Queue
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.gui.photographs.sheet import SendSheet
from pcaimage.gui.photographs.strip import PhotographModel, PhotographStrip
from pcaimage.gui.photographs.words import Tally
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.opening import Several, listed, several_in
from pcaimage.gui.session.requests import Choose, Keep, Reach, UsePreset
from pcaimage.gui.session.sharing import Own
from pcaimage.gui.session.thumbnail import file_thumbnail
from pcaimage.imaging.writing.adapt import Adaptation, Resize
from pcaimage.insight.formatting import change_words
from pcaimage.progress import no_progress
from tests.gui.conftest import write
from tests.smooth import smooth


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
    assert not apart.window.actions_by_name["send"].isEnabled()


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


@pytest.mark.usefixtures("look")
def test_small_pictures_are_made_and_bounded(qtbot, three, compressed, monkeypatch):
    paths = [str(path) for path in three]
    (three[1]).write_bytes(b"no image")
    miniatures = Miniatures()
    miniatures.want(paths, QSize(24, 24))
    qtbot.waitUntil(lambda: all(miniatures.picture(path) is not None for path in paths))
    assert [miniatures.picture(path).width() for path in paths] == [24, 0, 24]
    monkeypatch.setattr("pcaimage.gui.photographs.miniatures.MOST", 2)
    miniatures.want(paths, QSize(30, 30))
    qtbot.waitUntil(lambda: miniatures.picture(paths[2]) is not None)
    assert [miniatures.picture(path) is None for path in paths] == [True, False, False]
    miniatures.close()
    picture = file_thumbnail(compressed, 30)
    assert picture.dtype == np.uint8
    assert 30 <= max(picture.shape) < 40


PACKED = SendPlan("PCAI")


def roll_of(*names, n_bytes=1000):
    return Roll(tuple(Photograph(f"/phone/{name}", n_bytes) for name in names))


def plain(text):
    return text.replace("\u00a0", " ")


# The plan


def test_a_plan_is_a_recipe_and_a_goal():
    own = Preset("mine", ssim=0.9)
    assert PACKED.recipe(None, None) == Compress(preset=BALANCED)
    assert PACKED.recipe(own, None) == Compress(preset=own)
    assert PACKED.goal(3) is None
    recipe = SendPlan(edge=640, strip="place").recipe(own, None)
    assert isinstance(recipe, Export)
    assert (recipe.suffix, recipe.quality) == (".jpg", None)
    assert (recipe.adaptation.resize, recipe.adaptation.strip) == (Resize(640, 640), "place")
    assert SendPlan("WEBP", edge=0).recipe(None, None).adaptation == Adaptation(srgb=True, strip="all")
    assert 9_990_000 < SendPlan().goal(12).total < 10_000_000
    assert SendPlan(measure="each", each=80.0).goal(12) == Goal(each=80_000)
    assert SendPlan(measure="visible", visible=75.0).goal(12) == Goal(visible=75.0)
    kept = Own(Preset("own", psnr=40.0))  # photographs keep their own settings
    roll = roll_of("a.jpg", "b.jpg").with_own("/phone/b.jpg", kept)
    assert PACKED.own_recipes(roll.photographs, None) == {"/phone/b.jpg": kept.recipe(None)}
    assert SendPlan().own_recipes(roll.photographs, None) == {}


def test_a_plan_is_remembered_without_its_folder(tmp_path):
    plan = SendPlan("AVIF", "each", each=80.0, edge=1280, strip="place", folder="/secret")
    text = plan.to_text()
    assert "secret" not in text
    assert SendPlan.recalled(text) == replace(plan, folder="")
    wrong = "", "{", "[]", *(f"{{{each}}}" for each in ('"format": "PNG"', '"edge": 5', '"strip": "x"'))
    wrong = (*wrong, '{"total": -1}', '{"each": "x"}')
    assert all(SendPlan.recalled(each) == SendPlan() for each in wrong)
    roll = Roll((Photograph(str(tmp_path / "a.jpg")),))
    assert folder_for(roll) == str(tmp_path / "to send")
    (tmp_path / "to send").mkdir()
    assert folder_for(roll) == str(tmp_path / "to send 2")


def test_estimates_are_told_in_words():
    portions = [Portion(80, size, 90.0, 10**6) for size in (300_000.0, 500_000.0)]
    good = [each._replace(visible=71.0) for each in portions]
    told = [plain(words.estimate_words(*each)) for each in ((portions, 2), (good, 5))]
    assert told == [
        "≈ 800 KB · 300 KB to 500 KB each · looks like the original, visible quality 90",
        "≈ 2.0 MB · 300 KB to 500 KB each · good, visible quality 71 · judged by 2 of 5 photographs",
    ]
    assert words.estimate_words([], 3) == "Looking at the photographs…"


# The tally


def result(name, state=State.MADE, reason=""):
    after = None if state is State.FAILED else 250
    return Result(f"/phone/{name}", f"{name}.pcai", state, 1000, after, reason=reason)


def test_a_tally_counts_and_estimates():
    tally = Tally({f"/phone/{name}": 1000 for name in "abcd"}, started=10.0)
    assert (tally.share, tally.seconds_left(20.0)) == (0.0, None)
    tally = replace(tally, shares={"/phone/b": 0.5, "/phone/a": 0.9}).with_result(result("a", State.KEPT))
    assert (tally.share, tally.seconds_left(20.0)) == (0.375, 50.0)
    tally = replace(tally, shares={})
    assert tally.seconds_left(20.0) is None  # what had been done before tells nothing
    tally = tally.with_result(result("b"))
    assert (tally.share, tally.n_bytes) == (0.5, (2000, 500))
    assert tally.seconds_left(20.0) == 20.0
    assert words.summary_words(tally) == "2 of 4 photographs done"
    assert plain(words.progress_words(tally, 20.0)) == "2.0 KB → 500 B, 75 % smaller · about 20 s left"
    tally = tally.with_result(result("c", State.FAILED, "It is broken."))
    stopped = replace(tally, ended=True)
    assert words.summary_words(stopped) == "Stopped: 3 of 4 photographs done"
    again = stopped.begun_again(50.0)
    assert again.lacking == ("/phone/c", "/phone/d")
    assert (again.seconds_left(60.0), again.ended) == (None, False)
    done = again.with_result(result("c")).with_result(result("d"))
    assert words.summary_words(replace(done, ended=True)) == "All photographs are done"


def test_words_of_sizes_and_times():
    changes = (change_words(*each) for each in ((100, 37), (100, 120), (1000, 2), (10**6, 1), (None, 1)))
    assert tuple(map(plain, changes)) == ("−63 %", "+20 %", "−99.8 %", "−99.9 %", "")
    assert (plain(words.saved_words(100, 150)), words.saved_words(0, 0)) == ("100 B → 150 B, 50 % larger", "")
    for seconds, time in ((2, "5 s"), (200, "3 min"), (7400, "2 h 3 min")):
        assert plain(words.time_words(seconds)) == f"about {time} left"


# The queue


@pytest.fixture
def files(three):
    three[2].write_bytes(b"no image")
    return three


def errand(files, folder, recipe=None, **own):
    batch = Batch([str(file) for file in files], folder, recipe or Compress(), resume=True)
    recipes = {str(file): own[file.stem] for file in files if file.stem in own}
    return Errand(batch, recipes, {str(file): file.stat().st_size for file in files})


@pytest.mark.slow
def test_files_are_made_and_failures_tried_again(qtbot, files, tmp_path):
    queue, tallies, out = Queue(), list[Tally](), tmp_path / "out"
    queue.changed.connect(tallies.append)
    settings = pcaimage.Settings(k=3, sampling=pcaimage.Blocks(4))
    with qtbot.waitSignal(queue.ended, timeout=30_000):
        queue.start(errand(files, out, b=Compress(settings)))
        assert queue.running
    tally = tallies[-1]
    assert (tally.done, tally.ended, queue.running) == (3, True, False)
    assert [each.source for each in tally.failures] == [str(files[2])]
    assert tally.failures[0].reason
    assert pcaimage.open(out / "b.pcai").k == 3
    assert pcaimage.open(out / "a.pcai").k > 3
    before = (out / "a.pcai").stat().st_mtime_ns
    write(files[2], smooth(16, 24, 3, seed=9))
    with qtbot.waitSignal(queue.ended, timeout=30_000):
        queue.go_on()
    assert not queue.tally.failures
    assert (out / "c.pcai").exists()
    assert (out / "a.pcai").stat().st_mtime_ns == before


def test_what_cannot_begin_is_told(qtbot, files, tmp_path):
    queue, out, said = Queue(), tmp_path / "out", list[str]()
    out.mkdir()
    (out / "a.pcai").write_bytes(b"of somebody")
    queue.failed.connect(said.append)
    with qtbot.waitSignal(queue.ended, timeout=10_000):
        queue.start(errand(files, out))
    assert len(said) == 1
    assert "a.pcai exists already" in said[0]
    assert (out / "a.pcai").read_bytes() == b"of somebody"


def test_a_queue_that_is_stopped_leaves_whole_files(qtbot, files, tmp_path):
    queue, out = Queue(), tmp_path / "out"
    queue.start(errand(files[:2], out))
    queue.stop()
    qtbot.waitUntil(lambda: not queue.running, timeout=20_000)
    # One that was finished while the queue stopped may be there without having been counted.
    there = {each.name for each in out.glob("[!.]*")}
    assert {each.target for each in queue.tally.results.values() if each.is_done} <= there
    assert all(pcaimage.open(out / name).k for name in there)
    queue.shutdown()


# The sheet


def choose(box, data):
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


def test_the_form_shows_what_a_plan_needs_and_what_it_gives(qtbot, look, files):  # noqa: ARG001
    photographs = tuple(Photograph(str(file), file.stat().st_size) for file in files)
    roll = Roll(photographs).with_own(str(files[1]), Own(Preset("own", psnr=40.0)))
    jobs = JobRunner()
    form = SendForm(roll, (0, 2), SendPlan(), jobs)
    qtbot.addWidget(form)
    form.show()
    assert form.plan.folder == str(files[0].parent / "to send")
    assert form.value.suffix() == "\u00a0MB"
    qtbot.waitUntil(lambda: "judged by 2 of 3 photographs" in form.estimate.text(), timeout=60_000)
    choose(form.measure, "each")
    form.value.setValue(120)
    assert (form.plan.measure, form.plan.each, form.plan.total) == ("each", 120, 10)
    assert form.value.suffix() == "\u00a0KB"
    choose(form.format, "PCAI")
    assert not form.measure.isVisible()
    assert form.estimate.text().startswith("As set in the strip, 1 photograph with own settings.")
    assert len(form.photographs) == 3
    form.which.setCurrentIndex(1)
    assert [each.name for each in form.photographs] == ["a.png", "c.png"]
    form.folder.setText("/elsewhere")
    form.folder.textEdited.emit("/elsewhere")
    choose(form.format, "WEBP")
    assert (form.plan.folder, form.plan.format) == ("/elsewhere", "WEBP")
    jobs.shutdown()


def test_the_sheet_tells_how_far_it_is(qtbot, look):  # noqa: ARG001
    parent = QWidget()
    qtbot.addWidget(parent)
    sheet = SendSheet(SendForm(roll_of("a", "b"), (), replace(PACKED, folder="/out"), JobRunner()), parent)
    assert (sheet.windowTitle(), sheet.begin.text()) == ("Send 2 photographs", "Make 2 Files")
    sheet.show()
    sheet.show_failure("The folder cannot be written to.")
    assert sheet.note.text() == "The folder cannot be written to."
    assert sheet.begin.isEnabled()
    tally = Tally({"/phone/a": 1000, "/phone/b": 1000}, shares={"/phone/b": 0.256})
    tally = tally.with_result(result("a", State.FAILED, "It is broken."))
    sheet.show_tally(tally)
    texts = [[plain(sheet.results.index(row, column).data()) for column in range(5)] for row in range(2)]
    assert texts == [["a", "Failed: It is broken.", "1.0 KB", "", ""], ["b", "26 % done", "1.0 KB", "", ""]]
    assert (sheet.table.columnSpan(0, 1), sheet.table.columnSpan(1, 1)) == (4, 1)
    assert sheet.stop.isVisible()
    assert not sheet.again.isVisible()
    sheet.show_tally(replace(tally.with_result(result("b")), ended=True))
    assert sheet.title.text() == "1 of 2 photographs done"
    assert sheet.again.text() == "&Retry Failed"
    assert not sheet.stop.isVisible()
    opened = []
    sheet.table.opened.connect(opened.append)
    sheet.table.activated.emit(sheet.results.index(1, 0))
    assert opened == ["/phone/b"]


@pytest.mark.slow
def test_from_photographs_to_a_folder(user, files, tmp_path, monkeypatch):
    """Open, send, and look at a result; put all into a zip, and close the window meanwhile."""
    write(files[2], smooth(16, 24, 3, seed=9))
    monkeypatch.setattr(dialogs, "ask_several", lambda *given: given[-1]("separate", False))
    user.open(*files)
    user.until(lambda: user.state.fitted)
    user.rest()
    window, out = user.window, tmp_path / "phone" / "to send"
    window.photographs.strip.send.click()
    sheet = window.queue.sheet
    user.until(lambda: len(sheet.form.curves) == 3)
    sheet.begin.click()
    assert len(window.queue.queue.errand.curves) == 3
    user.until(lambda: not window.queue.queue.running)
    assert {each.name for each in out.glob("*.jpg")} == {"a.jpg", "b.jpg", "c.jpg"}
    sheet.table.activated.emit(sheet.results.index(1, 0))
    user.until(lambda: user.state.rivalry is not None)
    assert (user.state.document.path, user.state.rivalry.lines[0]) == (files[1], "b.jpg")
    user.rest()
    monkeypatch.setattr("pcaimage.gui.commands.queue.show_in_folder", lambda *_: None)
    sheet.zip.click()
    user.until(lambda: "to send.zip" in user.message)
    with zipfile.ZipFile(tmp_path / "phone" / "to send.zip") as archive:
        assert sorted(archive.namelist()) == ["a.jpg", "b.jpg", "c.jpg"]
        assert archive.testzip() is None
    user.trigger("send")
    sheet = window.queue.sheet
    choose(sheet.form.format, "PCAI")
    sheet.begin.click()
    user.until(lambda: window.queue.queue.running)
    monkeypatch.setattr(dialogs, "ask_sure", lambda *_: False)
    assert not window.close()
    user.until(lambda: not window.queue.queue.running)
    assert len([*(tmp_path / "phone" / "to send 2").glob("*.pcai")]) == 3
    assert window.photographs.strip.list.model().result(0).is_done


def test_what_was_sent_counts_when_the_rest_is(files, tmp_path):
    batch = Batch([str(each) for each in files], tmp_path, Export("jpeg"), goal=Goal(10_000))
    sent = Errand(batch, weights={str(each): 1000 for each in files})
    tally = Tally(sent.weights).with_result(Result(str(files[0]), "a.jpg", State.MADE, 1000, 4_000))
    assert sent.after(tally).goal == Goal(6_000)
    assert sent.after(Tally(sent.weights)).goal == Goal(10_000)

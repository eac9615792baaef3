"""The queue of photographs: its plan, its tally, its processes, and its sheet."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

import pcaimage
from pcaimage.api import Preset
from pcaimage.batching import Compress, Export, Result, State
from pcaimage.batching.batches import Batch
from pcaimage.gui import dialogs
from pcaimage.gui.export.plan import ExportPlan
from pcaimage.gui.photographs.form import QueueForm
from pcaimage.gui.photographs.plan import SHARED, QueuePlan, folder_for
from pcaimage.gui.photographs.queue import Errand, Queue
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.gui.photographs.sheet import QueueSheet
from pcaimage.gui.photographs.tally import Tally
from pcaimage.gui.photographs.words import (
    change_words,
    progress_words,
    saved_words,
    summary_words,
    time_words,
)
from pcaimage.gui.session.sharing import Own
from pcaimage.imaging import Resize

from .conftest import smooth, write

PACKED = QueuePlan(ExportPlan("PCAI"))


def roll_of(*names, n_bytes=1000):
    return Roll(tuple(Photograph(f"/phone/{name}", n_bytes) for name in names))


def plain(text):
    return text.replace("\u00a0", " ")


# The plan


def test_a_plan_is_a_recipe():
    assert PACKED.recipe((), None, None) == Compress(preset=PACKED.preset((), None))
    assert PACKED.preset((), None).psnr == 36.0
    own = Preset("mine", ssim=0.9)
    assert replace(PACKED, goal="mine").preset((own,), None) == own
    assert replace(PACKED, goal=SHARED).preset((), own) == own
    assert replace(PACKED, goal="psnr", value=31.5).preset((), None).psnr == 31.5
    assert replace(PACKED, goal="size", value=80.0).preset((), None).size == 80_000
    assert replace(PACKED, goal="deleted").preset((), None).name == "balanced"
    jpeg = ExportPlan("JPEG", (("JPEG", 70),), resize_by="edge", length=640, strip="place")
    recipe = QueuePlan(jpeg).recipe((), None, None)
    assert isinstance(recipe, Export)
    assert (recipe.suffix, recipe.quality) == (".jpg", 70)
    assert (recipe.adaptation.resize, recipe.adaptation.strip) == (Resize(640, 640), "place")


def test_photographs_keep_their_own_settings_if_that_is_wanted():
    own = Own(Preset("own", psnr=40.0))
    roll = roll_of("a.jpg", "b.jpg").with_own("/phone/b.jpg", own)
    assert PACKED.own_recipes(roll.photographs, None) == {"/phone/b.jpg": own.recipe(None)}
    assert replace(PACKED, keeps_own=False).own_recipes(roll.photographs, None) == {}
    assert QueuePlan().own_recipes(roll.photographs, None) == {}


def test_a_plan_is_remembered_without_its_folder():
    plan = replace(PACKED, goal="psnr", value=99.0, folder="/secret", skip_larger=True, overwrite=True)
    text = plan.to_text()
    assert "secret" not in text
    again = PACKED.recalled(text)
    assert (again.goal, again.value, again.skip_larger, again.overwrite) == ("psnr", 60.0, True, False)
    for wrong in ("", "{}", '{"goal": 1, "value": []}', text.replace("true", '"maybe"')):
        assert PACKED.recalled(wrong) == PACKED
    assert folder_for(roll_of("a.jpg"), PACKED) == str(Path("/phone/compressed"))
    assert folder_for(roll_of("a.jpg"), QueuePlan(ExportPlan("WEBP"))) == str(Path("/phone/webp"))


# The tally


def result(name, state=State.MADE, reason=""):
    after = None if state is State.FAILED else 250
    return Result(f"/phone/{name}", f"{name}.pcai", state, 1000, after, reason=reason)


def test_a_tally_counts_and_estimates():
    tally = Tally({f"/phone/{name}": 1000 for name in "abcd"}, started=10.0)
    assert (tally.share, tally.seconds_left(20.0)) == (0.0, None)
    tally = replace(tally, working=frozenset({"/phone/b"})).with_result(result("a", State.KEPT))
    assert tally.seconds_left(20.0) is None  # what had been done before tells nothing
    tally = tally.with_result(result("b"))
    assert (tally.share, tally.working, tally.n_bytes) == (0.5, frozenset(), (2000, 500))
    assert tally.seconds_left(20.0) == 20.0
    assert summary_words(tally) == "2 of 4 photographs done"
    assert plain(progress_words(tally, 20.0)) == "2.0 KB → 500 B, 75 % smaller · about 20 s left"
    tally = tally.with_result(result("c", State.FAILED, "It is broken."))
    stopped = replace(tally, ended=True)
    assert summary_words(stopped) == "Stopped: 3 of 4 photographs done"
    again = stopped.begun_again(50.0)
    assert again.lacking == ("/phone/c", "/phone/d")
    assert (again.seconds_left(60.0), again.ended) == (None, False)
    done = again.with_result(result("c")).with_result(result("d", State.NOT_SMALLER))
    assert summary_words(replace(done, ended=True)) == "3 of 4 photographs done"
    assert progress_words(replace(done, ended=True), None).endswith("· 1 not smaller")


def test_words_of_sizes_and_times():
    changes = change_words(100, 37), change_words(100, 120), change_words(None, 1)
    assert tuple(map(plain, changes)) == ("−63 %", "+20 %", "")
    assert plain(saved_words(100, 150)) == "100 B → 150 B, 50 % larger"
    assert saved_words(0, 0) == ""
    assert tuple(plain(time_words(seconds)) for seconds in (2, 200, 7400)) == (
        "about 5 s left",
        "about 3 min left",
        "about 2 h 3 min left",
    )


# The queue


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "phone"
    folder.mkdir()
    found = [write(folder / f"{name}.png", smooth(16, 24, 3, seed=seed)) for seed, name in enumerate("ab")]
    (folder / "c.png").write_bytes(b"no image")
    return [*found, folder / "c.png"]


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
    assert queue.tally is not None
    # One that was finished while the queue stopped may be there without having been counted.
    there = {each.name for each in out.glob("[!.]*")}
    assert {each.target for each in queue.tally.results.values() if each.is_done} <= there
    assert all(pcaimage.open(out / name).k for name in there)
    queue.shutdown()


# The sheet


def form_of(roll, plan, selected=()):
    return QueueForm(roll, selected, (Preset("mine", psnr=33.0),), plan)


def test_the_form_shows_what_a_plan_needs(qtbot, look):  # noqa: ARG001
    roll = roll_of("a.jpg", "b.jpg", "c.jpg").with_own("/phone/b.jpg", Own(Preset("own", psnr=40.0)))
    form = form_of(roll, QueuePlan(), selected=(0, 2))
    qtbot.addWidget(form)
    form.show()
    assert form.quality.isVisible()
    assert not form.goal.isVisible()
    assert form.plan.folder == str(Path("/phone/jpeg"))
    form.format.setCurrentIndex(form.format.findData("PCAI"))
    form.format.activated.emit(form.format.currentIndex())
    assert form.plan.folder == str(Path("/phone/compressed"))
    assert form.goal.isVisible()
    assert form.own.text() == "1 photograph keeps &own settings"
    assert not form.value.isVisible()
    form.goal.setCurrentIndex(form.goal.findData("size"))
    form.goal.activated.emit(form.goal.currentIndex())
    assert form.value.isVisible()
    form.value.setValue(120)
    assert (form.plan.goal, form.plan.value) == ("size", 120)
    assert len(form.photographs) == 3
    form.which.setCurrentIndex(1)
    assert [each.name for each in form.photographs] == ["a.jpg", "c.jpg"]
    form.folder.setText("/elsewhere")
    form.folder.textEdited.emit("/elsewhere")
    form.format.setCurrentIndex(form.format.findData("WEBP"))
    form.format.activated.emit(form.format.currentIndex())
    assert form.plan.folder == "/elsewhere"
    assert form.plan.export.format == "WEBP"


def test_the_sheet_tells_how_far_it_is(qtbot, look):  # noqa: ARG001
    parent = QWidget()
    qtbot.addWidget(parent)
    sheet = QueueSheet(form_of(roll_of("a", "b"), replace(PACKED, folder="/out")), parent)
    assert sheet.windowTitle() == "Compress 2 photographs"
    sheet.show()
    sheet.show_failure("The folder cannot be written to.")
    assert sheet.note.text() == "The folder cannot be written to."
    assert sheet.begin.isEnabled()
    tally = Tally({"/phone/a": 1000, "/phone/b": 1000}, working=frozenset({"/phone/b"}))
    tally = tally.with_result(result("a", State.FAILED, "It is broken."))
    sheet.show_tally(tally)
    texts = [[plain(sheet.results.index(row, column).data()) for column in range(5)] for row in range(2)]
    assert texts == [["a", "Failed: It is broken.", "1.0 KB", "", ""], ["b", "Being made…", "1.0 KB", "", ""]]
    assert (sheet.table.columnSpan(0, 1), sheet.table.columnSpan(1, 1)) == (4, 1)
    assert sheet.stop.isVisible()
    assert not sheet.again.isVisible()
    sheet.show_tally(replace(tally.with_result(result("b")), ended=True))
    assert sheet.title.text() == "1 of 2 photographs done"
    assert sheet.again.text() == "&Retry Failed"
    assert not sheet.stop.isVisible()
    opened = []
    sheet.opened.connect(opened.append)
    sheet.table.activated.emit(sheet.results.index(1, 0))
    assert opened == ["/phone/b"]


@pytest.mark.slow
def test_from_photographs_to_a_folder(user, files, tmp_path, monkeypatch):
    """Open, choose, and compress in a window; then look at a result, and close the window meanwhile."""
    write(files[2], smooth(16, 24, 3, seed=9))
    monkeypatch.setattr(dialogs, "ask_several", lambda *given: given[-1]("separate", False))
    user.open(*files)
    user.until(lambda: user.state.fitted)
    user.rest()
    state = user.state
    assert state.document is not None
    window = user.window
    window.photographs.strip.export.click()
    sheet = window.queue.sheet
    sheet.begin.click()
    user.until(lambda: not window.queue.queue.running)
    out = tmp_path / "phone" / "jpeg"
    assert {each.name for each in out.glob("*.jpg")} == {"a.jpg", "b.jpg", "c.jpg"}
    sheet.table.activated.emit(sheet.results.index(1, 0))
    user.until(lambda: user.state.rivalry is not None)
    assert user.state.document.path == files[1]
    assert user.state.rivalry.lines[0] == "b.jpg"
    user.rest()
    sheet.close()
    window.actions_by_name["compress-all"].trigger()
    sheet = window.queue.sheet
    sheet.begin.click()
    user.until(lambda: window.queue.queue.running)
    monkeypatch.setattr(dialogs, "ask_sure", lambda *_: False)
    assert not window.close()
    user.until(lambda: not window.queue.queue.running)
    assert {each.name for each in (tmp_path / "phone" / "compressed").glob("*.pcai")} == {
        "a.pcai",
        "b.pcai",
        "c.pcai",
    }
    assert window.photographs.strip.list.model().result(0).is_done

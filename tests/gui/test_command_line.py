import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from pcaimage import container
from pcaimage.codec import Effort, Tune
from pcaimage.gui.session.choice import Choice, Goal, Setting
from pcaimage.gui.session.command_line import command_for, has_command
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.opening import OpenOptions, open_document
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.targets import find_goal
from pcaimage.gui.session.transitions import with_k
from pcaimage.gui.session.work import Task
from pcaimage.progress import no_progress
from tests.typed import typed


def opened(path, choice, setting):
    document = open_document([str(path)], no_progress, OpenOptions(planes="stack")).document
    assert document.image is not None
    fit = Fit.of_image(document.image, choice, no_progress)
    return SessionState(document, choice=choice, fit=fit, setting=setting)


def task_of(state):
    assert state.document is not None
    assert state.fit is not None
    return Task(state.document, state.fit, state.setting, 0)


def both(state, folder):
    """Save as the window does, run the command, and return the bytes of both files."""
    task_of(state).save(folder / "window.pcai", no_progress)
    line = command_for(state, folder / "typed it's.pcai", windows=False)
    assert line is not None
    words = shlex.split(line)
    assert words[0] == "pcaimage"
    result = typed(*words[1:])
    assert result.exit_code == 0, result.output
    return (folder / "window.pcai").read_bytes(), (folder / "typed it's.pcai").read_bytes()


@pytest.mark.parametrize(
    ("choice", "setting"),
    [
        (Choice("photo"), Setting(40, None)),
        (Choice("photo", standardize=True), Setting(70, 12.3)),
        (Choice("photo"), Setting(70, None, frozenset({3, 12}))),
        (Choice("photo", tune=Tune.EYE, effort=Effort.FAST), Setting(70, 20.0)),
        (Choice("photo", tune=Tune.PSNR), Setting(70, 20.0)),
        (Choice("blocks", 4), Setting(9, None)),
        (Choice("blocks", 8, standardize=True), Setting(20, 0.05, frozenset({2}))),
        (Choice("channels"), Setting(2, None)),
    ],
    ids=lambda value: "-".join(map(str, vars(value).values())) if isinstance(value, Choice) else None,
)
@pytest.mark.sweep(3)
def test_the_command_writes_what_the_window_saves(draw, tmp_path, choice, setting):
    path = draw(tmp_path / "a photo & more.png", 45, 61, 3)
    saved, typed = both(opened(path, choice, setting), tmp_path)
    assert saved == typed


@pytest.mark.parametrize(
    ("tune", "written"), [(Tune.AUTO, Tune.PSNR), (Tune.EYE, Tune.EYE), (Tune.PSNR, Tune.PSNR)]
)
@pytest.mark.parametrize("name", ["psnr", "lossless"])
def test_a_photo_is_optimised_for_the_psnr_that_is_asked_for(draw, tmp_path, tune, written, name):
    state = opened(draw(tmp_path / "photo.png", 45, 61, 3), Choice("photo", tune=tune), Setting(1, None))
    goal = Goal("psnr", 36.0) if name == "psnr" else Goal("preset", preset=name)
    target = find_goal(task_of(state), goal, no_progress)
    state = replace(state, setting=target.applied(state.setting))
    assert f"--tune {written}" in (command_for(state) or "")
    saved, typed = both(state, tmp_path)
    assert saved == typed
    header = container.read(saved).header
    assert (header.levels > 0) == (written is Tune.EYE)
    moved = with_k(state, state.setting.k, final=True)
    assert task_of(moved).lacking.choice.for_the_eye(moved.setting) == (tune is not Tune.PSNR)


def test_a_folder_of_images_is_a_stack(draw, tmp_path):
    (tmp_path / "frames").mkdir()
    for number in range(4):
        draw(tmp_path / "frames" / f"{number}.png", 12, 16, 1, seed=number)
    state = opened(tmp_path / "frames", Choice("stack"), Setting(2, None))
    saved, typed = both(state, tmp_path)
    assert saved == typed
    assert (command_for(state, windows=False) or "").split()[3].endswith("/frames.pcai")


def test_a_compressed_file_is_trimmed(compressed, tmp_path):
    found = open_document([str(compressed)], no_progress)
    state = SessionState(found.document, choice=found.fit.choice, fit=found.fit, setting=Setting(4, None))
    saved, typed = both(state, tmp_path)
    assert saved == typed
    assert (command_for(state, windows=False) or "").split()[3].endswith("/small-4.pcai")


def test_what_is_in_no_file_has_no_command_and_windows_is_quoted_for_its_shells(draw, tmp_path):
    state = opened(draw(tmp_path / "photo.png", 16, 16, 3), Choice("blocks", 4), Setting(3, None))
    assert has_command(state)
    assert not has_command(replace(state, choice=Choice("channels")))
    assert not has_command(SessionState())
    for none in (replace(state, document=Document("Pasted", image=state.document.image)), SessionState()):
        assert command_for(none) is None
    for name in ("plain.pcai", "two words.pcai", "a&b.pcai", "(1).pcai"):
        text = name if name == "plain.pcai" else f'"{name}"'
        assert f" {text} --method" in command_for(state, Path(name), windows=True)

"""Encoding with the components of a model file, and opening files that need one, in the window."""

import shlex

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

import pcaimage
from pcaimage import codec
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.model import NeedsModelError, open_model, with_model
from pcaimage.gui.session.requests import Choose, Keep, Reach
from pcaimage.imaging import Limits, read_image
from pcaimage.progress import no_progress
from pcaimage.sampling import Blocks, Channels, Lapped, Stack
from tests.gui.conftest import write
from tests.gui.finding import find
from tests.smooth import smooth
from tests.typed import typed


@pytest.fixture
def model(tmp_path):
    """A file of another picture, in blocks of 4 × 4."""
    path = tmp_path / "model.pcai"
    pcaimage.save(path, smooth(40, 52, 3, seed=5), pcaimage.Settings(sampling=Blocks(4), k=14, step=0.5))
    return path


@pytest.fixture
def other(tmp_path):
    """A model that is not the right one."""
    path = tmp_path / "other.pcai"
    pcaimage.save(path, smooth(40, 52, 3, seed=6), pcaimage.Settings(sampling=Blocks(4), k=14))
    return path


def id_of(model):
    return str(codec.basis_id(pcaimage.open(model).compressed))


def choose(user, answers, model):
    answers.model = model
    user.trigger("encode-model")
    user.until(lambda: user.state.choice.model is not None or user.message)
    user.rest()


@pytest.fixture
def lent(user, answers, photo, model):
    """A window with a photo on the components of a model."""
    user.open(photo)
    choose(user, answers, model)
    user.until(lambda: user.state.measured is not None)
    return user


def saved(user, path):
    user.session.save(path)
    user.rest()
    return path


def test_an_image_is_encoded_on_a_models_components(lent, model, tmp_path):
    state = lent.state
    assert state.fit.n_components == 14
    own = pcaimage.open(model)
    vectors = [component.vector for component in own.compressed.components]
    assert [c.vector for c in state.measured.compressed.components] == vectors[: state.setting.k]
    path = saved(lent, tmp_path / "lent.pcai")
    assert path.stat().st_size == state.measured.n_bytes
    assert pcaimage.open(path).compressed.lacks_basis
    assert np.array_equal(pcaimage.open(path, model=model).decode(), state.settled.pixels)
    command = command_for(lent.state, tmp_path / "typed.pcai", windows=False)
    assert f"--model {model}" in command
    result = typed(*shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "typed.pcai").read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_the_settings_name_the_model_and_what_it_says(lent, model):
    form = lent.window.panel.compress
    assert form.model.isVisible()
    assert form.model.text == "model.pcai"
    assert id_of(model) in find(form.model, QLabel, "Model model.pcai").toolTip()
    assert form.method.currentText() == "Blocks"
    for field in (form.method, form.block, form.standardize):
        assert not field.isEnabled()
        assert "model.pcai determines this" in field.toolTip()
    lent.until(lambda: lent.window.panel.account.rows)
    assert lent.window.panel.account.text.endswith(f"basis in model file, id {id_of(model)}")
    assert "Basis" not in lent.window.panel.account.accessibleDescription().split(": ")[-1]


@pytest.mark.slow
def test_a_model_is_left_and_taken_up_again_by_undo(lent):
    assert lent.window.actions_by_name["leave-model"].isEnabled()
    lent.window.panel.compress.model.leave.click()
    lent.rest()
    assert lent.state.choice == Choice("blocks", 4)
    assert lent.state.fit.n_components == 48
    assert not lent.window.panel.compress.model.isVisible()
    assert lent.window.panel.compress.method.isEnabled()
    assert not lent.window.actions_by_name["leave-model"].isEnabled()
    lent.trigger("undo")
    lent.rest()
    assert lent.state.choice.model is not None
    assert lent.state.fit.n_components == 14
    lent.trigger("undo")
    lent.rest()
    assert lent.state.choice.model is None
    assert "--model" not in command_for(lent.state)


@pytest.mark.slow
def test_another_method_leaves_the_model_and_another_image_has_none(lent, photo, draw):
    lent.session.request(Choose(method="channels"))
    lent.rest()
    assert lent.state.choice.model is None
    lent.trigger("undo")
    lent.rest()
    lent.open(draw(photo.with_name("other.png"), 20, 24, 3))
    assert lent.state.choice.model is None
    assert lent.window.preferences.choice.block == 4  # what the model said is no wish of the user
    lent.open(photo)
    lent.until(lambda: lent.state.choice.model is not None and lent.state.fitted)
    assert lent.state.fit.n_components == 14


@pytest.mark.slow
def test_what_cannot_be_its_model_is_refused(user, answers, photo, model, tmp_path):
    pcaimage.save(tmp_path / "no.pcai", smooth(40, 40, 3), pcaimage.Settings(sampling=Lapped()))
    user.open(photo)
    before = user.state.choice, user.state.setting
    answers.model = tmp_path / "no.pcai"
    user.trigger("encode-model")
    user.until(lambda: user.message)
    user.rest()
    assert "is not a model: only images in blocks" in user.message
    assert (user.state.choice, user.state.setting) == before
    user.window.messages.clear()
    user.open(*(write(tmp_path / f"{number}.png", smooth(40, 52, 3, seed=number)) for number in range(3)))
    answers.model = model
    user.trigger("encode-model")
    user.until(lambda: user.message)
    assert user.message == "model.pcai is a model for single images, but a stack is open."


# Opening


@pytest.fixture
def leaning(tmp_path, model):
    """A file whose basis is in the model."""
    data = pcaimage.encode(smooth(45, 61, 3), pcaimage.Settings(k=9), model=model.read_bytes())
    path = tmp_path / "leaning.pcai"
    path.write_bytes(data)
    return path


def help_button(user):
    return str(user.window.messages.action.text())


def test_a_file_that_needs_a_model_asks_for_it(user, answers, leaning, model, other):
    user.open(leaning)
    assert user.state.document is None
    assert user.message == (
        f"leaning.pcai does not contain its basis; that is in the model file with the id {id_of(model)}."
    )
    assert help_button(user) == "Choose the model…"
    answers.model = other
    user.window.messages.action.click()
    user.rest()
    assert user.message == (
        f"other.pcai is not the model for leaning.pcai: its id is {id_of(other)}, not {id_of(model)}."
    )
    answers.model = model
    user.window.messages.action.click()
    user.rest()
    assert user.message == ""
    assert np.array_equal(user.state.settled.pixels, pcaimage.open(leaning, model=model).decode())
    assert user.window.panel.compress.model.text == "model.pcai"
    assert not user.window.panel.compress.model.leave.isEnabled()
    user.until(lambda: user.window.panel.account.rows)
    assert id_of(model) in user.window.panel.account.text


@pytest.mark.slow
def test_a_model_that_was_used_before_is_found_again(user, answers, leaning, model, tmp_path):
    user.open(leaning)
    answers.model = model
    user.window.messages.action.click()
    user.rest()
    for _ in range(2):
        user.trigger("close")
        user.open(leaning)
        user.until(lambda: user.state.document is not None)
        assert answers.asked == ["model"]
    user.trigger("close")
    model.rename(tmp_path / "gone.pcai")
    user.open(leaning)
    assert "does not contain its basis" in user.message
    model.write_bytes(b"something else")
    user.open(leaning)
    user.until(lambda: "cannot be opened" in user.message)


@pytest.mark.slow
def test_a_leaning_file_is_trimmed_and_saved_and_its_model_stays_as_it_is(
    user, answers, leaning, model, tmp_path
):
    user.open(leaning)
    answers.model = model
    user.window.messages.action.click()
    user.rest()
    user.session.request(Keep(5))
    user.rest()
    path = saved(user, tmp_path / "less.pcai")
    assert pcaimage.open(path).compressed.lacks_basis
    assert np.array_equal(
        pcaimage.open(path, model=model).decode(), pcaimage.open(leaning, model=model).decode(5)
    )
    before = model.read_bytes()
    assert not user.session.save(model)
    assert "is the file that is open" in user.message
    assert model.read_bytes() == before


def test_models_are_told_apart_by_their_basis(model, other, leaning, tmp_path):
    first, second = open_model(model, no_progress), open_model(other, no_progress)
    assert first != second
    assert first == open_model(model, no_progress)
    with pytest.raises(NeedsModelError) as caught:
        with_model(pcaimage.open(leaning), "it", second)
    assert str(caught.value.basis) == id_of(model)
    own = pcaimage.open(model)
    assert with_model(own, "it", None) is own
    assert Choice("photo").with_model(first).method == "blocks"
    assert Choice("blocks", 4, model=first).changed(block=8).model is None
    channels = tmp_path / "channels.pcai"
    settings = pcaimage.Settings(sampling=Channels(), standardize=True)
    pcaimage.save(channels, read_image(write(tmp_path / "a.png", smooth(20, 20, 3))), settings)
    third = open_model(channels, no_progress)
    assert Choice("photo", 16).with_model(third) == Choice("channels", 16, standardize=True, model=third)


@pytest.mark.slow
def test_a_single_image_is_encoded_on_the_components_of_a_stack(user, answers, photo, tmp_path):
    frames = np.stack([smooth(45, 61, 3, seed=seed) for seed in range(1, 8)])
    pcaimage.save(tmp_path / "faces.pcai", frames, pcaimage.Settings(sampling=Stack(), k=5))
    user.open(photo)
    choose(user, answers, tmp_path / "faces.pcai")
    user.until(lambda: user.state.measured is not None)
    assert user.state.fit.n_components == 5
    assert user.state.settled.pixels.shape == (45, 61, 3)
    for number in (1, 2, 4, 5, 6, 3):
        user.trigger(f"tab-{number}")
        user.until(lambda: not user.session.jobs.busy())
        user.rest()
    user.until(lambda: user.window.tabs.tab("components").page.mean.picture is not None)
    user.session.request(Reach("psnr", 20.0))
    user.rest()
    assert user.message == ""
    path = saved(user, tmp_path / "one.pcai")
    assert path.stat().st_size < 500
    decoded = pcaimage.open(path, model=tmp_path / "faces.pcai").decode()
    assert np.array_equal(decoded[0], user.state.settled.pixels)
    command = command_for(user.state, tmp_path / "typed.pcai", windows=False)
    result = typed(*shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "typed.pcai").read_bytes() == path.read_bytes()
    answers.write = tmp_path / "report.html"
    user.trigger("report")
    user.until(answers.write.exists)
    answers.export = tmp_path / "back.png"
    sheet = user.open_sheet(".png")
    sheet.picture.setCurrentIndex(1)
    sheet.picture.activated.emit(1)
    sheet.export.click()
    user.until(answers.export.exists)
    user.rest()
    assert np.array_equal(read_image(answers.export).pixels, user.state.settled.pixels)
    user.trigger("leave-model")
    user.rest()
    assert user.state.choice.method == "blocks"
    assert user.state.fit.choice.model is None
    assert user.message.startswith("Exported")


def test_what_was_trusted_stays_so_while_a_model_is_asked_for(user, answers, leaning, model, monkeypatch):
    flat = np.full((450, 610, 3), 128, np.uint8)
    leaning.write_bytes(pcaimage.encode(flat, pcaimage.Settings(k=9), model=model.read_bytes()))
    monkeypatch.setattr(Limits, "default", classmethod(lambda cls: cls(max_unbacked_bytes=7000)))
    user.open(leaning)
    assert help_button(user) == "Open it"
    user.window.messages.action.click()
    user.rest()
    assert help_button(user) == "Choose the model…"
    answers.model = model
    user.window.messages.action.click()
    user.until(lambda: user.state.fitted)
    assert user.message == ""

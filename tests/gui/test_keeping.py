import numpy as np
import pytest

import pcaimage
from pcaimage.gui.app import make_window
from pcaimage.gui.session.requests import Choose, Keep
from pcaimage.imaging import read_image

pytestmark = pytest.mark.filterwarnings("ignore:.*QDropEvent:DeprecationWarning")


@pytest.fixture
def changed(user, photo, answers, tmp_path):
    """A window whose user opened an image and changed k."""
    user.open(photo)
    user.session.request(Keep(7))
    user.rest()
    answers.save = tmp_path / "saved.pcai"
    return user


def test_what_is_exported_is_what_was_shown_saved_and_reopened(user, answers, draw, tmp_path):
    user.session.request(Choose(block=8))
    user.open(draw(tmp_path / "photo.png", 53, 70, 3))
    user.window.panel.requested.emit(Choose(block=8))
    user.rest()
    for k in (1, 30, 100, 192):
        user.window.tabs.tab("spectrum").page.requested.emit(Keep(k, final=False))
    user.window.tabs.tab("spectrum").page.requested.emit(Keep(192))
    user.rest()
    user.window.panel.keep.requested.emit(Keep(60))
    user.rest()
    shown = user.state.exact.pixels.copy()
    answers.save, answers.export = tmp_path / "photo.pcai", tmp_path / "out.png"
    user.trigger("save")
    user.rest()
    user.until(lambda: user.message.startswith("Saved photo.pcai"))
    assert user.message.endswith(" It opens in pcaimage; export it for other programs.")
    user.window.messages.action.click()
    user.window.export_image.sheet.reject()
    assert answers.save.stat().st_size == user.state.measured.n_bytes
    user.open(answers.save)
    assert not user.window.compare.original.isVisible()
    np.testing.assert_array_equal(user.state.exact.pixels, shown)
    user.export(answers.export)
    user.rest()
    user.until(lambda: user.message.startswith("Exported out.png: "))
    np.testing.assert_array_equal(read_image(answers.export).pixels, shown)
    np.testing.assert_array_equal(pcaimage.decode(answers.save.read_bytes()), shown)


def test_k_slides_on_a_compressed_file_without_its_original(user, compressed, answers):
    before = compressed.read_bytes()
    user.open(compressed)
    user.window.panel.keep.slider.requested.emit(Keep(4))
    user.rest()
    np.testing.assert_array_equal(user.state.exact.pixels, pcaimage.decode(before, 4))
    assert not user.window.panel.compress.isEnabled()
    assert not user.window.panel.keep.psnr.isEnabled()
    user.type_into(user.window.panel.keep.size_field, str(user.state.fit.file_size(6)))
    user.rest()
    assert user.state.setting.k == 6
    answers.save = compressed
    user.trigger("save")
    assert user.message == "small.pcai is the file that is open, and it is not replaced; choose another name."
    assert compressed.read_bytes() == before
    answers.save = compressed.with_name("trimmed.pcai")
    user.trigger("save")
    user.rest()
    assert answers.save.stat().st_size == user.state.fit.file_size(6)
    np.testing.assert_array_equal(pcaimage.decode(answers.save.read_bytes()), pcaimage.decode(before, 6))


@pytest.mark.slow
def test_saving_again_asks_for_no_name_and_saving_as_does(changed, answers, tmp_path):
    changed.trigger("save")
    changed.until(lambda: changed.message.startswith("Saved"))
    changed.session.request(Keep(9))
    changed.window.messages.clear()
    changed.trigger("save")
    changed.until(lambda: changed.message.startswith("Saved"))
    assert answers.asked == ["save"]
    assert len(pcaimage.container.read(answers.save.read_bytes()).components) == 9
    answers.save = tmp_path / "other.pcai"
    changed.trigger("save-as")
    changed.until(answers.save.exists)


@pytest.mark.slow
def test_the_image_that_is_open_is_never_exported_over_and_nothing_written_if_dialogs_are_cancelled(
    changed, photo, answers
):
    answers.save = None
    changed.trigger("save")
    changed.open_sheet().export.click()
    assert answers.asked == ["save", "export"]
    assert not any(changed.session.jobs.busy(kind) for kind in ("save", "export"))
    before, answers.export = photo.read_bytes(), photo
    changed.export(photo)
    assert changed.window.export_image.sheet.note.text().startswith("photo.png is the file that is open")
    assert photo.read_bytes() == before


def test_without_components_nothing_is_saved_and_that_is_said(user, photo):
    user.open(photo)
    user.window.panel.requested.emit(Choose(block=8))
    assert not user.window.files.save()
    assert "still being analysed" in user.message


@pytest.mark.slow
@pytest.mark.usefixtures("unabridged")
def test_the_window_is_where_it_was(window, settings, on_screen):
    window.resize(690, 640)
    window.splitters["rows"].setSizes([260, 200])
    sizes = window.splitters["rows"].sizes()
    window.close()
    again = on_screen(make_window(window.theme, settings))
    assert (again.width(), again.height()) == (690, 640)
    assert again.splitters["rows"].sizes() == sizes

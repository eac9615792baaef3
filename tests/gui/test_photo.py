"""The window with an image that is compressed as a photo."""

from dataclasses import replace
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QSettings

import pcaimage
from pcaimage import codec
from pcaimage.codec import Region, Tune
from pcaimage.errors import FormatError
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.session import fit as fits
from pcaimage.gui.session import research
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.opening import open_document
from pcaimage.gui.session.requests import Choose, Keep, Reach
from pcaimage.gui.session.targets import OFFERED
from pcaimage.gui.session.transitions import first_setting, setting_like
from pcaimage.gui.session.work import Task
from pcaimage.imaging import Image, read_image, write_image
from pcaimage.progress import no_progress

pytestmark = pytest.mark.filterwarnings("ignore:.*QDropEvent:DeprecationWarning")

PHOTO = Choice("photo")


@pytest.fixture
def settings(tmp_path):
    """The settings of the first start, when nothing is remembered."""
    settings = QSettings(str(tmp_path / "first.ini"), QSettings.Format.IniFormat)
    settings.setValue("files/folder", str(tmp_path))
    return settings


def waves(height, width):
    """Return a picture that a few components explain."""
    y, x, channel = np.indices((height, width, 3))
    picture = 128 + 50 * np.sin(x / 9 + channel) + 40 * np.cos(y / 7) + 9 * np.sin(x * y / 20)
    return np.rint(picture).clip(0, 255).astype(np.uint8)


def task_of(path, k=None):
    document = Document(path.name, path, image=read_image(path))
    fit = Fit.of_image(document.image, PHOTO, no_progress)
    return Task(document, fit, first_setting(fit) if k is None else Setting(k, None), 0)


@pytest.fixture
def photo_file(photo, tmp_path):
    """A compressed photo of thirty components."""
    path = tmp_path / "photo.pcai"
    task_of(photo, 30).save(path, no_progress)
    return path


@pytest.fixture
def slow_files(monkeypatch):
    """Let all files be shown from their first components, and the others wait for an event."""
    whole, go_on = Fit.of_file, Event()

    def waiting(file, progress):
        while not go_on.wait(0.005):
            progress(0, 1)
        return whole(file, progress)

    monkeypatch.setattr(fits, "LONG_FROM", 1)
    monkeypatch.setattr(Fit, "of_file", waiting)
    yield go_on
    go_on.set()


@pytest.mark.slow
def test_images_are_photos_at_first(user, photo):
    user.open(photo)
    assert user.state.choice.method == "photo"
    assert f"\nk = {user.state.setting.k} of 192" in user.caption
    assert "SSIM" in user.caption
    assert "≈" not in user.caption
    form = user.window.panel.compress
    assert [form.method.itemText(i) for i in range(form.method.count())] == ["Photo", "Blocks", "Channels"]
    assert not form.block.isVisibleTo(form)
    assert not form.standardize.isVisibleTo(form)
    user.session.request(Choose(method="blocks"))
    user.rest()
    assert form.block.isVisibleTo(form)
    assert form.standardize.isVisibleTo(form)


@pytest.mark.slow
def test_images_of_many_bands_are_no_photos_and_photos_stay_photos(user, photo, tmp_path, draw, settings):
    bands = draw(tmp_path / "bands.tif", 20, 24, 6)
    user.open(bands)
    assert user.state.choice.method == "bands"
    method = user.window.panel.compress.method
    assert [method.itemText(i) for i in range(method.count())] == ["Blocks", "Channels", "Bands"]
    user.session.request(Choose(method="channels"))
    user.rest()
    assert user.state.choice.method == "channels"
    assert Preferences(settings).choice.method == "photo"
    user.open(photo)
    assert user.state.choice.method == "photo"


@pytest.mark.slow
def test_another_method_keeps_about_as_much(tmp_path):
    write_image(tmp_path / "waves.png", Image(waves(64, 80)))
    task = task_of(tmp_path / "waves.png")
    image = task.document.image
    psnr = task.settle(no_progress).psnr
    blocks = Fit.of_image(image, Choice("blocks"), no_progress)
    found = setting_like(blocks, task.fit, task.setting)
    other = Task(task.document, blocks, found, 0).settle(no_progress)
    assert abs(other.psnr - psnr) < 6
    back = setting_like(task.fit, blocks, found)
    again = replace(task, setting=back).settle(no_progress)
    assert abs(again.psnr - other.psnr) < 6
    deviations = Fit.of_image(image, Choice("blocks", standardize=True), no_progress)
    assert setting_like(deviations, task.fit, task.setting).k == first_setting(deviations).k
    assert setting_like(task.fit, deviations, Setting(9, None)) == first_setting(task.fit)


def test_a_moving_picture_is_as_coarse_as_its_file_whatever_the_photo_is_optimised_for():
    pixels = waves(96, 96)
    pixels[:, 48:] = np.random.default_rng(1).normal(128, 30, (96, 48, 3)).clip(0, 255)
    image = Image(pixels)
    fit = Fit.of_image(image, PHOTO, no_progress)
    for tune in (Tune.EYE, Tune.PSNR):
        served = fit.serving(replace(PHOTO, tune=tune))
        assert served is not None
        task = Task(Document("noise", None, image=image), served, Setting(150, 40.0), 0)
        exact = task.settle(no_progress).pixels
        shown = task.rendering.render(Region(0, 0, 96, 96), 1.0).pixels[:96, :96]
        squares = [float(np.square(each.astype(float) - pixels).mean()) for each in (shown, exact)]
        assert squares[0] == pytest.approx(squares[1], rel=0.2)


@pytest.mark.slow
def test_what_is_shown_is_coded_once(photo, monkeypatch):
    coded = []
    quantize = codec.quantize

    def counted(analysis, k, *rest):
        coded.append(k)
        return quantize(analysis, k, *rest)

    monkeypatch.setattr(codec, "quantize", counted)
    task = task_of(photo, 50)
    size = task.measure(no_progress).n_bytes
    task.settle(no_progress)
    path = photo.with_name("small.pcai")
    assert task.save(path, no_progress) == size == path.stat().st_size
    assert coded == [50]
    Task(task.document, task.fit, Setting(51, None), 0).settle(no_progress)
    Task(task.document, task.fit, Setting(51, 9.0), 0).settle(no_progress)
    assert coded == [50, 51, 51]


def test_estimates_are_ready_for_what_is_near_and_a_file_has_none(tmp_path, photo_file):
    write_image(tmp_path / "waves.png", Image(waves(64, 80)))
    task, asked = task_of(tmp_path / "waves.png", 60), []
    task.fit.__dict__["rates"] = SimpleNamespace(estimate=lambda _, step: asked.append(step))
    task.look_ahead(no_progress)
    assert asked[0] == pytest.approx(task.step, rel=0.03)
    assert 10 < len(asked) < len(task.fit.points)
    assert min(asked) >= 0.24 * task.step
    assert max(asked) <= 4.1 * task.step
    opened = open_document([str(photo_file)], no_progress)
    Task(opened.document, opened.fit, Setting(3, None), 0).look_ahead(no_progress)
    assert opened.fit.rates is None


def test_a_large_file_is_shown_from_its_first_components_on(user, photo_file, slow_files):
    window, states, busy = user.window, [], []
    window.session.stateChanged.connect(lambda state, _: states.append(state))
    window.session.jobs.started.connect(busy.append)
    user.drop(photo_file)
    user.until(lambda: user.state.fit is not None)
    first = user.state.fit
    assert (first.whole, first.n_components, user.state.setting.k) == (False, 30, 30)
    assert not window.actions_by_name["save"].isEnabled()
    assert not window.actions_by_name["export"].isEnabled()
    assert "first components, refining" in window.compare.reconstruction.caption.busy
    assert window.panel.keep.slider.isEnabled()
    assert window.panel.keep.variance.text() == "—"
    window.compare.zoom_to(4.0)
    window.session.request(Keep(20))
    window.session.request(Reach("variance", 50.0))
    window.session.request(Reach("size", 300))
    window.export_image.open()
    assert "still being analysed" in user.message
    slow_files.set()
    user.until(lambda: user.state.exact is not None)
    assert user.state.fit.whole
    assert (user.state.setting.k, window.compare.viewport.scale) == (20, 4.0)
    np.testing.assert_array_equal(user.state.settled.pixels, pcaimage.open(photo_file).decode(20))
    assert window.actions_by_name["save"].isEnabled()
    assert busy.count("refine") == 1
    assert not any(state.settled and not state.fit.whole for state in states)


def test_small_files_and_other_methods_need_no_first_look(photo_file, compressed, monkeypatch):
    assert Fit.first_of_file(pcaimage.open(photo_file)) is None
    monkeypatch.setattr(fits, "LONG_FROM", 1)
    assert Fit.first_of_file(pcaimage.open(photo_file)) is not None
    assert Fit.first_of_file(pcaimage.open(compressed)) is None


@pytest.mark.slow
@pytest.mark.usefixtures("slow_files")
def test_a_refinement_that_ends_early_says_so_and_is_dropped_with_its_file(session_user, photo_file, photo):
    session = session_user.session
    for ended in (True, False):
        session_user.drop(photo_file)
        session_user.until(lambda: session_user.state.opening is None and session_user.state.fit is not None)
        if ended:
            session.stop()
            assert not session.jobs.busy("refine")
            assert "open the file again" in session_user.state.hint
            assert not session_user.state.fit.whole
            session.close()
    session_user.open(photo)
    assert session_user.state.document.image is not None
    assert session_user.state.fit.whole
    assert session_user.state.fit.analysis is not None


def test_a_refinement_that_fails_says_so(user, photo_file, monkeypatch):
    def damaged(*_):
        raise FormatError("It is damaged.")

    monkeypatch.setattr(fits, "LONG_FROM", 1)
    monkeypatch.setattr(Fit, "of_file", damaged)
    user.drop(photo_file)
    user.until(lambda: user.message == "It is damaged.")
    assert "open the file again" in user.state.hint
    assert not user.state.fit.whole


def test_sixteen_bits_start_at_a_step_of_their_range():
    shallow = Fit.of_image(Image(waves(40, 48)), PHOTO, no_progress)
    deep = Fit.of_image(Image(waves(40, 48).astype(np.uint16) * 257), PHOTO, no_progress)
    first, second = first_setting(shallow), first_setting(deep)
    assert 1 < first.k < 192
    assert abs(second.k - first.k) <= 3
    assert second.tuned == pytest.approx(257 * first.tuned, rel=0.01)


def test_a_photo_has_a_rough_size_then_presets_have_theirs_before_it_is_encoded(session_user, photo):
    seen = list[tuple[bool, ...]]()
    session_user.session.stateChanged.connect(
        lambda state, _: seen.append((bool(state.guessed), bool(state.offers), bool(state.settled)))
    )
    session_user.open(photo)
    assert seen.index((True, False, False)) < seen.index((True, True, False)) < seen.index((True, True, True))


def test_sizes_of_presets_wait_until_a_moved_k_rests(session_user, photo, monkeypatch):
    begun, goes_on = list[object](), Event()

    def glance(task, progress):
        begun.append(task)
        while not goes_on.wait(0.001):
            progress(0, 1)
        return dict.fromkeys(OFFERED, 1)

    monkeypatch.setattr(research, "find_offers", glance)
    session_user.drop(photo)
    session_user.until(lambda: begun)
    session_user.session.request(Keep(3, final=False))
    session_user.until(lambda: not session_user.session.jobs.busy("offers"))
    assert not session_user.state.offers
    goes_on.set()
    session_user.session.request(Keep(3, final=True))
    session_user.rest()
    assert len(begun) == 2
    assert session_user.state.offers

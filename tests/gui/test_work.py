from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QColor, QImage

import pcaimage
from pcaimage.codec import Region
from pcaimage.errors import Cancelled, FormatError, ImageError
from pcaimage.gui import dialogs
from pcaimage.gui.clipboard import to_image
from pcaimage.gui.export.plan import dragged
from pcaimage.gui.preferences import MOST_RECENT, Preferences
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.display import Display, Layers, resized_opacity
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.opening import DamagedError, OpenOptions, open_document
from pcaimage.gui.session.targets import find_size
from pcaimage.gui.session.work import Task, similarity
from pcaimage.imaging import Image, read_image
from pcaimage.progress import no_progress


def task_of(image, choice, k, step=None):
    document = Document("a", image=image)
    return Task(document, Fit.of_image(image, choice, no_progress), Setting(k, step), 0)


@pytest.fixture
def task(photo):
    return task_of(read_image(photo), Choice("blocks", 4), 9)


@pytest.fixture
def file_task(compressed):
    opened = open_document([str(compressed)], no_progress)
    assert opened.fit is not None
    return Task(opened.document, opened.fit, Setting(6, None), 0)


def stopping(*_):
    raise Cancelled


def test_the_quality_before_rounding_is_that_of_exact_scores(task):
    analysis, setting, header = task.fit.analysis, task.setting, task.fit.preview.header
    samples = analysis.scores(setting.k).T @ analysis.synthesis[: setting.k] + analysis.pca.mean_
    lost = float(np.square(analysis.samples - samples).mean())
    assert task.fit.unrounded(setting) == pytest.approx(10 * np.log10(header.peak**2 / lost), abs=0.01)
    assert task.fit.unrounded(replace(setting, left_out=frozenset({2}))) is None


def test_a_picture_while_k_moves_is_like_the_exact_one(task):
    region = Region(0, 0, *task.document.size)
    exact = task.settle(no_progress).layers
    moving, resting = task.rendering.render(region, 1.0), exact.render(region, 1.0)
    assert resting.extent == region.edges
    shown = moving.pixels[:45, :61].astype(int)
    assert np.abs(shown - resting.pixels).mean() < 2  # steps are rounded a little differently


def test_opacity_is_part_of_every_picture():
    alpha = np.zeros((24, 16), np.uint8)
    alpha[:, :8] = 255
    pixels = np.add.outer(np.arange(24), np.arange(16)).astype(np.uint8)[..., None]
    task = task_of(Image(pixels, alpha=alpha), Choice("blocks", 4), 3)
    for source in (task.rendering, task.settle(no_progress).layers):
        shown = source.render(Region(0, 0, 16, 24), 1.0)
        assert shown.pixels.shape == (24, 16, 4)
        np.testing.assert_array_equal(shown.pixels[..., 3], alpha)


def test_a_compressed_file_has_no_estimates_and_is_trimmed_to_sizes(file_task, tmp_path):
    assert file_task.estimate(no_progress) is None
    assert file_task.settle(no_progress).psnr is None
    assert file_task.save(tmp_path / "t.pcai", no_progress) == file_task.fit.file_size(6)
    expected = pcaimage.decode((tmp_path / "t.pcai").read_bytes())
    np.testing.assert_array_equal(file_task.reconstruction(None, no_progress).pixels, expected)
    wanted = file_task.fit.file_size(5)
    assert wanted is not None
    assert [find_size(file_task, size, no_progress).k for size in (wanted, wanted - 1)] == [5, 4]
    with pytest.raises(ValueError, match="trimmed"):
        file_task.encode(no_progress)
    with pytest.raises(ValueError, match="original"):
        similarity(file_task.document, file_task.settle(no_progress), no_progress)
    with pytest.raises(ImageError, match="no original"):
        file_task.document.layers(0)
    with pytest.raises(ImageError, match="Nothing is open"):
        _ = Document("nothing").shape


@pytest.mark.parametrize("work", [Task.settle, Task.measure, Task.estimate])
def test_work_can_be_stopped(task, work):
    with pytest.raises(Cancelled):
        work(task, stopping)


def test_a_file_of_components_knows_their_variance(file_task):
    fit = file_task.fit
    assert fit.n_components == 10
    assert 0 < fit.ratio(1) < fit.ratio(10) <= 1
    assert fit.k_for_variance(fit.ratio(4)) == 4
    assert fit.k_for_variance(2.0) == 10
    assert fit.rates is None
    assert fit.carried_bytes(None) == 0
    with pytest.raises(ValueError, match="Not all components"):
        Fit(fit.choice, fit.preview, fit.variances, 1).quantize(1, None, no_progress)


def test_what_is_settled_is_what_is_saved_and_measured_and_estimates_are_near_it(task, tmp_path):
    settled, measured = task.settle(no_progress), task.measure(no_progress)
    n_bytes = task.save(tmp_path / "a.pcai", no_progress)
    assert n_bytes == measured.n_bytes == (tmp_path / "a.pcai").stat().st_size
    np.testing.assert_array_equal(pcaimage.decode((tmp_path / "a.pcai").read_bytes()), settled.pixels)
    np.testing.assert_array_equal(task.copy(settled, no_progress).pixels, settled.pixels)
    assert 0 < similarity(task.document, settled, no_progress).ssim < 1
    estimate = task.estimate(no_progress).estimate
    assert estimate.psnr == pytest.approx(settled.psnr, abs=0.3)
    assert estimate.n_bytes == pytest.approx(n_bytes, rel=0.06)
    flat = task_of(Image(np.full((9, 9, 1), 7, np.uint8)), Choice("blocks", 4), 1)
    assert flat.fit.ratio(1) == 1.0
    assert flat.settle(no_progress).psnr == float("inf")


@pytest.mark.parametrize("method", ["blocks", "channels", "stack"])
def test_a_choice_and_its_sampling_belong_together(method):
    choice = Choice(method, 8, standardize=True)
    assert Choice.of(choice.sampling(), standardize=True) == choice


def test_damaged_files_say_what_can_be_done(compressed, tmp_path):
    data = compressed.read_bytes()
    compressed.write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(DamagedError, match=r"^small\.pcai cannot be opened: .* \(at byte \d+\)\.$"):
        open_document([str(compressed)], no_progress)
    opened = open_document([str(compressed)], no_progress, OpenOptions(salvage=True))
    assert opened.document.compressed.damaged
    (tmp_path / "junk.pcai").write_bytes(b"junk" * 9)
    with pytest.raises(FormatError, match="cannot be opened") as caught:
        open_document([str(tmp_path / "junk.pcai")], no_progress)
    assert not isinstance(caught.value, DamagedError)
    with pytest.raises(ImageError, match=r"gone\.pcai"):
        open_document([str(tmp_path / "gone.pcai")], no_progress)


def test_inputs_are_known_by_any_name(photo, tmp_path, draw):
    document = open_document([str(photo)], no_progress).document
    assert document.is_input(photo)
    assert document.is_input(tmp_path / "." / "photo.png")
    assert not document.is_input(tmp_path / "new.png")
    folder = tmp_path / "folder"
    folder.mkdir()
    draw(folder / "1.png", 8, 8, 1)
    stack = open_document([str(folder)], no_progress).document
    assert stack.is_input(folder / "1.png")
    assert not stack.is_input(folder / "new.png")
    assert (stack.frames, stack.is_stack, stack.suggested_name) == (1, True, "folder")


def test_a_deep_file_is_shown_as_bright_as_its_original_and_many_bands_as_three(tmp_path):
    pixels = (np.arange(24 * 16).reshape(24, 16, 1) * 20).astype(np.uint16)
    path = tmp_path / "deep.pcai"
    path.write_bytes(pcaimage.encode(pixels, pcaimage.Settings(pcaimage.Blocks(8), k=3)))
    document = open_document([str(path)], no_progress).document
    assert document.deep
    assert document.format == "PCAI"
    assert document.display.white == Display.of(pixels, Image(pixels).peak).white == 8191
    cube = Document("cube", image=Image(np.zeros((4, 4, 9), np.uint16)))
    assert cube.display.bands == (6, 4, 2)
    assert cube.display.to_bytes(np.ones((2, 2, 9), np.uint16)).shape == (2, 2, 3)
    assert (dragged(document).format, dragged(cube).format) == ("PNG", "TIFF")
    assert "*.pcai" in dialogs.open_filters()


def test_layers_give_no_more_pixels_than_the_screen_needs():
    pixels = np.arange(600 * 500, dtype=np.uint32).reshape(600, 500, 1).astype(np.uint8)
    layers = Layers(pixels, Display.of(pixels))
    assert layers.render(Region(0, 0, 500, 600), 0.5).pixels.shape == (300, 250, 1)
    part = layers.render(Region(100, 50, 120, 80), 4.0)
    np.testing.assert_array_equal(part.pixels, pixels[50:80, 100:120])
    assert part.extent == (100, 50, 120, 80)


def test_opacity_is_sampled_where_pixels_are():
    opacity = np.arange(16, dtype=np.uint16).reshape(4, 4)
    np.testing.assert_array_equal(resized_opacity(opacity, (2, 2), (0, 0, 4, 4))[..., 0], [[5, 7], [13, 15]])


def test_pictures_of_the_clipboard_keep_their_kind():
    grey = QImage(5, 3, QImage.Format.Format_Grayscale8)
    grey.fill(77)
    assert to_image(grey).pixels.shape == (3, 5, 1)
    clear = QImage(5, 3, QImage.Format.Format_ARGB32)
    clear.fill(QColor(10, 20, 30, 128))
    image = to_image(clear)
    assert image.alpha[0, 0] == 128
    clear.fill(QColor(10, 20, 30))
    assert to_image(clear).alpha is None
    np.testing.assert_array_equal(to_image(clear).pixels[1, 1], [10, 20, 30])
    assert to_qimage(np.full((2, 3, 3), 9, np.uint8)).pixelColor(2, 1).red() == 9


def test_recent_files_are_kept(tmp_path):
    first = Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    first.folder = str(tmp_path)
    files = [tmp_path / f"{i}.png" for i in range(MOST_RECENT + 3)]
    for file in files:
        file.touch()
        first.remember(str(file))
    again = Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    assert again.folder == str(tmp_path)
    assert again.recent == [str(file) for file in reversed(files)][:MOST_RECENT]
    again.forget_recent()
    assert again.recent == []

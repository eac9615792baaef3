import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QColor, QImage

import pcaimage
from pcaimage.codec import Compressed, Estimate, Header, Region, Step
from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.errors import Cancelled, FormatError, ImageError
from pcaimage.gui import dialogs
from pcaimage.gui.clipboard import to_image
from pcaimage.gui.compare import captions
from pcaimage.gui.export.plan import dragged
from pcaimage.gui.preferences import MOST_RECENT, Preferences
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session import resolve
from pcaimage.gui.session.choice import Choice, Goal, Setting
from pcaimage.gui.session.display import Display, Layers, resized_opacity
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.opening import DamagedError, OpenOptions, open_document
from pcaimage.gui.session.state import (
    EncodedFile,
    ExactReconstruction,
    SessionState,
    SettingEstimate,
    Similarity,
)
from pcaimage.gui.session.targets import find_size
from pcaimage.gui.session.work import Task, similarity
from pcaimage.imaging import Image, read_image
from pcaimage.insight.bands import SpectralAngles
from pcaimage.progress import no_progress
from pcaimage.sampling import Blocks


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


CHOICE, NOW = Choice("blocks", 8), Setting(2, None)


def fit(*, choice=CHOICE, apart=0.0):
    """Stand in for components, of which resolving asks little."""
    return SimpleNamespace(
        choice=choice,
        n_components=3,
        whole=True,
        variances=np.array([8.0, 1.5, 0.5]),
        analysis=SimpleNamespace(apart=apart, k_for_step=lambda _: 3),
        preview=SimpleNamespace(header=SimpleNamespace(peak=255)),
        ratio=lambda k, _left_out: (0.0, 0.8, 0.95, 1.0)[k],
        step=lambda k, chosen: chosen or 10.0 / k,
        file_size=lambda _: None,
        points=OperatingPoints.of_components(3),
        by_noise=False,
        step_for_noise=lambda _: None,
        unrounded=lambda _: None,
    )


def document(**fields):
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    return Document("a.png", image=Image(pixels, name="a.png", format="PNG", file_size=50, **fields))


@pytest.fixture
def state():
    opened = document()
    return SessionState(opened, opened.layers(0), choice=CHOICE, fit=fit(), setting=NOW)


def settled(state, psnr=30.0, setting=NOW):
    pixels = state.original.pixels + np.uint8(3)
    return ExactReconstruction(setting, pixels, Layers(pixels, state.document.display), psnr)


def measured(n_bytes, setting=NOW):
    header = Header((4, 5, 3), "uint8", Blocks(8), Step.nearest(1.0))
    return EncodedFile(setting, n_bytes, Compressed(header, b"", ()))


def test_nothing_is_shown_of_nothing():
    empty = SessionState()
    assert resolve.title(empty) == "pcaimage"
    assert captions.original_caption(empty) == captions.reconstruction_caption(empty) == []
    assert not resolve.panel_view(empty).enabled
    assert resolve.flags(empty) == frozenset()
    assert captions.busy_hint(empty, {"fit"}) == ""


def test_measured_figures_come_before_estimated_ones(state):
    guess = SettingEstimate(NOW, Estimate(2, 5.0, 1000, 1.0, 40.0))
    guessed = replace(state, estimated=guess)
    assert captions.reconstruction_caption(guessed) == [
        "≈ 1.0\u00a0KB · 20.0 times the original PNG · looks good",
        "k = 2 of 3 · ≈ 40.00\u00a0dB",
    ]
    known = replace(guessed, measured=measured(40), settled=settled(state), similarity=Similarity(NOW, 0.5))
    assert captions.reconstruction_caption(known) == [
        "40\u00a0B · 20\u00a0% smaller · losses show",
        "k = 2 of 3 · 30.00\u00a0dB · SSIM 0.500",
    ]


def test_what_k_does_not_change_is_said(state):
    assert resolve.panel_view(state).hint == ""
    some, all_of_it = (replace(state, fit=fit(apart=share)) for share in (0.25, 1.0))
    assert (
        resolve.panel_view(some).hint
        == "25\u00a0% of the image, flat colours or clean edges, do not change with k."
    )
    assert "k changes nothing here" in resolve.panel_view(all_of_it).hint
    lossless = replace(NOW, lossless=True)
    assert resolve.panel_view(replace(all_of_it, setting=lossless)).hint == ""


def test_figures_of_another_setting_are_not_shown(state):
    other = Setting(1, None)
    known = replace(
        state,
        measured=measured(40, other),
        settled=settled(state, setting=other),
        similarity=Similarity(other, 0.5),
        estimated=SettingEstimate(other, Estimate(1, 5.0, 1000, 1.0, 40.0)),
    )
    assert captions.reconstruction_caption(known) == ["k = 2 of 3"]
    assert known.exact is None


def test_no_error_is_lossless_also_where_it_is_estimated(state):
    guess = SettingEstimate(NOW, Estimate(2, 0.5, 30, 1e-9, 140.0))
    assert captions.reconstruction_caption(replace(state, estimated=guess))[-1] == "k = 2 of 3 · ≈ lossless"
    exact = replace(state, settled=settled(state, math.inf))
    assert captions.reconstruction_caption(exact)[0] == "lossless"
    assert resolve.panel_view(exact).psnr == math.inf


@pytest.mark.parametrize(
    ("n_bytes", "original", "text"),
    [
        (51, 50, "51\u00a0B · larger than the original PNG"),
        (70, 50, "70\u00a0B · 1.4 times the original PNG"),
        (40, None, "40\u00a0B · 1.5 : 1 of raw pixels"),
    ],
)
def test_a_size_is_compared_with_that_of_the_original_or_of_raw_pixels(state, n_bytes, original, text):
    document = replace(state.document, image=replace(state.document.image, file_size=original))
    known = replace(state, document=document, measured=measured(n_bytes))
    assert captions.reconstruction_caption(known)[0] == text


def test_of_many_bands_the_caption_has_the_spectral_angle(state):
    similar = Similarity(NOW, 0.9876, SpectralAngles(0.479, 1.62))
    known = replace(state, settled=settled(state), similarity=similar)
    line = "k = 2 of 3 · 30.00\u00a0dB · spectral angle 0.48° (worst 1.6°) · SSIM 0.988"
    assert captions.reconstruction_caption(known)[-1] == line
    known = replace(known, similarity=Similarity(NOW, 0.9876, SpectralAngles(0.012, 0.031)))
    assert "0.01° (worst 0.03°)" in captions.reconstruction_caption(known)[-1]


@pytest.mark.parametrize(
    ("unrounded", "text"),
    [
        (33.5, "30.00\u00a0dB (33.50\u00a0dB before rounding)"),
        (30.05, "30.00\u00a0dB"),
        (None, "30.00\u00a0dB"),
        (math.inf, "30.00\u00a0dB (lossless before rounding)"),
    ],
)
def test_what_rounding_costs_is_told_apart(state, unrounded, text):
    components = fit()
    components.unrounded = lambda _: unrounded
    known = replace(state, fit=components, settled=settled(state))
    assert captions.reconstruction_caption(known)[-1] == f"k = 2 of 3 · {text}"


def test_nothing_contradicts_lossless(state):
    setting = replace(NOW, lossless=True)
    exact = settled(state, math.inf, setting)
    kept = replace(state, setting=setting, measured=measured(70, setting), settled=exact)
    assert captions.reconstruction_caption(kept) == [
        "70\u00a0B · 1.4 times the original PNG · lossless",
        "every value is that of the original",
    ]
    view = resolve.panel_view(kept)
    assert view.lossless
    assert (view.k, view.k_max, view.variance, view.step, view.step_auto) == (3, 3, 100.0, None, False)
    assert view.goal == Goal("preset", preset="lossless")
    jpeg = replace(state.document, image=replace(state.document.image, format="JPEG"))
    view = resolve.panel_view(replace(kept, document=jpeg))
    assert "Keeping every value of the JPEG takes more than it does. Keep that file" in view.warning


def test_while_another_method_is_fitted_the_caption_is_of_the_picture(state):
    waiting = replace(state, choice=Choice("channels"))
    assert captions.reconstruction_caption(waiting)[0] == "k = 2 of 3"
    assert captions.busy_hint(waiting, {"fit"}) == "finding components"
    assert resolve.panel_view(waiting).method == "channels"
    assert resolve.panel_view(waiting).k_max == 0
    assert resolve.flags(waiting) == {"image", "original"}
    assert captions.busy_hint(state, {"settle"}) == ""


def test_the_panel_shows_the_setting_and_the_title_names_the_document(state):
    view = resolve.panel_view(replace(state, setting=Setting(2, 3.0), hint="too much"))
    assert (view.k, view.k_max, view.variance, view.step, view.step_auto) == (2, 3, 95.0, 3.0, False)
    assert view.error == "too much"
    assert resolve.title(state) == "a.png – pcaimage"
    assert Path(state.document.suggested_name) == Path("a")


def test_the_original_s_caption_tells_what_it_is():
    cube = np.full((2, 3, 4, 7), 3000, np.uint16)
    stack = Document("s", image=Image(cube))
    lines = captions.original_caption(SessionState(stack, stack.layers(1), frame=1))
    assert lines == ["Original", "image 2 of 2 · 4 × 3 · 7 bands · 12 of 16 bits · 336\u00a0B uncompressed"]


def test_a_pixel_is_told_before_and_after_and_of_many_bands_those_shown(state):
    after, bands = replace(state, settled=settled(state)), np.arange(8, dtype=np.uint8).reshape(1, 1, 8)
    many = Document("b", image=Image(bands))
    for told, x, line in (
        (state, 1, "(1, 0)   original 3 4 5"),
        (after, 1, "(1, 0)   original 3 4 5 → 6 7 8   error 3.0"),
        (replace(after, original=None), 1, "(1, 0)   6 7 8"),
        (SessionState(many, many.layers(0)), 0, "(0, 0)   original 6 4 2 …"),
    ):
        assert resolve.pixel_line(told, x, 0) == line


def test_a_file_larger_than_the_original_is_told_with_a_way_out(state):
    offers = {"small": 20, "balanced": 40, "visually-lossless": 51}
    known = replace(state, measured=measured(51), offers=offers)
    assert resolve.panel_view(known).warning == (
        "The file would be larger than the PNG that was opened (50\u00a0B). "
        'Take <a href="balanced">Balanced</a>, or type a size such as 50\u00a0%.'
    )
    above = replace(known, offers=dict.fromkeys(offers, 51))
    assert resolve.panel_view(above).warning == (
        "The file would be larger than the PNG that was opened (50\u00a0B). "
        'Keep that file, or see what <a href="export">other formats</a> take.'
    )
    assert not resolve.panel_view(replace(above, measured=measured(50))).warning


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal("size", 100), "100\u00a0B asked, 40\u00a0B reached."),
        (Goal("psnr", 29.9), "29.90\u00a0dB asked, 30.00\u00a0dB reached."),
        (Goal("size", 40), ""),
        (Goal("k", 2), ""),
    ],
)
def test_what_was_asked_is_told_beside_what_was_reached(state, goal, words):
    known = replace(state, measured=measured(40), settled=settled(state), goal=goal)
    assert resolve.panel_view(known).hint == words


def test_quality_is_told_in_words_by_the_step_or_else_by_the_psnr(state):
    words = ["looks like the original", "looks good", "losses show", "losses are plain"]
    known = [replace(state, settled=settled(state, psnr)) for psnr in (43.0, 37.0, 30.5, 29.0)]
    assert [captions.reconstruction_caption(each)[0] for each in known] == words
    photo = fit()
    photo.analysis.k_for_step, photo.analysis.header = lambda _: 2, photo.preview.header
    photo.points = OperatingPoints(np.array([2, 3]), np.array([20.0, 10.0]))
    steps = [replace(state, fit=photo, setting=Setting(2, None, tuned=step)) for step in (9, 20, 60, 90)]
    assert [captions.reconstruction_caption(each)[0] for each in steps] == words
    missing = replace(state, fit=photo, setting=Setting(1, None, tuned=10.0))
    assert captions.reconstruction_caption(missing)[0].startswith("k = 1")

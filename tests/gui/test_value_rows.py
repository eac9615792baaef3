"""Whitened noise, the greatest error and no-data values of many bands, in the window."""

import math
import shlex
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

import pcaimage
from pcaimage.codec import Preparation, error_bound, nodata_of, preparation_of
from pcaimage.gui.compare import captions
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.session import resolve
from pcaimage.gui.session.choice import FROM_FILE, Choice, Goal
from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.requests import Choose, Reach, SetNoData, Toggle
from pcaimage.gui.session.resolve import PanelView
from pcaimage.gui.tabs.pixel import PixelFeed
from pcaimage.gui.tabs.pixel.page import PixelPage
from pcaimage.imaging import BandInfo, Image, read_image, write_image
from tests.smooth import spectra
from tests.typed import typed

GAP = -5.0


def cube_of(kind="int16"):
    array = spectra(34, 38, 7, kind=kind, noise=6 * np.linspace(0.2, 2, 7))
    array[2:6, 3:9] = GAP
    return array


def written(path, kind="int16", said=GAP):
    info = BandInfo(wavelengths=tuple(450.0 + 50 * band for band in range(7)), unit="nm", nodata=said)
    write_image(path, Image(cube_of(kind), bands=info))
    return path


@pytest.fixture
def cube(tmp_path):
    return written(tmp_path / "cube.hdr")


def with_bands(user, cube):
    user.open(cube)
    user.session.request(Choose(method="bands"))
    user.rest()
    return user


@pytest.fixture
def bands(user, cube):
    """A window with an image of seven bands, and all that is known of it."""
    return with_bands(user, cube)


def saved(user, path):
    user.session.save(path)
    user.rest()
    return path.read_bytes()


def by_command(user, path):
    """Run the command that the window offers, and return the file that it writes."""
    command = command_for(user.state, path, windows=False)
    assert command is not None
    result = typed(*shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    return path.read_bytes()


def tick(box):
    assert box.isEnabled()
    box.click()


# The rows


@pytest.fixture
def many():
    return PanelView(
        enabled=True, methods=("bands", "channels"), method="bands", k=3, k_max=9, error_offer=2.0
    )


def test_rows_show_what_they_are_told_and_ask_for_nothing(panel, many):
    values = panel.compress.values
    asked = []
    panel.requested.connect(asked.append)
    panel.set_view(replace(many, mnf=True, max_error=2.5, nodata=-9999.0, file_nodata=-9999.0))
    assert values.mnf.isChecked()
    assert (values.error.box.isChecked(), values.error.field.text()) == (True, "2.5")
    assert (values.nodata.box.isChecked(), values.nodata.field.text()) == (True, "-9999")
    panel.set_view(many)
    assert not values.mnf.isChecked()
    assert (values.error.box.isChecked(), values.error.field.text()) == (False, "—")
    assert (values.nodata.box.isChecked(), values.nodata.field.text()) == (False, "—")
    assert asked == []


def test_rows_ask_for_what_is_ticked_and_typed(panel, many, qtbot):
    values = panel.compress.values
    panel.set_view(replace(many, file_nodata=-1.0))
    for box, wanted in (
        (values.mnf, Choose(mnf=True)),
        (values.error.box, Choose(max_error=2.0)),
        (values.nodata.box, SetNoData(-1.0)),
    ):
        with qtbot.waitSignal(panel.requested) as asked:
            tick(box)
        assert asked.args == [wanted]
    assert not values.error.box.isChecked()  # until it is so
    field = values.error.field
    with qtbot.waitSignal(panel.requested) as asked:
        field.setFocus()
        field.selectAll()
        qtbot.keyClicks(field, "0,25")
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert asked.args == [Choose(max_error=0.25)]
    panel.set_view(replace(many, max_error=0.25))
    with qtbot.waitSignal(panel.requested) as asked:
        tick(values.error.box)
    assert asked.args == [Choose(max_error=None)]


def test_a_value_of_which_nothing_is_known_has_to_be_typed_and_no_number_cannot_be_unticked(
    panel, many, qtbot
):
    nodata = panel.compress.values.nodata
    panel.set_view(many)
    with qtbot.assertNotEmitted(panel.requested):
        tick(nodata.box)
    assert nodata.field.hasFocus()
    assert not nodata.box.isChecked()
    panel.set_view(replace(many, nodata=math.nan, file_nodata=math.nan))
    assert not nodata.isEnabled()
    assert "NaN always marks" in nodata.box.toolTip()


def test_other_methods_grey_the_rows_and_say_why(panel, many):
    values = panel.compress.values
    panel.set_view(replace(many, method="channels"))
    for widget in (values.mnf, values.error.box, values.error.field, values.nodata.box, values.nodata.field):
        assert widget.isVisible()
        assert not widget.isEnabled()
        assert "Only the Bands method" in widget.toolTip()
    panel.set_view(many)
    assert all(widget.isEnabled() for widget in (values.mnf, values.error.field, values.nodata.field))
    assert "signal-to-noise" in values.mnf.toolTip()


def test_a_greatest_error_leaves_no_other_quality_to_ask_for(panel, many):
    keep = panel.keep
    panel.set_view(replace(many, max_error=2.0, bounded="It is exact enough."))
    for field in (keep.psnr, keep.ssim, keep.size_field):
        assert field.isReadOnly()
        assert field.toolTip() == "It is exact enough."
    assert not keep.variance.isReadOnly()
    panel.set_view(many)
    assert not keep.psnr.isReadOnly()
    assert "signal-to-noise" in keep.psnr.toolTip()


# Effects


@pytest.mark.slow
def test_noise_is_whitened_undone_saved_and_read_again(bands, tmp_path):
    plain = bands.state.fit
    tick(bands.window.panel.compress.values.mnf)
    bands.rest()
    assert bands.state.fit.choice.mnf
    assert bands.state.fit.analysis.white is not None
    data = saved(bands, tmp_path / "white.pcai")
    assert by_command(bands, tmp_path / "typed.pcai") == data
    assert "--mnf" in command_for(bands.state)
    assert preparation_of(pcaimage.open(tmp_path / "white.pcai").compressed) is Preparation.MNF
    bands.trigger("undo")
    bands.rest()
    assert not bands.state.choice.mnf
    assert bands.state.fit.variances == pytest.approx(plain.variances)
    assert not bands.window.panel.compress.values.mnf.isChecked()
    bands.open(tmp_path / "white.pcai")
    assert bands.window.panel.compress.values.mnf.isChecked()


@pytest.mark.slow
def test_whitening_takes_the_place_of_standardising_and_is_remembered_for_the_next_image(
    bands, settings, tmp_path
):
    form = bands.window.panel.compress
    for box in (form.values.mnf, form.standardize, form.values.mnf):
        tick(box)
        bands.rest()
        whitened = box is form.values.mnf
        assert (form.standardize.isChecked(), form.values.mnf.isChecked()) == (not whitened, whitened)
    assert "--standardize" not in command_for(bands.state)
    assert Preferences(settings).choice.mnf
    bands.session.request(Choose(max_error=3.0))
    bands.session.request(SetNoData(7.0))
    bands.rest()
    bands.open(written(tmp_path / "other.hdr"))
    choice = bands.state.choice
    assert (choice.mnf, choice.max_error, choice.nodata) == (True, None, FROM_FILE)


@pytest.mark.parametrize("kind", ["int16", "float32"])
@pytest.mark.sweep(2)
def test_no_value_is_off_by_more_than_the_greatest_error(session_user, tmp_path, kind):
    bound = 4.0 if kind == "int16" else 0.004
    session_user.open(written(tmp_path / "cube.hdr", kind))
    session_user.session.request(Choose(method="bands"))
    session_user.rest()
    session_user.session.request(Choose(max_error=bound))
    session_user.rest()
    original, shown = session_user.state.document.image.pixels, session_user.state.settled.pixels
    assert 0 < np.abs(original.astype(float) - shown).max() <= bound
    assert f"within ±{bound:g}" in "\n".join(captions.reconstruction_caption(session_user.state))
    data = saved(session_user, tmp_path / "near.pcai")
    assert len(data) == session_user.state.measured.n_bytes == resolve.figures(session_user.state).size
    assert by_command(session_user, tmp_path / "typed.pcai") == data
    file = pcaimage.open(tmp_path / "near.pcai")
    assert np.array_equal(file.decode(), shown)
    session_user.open(tmp_path / "near.pcai")
    assert np.array_equal(session_user.state.settled.pixels, shown)
    assert resolve.panel_view(session_user.state).max_error == pytest.approx(error_bound(file.compressed))
    session_user.trigger("fewer")
    session_user.rest()
    assert (
        resolve.panel_view(session_user.state).max_error is None
    )  # nothing is promised of a part of the file


@pytest.mark.slow
def test_the_pixel_tab_waits_while_the_greatest_error_is_being_met(bands, qtbot):
    bands.session.request(Choose(max_error=2.0))
    bands.rest()
    page = PixelPage()
    qtbot.addWidget(page)
    feed = PixelFeed(bands.session, page)
    feed.set_active(True)
    bands.until(lambda: page.pixel is not None)
    bands.session.become(replace(bands.state, settled=None))  # as when k has just moved
    feed.refresh()
    assert page.pixel is None  # components alone miss it by more than is promised
    bands.until(lambda: page.pixel is not None)
    assert page.pixel.exact
    assert np.abs(page.pixel.original - page.pixel.reconstruction).max() <= 2.0


@pytest.mark.slow
def test_k_may_move_within_a_greatest_error(bands, tmp_path):
    tick(bands.window.panel.compress.values.error.box)
    bands.rest()
    bound = bands.state.choice.max_error
    assert bound == 2.0  # a thousandth of the largest value
    usual = bands.state.setting
    bands.trigger("more")
    bands.rest()
    assert bands.state.setting.k == usual.k + 1
    pixels = bands.state.document.image.pixels.astype(float)
    assert np.abs(pixels - bands.state.settled.pixels).max() <= bound
    assert by_command(bands, tmp_path / "typed.pcai") == saved(bands, tmp_path / "window.pcai")
    bands.trigger("undo")
    assert bands.state.setting == usual
    bands.trigger("undo")
    assert bands.state.choice.max_error is None


@pytest.mark.parametrize("wish", ["preset-small", "psnr", "left out"])
def test_a_greatest_error_says_why_other_wishes_are_refused(session_user, cube, wish):
    bands = with_bands(session_user, cube)
    bands.session.request(Choose(max_error=2.0))
    bands.rest()
    before, session = bands.state.setting, bands.session
    wishes = {
        "preset-small": lambda: bands.trigger("preset-small"),
        "psnr": lambda: session.request(Reach("psnr", 40.0)),
        "left out": lambda: session.request(Toggle(1, out=True)),
    }
    wishes[wish]()
    bands.rest()
    assert bands.state.setting == before
    assert "Untick it" in resolve.panel_view(bands.state).error


@pytest.mark.slow
def test_a_compressed_file_with_a_greatest_error_can_be_trimmed(bands, tmp_path):
    bands.session.request(Choose(max_error=2.0))
    bands.rest()
    bands.trigger("more")
    bands.rest()
    saved(bands, tmp_path / "near.pcai")
    bands.open(tmp_path / "near.pcai")
    k, size = bands.state.setting.k, resolve.figures(bands.state).size
    assert resolve.panel_view(bands.state).max_error == 2.0
    assert not bands.window.panel.keep.size_field.isReadOnly()
    bands.session.request(Reach("size", size - 1))
    bands.rest()
    assert bands.state.setting.k == k - 1
    assert resolve.panel_view(bands.state).max_error is None
    bands.session.request(Toggle(1, out=True))
    assert bands.state.setting.left_out == {1}


@pytest.mark.slow
def test_the_value_that_the_file_names_is_shown_and_pictures_are_stretched_by_what_was_measured(bands):
    nodata = bands.window.panel.compress.values.nodata
    assert (nodata.box.isChecked(), nodata.field.text()) == (True, "-5")
    assert "--nodata" not in command_for(bands.state)
    for value in (1e6, 0.5):
        bands.session.request(SetNoData(value))
        assert bands.message.startswith(f"{value:.9g} is not a value of type")
        assert bands.state.choice.nodata == FROM_FILE
    darkest = bands.state.document.display.ranges
    tick(nodata.box)
    bands.until(lambda: bands.state.display is not None)
    bands.rest()
    assert bands.state.display.ranges != darkest
    bands.trigger("undo")
    bands.until(lambda: bands.state.display.ranges == darkest)


# What was not measured


@pytest.mark.slow
def test_every_number_counts_where_the_value_is_unticked(bands, answers, tmp_path):
    masked = bands.state.settled.psnr
    tick(bands.window.panel.compress.values.nodata.box)
    bands.rest()
    assert bands.state.nodata is None
    assert bands.state.fit.analysis.missing is None
    assert bands.state.settled.psnr != masked
    data = saved(bands, tmp_path / "all.pcai")
    assert by_command(bands, tmp_path / "typed.pcai") == data
    assert "--nodata none" in command_for(bands.state)
    file = pcaimage.open(tmp_path / "all.pcai")
    assert (nodata_of(file.compressed), file.bands.nodata) == (None, None)
    answers.export = tmp_path / "all.hdr"
    bands.export(answers.export)
    bands.until((tmp_path / "all.hdr").exists)
    bands.rest()
    assert read_image(tmp_path / "all.hdr").bands.nodata is None
    tick(bands.window.panel.compress.values.nodata.box)  # it asks for what the file says
    bands.rest()
    assert bands.state.choice.nodata == FROM_FILE
    bands.trigger("undo")
    assert bands.state.nodata is None


@pytest.mark.slow
def test_another_value_is_typed(user, tmp_path):
    user.open(written(tmp_path / "cube.hdr", said=None))
    user.session.request(Choose(method="bands"))
    user.rest()
    assert user.state.fit.analysis.missing is None
    user.type_into(user.window.panel.compress.values.nodata.field, "-5")
    user.rest()
    assert np.array_equal(user.state.fit.analysis.missing.pixels, cube_of()[..., 0] == GAP)
    assert np.array_equal(user.state.settled.pixels[2:6, 3:9], cube_of()[2:6, 3:9])
    data = saved(user, tmp_path / "gaps.pcai")
    assert by_command(user, tmp_path / "typed.pcai") == data
    user.open(tmp_path / "gaps.pcai")
    assert user.window.panel.compress.values.nodata.field.text() == "-5"


def test_choices_say_what_the_library_is_told():
    assert Choice("bands", nodata=7.0).settings.nodata == 7.0
    assert Choice("channels", nodata=7.0).settings.nodata is None
    assert Choice("bands", nodata=None).settings.all_measured
    assert Choice("bands", mnf=True, max_error=2.0).usual == Choice("bands", mnf=True)
    assert Choice("channels", mnf=True, max_error=1.0).bound is None
    assert not Choice("channels", mnf=True).whitens


# What is told of whitened components


@pytest.fixture
def whitened(bands):
    bands.session.request(Choose(mnf=True))
    bands.rest()
    return bands


def words_of(user):
    """Return all that the tabs of components and the panel say of variances."""
    tabs = user.window.tabs
    spectrum, gallery, table = tabs.tab("spectrum").page, tabs.tab("components").page, tabs.tab("table").page
    user.trigger("tab-3")
    user.until(lambda: gallery.model.rowCount() > 0)
    index = gallery.model.index(1, 0)
    spoken = gallery.model.data(index, Qt.ItemDataRole.AccessibleTextRole)
    user.trigger("tab-6")
    user.until(lambda: table.rows is not None)
    titles = [f"{column.title}: {column.about}" for column in table.rows.columns]
    tips = [spectrum.toolTip(), user.window.panel.keep.variance.toolTip()]
    return "\n".join([spectrum.text, spoken, *titles, *tips])


@pytest.mark.slow
def test_tabs_say_that_variances_are_ratios_of_signal_and_noise(whitened):
    told = words_of(whitened)
    assert "λ = SNR + 1 = " in told
    assert "λ = SNR + 1: The variance along this component where the noise" in told
    assert told.count("of the variance in units of noise") >= 3
    assert "squared pixel values" not in told
    assert "% of the variance," not in told  # a share of the image's own variance it is not
    values = whitened.state.fit.variances
    assert values.min() > 0.5
    whitened.trigger("undo")
    whitened.rest()
    told = words_of(whitened)
    assert "SNR +" not in told
    assert "squared pixel values" in told


def test_with_whitened_components_no_error_exceeds_the_noise_either(session_user, cube):
    with_bands(session_user, cube).session.request(Choose(mnf=True))
    session_user.rest()
    state = session_user.state
    assert state.goal == Goal("preset", preset="balanced")
    errors = np.asarray(state.document.image.pixels, float) - state.settled.pixels
    worst = np.sqrt(np.square(errors).mean(axis=(0, 1))) / state.fit.analysis.noise
    assert 0.6 < worst.max() < 1.2

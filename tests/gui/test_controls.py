import math
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QLabel

from pcaimage.gui.commands.build import MENUS
from pcaimage.gui.session.choice import Goal
from pcaimage.gui.session.requests import Aim, Choose, Keep, Move, Reach, SetStep, UsePreset
from pcaimage.gui.session.resolve import PanelView

LEFT = Qt.MouseButton.LeftButton


def type_into(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def plain(field):
    return field.text().replace("\u00a0", " ")


def test_one_setter_shows_everything_and_emits_nothing(panel, photograph, asked):
    keep = panel.keep
    shown = [plain(field) for field in (keep.k, keep.variance, keep.psnr, keep.size_field, keep.step)]
    assert shown == ["24", "97.31 %", "34.12 dB", "≈ 41.2 KB", "11.3"]
    panel.set_view(replace(photograph, method="channels", block=16, standardize=True, step_auto=False, k=7))
    assert panel.compress.method.currentText() == "Channels"
    assert panel.compress.block.currentText() == "16 × 16"
    assert not panel.compress.block.isEnabled()
    assert panel.compress.standardize.isChecked()
    assert not keep.auto.isChecked()
    assert asked == []


@pytest.mark.parametrize(
    ("name", "text", "request_"),
    [
        ("k", "30", Keep(30)),
        ("k", "9999", Keep(192)),
        ("k", "0", Keep(1)),
        ("variance", "99.95", Reach("variance", 99.95)),
        ("variance", "99,9 %", Reach("variance", 99.9)),
        ("psnr", "40 dB", Reach("psnr", 40.0)),
        ("size_field", "300k", Reach("size", 300_000)),
        ("size_field", "25 %", Reach("size", 123_250)),
        ("step", "8.5", SetStep(8.5)),
    ],
)
@pytest.mark.sweep(5)
def test_a_typed_number_is_asked_for_on_enter(panel, photograph, asked, qtbot, name, text, request_):
    panel.set_view(replace(photograph, original_size=493_000))
    field = getattr(panel.keep, name)
    type_into(qtbot, field, text)
    assert asked == []
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert asked == [request_]
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert len(asked) == 1


def test_similarity_is_not_rounded_up_and_estimates_are_marked(panel, photograph):
    panel.set_view(replace(photograph, ssim=0.99998, psnr_estimated=True))
    assert panel.keep.ssim.text() == "0.9999"
    assert plain(panel.keep.psnr) == "≈ 34.12 dB"
    panel.set_view(replace(photograph, ssim=1.0, psnr=math.inf, psnr_estimated=True))
    assert panel.keep.ssim.text() == "1.0000"
    assert panel.keep.psnr.text() == "lossless"


def test_presets_are_offered_as_far_as_the_image_allows(panel, photograph, qtbot):
    buttons = panel.bar.qualities.buttons
    with qtbot.waitSignal(panel.requested) as wanted:
        buttons["small"].click()
    assert wanted.args == [UsePreset("small")]
    panel.set_view(replace(photograph, psnr_enabled=False))
    assert [name for name, button in buttons.items() if not button.isEnabled()] == ["visually-lossless"]
    assert not panel.keep.ssim.isEnabled()
    panel.set_view(PanelView())
    assert not panel.bar.presets.isEnabled()
    assert not any(button.isEnabled() for button in buttons.values())


def test_qualities_have_sizes_and_savings_and_the_goal_is_checked(panel, photograph, qtbot):
    buttons = panel.bar.qualities.buttons
    offers = {"small": 10_000, "balanced": 30_000, "visually-lossless": 110_000}
    goal = Goal("preset", preset="balanced")
    panel.set_view(replace(photograph, offers=offers, original_size=100_000, goal=goal))
    names = [button.accessibleName().replace("\xa0", " ") for button in buttons.values()]
    assert names == [
        "Small, ≈ 10.0 KB, −90 %",
        "Balanced, ≈ 30.0 KB, −70 %",
        "Like the original, ≈ 110 KB, +10 %",
    ]
    assert [button.isEnabled() for button in buttons.values()] == [True, True, False]
    assert "would not be smaller" in buttons["visually-lossless"].toolTip()
    assert [button.isChecked() for button in buttons.values()] == [False, True, False]
    qtbot.mouseClick(buttons["small"], LEFT)  # the session has not answered yet
    assert [button.isChecked() for button in buttons.values()] == [False, True, False]


def test_a_fields_mark_makes_it_the_goal(panel, photograph, asked, qtbot):
    panel.set_view(replace(photograph, goal=Goal("psnr", 34.12)))
    marks = panel.keep.marks
    assert [measure for measure, mark in marks.items() if mark.isChecked()] == ["psnr"]
    qtbot.mouseClick(marks["size"], LEFT)
    assert asked == [Aim("size")]
    assert [measure for measure, mark in marks.items() if mark.isChecked()] == ["psnr"]
    panel.set_view(replace(photograph, ssim=None))
    assert not marks["ssim"].isEnabled()
    panel.set_view(PanelView())
    assert not any(mark.isChecked() for mark in marks.values())


def test_undo_reaches_the_window_unless_something_is_typed(panel, qtbot):
    undone = []
    shortcut = QShortcut(QKeySequence("Ctrl+Z"), panel, lambda: undone.append("settings"))
    panel.keep.psnr.setFocus()
    qtbot.keyClick(panel.keep.psnr, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == ["settings"]
    type_into(qtbot, panel.keep.psnr, "50")
    qtbot.keyClick(panel.keep.psnr, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == ["settings"]
    assert panel.keep.psnr.text() != "50"
    shortcut.deleteLater()


def test_a_typed_number_is_asked_for_when_the_field_is_left_if_it_was_changed(panel, asked, qtbot):
    for name in ("k", "variance", "psnr", "ssim", "size_field", "step", "k"):
        getattr(panel.keep, name).setFocus()
    assert asked == []
    type_into(qtbot, panel.keep.psnr, "40")
    panel.keep.variance.setFocus()
    assert asked == [Reach("psnr", 40.0)]


def test_a_refused_target_gives_way_to_the_nearest(panel, photograph, qtbot):
    sentence = "60 dB cannot be reached; 58.9 dB is the most."
    panel.requested.connect(lambda _: panel.set_view(replace(photograph, psnr=58.9, error=sentence)))
    type_into(qtbot, panel.keep.psnr, "60")
    qtbot.keyClick(panel.keep.psnr, Qt.Key.Key_Return)
    assert plain(panel.keep.psnr) == "58.90 dB"
    assert panel.error.text() == sentence
    assert panel.error.isVisible()
    panel.set_view(replace(photograph, hint="Larger than the file that was opened."))
    assert not panel.error.isVisible()
    assert panel.hint.isVisible()


def test_what_is_being_typed_is_not_overwritten(panel, photograph, asked, qtbot):
    type_into(qtbot, panel.keep.psnr, "4")
    panel.set_view(replace(photograph, psnr=35.0))
    qtbot.keyClicks(panel.keep.psnr, "2")
    qtbot.keyClick(panel.keep.psnr, Qt.Key.Key_Return)
    assert asked == [Reach("psnr", 42.0)]
    assert plain(panel.keep.psnr) == "35.00 dB"


def test_nonsense_and_escape_restore_the_number(panel, asked, qtbot):
    type_into(qtbot, panel.keep.psnr, "much")
    qtbot.keyClick(panel.keep.psnr, Qt.Key.Key_Return)
    assert plain(panel.keep.psnr) == "34.12 dB"
    type_into(qtbot, panel.keep.psnr, "50")
    qtbot.keyClick(panel.keep.psnr, Qt.Key.Key_Escape)
    assert plain(panel.keep.psnr) == "34.12 dB"
    panel.keep.k.setFocus()
    assert asked == []


@pytest.mark.parametrize("name", ["k", "variance", "psnr", "size_field"])
@pytest.mark.sweep(2)
def test_arrows_go_by_components_at_once(panel, asked, qtbot, name):
    field = getattr(panel.keep, name)
    qtbot.keyClick(field, Qt.Key.Key_Up)
    qtbot.keyClick(field, Qt.Key.Key_PageDown)
    assert asked == [Move(1), Move(-10)]


def test_method_block_standardisation_and_step_are_asked_for(panel, photograph, asked, qtbot):
    qtbot.keyClick(panel.compress.method, Qt.Key.Key_Down)
    qtbot.keyClick(panel.compress.block, Qt.Key.Key_Down)
    qtbot.mouseClick(panel.compress.standardize, LEFT, pos=QPoint(8, 8))
    assert panel.keep.auto.isChecked()
    qtbot.mouseClick(panel.keep.auto, LEFT, pos=QPoint(8, 8))
    panel.set_view(replace(photograph, step_auto=False))
    qtbot.mouseClick(panel.keep.auto, LEFT, pos=QPoint(8, 8))
    choices = [Choose(method="channels"), Choose(block=16), Choose(standardize=True)]
    assert asked == [*choices, SetStep(11.3), SetStep(None)]


def test_only_methods_that_the_image_allows_are_offered_and_nothing_without_an_image(
    panel, photograph, asked
):
    panel.set_view(replace(photograph, methods=("blocks", "channels")))
    method = panel.compress.method
    assert [method.itemText(i) for i in range(method.count())] == ["Blocks", "Channels"]
    panel.set_view(replace(photograph, methods=("blocks",), method="stack"))
    assert method.currentText() == "Stack"
    panel.set_view(PanelView())
    assert not panel.keep.isEnabled()
    assert not panel.compress.isEnabled()
    panel.keep.k.typed.emit(5.0)
    assert asked == []


def test_a_compressed_file_without_its_original_is_looked_at(panel, photograph, qtbot):
    about = {"Image": "61 × 45", "Method": "Photo", "Made from": ""}
    panel.set_view(replace(photograph, settings_enabled=False, psnr_enabled=False, about=about))
    keep, bar = panel.keep, panel.bar
    hidden = (panel.compress, bar.qualities, bar.presets, keep.psnr, keep.ssim, keep.step, keep.auto)
    assert not any(part.isVisible() for part in hidden)
    assert panel.card.text == "Image: 61 × 45\nMethod: Photo"
    with qtbot.waitSignal(panel.exportRequested):
        bar.export.click()
    assert panel.card.isVisible()
    assert keep.k.isVisible()
    panel.set_view(photograph)
    assert all(part.isVisible() for part in hidden)
    assert not panel.card.isVisible()
    assert not bar.export.isVisible()


def test_presets_and_slider_are_a_row_of_the_window_or_a_column_of_the_panel(panel, photograph, on_screen):
    panel.set_view(replace(photograph, offers={"small": 9000}, warning="Too large."))
    column, saving = panel.bar.height(), panel.bar.qualities.buttons["small"].saving
    panel.set_apart(True)
    panel.bar.setParent(None)
    row = on_screen(panel.bar, 1400, 40)
    assert row.height() < column / 2
    assert saving.isVisible()
    slider = panel.keep.slider.geometry()
    panel.set_view(photograph)
    assert panel.keep.slider.geometry() == slider
    row.resize(row.minimumSizeHint())
    assert not saving.isVisible()
    panel.set_apart(False)
    assert panel.isAncestorOf(row)


def test_every_control_can_be_heard_is_explained_and_has_a_mnemonic_of_its_own(panel):
    keep, compress = panel.keep, panel.compress
    for control in (
        *(keep.slider, keep.k, keep.variance, keep.psnr, keep.ssim, keep.size_field, keep.step, keep.auto),
        *(panel.bar.presets, compress.method, compress.block, compress.standardize),
    ):
        assert control.accessibleName() or control.text()
        assert control.toolTip().endswith(".")
    texts = [label.text() for label in panel.findChildren(QLabel) if label.buddy() is not None]
    texts += [button.text() for button in panel.findChildren(QAbstractButton) if "&" in button.text()]
    letters = [text[text.index("&") + 1].lower() for text in (*texts, *MENUS)]
    assert len(letters) == len(set(letters))
    assert all(letter.isascii() for letter in letters)


def test_a_warning_leads_out_by_its_links(qtbot, panel, photograph, asked):
    panel.set_view(replace(photograph, warning='Take <a href="small">Small</a>.'))
    panel.warning.linkActivated.emit("small")
    assert asked == [UsePreset("small")]
    with qtbot.waitSignal(panel.exportRequested):
        panel.warning.linkActivated.emit("export")

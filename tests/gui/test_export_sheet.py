"""The export sheet, used as a user does."""

import os
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags
from PIL import Image as PILImage
from PySide6.QtGui import QDesktopServices, QGuiApplication, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSlider, QSpinBox

from pcaimage.api import pages
from pcaimage.gui.commands import export_image
from pcaimage.gui.export import folder, maker
from pcaimage.gui.export import plan as plan_module
from pcaimage.gui.export.plan import format_called
from pcaimage.gui.session.requests import Keep
from pcaimage.imaging import encode_image, read_image
from pcaimage.insight.formatting import file_size
from tests.gui.finding import find

pytestmark = pytest.mark.slow


@pytest.fixture
def jpeg(tmp_path, photo):
    """A photograph with a camera, a place and a colour profile."""
    from PIL import ImageCms

    exif = PILImage.Exif()
    exif[ExifTags.Base.Make] = "Maker"
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] = (48.0, 8.0, 31.0)
    path = tmp_path / "holiday.jpg"
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    with PILImage.open(photo) as picture:
        picture.resize((122, 90)).save(path, quality=95, exif=exif, icc_profile=profile)
    return path


@pytest.fixture
def opened(user, jpeg):
    user.open(jpeg)
    return user


def choose(sheet, name, text):
    box = find(sheet, QComboBox, name)
    row = box.findText(text)
    assert row >= 0
    box.setCurrentIndex(row)
    box.activated.emit(row)


def known(user, sheet):
    """Wait until the exact size is shown, and return nothing but what is written."""
    user.until(lambda: "found" not in sheet.saving_line.text() and "≈" not in sheet.size_line.text())
    return len(sheet.size_line.text())


def test_a_lower_quality_is_smaller_and_is_remembered(opened, answers, tmp_path):
    answers.export = tmp_path / "fine.jpg"
    sheet = opened.open_sheet(".jpg")
    find(sheet, QSlider, "Quality slider").setValue(95)
    sheet.export.click()
    opened.until(answers.export.exists)
    opened.rest()
    sheet = opened.open_sheet()
    find(sheet, QSlider, "Quality slider").setValue(30)
    assert find(sheet, QSpinBox, "Quality").value() == 30
    answers.export = tmp_path / "rough.jpg"
    sheet.export.click()
    opened.until(answers.export.exists)
    opened.rest()
    assert answers.export.stat().st_size < 0.7 * (tmp_path / "fine.jpg").stat().st_size
    assert opened.open_sheet().plan.quality == 30


def test_every_format_is_written_from_the_original(opened, answers, tmp_path):
    expected = opened.state.document.image.pixels
    for ending in (".png", ".webp", ".tif", ".bmp", ".jp2", ".hdr", ".ome.zarr"):
        answers.export = tmp_path / f"out{ending}"
        opened.export(answers.export)
        opened.until(lambda ending=ending: opened.message.startswith(f"Exported out{ending}"))
        if ending == ".ome.zarr":
            red = zlib.decompress((answers.export / "0/0/0/0").read_bytes())
            assert red == expected[..., 0].tobytes()
            continue
        written = read_image(answers.export)
        assert written.pixels.shape == (90, 122, 3)
        if ending in (".png", ".tif", ".hdr"):
            np.testing.assert_array_equal(written.pixels, expected)
        if ending == ".bmp":  # it has no profile, so its colours are converted
            assert int(np.abs(written.pixels.astype(int) - expected).max()) <= 1


def test_the_reconstruction_is_written_if_it_is_chosen_and_made_smaller(opened, answers, tmp_path):
    answers.export = tmp_path / "out.png"
    sheet = opened.open_sheet(".png")
    assert sheet.picture.currentData() == "original"
    choose(sheet, "Picture", f"Reconstruction: what you see at k\u00a0=\u00a0{opened.state.setting.k}")
    known(opened, sheet)
    sheet.export.click()
    opened.until(answers.export.exists)
    opened.rest()
    np.testing.assert_array_equal(read_image(answers.export).pixels, opened.state.settled.pixels)
    answers.export = tmp_path / "small.jpg"
    sheet = opened.open_sheet(".jpg")
    choose(sheet, "Resize by", "Longest edge")
    find(sheet, QSpinBox, "New size").setValue(60)
    known(opened, sheet)
    assert find(sheet, QLabel, "Size in pixels").text() == "60 × 44 pixels"
    sheet.export.click()
    opened.until(answers.export.exists)
    with PILImage.open(answers.export) as file:
        assert file.size == (60, 44)


def test_what_looks_like_the_picture_in_the_fewest_bytes_is_proposed(user, tmp_path):
    pixels = np.zeros((80, 120, 4), np.uint8)
    pixels[10:50, 20:70], pixels[40:, 60:] = (200, 20, 60, 255), (10, 240, 250, 128)
    PILImage.fromarray(pixels).save(tmp_path / "logo.png")
    user.open(tmp_path / "logo.png")
    sheet = user.open_sheet()
    user.until(lambda: sheet.plan.qualities)
    assert sheet.plan.target.lossless


def test_the_compressed_file_is_written_too(opened, answers, tmp_path):
    answers.export = tmp_path / "out.pcai"
    sheet = opened.open_sheet(".pcai")
    assert "Opens in pcaimage only" in sheet.note.text()
    assert not find(sheet, QComboBox, "Resize by").isEnabled()
    assert sheet.size_line.text() == file_size(opened.state.measured.n_bytes)
    sheet.export.click()
    opened.until(answers.export.exists)
    opened.rest()
    assert answers.export.stat().st_size == opened.state.measured.n_bytes
    assert not opened.state.touched


def test_the_compressed_file_is_written_as_a_web_page(opened, answers, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "decoder", lambda: b"\0asm")
    answers.export = tmp_path / "out.html"
    sheet = opened.open_sheet(".html")
    assert "any browser" in sheet.note.text()
    known(opened, sheet)
    shown = sheet.size_line.text()
    sheet.export.click()
    opened.until(lambda: opened.message.startswith("Exported out.html"))
    assert file_size(answers.export.stat().st_size) == shown
    assert f'id="picture" data-size="{opened.state.measured.n_bytes}"' in answers.export.read_text()


@pytest.mark.parametrize(
    ("field", "chosen", "camera", "place", "profile"),
    [
        ("Metadata", "Keep all", True, True, True),
        ("Metadata", "Remove the location", True, False, True),
        ("Metadata", "Remove all", False, False, True),
        ("Colours", "Convert to sRGB", True, False, False),
    ],
)
def test_metadata_stay_or_go_and_colours_are_converted(
    opened, answers, tmp_path, field, chosen, camera, place, profile
):
    answers.export = tmp_path / "out.jpg"
    sheet = opened.open_sheet(".jpg")
    if field == "Colours":
        choose(sheet, "Metadata", "Remove the location")
    choose(sheet, field, chosen)
    sheet.export.click()
    opened.until(answers.export.exists)
    with PILImage.open(answers.export) as file:
        exif = file.getexif()
        assert (ExifTags.Base.Make in exif) == camera
        assert bool(exif.get_ifd(ExifTags.IFD.GPSInfo)) == place
        assert ("icc_profile" in file.info) == profile


def test_impossible_formats_are_grey_and_say_why(user, tmp_path):
    path = tmp_path / "clear.png"
    rng = np.random.default_rng(2)
    PILImage.fromarray(rng.integers(0, 255, (40, 60, 4), np.uint8)).save(path)
    user.open(path)
    sheet = user.open_sheet()
    assert sheet.plan.target.alpha
    box = find(sheet, QComboBox, "Format")
    row = box.findText("JPEG: cannot hold transparency")
    model = box.model()
    assert isinstance(model, QStandardItemModel)
    assert not model.item(row).isEnabled()
    assert "transparency" in model.item(row).toolTip()
    assert model.item(box.findText("PNG")).isEnabled()


def test_a_file_without_permission_is_said_in_a_sentence(opened, answers, tmp_path):
    answers.export = tmp_path / "missing" / "out.jpg"
    opened.export(answers.export)
    opened.until(lambda: opened.message)
    assert opened.window.messages.kind == "error"
    assert "does not exist" in opened.message


def test_closing_the_sheet_stops_its_work(opened):
    sheet = opened.open_sheet()
    choose(sheet, "Format", "PNG")
    sheet.reject()
    jobs = opened.session.jobs
    QTest.qWait(200)  # longer than the delay after which work begins
    assert not jobs.busy("export-estimate")
    assert not jobs.busy("export-measure")
    assert opened.window.export_image.sheet is None


def test_the_sheet_is_reached_by_keys_alone(opened, window):
    sheet = opened.open_sheet()
    assert sheet.focusWidget() is find(sheet, QComboBox, "Picture")
    texts = [label.text() for label in sheet.findChildren(QLabel)]
    texts += [button.text() for button in sheet.findChildren(QPushButton)]
    letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    assert len(letters) == len(set(letters)) >= 6
    for field in (*sheet.findChildren(QComboBox), *sheet.findChildren(QSlider)):
        assert field.accessibleName()
    room = window.screen().availableSize()
    assert sheet.width() <= room.width()


@pytest.mark.skipif(os.name == "nt", reason="The bus is of Linux and the like.")
def test_without_a_bus_the_folder_opens_all_the_same(window, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(QDesktopServices, "openUrl", shown.append)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    folder.show_in_folder(tmp_path / "a b.jpg", window)
    QTest.qWait(50)
    assert [Path(url.toLocalFile()) for url in shown] == [tmp_path]


@pytest.fixture
def two_formats(monkeypatch):
    """Try no formats that take long."""
    for module in (maker, plan_module, export_image):
        monkeypatch.setattr(module, "comparable", lambda _: [format_called("JPEG"), format_called("WEBP")])


@pytest.mark.usefixtures("two_formats")
def test_formats_stand_side_by_side_and_a_row_is_taken(opened):
    sheet = opened.open_sheet(".jpg")
    known(opened, sheet)
    assert not sheet.table.isVisible()
    find(sheet, QPushButton, "Compare formats").click()
    opened.until(lambda: "original" in sheet.table_note.text())
    first, own, *others = sheet.table.rows
    assert (first.format.name, first.quality) == ("JPEG", sheet.plan.quality)
    assert all(each.n_bytes <= first.n_bytes for each in others)
    state, original = opened.state, opened.state.document.image
    assert first.n_bytes == len(encode_image(original, "JPEG", first.quality))  # not of the reconstruction
    assert (own.format.name, own.n_bytes) == ("PCAI", state.measured.n_bytes)
    assert own.psnr == pytest.approx(state.settled.psnr)
    assert sheet.windowTitle() == "Export holiday.jpg"
    row = next(n for n, each in enumerate(sheet.table.rows) if each.format.name == "WEBP")
    before = sheet.table.rows
    sheet.table.cellClicked.emit(row, 0)
    assert (sheet.plan.format, sheet.plan.quality) == ("WEBP", before[row].quality)
    assert sheet.table.rows == before
    assert [index.row() for index in sheet.table.selectionModel().selectedRows()] == [row]

    choose(sheet, "Formats have in common", "that look as good")
    opened.until(lambda: "original" in sheet.table_note.text())
    first, *others = sheet.table.rows
    assert first.format.name == "WEBP"
    jpeg = next(each for each in others if each.format.name == "JPEG")
    assert first.score - 0.2 <= jpeg.score <= first.score + 3
    sheet.reject()
    assert opened.open_sheet().comparing == "score"


def test_what_was_exported_is_copied_and_dragged_in_its_own_format(opened, answers, tmp_path):
    answers.export = tmp_path / "out.webp"
    opened.export(answers.export)
    opened.until(lambda: opened.message.startswith("Exported"))
    assert opened.window.messages.other.text() == "Copy"
    for copy in (opened.window.messages.other.click, lambda: opened.trigger("copy")):
        QGuiApplication.clipboard().clear()
        copy()
        assert opened.message == "out.webp is on the clipboard."
        data = QGuiApplication.clipboard().mimeData()
        assert [url.toLocalFile() for url in data.urls()] == [str(answers.export)]
        assert bytes(data.data("image/webp")) == answers.export.read_bytes()
        assert not data.hasImage()
    document = opened.state.document
    assert document is not None
    assert opened.window.export_image.plan_for(document).format == "WEBP"
    opened.window.session.request(Keep(opened.state.setting.k + 1))
    opened.rest()
    opened.trigger("copy")
    opened.until(lambda: opened.message == "The reconstruction is on the clipboard.")
    assert QGuiApplication.clipboard().mimeData().hasImage()

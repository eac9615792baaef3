import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QComboBox, QLineEdit, QSpinBox

from pcaimage.gui import icons
from pcaimage.gui.colours import DARK, LIGHT, colours_for, contrast, luminance, mixed
from pcaimage.gui.icons import load_icon
from pcaimage.gui.style import Flat
from pcaimage.gui.theme import apply_theme, colours_of, enlarged, tabular

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24"/></svg>'


@pytest.fixture
def theme(qapp):
    theme = apply_theme(qapp, "light")
    yield theme
    theme.set_scheme("light")
    theme.deleteLater()


def test_the_scheme_reaches_every_widget_and_that_of_a_system_without_one_is_light(theme, qapp, qtbot):
    with qtbot.waitSignal(theme.changed) as announced:
        theme.set_scheme("dark")
    assert announced.args == [DARK]
    assert theme.colours is colours_of(qapp.palette()) is DARK
    assert theme.scheme == "dark"
    assert isinstance(qapp.style(), Flat)
    theme.set_scheme("system")
    assert theme.colours is colours_of(qapp.palette()) is LIGHT


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", [QLineEdit, QSpinBox, QComboBox])
def test_fields_have_outlines_that_are_seen(theme, qtbot, kind, scheme):
    theme.set_scheme(scheme)
    field = kind()
    qtbot.addWidget(field)
    field.resize(120, 28)
    picture = field.grab().toImage()
    middle = picture.height() // 2
    seen = [contrast(picture.pixelColor(x, middle).name(), theme.colours.window) for x in range(3)]
    assert max(seen) >= 3  # WCAG 2.2, success criterion 1.4.11


def test_tabular_figures_are_asked_of_a_copy(qapp):
    font = QFont(qapp.font())
    assert tabular(font).featureTags() == [QFont.Tag("tnum")]
    assert font.featureTags() == []


@pytest.mark.usefixtures("qapp")
def test_fonts_are_enlarged_whatever_their_size_is_told_in():
    points, pixels = QFont("Sans"), QFont("Sans")
    points.setPointSizeF(10.0)
    pixels.setPixelSize(12)
    assert enlarged(points, 1.5).pointSizeF() == pytest.approx(15.0)
    assert enlarged(pixels, 1.5).pixelSize() == 18
    assert pixels.pixelSize() == 12


@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.0])
def test_an_icon_has_the_text_colour_and_the_pixels_of_the_screen(tmp_path, monkeypatch, theme, ratio):
    (tmp_path / "square.svg").write_text(SQUARE)
    monkeypatch.setattr(icons, "asset", lambda _folder, name: tmp_path / name)
    monkeypatch.setattr(icons, "icon_files", lambda: {"square.svg"})
    icon = load_icon("square")
    for colours in (LIGHT, DARK):
        theme.set_scheme("dark" if colours.dark else "light")
        pixmap = icon.pixmap(QSize(20, 20), ratio)
        assert pixmap.size() == QSize(round(20 * ratio), round(20 * ratio))
        assert pixmap.toImage().pixelColor(5, 5).name() == colours.text


@pytest.mark.usefixtures("qapp")
def test_a_missing_icon_is_empty():
    assert load_icon("no-such-icon").isNull()


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("image", ["#000000", "#808080", "#ffffff"])
@pytest.mark.parametrize("text", ["strip_text", "accent"])
def test_a_caption_is_readable_over_any_image(colours, image, text):
    seen = mixed(colours.strip, image, colours.strip_alpha)
    assert contrast(getattr(colours, text), seen) >= (4.5 if text == "strip_text" else 3.0)


def test_contrast_is_that_of_wcag_and_a_dark_window_takes_the_dark_scheme():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert luminance("#ffffff") == pytest.approx(1.0)
    assert (colours_for("#202020"), colours_for("#f0f0f0")) == (DARK, LIGHT)

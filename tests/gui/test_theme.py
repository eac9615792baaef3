import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QIcon, QPalette
from PySide6.QtWidgets import QComboBox, QLineEdit, QSpinBox

from pcaimage.gui import icons
from pcaimage.gui.colours import DARK, LIGHT, contrast
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


@pytest.fixture
def square(tmp_path, monkeypatch):
    (tmp_path / "square.svg").write_text(SQUARE)

    def asset(_folder, name):
        if not (tmp_path / name).exists():
            raise FileNotFoundError
        return tmp_path / name

    monkeypatch.setattr(icons, "asset", asset)


def test_the_scheme_reaches_every_widget_and_is_announced(theme, qapp, qtbot):
    with qtbot.waitSignal(theme.changed) as announced:
        theme.set_scheme("dark")
    assert announced.args == [DARK]
    assert theme.colours is DARK
    assert theme.scheme == "dark"
    assert colours_of(qapp.palette()) is DARK
    assert isinstance(qapp.style(), Flat)


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


def test_the_system_scheme_is_light_where_the_system_has_none(theme, qapp):
    theme.set_scheme("system")
    assert theme.colours is LIGHT
    assert colours_of(qapp.palette()) is LIGHT


def test_disabled_text_is_fainter_than_text(theme, qapp):
    theme.set_scheme("dark")
    role = QPalette.ColorRole.WindowText
    palette = qapp.palette()
    assert palette.color(QPalette.ColorGroup.Disabled, role) != palette.color(role)


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


@pytest.mark.usefixtures("square", "qapp")
@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.0])
def test_an_icon_has_the_text_colour_and_the_pixels_of_the_screen(ratio):
    pixmap = load_icon("square", DARK).pixmap(QSize(20, 20), ratio)
    assert pixmap.size() == QSize(round(20 * ratio), round(20 * ratio))
    assert pixmap.toImage().pixelColor(5, 5).name() == DARK.text


@pytest.mark.usefixtures("square", "qapp")
def test_a_disabled_icon_is_translucent():
    pixmap = load_icon("square", LIGHT).pixmap(QSize(20, 20), 1.0, QIcon.Mode.Disabled)
    assert pixmap.toImage().pixelColor(5, 5).alpha() < 200


@pytest.mark.usefixtures("square", "qapp")
def test_a_missing_icon_is_empty():
    assert load_icon("no-such-icon", LIGHT).isNull()

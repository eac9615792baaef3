import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from pcaimage.gui.colours import DARK, LIGHT, contrast
from pcaimage.gui.session.display import Look
from pcaimage.gui.session.requests import Keep, ShowBands, ShowFrame
from pcaimage.gui.tabs.montage import MontageErrorsFeed, MontageFeed
from pcaimage.gui.tabs.montage.figures import orders, summary
from pcaimage.gui.tabs.montage.page import MontagePage
from pcaimage.gui.tabs.scatter import PointedImageFeed, ScatterFeed, ThumbnailsFeed
from pcaimage.gui.tabs.scatter.figures import BORDER, point_style, point_words
from pcaimage.gui.tabs.scatter.page import ScatterPage
from pcaimage.gui.tabs.scatter.plot import PointDecorations, Thumbnail
from pcaimage.gui.tabs.shared.stack import StackToolsCache
from pcaimage.imaging import Image
from pcaimage.insight.formatting import error_words, image_words
from pcaimage.insight.stack import exact_rms
from tests.gui.conftest import SessionUser
from tests.gui.mouse import move

KINDS = ("open", "fit", "settle", "montage", "image errors", "scatter", "thumbnails", "pointed image")


def digits(count=120):
    """Three kinds of strokes, a little moved, and their labels."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, count)
    y, x = np.mgrid[:16, :12]
    images = np.empty((count, 16, 12, 1), np.uint8)
    for number, label in enumerate(labels):
        at, wide = 5 + rng.normal(0, 1), 1.5 + rng.uniform(0, 1)
        away = (x - at, y - 1.4 * at, np.hypot(x - at, y - 8) - 4)[label]
        images[number, ..., 0] = 255 * np.exp(-np.square(away / wide))
    return Image(images, name="digits", labels=labels.astype(np.int64))


class Shown(SessionUser):
    """A session whose stack is shown in both tabs."""

    def __init__(self, session, qtbot):
        super().__init__(session, qtbot)
        self.montage, self.scatter = MontagePage(), ScatterPage()
        cache = StackToolsCache()
        for widget in (self.montage, self.scatter):
            qtbot.addWidget(widget)
            widget.requested.connect(self.session.request)
            widget.resize(900, 260)
            widget.show()
        self.montage.move(0, 400)  # out of the way of the mouse
        self.feeds = [
            MontageErrorsFeed(self.session, self.montage, cache),
            MontageFeed(self.session, self.montage, cache),
            *(
                feed(self.session, self.scatter, cache)
                for feed in (ScatterFeed, ThumbnailsFeed, PointedImageFeed)
            ),
        ]
        for feed in self.feeds:
            feed.set_active(True)

    def open(self, image):
        self.session.open_image(image)
        self.rest()
        self.until(lambda: self.montage.model.reconstructions and self.scatter.scatter is not None)

    def rest(self):
        self.until(lambda: self.session.state.exact is not None and not self.busy)

    @property
    def busy(self):
        return any(self.session.jobs.busy(kind) for kind in KINDS)

    def picture(self, number):
        found = self.montage.model.reconstructions[number]
        return np.array(
            [[found.pixelColor(x, y).red() for x in range(found.width())] for y in range(found.height())]
        )

    def settled(self):
        state = self.session.state
        return state.settled.pixels


@pytest.fixture
def shown(session, qtbot):
    return Shown(session, qtbot)


@pytest.mark.slow
def test_the_worst_reconstructed_come_first_and_order_by_label_needs_labels(shown):
    image = digits()
    shown.open(image)
    montage, box = shown.montage, shown.montage.order_box
    assert [box.itemData(row) for row in range(box.count())] == ["number", "worst", "best", "label"]
    box.setCurrentIndex(1)
    shown.session.request(Keep(3))
    shown.rest()
    errors = exact_rms(image.pixels, shown.settled())
    shown.until(lambda: np.array_equal(montage.model.errors, errors))
    shown.until(lambda: montage.model.order[0] == errors.argmax())
    assert np.all(np.diff(errors[montage.model.order]) <= 0)
    assert montage.text.startswith("Error ")
    assert "≈" not in montage.text
    box.setCurrentIndex(3)
    assert image.labels is not None
    labels = image.labels
    shown.until(lambda: np.all(np.diff(labels[montage.model.order]) >= 0))
    shown.open(Image(image.pixels))
    assert [box.itemData(row) for row in range(box.count())] == ["number", "worst", "best"]
    assert montage.by == "number"


@pytest.mark.slow
def test_reconstructions_follow_k_and_become_exact(shown):
    shown.open(digits(60))
    some = [shown.montage.model.number(place) for place in shown.montage.view.seen[:12]]
    for k in (4, 8, 12):  # few enough scores become zero that rounding decides little
        shown.session.request(Keep(k, final=False))
        shown.until(lambda: not shown.busy and "≈" in shown.montage.text)
        moving = np.stack([shown.picture(each) for each in some])
        assert shown.session.state.exact is None
        shown.session.request(Keep(k))
        shown.rest()
        shown.until(
            lambda: all(np.array_equal(shown.picture(each), shown.settled()[each, ..., 0]) for each in some)
        )
        exact = np.stack([shown.picture(each) for each in some])
        assert np.abs(moving.astype(int) - exact).mean() < 12


@pytest.mark.slow
def test_only_what_is_seen_and_a_page_more_is_reconstructed(shown):
    shown.open(digits(2000))
    shown.until(lambda: not shown.busy)
    assert len(shown.montage.model.reconstructions) < 200
    bar = shown.montage.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    shown.until(lambda: 1999 in shown.montage.model.reconstructions)


def test_a_click_in_the_montage_shows_the_image(shown):
    shown.open(digits())
    view = shown.montage.view
    rect = view.visualRect(shown.montage.model.index(4))
    shown.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert shown.session.state.frame == 4
    view.setFocus()
    shown.qtbot.keyClick(view, Qt.Key.Key_Right)
    assert shown.session.state.frame == 5


@pytest.mark.slow
def test_a_file_without_originals_shows_its_reconstructions(shown, tmp_path):
    import pcaimage

    path = tmp_path / "stack.pcai"
    settings = pcaimage.Settings(sampling=pcaimage.Stack(), k=6)
    path.write_bytes(pcaimage.encode(digits().pixels, settings))
    shown.session.open_paths([str(path)])
    shown.until(lambda: shown.montage.model.reconstructions and shown.scatter.scatter is not None)
    assert not shown.montage.model.paired
    assert shown.montage.unit_box.isHidden()
    assert shown.montage.model.originals == {}
    assert shown.scatter.across.maximum() == 6


@pytest.mark.slow
def test_points_are_those_of_the_chosen_components_and_one_label_can_stand_out(shown):
    shown.open(digits())
    page = shown.scatter
    page.up.setValue(4)
    shown.until(lambda: page.scatter is not None and page.scatter.up == 4)
    scores = shown.session.state.fit.preview.scores_at(0, 9)
    assert page.scatter.points[9].tolist() == pytest.approx([scores[0], scores[3]])
    assert len(page.scatter.groups) == 3
    assert page.legend.count() == 4
    page.setFocus()
    for key, frame in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_PageDown, 11), (Qt.Key.Key_Left, 10)):
        shown.qtbot.keyClick(page, key)
        assert shown.session.state.frame == frame
    page.legend.setCurrentRow(2)
    page.thumbnails.setChecked(True)
    places = page.scatter.places
    shown.until(lambda: {int(places[item.number]) for item in page.plot.shown_pictures} == {1})


def place_of(shown, number):
    scatter, items = shown.scatter.scatter, shown.scatter.plot
    x, y = scatter.points[number].tolist()
    box = items.widget.getPlotItem().getViewBox()
    return items.widget.mapFromScene(box.mapViewToScene(QPointF(x, y)))


@pytest.mark.slow
def test_pointing_shows_an_image_and_a_click_chooses_it(shown):
    shown.open(digits(400))  # so many that no pictures cover the points
    shown.rest()
    lonely = int(np.abs(shown.scatter.scatter.points[:, 0]).argmax())
    surface = shown.scatter.plot.surface
    move(surface, QPoint(300, 20))
    move(surface, place_of(shown, lonely))
    shown.until(lambda: shown.scatter.on == lonely)
    shown.until(lambda: shown.scatter.text.startswith(f"image {lonely + 1} of 400 · label "))
    shown.qtbot.mouseClick(surface, Qt.MouseButton.LeftButton, pos=place_of(shown, lonely))
    assert shown.session.state.frame == lonely


@pytest.mark.slow
def test_pictures_stand_where_there_is_room(shown):
    shown.open(digits(600))
    shown.until(lambda: not shown.busy)
    assert shown.scatter.plot.shown_pictures == []
    shown.scatter.thumbnails.setChecked(True)
    shown.until(lambda: len(shown.scatter.plot.shown_pictures) > 5)
    numbers = {item.number for item in shown.scatter.plot.shown_pictures}
    assert 0 in numbers  # the present one comes first
    shown.scatter.thumbnails.setChecked(False)
    shown.until(lambda: not shown.scatter.plot.shown_pictures)
    for _ in range(12):
        shown.scatter.plot.zoom(0.7)
    shown.until(lambda: len(shown.scatter.wanted) < 150)


def test_a_larger_plot_has_room_for_more_pictures(shown):
    shown.scatter.resize(900, 500)
    shown.open(digits())
    shown.scatter.thumbnails.setChecked(True)
    shown.until(lambda: shown.scatter.plot.shown_pictures and not shown.busy)
    shown.qtbot.wait(100)
    few = len(shown.scatter.wanted)
    shown.scatter.resize(1200, 900)
    shown.until(lambda: len(shown.scatter.wanted) > few)


def test_a_picture_at_the_edge_is_seen_and_found_as_a_whole():
    decorations, to_device = PointDecorations(), QTransform.fromScale(10, 10)
    decorations.set_bounds(QRectF(0, 0, 10, 10))
    white = QImage(16, 16, QImage.Format.Format_RGB32)
    white.fill(QColor("#ffffff"))
    decorations.thumbnails = tuple(
        Thumbnail(number, x, y, white, "#ff0000") for number, (x, y) in enumerate([(0.1, 0.2), (9.9, 9.8)])
    )
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.fill(QColor("#000000"))
    painter = QPainter(image)
    painter.setTransform(to_device)
    decorations.paint(painter, QStyleOptionGraphicsItem())
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(100, 100) & 0xFFFFFF
    side = round(decorations.side)
    assert (pixels == 0xFFFFFF).sum() == 2 * side**2
    assert (pixels == 0xFF0000).sum() == 2 * ((side + 2 * BORDER) ** 2 - side**2)
    assert decorations.number_at(QPointF(30, 30), to_device) == 0
    assert decorations.number_at(QPointF(70, 70), to_device) == 1
    assert decorations.number_at(QPointF(50, 50), to_device) is None


def test_tabs_of_stacks_are_shown_for_stacks(window, qtbot):
    tabs = window.tabs
    pages = tabs.tab("scatter").page, tabs.tab("montage").page
    shown = lambda: [tabs.isTabVisible(tabs.indexOf(page)) for page in pages]  # noqa: E731
    assert shown() == [False, False]
    assert not window.actions_by_name["tab-7"].isEnabled()
    window.session.open_image(digits())
    assert shown() == [True, True]
    assert window.actions_by_name["tab-8"].isEnabled()
    window.actions_by_name["tab-8"].trigger()
    qtbot.waitUntil(lambda: bool(tabs.tab("montage").page.model.reconstructions), timeout=20_000)
    tabs.tab("montage").page.requested.emit(ShowFrame(7))
    assert window.session.state.frame == 7
    assert "label" in "\n".join(window.compare.original.caption.lines)
    tabs.setCurrentWidget(tabs.tab("components").page)
    qtbot.waitUntil(lambda: tabs.tab("components").page.mean.picture is not None, timeout=20_000)
    window.session.close()
    assert shown() == [False, False]
    assert tabs.tab("components").page.mean.isHidden()


def test_words():
    labels = np.array([3, 5])
    assert image_words(16, 10_000, None) == "image 17 of 10,000"
    assert image_words(1, 2, labels) == "image 2 of 2 · label 5"
    assert error_words(12.34, 255, as_psnr=False) == "error 12.3"
    assert error_words(0.0, 255, as_psnr=True) == "lossless"
    assert error_words(25.5, 255, as_psnr=True) == "20.00\u00a0dB"
    errors = np.array([1, 2, 9], np.float32)
    assert summary(errors, 255, exact=False, as_psnr=False) == (
        "Error ≈ 1.0 to 9.0 · half of the images are better than 2.0"
    )
    assert point_words("image 1 of 2", "", (-3.4, 20.0), (1, 7)) == "image 1 of 2 · c1 −3 · c7 +20"
    assert [by for by, _ in orders(errors=False, labels=False)] == ["number"]


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_ten_labels_differ_in_colour_and_shape(colours):
    looks = [point_style(place, colours) for place in range(100)]
    assert len({look.colour for look in looks[:10]}) == len({look.shape for look in looks[:10]}) == 10
    assert len(set(looks)) == 100
    assert all(contrast(look.colour, colours.base) >= 3.5 for look in looks[:10])


# Stacks of many bands


def cubes(count=9, bands=7):
    """Small images whose bands are like each other, but not the same."""
    rng = np.random.default_rng(8)
    y, x = np.mgrid[:14, :18] / 4.0
    images = np.empty((count, 14, 18, bands), np.uint16)
    for number in range(count):
        a, b, c = rng.uniform(0.3, 1.5, 3)
        field = np.sin(a * x + b * y)[..., None] * np.linspace(1, 2, bands)
        images[number] = 900 + 300 * field + 200 * np.cos(c * x)[..., None] * np.linspace(1, -1, bands)
    return Image(images, name="cubes")


def colours(picture):
    rows = [[picture.pixelColor(x, y).getRgb()[:3] for x in range(picture.width())] for y in range(14)]
    return np.array(rows, np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize(
    "look", [Look("own", (6, 1, 3)), Look("own", (2, 5, 0), percentiles=(10.0, 90.0)), Look("components")]
)
def test_the_montage_follows_the_chosen_bands_and_their_stretch(shown, look):
    image = cubes()
    shown.open(image)
    before = shown.session.state.display
    errors, order = shown.montage.model.errors, shown.montage.model.order
    shown.session.request(ShowBands(look))
    shown.until(lambda: shown.session.state.display not in (None, before))
    display = shown.session.state.display
    model = shown.montage.model

    def near(picture, pixels):
        return int(np.abs(colours(picture).astype(int) - display.to_bytes(pixels)).max()) <= 1

    number = int(model.number(shown.montage.view.seen[0]))
    shown.until(lambda: near(model.originals[number], image.pixels[number]))
    shown.until(lambda: near(model.reconstructions[number], shown.settled()[number]))
    assert model.errors is errors  # how wrong images are has nothing to do with how they are shown
    assert model.order is order

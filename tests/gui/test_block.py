"""The block inspector: what it shows of a sample, how it follows and stays, and when it is supplied."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QSlider

from pcaimage import codec
from pcaimage.codec import Region
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.requests import Keep, ShowFrame, Toggle
from pcaimage.gui.session.session import Session
from pcaimage.gui.tabs.block import BlockFeed
from pcaimage.gui.tabs.block.figures import EMPTY, LAPPED_NOTE, WAITING, ScoreBars, describe_score, stage_for
from pcaimage.gui.tabs.block.page import BlockPage
from pcaimage.gui.tabs.block.plot import ScorePlot, StageRow
from pcaimage.gui.tabs.shared.sample_pictures import SamplePictures
from pcaimage.gui.tabs.workbench import NUMBERS
from pcaimage.imaging import Image
from pcaimage.insight.inspection import Inspection, RenderSettings, Samples
from pcaimage.sampling import Blocks, Lapped
from tests.gui.finding import find

LEFT = Qt.MouseButton.LeftButton


def noisy(*shape):
    rng = np.random.default_rng(0)
    return np.clip(128 + np.cumsum(rng.normal(0, 9, shape), axis=-2), 0, 255).astype(np.uint8)


PIXELS = noisy(120, 120, 3)


def inspected(x=20, y=20, *, sampling=None, k=150, left_out=frozenset(), step=8.0):
    pictures = codec.pictures(codec.analyse(PIXELS, sampling or Blocks(8)))
    view = RenderSettings(k, left_out, step, 0.0, (0, 1, 2), 255.0)
    return Inspection.of(pictures, Samples.of(pictures.header).at(x, y), view, PIXELS)


@pytest.fixture(scope="module")
def sample():
    return inspected()


@pytest.fixture
def inspector(on_screen):
    return on_screen(BlockPage(), 900, 190)


@pytest.fixture
def told(inspector):
    """What the page asks for and tells."""
    told = SimpleNamespace(targets=[], regions=[], pinned=[])
    inspector.targetChanged.connect(lambda x, y: told.targets.append((x, y)))
    inspector.sampleChanged.connect(told.regions.append)
    find(inspector, QCheckBox, "Pin the block").toggled.connect(told.pinned.append)
    return told


# What is shown


def test_the_strip_is_walked_step_by_step_and_slider_and_clicks_choose_too(inspector, sample, qtbot):
    inspector.set_figures(sample)
    strip, slider = find(inspector, StageRow), find(inspector, QSlider, "Step")
    qtbot.keyClick(strip, Qt.Key.Key_Home)
    assert "mean alone" in inspector.text
    qtbot.keyClick(strip, Qt.Key.Key_Left)
    assert "mean alone" in inspector.text
    qtbot.keyClick(strip, Qt.Key.Key_Right)
    qtbot.keyClick(strip, Qt.Key.Key_Right)
    assert "mean + components 1 to 2 ·" in inspector.text
    assert slider.value() == 2
    qtbot.keyClick(strip, Qt.Key.Key_End)
    assert "1 to 150" in inspector.text
    slider.setValue(5)
    assert "1 to 5 ·" in inspector.text
    qtbot.mouseClick(strip, LEFT, pos=strip.place_of(1).center().toPoint())
    assert "mean + component 1 ·" in inspector.text


@pytest.mark.slow
def test_the_next_block_is_shown_at_the_same_step(inspector, sample):
    inspector.set_figures(sample)
    find(inspector, QSlider, "Step").setValue(3)
    inspector.set_figures(inspected(50, 50))
    assert inspector.text.startswith("Block at (48, 48) · mean + components 1 to 3 ·")
    find(inspector, QSlider, "Step").setValue(find(inspector, QSlider, "Step").maximum())
    inspector.set_figures(inspected(50, 50, k=20))
    assert "1 to 20 ·" in inspector.text


def test_hovering_a_bar_tells_its_score_and_what_becomes_of_it(inspector, sample):
    inspector.set_figures(sample)
    before = inspector.text
    find(inspector, ScorePlot).hovered.emit(160)
    assert inspector.text == f"Block at (16, 16) · {describe_score(sample, 160)}"
    find(inspector, ScorePlot).hovered.emit(0)
    assert inspector.text == before


def test_surroundings_are_shown_on_demand_with_the_block_outlined(inspector, sample):
    inspector.set_figures(sample)
    pictures = find(inspector, SamplePictures)
    shapes = lambda: [one.pixels.shape[:2] for one in pictures.shown if one.pixels is not None]  # noqa: E731
    assert shapes() == [(8, 8), (8, 8)]
    next(box for box in inspector.findChildren(QCheckBox) if box.text() == "Surroundings").click()
    assert shapes() == [(24, 24), (24, 24)]
    assert all(titled.inner == (8, 8, 16, 16) for titled in pictures.shown)


@pytest.mark.slow
def test_of_photos_it_is_said_that_blocks_overlap(inspector, sample):
    inspector.resize(900, 300)
    inspector.set_figures(inspected(sampling=Lapped()))
    note = next(label for label in inspector.findChildren(QLabel) if label.text() == LAPPED_NOTE)
    assert note.isVisible()
    for width in (900, 560):  # it is seen as a whole, in one line or two
        inspector.resize(width, 300)
        QApplication.processEvents()
        assert note.height() >= note.heightForWidth(note.width())
    inspector.set_figures(sample)
    assert not note.isVisible()


# Following and staying


def test_the_cursor_is_followed_until_a_block_is_pinned(inspector, told, sample):
    inspector.set_target(3, 4)
    inspector.set_figures(sample)
    inspector.pin_at(20, 20)
    inspector.set_target(90, 90)
    assert told.targets == [(3, 4), (20, 20)]
    assert told.pinned == [True]
    inspector.set_pinned(False)
    inspector.set_target(90, 90)
    assert told.targets[-1] == (90, 90)


def test_the_key_p_pins_wherever_the_focus_is(opened, qtbot):
    window, page = opened.window, opened.window.tabs.tab("block").page
    opened.trigger(f"tab-{NUMBERS['block'] + 1}")
    window.activateWindow()
    for focused in (find(page, SamplePictures), window.compare.original):
        focused.setFocus()
        qtbot.waitUntil(focused.hasFocus)
        pinned = page.pinned
        qtbot.keyClick(focused, Qt.Key.Key_P)
        assert page.pinned is not pinned


def test_arrow_keys_go_to_the_neighbours_and_stay_there(inspector, told, sample, qtbot):
    pictures = find(inspector, SamplePictures)
    qtbot.keyClick(pictures, Qt.Key.Key_Right)
    qtbot.keyClick(find(inspector, StageRow), Qt.Key.Key_Right)
    assert inspector.text == EMPTY  # there is no sample yet
    assert told.targets == []
    inspector.set_figures(sample)
    qtbot.keyClick(pictures, Qt.Key.Key_Right)
    qtbot.keyClick(pictures, Qt.Key.Key_Up)
    assert told.targets == [(28, 20), (20, 12)]
    assert inspector.pinned


def test_the_block_that_is_shown_is_told_once(inspector, told, sample):
    inspector.set_figures(sample)
    inspector.set_figures(inspected(k=5))
    inspector.set_figures(inspected(60, 20))
    inspector.say(EMPTY)
    inspector.say(EMPTY)
    assert told.regions == [Region(16, 16, 24, 24), Region(56, 16, 64, 24), None]


# Words and bars


def test_what_becomes_of_a_score_is_told():
    found = inspected(k=30, left_out=frozenset({2, 40}), step=8.0)
    small = next(n for n in range(3, 31) if abs(found.scores[n - 1]) < 4)
    for number, end in ((1, "kept"), (2, "left out"), (31, "not kept"), (small, "kept, but rounded to 0")):
        assert describe_score(found, number).endswith(f" · {end}")


def test_a_step_that_a_block_does_not_have_gives_way_to_the_one_before(sample):
    numbers = [stage.number for stage in sample.stages]
    missing = next(n for n in range(1, 150) if n not in numbers)
    assert numbers[stage_for(sample, missing)] == max(n for n in numbers if n < missing)
    assert stage_for(sample, None) == len(numbers) - 1
    assert stage_for(sample, 0) == 0


@pytest.mark.parametrize("size", [8, 16])
def test_bars_stand_where_their_components_are_found(size):
    rng = np.random.default_rng(0)
    found = inspected()
    scores = rng.normal(0, 50, size * size * 3).astype(np.float32)
    bars = ScoreBars.of(
        Inspection(
            found.samples, found.place, found.view, scores, found.stages, None, found.inner, lapped=False
        )
    )
    assert bars.logarithmic == (size == 16)
    for number in (1, 2, 150, 151, scores.size):
        assert bars.number_at(bars.place(number)) == number
    assert bars.number_at(float(bars.edges[0]) - 0.1) is None
    assert bars.number_at(float(bars.edges[-1]) + 0.1) is None
    assert (np.sign(bars.heights) == np.sign(scores)).all()
    assert bars.kept.sum() == 150


# What is supplied, and when


@pytest.fixture
def session(owner):
    session = Session(JobRunner(owner), Choice("blocks", 8), owner)
    yield session
    session.jobs.shutdown()


@pytest.fixture
def feed(session, inspector):
    feed = BlockFeed(session, inspector)
    feed.set_active(True)
    return feed


@pytest.mark.slow
@pytest.mark.usefixtures("feed")
def test_the_block_in_the_middle_is_shown_up_to_the_present_k_until_another_is_pinned(
    session, inspector, until
):
    session.open_image(Image(PIXELS))
    assert inspector.text == WAITING
    until(lambda: inspector.text.startswith("Block at (56, 56)"))
    session.request(Keep(7, final=False))
    until(lambda: "components 1 to 7 ·" in inspector.text)
    session.request(Toggle(7, out=True))
    until(lambda: "components 1 to 6 ·" in inspector.text)
    inspector.set_target(3, 119)
    until(lambda: inspector.text.startswith("Block at (0, 112)"))
    inspector.pin_at(0, 0)
    session.open_image(Image(noisy(40, 40, 1)))
    until(lambda: inspector.text.startswith("Block at (16, 16)"))
    assert not inspector.pinned
    session.close()
    assert inspector.text == EMPTY


@pytest.mark.slow
@pytest.mark.usefixtures("feed")
def test_a_file_is_inspected_without_its_original(session, inspector, compressed, until):
    session.open_paths([str(compressed)])
    until(lambda: inspector.text.startswith("Block at"))
    assert "RMS" not in inspector.text
    assert len(find(inspector, SamplePictures).shown) == 1


@pytest.mark.usefixtures("feed")
def test_of_a_stack_the_image_that_is_shown_is_inspected(session, inspector, until):
    session.open_image(Image(noisy(4, 20, 30, 1)))
    until(lambda: inspector.text.startswith("Image 1 of the stack"))
    session.request(ShowFrame(2))
    until(lambda: inspector.text.startswith("Image 3 of the stack"))

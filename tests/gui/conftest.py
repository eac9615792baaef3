from dataclasses import replace
from types import MappingProxyType

import pytest

from pcaimage.gui.app import Application
from pcaimage.gui.export.plan import format_called
from pcaimage.gui.session.resolve import PanelView
from tests.smooth import smooth

# The offscreen platform says this whenever a window has a minimum size.
_PLATFORM_NOISE = "This plugin does not support propagateSizeHints"


def pytest_collection_modifyitems(items):
    for item in items:
        if "gui" in item.path.parts:
            item.add_marker(pytest.mark.qt_log_ignore(_PLATFORM_NOISE, extend=True))


@pytest.fixture(scope="session")
def qapp_args():
    return ["pcaimage"]


@pytest.fixture(scope="session")
def qapp_cls():
    return Application


@pytest.fixture(scope="session")
def qapp(qapp):
    """Qt's application; what Python put into the clipboard is freed while there is a Python."""
    yield qapp
    qapp.clipboard().clear()


@pytest.fixture
def on_screen(qtbot):
    """Show a widget, perhaps in a size of its own; it goes when the test ends."""

    def show(widget, *size):
        qtbot.addWidget(widget)
        if size:
            widget.resize(*size)
        widget.show()
        return widget

    return show


@pytest.fixture
def supply(session_user, qtbot):
    """Have feeds supply a page until the test ends."""
    feeds = []

    def supply(page, *kinds):
        qtbot.addWidget(page)
        feeds.extend(kind(session_user.session, page) for kind in kinds)
        for feed in feeds:
            feed.set_active(True)
        return page

    yield supply
    for feed in feeds:
        feed.set_active(False)


@pytest.fixture
def requests(plot):
    """The requests of the plot, which nobody answers."""
    requests = []
    plot.requested.connect(requests.append)
    return requests


@pytest.fixture
def photograph():
    """The panel's view of a photograph cut into 8 × 8 blocks."""
    return PanelView(
        enabled=True,
        methods=("blocks", "channels", "stack"),
        method="blocks",
        k=24,
        k_max=192,
        variance=97.314,
        psnr=34.12,
        size=41_234,
        size_estimated=True,
        step=11.3,
    )


@pytest.fixture
def panel(on_screen, photograph):
    from pcaimage.gui.panel.controls import SettingsPanel

    panel = on_screen(SettingsPanel(), 300, 560)
    panel.activateWindow()
    panel.set_view(photograph)
    return panel


@pytest.fixture
def asked(panel):
    """The requests that the panel made."""
    asked = []
    panel.requested.connect(asked.append)
    return asked


class Answers:
    """The user's answers to the window's questions, and a record of those that were asked."""

    def __init__(self):
        self.open = []
        self.save = None
        self.export = None
        self.write = None
        self.model = None
        self.sure = True
        self.several = "stack"
        self.offers = []
        self.always = False
        self.asked = []

    def give(self, question):
        self.asked.append(question)
        return getattr(self, question)


@pytest.fixture
def answers(monkeypatch):
    from pcaimage.gui import dialogs

    answers = Answers()
    for question in ("open", "save", "export", "write", "model", "sure"):
        answer = lambda *_, question=question: answers.give(question)  # noqa: E731
        monkeypatch.setattr(dialogs, f"ask_{question}", answer)

    def several(_, __, then):
        answer = answers.give("several")
        if answer is not None:
            then(answer, answers.always)

    def offer(_, contents, then):
        answers.asked.append(contents.asks)
        if answers.offers:
            then(answers.offers.pop(0))

    monkeypatch.setattr(dialogs, "ask_offer", offer)
    monkeypatch.setattr(dialogs, "ask_several", several)
    return answers


@pytest.fixture
def settings(tmp_path):
    from PySide6.QtCore import QSettings

    from pcaimage.gui.preferences import Preferences
    from pcaimage.gui.session.choice import Choice

    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    Preferences(settings).choice = Choice("blocks", 4)
    settings.setValue("files/folder", str(tmp_path))
    settings.setValue("kept/layout", "science")
    return settings


@pytest.fixture(scope="session")
def look(qapp):
    from pcaimage.gui.theme import apply_theme

    return apply_theme(qapp, "light")


@pytest.fixture
def compare_view(qtbot):
    """Two views beside each other, in each of which an image of 400 × 200 pixels fits at 100 %."""
    from pcaimage.gui.compare.compare_view import CompareView

    view = CompareView()
    qtbot.addWidget(view)
    view.viewportRequested.connect(view.set_viewport)
    view.resize(802, 300)
    view.show()
    view.set_image_size(400, 200)
    view.fit()
    qtbot.wait(1)
    return view


@pytest.fixture
def unabridged():
    """Have the window show its tabs, paint itself and estimate sizes, as it does outside of tests."""


def leave_out_estimates(request, monkeypatch):
    """Make no estimates unless a test looks at them: they take longer than all else of an image."""
    from pcaimage.gui.session import research
    from pcaimage.gui.session.state import SizeGuess
    from pcaimage.gui.session.targets import OFFERED
    from pcaimage.gui.session.work import Task

    if "unabridged" not in request.fixturenames:
        monkeypatch.setattr(research, "find_offers", lambda *_, **__: dict.fromkeys(OFFERED, 1))
        monkeypatch.setattr(research, "guess_size", lambda task, *_: SizeGuess(task.setting, 1))
        monkeypatch.setattr(Task, "look_ahead", lambda *_: None)
        monkeypatch.setattr(Task, "estimate", lambda *_: None)


@pytest.fixture
def window(
    request,
    monkeypatch,
    qtbot,
    look,
    settings,
    answers,  # noqa: ARG001 - a dialog that nobody answers would stay for ever
):
    from pcaimage.gui.app import make_window
    from pcaimage.gui.tabs import workbench
    from pcaimage.gui.thumbnails import Thumbnails

    whole = "unabridged" in request.fixturenames
    leave_out_estimates(request, monkeypatch)
    monkeypatch.setattr(Thumbnails, "make_samples", lambda *_: None)
    if not whole:
        # Pages and plots take as long to make and to paint as the rest of the window: they are made when a
        # test asks for them.
        late = tuple(replace(spec, early=False) for spec in workbench.TABS)
        monkeypatch.setattr(workbench, "TABS", late)
    if look.scheme != "light":
        look.set_scheme("light")
    window = make_window(look, settings)
    qtbot.addWidget(window)
    window.resize(1000, 700)
    window.actions_by_name["show-tabs"].setChecked(whole)
    if not whole and request.config.option.markexpr == "not slow":
        # Painting takes half of the time of a test.
        window.setUpdatesEnabled(False)
    window.show()
    window.activateWindow()
    yield window
    window.session.jobs.shutdown()


class SessionUser:
    """Asks a session for what a user asks its window for, and waits as one does."""

    def __init__(self, session, qtbot, slots=MappingProxyType({})):
        self.session, self.qtbot, self.slots = session, qtbot, slots

    @property
    def state(self):
        return self.session.state

    def until(self, condition):
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=60_000)

    def idle(self):
        self.until(lambda: not self.session.jobs.busy())

    def rest(self):
        """Wait until all that a window shows is known."""
        kinds = "open fit guess offers target settle measure similarity picture save export copy"
        self.until(lambda: not any(kind in kinds for kind in self.session.jobs.under_way))

    def drop(self, *paths):
        self.session.open_paths([str(path) for path in paths])

    def open(self, *paths):
        self.drop(*paths)
        self.rest()

    def trigger(self, action):
        """Carry out a command that changes how the image is compressed."""
        self.slots[action]()


@pytest.fixture
def owner(qtbot):
    """The widget with which a session goes, as with a window.

    What Python frees by itself, it may free on a worker thread.
    """
    from PySide6.QtWidgets import QWidget

    owner = QWidget()
    qtbot.addWidget(owner)
    return owner


@pytest.fixture
def session(owner):
    from pcaimage.gui.session.choice import Choice
    from pcaimage.gui.session.jobs import JobRunner
    from pcaimage.gui.session.session import Session

    session = Session(JobRunner(owner), Choice("blocks", 4), owner)
    yield session
    session.jobs.shutdown()


@pytest.fixture
def until(qtbot):
    return lambda condition: qtbot.waitUntil(lambda: bool(condition()), timeout=20_000)


@pytest.fixture
def session_user(request, monkeypatch, qtbot, look, settings, owner):
    """A session without a window, which takes most of the time of a test that does not look at it."""
    from pcaimage.gui.commands.context import CommandContext
    from pcaimage.gui.commands.own_presets import SettingCommands
    from pcaimage.gui.messages import MessageBar
    from pcaimage.gui.preferences import Preferences
    from pcaimage.gui.session import watching
    from pcaimage.gui.session.jobs import JobRunner
    from pcaimage.gui.session.session import Session

    leave_out_estimates(request, monkeypatch)
    # No picture will be painted that plots would wait for.
    monkeypatch.setattr(watching, "FIRST", 0)
    monkeypatch.setattr(watching, "LATEST", 0)
    if look.scheme != "light":
        look.set_scheme("light")
    messages = MessageBar(owner)
    jobs = JobRunner(owner)
    preferences = Preferences(settings)
    session = Session(jobs, preferences.choice, owner)
    context = CommandContext(messages, session, preferences, messages, {}, {})
    yield SessionUser(session, qtbot, SettingCommands(context).slots)
    jobs.shutdown()


class User(SessionUser):
    """Does with a window what a user does."""

    def __init__(self, window, qtbot):
        super().__init__(window.session, qtbot)
        self.window = window

    @property
    def message(self):
        return self.window.messages.text

    @property
    def caption(self):
        return "\n".join(self.window.compare.reconstruction.caption.lines)

    def drop(self, *paths):
        from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
        from PySide6.QtGui import QDropEvent

        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        event = QDropEvent(QPointF(20, 20), Qt.DropAction.CopyAction, data, buttons, keys)
        page = self.window.pages.currentWidget()
        (page if page is self.window.empty else self.window.compare.reconstruction).dropEvent(event)

    def trigger(self, action):
        self.window.actions_by_name[action].trigger()

    def open_sheet(self, ending=""):
        """Open the export sheet, choose the format of an ending, and wait until its size is known."""
        self.trigger("export")
        sheet = self.window.export_image.sheet
        assert sheet is not None
        self.until(lambda: not self.session.jobs.busy("export-propose"))
        if ending:
            formats = [format_called(sheet.format.itemData(n)) for n in range(sheet.format.count())]
            row = next(n for n, each in enumerate(formats) if ending in each.suffixes)
            sheet.format.setCurrentIndex(row)
            sheet.format.activated.emit(row)
        self.until(lambda: "found" not in sheet.saving_line.text())
        return sheet

    def export(self, path):
        """Export in the format of a path, which the file dialog answers with."""
        self.open_sheet(path.suffix).export.click()

    def type_into(self, field, text):
        from PySide6.QtCore import Qt

        field.setFocus()
        field.selectAll()
        self.qtbot.keyClicks(field, text)
        self.qtbot.keyClick(field, Qt.Key.Key_Return)


@pytest.fixture
def user(window, qtbot):
    return User(window, qtbot)


@pytest.fixture
def opened(user, photo):
    """A window that shows a picture."""
    user.open(photo)
    return user


@pytest.fixture
def page(qtbot):
    """A page of the lab, as it begins."""
    from pcaimage.gui.lab.page import LabPage

    page = LabPage()
    page.resize(1000, 680)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitExposed(page)
    return page


@pytest.fixture
def fitted(session_user, photo):
    """A session of a picture, without a window."""
    session_user.open(photo)
    return session_user


@pytest.fixture
def photo(tmp_path):
    """A picture of 61 × 45 pixels, which is no whole number of blocks."""
    return write(tmp_path / "photo.png", smooth(45, 61, 3))


def write(path, pixels, alpha=None):
    from pcaimage.imaging import Image, write_image

    write_image(path, Image(pixels, alpha=alpha), overwrite=True)
    return path


@pytest.fixture
def draw():
    return lambda path, *shape, seed=0: write(path, smooth(*shape, seed=seed))


@pytest.fixture
def compressed(tmp_path):
    """A compressed file of ten components."""
    import pcaimage

    path = tmp_path / "small.pcai"
    settings = pcaimage.Settings(sampling=pcaimage.Blocks(4), k=10)
    path.write_bytes(pcaimage.encode(smooth(45, 61, 3), settings))
    return path

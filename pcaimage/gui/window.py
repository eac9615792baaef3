"""The main window: its parts, and the connections between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QLabel, QMainWindow, QSplitter, QStackedWidget, QToolButton, QWidget

from pcaimage.gui.boxes import vbox
from pcaimage.gui.busy import LABELS, BusyIndicator, ProgressStrip
from pcaimage.gui.commands import build
from pcaimage.gui.commands.actions import ENABLED
from pcaimage.gui.commands.arrangement import Arrangement
from pcaimage.gui.commands.context import CommandContext
from pcaimage.gui.commands.exports import ExportCommands
from pcaimage.gui.commands.faults import FaultNotices
from pcaimage.gui.commands.files import FileCommands, ModelCommands
from pcaimage.gui.commands.lab import LabCommands
from pcaimage.gui.commands.own_presets import OwnPresetCommands, SettingCommands
from pcaimage.gui.commands.program import ProgramCommands, ScreenProfile
from pcaimage.gui.commands.recent import WelcomePictures
from pcaimage.gui.commands.recovery import Recovery
from pcaimage.gui.commands.rivals import PictureMenus, RivalCommands
from pcaimage.gui.commands.views import StackCommands, ViewCommands
from pcaimage.gui.compare import captions
from pcaimage.gui.compare.compare_view import CompareView
from pcaimage.gui.compare.comparing import Comparing
from pcaimage.gui.compare.toolbar import BandsButton, ImageNumber, ZoomButton
from pcaimage.gui.dialogs import fit_to_screen
from pcaimage.gui.drag_out import DragHandle, DragOut
from pcaimage.gui.empty import DELAY, EmptyView, OpeningView
from pcaimage.gui.messages import MessageBar, MessageLayer
from pcaimage.gui.panel.bytes_view import BytesFeed
from pcaimage.gui.panel.controls import SettingsPanel
from pcaimage.gui.panel.form_rows import FigureField
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.session import requests as ask
from pcaimage.gui.session import resolve
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.workbench import Workbench
from pcaimage.gui.theme import Theme, tabular
from pcaimage.imaging.reading.samples import sample_names

if TYPE_CHECKING:
    from pcaimage.gui.commands.export_image import ExportImageCommand
    from pcaimage.gui.commands.photographs import PhotographCommands
    from pcaimage.gui.commands.queue import QueueCommands

_FIRST_SIZE = (1280, 800)
_TABS_HEIGHT = 240


class MainWindow(QMainWindow):
    """Shows a session, and passes on the user's requests."""

    def __init__(self, session: Session, preferences: Preferences, theme: Theme) -> None:
        super().__init__()
        self.session, self.preferences, self.theme = session, preferences, theme
        self._pointed: tuple[int, int] | None = None
        self._flags: set[str] | None = None
        self._welcomed = False
        self._make_parts()
        self._lay_out()
        self.actions_by_name = build.build_actions(self)
        self.submenus = build.build_menus(self.menuBar(), self.actions_by_name)
        build.build_toolbar(self.toolbar, self.actions_by_name, {"zoom": self.zoom, "drag": self.drag})
        self._beside_frame = self.toolbar.addSeparator()
        self.play = QToolButton()
        self.play.setDefaultAction(self.actions_by_name["play"])
        self._play_action = self.toolbar.addWidget(self.play)
        self._play_action.setVisible(False)
        self._frame_action = self.toolbar.addWidget(self.frame)
        self._frame_action.setVisible(False)
        self._beside_frame.setVisible(False)
        self._bands_action = self.toolbar.addWidget(self.bands)
        self._bands_action.setVisible(False)
        self.busy = BusyIndicator(session.jobs, self.progress, self)
        self.comparing = Comparing(session, self.compare, self)
        self._make_commands()
        self._connect()
        self.show_figures(session.state)
        if session.state.opening is None:
            self._welcome()
        else:
            self.opening.show_opening(session.state.opening)
            self.pages.setCurrentWidget(self.opening)
            self.opening.setFocus()  # else Qt would choose a widget of the panel
        self._tint()
        fit_to_screen(self, QSize(*_FIRST_SIZE))
        preferences.restore_window(self, self.splitters)

    def _make_parts(self) -> None:
        self.empty, self.compare, self.opening = EmptyView(), CompareView(), OpeningView()
        self._patience = QTimer(self, singleShot=True, interval=DELAY)
        self.panel, self.tabs = SettingsPanel(), Workbench(self.session, self.request)
        self.drag, self.bands = DragHandle(), BandsButton()
        self.messages, self.progress = MessageBar(), ProgressStrip()
        self.pixel, self.zoom, self.frame = QLabel(), ZoomButton(), ImageNumber()
        self.toolbar = build.FittingToolBar("Toolbar")
        self.toolbar.setObjectName("toolbar")
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self.compare)
        self.pages.addWidget(self.opening)
        self.pixel.setFont(tabular(self.pixel.font()))
        self.pixel.setContentsMargins(6, 0, 0, 0)

    def _lay_out(self) -> None:
        rows = QSplitter(Qt.Orientation.Vertical)
        pictures = QWidget()
        self._below_pictures = vbox((self.pages, 1), of=pictures, spacing=0)
        rows.addWidget(pictures)
        rows.addWidget(self.tabs)
        columns = QSplitter(Qt.Orientation.Horizontal)
        columns.addWidget(MessageLayer(rows, self.messages, self.pages))
        columns.addWidget(self.panel)
        for splitter, first in ((rows, 3), (columns, 1)):
            splitter.setChildrenCollapsible(False)
            splitter.setStretchFactor(0, first)
            splitter.setStretchFactor(1, 1 if splitter is rows else 0)
        rows.setSizes([_FIRST_SIZE[1] - _TABS_HEIGHT, _TABS_HEIGHT])
        self.splitters = {"rows": rows, "columns": columns}
        self.setCentralWidget(columns)
        self.addToolBar(self.toolbar)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.statusBar().addWidget(self.pixel)
        self.statusBar().addPermanentWidget(self.progress)
        self.statusBar().setSizeGripEnabled(False)

    def _make_commands(self) -> None:
        session, tabs = self.session, self.tabs
        self._context = context = CommandContext(
            self, session, self.preferences, self.messages, self.actions_by_name, self.submenus
        )
        self.files = FileCommands(context)
        self.faults = FaultNotices(context)
        self.recovery = Recovery(context, self.faults)
        self.arrangement = Arrangement(
            context, tabs, self.pages, self.panel, self.splitters["rows"], self.statusBar()
        )
        self.menuBar().setCornerWidget(self.arrangement.layout_switch(self.menuBar()))
        self.views = ViewCommands(context, self.compare, self.comparing, tabs, self.show_viewport)
        self.exports = ExportCommands(context, tabs)
        rivals = RivalCommands(context, self.compare)
        self.picture_menus = PictureMenus(context, self.compare, rivals)
        settings, models = SettingCommands(context), ModelCommands(context)
        self.panel.bar.presets.setMenu(self.submenus["presets"])
        own = OwnPresetCommands(context, self.submenus["presets"])
        self.lab = LabCommands(context)
        self.stack = StackCommands(context, self.files)
        self.screen_profile = ScreenProfile(
            self, self.preferences.screen, self.messages, self.comparing.renderer.set_screen
        )
        program = ProgramCommands(context, self.theme, self.screen_profile, self.show_figures)
        groups = (self.files, settings, self.views, rivals, own, self.lab, self.stack, self.arrangement)
        for commands in (*groups, self.exports, models, program):
            self._connect_actions(commands.slots)
        self._connect_actions(self._own_slots())
        samples = [(name.capitalize(), partial(session.open_sample, name)) for name in sample_names()]
        build.fill_submenu(self.submenus["sample"], samples)

    def _own_slots(self) -> dict[str, Callable[[], object]]:
        """Return the functions of the actions that the window itself carries out."""
        slots: dict[str, Callable[[], object]] = {
            "bands": self.bands.open,
            "export": lambda: self.export_image.open(),  # noqa: PLW0108 - it is made when it is asked for
            "copy": lambda: self.export_image.copy(),  # noqa: PLW0108 - as above
            "send": lambda: self.queue.ask(),  # noqa: PLW0108 - as above
        }
        fields = self.panel.keep.fields
        slots |= {f"target-{name}": partial(self._type_into, field) for name, field in fields.items()}
        slots |= {name: partial(self._act_on_photographs, name) for name in ENABLED["photographs"].split()}
        slots["cancel"] = self._cancel
        return slots

    def _connect_actions(self, slots: dict[str, Callable[[], object]]) -> None:
        for name, slot in slots.items():
            self.actions_by_name[name].triggered.connect(lambda _=False, slot=slot: slot())

    @cached_property
    def export_image(self) -> ExportImageCommand:
        """The export of the image, made when it is first asked for: its sheet takes long to load."""
        from pcaimage.gui.commands.export_image import ExportImageCommand  # noqa: PLC0415 - see above

        return ExportImageCommand(self._context, self._centre, self.files.copy)

    @cached_property
    def photographs(self) -> PhotographCommands:
        """The strip of photographs, made when it is first asked for: most windows never have one."""
        from pcaimage.gui.commands.photographs import PhotographCommands  # noqa: PLC0415 - see above

        found = PhotographCommands(self._context)
        found.strip.send.clicked.connect(self.actions_by_name["send"].trigger)
        found.changed.connect(self.refresh_actions)
        self._below_pictures.addWidget(found.strip)
        return found

    @cached_property
    def queue(self) -> QueueCommands:
        """The queue of photographs, made when it is first asked for: most windows never have one."""
        from pcaimage.gui.commands.queue import QueueCommands  # noqa: PLC0415 - see above

        found = QueueCommands(self._context, self.photographs)
        found.changed.connect(self.photographs.strip.show_tally)
        self.photographs.strip.queue.clicked.connect(found.show)
        return found

    def _act_on_photographs(self, name: str) -> None:
        """Carry out an action of the strip."""
        self.photographs.slots[name]()

    def _connect(self) -> None:
        session, compare, files = self.session, self.compare, self.files
        self.empty.open.clicked.connect(files.open)
        self.empty.paste.clicked.connect(files.paste)
        self.empty.sampleRequested.connect(session.open_sample)
        files.tableRequested.connect(self.lab.open_table)
        self.empty.recentRequested.connect(lambda path: files.open_paths([path]))
        WelcomePictures(session, self.empty, files.recent, self.comparing.renderer)
        for source in (self.empty, compare):
            source.filesDropped.connect(files.open_paths)
        files.photographsRequested.connect(lambda several: self.photographs.open(several))  # noqa: PLW0108
        self._patience.timeout.connect(partial(self.pages.setCurrentWidget, self.opening))
        session.jobs.watch("open").progressed.connect(lambda _, *done: self.opening.set_progress(*done))
        self.progress.stop.clicked.connect(session.stop)
        self.messages.changed.connect(self.refresh_actions)
        self.tabs.currentChanged.connect(lambda _: self.refresh_actions())
        self.tabs.pageMade.connect(self.refresh_actions)
        self.actions_by_name["enlarge-tab"].toggled.connect(lambda _: self.refresh_actions())
        session.watch("document").connect(self._show_document)
        session.watch("opening").connect(self._show_opening)
        session.watch("document", "frame").connect(self._show_frame)
        session.watch("document", "look").connect(self._show_look)
        session.afterwards.stateChanged.connect(self.show_figures)
        self.panel.requested.connect(session.request)
        for asking in (self.panel, files):
            asking.exportRequested.connect(self.actions_by_name["export"].trigger)
        self.bands.requested.connect(session.request)
        self.frame.valueChanged.connect(lambda number: session.request(ask.ShowFrame(number - 1)))
        compare.cursorMoved.connect(self.tabs.point_at)
        compare.clicked.connect(self.tabs.pin_at)
        compare.outlined.connect(self.tabs.outline)
        self.tabs.sampleChanged.connect(compare.set_marker)
        self.tabs.overlayReady.connect(self.comparing.show_overlay)
        DragOut(session, self.drag, self, lambda document: self.export_image.plan_for(document))  # noqa: PLW0108
        BytesFeed(session, self.panel.account).set_active(True)
        self.zoom.scaleRequested.connect(compare.zoom_to)
        compare.viewportRequested.connect(self.show_viewport)
        compare.cursorMoved.connect(self._point_at)
        compare.cursorLeft.connect(self._point_away)
        session.jobs.watch(*LABELS).changed.connect(self._show_work)
        self.theme.changed.connect(self._tint, Qt.ConnectionType.QueuedConnection)  # behind the palettes

    def request(self, request: ask.Request) -> None:
        """Carry out a request of a widget."""
        match request:
            case ask.ShowRegion(region):
                self.views.show_region(region)
                self.compare.set_marker(region)
            case ask.ExportTable():
                self.exports.export_table()
            case ask.ExportScores(number):
                self.exports.export_scores(number)
            case ask.SessionRequest():
                self.session.request(request)

    def _type_into(self, field: FigureField) -> None:
        self.actions_by_name["show-panel"].setChecked(True)
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.selectAll()

    def _cancel(self) -> None:
        """Close the message, go back from an enlarged tab, or stop the running jobs."""
        if self.messages.text:
            self.messages.dismiss()
        else:
            self.arrangement.escape(self.session.stop)

    def come_to_front(self) -> None:
        """Show the window above others, as a later start of the program asks."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def _tint(self) -> None:
        self.panel.set_view(resolve.panel_view(self.session.state))

    def show_viewport(self, viewport: object) -> None:
        """Show another part of the image, or another scale."""
        self.compare.set_viewport(viewport)  # type: ignore[arg-type]  # a signal carries any object
        nothing = self.session.state.document is None
        self.zoom.set_scale(None if nothing else self.compare.viewport.scale)

    def _centre(self) -> tuple[float, float]:
        """Return the centre of the visible part, as shares of width and height."""
        document, viewport = self.session.state.document, self.compare.viewport
        width, height = (1, 1) if document is None else document.size
        return viewport.centre_x / width, viewport.centre_y / height

    def show_figures(self, state: SessionState) -> None:
        """Show the settings of a state, and what is known of it."""
        self.panel.set_view(resolve.panel_view(state))
        self.setWindowTitle(resolve.title(state))
        self._show_pixel()
        self._show_work()

    def _show_frame(self, state: SessionState) -> None:
        with QSignalBlocker(self.frame):
            self.frame.setValue(state.frame + 1)

    def _show_look(self, state: SessionState) -> None:
        if state.document is not None and state.document.many_bands:
            self.bands.set_look(state.look or state.document.look, state.document.bands.names)

    def _show_page(self, state: SessionState) -> None:
        """Show the image, or ask for one."""
        if state.document is None:
            self._welcome()
        else:
            self.pages.setCurrentWidget(self.compare)

    def _welcome(self) -> None:
        """Ask for an image; who starts with a file may never see the samples."""
        if not self._welcomed:
            self._welcomed = True
            self.empty.set_samples(sample_names())
        self.pages.setCurrentWidget(self.empty)

    def _show_opening(self, state: SessionState) -> None:
        """Show that a file is being opened if it takes a moment."""
        self.opening.show_opening(state.opening)
        if state.opening is None:
            self._patience.stop()
            self._show_page(state)
        elif not self._patience.isActive() and self.pages.currentWidget() is not self.opening:
            self._patience.start()

    def _show_work(self) -> None:
        jobs = self.session.jobs
        kinds = [each for each in LABELS if jobs.busy(each)]
        self.compare.reconstruction.caption.set_busy(captions.busy_hint(self.session.state, kinds))
        self.refresh_actions()

    def _show_document(self, state: SessionState) -> None:
        document = state.document
        self._show_page(state)
        self._pointed = None
        stack = document is not None and document.is_stack
        self._frame_action.setVisible(stack)
        self._beside_frame.setVisible(stack)
        self._play_action.setVisible(document is not None and document.timing is not None)
        self._bands_action.setVisible(document is not None and document.many_bands)
        if document is None:
            self.arrangement.enlarge(False)
            self.zoom.set_scale(None)
            return
        self.frame.set_count(document.frames)
        if not any(each.isAncestorOf(self.focusWidget()) for each in (self.panel, self.panel.bar)):
            self.compare.reconstruction.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh_actions(self) -> None:
        """Enable the actions that are possible now, and grey out the others."""
        found = set(resolve.flags(self.session.state))
        working = any(self.session.jobs.busy(kind) for kind in LABELS)
        if working or self.messages.text or self.arrangement.enlarged:
            found.add("escapable")
        if "photographs" in self.__dict__ and self.photographs.is_open:
            found.add("photographs")
        if "fitted" in found and self.tabs.plot is not None:
            found.add("plot")
        if found != self._flags:
            self._flags = found
            build.set_flags(self.actions_by_name, found)

    def _point_at(self, x: int, y: int) -> None:
        self._pointed = x, y
        self._show_pixel()

    def _point_away(self) -> None:
        self._pointed = None
        self._show_pixel()

    def _show_pixel(self) -> None:
        self.pixel.setText(
            "" if self._pointed is None else resolve.pixel_line(self.session.state, *self._pointed)
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store the window's layout, and cancel all jobs; a file that is being written is waited for."""
        queue = self.__dict__.get("queue")  # it is made when it is first asked for
        if self.files.ends_writing(self.close) or (queue is not None and not queue.may_leave()):
            event.ignore()
            return
        self.arrangement.save()
        self.preferences.save_window(self, self.splitters)
        self.hide()  # at once: it may take a moment until the threads end
        self.shutdown()
        event.accept()

    def shutdown(self) -> None:
        """Stop all work, and wait until it has ended."""
        if "queue" in self.__dict__:
            self.queue.shutdown()
        self.session.jobs.shutdown()

"""The lab: its panes, what their requests and its commands do to the state, and its window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QHideEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QFileDialog, QInputDialog, QLabel, QWidget

from pcaimage.errors import PcaImageError, SettingsError
from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.clipboard import to_image
from pcaimage.gui.dialogs import fit_to_screen
from pcaimage.gui.lab.actions import Act, LabActions
from pcaimage.gui.lab.desk import Desk
from pcaimage.gui.lab.panes import Panes, Turning
from pcaimage.gui.lab.rail import Rail, TaskBar
from pcaimage.gui.messages import MessageBar
from pcaimage.gui.session.jobs import Failure, JobRunner
from pcaimage.imaging import Image, Timing, write_image
from pcaimage.insight.lab import STEPS, TABLES, LabData, LabState, built_in, check
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.data import DIGITS, DRAWN, EDITS, blank, bytes_in, table_in
from pcaimage.insight.lab.exercise import SUFFIX
from pcaimage.insight.lab.figures import spectrum
from pcaimage.insight.lab.live import CONVENTIONS, differences, live
from pcaimage.insight.lab.numbers import Kind, row_of
from pcaimage.insight.lab.state import LabHistory
from pcaimage.insight.lab.steps import step_named
from pcaimage.insight.lab.transitions import Motion
from pcaimage.insight.numeric import How
from pcaimage.language import tr
from pcaimage.progress import Progress

Source = Callable[[], LabData]

_TITLES = {name: name.replace("-", " ").capitalize() for name in (*TABLES, DIGITS)}
_DRAWN = "Drawn by hand"
_MUCH = 200_000  # numbers, or letters of a text, that are worked on aside
_FILM = 24  # pictures of an animation
_FILES = f"Tables and exercises (*.csv *.tsv *.txt *.tex *.md *.dat *{SUFFIX});;All files (*)"


class LabPage(QWidget):
    """Shows one state in linked panes; every request leads to the next state."""

    keepRequested = Signal(str, int, bool)  # noqa: N815
    """The name of a source, how many axes are kept, and whether features are standardised."""
    ticked = Signal(object)  # the steps whose task was done at some time, when there are more of them

    def __init__(
        self,
        sources: Mapping[str, Source] | None = None,
        kept: frozenset[str] = frozenset(),
        jobs: JobRunner | None = None,
        ticks: frozenset[str] = frozenset(),
        records: str = "",
    ) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self.ticks = ticks
        self._sources: dict[str, Source] = {title: partial(built_in, name) for name, title in _TITLES.items()}
        self._sources |= {_DRAWN: partial(built_in, DRAWN), **(sources or {})}
        self._kept = kept
        self._jobs, self._job = jobs, f"lab {id(self)}"
        self._text: tuple[bytes, str, How] | None = None  # what the table was read from
        self.history = LabHistory(LabState.of(built_in("five-features")))
        self.rail, self.task, self.panes = Rail(), TaskBar(), Panes()
        self.commands = LabActions(self, self.panes.by_name)
        self.turning = Turning(self.panes.show_state, self)
        self.messages = MessageBar()
        self.source, self.convention = QComboBox(), QComboBox()
        self.live, self.differs = QLabel(), QLabel()
        self._fill_boxes()
        self._lay_out()
        self.desk = Desk(self, self.task, self.commands, records)
        self._connect()
        self.refresh()

    @property
    def state(self) -> LabState:
        """The state that is shown."""
        return self.history.state

    def commit(self, state: LabState) -> None:
        """Go on to a state, which can be undone."""
        self._go(self.history.committed(state))

    def open_data(self, data: LabData) -> None:
        """Take other samples."""
        self.commit(go.with_data(self.state, data))

    def paste(self) -> None:
        """Take the table that was copied; say what is wrong with it if it is none."""
        self.open_text(QGuiApplication.clipboard().text().encode(), "The pasted table")

    def open_file(self, path: Path) -> None:
        """Open an exercise or the table of a text file; say what is wrong with it if it is neither."""
        exercise = path.suffix.lower() == SUFFIX
        opened = self.desk.open_file if exercise else lambda path: self.open_text(bytes_in(path), path.name)
        self.attempt(partial(opened, path))

    def open_text(self, data: bytes, name: str, how: How | None = None) -> None:
        """Take the table of a text, read as it is said; if it is none, offer to read it otherwise."""
        self._text = (data, name, how or How())
        source = partial(table_in, *self._text)
        if len(data) > _MUCH and self._jobs is not None:
            self._aside(self._jobs, partial(_taken_from, source), "Reading the table…")
            self.source.setCurrentIndex(-1)
        elif not self._open_other(source):
            offer = "Read Otherwise…", self._read_otherwise
            self.messages.show_message("error", self.messages.text, *offer)

    def _open_other(self, source: Source) -> bool:
        """Take samples that the box of samples does not name; False if there are none."""
        before = self.state
        self._open(source)
        if self.state is not before:
            self.source.setCurrentIndex(-1)
        return self.state is not before

    def _read_otherwise(self) -> None:
        from pcaimage.gui.lab.reading import ReadingDialog  # noqa: PLC0415 - seldom needed

        if self._text is None:
            raise SettingsError("Paste or open a table first.")
        data, name, how = self._text
        dialog = ReadingDialog(self, data, name, how)
        dialog.accepted.connect(lambda: self.open_text(data, name, dialog.how()))
        dialog.open()

    def edit(self, change: Callable[[LabData], LabData]) -> None:
        """Change the table of samples; of a large one on a worker thread."""

        def act(state: LabState) -> LabState:
            return go.with_samples(state, change(state.data))

        if self._jobs is not None and self.state.data.samples.size > _MUCH:
            self._aside(self._jobs, act, "Working out the table…")
        else:
            self._apply(act)

    def _type(self, row: int, column: int, number: float) -> None:
        kind = self.panes.numbers.model.kind
        values = row_of(self.state, kind, row).copy()
        values[column] = number
        if kind is Kind.NEWCOMER:
            self._apply(lambda state: go.with_newcomer(state, values))
            return
        self.edit(lambda data: data.moved(row, values))

    def _edit_at(self, name: str) -> None:
        """Add or remove a row or column at the current cell."""
        row, column = self.panes.numbers.cell()
        self.edit(lambda data: EDITS[name](data, row, column))
        last, of_last = (count - 1 for count in self.state.data.samples.shape)
        row, column = (last if name == "add-row" else row), (of_last if name == "add-column" else column)
        self.panes.numbers.go_to(min(row, last), min(column, of_last))

    def _name(self, *, column: bool) -> None:
        (row, of_column), data = self.panes.numbers.cell(), self.state.data
        before = data.features[of_column] if column else data.sample_names[row]
        name, taken = QInputDialog.getText(self, "Name", tr("&Name"), text=before)
        if taken and name.strip():
            feature = of_column if column else None
            self.edit(lambda data: data.named(feature=feature, sample=row, name=name.strip()))

    def ask_file(self) -> None:
        """Ask for a file, and open it."""
        path, _ = QFileDialog.getOpenFileName(self, "Open table", str(Path.home()), _FILES)
        if path:
            self.open_file(Path(path))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files, and text such as cells of a spreadsheet."""
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what is dropped."""
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            self.open_file(files[0])
        else:
            self.open_text(event.mimeData().text().encode(), "The dropped table")

    def transpose(self) -> None:
        """Exchange samples and features."""
        self._open(self.state.data.transposed)

    def save_picture(self, pane: str, path: Path) -> None:
        """Write a pane, by its name, as SVG or PNG; an existing file is replaced."""
        from pcaimage.gui.tabs.shared.plot_export import export_plot  # noqa: PLC0415 - only when asked for

        self.attempt(lambda: export_plot(self.panes.pane(pane), path))

    def save_film(self, path: Path) -> None:
        """Write the last turn as an animation: all panes as WebP, GIF or PNG, the plot as SVG."""
        past = self.history.past
        motion = Motion.between(past[-1], self.state) if past else None
        if motion is None:
            raise SettingsError("Turn axes or the line first: the last turn is what becomes an animation.")

        def frames() -> Iterator[float]:
            for number, state in enumerate((past[-1], *motion.frames(_FILM))):
                self.panes.show_state(state)
                yield 600.0 if not number else 40.0 if number < _FILM else 1500.0

        if path.suffix.lower() == ".svg":
            from pcaimage.gui.tabs.shared.plot_export import export_film  # noqa: PLC0415 - seldom needed

            export_film(self.panes.plane, path, frames())
        else:
            drawn = [(time, to_image(self.panes.grab().toImage()).pixels) for time in frames()]
            times, pictures = zip(*drawn, strict=True)
            write_image(path, Image(np.stack(pictures), timing=Timing(times)), overwrite=True)
        self.refresh()

    def _ask_film(self) -> None:
        formats = {"Animated WebP": ".webp", "Animated GIF": ".gif", "Animated SVG": ".svg"}
        self.desk.ask_path("Export animation", "turn", formats, self.save_film)

    def _ask_picture(self, pane: str) -> None:
        formats = {"SVG, for documents": ".svg", "PNG": ".png"}
        self.desk.ask_path("Export picture", pane.lower(), formats, partial(self.save_picture, pane))

    def _fill_boxes(self) -> None:
        self.source.setAccessibleName("Samples")
        self.source.setToolTip("The samples.")
        for box, names in ((self.source, self._sources), (self.convention, CONVENTIONS)):
            for name in names:
                box.addItem(name, name)
        self.source.setPlaceholderText("Other samples")
        self.convention.setAccessibleName("Convention")
        for box in (self.source, self.convention):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(15)
        for label in (self.live, self.differs):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setWordWrap(True)
        font = self.live.font()
        font.setBold(True)
        self.live.setFont(font)
        self.live.setMinimumHeight(self.live.fontMetrics().height() * 2 + 4)

    def _lay_out(self) -> None:
        boxes = hbox(self.source, self.convention, (self.live, 1))
        middle = vbox(self.messages, boxes, self.differs, self.task, (self.panes, 1))
        row = hbox(self.rail, (middle, 1), margins=(8, 0, 8, 8))
        vbox(self.commands.toolbar, (row, 1), of=self)

    def _connect(self) -> None:
        self._connect_panes()
        commands, plane = self.commands, self.panes.plane
        self.rail.stepChosen.connect(self.follow)
        self.task.nextRequested.connect(self._go_on)
        self.desk.begun.connect(self._restart)
        self.desk.stepAsked.connect(self.follow)
        self.desk.changed.connect(self.refresh)
        self.desk.attempted.connect(self.attempt)
        self.source.activated.connect(lambda _: self._open_source())
        self.convention.activated.connect(lambda _: self._choose_convention())
        commands.applied.connect(self._apply)
        commands.pictureRequested.connect(self._ask_picture)
        commands.by_name["draw"].toggled.connect(lambda on: plane.set_drawing(drawing=on))
        commands.by_name["move"].toggled.connect(lambda on: plane.moving.set_shown(shown=on))
        commands.by_name["components"].toggled.connect(plane.set_components)
        commands.by_name["space"].toggled.connect(self.panes.set_in_space)
        commands.by_name["columns"].toggled.connect(self.panes.numbers.set_in_columns)
        commands.by_name["names"].toggled.connect(plane.set_names)
        commands.by_name["animate"].toggled.connect(lambda on: setattr(self.turning, "enabled", on))
        commands.connect_slots(
            {
                "open": self.ask_file,
                "read": lambda: self.attempt(self._read_otherwise),
                "new": lambda: self._open_other(blank),
                **{name: partial(self._edit_at, name) for name in EDITS},
                "name-row": lambda: self._name(column=False),
                "name-column": lambda: self._name(column=True),
                "transpose": self.transpose,
                "film": self._ask_film,
                "paste": self.paste,
                "undo": lambda: self._go(self.history.undone()),
                "redo": lambda: self._go(self.history.redone()),
                "keep": self._keep,
                "save-exercise": self.desk.ask_exercise,
                "close-exercise": self.desk.close,
                "blank-sheet": lambda: self.desk.ask_sheet(answers=False),
                "filled-sheet": lambda: self.desk.ask_sheet(answers=True),
                "answers": self.desk.ask_report,
            }
        )

    def _connect_panes(self) -> None:
        panes, plane = self.panes, self.panes.plane
        for view in (plane, panes.angles):
            view.lineMoved.connect(lambda angle, final: self._drag(final, go.with_line, angle))
        plane.bestRequested.connect(lambda: self._apply(go.with_best_line))
        plane.sampleToggled.connect(self._toggle)
        plane.pointAdded.connect(self._add_point)
        plane.pointMoved.connect(self._move_point)
        plane.pointRemoved.connect(self._remove_point)
        panes.planeChosen.connect(lambda i, j: self._apply(lambda state: go.with_plane(state, i, j)))
        panes.spectrum.kChosen.connect(lambda k, final: self._drag(final, go.with_k, k))
        panes.code.codeTried.connect(lambda code, final: self._drag(final, go.with_code, code))
        panes.biplot.plot.arrowChosen.connect(lambda f: self._apply(lambda state: go.with_arrow(state, f)))
        panes.cost.roundingChosen.connect(lambda s: self._apply(lambda state: go.with_rounding(state, s)))
        panes.numbers.samplesChosen.connect(self._mark)
        panes.numbers.model.typed.connect(self._type)

    def _apply(self, act: Act) -> None:
        self.attempt(lambda: self.commit(act(replace(self.state, held=False))))

    def attempt(self, act: Callable[[], object]) -> None:
        """Do something, or say what is wrong if it cannot be done."""
        self.messages.clear()
        try:
            act()
        except PcaImageError as error:
            self.messages.show_message("error", str(error))

    def _open(self, source: Source) -> None:
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            self.attempt(lambda: self.open_data(source()))
        finally:
            QGuiApplication.restoreOverrideCursor()

    def _drag(self, final: bool, act: Callable[..., LabState], to: Any) -> None:  # noqa: FBT001
        def drag() -> None:
            state = act(replace(self.state, held=not final), to)
            self._go(self.history.committed(state) if final else self.history.moved(state), animated=False)

        self.attempt(drag)

    def _toggle(self, sample: int) -> None:
        marked = self.state.marked
        rest = tuple(each for each in marked if each != sample)
        self._mark(rest if sample in marked else (sample, *marked))

    def _mark(self, marked: tuple[int, ...]) -> None:
        self._go(self.history.amended(go.with_marked(self.state, marked)))

    def _add_point(self, x: float, y: float) -> None:
        state = self.state
        at = np.array([x, y]) @ state.basis.axes[list(state.plane)]
        values = at * state.prepared.widths + state.prepared.shift
        self._drag(False, go.with_samples, state.data.added(values))

    def _move_point(self, sample: int, x: float, y: float, final: bool) -> None:  # noqa: FBT001
        state = self.state
        if sample >= state.data.n_samples:
            return  # it could not be added, or that was undone meanwhile
        plane = state.basis.axes[list(state.plane)]
        by = (np.array([x, y]) - plane @ state.prepared.samples[sample]) @ plane
        values = state.data.samples[sample] + by * state.prepared.widths
        self._drag(final, go.with_samples, state.data.moved(sample, values))

    def _remove_point(self, sample: int) -> None:
        self._apply(lambda state: go.with_samples(state, state.data.without(sample)))

    def follow(self, key: str) -> None:
        """Go to a step, by its key, and to the numbers that it is about."""
        self._apply(lambda state: go.with_step(state, key))
        self.commands.by_name["move"].setChecked(False)
        self.panes.show_step(key)

    def _keep(self) -> None:
        state = self.state
        self.keepRequested.emit(self.source.currentData(), max(state.k, 1), state.convention.standardized)

    def _open_source(self) -> None:
        name = self.source.currentData()
        source = self._sources[name]
        if self._jobs is None or name == _DRAWN or name in _TITLES.values():
            self._open(source)
        else:
            act = partial(_taken_from, source)
            self._aside(self._jobs, act, "Taking samples of the image…")
        self.commands.by_name["draw"].setChecked(name == _DRAWN)

    def _aside(self, jobs: JobRunner, act: Act, words: str) -> None:
        """Go on to a state, and find its components, on a worker thread."""
        begun = self.state

        def work(_progress: Progress) -> LabState:
            found = act(begun)
            spectrum(found)
            return found

        def take(found: LabState) -> None:
            if self.state.prepared is begun.prepared and self.state.basis is begun.basis:
                self._apply(lambda now: go.with_step(found, now.step))
            else:
                self._aside(jobs, act, words)  # anew, from what has become of it meanwhile

        self.messages.show_message("info", words)
        jobs.submit(self._job, work, on_done=take, on_failed=self._tell_failure)

    def _tell_failure(self, failure: Failure) -> None:
        self.messages.show_message("error", failure.sentence)

    def _restart(self, state: LabState) -> None:
        """Begin anew, with nothing to be undone."""
        self.turning.stop()
        self.source.setCurrentIndex(-1)
        self.history = LabHistory(state)
        self.refresh()

    def refresh(self) -> None:
        """Show the state as it is, but for what is hidden."""
        hidden = self.desk.hidden
        self.panes.numbers.setVisible("numbers" not in hidden)
        self.panes.spectrum.set_ghosts(shown="answers" not in hidden)
        self.live.setVisible("answers" not in hidden)
        self.panes.show_state(self.state)
        self._show()

    def _go_on(self) -> None:
        if not self.desk.go_on():
            self.rail.go_on()

    def _show_task(self, state: LabState) -> None:
        if self.desk.show_task(state, self.ticks):
            return
        step, found = step_named(state.step), check(state)
        words = f"✓ {found.words}" if found.done else self.desk.shown(found.words)
        self.task.show_task(step.words(state.convention), words, asks=False, last=step is STEPS[-1])

    def hideEvent(self, event: QHideEvent) -> None:
        """Give up what is being taken when the window closes."""
        if self._jobs is not None and not event.spontaneous():
            self._jobs.cancel(self._job)
        super().hideEvent(event)

    def _choose_convention(self) -> None:
        by = CONVENTIONS[self.convention.currentData()]
        self._apply(lambda state: go.with_convention(state, by))

    def _go(self, history: LabHistory, *, animated: bool = True) -> None:
        before, self.history = self.state, history
        self.turning.stop()
        if not (animated and self.turning.go(before, self.state)):
            self.panes.show_state(self.state)
        self._show()

    def _show(self) -> None:
        state = self.state
        if not state.visited <= self.ticks:
            self.ticks |= state.visited
            self.ticked.emit(self.ticks)
        self.rail.show_state(state, self.ticks)
        self._show_task(state)
        self.live.setText(live(state))
        self.commands.show_history(self.history, keeps=self.source.currentData() in self._kept)
        named = [name for name, by in CONVENTIONS.items() if by == state.convention]
        if CONVENTIONS.get(self.convention.currentData()) != state.convention and named:
            with QSignalBlocker(self.convention):
                self.convention.setCurrentIndex(self.convention.findData(named[0]))
        differs = differences(state.convention)
        self.convention.setToolTip("\n".join(differs) or "Figures are those of scikit-learn.")
        read = [f"Read as {state.data.reading}."] if state.data.reading else []
        self.differs.setText(" ".join([*read, *differs]))
        self.differs.setVisible(bool(self.differs.text()))


def _taken_from(source: Source, state: LabState) -> LabState:
    return go.with_data(state, source())


_SIZE = QSize(1180, 760)


class LabWindow(QWidget):
    """A window with a page of the lab; the compressor stays as it is."""

    def __init__(self, parent: QWidget, page: LabPage) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("PCA Lab")
        self.page = page
        vbox(page, of=self)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Close), self, self.close)
        fit_to_screen(self, _SIZE)
        page.panes.plane.setFocus()

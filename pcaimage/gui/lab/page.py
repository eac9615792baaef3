"""The page of the lab: its panes, and what their requests do to the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSplitter,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pcaimage.errors import PcaImageError
from pcaimage.gui.dialogs import ask_write
from pcaimage.gui.lab.angles import AngleView
from pcaimage.gui.lab.history import LabHistory
from pcaimage.gui.lab.matrix import MatrixView
from pcaimage.gui.lab.numbers import NumbersView
from pcaimage.gui.lab.plane import PlaneView
from pcaimage.gui.lab.rail import Rail
from pcaimage.gui.lab.spectrum import SpectrumView
from pcaimage.insight.lab import TABLES, TEXTS, LabData, LabState, built_in, in_file, pasted
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.figures import matrix, scatter, spectrum
from pcaimage.insight.lab.numbers import Kind
from pcaimage.insight.lab.texts import differences
from pcaimage.insight.numeric import Convention, Divisor, Sigma

Source = Callable[[], LabData]

CONVENTIONS: dict[str, Convention] = {
    "As scikit-learn": Convention(),
    "Standardised, n − 1": Convention(sigma=Sigma.N_MINUS_1),
    "Standardised, n": Convention(sigma=Sigma.N, divisor=Divisor.N),
    "Not centred": Convention(centre=False),
    "Undivided": Convention(divisor=Divisor.NONE),
    **{f"As in “{text.title}”": text.convention for text in TEXTS},
}

_TABLES = {
    "five-features": "Five features",
    "three-prices": "Three prices",
    "two-units": "Two units",
    "cross": "Cross",
    "iris": "Iris",
}
_OF_STEP = {
    "data": Kind.DATA,
    "centre": Kind.PREPARED,
    "standardise": Kind.PREPARED,
    "covariance": Kind.MATRIX,
    "diagonal": Kind.MATRIX,
    "encode": Kind.SCORES,
    "decode": Kind.RECONSTRUCTION,
    "take": Kind.RESIDUALS,
}
"""The numbers that a step is about."""


class LabPage(QWidget):
    """Shows one state in linked panes; every request leads to the next state."""

    def __init__(self, sources: Mapping[str, Source] | None = None) -> None:
        super().__init__()
        self._sources: dict[str, Source] = {_TABLES[name]: partial(built_in, name) for name in TABLES}
        self._sources |= dict(sources or {})
        self.history = LabHistory(LabState.of(built_in("five-features")))
        self.rail, self.plane, self.angles = Rail(), PlaneView(), AngleView()
        self.matrix, self.spectrum, self.numbers = MatrixView(), SpectrumView(), NumbersView()
        self.panes: dict[str, QWidget] = {
            "Scatter": self.plane,
            "Angles": self.angles,
            "Covariance": self.matrix,
            "Spectrum": self.spectrum,
        }
        self.source, self.convention = QComboBox(), QComboBox()
        self.strip = QLabel()
        self.toolbar = QToolBar("Lab")
        self.actions_by_name: dict[str, QAction] = {}
        self._fill_boxes()
        self._make_actions()
        self._lay_out()
        self._connect()
        self._show()

    @property
    def state(self) -> LabState:
        """The state that is shown."""
        return self.history.state

    def commit(self, state: LabState) -> None:
        """Go on to a state, which can be undone."""
        self.history = self.history.committed(state)
        self._show()

    def open_data(self, data: LabData) -> None:
        """Take other samples."""
        self.commit(go.with_data(self.state, data))

    def paste(self) -> None:
        """Take the table that was copied; say what is wrong with it if it is none."""
        self._attempt(lambda: self.open_data(pasted(QGuiApplication.clipboard().text())))
        if self.state.data.name not in _TABLES.values():
            self.source.setCurrentIndex(-1)

    def open_file(self, path: Path) -> None:
        """Take the table of a text file; say what is wrong with it if it is none."""
        self._attempt(lambda: self.open_data(in_file(path)))
        if self.state.data.name not in _TABLES.values():
            self.source.setCurrentIndex(-1)

    def transpose(self) -> None:
        """Exchange samples and features."""
        self._attempt(lambda: self.open_data(self.state.data.transposed()))

    def save_picture(self, pane: str, path: Path) -> None:
        """Write a pane, by its name in :attr:`panes`, as SVG or PNG; an existing file is replaced."""
        from pcaimage.gui.tabs.shared.plot_export import export_plot  # noqa: PLC0415 - only when asked for

        self._attempt(lambda: export_plot(self.panes[pane], path))

    def _ask_picture(self, pane: str) -> None:
        formats = {"SVG, for documents": ".svg", "PNG": ".png"}
        path = ask_write(self, str(Path.home()), "Export picture", pane.lower(), formats)
        if path is not None:
            self.save_picture(pane, path)

    def _fill_boxes(self) -> None:
        self.source.setAccessibleName("Samples")
        self.source.setToolTip("The samples.")
        self.source.addItems(list(self._sources))
        self.source.setPlaceholderText("Pasted table")
        self.convention.setAccessibleName("Convention")
        self.convention.addItems(list(CONVENTIONS))
        for box in (self.source, self.convention):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(15)
        self.strip.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.strip.setWordWrap(True)
        self.strip.setMinimumHeight(self.strip.fontMetrics().height() * 2 + 4)

    def _make_actions(self) -> None:
        steps: dict[str, tuple[str, str, Callable[[LabState], LabState]]] = {
            "line": ("To Line", "Turn the first axis of the plane onto the line.", go.turned_to_line),
            "best": ("Best Turn", "Turn the plane until its covariance is zero.", go.turned_best),
            "most": ("Largest", "Turn the plane of the largest covariance best.", go.turned_where_most),
            "finish": ("Finish", "Turn all planes: this is PCA.", go.finished),
            "anew": ("Begin Anew", "Return to the features as axes.", go.begun_anew),
            "power": ("× C", "Multiply a direction by the covariance.", go.powered),
            "take": ("Take Away", "Take the direction of the line away from the samples.", go.taken_away),
        }
        for name, (text, tip, act) in steps.items():
            self._action(name, text, tip, partial(self._apply, act))
        self.toolbar.addSeparator()
        self._action("transpose", "Transpose", "Exchange samples and features.", self.transpose)
        keys = QKeySequence.StandardKey
        self._action("paste", "Paste", "Take the table that was copied.", self.paste, keys.Paste)
        self._action("undo", "Undo", "Undo.", self._undo, keys.Undo)
        self._action("redo", "Redo", "Redo.", self._redo, keys.Redo)

        export = QToolButton()
        export.setText("Export")
        export.setToolTip("Save a pane as a picture.")
        export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        export.setMenu(menu := QMenu(export))
        for pane in self.panes:
            menu.addAction(f"{pane}…").triggered.connect(lambda _=False, pane=pane: self._ask_picture(pane))
        self.toolbar.addWidget(export)

    def _action(
        self,
        name: str,
        text: str,
        tip: str,
        act: Callable[[], None],
        key: QKeySequence.StandardKey | None = None,
    ) -> None:
        action = self.toolbar.addAction(text)
        action.setToolTip(tip)
        action.triggered.connect(lambda _=False: act())
        if key is not None:
            action.setShortcuts(key)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self.addAction(action)
        self.actions_by_name[name] = action

    def _lay_out(self) -> None:
        drawing = QWidget()
        column = QVBoxLayout(drawing)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plane, 3)
        column.addWidget(self.angles, 1)
        left, right = QSplitter(Qt.Orientation.Vertical), QSplitter(Qt.Orientation.Vertical)
        left.addWidget(drawing)
        left.addWidget(self.numbers)
        right.addWidget(self.matrix)
        right.addWidget(self.spectrum)
        panes = QSplitter(Qt.Orientation.Horizontal)
        panes.addWidget(left)
        panes.addWidget(right)
        panes.setStretchFactor(0, 3)
        panes.setStretchFactor(1, 2)
        for splitter in (left, right, panes):
            splitter.setChildrenCollapsible(False)
        left.setStretchFactor(0, 2)
        right.setStretchFactor(0, 3)
        right.setStretchFactor(1, 2)
        boxes = QHBoxLayout()
        boxes.addWidget(self.source)
        boxes.addWidget(self.convention)
        boxes.addWidget(self.strip, 1)
        middle = QVBoxLayout()
        middle.addLayout(boxes)
        middle.addWidget(panes, 1)
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 8)
        row.addWidget(self.rail)
        row.addLayout(middle, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.toolbar)
        whole.addLayout(row, 1)

    def _connect(self) -> None:
        self.plane.lineMoved.connect(self._move_line)
        self.angles.lineMoved.connect(self._move_line)
        self.plane.bestRequested.connect(lambda: self._apply(go.with_best_line))
        self.matrix.planeChosen.connect(lambda i, j: self._apply(lambda state: go.with_plane(state, i, j)))
        self.spectrum.kChosen.connect(self._choose_k)
        self.numbers.formulaChanged.connect(self.strip.setText)
        self.rail.stepChosen.connect(self._follow)
        self.source.activated.connect(lambda _: self._open_source())
        self.convention.activated.connect(lambda _: self._choose_convention())

    def _apply(self, act: Callable[[LabState], LabState]) -> None:
        self._attempt(lambda: self.commit(act(self.state)))

    def _attempt(self, act: Callable[[], None]) -> None:
        """Do something; say in the strip what is wrong if it cannot be done."""
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            act()
        except PcaImageError as error:
            self.strip.setText(str(error))
        finally:
            QGuiApplication.restoreOverrideCursor()

    def _drag(self, state: LabState, *, final: bool) -> None:
        if final:
            self.commit(state)
        else:
            self.history = self.history.moved(state)
            self._show()

    def _move_line(self, angle: float, final: bool) -> None:  # noqa: FBT001 - Qt passes it by place
        self._drag(go.with_line(self.state, angle), final=final)

    def _choose_k(self, k: int, final: bool) -> None:  # noqa: FBT001 - Qt passes it by place
        self._drag(go.with_k(self.state, k), final=final)

    def _follow(self, key: str) -> None:
        self.commit(go.with_step(self.state, key))
        if key in _OF_STEP:
            self.numbers.show_kind(_OF_STEP[key])

    def _open_source(self) -> None:
        self._attempt(lambda: self.open_data(self._sources[self.source.currentText()]()))

    def _choose_convention(self) -> None:
        by = CONVENTIONS[self.convention.currentText()]
        self._attempt(lambda: self.commit(go.with_convention(self.state, by)))

    def _undo(self) -> None:
        self.history = self.history.undone()
        self._show()

    def _redo(self) -> None:
        self.history = self.history.redone()
        self._show()

    def _show(self) -> None:
        state = self.state
        figures = None if len(state.basis) < 2 else scatter(state)
        self.plane.show_figures(figures, state.data.features, self._groups(state))
        self.angles.show_figures(figures, state.best_error)
        self.matrix.show_figures(matrix(state))
        self.spectrum.show_figures(spectrum(state))
        self.numbers.show_state(state)
        self.rail.show_state(state)
        for name, possible in (("undo", self.history.past), ("redo", self.history.future)):
            self.actions_by_name[name].setEnabled(bool(possible))
        for name in ("line", "best", "most", "take"):
            self.actions_by_name[name].setEnabled(figures is not None)
        named = [name for name, by in CONVENTIONS.items() if by == state.convention]
        if CONVENTIONS.get(self.convention.currentText()) != state.convention and named:
            with QSignalBlocker(self.convention):
                self.convention.setCurrentText(named[0])
        tip = "\n".join(differences(state.convention))
        self.convention.setToolTip(tip or "Figures are those of scikit-learn.")

    @staticmethod
    def _groups(state: LabState) -> tuple[int, ...] | None:
        groups = state.data.groups
        if groups is None:
            return None
        places = {name: place for place, name in enumerate(sorted(set(groups)))}
        return tuple(places[group] for group in groups)

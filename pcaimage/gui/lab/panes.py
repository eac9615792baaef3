"""The linked panes of the lab: where they stand, which of them a state changes, and turns in small steps."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QSplitter, QStackedWidget, QWidget

from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.lab.angles import AngleView, PowerView, TakenView
from pcaimage.gui.lab.biplot import BiplotView, SpaceView
from pcaimage.gui.lab.code import CodeView, KeptView, PartsView
from pcaimage.gui.lab.matrix import MatrixView
from pcaimage.gui.lab.numbers import NumbersView
from pcaimage.gui.lab.plane import MILLISECONDS, PlaneView
from pcaimage.gui.lab.spectrum import CostView, SpectrumView
from pcaimage.insight.lab.figures import ScatterFigures, matrix, scatter, spectrum, with_line_of
from pcaimage.insight.lab.numbers import Kind
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.transitions import FRAMES, Motion

MATRICES = {"matrix": "Covariance", "correlation": "Correlation", "scatter": "Undivided"}
_KINDS = {
    "data": Kind.DATA,
    "centre": Kind.PREPARED,
    "standardise": Kind.PREPARED,
    "covariance": Kind.MATRIX,
    "diagonal": Kind.MATRIX,
    "encode": Kind.SCORES,
    "decode": Kind.RECONSTRUCTION,
    "take": Kind.LEFT,
    "biplot": Kind.AXES,
}
"""The numbers that a step is about."""

_LARGE = {
    **dict.fromkeys(("data", "centre", "standardise"), (3, 2, 1, 1)),
    **dict.fromkeys(("covariance", "diagonal"), (1, 1, 2, 1)),
    **dict.fromkeys(("encode", "decode"), (3, 1, 3, 2)),
    "keep": (1, 1, 1, 2),
    "cost": (3, 1, 2, 3),
}
"""Shares of left and right, and of the two panes at the right, by step; other steps have the usual ones."""
_USUAL = (3, 2, 3, 2)
_OfState = BiplotView | PowerView | CodeView | PartsView | TakenView | CostView | KeptView | SpaceView


class Panes(QWidget):
    """Shows one state in linked panes; what is not seen is not worked out."""

    planeChosen = Signal(int, int)  # noqa: N815
    """Two axes, from 0."""

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None
        self._figures: ScatterFigures | None = None
        self.plane, self.biplot, self.angles = PlaneView(), BiplotView(), AngleView()
        self.power, self.code, self.parts = PowerView(), CodeView(), PartsView()
        self.taken, self.cost, self.kept, self.space = TakenView(), CostView(), KeptView(), SpaceView()
        self.matrix, self.spectrum, self.numbers = MatrixView(), SpectrumView(), NumbersView()
        self.matrix_kind = QComboBox()
        self.matrix_kind.setAccessibleName("Which matrix")
        for kind, title in MATRICES.items():
            self.matrix_kind.addItem(title, kind)
        self.in_space = False
        """Whether three axes are drawn instead of two."""
        self.of_step: dict[str, _OfState] = {
            "power": self.power,
            "encode": self.code,
            "decode": self.parts,
            "take": self.taken,
            "cost": self.cost,
        }
        self.by_name: dict[str, QWidget] = {
            "Scatter": self.plane,
            "Three Axes": self.space,
            "Angles": self.angles,
            "Covariance": self.matrix,
            "Spectrum": self.spectrum,
            "Power Iteration": self.power,
            "Code": self.code,
            "Parts": self.parts,
            "Several k": self.kept,
            "Taken Away": self.taken,
            "Costs": self.cost.bars,
            "Biplot": self.biplot.plot,
        }
        """Panes that can be saved as pictures."""
        self._lay_out()
        self.matrix.planeChosen.connect(self.planeChosen)
        self.matrix_kind.currentIndexChanged.connect(lambda _: self._show_matrix())

    def show_state(self, state: LabState) -> None:
        """Show a state; what did not change stays."""
        before, self._state = self._state, state
        flat = len(state.basis) < 2
        if before is None or before.step != state.step or len(before.basis) != len(state.basis):
            self._arrange(state)
        if before is None or before.convention != state.convention:
            self._name(state)
        figures = self._figures
        turned = before is None or not _same_plane(before, state)
        if flat:
            self._figures = None
        elif turned or figures is None:
            self._figures = scatter(state)
        else:
            self._figures = with_line_of(figures, state)
        self._show(self._tops.currentWidget(), state)
        if not self._below.isHidden():
            self._show(self._below.currentWidget(), state)
        if turned:
            self._show_matrix()
        if turned or before is None or before.k != state.k:
            self.spectrum.show_figures(spectrum(state), state.data, state.basis.axes)
        self.numbers.show_state(state)

    def set_in_space(self, shown: bool) -> None:  # noqa: FBT001 - a slot of Qt
        """Draw three axes, if there are as many, or two."""
        self.in_space = shown
        if self._state is not None:
            self._arrange(self._state)
            self._show(self._tops.currentWidget(), self._state)

    def pane(self, name: str) -> QWidget:
        """Return a pane by its name, which shows the state even if it is not seen now."""
        if self._state is not None:
            whole = {"Costs": self.cost, "Biplot": self.biplot}
            self._show(whole.get(name, self.by_name[name]), self._state)
        return self.by_name[name]

    def _show(self, view: QWidget | None, state: LabState) -> None:
        """Show a state in a view, if it is one that is not always seen."""
        if view is self.plane:
            self.plane.show_figures(self._figures, state)
        elif view is self.angles:
            self.angles.show_figures(self._figures, state.best_error)
        elif isinstance(view, _OfState) and (view is not self.space or len(state.basis) > 2):
            view.show_state(state)

    def show_step(self, step: str) -> None:
        """Choose the numbers that a step is about."""
        if step in _KINDS:
            self.numbers.show_kind(_KINDS[step])

    def _show_matrix(self) -> None:
        if self._state is not None:
            self.matrix.show_figures(matrix(self._state, kind=self.matrix_kind.currentData()))

    def _name(self, state: LabState) -> None:
        """Call squares and products what they are by the convention."""
        by = state.convention
        self.matrix_kind.setItemText(0, by.products.capitalize())
        self.matrix_kind.setItemText(1, "Correlation" if by.centre else "Cosine")
        self.biplot.circle.setText("Circle of correlations" if by.centre else "Circle of cosines")
        self.matrix.setAccessibleName(f"{by.products.capitalize()} of the axes")
        self.spectrum.setAccessibleName(f"{by.squares.capitalize()} along each axis")
        self.angles.squares = by.squares

    def _arrange(self, state: LabState) -> None:
        """Give room to what the step is about."""
        usual = self.space if self.in_space and len(state.basis) > 2 else self.plane
        whole = {"biplot": self.biplot, "keep": self.kept} if len(state.basis) > 1 else {}
        self._tops.setCurrentWidget(whole.get(state.step, usual))
        self._below.setCurrentWidget(self.of_step.get(state.step, self.angles))
        shown = usual is self.plane or state.step in self.of_step
        self._below.setVisible(shown and state.step not in whole)
        left, right, upper, lower = _LARGE.get(state.step, _USUAL)
        self._across.setSizes([left * 1000, right * 1000])
        self._right.setSizes([upper * 1000, lower * 1000])

    def _lay_out(self) -> None:
        self._tops, self._below = QStackedWidget(), QStackedWidget()
        for top in (self.plane, self.biplot, self.kept, self.space):
            self._tops.addWidget(top)
        for view in (self.angles, *self.of_step.values()):
            self._below.addWidget(view)
        drawing = QWidget()
        vbox((self._tops, 3), (self._below, 1), of=drawing, spacing=4)
        matrices = QWidget()
        vbox(self.matrix_kind, (self.matrix, 1), of=matrices, spacing=4)
        left, self._right = QSplitter(Qt.Orientation.Vertical), QSplitter(Qt.Orientation.Vertical)
        for splitter, widgets in ((left, (drawing, self.numbers)), (self._right, (matrices, self.spectrum))):
            for widget in widgets:
                splitter.addWidget(widget)
        self._across = QSplitter(Qt.Orientation.Horizontal)
        self._across.addWidget(left)
        self._across.addWidget(self._right)
        for splitter in (left, self._right, self._across):
            splitter.setChildrenCollapsible(False)
        left.setStretchFactor(0, 2)
        hbox(self._across, of=self)


class Turning(QObject):
    """Shows the states between two others, one after the other; what comes in between ends it at once."""

    def __init__(self, show: Callable[[LabState], None], parent: QObject) -> None:
        super().__init__(parent)
        self.enabled = False
        self._show = show
        self.left: list[LabState] = []  # states that are still to be shown
        self._timer = QTimer(self, interval=MILLISECONDS // FRAMES)
        self._timer.timeout.connect(self._step)

    def go(self, before: LabState, after: LabState) -> bool:
        """Begin to show a turn; False if there is none to be shown."""
        motion = Motion.between(before, after) if self.enabled else None
        if motion is None:
            return False
        self.left = motion.frames()
        self._timer.start()
        self._step()
        return True

    def stop(self) -> None:
        """Show no more of it."""
        self.left = []
        self._timer.stop()

    def _step(self) -> None:
        frame = self.left.pop(0)
        if not self.left:
            self._timer.stop()
        self._show(frame)


def _same_plane(one: LabState, other: LabState) -> bool:
    """Whether two states have the same samples and axes, and draw the same plane of them."""
    names = ("prepared", "basis", "removed")
    same = all(getattr(one, name) is getattr(other, name) for name in names)
    return same and one.plane == other.plane and (one.step == "take") == (other.step == "take")

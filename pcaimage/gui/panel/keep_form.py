"""The fields of the settings panel for how much is kept, as k, quality, size or step, and the slider."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QToolButton, QWidget

from pcaimage.gui.boxes import hbox
from pcaimage.gui.panel import form_rows
from pcaimage.gui.panel.k_slider import KScale, KSlider
from pcaimage.gui.session.choice import Measure
from pcaimage.gui.session.requests import Aim, Keep, Move, Reach, SetStep, request_of
from pcaimage.gui.session.resolve import PanelView
from pcaimage.insight.component_table import PLAIN
from pcaimage.insight.formatting import decibels, file_size, parse_number, parse_share, parse_size, percent

_TIPS = form_rows.tips_of("keep")

_MEASURES: dict[Measure, str] = {
    "k": "components",
    "variance": "explained variance",
    "psnr": "PSNR",
    "ssim": "SSIM",
    "size": "file size",
    "step": "step",
}

_SCALED = (
    "The share {of} that the kept components explain, which is not that of the image's own variance; "
    "type one to keep the fewest components that reach it."
)


class KeepForm(QWidget):
    """The fields for k, variance, PSNR, SSIM, size and step, and the slider, which others lay out."""

    requested = Signal(object)  # a :data:`~pcaimage.gui.session.requests.Request`

    def __init__(self) -> None:
        super().__init__()
        self._view = PanelView()
        self._scale = KScale.even(1)
        self.slider = KSlider()
        self.k = form_rows.FigureField(parse_number)
        self.variance = form_rows.FigureField(parse_number)
        self.psnr = form_rows.FigureField(parse_number)
        self.ssim = form_rows.FigureField(parse_share)
        self.size_field = form_rows.FigureField(lambda text: parse_size(text, self._view.original_size))
        self.step = form_rows.FigureField(parse_number)
        self.auto = QCheckBox("A&uto")
        self.marks: dict[Measure, QToolButton] = {
            measure: form_rows.goal_mark(name) for measure, name in _MEASURES.items()
        }
        """The marks of the fields that can be the goal."""
        self._name()
        self._lay_out()
        self._connect()

    @property
    def fields(self) -> dict[str, form_rows.FigureField]:
        """The fields of targets by name."""
        return {"variance": self.variance, "psnr": self.psnr, "ssim": self.ssim, "size": self.size_field}

    def set_view(self, view: PanelView) -> None:
        """Show other figures without emitting anything."""
        before = self._view
        if view.variances is not before.variances or (view.points, view.method, view.k_max) != (
            before.points,
            before.method,
            before.k_max,
        ):
            self._scale = _scale(view)
        self._view = view
        for part in (self, self.slider):
            part.setEnabled(view.enabled and view.k_max > 0)
        if view.points is not None:
            step = view.step
            if step is None or view.psnr == math.inf:
                step = float(view.points.steps[-1])  # a lossless file is as good as can be
            self.slider.set_points(view.points, view.k, step, self._scale)
        else:
            self.slider.set_k(view.k, view.k_max, self._scale)
        last = len(view.points) if view.points is not None else view.k_max
        for field, text in self._figures(view):
            at, most = (view.k, view.k_max) if field is self.k else (self.slider.k, last)
            field.set_figure(text, can_rise=at < most, can_fall=at > 1)
        if _kind(view) != _kind(before):
            self._explain(view)
        for row in self._of_original:  # without it, a file has neither PSNR nor SSIM, and its step is fixed
            self._form.setRowVisible(row, view.editing)
        self.ssim.setEnabled(view.psnr_enabled)
        self.psnr.setEnabled(view.psnr_enabled)
        self.step.set_figure(None if view.step is None else f"{view.step:.4g}")
        self.step.setEnabled(view.step_enabled)
        self.auto.setEnabled(view.step_enabled)
        with QSignalBlocker(self.auto):
            self.auto.setChecked(view.step_auto)
        for measure, mark in self.marks.items():
            form_rows.show_goal(mark, on=view.k_max > 0 and view.goal.measure == measure)
            known = getattr(view, measure) is not None
            mark.setEnabled(known and (measure in {"k", "variance"} or not view.bounded))

    def _explain(self, view: PanelView) -> None:
        """Say what slider and fields do with a kind of image."""
        photo, bounded, of = _kind(view)
        self.slider.setAccessibleName("Quality, slider" if photo else "Components, slider")
        self.slider.setToolTip(_TIPS["photo slider" if photo else "slider"])
        self.auto.setToolTip(_TIPS["photo auto" if photo else "auto"])
        for name, field in self.fields.items():
            field.setReadOnly(bool(bounded) and field is not self.variance)
            field.setToolTip(bounded or _TIPS[name])
        self.variance.setToolTip(_TIPS["variance"] if of == PLAIN.of else _SCALED.format(of=of))

    def _figures(self, view: PanelView) -> tuple[tuple[form_rows.FigureField, str | None], ...]:
        rough = "≈ " if view.psnr_estimated and view.psnr != math.inf else ""
        about = "≈ " if view.size_estimated else ""
        return (
            (self.k, str(view.k) if view.k_max else None),
            (self.variance, None if view.variance is None else percent(view.variance)),
            (self.psnr, None if view.psnr is None else rough + decibels(view.psnr)),
            (self.ssim, None if view.ssim is None else f"{math.floor(view.ssim * 1e4 + 1e-6) / 1e4:.4f}"),
            (self.size_field, None if view.size is None else about + file_size(view.size)),
        )

    def _name(self) -> None:
        names = (
            (self.slider, "Components, slider", "slider"),
            (self.k, "Components", "k"),
            (self.variance, "Explained variance", "variance"),
            (self.psnr, "PSNR", "psnr"),
            (self.ssim, "SSIM", "ssim"),
            (self.size_field, "File size", "size"),
            (self.step, "Step", "step"),
            (self.auto, "Automatic step", "auto"),
        )
        for widget, name, tip in names:
            widget.setAccessibleName(name)
            widget.setToolTip(_TIPS[tip])

    def _lay_out(self) -> None:
        form = form_rows.section(self)
        marks = self.marks
        k, variance = form_rows.marked(self.k, marks["k"]), form_rows.marked(self.variance, marks["variance"])
        size = form_rows.marked(self.size_field, marks["size"])
        form.addRow(form_rows.row_label("&k", self.k), k)
        form.addRow(form_rows.row_label("Varia&nce", self.variance), variance)
        psnr, ssim = form_rows.marked(self.psnr, marks["psnr"]), form_rows.marked(self.ssim, marks["ssim"])
        form.addRow(form_rows.row_label("PSN&R", self.psnr), psnr)
        form.addRow(form_rows.row_label("SS&IM", self.ssim), ssim)
        form.addRow(form_rows.row_label("Si&ze", self.size_field), size)
        self.step.setMinimumWidth(60)
        step = hbox((self.step, 1), self.auto, marks["step"], spacing=4)
        form.addRow(form_rows.row_label("&Step (Δ)", self.step), step)
        self._form, self._of_original = form, (psnr, ssim, step)
        self.step.setButtonSymbols(form_rows.FigureField.ButtonSymbols.NoButtons)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _connect(self) -> None:
        ask = self.requested.emit
        self.slider.requested.connect(self.requested)
        self.k.typed.connect(self._commit)
        self.variance.typed.connect(lambda percent: ask(Reach("variance", percent)))
        self.psnr.typed.connect(lambda psnr: ask(Reach("psnr", psnr)))
        self.ssim.typed.connect(lambda ssim: ask(Reach("ssim", ssim)))
        self.size_field.typed.connect(lambda size: ask(Reach("size", round(size))))
        self.k.stepped.connect(lambda steps: ask(Move(steps)))
        for field in (self.variance, self.psnr, self.ssim, self.size_field):
            field.stepped.connect(self._step_by)
        self.step.typed.connect(lambda step: ask(SetStep(step)))
        for measure, mark in self.marks.items():
            mark.clicked.connect(partial(self._make_goal, measure))
        self.auto.clicked.connect(lambda automatic: ask(SetStep(None if automatic else self._view.step)))

    def _make_goal(self, measure: Measure) -> None:
        self.requested.emit(Aim(measure))
        form_rows.show_goal(self.marks[measure], on=self._view.goal.measure == measure)

    def _step_by(self, steps: int) -> None:
        """Go on by some components, or by some notches of a photo's slider."""
        points = self._view.points
        if points is None:
            self.requested.emit(Move(steps))
        elif self._view.k_max:
            number = max(1, min(self.slider.k + steps, len(points)))
            self.requested.emit(request_of(points, number, final=True))

    def _commit(self, k: float) -> None:
        if self._view.k_max:
            self.requested.emit(Keep(max(1, min(round(k), self._view.k_max))))


def _kind(view: PanelView) -> tuple[bool, str, str]:
    """Return whether the slider follows points, why targets are refused, and what the variance is of."""
    return view.points is not None, view.bounded, view.variance_of


def _scale(view: PanelView) -> KScale:
    """Return the scale of the slider; it is even for photos, whose points differ about equally in size."""
    if view.points is not None:
        return KScale.even(len(view.points))
    if view.method == "photo":
        return KScale.even(max(view.k_max, 1))
    if view.variances is None or len(view.variances) != view.k_max or not view.k_max:
        return KScale.logarithmic(max(view.k_max, 1))
    return KScale.of_variances(view.variances)

"""Has a report written of what is open. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pcaimage.gui.commands.command_line import command_for
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.work import Task
from pcaimage.insight.curve import Curve
from pcaimage.insight.references import Reference
from pcaimage.insight.report import report_of, save_report
from pcaimage.progress import Progress, part


def write_report(
    state: SessionState,
    task: Task,
    path: Path,
    progress: Progress,
    *,
    curve: Curve | None = None,
    references: Sequence[Reference] = (),
) -> None:
    """Write a report of the present setting; what is not known of it yet is found out.

    Parameters
    ----------
    state : SessionState
        What is known.
    task : Task
        The setting.
    path : Path
        Where; what is there is replaced.
    progress : Progress
        Told of the work done.
    curve : Curve, optional
        Size and quality of every k, where they are known.
    references : sequence of Reference, optional
        Those of other codecs.
    """
    image, analysis = task.image, task.fit.analysis
    if image is None:
        raise ValueError("Without the original there is nothing to report on.")
    setting, settled, measured, alike = task.setting, state.settled, state.measured, state.similarity
    if settled is None or settled.setting != setting:
        settled = task.settle(part(progress, 0.0, 0.2))
    if measured is None or measured.setting != setting:
        measured = task.measure(part(progress, 0.2, 0.4))
    display = state.shown_by or task.document.display
    report = report_of(
        image,
        (measured.compressed, settled.pixels),
        spectrum=analysis,
        left_out=setting.left_out,
        command=command_for(state) or "",
        curve=curve,
        references=references,
        similarity=alike.ssim if alike is not None and alike.setting == setting else None,
        frame=task.frame,
        shown_as=display.to_bytes,
        progress=part(progress, 0.4, 0.9),
    )
    save_report(path, report, part(progress, 0.9, 1.0), overwrite=True)

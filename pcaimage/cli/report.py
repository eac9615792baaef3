"""``pcaimage report``: an HTML page on what compressing an image does."""

from __future__ import annotations

import shlex
from pathlib import Path

from pcaimage import api, codec
from pcaimage.cli import files
from pcaimage.cli.commands import ReportCommand
from pcaimage.cli.declared import Pages, member_of
from pcaimage.cli.formatting import psnr_text, size_text
from pcaimage.cli.terminal import progress_bar, say
from pcaimage.codec import Settings
from pcaimage.imaging import Image
from pcaimage.insight.curve import Curve, trace_curve
from pcaimage.insight.references import Reference, reference_curves
from pcaimage.insight.report import Report, report_of
from pcaimage.insight.report_page import save_report
from pcaimage.language import spoken
from pcaimage.progress import Progress, part
from pcaimage.sampling import Blocks, name_of

SUFFIX = ".html"


def report(given: ReportCommand) -> None:
    """Write an HTML page that shows what compressing an image does."""
    settings = given.settings
    limits, aside = files.limits_of(given.limit), given.target == files.STANDARD
    reading = files.Reading(given.pages, given.frame, given.salvage, member_of(given.array, given.select))
    words = " --pages bands" if given.pages is Pages.BANDS else ""
    words += "" if given.frame is None else f" --frame {given.frame}"
    words += " --salvage" if given.salvage else ""
    words += "" if reading.member is None else f" --array {shlex.quote(reading.member)}"
    chosen = None if given.preset is None else api.preset_of(given.preset)
    with files.target_file(given.target, SUFFIX, overwrite=given.overwrite) as page:
        files.check_output(page, overwrite=given.overwrite, suffix=SUFFIX, what="reports")
        with files.source_file(given.source, limits=limits) as path:
            image, settings = files.read_original(path, settings, reading, limits, chosen)
            with progress_bar(f"Reporting on {path.name}") as progress:
                command = command_of(given.source, settings) + words
                made = _report(image, command, settings, progress, curves=given.curves)
                with spoken():
                    save_report(page, made, overwrite=given.overwrite)
        size = size_text(api.size_of(made.compressed))
        name = page.stem if aside else given.target.name
        text = f"{name}: {path.name} in {size}, {psnr_text(made.psnr)}, SSIM {made.ssim:.4f}"
        say(text, aside=aside)


def _report(image: Image, command: str, settings: Settings, progress: Progress, *, curves: bool) -> Report:
    """Compress an image, and return the contents of its report."""
    encoding = api.compress_image(image, settings, progress=part(progress, 0.0, 0.5))
    curve, references = None, list[Reference]()
    if curves:
        curve = _curve(image, settings, part(progress, 0.5, 0.6))
        asked = part(progress, 0.6, 0.8)
        references = [] if image.is_stack else reference_curves(image.pixels, asked, image.peak)
    return report_of(
        image,
        encoding,
        left_out=settings.leave_out,
        command=command,
        curve=curve,
        references=references,
        progress=part(progress, 0.8, 1.0),
    )


def command_of(source: Path, settings: Settings) -> str:
    """Return the command line, for a POSIX shell, that writes the file that the report is about."""
    target = "image" if source == files.STANDARD else source.stem
    arguments = ["pcaimage", "encode", source.name, f"{target}{api.SUFFIX}"]
    sampling = settings.sampling
    if sampling is not None:
        arguments += ["--method", name_of(sampling)]
    if isinstance(sampling, Blocks):
        arguments += ["--block", str(sampling.size)]
    for name in ("k", "variance", "psnr", "ssim", "size", "noise", "step", "max_error", "nodata"):
        value = getattr(settings, name)
        if value is not None:
            arguments += [f"--{name.replace('_', '-')}", str(value)]
    usual = Settings()
    for name in ("effort", "basis", "tune"):
        if (value := getattr(settings, name)) is not getattr(usual, name):
            arguments += [f"--{name}", value.value]
    if settings.leave_out:
        arguments += ["--leave-out", ",".join(map(str, sorted(settings.leave_out)))]
    if settings.all_measured:
        arguments += ["--nodata", "none"]
    flags = {"--standardize": settings.standardize, "--mnf": settings.mnf, "--lossless": settings.lossless}
    return shlex.join([*arguments, *(flag for flag, wanted in flags.items() if wanted)])


def _curve(image: Image, settings: Settings, progress: Progress) -> Curve:
    analysis = codec.analyse_for(image.pixels, api.settings_for(image, settings), part(progress, 0.0, 0.5))
    return trace_curve(analysis, codec.estimates(analysis), progress=part(progress, 0.5, 1.0))

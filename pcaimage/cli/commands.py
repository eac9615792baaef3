"""The declarations of the commands; their docstrings are what ``--help`` prints.

The function of the same name in the module of the same name does a command's work. It is imported when the
command runs: NumPy, Pillow and the codec take five times as long to load as it takes to print the help.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from pcaimage.cli import options as o
from pcaimage.cli.settings import takes_settings
from pcaimage.cli.values import TableDivisor


def forwarded(command: Callable[..., None]) -> Callable[..., None]:
    """Let a declaration call the function that does its work, with the same parameters."""

    @wraps(command)
    def run(**given: Any) -> None:
        name = command.__name__
        getattr(importlib.import_module(f"pcaimage.cli.{name}"), name)(**given)

    return run


@takes_settings
@forwarded
def encode(
    source: o.ImageFile,
    target: o.PcaiTarget,
    *,
    settings: Any,
    preset: o.UsePreset = None,
    pages: o.PagesAre = None,
    frame: o.Frame = None,
    array: o.ArrayName = None,
    select: o.Places = None,
    salvage: o.SalvageFrames = False,
    model: o.EncodeModel = None,
    limit: o.Limit = None,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
) -> None:
    """Compress an image.

    The file is written only after it was verified to decode correctly; the image itself is never changed.
    """


@takes_settings
@forwarded
def batch(
    inputs: o.Inputs,
    *,
    target: o.OutputFolder,
    settings: Any,
    preset: o.UsePreset = None,
    pages: o.PagesAre = None,
    model: o.EncodeModel = None,
    export: o.ExportFormat = None,
    quality: o.Quality = None,
    compression: o.Compression = None,
    resize: o.ResizeTo = None,
    srgb: o.Srgb = False,
    strip: o.StripMetadata = None,
    recursive: o.Recursive = False,
    workers: o.Workers = None,
    scheduler: o.Scheduler = None,
    resume: o.Resume = False,
    skip_larger: o.SkipLarger = False,
    keep_dates: o.KeepDates = False,
    report_file: o.ReportFile = None,
    watch: o.Watched = False,
    limit: o.Limit = None,
    overwrite: o.OverwriteAll = False,
    as_json: o.Json = False,
) -> None:
    """Compress many images into a folder, or export them to another format.

    Each output is written completely or not at all. Images that fail are listed at the end, with exit code 2.
    """


@forwarded
def train(
    inputs: o.Inputs,
    *,
    target: o.ModelTarget,
    method: o.TrainedMethod = None,
    block: o.Block = None,
    k: o.TrainedK = None,
    variance: o.VarianceToKeep = None,
    standardize: o.Standardize = False,
    recursive: o.Recursive = False,
    workers: o.Workers = None,
    scheduler: o.Scheduler = None,
    limit: o.Limit = None,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
) -> None:
    """Fit one basis to many images, for the option --model of encode and batch.

    The file holds mean and components; opened, it shows a gallery of them. Images that fail, or are of
    another kind than the first, are listed at the end, with exit code 2.
    """


@takes_settings
@forwarded
def report(
    source: o.ImageFile,
    *,
    target: o.ReportTarget,
    settings: Any,
    preset: o.UsePreset = None,
    pages: o.PagesAre = None,
    array: o.ArrayName = None,
    select: o.Places = None,
    curves: o.Curves = False,
    limit: o.Limit = None,
    overwrite: o.Overwrite = False,
) -> None:
    """Write an HTML page that shows what compressing an image does.

    The options are those of `pcaimage encode`; the compressed file itself is not written.
    """


@forwarded
def decode(
    source: o.PcaiFile,
    target: o.ImageTarget,
    *,
    k: o.FirstK = None,
    quality: o.Quality = None,
    compression: o.Compression = None,
    resize: o.ResizeTo = None,
    srgb: o.Srgb = False,
    strip: o.StripMetadata = None,
    index: o.Index = None,
    split_bands: o.SplitBands = False,
    world_file: o.WorldFile = False,
    kind: o.DecodeFormat = None,
    model: o.DecodeModel = None,
    limit: o.Limit = None,
    overwrite: o.Overwrite = False,
    salvage: o.Salvage = False,
) -> None:
    """Convert a compressed image to another format, with its opacity, colour profile and EXIF."""


@forwarded
def info(
    path: o.AnyFile,
    *,
    array: o.ArrayName = None,
    select: o.Places = None,
    limit: o.Limit = None,
    as_json: o.Json = False,
) -> None:
    """Describe a compressed image and where its bytes go, or the contents of any other image."""


@forwarded
def compare(
    first: o.FirstImage,
    second: o.SecondImage,
    *,
    white: o.White = None,
    limit: o.Limit = None,
    as_json: o.Json = False,
) -> None:
    """Measure how much two images differ.

    Pixels are compared, not opacity. The PSNR of equal images is infinite; in JSON it is null.
    """


@forwarded
def trim(
    source: o.PcaiFile,
    target: o.PcaiTarget,
    *,
    k: o.NewK,
    limit: o.Limit = None,
    overwrite: o.Overwrite = False,
) -> None:
    """Keep only the first components of a compressed image, without encoding it again.

    With --overwrite both files may be the same.
    """


@forwarded
def table(
    source: o.TableFile,
    *,
    standardize: o.StandardizeTable = False,
    sigma: o.SigmaOfTable = None,
    divisor: o.DivisorOfTable = TableDivisor.N_MINUS_1,
    no_centre: o.NoCentre = False,
    transpose: o.Transpose = False,
    k: o.TableK = None,
    variance: o.VarianceToKeep = None,
    deflation: o.Deflation = False,
    labels: o.Labels = None,
    header: o.WithHeader = None,
    digits: o.Digits = 7,
    as_json: o.Json = False,
) -> None:
    """Analyse a small table of numbers, and print every step.

    Mean, covariance, eigenvalues, shares, components, scores and reconstruction, as in a textbook.
    """


def gui(
    files: o.Files = None,
    *,
    array: o.ArrayName = None,
    select: o.Places = None,
    new_window: o.NewWindow = False,
) -> None:
    """Open the window, as `pcaimage` alone does; if it is open already, it takes the files."""
    from pcaimage.cli.values import member_of  # noqa: PLC0415
    from pcaimage.cli.window import open_window  # noqa: PLC0415

    raise SystemExit(open_window(files or [], member_of(array, select), new_window=new_window))


ALL: tuple[Callable[..., None], ...] = (encode, decode, batch, train, info, compare, trim, table, report, gui)
"""All commands, in the order of the help."""

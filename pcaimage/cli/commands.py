"""The declarations of the commands; their docstrings are what ``--help`` prints.

The function of a command's name in the module of that name does its work, given the record of what was typed.
It is imported when the command runs: NumPy, Pillow and the codec take five times as long to load as it takes
to print the help.
"""

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pcaimage.choices import Basis, Divisor, Effort, Tune
from pcaimage.cli.declared import ErrorBound, MethodName, NoDataValue, Pages, Stripped, TableSigma, as_usage
from pcaimage.cli.terminal import speaking
from pcaimage.errors import SettingsError

if TYPE_CHECKING:
    from pcaimage.codec import Settings
    from pcaimage.imaging.writing.adapt import Adaptation
    from pcaimage.sampling import Sampling


class SettingsOptions(NamedTuple):
    """The options of the settings."""

    k: int | None = None
    variance: float | None = None
    psnr: float | None = None
    ssim: float | None = None
    size: int | None = None
    noise: float | None = None
    lossless: bool = False
    max_error: ErrorBound | None = None
    method: MethodName | None = None
    block: int | None = None
    step: float | None = None
    standardize: bool = False
    mnf: bool = False
    leave_out: frozenset[int] | None = None
    nodata: NoDataValue | None = None
    basis: Basis = Basis.AUTO
    tune: Tune = Tune.AUTO
    effort: Effort = Effort.STANDARD
    white: int | None = None


def settings_of(**typed: Any) -> "Settings":
    """Return the library's settings for the options given; SettingsError if they contradict each other."""
    from pcaimage.codec import Settings  # noqa: PLC0415

    values = SettingsOptions(**typed)._asdict()
    error, nodata = values.pop("max_error"), values.pop("nodata")
    if error is not None:
        values |= {"max_error": error.number, "error_unit": error.unit}
    if nodata is not None:
        values |= {"nodata": nodata.number, "all_measured": nodata.number is None}
    values["leave_out"] = values["leave_out"] or frozenset()
    return Settings(sampling_of(values.pop("method"), values.pop("block")), **values)


def sampling_of(method: MethodName | None, block: int | None) -> "Sampling | None":
    """Return the kind of samples that options ask for; None if it depends on the image.

    SettingsError if the size of blocks is out of range, or the method has no blocks.
    """
    from pcaimage.sampling import sampling_named  # noqa: PLC0415

    if method is None and block is None:
        return None
    chosen = method or MethodName.BLOCKS
    if block is not None and chosen is not MethodName.BLOCKS:
        raise SettingsError(f"--block belongs to --method blocks; {chosen.value} has no block size.")
    return sampling_named(chosen.value, block)


def adaptation_of(resize: str | None, strip: Stripped | None, *, srgb: bool) -> "Adaptation | None":
    """Return the changes of an image that is written in another format; None for none."""
    if not (resize or strip or srgb):
        return None
    from pcaimage.imaging.writing.adapt import Adaptation, Resize  # noqa: PLC0415

    size = Resize() if resize is None else Resize.parse(resize)
    return Adaptation(size, srgb, "nothing" if strip is None else strip.value)


class EncodeCommand(NamedTuple):
    """Compress an image.

    The file is written only after it was verified to decode correctly; the image itself is never changed.
    """

    source: Path
    target: Path
    settings: Any
    preset: str | None = None
    pages: Pages | None = None
    frame: int | None = None
    array: str | None = None
    select: list[str] | None = None
    axis: int | None = None
    salvage: bool = False
    model: Path | None = None
    limit: int | None = None
    overwrite: bool = False
    dry_run: bool = False
    as_json: bool = False


class BatchCommand(NamedTuple):
    """Compress many images into a folder, or export them to another format.

    Each output is written completely or not at all. Images that fail are listed at the end, with exit code 2.
    """

    inputs: list[str]
    settings: Any
    target: str
    preset: str | None = None
    pages: Pages | None = None
    model: Path | None = None
    export: str | None = None
    quality: int | None = None
    compression: int | None = None
    total: int | None = None
    each: int | None = None
    resize: str | None = None
    srgb: bool = False
    strip: Stripped | None = None
    recursive: bool = False
    workers: int | None = None
    scheduler: str | None = None
    resume: bool = False
    skip_larger: bool = False
    keep_dates: bool = False
    dry_run: bool = False
    results: Path | None = None
    watch: bool = False
    limit: int | None = None
    overwrite: bool = False
    as_json: bool = False


class TrainCommand(NamedTuple):
    """Fit one basis to many images, for the option --model of encode and batch.

    The file holds mean and components; opened, it shows a gallery of them. Images that fail, or are of
    another kind than the first, are listed at the end, with exit code 2.
    """

    inputs: list[str]
    target: Path
    method: MethodName | None = None
    block: int | None = None
    k: int | None = None
    variance: float | None = None
    standardize: bool = False
    recursive: bool = False
    workers: int | None = None
    scheduler: str | None = None
    limit: int | None = None
    overwrite: bool = False
    as_json: bool = False


class ReportCommand(NamedTuple):
    """Write an HTML page that shows what compressing an image does.

    The options are those of `pcaimage encode`, but for --model; the compressed file itself is not written.
    """

    source: Path
    target: Path
    settings: Any
    preset: str | None = None
    pages: Pages | None = None
    frame: int | None = None
    array: str | None = None
    select: list[str] | None = None
    salvage: bool = False
    curves: bool = False
    limit: int | None = None
    overwrite: bool = False


class DecodeCommand(NamedTuple):
    """Convert a compressed image to another format, with its opacity, colour profile and EXIF."""

    source: Path
    target: Path
    k: int | None = None
    window: tuple[slice, slice] | None = None
    bands: tuple[int, ...] | None = None
    quality: int | None = None
    compression: int | None = None
    resize: str | None = None
    srgb: bool = False
    strip: Stripped | None = None
    frame: int | None = None
    split_bands: bool = False
    world_file: bool = False
    kind: str | None = None
    model: Path | None = None
    limit: int | None = None
    overwrite: bool = False
    salvage: bool = False


class InfoCommand(NamedTuple):
    """Describe a compressed image and where its bytes go, or the contents of any other image."""

    path: Path
    array: str | None = None
    select: list[str] | None = None
    limit: int | None = None
    as_json: bool = False


class CompareCommand(NamedTuple):
    """Measure how much two images differ.

    Pixels are compared, not opacity. The PSNR of equal images is infinite; in JSON it is null.
    """

    first: Path
    second: Path
    white: int | None = None
    limit: int | None = None
    as_json: bool = False


class TrimCommand(NamedTuple):
    """Keep only the first components of a compressed image, without encoding it again.

    With --overwrite both files may be the same.
    """

    source: Path
    target: Path
    k: int
    limit: int | None = None
    overwrite: bool = False


class PageCommand(NamedTuple):
    """Write a web page that shows a compressed image, in any browser and without a network.

    The page has a decoder in it, a slider for the number of components, and a comparison with fewer.
    """

    source: Path
    target: Path
    model: Path | None = None
    limit: int | None = None
    overwrite: bool = False


class TableCommand(NamedTuple):
    """Analyse a small table of numbers, and print every step.

    Mean, covariance, eigenvalues, shares, components, scores and reconstruction, as in a textbook.
    """

    source: Path
    standardize: bool = False
    sigma: TableSigma | None = None
    divisor: Divisor = Divisor.N_MINUS_1
    no_centre: bool = False
    transpose: bool = False
    k: int | None = None
    variance: float | None = None
    deflation: bool = False
    labels: str | None = None
    header: bool | None = None
    digits: int = 7
    as_json: bool = False


class BenchCommand(NamedTuple):
    """Measure size and quality of images of your own, by pcaimage and by every other codec that is there.

    The page has curves and tables, of all images together and of each. Of a large image a sample from all
    over it is encoded. Images that cannot be compared are listed at the end, with exit code 2.
    """

    inputs: list[str]
    target: Path
    recursive: bool = False
    limit: int | None = None
    overwrite: bool = False
    as_json: bool = False


class DoctorCommand(NamedTuple):
    """Tell what is installed and what lacks, and for each lack the command that cures it.

    The exit code is 1 if something lacks that the program needs.
    """

    scheduler: str | None = None
    as_json: bool = False


class DesktopCommand(NamedTuple):
    """Let this user's desktop open .pcai files with pcaimage, and preview them.

    On Linux and the like file managers and ImageMagick preview them, too.
    """

    install: bool = False
    remove: bool = False


class _Command:
    """A command whose parameters are the fields of a record, and for its settings their options."""

    def __init__(self, record: type) -> None:
        self._record, self.__doc__ = record, record.__doc__
        self.__name__ = record.__name__.removesuffix("Command").lower()
        fields, options = (inspect.signature(each).parameters for each in (record, SettingsOptions))
        self._options = options if "settings" in fields else {}
        parameters = [
            option.replace(kind=option.KEYWORD_ONLY)
            for field in fields.values()
            for option in (options.values() if field.name == "settings" else [field])
        ]
        writes = "overwrite" in fields
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=bool)
            for name in ("quiet", "verbose")
            if writes or name == "verbose"
        ]
        # The parsers of the command line read this.
        self.__signature__ = inspect.Signature(parameters)

    def __call__(self, *, quiet: bool = False, verbose: bool = False, **typed: Any) -> None:
        with speaking(quiet=quiet, verbose=verbose):
            if self._options:
                with as_usage():
                    typed["settings"] = settings_of(**{name: typed.pop(name) for name in self._options})
            module = importlib.import_module(f"pcaimage.cli.{self.__name__}")
            getattr(module, self.__name__)(self._record(**typed))


def gui(
    files: list[str] | None = None,
    *,
    array: str | None = None,
    select: list[str] | None = None,
    new_window: bool = False,
) -> None:
    """Open the window, as `pcaimage` alone does; if it is open already, it takes the files."""
    from pcaimage.cli.declared import member_of  # noqa: PLC0415
    from pcaimage.cli.window import open_window  # noqa: PLC0415

    raise SystemExit(open_window(files or [], member_of(array, select), new_window=new_window))


_RECORDS: tuple[type, ...] = (
    EncodeCommand,
    DecodeCommand,
    BatchCommand,
    TrainCommand,
    InfoCommand,
    CompareCommand,
    TrimCommand,
    PageCommand,
    TableCommand,
    ReportCommand,
    BenchCommand,
    DoctorCommand,
    DesktopCommand,
)

ALL: tuple[Callable[..., None], ...] = (*map(_Command, _RECORDS), gui)
"""All commands, in the order of the help."""

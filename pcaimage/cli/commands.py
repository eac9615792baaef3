"""The declarations of the commands; their docstrings are what ``--help`` prints.

The function of a command's name in the module of that name does its work, given the record of what was typed.
It is imported when the command runs: NumPy, Pillow and the codec take five times as long to load as it takes
to print the help.
"""

import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from pcaimage.choices import Basis, Divisor, Effort, Tune
from pcaimage.cli import options as o
from pcaimage.cli.declared import MethodName, Stripped, as_usage
from pcaimage.errors import SettingsError

if TYPE_CHECKING:
    from pcaimage.codec import Settings
    from pcaimage.imaging.writing.adapt import Adaptation
    from pcaimage.sampling import Sampling


class SettingsOptions(NamedTuple):
    """The options of the settings."""

    k: o.K = None
    variance: o.Variance = None
    psnr: o.Psnr = None
    ssim: o.Ssim = None
    size: o.Size = None
    noise: o.Noise = None
    lossless: o.Lossless = False
    max_error: o.MaxError = None
    method: o.Method = None
    block: o.Block = None
    step: o.Step = None
    standardize: o.Standardize = False
    mnf: o.Mnf = False
    leave_out: o.LeaveOut = None
    nodata: o.NoData = None
    basis: o.Basis = Basis.AUTO
    tune: o.Tune = Tune.AUTO
    effort: o.Effort = Effort.STANDARD
    white: o.White = None


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

    source: o.ImageFile
    target: o.PcaiTarget
    settings: Any
    preset: o.UsePreset = None
    pages: o.PagesAre = None
    frame: o.Frame = None
    array: o.ArrayName = None
    select: o.Places = None
    salvage: o.SalvageFrames = False
    model: o.EncodeModel = None
    limit: o.Limit = None
    overwrite: o.Overwrite = False
    as_json: o.Json = False


class BatchCommand(NamedTuple):
    """Compress many images into a folder, or export them to another format.

    Each output is written completely or not at all. Images that fail are listed at the end, with exit code 2.
    """

    inputs: o.Inputs
    settings: Any
    target: o.OutputFolder
    preset: o.UsePreset = None
    pages: o.PagesAre = None
    model: o.EncodeModel = None
    export: o.ExportFormat = None
    quality: o.Quality = None
    compression: o.Compression = None
    total: o.SizeInAll = None
    each: o.SizeOfEach = None
    resize: o.ResizeTo = None
    srgb: o.Srgb = False
    strip: o.StripMetadata = None
    recursive: o.Recursive = False
    workers: o.Workers = None
    scheduler: o.Scheduler = None
    resume: o.Resume = False
    skip_larger: o.SkipLarger = False
    keep_dates: o.KeepDates = False
    report_file: o.ReportFile = None
    watch: o.Watched = False
    limit: o.Limit = None
    overwrite: o.OverwriteAll = False
    as_json: o.Json = False


class TrainCommand(NamedTuple):
    """Fit one basis to many images, for the option --model of encode and batch.

    The file holds mean and components; opened, it shows a gallery of them. Images that fail, or are of
    another kind than the first, are listed at the end, with exit code 2.
    """

    inputs: o.Inputs
    target: o.ModelTarget
    method: o.TrainedMethod = None
    block: o.Block = None
    k: o.TrainedK = None
    variance: o.VarianceToKeep = None
    standardize: o.Standardize = False
    recursive: o.Recursive = False
    workers: o.Workers = None
    scheduler: o.Scheduler = None
    limit: o.Limit = None
    overwrite: o.Overwrite = False
    as_json: o.Json = False


class ReportCommand(NamedTuple):
    """Write an HTML page that shows what compressing an image does.

    The options are those of `pcaimage encode`; the compressed file itself is not written.
    """

    source: o.ImageFile
    settings: Any
    target: o.ReportTarget
    preset: o.UsePreset = None
    pages: o.PagesAre = None
    array: o.ArrayName = None
    select: o.Places = None
    curves: o.Curves = False
    limit: o.Limit = None
    overwrite: o.Overwrite = False


class DecodeCommand(NamedTuple):
    """Convert a compressed image to another format, with its opacity, colour profile and EXIF."""

    source: o.PcaiFile
    target: o.ImageTarget
    k: o.FirstK = None
    quality: o.Quality = None
    compression: o.Compression = None
    resize: o.ResizeTo = None
    srgb: o.Srgb = False
    strip: o.StripMetadata = None
    image: o.Index = None
    split_bands: o.SplitBands = False
    world_file: o.WorldFile = False
    kind: o.DecodeFormat = None
    model: o.DecodeModel = None
    limit: o.Limit = None
    overwrite: o.Overwrite = False
    salvage: o.Salvage = False


class InfoCommand(NamedTuple):
    """Describe a compressed image and where its bytes go, or the contents of any other image."""

    path: o.AnyFile
    array: o.ArrayName = None
    select: o.Places = None
    limit: o.Limit = None
    as_json: o.Json = False


class CompareCommand(NamedTuple):
    """Measure how much two images differ.

    Pixels are compared, not opacity. The PSNR of equal images is infinite; in JSON it is null.
    """

    first: o.FirstImage
    second: o.SecondImage
    white: o.White = None
    limit: o.Limit = None
    as_json: o.Json = False


class TrimCommand(NamedTuple):
    """Keep only the first components of a compressed image, without encoding it again.

    With --overwrite both files may be the same.
    """

    source: o.PcaiFile
    target: o.PcaiTarget
    k: o.NewK
    limit: o.Limit = None
    overwrite: o.Overwrite = False


class TableCommand(NamedTuple):
    """Analyse a small table of numbers, and print every step.

    Mean, covariance, eigenvalues, shares, components, scores and reconstruction, as in a textbook.
    """

    source: o.TableFile
    standardize: o.StandardizeTable = False
    sigma: o.SigmaOfTable = None
    divisor: o.DivisorOfTable = Divisor.N_MINUS_1
    no_centre: o.NoCentre = False
    transpose: o.Transpose = False
    k: o.TableK = None
    variance: o.VarianceToKeep = None
    deflation: o.Deflation = False
    labels: o.Labels = None
    header: o.WithHeader = None
    digits: o.Digits = 7
    as_json: o.Json = False


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
        # The parsers of the command line read this.
        self.__signature__ = inspect.Signature(parameters)

    def __call__(self, **typed: Any) -> None:
        if self._options:
            with as_usage():
                typed["settings"] = settings_of(**{name: typed.pop(name) for name in self._options})
        module = importlib.import_module(f"pcaimage.cli.{self.__name__}")
        getattr(module, self.__name__)(self._record(**typed))


def gui(
    files: o.Files = None,
    *,
    array: o.ArrayName = None,
    select: o.Places = None,
    new_window: o.NewWindow = False,
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
    TableCommand,
    ReportCommand,
)

ALL: tuple[Callable[..., None], ...] = (*map(_Command, _RECORDS), gui)
"""All commands, in the order of the help."""

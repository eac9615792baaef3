"""The compression settings that ``encode`` and ``report`` share, from options to the library and back.

The library is imported when a command runs (hence PLC0415); see :mod:`pcaimage.cli.commands`.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from pcaimage.choices import Basis, Effort, Tune
from pcaimage.cli import options as o
from pcaimage.cli.values import MethodName, Stripped
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

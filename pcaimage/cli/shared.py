"""What the commands that compress have in common: their settings, as they are typed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from pcaimage.cli import options as o
from pcaimage.cli.method import BasisName, Method


def settings_of(
    *,
    k: o.K = None,
    variance: o.Variance = None,
    psnr: o.Psnr = None,
    ssim: o.Ssim = None,
    size: o.Size = None,
    lossless: o.Lossless = False,
    max_error: o.MaxError = None,
    method: Annotated[
        Method | None,
        typer.Option(
            help="What a sample is: a photo's overlapping block, a block of pixels, a pixel's channels or "
            "bands, or an image of a stack. By default photo, and bands for more than four of them and for "
            "numbers with a sign or real ones.",
            show_default=False,
            rich_help_panel=o.HOW,
        ),
    ] = None,
    block: o.Block = None,
    step: o.Step = None,
    standardize: o.Standardize = False,
    mnf: o.Mnf = False,
    leave_out: o.LeaveOut = None,
    nodata: o.NoData = None,
    basis: Annotated[
        BasisName,
        typer.Option(
            help="A photo's components: those of the program, its own, or whichever gives the smaller file.",
            rich_help_panel=o.HOW,
        ),
    ] = BasisName.AUTO,
) -> Any:
    """Return the settings that were typed.

    Parameters
    ----------
    k, variance, psnr, ssim, size, lossless, max_error
        What to keep.
    method, block, step, standardize, mnf, leave_out, nodata, basis
        How to compress.

    Returns
    -------
    Settings
        For the library. (Naming the type here would load the codec before a command is known.)

    Raises
    ------
    SettingsError
        If they contradict each other.
    """
    from pcaimage.cli.encode import sampling_of  # noqa: PLC0415
    from pcaimage.codec import Basis, Settings  # noqa: PLC0415

    return Settings(
        sampling=sampling_of(method, block),
        k=k,
        variance=variance,
        psnr=psnr,
        ssim=ssim,
        size=size,
        lossless=lossless,
        basis=Basis(basis.value),
        step=step,
        standardize=standardize,
        mnf=mnf,
        leave_out=leave_out or frozenset(),
        max_error=max_error,
        nodata=None if nodata is None else nodata.number,
        all_measured=nodata is not None and nodata.number is None,
    )


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how to compress.

    Parameters
    ----------
    command : callable
        A command with a parameter ``settings``, which its user does not see.

    Returns
    -------
    callable
        The command with the parameters of :func:`settings_of` in its place.
    """
    own = inspect.signature(command, eval_str=True).parameters
    shared = inspect.signature(settings_of, eval_str=True).parameters
    before = [p for p in own.values() if p.kind is not p.KEYWORD_ONLY]
    after = [p for p in own.values() if p.kind is p.KEYWORD_ONLY and p.name != "settings"]
    parameters = [*before, *shared.values(), *after]

    @wraps(command)
    def run(**given: Any) -> None:
        settings = settings_of(**{name: given.pop(name) for name in shared})
        command(settings=settings, **given)

    # It is these that typer reads.
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run

"""The commands as they are typed.

Each imports its work when it is given (hence PLC0415): NumPy, Pillow and the codec take five times as long
to load as it takes to print the help. Their docstrings are what ``--help`` prints.
"""

from __future__ import annotations

from typing import Annotated

import typer

from pcaimage.cli import options as o
from pcaimage.cli.method import BasisName, Method


def encode(
    source: o.ImageFile,
    target: o.PcaiTarget,
    *,
    k: o.K = None,
    variance: o.Variance = None,
    psnr: o.Psnr = None,
    ssim: o.Ssim = None,
    size: o.Size = None,
    lossless: o.Lossless = False,
    method: Annotated[
        Method | None,
        typer.Option(
            help="What a sample is: a photo's overlapping block, a block of pixels, a pixel's channels, or "
            "an image of a stack. By default photo, and blocks for more than four bands.",
            show_default=False,
            rich_help_panel=o.HOW,
        ),
    ] = None,
    block: o.Block = None,
    step: o.Step = None,
    standardize: o.Standardize = False,
    basis: Annotated[
        BasisName,
        typer.Option(
            help="A photo's components: those of the program, its own, or whichever gives the smaller file.",
            rich_help_panel=o.HOW,
        ),
    ] = BasisName.AUTO,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
) -> None:
    """Compress an image.

    The file appears when it was found to decode as it should; the image itself is never changed.
    """
    from pcaimage.cli.encode import encode as work  # noqa: PLC0415
    from pcaimage.cli.encode import sampling_of  # noqa: PLC0415
    from pcaimage.codec import Basis, Settings  # noqa: PLC0415

    settings = Settings(
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
    )
    work(source, target, settings, overwrite=overwrite, as_json=as_json)


def decode(
    source: o.PcaiFile,
    target: o.ImageTarget,
    *,
    k: o.FirstK = None,
    quality: o.Quality = None,
    overwrite: o.Overwrite = False,
    salvage: o.Salvage = False,
) -> None:
    """Write a compressed image in another format, with its opacity, colour profile and EXIF."""
    from pcaimage.cli.decode import decode as work  # noqa: PLC0415

    work(source, target, k, quality, overwrite=overwrite, salvage=salvage)


def info(path: o.PcaiFile, *, as_json: o.Json = False) -> None:
    """Say what a compressed image holds, and where its bytes go."""
    from pcaimage.cli.info import info as work  # noqa: PLC0415

    work(path, as_json=as_json)


def compare(first: o.FirstImage, second: o.SecondImage, *, as_json: o.Json = False) -> None:
    """Measure how far two images are apart.

    Pixels are compared, not opacity. In JSON the PSNR of equal images, which is infinite, is null.
    """
    from pcaimage.cli.compare import compare as work  # noqa: PLC0415

    work(first, second, as_json=as_json)


def trim(source: o.PcaiFile, target: o.PcaiTarget, *, k: o.NewK, overwrite: o.Overwrite = False) -> None:
    """Keep a compressed image's first components; nothing is coded again.

    With --overwrite both files may be the same.
    """
    from pcaimage.cli.trim import trim as work  # noqa: PLC0415

    work(source, target, k, overwrite=overwrite)


def gui(files: o.Files = None) -> None:
    """Open the window, as does `pcaimage` alone."""
    from pcaimage.cli.window import open_window  # noqa: PLC0415

    raise typer.Exit(open_window(files or []))

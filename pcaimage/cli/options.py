"""What can be typed after the commands' names, with the help that is printed for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pcaimage.cli.values import parse_share, parse_size

KEEP, HOW = "What to keep (one of these; by default what looks like the original)", "How to compress"


def _path(metavar: str, text: str) -> Any:
    # Whether a file can be read is for the command to find out, which says so as it says everything else.
    return typer.Argument(metavar=metavar, help=text, readable=False)


ImageFile = Annotated[Path, _path("IN", "The image; for a stack a folder or a file of several images.")]
PcaiFile = Annotated[Path, _path("IN.pcai", "The compressed image.")]
PcaiTarget = Annotated[Path, _path("OUT.pcai", "The compressed image to write.")]
ImageTarget = Annotated[
    Path,
    _path("OUT", "The image to write: .png, .jpg, .webp, .avif, .tif, .bmp or .jp2."),
]
FirstImage = Annotated[Path, _path("A", "An image or a .pcai file.")]
SecondImage = Annotated[Path, _path("B", "Another of the same size.")]
Files = Annotated[
    list[str] | None, typer.Argument(metavar="[FILES]...", help="Images and .pcai files to open.")
]

Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, whose keys stay the same.")]
Salvage = Annotated[
    bool, typer.Option("--salvage", help="Use what is whole of a file that is damaged or cut short.")
]
Quality = Annotated[
    int | None,
    typer.Option(metavar="N", help="1 to 100, for JPEG, WebP and AVIF; decibels for JPEG 2000."),
]
FirstK = Annotated[int | None, typer.Option("--k", metavar="N", help="Use the first N components only.")]
NewK = Annotated[int, typer.Option("--k", metavar="N", help="How many components to keep.")]

Block = Annotated[
    int | None,
    typer.Option(metavar="N", help="A block's side, 2 to 64 pixels; 8 by default.", rich_help_panel=HOW),
]
K = Annotated[int | None, typer.Option("--k", metavar="N", help="Keep N components.", rich_help_panel=KEEP)]
Variance = Annotated[
    float | None,
    typer.Option(
        metavar="F",
        parser=parse_share,
        help="Keep this share of the variance: 0.95 or 95%.",
        rich_help_panel=KEEP,
    ),
]
Psnr = Annotated[
    float | None,
    typer.Option(metavar="DB", help="Reach this quality, within 0.05 dB.", rich_help_panel=KEEP),
]
Ssim = Annotated[
    float | None,
    typer.Option(
        "--ssim", metavar="S", help="Reach this structural similarity, within 0.002.", rich_help_panel=KEEP
    ),
]
Lossless = Annotated[
    bool, typer.Option("--lossless", help="Keep every pixel of a photo as it is.", rich_help_panel=KEEP)
]
Size = Annotated[
    int | None,
    typer.Option(
        metavar="BYTES",
        parser=parse_size,
        help="Stay within this file size: 40000, 40KB, 1.5MB, 40KiB.",
        rich_help_panel=KEEP,
    ),
]
Step = Annotated[
    float | None,
    typer.Option(
        metavar="D",
        help="The quantiser's step; it follows from k, or k from it.",
        rich_help_panel=HOW,
    ),
]
Standardize = Annotated[
    bool,
    typer.Option("--standardize", help="Divide each feature by its standard deviation.", rich_help_panel=HOW),
]

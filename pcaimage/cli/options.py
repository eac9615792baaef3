"""What can be typed after the commands' names, with the help that is printed for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcaimage.cli.values import parse_share, parse_size

KEEP, HOW = "What to keep (one of these; 99 % of the variance by default)", "How to compress"

ImageFile = Annotated[
    Path,
    typer.Argument(metavar="IN", help="The image; for a stack a folder or a file of several images."),
]
PcaiFile = Annotated[Path, typer.Argument(metavar="IN.pcai", help="The compressed image.")]
PcaiTarget = Annotated[Path, typer.Argument(metavar="OUT.pcai", help="The compressed image to write.")]
ImageTarget = Annotated[
    Path,
    typer.Argument(metavar="OUT", help="The image to write: .png, .jpg, .webp, .avif, .tif, .bmp or .jp2."),
]
FirstImage = Annotated[Path, typer.Argument(metavar="A", help="An image or a .pcai file.")]
SecondImage = Annotated[Path, typer.Argument(metavar="B", help="Another of the same size.")]
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
        metavar="D", help="The quantiser's step; by default it follows from k.", rich_help_panel=HOW
    ),
]
Standardize = Annotated[
    bool,
    typer.Option("--standardize", help="Divide each feature by its standard deviation.", rich_help_panel=HOW),
]

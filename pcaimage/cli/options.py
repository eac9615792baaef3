"""What can be typed after the commands' names, with the help that is printed for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pcaimage.cli.pages import Pages
from pcaimage.cli.values import NoDataValue, parse_components, parse_nodata, parse_share, parse_size

KEEP, HOW = "What to keep (one of these; by default what looks like the original)", "How to compress"


def _path(metavar: str, text: str) -> Any:
    # Whether a file can be read is for the command to find out, which says so as it says everything else.
    return typer.Argument(metavar=metavar, help=text, readable=False)


ImageFile = Annotated[Path, _path("IN", "The image; for a stack a folder or a file of several images.")]
PcaiFile = Annotated[Path, _path("IN.pcai", "The compressed image.")]
AnyFile = Annotated[Path, _path("IN", "A .pcai file, an image, a cube, a stack, or a folder of images.")]
PcaiTarget = Annotated[Path, _path("OUT.pcai", "The compressed image to write.")]
ImageTarget = Annotated[
    Path,
    _path("OUT", "The image to write: .png, .jpg, .webp, .avif, .tif, .bmp, .jp2, .hdr, .npy or .npz."),
]
ReportTarget = Annotated[Path, typer.Option("--output", "-o", metavar="OUT.html", help="The page to write.")]
Curves = Annotated[
    bool,
    typer.Option("--curves", help="Draw size and quality of every k and of other codecs; takes longer."),
]
FirstImage = Annotated[Path, _path("A", "An image or a .pcai file.")]
SecondImage = Annotated[Path, _path("B", "Another of the same size.")]
Files = Annotated[
    list[str] | None, typer.Argument(metavar="[FILES]...", help="Images and .pcai files to open.")
]

PagesAre = Annotated[
    Pages | None,
    typer.Option(
        "--pages",
        help="What a file's or folder's planes are: bands of one image, or images. By default what it says.",
        show_default=False,
        rich_help_panel=HOW,
    ),
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
EncodeModel = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="FILE.pcai",
        help="Use the components of this file of blocks, channels or a stack, and do not store them again: "
        "decoding needs that file, too.",
        rich_help_panel=HOW,
    ),
]
DecodeModel = Annotated[
    Path | None, typer.Option("--model", metavar="FILE.pcai", help="The file that the basis is in.")
]
Index = Annotated[
    int | None, typer.Option(metavar="I", min=1, help="Write this image of a stack only, counted from 1.")
]
SplitBands = Annotated[
    bool,
    typer.Option("--split-bands", help="Write each band as a TIFF of its own into the folder OUT."),
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
    bool,
    typer.Option("--lossless", help="Keep every pixel of a photo or of many bands.", rich_help_panel=KEEP),
]
MaxError = Annotated[
    float | None,
    typer.Option(
        "--max-error",
        metavar="E",
        help="Keep every value of many bands within E of what it was.",
        rich_help_panel=KEEP,
    ),
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
NoData = Annotated[
    NoDataValue | None,
    typer.Option(
        "--nodata",
        metavar="VALUE",
        parser=parse_nodata,
        help="What stands in many bands where nothing was measured (a number, or nan): kept exactly, and no "
        "component is fitted to it. By default what the file says; with none, every number counts.",
        show_default=False,
        rich_help_panel=HOW,
    ),
]
LeaveOut = Annotated[
    frozenset[int] | None,
    typer.Option(
        "--leave-out",
        metavar="LIST",
        parser=parse_components,
        help="Leave components out, counted from 1: 3,7,12-20.",
        rich_help_panel=HOW,
    ),
]
Standardize = Annotated[
    bool,
    typer.Option("--standardize", help="Divide each feature by its standard deviation.", rich_help_panel=HOW),
]
Mnf = Annotated[
    bool,
    typer.Option(
        "--mnf",
        help="Whiten the noise of many bands, estimated from neighbours, before components are found "
        "(minimum noise fraction).",
        rich_help_panel=HOW,
    ),
]

TableFile = Annotated[Path, _path("DATA.csv", "A table of numbers, samples in rows; - is standard input.")]
StandardizeTable = Annotated[
    bool, typer.Option("--standardize", help="Divide each feature by its standard deviation (divisor n - 1).")
]
TableK = Annotated[int | None, typer.Option("--k", metavar="N", help="Keep N components; all by default.")]
TableVariance = Annotated[
    float | None,
    typer.Option(metavar="F", parser=parse_share, help="Keep this share of the variance: 0.95 or 95%."),
]
Deflation = Annotated[bool, typer.Option("--deflation", help="Find the kept components one at a time, too.")]
Labels = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Name or number of the column with the rows' labels."),
]
WithHeader = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first row names the columns.", show_default=False),
]
Digits = Annotated[
    int, typer.Option(metavar="N", min=3, max=15, help="Figures of the largest number of each table.")
]

"""The arguments and options of the commands, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pcaimage.cli.choices import Pages
from pcaimage.cli.parsing import NoDataValue, parse_components, parse_nodata, parse_share, parse_size

KEEP = "Amount to keep (one of these; by default enough to look like the original)"
HOW = "Compression settings"


def _path(metavar: str, text: str) -> Any:
    # Commands check files themselves, so that all errors are reported in the same way.
    return typer.Argument(metavar=metavar, help=text, readable=False)


ImageFile = Annotated[
    Path, _path("IN", "The image; for a stack, a folder or a file of several images. - is standard input.")
]
PcaiFile = Annotated[Path, _path("IN.pcai", "The compressed image; - is standard input.")]
AnyFile = Annotated[
    Path, _path("IN", "A .pcai file, an image, a cube, a stack, or a folder of images; - is standard input.")
]
PcaiTarget = Annotated[Path, _path("OUT.pcai", "The compressed image to write; - is standard output.")]
ImageTarget = Annotated[
    Path,
    _path(
        "OUT",
        "The image to write: .png, .jpg, .webp, .avif, .tif, .bmp, .jp2, .hdr, .npy or .npz; - is standard "
        "output.",
    ),
]
ReportTarget = Annotated[Path, typer.Option("--output", "-o", metavar="OUT.html", help="The page to write.")]
Curves = Annotated[
    bool,
    typer.Option(
        "--curves", help="Add curves of size and quality for every k and for other codecs; takes longer."
    ),
]
FirstImage = Annotated[Path, _path("A", "An image or a .pcai file.")]
SecondImage = Annotated[Path, _path("B", "Another image of the same size.")]
Files = Annotated[list[str] | None, typer.Argument(help="Images and .pcai files to open.")]

PagesAre = Annotated[
    Pages | None,
    typer.Option(
        "--pages",
        help="Read the planes of a file or folder as bands of one image, or as separate images. By default "
        "as the file says.",
        show_default=False,
        rich_help_panel=HOW,
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON; its keys are stable.")]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="BYTES",
        parser=parse_size,
        help="Read images of up to this size, uncompressed: 400MB, 2GB. By default up to 1.5 GB, and of "
        "compressed files no more than their length makes plausible.",
        show_default=False,
    ),
]
Salvage = Annotated[
    bool, typer.Option("--salvage", help="Use the intact components of a file that is damaged or cut short.")
]
Quality = Annotated[
    int | None,
    typer.Option(metavar="N", help="1 to 100, for JPEG, WebP and AVIF; decibels for JPEG 2000."),
]
Compression = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        max=9,
        help="0 to 9, for PNG and TIFF: 9 is slow and makes small files. By default the fastest way that "
        "still makes them small.",
        show_default=False,
    ),
]
EncodeModel = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="FILE.pcai",
        help="Use the components of this file (blocks, channels or stack), and do not store them again; "
        "decoding needs that file, too.",
        rich_help_panel=HOW,
    ),
]
DecodeModel = Annotated[
    Path | None, typer.Option("--model", metavar="FILE.pcai", help="The model file that has the basis.")
]
Index = Annotated[
    int | None, typer.Option(metavar="I", min=1, help="Write only this image of a stack, counted from 1.")
]
DecodeFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format for standard output: png, tif, npy … By default PNG, or TIFF where PNG is not "
        "enough.",
    ),
]
SplitBands = Annotated[
    bool,
    typer.Option("--split-bands", help="Write each band as a separate TIFF into the folder OUT."),
]
FirstK = Annotated[int | None, typer.Option("--k", metavar="N", help="Use only the first N components.")]
NewK = Annotated[int, typer.Option("--k", metavar="N", help="How many components to keep.")]

Block = Annotated[
    int | None,
    typer.Option(metavar="N", help="The side of a block, 2 to 64 pixels; 8 by default.", rich_help_panel=HOW),
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
    typer.Option("--lossless", help="Keep every pixel exactly (photo and bands only).", rich_help_panel=KEEP),
]
MaxError = Annotated[
    float | None,
    typer.Option(
        "--max-error",
        metavar="E",
        help="Keep every value within E of the original (bands only).",
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
        help="The quantiser's step. By default chosen from k; if given alone, k is chosen from it.",
        rich_help_panel=HOW,
    ),
]
NoData = Annotated[
    NoDataValue | None,
    typer.Option(
        "--nodata",
        metavar="VALUE",
        parser=parse_nodata,
        help="The value that marks missing data (a number, or nan; bands only): kept exactly, and no "
        "component is fitted to it. By default the one in the file; with none, every number counts.",
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
        help="Whiten the noise, estimated from neighbouring pixels, before components are found (minimum "
        "noise fraction; bands only).",
        rich_help_panel=HOW,
    ),
]

TableFile = Annotated[
    Path, _path("DATA.csv", "A table of numbers, with samples in rows; - is standard input.")
]
StandardizeTable = Annotated[
    bool, typer.Option("--standardize", help="Divide each feature by its standard deviation (divisor n - 1).")
]
TableK = Annotated[int | None, typer.Option("--k", metavar="N", help="Keep N components; all by default.")]
TableVariance = Annotated[
    float | None,
    typer.Option(metavar="F", parser=parse_share, help="Keep this share of the variance: 0.95 or 95%."),
]
Deflation = Annotated[bool, typer.Option("--deflation", help="Also find the kept components one at a time.")]
Labels = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Name or number of the column with the rows' labels."),
]
WithHeader = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row names the columns; guessed by default.",
        show_default=False,
    ),
]
Digits = Annotated[
    int,
    typer.Option(metavar="N", min=3, max=15, help="Significant figures of the largest number in each table."),
]

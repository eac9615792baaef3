"""The arguments and options of the commands, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pcaimage.cli.choices import Pages, Stripped
from pcaimage.cli.declared import Argument, option
from pcaimage.cli.parsing import NoDataValue, parse_components, parse_nodata, parse_share, parse_size

KEEP = "Amount to keep (one of these; by default enough to look like the original)"
HOW = "Compression settings"


ImageFile = Annotated[
    Path, Argument("IN", "The image; for a stack, a folder or a file of several images. - is standard input.")
]
PcaiFile = Annotated[Path, Argument("IN.pcai", "The compressed image; - is standard input.")]
AnyFile = Annotated[
    Path,
    Argument("IN", "A .pcai file, an image, a cube, a stack, or a folder of images; - is standard input."),
]
PcaiTarget = Annotated[Path, Argument("OUT.pcai", "The compressed image to write; - is standard output.")]
ImageTarget = Annotated[
    Path,
    Argument(
        "OUT",
        "The image to write: .png, .jpg, .webp, .avif, .tif, .bmp, .jp2, .hdr, .npy or .npz; - is standard "
        "output.",
    ),
]
ReportTarget = Annotated[
    Path, option("--output", "-o", metavar="OUT.html", help="The page to write; - is standard output.")
]
Curves = Annotated[
    bool,
    option("--curves", help="Add curves of size and quality for every k and for other codecs; takes longer."),
]
FirstImage = Annotated[Path, Argument("A", "An image or a .pcai file; - is standard input.")]
SecondImage = Annotated[Path, Argument("B", "Another image of the same size.")]
Files = Annotated[list[str] | None, Argument(help="Images and .pcai files to open.")]
NewWindow = Annotated[bool, option("--new-window", help="Open another window, even if there is one already.")]

PagesAre = Annotated[
    Pages | None,
    option(
        "--pages",
        help="Read the planes of a file or folder as bands of one image, or as separate images. By default "
        "as the file says.",
        show_default=False,
        panel=HOW,
    ),
]
Overwrite = Annotated[bool, option("--overwrite", help="Replace an existing file.")]
Json = Annotated[bool, option("--json", help="Print JSON; its keys are stable.")]
Limit = Annotated[
    int | None,
    option(
        "--limit",
        metavar="BYTES",
        parser=parse_size,
        help="Read images of up to this size, uncompressed: 400MB, 2GB. By default up to 1.5 GB, and of "
        "compressed files no more than their length makes plausible.",
        show_default=False,
    ),
]
Salvage = Annotated[
    bool, option("--salvage", help="Use the intact components of a file that is damaged or cut short.")
]
Quality = Annotated[
    int | None,
    option(metavar="N", help="1 to 100, for JPEG, WebP and AVIF; decibels for JPEG 2000."),
]
Compression = Annotated[
    int | None,
    option(
        metavar="N",
        min=0,
        max=9,
        help="For PNG and TIFF: the effort for a small file; 9 is the greatest. By default what is fast.",
        show_default=False,
    ),
]
ResizeTo = Annotated[
    str | None,
    option(
        "--resize",
        metavar="SIZE",
        help="Make the picture smaller: 1920x (width), x1080 (height), 1920x1080 (within) or 50%. It keeps "
        "its proportions and is never made larger.",
    ),
]
Srgb = Annotated[bool, option("--srgb", help="Convert colours to sRGB, which needs no colour profile.")]
StripMetadata = Annotated[
    Stripped | None,
    option(
        "--strip",
        help="Remove the place (GPS, georeferencing), or all of EXIF; the colour profile stays.",
        show_default=False,
    ),
]
EncodeModel = Annotated[
    Path | None,
    option(
        "--model",
        metavar="FILE.pcai",
        help="Use the components of this file (blocks, channels or stack), and do not store them again; "
        "decoding needs that file, too.",
        panel=HOW,
    ),
]
DecodeModel = Annotated[
    Path | None, option("--model", metavar="FILE.pcai", help="The model file that has the basis.")
]
Index = Annotated[
    int | None, option(metavar="I", min=1, help="Write only this image of a stack, counted from 1.")
]
DecodeFormat = Annotated[
    str | None,
    option(
        "--format",
        metavar="NAME",
        help="The format for standard output: png, tif, npy … By default PNG, or TIFF where PNG is not "
        "enough.",
    ),
]
SplitBands = Annotated[
    bool,
    option("--split-bands", help="Write each band as a separate TIFF into the folder OUT."),
]
FirstK = Annotated[int | None, option("--k", metavar="N", help="Use only the first N components.")]
NewK = Annotated[int, option("--k", metavar="N", help="How many components to keep.")]

Block = Annotated[
    int | None,
    option(metavar="N", help="The side of a block, 2 to 64 pixels; 8 by default.", panel=HOW),
]
K = Annotated[int | None, option("--k", metavar="N", help="Keep N components.", panel=KEEP)]
Variance = Annotated[
    float | None,
    option(
        metavar="F",
        parser=parse_share,
        help="Keep this share of the variance: 0.95 or 95%.",
        panel=KEEP,
    ),
]
Psnr = Annotated[
    float | None,
    option(metavar="DB", help="Reach this quality, within 0.05 dB.", panel=KEEP),
]
Ssim = Annotated[
    float | None,
    option("--ssim", metavar="S", help="Reach this structural similarity, within 0.002.", panel=KEEP),
]
Lossless = Annotated[
    bool,
    option("--lossless", help="Keep every pixel exactly (photo and bands only).", panel=KEEP),
]
MaxError = Annotated[
    float | None,
    option(
        "--max-error",
        metavar="E",
        help="Keep every value within E of the original (bands only).",
        panel=KEEP,
    ),
]
Noise = Annotated[
    float | None,
    option(
        metavar="F",
        help="Keep the error of each band below about F times its noise, which is estimated (bands only).",
        panel=KEEP,
    ),
]
Size = Annotated[
    int | None,
    option(
        metavar="BYTES",
        parser=parse_size,
        help="Stay within this file size: 40000, 40KB, 1.5MB, 40KiB.",
        panel=KEEP,
    ),
]
UsePreset = Annotated[
    str | None,
    option(
        "--preset",
        metavar="NAME",
        help="Settings that were saved in the window under this name or exported to a file (FILE.json), or "
        "small, balanced, 'like the original' or lossless. Other options come before the preset's.",
        panel=KEEP,
    ),
]
Step = Annotated[
    float | None,
    option(
        metavar="D",
        help="The quantiser's step. By default chosen from k; if given alone, k is chosen from it.",
        panel=HOW,
    ),
]
NoData = Annotated[
    NoDataValue | None,
    option(
        "--nodata",
        metavar="VALUE",
        parser=parse_nodata,
        help="The value that marks missing data (a number, or nan; bands only): kept exactly, and no "
        "component is fitted to it. By default the one in the file; with none, every number counts.",
        show_default=False,
        panel=HOW,
    ),
]
LeaveOut = Annotated[
    frozenset[int] | None,
    option(
        "--leave-out",
        metavar="LIST",
        parser=parse_components,
        help="Leave components out, counted from 1: 3,7,12-20.",
        panel=HOW,
    ),
]
Standardize = Annotated[
    bool,
    option("--standardize", help="Divide each feature by its standard deviation.", panel=HOW),
]
Mnf = Annotated[
    bool,
    option(
        "--mnf",
        help="Whiten the noise, estimated from neighbouring pixels, before components are found (minimum "
        "noise fraction; bands only).",
        panel=HOW,
    ),
]

TableFile = Annotated[
    Path, Argument("DATA.csv", "A table of numbers, with samples in rows; - is standard input.")
]
StandardizeTable = Annotated[
    bool, option("--standardize", help="Divide each feature by its standard deviation (divisor n - 1).")
]
TableK = Annotated[int | None, option("--k", metavar="N", help="Keep N components; all by default.")]
TableVariance = Annotated[
    float | None,
    option(metavar="F", parser=parse_share, help="Keep this share of the variance: 0.95 or 95%."),
]
Deflation = Annotated[bool, option("--deflation", help="Also find the kept components one at a time.")]
Labels = Annotated[
    str | None,
    option(metavar="COLUMN", help="Name or number of the column with the rows' labels."),
]
WithHeader = Annotated[
    bool | None,
    option(
        "--header/--no-header",
        help="Whether the first row names the columns; guessed by default.",
        show_default=False,
    ),
]
Digits = Annotated[
    int,
    option(metavar="N", min=3, max=15, help="Significant figures of the largest number in each table."),
]

"""The arguments and options of the commands, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pcaimage import choices
from pcaimage.cli import declared
from pcaimage.cli.declared import Argument, option

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
        f"The image to write: {choices.listed(choices.WRITABLE)}, animations also .gif; "
        "- is standard output.",
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
    declared.Pages | None,
    option(
        help="Read the planes of a file or folder as bands of one image, or as separate images. By default "
        "as the file says.",
        panel=HOW,
    ),
]
Frame = Annotated[
    int | None,
    option(
        metavar="I",
        min=1,
        help="Compress only this frame of an animation, or this page or image of several, counted from 1.",
        panel=HOW,
    ),
]
ArrayName = Annotated[
    str | None,
    option(
        metavar="NAME",
        help="The array of an HDF5, NetCDF, MATLAB or .npz file, as `pcaimage info` lists them.",
        panel=HOW,
    ),
]
Places = Annotated[
    list[str] | None,
    option(
        metavar="AXIS=PLACE",
        help="One place of an axis beside rows, columns and bands, counted from 0: time=0; with a point its "
        "coordinate: level=850. (repeatable).",
        panel=HOW,
    ),
]
SalvageFrames = Annotated[
    bool, option("--salvage", help="Use the intact frames at the start of a damaged animation.", panel=HOW)
]
Overwrite = Annotated[bool, option("--overwrite", help="Replace an existing file.")]
Json = Annotated[bool, option("--json", help="Print JSON; its keys are stable.")]
Limit = Annotated[
    int | None,
    option(
        metavar="BYTES",
        parser=declared.parse_size,
        help="Refuse images that are larger uncompressed: 400MB, 2GB. By default 1.5 GB, and for compressed "
        "files no more than is plausible for their length.",
    ),
]
Salvage = Annotated[
    bool, option("--salvage", help="Use the intact components of a file that is damaged or cut short.")
]
Quality = Annotated[
    int | None, option(metavar="N", help="1 to 100, for JPEG, WebP and AVIF; decibels for JPEG 2000.")
]
Compression = Annotated[
    int | None,
    option(
        metavar="N",
        min=0,
        max=9,
        help="Compression level of PNG and TIFF, 0 to 9 (smallest, slowest). By default a fast one.",
    ),
]
ResizeTo = Annotated[
    str | None,
    option(
        metavar="SIZE",
        help="Scale the picture down: 1920x (width), x1080 (height), 1920x1080 (fit within) or 50%. Its "
        "proportions are kept, and it is never enlarged.",
    ),
]
Srgb = Annotated[bool, option("--srgb", help="Convert colours to sRGB, which needs no colour profile.")]
StripMetadata = Annotated[
    declared.Stripped | None,
    option(help="Remove the location (GPS, georeferencing), or all metadata but the colour profile."),
]
EncodeModel = Annotated[
    Path | None,
    option(
        metavar="FILE.pcai",
        help="Use the components of this file (blocks, channels or stack), and do not store them again; "
        "decoding needs that file, too.",
        panel=HOW,
    ),
]
DecodeModel = Annotated[Path | None, option(metavar="FILE.pcai", help="The model file that has the basis.")]
Index = Annotated[
    int | None,
    option("--index", metavar="I", min=1, help="Write only this image of a stack, counted from 1."),
]
WorldFile = Annotated[
    bool,
    option(
        "--world-file",
        help="Write where the image lies beside it: a world file (.pgw, .jgw …), and its coordinate system "
        "as .aux.xml.",
    ),
]
DecodeFormat = Annotated[
    str | None,
    option(
        "--format",
        metavar="NAME",
        values=declared.format_names,
        help="The format for standard output: png, tif, npy … By default PNG, or TIFF where PNG is not "
        "enough.",
    ),
]
SplitBands = Annotated[
    bool, option("--split-bands", help="Write each band as a separate TIFF into the folder OUT.")
]
FirstK = Annotated[int | None, option("--k", "-k", metavar="N", help="Use only the first N components.")]
NewK = Annotated[int, option("--k", "-k", metavar="N", help="Number of components to keep.")]

BATCH = "Many files"
EXPORT = "Other formats (with --export)"

Inputs = Annotated[list[str], Argument("IN...", "Images, and folders of images; also URLs.")]
OutputFolder = Annotated[
    str,
    option("--output", "-o", metavar="DIR", help="The folder for the outputs, or its URL; made if needed."),
]
ModelTarget = Annotated[Path, option("--output", "-o", metavar="MODEL.pcai", help="The model file to write.")]
TrainedMethod = Annotated[
    declared.MethodName | None,
    option(
        help="What one sample is: blocks (the default), channels, or stack, where it is a whole image.",
        panel=HOW,
    ),
]
TrainedK = Annotated[
    int | None, option("--k", "-k", metavar="N", min=1, help="Keep N components; by default all of them.")
]
VarianceToKeep = Annotated[
    float | None,
    option(metavar="F", parser=declared.parse_share, help="Keep this share of the variance: 0.95 or 95%."),
]
Recursive = Annotated[
    bool,
    option("--recursive", "-r", help="Include subfolders, and keep their structure in DIR.", panel=BATCH),
]
Workers = Annotated[
    int | None,
    option(
        metavar="N",
        min=1,
        help="Number of worker processes; by default one for each core that may be used, as far as memory "
        "reaches. With --scheduler the least number to wait for.",
        panel=BATCH,
    ),
]
Scheduler = Annotated[
    str | None,
    option(
        metavar="ADDRESS",
        help="Run on a Dask cluster, tcp://host:port, whose workers must have access to the files.",
        panel=BATCH,
    ),
]
Resume = Annotated[
    bool,
    option(
        "--resume",
        help="Skip images whose outputs an earlier batch made from the same contents and settings.",
        panel=BATCH,
    ),
]
OverwriteAll = Annotated[bool, option("--overwrite", help="Replace existing files.", panel=BATCH)]
ReportFile = Annotated[
    Path | None,
    option("--report", metavar="FILE", help="Write the results to a .csv or .json file.", panel=BATCH),
]
Watched = Annotated[
    bool, option("--watch", help="Keep watching the folders for new images, until Ctrl+C.", panel=BATCH)
]
SkipLarger = Annotated[
    bool,
    option("--skip-larger", help="Skip outputs that would not be smaller than their images.", panel=BATCH),
]
KeepDates = Annotated[
    bool, option("--keep-dates", help="Give each output the modification time of its image.", panel=BATCH)
]
ExportFormat = Annotated[
    str | None,
    option(
        metavar="NAME",
        values=declared.format_names,
        help="Write jpeg, webp, avif, png, tif … rather than .pcai files; .pcai files are read, too.",
        panel=EXPORT,
    ),
]
SizeInAll = Annotated[
    int | None,
    option(
        "--total",
        metavar="SIZE",
        parser=declared.parse_size,
        help="Stay within this size in all, such as 10MB, shared out so that all look equally good.",
        panel=EXPORT,
    ),
]
SizeOfEach = Annotated[
    int | None,
    option(
        "--each", metavar="SIZE", parser=declared.parse_size, help="Stay within this for each.", panel=EXPORT
    ),
]

Method = Annotated[
    declared.MethodName | None,
    option(
        help="What one sample is: a photo's overlapping block, a block of pixels, a pixel's channels or "
        "bands, or an image of a stack. By default photo; bands for images of more than four bands or "
        "of signed or real numbers.",
        panel=HOW,
    ),
]
Basis = Annotated[
    choices.Basis,
    option(
        help="A photo's components: built-in ones, its own, or whichever makes the smaller file.", panel=HOW
    ),
]
Tune = Annotated[
    choices.Tune,
    option(
        help="What a photo's loss is optimised for: the eye, or the PSNR. By default the PSNR if --psnr "
        "or --lossless is given, else the eye.",
        panel=HOW,
    ),
]
Effort = Annotated[
    choices.Effort,
    option(
        help="How much time to take for a small file of a photo. Decoding takes the same for all.", panel=HOW
    ),
]
Block = Annotated[
    int | None, option(metavar="N", help="The side of a block, 2 to 64 pixels; 8 by default.", panel=HOW)
]
K = Annotated[int | None, option("--k", "-k", metavar="N", help="Keep N components.", panel=KEEP)]
Variance = Annotated[
    float | None,
    option(
        metavar="F",
        parser=declared.parse_share,
        help="Keep this share of the variance: 0.95 or 95%.",
        panel=KEEP,
    ),
]
Psnr = Annotated[
    float | None, option(metavar="DB", help="Reach this quality, or up to 0.1 dB more.", panel=KEEP)
]
Ssim = Annotated[
    float | None,
    option(metavar="S", help="Reach this structural similarity, or up to 0.004 more.", panel=KEEP),
]
Lossless = Annotated[
    bool, option("--lossless", help="Keep every pixel exactly (photo and bands only).", panel=KEEP)
]
MaxError = Annotated[
    declared.ErrorBound | None,
    option(
        metavar="E",
        parser=declared.parse_error,
        help="Keep every value within E of the original (bands only): 2 as numbers are stored, or 0.05K in "
        "the unit that `pcaimage info` shows.",
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
        parser=declared.parse_size,
        help="Stay within this file size: 40000, 40KB, 1.5MB, 40KiB.",
        panel=KEEP,
    ),
]
UsePreset = Annotated[
    str | None,
    option(
        metavar="NAME",
        values=declared.preset_names,
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
White = Annotated[
    int | None,
    option(
        metavar="V",
        min=1,
        max=65535,
        help="The largest value that data of 16 bits may have, to which steps, PSNR and SSIM refer: 4095 for "
        "12 bits. By default what the file says, else the next 2ⁿ − 1.",
        panel=HOW,
    ),
]
NoData = Annotated[
    declared.NoDataValue | None,
    option(
        metavar="VALUE",
        parser=declared.parse_nodata,
        help="The value that marks missing data (a number, or nan; bands only): kept exactly, and no "
        "component is fitted to it. By default the one in the file; with none, every number counts.",
        panel=HOW,
    ),
]
LeaveOut = Annotated[
    frozenset[int] | None,
    option(
        metavar="LIST",
        parser=declared.parse_components,
        help="Leave components out, counted from 1: 3,7,12-20.",
        panel=HOW,
    ),
]
Standardize = Annotated[
    bool, option("--standardize", help="Divide each feature by its standard deviation.", panel=HOW)
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
    Path,
    Argument("DATA.csv", "A table of numbers, or a matrix as LaTeX or NumPy print it; - is standard input."),
]
StandardizeTable = Annotated[
    bool, option("--standardize", help="Divide each feature by its standard deviation.")
]
SigmaOfTable = Annotated[
    declared.TableSigma | None,
    option(
        help="Standardise by deviations with this divisor: n-1 as R does (the default), or n as scikit-learn "
        "does."
    ),
]
DivisorOfTable = Annotated[
    choices.Divisor,
    option(help="Divide sums of squares and products by n-1 or n, or leave them undivided."),
]
NoCentre = Annotated[
    bool, option("--no-centre", "--no-center", help="Leave the mean in; lines then go through zero.")
]
Transpose = Annotated[bool, option("--transpose", help="Samples are in columns, features in rows.")]
TableK = Annotated[int | None, option("--k", "-k", metavar="N", help="Keep N components; all by default.")]
Deflation = Annotated[bool, option("--deflation", help="Also find the kept components one at a time.")]
Labels = Annotated[
    str | None, option(metavar="COLUMN", help="Name or number of the column with the rows' labels.")
]
WithHeader = Annotated[
    bool | None,
    option("--header/--no-header", help="Whether the first row names the columns; guessed by default."),
]
Digits = Annotated[
    int, option(metavar="N", min=3, max=15, help="Significant figures of the largest number in each column.")
]

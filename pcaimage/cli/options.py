"""The arguments and options of the commands, with their help, by the names of the commands' parameters.

Those of one command that are unlike those of others have its name before theirs.
"""

from __future__ import annotations

from dataclasses import replace

from pcaimage import choices
from pcaimage.cli import declared
from pcaimage.cli.declared import Argument, Option

KEEP = "Amount to keep (one of these; by default enough to look like the original)"
HOW = "Compression settings"
BATCH = "Many files"
EXPORT = "Other formats (with --format)"


def declaration(command: str, parameter: str) -> Argument | Option:
    """Return what is declared of a command's parameter."""
    found = _DECLARED.get(f"{command}.{parameter}") or _DECLARED[parameter]
    if command in _UNDIVIDED and isinstance(found, Option):
        return replace(found, panel=None)
    return found


_UNDIVIDED = ("gui", "info", "compare", "table")
"""Commands with few options, which need no headings."""


_COMPRESSED = Argument("The compressed image; - is standard input.", "IN.pcai")
_PAGE = Argument("The page to write; - is standard output.", "OUT.html")
_ARGUMENTS = {
    "source": Argument(
        "The image; for a stack, a folder or a file of several images. - is standard input.", "IN"
    ),
    **dict.fromkeys(("decode.source", "trim.source", "page.source"), _COMPRESSED),
    **dict.fromkeys(("report.target", "page.target"), _PAGE),
    "path": Argument(
        "A .pcai file, an image, a cube, a stack, or a folder of images; - is standard input.", "IN"
    ),
    "target": Argument("The compressed image to write; - is standard output.", "OUT.pcai"),
    "decode.target": Argument(
        f"The image to write: {choices.listed(choices.WRITABLE)}, animations also .gif; "
        "- is standard output.",
        "OUT",
    ),
    "first": Argument("An image or a .pcai file; - is standard input.", "A"),
    "second": Argument("Another image of the same size.", "B"),
    "files": Argument("Images and .pcai files to open."),
    "inputs": Argument("Images, and folders of images; also URLs.", "IN..."),
    "table.source": Argument(
        "A table of numbers, or a matrix as LaTeX or NumPy print it; - is standard input.", "DATA.csv"
    ),
}

_PLAIN = {
    "quiet": Option("Print only warnings, errors and what --json asks for."),
    "verbose": Option("Say what takes how long, and where an error arose."),
    "dry_run": Option(
        "Compress, and say what would be written, but write nothing.", names=("--dry-run", "-n")
    ),
    "batch.dry_run": Option(
        "List the images and their outputs, and write nothing.", names=("--dry-run", "-n")
    ),
    "curves": Option("Add curves of size and quality for every k and for other codecs; takes longer."),
    "install": Option("Add types of files and menu entry; previews and ImageMagick's delegate on Linux."),
    "remove": Option("Remove all that --install adds."),
    "new_window": Option("Open another window, even if there is one already."),
    "overwrite": Option("Replace an existing file."),
    "as_json": Option("Print JSON; its keys are stable.", names=("--json",)),
    "limit": Option(
        "Refuse images that are larger uncompressed: 400MB, 2GB. By default 1.5 GB, and for compressed "
        "files no more than is plausible for their length.",
        "BYTES",
        parser=declared.parse_size,
    ),
    "decode.salvage": Option("Use the intact components of a file that is damaged or cut short."),
    "quality": Option(
        "1 to 100, for JPEG, WebP and AVIF; decibels for JPEG 2000.", "N", names=("--quality", "-q")
    ),
    "compression": Option(
        "Compression level of PNG and TIFF, 0 to 9 (smallest, slowest). By default a fast one.",
        "N",
        min=0,
        max=9,
    ),
    "resize": Option(
        "Scale the picture down: 1920x (width), x1080 (height), 1920x1080 (fit within) or 50%. Its "
        "proportions are kept, and it is never enlarged.",
        "PIXELS",
    ),
    "srgb": Option("Convert colours to sRGB, which needs no colour profile."),
    "strip": Option("Remove the location (GPS, georeferencing), or all metadata but the colour profile."),
    **dict.fromkeys(
        ("decode.model", "page.model"), Option("The model file that has the basis.", "FILE.pcai")
    ),
    "decode.frame": Option("Write only this frame, page or image of several, counted from 1.", "I", min=1),
    "world_file": Option(
        "Write where the image lies beside it: a world file (.pgw, .jgw …), and its coordinate system as "
        ".aux.xml.",
    ),
    "kind": Option(
        "The format for standard output: png, tif, npy … By default PNG, or TIFF where PNG is not enough.",
        "NAME",
        names=("--format",),
        values=declared.format_names,
    ),
    "split_bands": Option("Write each band as a separate TIFF into the folder OUT."),
    "decode.k": Option("Use only the first N components.", "N", names=("--k", "-k")),
    "window": Option(
        "Write only these rows and columns, counted from 0, as NumPy writes them: 0:256,512:768. Little more "
        "is read, from a URL, too, if the file has bands or blocks.",
        "ROWS,COLUMNS",
        parser=declared.parse_window,
    ),
    "bands": Option(
        "Write only these bands, counted from 1, in this order: 30,20,1-10.",
        "LIST",
        parser=declared.parse_bands,
    ),
    "trim.k": Option("Number of components to keep.", "N", names=("--k", "-k")),
    "bench.target": Option("The page to write; - is standard output.", "OUT.html", names=("--output", "-o")),
    "bench.recursive": Option("Include subfolders.", names=("--recursive", "-r")),
    "doctor.scheduler": Option("Also ask this Dask cluster, tcp://host:port.", "ADDRESS"),
    "batch.target": Option(
        "The folder for the outputs, or its URL; made if needed.", "DIR", names=("--output", "-o")
    ),
    "train.target": Option("The model file to write.", "MODEL.pcai", names=("--output", "-o")),
    "train.k": Option("Keep N components; by default all of them.", "N", names=("--k", "-k"), min=1),
    "train.variance": Option(
        "Keep this share of the variance: 0.95 or 95%.", "F", parser=declared.parse_share
    ),
    "sigma": Option(
        "Standardise by deviations with this divisor: n-1 as R does (the default), or n as scikit-learn "
        "does.",
    ),
    "divisor": Option("Divide sums of squares and products by n-1 or n, or leave them undivided."),
    "no_centre": Option(
        "Leave the mean in; lines then go through zero.", names=("--no-centre", "--no-center")
    ),
    "transpose": Option("Samples are in columns, features in rows."),
    "table.k": Option("Keep N components; all by default.", "N", names=("--k", "-k")),
    "deflation": Option("Also find the kept components one at a time."),
    "labels": Option("Name or number of the column with the rows' labels.", "COLUMN"),
    "header": Option(
        "Whether the first row names the columns; guessed by default.", names=("--header/--no-header",)
    ),
    "digits": Option("Significant figures of the largest number in each column.", "N", min=3, max=15),
}
_HOW = {
    "pages": Option(
        "Read the planes of a file or folder as bands of one image, or as separate images. By default as "
        "the file says.",
    ),
    "frame": Option(
        "Compress only this frame of an animation, or this page or image of several, counted from 1.",
        "I",
        min=1,
    ),
    "array": Option(
        "The array of an HDF5, NetCDF, MATLAB or .npz file, as `pcaimage info` lists them.", "NAME"
    ),
    "select": Option(
        "One place of an axis beside rows, columns and bands, counted from 0: time=0; with a point its "
        "coordinate: level=850. (repeatable).",
        "AXIS=PLACE",
    ),
    "salvage": Option("Use the intact frames at the start of a damaged animation."),
    "model": Option(
        "Use the components of this file (blocks, channels or stack), and do not store them again; decoding "
        "needs that file, too.",
        "FILE.pcai",
    ),
    "train.method": Option(
        "What one sample is: blocks (the default), channels, or stack, where it is a whole image."
    ),
    "method": Option(
        "What one sample is: a photo's overlapping block, a block of pixels, a pixel's channels or bands, "
        "or an image of a stack. By default photo; bands for images of more than four bands or of signed or "
        "real numbers.",
    ),
    "basis": Option("A photo's components: built-in ones, its own, or whichever makes the smaller file."),
    "tune": Option(
        "What a photo's loss is optimised for: the eye, or the PSNR. By default the PSNR if --psnr or "
        "--lossless is given, else the eye.",
    ),
    "effort": Option("How much time to take for a small file of a photo. Decoding takes the same for all."),
    "block": Option("The side of a block, 2 to 64 pixels; 8 by default.", "N"),
    "step": Option(
        "The quantiser's step. By default chosen from k; if given alone, k is chosen from it.", "D"
    ),
    "white": Option(
        "The largest value that data of 16 bits may have, to which steps, PSNR and SSIM refer: 4095 for 12 "
        "bits. By default what the file says, else the next 2ⁿ − 1.",
        "V",
        min=1,
        max=65535,
    ),
    "nodata": Option(
        "The value that marks missing data (a number, or nan; bands only): kept exactly, and no component "
        "is fitted to it. By default the one in the file; with none, every number counts.",
        "VALUE",
        parser=declared.parse_nodata,
    ),
    "leave_out": Option(
        "Leave components out, counted from 1: 3,7,12-20.", "LIST", parser=declared.parse_components
    ),
    "standardize": Option("Divide each feature by its standard deviation."),
    "mnf": Option(
        "Whiten the noise, estimated from neighbouring pixels, before components are found (minimum noise "
        "fraction; bands only).",
    ),
}
_KEEP = {
    "k": Option("Keep N components.", "N", names=("--k", "-k")),
    "variance": Option("Keep this share of the variance: 0.95 or 95%.", "F", parser=declared.parse_share),
    "psnr": Option("Reach this quality, or up to 0.1 dB more.", "DB"),
    "ssim": Option("Reach this structural similarity, or up to 0.004 more.", "S"),
    "lossless": Option("Keep every pixel exactly (photo and bands only)."),
    "max_error": Option(
        "Keep every value within E of the original (bands only): 2 as numbers are stored, or 0.05K in the "
        "unit that `pcaimage info` shows.",
        "E",
        parser=declared.parse_error,
    ),
    "noise": Option(
        "Keep the error of each band below about F times its noise, which is estimated (bands only).", "F"
    ),
    "size": Option(
        "Stay within this file size: 40000, 40KB, 1.5MB, 40KiB.", "BYTES", parser=declared.parse_size
    ),
    "preset": Option(
        "Settings that were saved in the window under this name or exported to a file (FILE.json), or "
        "small, balanced, 'like the original' or lossless. Other options come before the preset's.",
        "NAME",
        values=declared.preset_names,
    ),
}
_BATCH = {
    "recursive": Option("Include subfolders, and keep their structure in DIR.", names=("--recursive", "-r")),
    "workers": Option(
        "Number of worker processes; by default one for each core that may be used, as far as memory "
        "reaches. With --scheduler the least number to wait for.",
        "N",
        names=("--workers", "-j"),
        min=1,
    ),
    "scheduler": Option(
        "Run on a Dask cluster, tcp://host:port, whose workers must have access to the files.", "ADDRESS"
    ),
    "resume": Option("Skip images whose outputs an earlier batch made from the same contents and settings."),
    "batch.overwrite": Option("Replace existing files."),
    "results": Option("Write a line for each image to a .csv or .json file.", "FILE"),
    "watch": Option("Keep watching the folders for new images, until Ctrl+C."),
    "skip_larger": Option("Skip outputs that would not be smaller than their images."),
    "keep_dates": Option("Give each output the modification time of its image."),
}
_EXPORT = {
    "export": Option(
        "Write jpeg, webp, avif, png, tif … rather than .pcai files; .pcai files are read, too.",
        "NAME",
        names=("--format", "--export"),
        values=declared.format_names,
    ),
    "total": Option(
        "Stay within this size in all, such as 10MB, shared out so that all look equally good.",
        "BYTES",
        parser=declared.parse_size,
    ),
    "each": Option("Stay within this for each.", "BYTES", parser=declared.parse_size),
}
_PANELS = {KEEP: _KEEP, HOW: _HOW, BATCH: _BATCH, EXPORT: _EXPORT}
_DECLARED: dict[str, Argument | Option] = {**_ARGUMENTS, **_PLAIN} | {
    name: replace(option, panel=panel)
    for panel, options in _PANELS.items()
    for name, option in options.items()
}

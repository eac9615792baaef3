"""Small images of every readable format, and their mutations."""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tifffile
from numpy.typing import NDArray
from PIL import Image as PillowImage

from fuzzing.mutation import noise
from fuzzing.structures import CHANGES, any_bytes
from pcaimage.imaging import Image, encode_image, write_image
from pcaimage.imaging.image.formats import files_of
from tests.deep_avif import PICTURES

SCIENCES = {
    "a.fits": "astropy",
    "gdal.fits": "astropy",
    "a.dcm": "pydicom",
    "a.nii.gz": "nibabel",
    "a.exr": "OpenEXR",
}
"""Files that libraries of their own read, and which; without these, they are refused."""
FOLDERS = {"a.rpl": "rsciio", "zarr 2": "zarr", "zarr 3": "zarr"}
"""The same of what is several files."""


class Input(NamedTuple):
    """The input of a command: a file, several related ones, or a folder of them.

    Parameters
    ----------
    opened : str
        Path to open.
    files : dict
        Contents by path.
    """

    opened: str
    files: dict[str, bytes]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self.files.values()))

    def write(self, folder: Path) -> Path:
        """Write the files to a folder, and return the path to open."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        opened = folder / self.opened
        if not opened.exists() and not opened.suffix:
            opened.mkdir()
        return opened


def _pixels(kind: str, *shape: int) -> NDArray[Any]:
    """Return a gradient with noise."""
    numbers = np.random.default_rng(len(shape) + shape[0])
    y, x = np.indices(shape[:2])
    plane = (y * 5.0 + x * 3.0).reshape(*shape[:2], *(1 for _ in shape[2:]))
    top = 255 if kind == "uint8" else 4000
    array: NDArray[Any] = np.clip(plane + numbers.normal(60, 12, shape), 0, top).astype(kind)
    return array


def _pillow(kind: str, mode: str = "RGB", **options: Any) -> bytes:
    buffer = io.BytesIO()
    PillowImage.fromarray(_pixels("uint8", 13, 17, 3)).convert(mode).save(buffer, kind, **options)
    return buffer.getvalue()


def _moving(kind: str) -> bytes:
    return _pillow(kind, save_all=True, append_images=[PillowImage.new("RGB", (17, 13), "red")])


def _tiff(array: NDArray[Any], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with tifffile.TiffWriter(
        buffer, bigtiff=options.pop("bigtiff", False), ome=options.pop("ome", False)
    ) as tif:
        for _ in range(options.pop("series", 1)):
            tif.write(array, **options)
    return buffer.getvalue()


def _idx(array: NDArray[Any]) -> bytes:
    sides = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 8, array.ndim]) + sides + array.tobytes()


def _numpy(array: NDArray[Any], **more: Any) -> bytes:
    buffer = io.BytesIO()
    if more:
        np.savez_compressed(buffer, pixels=array, **more)
    else:
        np.save(buffer, array)
    return buffer.getvalue()


def _envi(interleave: str, kind: str, code: int) -> dict[str, bytes]:
    header = (
        "ENVI\ndescription = { a cube,\n made up }\nsamples = 9\nlines = 11\nbands = 4\nheader offset = 0\n"
        f"file type = ENVI Standard\ndata type = {code}\ninterleave = {interleave}\nbyte order = 0\n"
        "wavelength units = Nanometers\nwavelength = { 450, 550.5, 650, 850 }\nfwhm = { 9, 9, 9, 12 }\n"
        "band names = { blue, green, red, nir }\ndefault bands = { 3, 2, 1 }\ndata ignore value = 0\n"
    )
    return {"cube.hdr": header.encode(), "cube.img": _pixels(kind, 9, 11, 4).tobytes()}


def _tiffs() -> dict[str, bytes]:
    colour, deep, cube = _pixels("uint8", 13, 17, 3), _pixels("uint16", 13, 17, 3), _pixels("int16", 6, 9, 11)
    return {
        "plain": _tiff(colour, photometric="rgb"),
        "deep": _tiff(deep, photometric="rgb"),
        "deflated": _tiff(deep, photometric="rgb", compression="zlib", predictor=2, rowsperstrip=4),
        "tiles": _tiff(_pixels("uint8", 40, 33, 3), photometric="rgb", tile=(16, 16), compression="zlib"),
        "planes": _tiff(np.moveaxis(colour, 2, 0), photometric="rgb", planarconfig="separate"),
        "alpha": _tiff(_pixels("uint8", 13, 17, 4), photometric="rgb", extrasamples=["unassalpha"]),
        "cube": _tiff(cube, photometric="minisblack"),
        "real": _tiff(_pixels("float32", 9, 11), photometric="minisblack"),
        "big": _tiff(cube.astype("uint16"), photometric="minisblack", bigtiff=True),
        "ome": _tiff(cube.astype("uint16"), photometric="minisblack", ome=True, metadata={"axes": "CYX"}),
        "pages": _tiff(colour, photometric="rgb", series=3, metadata=None),
        "lzw": _pillow("TIFF", compression="tiff_lzw"),
        "jpeg": _pillow("TIFF", compression="jpeg"),
        "bilevel": _pillow("TIFF", "1", compression="group4"),
        "packed": _pillow("TIFF", "CMYK", compression="packbits"),
        "palette": _pillow("TIFF", "P"),
    }


def _files() -> dict[str, bytes]:
    colour, deep = _pixels("uint8", 13, 17, 3), _pixels("uint16", 13, 17, 3)
    digits = _pixels("uint8", 6, 7, 7)
    exif = PillowImage.Exif()
    exif[0x0112] = 6
    return {
        **{f"{name}.tif": data for name, data in _tiffs().items()},
        "colour.png": encode_image(Image(colour), "PNG"),
        "deep.png": encode_image(Image(deep, deep[..., 0]), "PNG"),
        "palette.png": _pillow("PNG", "P", transparency=bytes(9)),
        "grey.png": _pillow("PNG", "L", transparency=7),
        "bits.png": _pillow("PNG", "1"),
        "plain.jpg": _pillow("JPEG", exif=exif),
        "progressive.jpg": _pillow("JPEG", progressive=True, subsampling=2),
        "cmyk.jpg": _pillow("JPEG", "CMYK"),
        "grey.jpg": _pillow("JPEG", "L", restart_marker_blocks=1),
        "colour.bmp": _pillow("BMP"),
        "palette.bmp": _pillow("BMP", "P"),
        "bits.bmp": _pillow("BMP", "1"),
        "colour.ppm": _pillow("PPM"),
        "grey.pgm": _pillow("PPM", "L"),
        "colour.webp": _pillow("WEBP", lossless=True),
        **{f"moving.{kind.lower()}": _moving(kind) for kind in ("PNG", "GIF", "WEBP", "AVIF")},
        "colour.jp2": encode_image(Image(colour), "JP2"),
        "cube.npy": _numpy(_pixels("uint16", 9, 11, 5)),
        "stack.npy": _numpy(np.asfortranarray(_pixels("float64", 4, 9, 11, 3))),
        "cube.npz": _numpy(
            _pixels("int16", 9, 11, 3), wavelengths=np.arange(3.0), names=np.array(["a", "b", "c"]), unit="nm"
        ),
        "digits.npz": _numpy(digits, labels=np.arange(6)),
        "digits.idx": _idx(digits),
        "digits.idx.gz": gzip.compress(_idx(digits), mtime=0),
        **{name: (PICTURES / name).read_bytes() for name in SCIENCES},
    }


def _zarr() -> dict[str, dict[str, bytes]]:
    """Return folders of OME-Zarr, as this program writes them, and of Zarr 3."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "a.zarr"
        write_image(made, Image(_pixels("uint16", 9, 11, 3)))
        second = {str(each.relative_to(made)): each.read_bytes() for each in files_of(made)}
    codec = {"name": "bytes", "configuration": {"endian": "little"}}
    third = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [3, 9, 11],
        "data_type": "uint16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 9, 11]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [codec],
        "dimension_names": ["c", "y", "x"],
        "attributes": {},
    }
    chunk = _pixels("uint16", 3, 9, 11).astype("<u2").tobytes()
    return {"zarr 2": second, "zarr 3": {"zarr.json": json.dumps(third).encode(), "c/0/0/0": chunk}}


@lru_cache(maxsize=1)
def seeds() -> tuple[Input, ...]:
    """Return valid images of every format; the same in every run."""
    files = _files()
    single = [Input(name, {name: data}) for name, data in files.items()]
    cubes = [_envi("bsq", "uint16", 12), _envi("bil", "int16", 2), _envi("bip", "float32", 4)]
    several = [Input(opened, cube) for cube in cubes for opened in cube]
    labels = _idx(np.arange(6, dtype=np.uint8))
    digits = {"train-images-idx3-ubyte": files["digits.idx"], "train-labels-idx1-ubyte": labels}
    several.append(Input("train-images-idx3-ubyte", digits))
    grey = [_tiff(_pixels("uint16", 9, 11), photometric="minisblack")] * 3
    folders = [
        {f"all/B{n:02}.tif": data for n, data in enumerate(grey)},
        {f"all/{wave}nm.png": files["grey.png"] for wave in (450, 550, 650)},
        {f"all/{n}.{kind}": files[f"colour.{kind}"] for n in (1, 2) for kind in ("png", "bmp")},
        {
            "all/1.jpg": files["progressive.jpg"],
            "all/2.png": files["colour.png"],
            "all/3.tif": files["plain.tif"],
        },
    ]
    several += [Input("all", folder) for folder in folders]
    several.append(Input("a.rpl", {name: (PICTURES / name).read_bytes() for name in ("a.rpl", "a.raw")}))
    several += [
        Input(name, {f"{name}/{at}": data for at, data in each.items()}) for name, each in _zarr().items()
    ]
    return (*single, *several)


def mutated(number: int, seed: int) -> Input:
    """Return the mutated input that belongs to a number and a seed.

    Folders and sets of related files are chosen as often as a format with several seeds.
    """
    chance = random.Random(f"{seed}/input/{number}")  # noqa: S311 - nothing is secret
    groups: dict[str, list[Input]] = {}
    for each in seeds():
        groups.setdefault(_ending(each.opened) if len(each.files) == 1 else "several", []).append(each)
    names = [*sorted(groups), ".tif", ".tif", ".tif", ".png", ".jpg", "several", "several"]
    whole = chance.choice(groups[chance.choice(names)])
    files = dict(whole.files)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5))):
        _damage(chance, files)
    while files == whole.files:
        name = chance.choice(sorted(files))
        files[name] = noise(chance, files[name])
    return Input(whole.opened, files)


def _ending(name: str) -> str:
    return ".nii.gz" if name.endswith(".nii.gz") else Path(name).suffix


def _damage(chance: random.Random, files: dict[str, bytes]) -> None:
    """Mutate one of the files; of several files, one may also be removed, exchanged, or renamed."""
    names = sorted(files)
    name = chance.choice(names)
    if len(names) > 1 and chance.random() < 0.2:
        what = chance.randrange(4)
        if what == 0:
            del files[name]
        elif what == 1:
            files[name] = files[chance.choice(names)]
        elif what == 2:
            files[name] = chance.choice(list(chance.choice(seeds()).files.values()))
        else:
            files[
                str(Path(name).with_name(chance.choice(("B99.tif", "9.png", ".hidden.png", "900nm.tif"))))
            ] = files.pop(name)
        return
    change = any_bytes if chance.random() < 0.05 else CHANGES.get(_ending(name), any_bytes)
    if name.startswith("train-"):
        change = CHANGES[".idx"]
    try:
        files[name] = change(chance, files[name])
    except Exception:  # noqa: BLE001 - it was damaged before, so that it cannot be taken apart
        files[name] = noise(chance, files[name])

"""Writes OME-Zarr, an image with smaller copies in chunks: OME-NGFF 0.4 on Zarr 2 (axes, multiscales, omero).

Fiji, napari and web viewers all read it; later versions, on Zarr 3, are read by fewer.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import repeat
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging.disk.atomic import exists_error, temporary_folder
from pcaimage.imaging.georeference.geo import place_of
from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.pixels import recut
from pcaimage.imaging.image.source import is_folder
from pcaimage.imaging.measures.pyramid import SMALLEST, halve
from pcaimage.progress import Progress, no_progress

_SIDE: Final = 512  # most pixels along a side of a chunk
_LEAST: Final = 16  # fewest lines of one
_HELD: Final = 1 << 27  # bytes of lines that wait until chunks are full
_PACKED: Final = {"compressor": {"id": "zlib", "level": 1}, "order": "C", "filters": None}
_KINDS: Final = {"t": "time", "c": "channel", "z": "space", "y": "space", "x": "space"}
_COLOURS: Final = {"Red": "FF0000", "Green": "00FF00", "Blue": "0000FF"}


def write_ome_zarr(
    path: str | os.PathLike[str], image: ImageStream, progress: Progress = no_progress, *, overwrite: bool
) -> None:
    """Write an image or a stack of numbers of any type, a few lines at a time, as OME-Zarr.

    ImageError if there is something else than a folder of Zarr, or it may not be replaced or written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not overwrite:
        raise exists_error(target.name)
    if target.exists() and (not target.is_dir() or is_folder(target)):
        raise ImageError(f"{target.name} is something else than a folder of Zarr, and is not replaced.")
    try:
        with temporary_folder(target.parent, private=False) as folder:
            made = folder / target.name
            _Levels(made, image).write(progress)
            if target.exists():
                target.rename(folder / "replaced")
            made.rename(target)
    except OSError as error:
        reason = (error.strerror or "the disk reported an error").lower()
        raise ImageError(f"The folder {target.name} cannot be written: {reason}.") from error


class _Levels:
    """An image and its copies of a half, a quarter and so on, and the range of what was seen of it."""

    def __init__(self, folder: Path, image: ImageStream) -> None:
        self.folder, self.image = folder, image
        sides = {"z" if image.timing is None else "t": image.frames, "c": image.samples}
        sides |= {"y": image.height, "x": image.width}
        size = {axis: sides[axis] for axis in _KINDS if sides.get(axis, 1) > 1 or axis in "yx"}
        rows, line = _SIDE, image.width * image.samples * image.dtype.itemsize
        while rows > _LEAST and rows * line > _HELD:
            rows //= 2
        self.most, self.sizes = {"y": rows, "x": _SIDE}, [size]
        while max(size["y"], size["x"]) > SMALLEST:
            size = size | {axis: -(-size[axis] // 2) for axis in "yx"}
            self.sizes.append(size)
        nodata = image.bands.nodata
        self.nodata = nodata if nodata is not None and math.isfinite(nodata) else None
        self.range = np.full((2, image.samples), np.nan)

    def write(self, progress: Progress) -> None:
        """Write all files; what says that it is an image comes last."""
        image, info = self.image, self.image.bands
        frames = ([each] for each in image.images()) if image.is_stack else [image.joined()]
        for number, frame in enumerate(frames):
            levels = enumerate(self.sizes)
            for small in reduce(lambda lines, level: self._written(lines, level[0], number), levels, frame):
                values = small.reshape(-1, small.shape[-1]).astype(np.float64)
                values[~np.isfinite(values) | (values == self.nodata)] = np.nan
                self.range[0] = np.fmin(self.range[0], np.fmin.reduce(values))
                self.range[1] = np.fmax(self.range[1], np.fmax.reduce(values))
                progress(number, image.frames)
        said = (("scale_factor", set(info.scales)), ("add_offset", set(info.offsets)))
        about: dict[str, Any] = {key: each.pop() for key, each in said if len(each) == 1}
        about |= {"_ARRAY_DIMENSIONS": [*self.sizes[0]], "units": info.value_unit, "_FillValue": self.nodata}
        array = {"zarr_format": 2, "dtype": image.dtype.newbyteorder("<").str, "dimension_separator": "/"}
        array |= _PACKED | {"fill_value": self.nodata or 0}
        for level, size in enumerate(self.sizes):
            sides = {"shape": [*size.values()], "chunks": self._chunks(level)}
            self._save(f"{level}/.zarray", array | sides)
            self._save(f"{level}/.zattrs", about)
        self._save(".zattrs", {"multiscales": [self._multiscales()], "omero": self._omero()})
        self._save(".zgroup", {"zarr_format": 2})

    def _chunks(self, level: int) -> list[int]:
        return [min(self.most.get(axis, 1), side) for axis, side in self.sizes[level].items()]

    def _written(self, lines: Iterable[NDArray[Any]], level: int, frame: int) -> Iterator[NDArray[Any]]:
        """Write lines as chunks of a level, and yield them at half the size.

        There a pixel has no data where one of four has none.
        """
        *_, high, wide = self._chunks(level)
        for row, part in enumerate(recut(lines, repeat(high, -(-self.sizes[level]["y"] // high)))):
            for column, left in enumerate(range(0, part.shape[1], wide)):
                some = np.moveaxis(part[:, left : left + wide], -1, 0)
                block = np.zeros((len(some), high, wide), self.image.dtype.newbyteorder("<"))
                block[:, : some.shape[1], : some.shape[2]] = some
                for channel, plane in enumerate(block):
                    place = {"t": frame, "z": frame, "c": channel, "y": row, "x": column}
                    name = "/".join(str(place[axis]) for axis in self.sizes[0])
                    self._save(f"{level}/{name}", zlib.compress(plane, 1))
            small = halve(part)
            if self.nodata is not None:
                gone = halve(np.where(part == self.nodata, np.uint8(255), np.uint8(0))) > 0
                small[gone] = self.nodata
            yield small

    def _multiscales(self) -> dict[str, Any]:
        _, dx, across, _, down, dy = place_of(self.image.bands).transform or (0, 1, 0, 0, 0, 1)
        sides, datasets = {"x": math.hypot(dx, down), "y": math.hypot(across, dy)}, []
        for level in range(len(self.sizes)):
            scale = {axis: sides.get(axis, 1.0) * (2**level if axis in "yx" else 1) for axis in self.sizes[0]}
            # The centre of the first pixel is the middle of those that it is the mean of.
            shift = [(scale[axis] - sides.get(axis, 1.0)) / 2 for axis in scale]
            steps = [
                {"type": "scale", "scale": [*scale.values()]},
                {"type": "translation", "translation": shift},
            ]
            datasets.append({"path": str(level), "coordinateTransformations": steps})
        axes = [{"name": axis, "type": _KINDS[axis]} for axis in self.sizes[0]]
        return {"version": "0.4", "name": self.image.name, "axes": axes, "datasets": datasets, "type": "mean"}

    def _omero(self) -> dict[str, Any]:
        """Return how channels are called and shown: colours as such, three bands, or the first one."""
        image, info, channels = self.image, self.image.bands, list[dict[str, Any]]()
        colours = tuple(_COLOURS) if image.channels == 3 and not info.wavelengths else ()
        shown = info.shown or tuple(range(len(colours))) or (0,)
        names = info.names or tuple(f"{wave:g} {info.unit}" for wave in info.wavelengths) or colours
        if image.dtype.kind == "u" and image.channels in (1, 3):
            self.range[:] = [[0], [image.declared or np.iinfo(image.dtype).max]]
        hues = dict(zip(shown, _COLOURS.values(), strict=False)) if len(shown) == 3 else {}
        for band, (low, high) in enumerate(np.nan_to_num(self.range.T).tolist()):
            label = "alpha" if band == image.channels else names[band] if names else str(band + 1)
            window = {"min": low, "max": high, "start": low, "end": high}
            about = {"label": label, "active": band in shown, "window": window}
            wave = {"emissionWave": info.nanometres[band]} if band < len(info.nanometres) else {}
            channels.append({"color": hues.get(band, "FFFFFF"), **about, **wave})
        return {"channels": channels, "rdefs": {"model": "color" if hues else "greyscale"}}

    def _save(self, name: str, content: bytes | dict[str, Any]) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, indent=1).encode())

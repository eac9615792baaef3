"""Other codecs for images of many bands (``pip install --group bench``)."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tifffile
from numpy.typing import NDArray

from pcaimage.quality import mean_squared_error, psnr_of_mse

Cube = NDArray[Any]
Floats = NDArray[np.float64]

BASIS_BITS = 16
"""Bits for each entry of the basis and the mean that JPEG 2000 of the planes needs in addition."""

_SOD = b"\xff\x93"
_SIXTEEN = 65535


@dataclass(frozen=True)
class Point:
    """A codec's result at one setting.

    Parameters
    ----------
    bits : float
        Bits per sample.
    psnr : float
        In decibels, relative to the image's largest value; infinite without errors.
    error : float
        Largest absolute error.
    """

    bits: float
    psnr: float
    error: float

    @classmethod
    def of(cls, cube: Cube, decoded: Cube, n_bytes: float) -> Point:
        """Compare an image with its decoded version."""
        psnr = psnr_of_mse(mean_squared_error(cube, decoded), float(cube.max()))
        largest = float(np.abs(cube.astype(np.float64) - decoded).max())
        return cls(8 * n_bytes / cube.size, psnr, largest)


def codecs() -> Any:
    """Return the module imagecodecs, or None if it is not installed."""
    try:
        return importlib.import_module("imagecodecs")
    except ImportError:
        return None


def jpeg2000_by_band(ic: Any, cube: Cube, levels: Sequence[float]) -> Iterator[Point]:
    """Yield JPEG 2000 of each band, at equal mean squared errors."""
    for level in levels:
        size, decoded = 0, np.empty_like(cube)
        for band in range(cube.shape[2]):
            plane = np.ascontiguousarray(cube[..., band])
            data = ic.jpeg2k_encode(plane, level=level, codecformat="j2k", reversible=False)
            size += len(data)
            decoded[..., band] = ic.jpeg2k_decode(data)
        yield Point.of(cube, decoded, size)


def jpegls_by_band(ic: Any, cube: Cube, errors: Sequence[int]) -> Iterator[Point]:
    """Yield JPEG-LS of each band, with every value within an error bound."""
    for error in errors:
        size, decoded = 0, np.empty_like(cube)
        for band in range(cube.shape[2]):
            data = ic.jpegls_encode(np.ascontiguousarray(cube[..., band]), level=error)
            size += len(data)
            decoded[..., band] = ic.jpegls_decode(data)
        yield Point.of(cube, decoded, size)


def zfp(ic: Any, cube: Cube, tolerances: Sequence[float]) -> Iterator[Point]:
    """Yield ZFP of the whole cube as real numbers, with every value within a tolerance."""
    real = np.ascontiguousarray(np.moveaxis(cube, 2, 0), np.float32)
    for tolerance in tolerances:
        data = ic.zfp_encode(real, level=tolerance, mode="a")
        decoded = np.rint(np.moveaxis(ic.zfp_decode(data), 0, 2))
        yield Point.of(cube, decoded, len(data))


def sz3(cube: Cube, errors: Sequence[int]) -> Iterator[Point]:
    """Yield SZ3 of the whole cube, with every value within an error bound; nothing without pysz.

    Of its algorithms, and of bands first or last, what gives the fewest bytes is taken.
    """
    try:
        pysz = importlib.import_module("pysz")
    except ImportError:
        return
    for error in errors:
        config = pysz.szConfig()
        config.errorBoundMode = pysz.szErrorBoundMode.ABS
        # Values are whole numbers, so less than one half is none.
        config.absErrorBound = error or 0.49
        points = list[Point]()
        for order in ((0, 1, 2), (2, 0, 1)):
            whole = np.ascontiguousarray(cube.transpose(order), np.int32)
            for algorithm in (pysz.szAlgorithm.INTERP_LORENZO, pysz.szAlgorithm.LORENZO_REG):
                config.cmprAlgo = algorithm
                data, _ = pysz.sz.compress(whole, config)
                decoded, _ = pysz.sz.decompress(data, np.int32, whole.shape)
                points.append(Point.of(cube, decoded.transpose(np.argsort(order)), data.nbytes))
        assert all(point.error <= error for point in points)
        yield min(points, key=lambda point: point.bits)


class PlaneCurves:
    """JPEG 2000 of the planes of an image's principal components, as in part 2 of the standard.

    Each plane is coded at many qualities, of which the one with the lowest Lagrangian cost D + λR is used.
    Headers are not counted, as part 2 would need only one.

    Parameters
    ----------
    most : int
        Number of components.
    """

    def __init__(self, ic: Any, cube: Cube, most: int = 80) -> None:
        self.cube, (height, width, bands) = cube, cube.shape
        samples = cube.reshape(-1, bands).astype(np.float64)
        self.mean = samples.mean(axis=0)
        centred = samples - self.mean
        values, vectors = np.linalg.eigh(centred.T @ centred / len(samples))
        self.variances, self.vectors = values[::-1], vectors[:, ::-1]
        planes = (centred @ self.vectors).T.reshape(bands, height, width)
        self.curves = [self._curve(ic, plane) for plane in planes[: min(most, bands)]]

    def _curve(self, ic: Any, plane: Floats) -> tuple[Floats, list[Floats]]:
        """Return bytes, squared error and decoded pixels of a plane at many qualities."""
        scale = 32000 / max(float(np.abs(plane).max()), 1e-9)
        whole = np.rint(plane * scale + 32768).clip(0, _SIXTEEN).astype(np.uint16)
        points, decoded = [(0.0, float((plane**2).sum()))], [np.zeros_like(plane)]
        variance = float((plane**2).mean())
        for decibels in np.arange(0.5, 60.0, 1.0):
            wanted = variance * 10 ** (-decibels / 10)
            level = 10 * np.log10(_SIXTEEN**2 / (wanted * scale**2))
            if wanted < self.variances.sum() * 1e-8 or level < 1:
                break
            data = ic.jpeg2k_encode(
                whole, level=float(level), codecformat="j2k", reversible=False, resolutions=5
            )
            back = (ic.jpeg2k_decode(data).astype(np.float64) - 32768) / scale
            points.append((float(len(data) - data.index(_SOD)), float(((back - plane) ** 2).sum())))
            decoded.append(back)
        return np.array(points), decoded

    def points(self, levels: Sequence[float]) -> Iterator[Point]:
        """Yield the image at some water levels, rounded to integers."""
        height, width, bands = self.cube.shape
        for level in levels:
            price = 2 * np.log(2) * level * 8
            chosen = [int((curve[:, 1] + price * curve[:, 0]).argmin()) for curve, _ in self.curves]
            gains = [
                float(curve[0, 1] - curve[best, 1] - price * (curve[best, 0] + bands * BASIS_BITS / 8))
                for best, (curve, _) in zip(chosen, self.curves, strict=True)
            ]
            k = int(np.argmax(np.concatenate([[0.0], np.cumsum(gains)])))
            sizes = [curve[best, 0] for best, (curve, _) in zip(chosen[:k], self.curves, strict=False)]
            planes = [back[best].ravel() for best, (_, back) in zip(chosen[:k], self.curves, strict=False)]
            values = np.tile(self.mean, (height * width, 1))
            if planes:
                values += np.array(planes).T @ self.vectors[:, :k].T
            decoded = np.rint(values).clip(0, _SIXTEEN).reshape(self.cube.shape)
            yield Point.of(self.cube, decoded, sum(sizes) + (k + 1) * bands * BASIS_BITS / 8)


def blosc(level: int, shuffle: int = 1) -> Any:
    """Return Blosc with Zstandard and shuffled bytes, as Zarr has it; None if numcodecs is not installed."""
    try:
        return importlib.import_module("numcodecs").Blosc("zstd", level, shuffle)
    except ImportError:
        return None


def lossless(ic: Any, cube: Cube) -> dict[str, float]:
    """Return the bits per sample of lossless codecs; without imagecodecs, of DEFLATE alone."""
    bands = np.ascontiguousarray(np.moveaxis(cube, 2, 0))
    with io.BytesIO() as file:
        tifffile.imwrite(file, bands, compression="zlib", photometric="minisblack")
        found = {"DEFLATE in TIFF": 8 * file.tell() / cube.size}
    whole = [bands, np.ascontiguousarray(cube)]
    # Bytes or bits are shuffled.
    coders = [blosc(9, shuffle) for shuffle in (1, 2)]
    if None not in coders:
        sizes = [len(coder.encode(order)) for coder in coders for order in whole]
        found["Blosc, Zstandard 9"] = 8 * min(sizes) / cube.size
    if ic is None:
        return found
    kinds = (np.int32, np.float32)
    sizes = [len(ic.zfp_encode(order.astype(kind), mode="R")) for order in whole for kind in kinds]
    found["ZFP, reversible"] = 8 * min(sizes) / cube.size
    encoders: dict[str, Callable[[Cube], bytes]] = {
        # A TIFF of JPEG-LS strips has these bytes, plus about a hundred for each band.
        "JPEG-LS by band": lambda band: bytes(ic.jpegls_encode(band)),
        "JPEG 2000 by band": lambda band: bytes(ic.jpeg2k_encode(band, reversible=True, codecformat="j2k")),
        "JPEG XL by band": lambda band: bytes(ic.jpegxl_encode(band, lossless=True, effort=7)),
    }
    for name, encode in encoders.items():
        found[name] = 8 * sum(len(encode(band)) for band in bands) / cube.size
    return found

"""Make golden files: what the encoder wrote, and what it must decode to.

Run ``python tests/golden/make.py`` after adding a case. Files that are there are never written again: one
that decodes to something else shows a broken decoder, or a change of the format that no one meant.
"""

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import pcaimage
import pcaimage.container
from pcaimage import Bands, Blocks, Channels, Metadata, Settings, Stack
from pcaimage.choices import Effort
from pcaimage.codec import Step, methods
from pcaimage.codec.compressed import ORDERED, REGIONS, SHRUNK, WEIGHTED
from pcaimage.codec.linear import coding as linear_coding
from pcaimage.codec.linear import quantize
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.planes import Planes
from pcaimage.codec.photo.tiles.drawn import Drawn
from pcaimage.codec.photo.tiles.graphics import Graphic
from pcaimage.codec.photo.tiles.tiles import flatness
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.progress import no_progress
from pcaimage.sampling import Lapped

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.json"
MAX_BYTES = 6 * 1024

MODELS = {
    "lent-blocks": "blocks-8",
    "lent-blocks-standardized": "blocks-standardized",
    "lent-channels": "channels-many",
    "lent-stack": "stack-grey-3d",
    "lent-one-of-a-stack": "stack-16-bit",
}
"""Files whose basis is in another golden file."""


def scene(shape, peak, seed):
    """Return a smooth picture with edges and a little noise, by whole-number arithmetic alone."""
    axes = np.indices(shape, dtype=np.int64)
    waves = sum((index + 3) * axis * axis // (3 + 2 * index) for index, axis in enumerate(axes))
    edges = 90 * ((axes[-2] // 7 + axes[-3] // 9) % 2)
    noise = (np.arange(waves.size, dtype=np.int64).reshape(shape) * 1103515245 + seed * 12345) % 65536 >> 12
    picture = (waves * 2 + edges + noise) % 511
    folded = np.where(picture > 255, 510 - picture, picture)
    return (folded * peak // 255).astype(np.uint8 if peak < 256 else np.uint16)


def cases():
    """Return the files of this version of the encoder."""
    colour, grey = scene((45, 38, 3), 255, 1), scene((41, 29, 1), 255, 2)
    deep, bands = scene((30, 27, 3), 65535, 3), scene((14, 13, 24), 4095, 4)
    stack, deep_stack = scene((12, 11, 10, 1), 255, 5), scene((7, 6, 9, 3), 65535, 6)
    alpha = scene((45, 38, 1), 255, 7)[..., 0] // 64 * 85
    metadata = Metadata("ünïcode name.png", 123456, b"profile" * 20, b"MM\0*" + bytes(30))
    texts = Metadata(
        "described.jpg", 4321, xmp=b"<x:xmpmeta>title</x:xmpmeta>", iptc=b"\x1c\x02\x05\0\5title"
    )
    # Played for ever: eleven images for 40 ms each, and one for 250 ms.
    timing = Metadata("moving.gif", 999, timing=bytes.fromhex("00 0b c0b802 01 90a10f"))
    encode = pcaimage.encode
    return {
        "stack-timing": encode(stack, Settings(Stack(), k=2), metadata=timing),
        "blocks-texts": encode(grey, Settings(Blocks(8), k=3), metadata=texts),
        "photo-texts": encode(grey, Settings(Lapped(), step=60.0), metadata=texts),
        "bands-texts": encode(bands, Settings(Bands(), k=3), metadata=texts),
        "blocks-8": encode(colour, Settings(Blocks(8), k=20)),
        "blocks-2-all": encode(grey, Settings(Blocks(2), k=4)),
        "blocks-5-grey-2d": encode(grey[..., 0], Settings(Blocks(5), k=9)),
        "blocks-64": encode(grey[:, :20], Settings(Blocks(64), k=1)),
        "blocks-16-bit": encode(deep, Settings(Blocks(4), k=12)),
        "blocks-16-bit-all": encode(deep[:12, :12], Settings(Blocks(3), k=15)),
        "blocks-standardized": encode(colour, Settings(Blocks(4), k=15, standardize=True)),
        "blocks-fine-step": encode(grey, Settings(Blocks(4), k=6, step=0.01)),
        "blocks-coarse-step": encode(colour, Settings(Blocks(4), k=30, step=150.0)),
        "blocks-alpha-metadata": encode(colour, Settings(Blocks(8), k=6), alpha=alpha, metadata=metadata),
        "channels": encode(scene((75, 52, 3), 255, 8) // 2, Settings(Channels(), k=2)),
        "channels-many": encode(bands, Settings(Channels(), k=9)),
        "channels-many-standardized": encode(bands, Settings(Channels(), k=5, standardize=True)),
        "stack": encode(stack, Settings(Stack(), k=7)),
        "stack-grey-3d": encode(stack[..., 0], Settings(Stack(), k=4)),
        "stack-exact": moving(),
        "stack-16-bit": encode(deep_stack, Settings(Stack(), k=5)),
        "stack-exact-lines": encode(scene((5, 1, 40, 3), 255, 18) // 16, Settings(Stack(), lossless=True)),
        "stack-lines": encode(scene((1030, 3, 2), 255, 17), Settings(Stack(), k=2)),
        "one-pixel": encode(scene((1, 1, 3), 255, 9), Settings(Channels(), k=1)),
        "constant": encode(np.full((9, 10, 3), 77, np.uint8), Settings(Blocks(8), k=1)),
        **photos(),
        **with_tools(),
        **with_tiles(),
        **with_drawn_tiles(),
        **corrected(),
        **many_bands(),
        **of_12_bits(),
    }


def lent():
    """Return files whose basis is in others, which must be there."""
    images = {
        "lent-blocks": scene((37, 51, 3), 255, 11),
        "lent-blocks-standardized": scene((21, 18, 3), 255, 12),
        "lent-channels": scene((9, 16, 24), 4095, 13),
        "lent-stack": scene((5, 11, 10), 255, 14),
        "lent-one-of-a-stack": scene((1, 6, 9, 3), 65535, 15),
    }
    alpha = {"lent-blocks": images["lent-blocks"][..., 0] // 64 * 85}
    return {
        name: pcaimage.encode(image, alpha=alpha.get(name), model=model_of(name))
        for name, image in images.items()
    }


def model_of(name):
    """Return the file that a file's basis is in; None where it is in its own."""
    return (HERE / f"{MODELS[name]}.pcai").read_bytes() if name in MODELS else None


def photos():
    """Return the files of the photo method."""
    colour, grey, four = scene((45, 38, 3), 255, 1), scene((41, 29, 1), 255, 2), scene((30, 33, 4), 255, 10)
    deep, alpha = scene((30, 27, 3), 65535, 3), scene((45, 38, 1), 255, 7)[..., 0] // 64 * 85
    metadata = Metadata("ünïcode name.png", 123456, b"profile" * 20, b"MM\0*" + bytes(30))

    def encode(array, step, k=None, **more):
        return pcaimage.encode(array, Settings(Lapped(), k=k, step=step), **more)

    return {
        "photo": encode(colour, 15.0),
        "photo-all": encode(colour, 30.0, 192),
        "photo-grey-2d": encode(grey[..., 0], 10.0),
        "photo-two-channels": encode(four[..., :2], 25.0),
        "photo-four-channels": encode(four, 35.0, 140),
        "photo-16-bit": encode(deep, 5000.0),
        "photo-16-bit-fine": encode(deep[:17, :9, :1], 4.0),
        "photo-fine-step": encode(grey[:25, :17], 0.5, 64),
        "photo-coarse-step": encode(colour, 200.0),
        "photo-alpha-metadata": encode(colour, 60.0, alpha=alpha, metadata=metadata),
        "photo-slices": sliced(colour, 20.0, 2),
        "photo-own-bases": with_bases(grey, 20.0),
        "photo-one-pixel": encode(scene((1, 1, 3), 255, 9), 1.0),
        "photo-lossless": pcaimage.encode(colour, Settings(lossless=True)),
        "photo-lossless-16-bit": pcaimage.encode(deep, Settings(lossless=True)),
        "photo-constant": encode(np.full((9, 10, 3), 77, np.uint8), 5.0),
    }


def with_tools():
    """Return photos that use some tools, and not others."""
    colour, grey, four = scene((45, 38, 3), 255, 1), scene((41, 29, 1), 255, 2), scene((30, 33, 4), 255, 10)
    deep = scene((30, 27, 3), 65535, 3)
    slopes = (-60, -20, 30, -3, -12, -70, -40, 8, 5, -30, -33, -66, -1, -9)
    return {
        "tools-dependent": dependent(colour, 24.0, ()),
        "tools-independent": dependent(colour, 20.0, (8, 0, 8, 0, 8, 0), tools=0),
        "tools-shrunk": dependent(colour, 40.0, (8, 1, 5, -2, 16, 16)),
        "tools-shrunk-grey-2d": dependent(grey[..., 0], 15.0, (12, 3)),
        "tools-shrunk-four-channels": dependent(four, 45.0, (9, 0, 8, -3, 0, 0, 7, 16)),
        "tools-shrunk-slices": dependent(colour, 30.0, (7, 0, 8, -8, 9, 5), slice_rows=2),
        "tools-ordered": dependent(colour, 40.0, (), slopes=slopes),
        "tools-nested": dependent(scene((70, 58, 3), 255, 16), 50.0, (8, 1, 9, 0, 7, 2), 5, slopes, 65),
        "tools-nested-four-channels": dependent(four, 25.0, (), tools=64),
        "tools-regions": local(grey[..., 0], 25.0, 16, 3, ()),
        "tools-weights": local(four, 30.0, 0, 0, (32, -32, 11, 7, 32)),
        "tools-eye": local(
            scene((70, 58, 3), 255, 16), 40.0, 9, 4, (9, -7, 5, 0), slice_rows=3, slopes=slopes
        ),
        "tools-eye-16-bit": local(deep, 9000.0, 5, 2, (3, 0, -4, -4)),
    }


def with_tiles():
    """Return photos with tiles of flat colours that are coded among pixels."""
    return {
        "tiles": tiled(drawing(66, 88, 3), 60.0),
        "tiles-lossless": tiled(drawing(45, 38, 3), None),
        "tiles-mixed-lossless": tiled(drawing(66, 88, 3), None),
        "tiles-grey-2d": tiled(drawing(30, 67, 1)[..., 0], 20.0),
        "tiles-four-channels": tiled(drawing(30, 70, 4), 40.0),
    }


def with_drawn_tiles():
    """Return photos whose tiles are drawn from their neighbours."""
    return {
        "drawn": drawn(ribbons(70, 90, 3), 40.0),
        "drawn-fine": drawn(ribbons(40, 50, 3), 1.5),
        "drawn-grey-2d": drawn(ribbons(66, 61, 1)[..., 0], 20.0),
        "drawn-four-channels": drawn(ribbons(30, 70, 4), 30.0),
        "drawn-in-part": drawn(ribbons(100, 150, 3), 50.0, in_part=True),
    }


def corrected():
    """Return lossless photos of other kinds than in :func:`photos`."""
    encode, lossless = pcaimage.encode, Settings(Lapped(), lossless=True)
    return {
        "residual-grey-2d": encode(scene((31, 43, 1), 255, 2)[..., 0], lossless),
        "residual-four-channels": encode(scene((18, 23, 4), 255, 9), lossless),
    }


def of_12_bits():
    """Return files of 16 bits that say how many of them are used."""
    deep, encode = scene((17, 15, 3), 4095, 3), pcaimage.encode
    return {
        "white-photo": encode(deep, Settings(Lapped(), psnr=30.0)),
        "white-blocks": encode(deep[:9, :8, :1], Settings(Blocks(4), k=4, white=5000)),
    }


def arrays():
    """Return files of arrays that are no images."""
    small = scene((9, 8, 6), 4095, 11).astype(np.float64)
    gaps, huge = small * 1e-2 + 1e9, scene((6, 5, 6), 255, 3).astype(np.uint64) * np.uint64((1 << 40) + 1)
    gaps[2, 3], gaps[4:6, 1, 2], gaps[0, 0, 0] = np.nan, np.inf, 9e36
    bits = np.random.default_rng(7).integers(0, 1 << 64, (5, 9), np.uint64)
    exact = Settings(lossless=True)
    cases = {
        "real-near": (gaps, Settings(max_error=0.5, nodata=9e36)),
        "real-decimals": ((small - 2000) * 1e-3, exact),
        "real-bits": (bits.view("f8"), exact),
        "half": (np.sqrt(small).astype(">f2"), exact),
        "single": (gaps.astype("f4"), exact),
        "complex-near": (small[..., 0] + 1j * small[..., 1], Settings(max_error=9.0)),
        "complex": (small[:3] / 8 + 1j, exact),
        "whole": (small.reshape(3, 3, 2, 4, 6).astype("i8") * -1_000_003, exact),
        "whole-near": ((small - 2000).astype("i4") * 70_000, Settings(max_error=90_000)),
        "large-near": (huge + np.uint64(1 << 63), Settings(max_error=float(1 << 40))),
        "small-signed": ((small // 17 - 120).astype("i1"), Settings(max_error=2.0)),
        "bands-first": (np.moveaxis(small, -1, 0).astype("u2"), exact),
        "truth": (small[..., :3] > 2000, exact),
        "row": (np.arange(5000, dtype="u4") * 9, exact),
        "number": (np.array(-2.5), exact),
        "nothing": (np.zeros((3, 0, 2)), exact),
    }
    axes = {"bands-first": 0}
    return {name: pcaimage.encode(*case, axis=axes.get(name)) for name, case in cases.items()}


def drawing(height, width, channels):
    """Return a picture of flat colours with some soft edges, part of which is as :func:`scene`."""
    y, x = np.indices((height, width))
    level = 30 * ((x // 7 + y // 5) % 3) + 90 * ((x - 20) ** 2 + (y - 25) ** 2 < 130) + 20 * (x % 14 == 3)
    picture = np.stack([level + 17 * channel for channel in range(channels)], axis=2).astype(np.uint8)
    picture[:64, 64:128] = scene((64, 64, channels), 255, 1)[:height, : max(width - 64, 0)]
    return picture


def moving():
    """Return the file of a stack without loss and its opacity: images in which one tile or several change."""
    images = np.stack([drawing(66, 88, 3)[:, :70]] * 4)
    images[1:, 20:30, 5:25], images[2:, 22:29, 8:20], images[3] = 40, images[0, :7, :12], images[3, ::-1]
    return pcaimage.encode(images, Settings(Stack(), lossless=True), alpha=images[:, ::-1, :, 0] // 64 * 85)


def ribbons(height, width, channels):
    """Return a picture of smooth ribbons with sharp edges in several directions."""
    y, x = np.indices((height, width))
    parts = [3 * x + y, (x * x + y * y) // 20, 90 - x + 2 * y]
    level = np.choose((x + y // 2) // 37 % 3, [part % 170 for part in parts])
    return np.stack([level + 20 * channel for channel in range(channels)], axis=2).astype(np.uint8)


def coded(analysis, step, k=None):
    """Return the file of a photo's first k components, by default of all that a step does not round away."""
    wanted = Step.nearest(step)
    k = analysis.k_for_step(float(wanted)) if k is None else k
    return pcaimage.container.write(coding.pack(coding.quantize(analysis, k, wanted)))


def drawn(array, step, *, in_part=False):
    """Return a photo whose tiles are drawn from their neighbours; some of them, for the eye, if `in_part`."""
    analysis = PhotoAnalysis.fit(array)
    image = array.reshape(analysis.header.shape)
    found = flatness(image)
    chosen = found.sizes > 0
    if in_part:
        chosen[1:, 1] = False
    known = {"cascade": analysis.cascade, "header": analysis.header, "levels": chosen.astype(np.uint8)}
    analysis = replace(analysis, graphic=Drawn(image, found, chosen, **known))
    return coded(analysis.tuned(for_the_eye=in_part), step)


def tiled(array, step):
    """Return a photo with tiles that are coded by prediction among pixels; without a step it is lossless."""
    analysis = PhotoAnalysis.fit(array)
    # Tiles would save too little of so small a picture to be chosen.
    image = array.reshape(analysis.header.shape)
    found = flatness(image)
    analysis = replace(analysis, graphic=Graphic(image, found, found.flat))
    wanted = Step.nearest(128.0 if step is None else step)
    model = coding.quantize(analysis, analysis.k_for_step(float(wanted)), wanted)
    method = methods.method_of(model.header.sampling)
    encoding = method.complete(array, model, analysis, None, 0.0 if step is None else None, no_progress)
    return pcaimage.container.write(encoding.compressed)


def local(array, step, levels, middle, weights, slice_rows=0, slopes=()):
    """Return a photo with steps by region, with weights of frequencies and channels, or both."""

    # Less busy below, so that regions differ.
    array = array.copy()
    array[len(array) // 2 :, : array.shape[1] // 2] //= 16
    analysis = PhotoAnalysis.fit(array)
    tools = analysis.header.tools | (REGIONS if levels else 0) | (WEIGHTED if weights else 0)
    tools |= ORDERED if slopes else 0
    more = {"levels": levels, "middle": middle, "weights": weights, "slice_rows": slice_rows}
    header = replace(analysis.header, tools=tools, slopes=slopes, **more)
    return coded(replace(analysis, header=header), step)


def dependent(array, step, strengths, slice_rows=0, slopes=(), tools=1):
    """Return a photo that uses some tools, is shrunk by some strengths, and in the order of slopes."""
    analysis = PhotoAnalysis.fit(array)
    tools |= ORDERED if slopes else 0
    header = replace(analysis.header, slice_rows=slice_rows, slopes=slopes, tools=tools)
    analysis = replace(analysis, header=header)
    model = coding.quantize(analysis, analysis.k_for_step(step), Step.nearest(step))
    tools |= SHRUNK if strengths else 0
    header = replace(model.header, tools=tools, strengths=strengths)
    return pcaimage.container.write(coding.pack(replace(model, header=header)))


def many_bands():
    """Return the files of the bands method."""
    words, small = scene((22, 19, 24), 4095, 4), scene((15, 14, 9), 4095, 11)
    signed = (small.astype(np.int32) - 2000).astype(np.int16)
    real = (small / np.float32(4096)).astype(np.float32)
    holes, gaps = np.array(signed), np.array(real)
    holes[3:7, 2:8] = -9999
    holes[9, 3, 2:4] = -9999
    gaps[:4, 10:] = np.nan
    metadata = Metadata("cube.tif", 1234, bands=b"what is known of bands")
    encode = pcaimage.encode
    return {
        "bands": encode(words, Settings(step=60.0)),
        "bands-all": encode(small, Settings(k=9, step=8.0)),
        "bands-8-bit-grey-2d": encode(scene((21, 18, 1), 255, 12)[..., 0], Settings(Bands(), step=9.0)),
        "bands-signed": encode(signed, Settings(step=30.0), metadata=metadata),
        "bands-real": encode(real, Settings(step=0.02)),
        "bands-standardized": encode(small, Settings(Bands(), k=4, standardize=True)),
        "bands-holes": encode(holes, Settings(step=30.0, nodata=-9999)),
        "bands-real-holes-near": encode(gaps, Settings(max_error=0.01)),
        "bands-near": encode(small, Settings(max_error=9)),
        "bands-lossless": encode(small, Settings(lossless=True)),
        "bands-lossless-holes": encode(holes[:9], Settings(lossless=True, nodata=-9999)),
        "bands-direct-holes": encode(holes, Settings(max_error=0, nodata=-9999, effort=Effort.FAST)),
        "bands-direct": encode(small, Settings(lossless=True, effort=Effort.FAST)),
        "bands-direct-real-holes-near": encode(gaps, Settings(max_error=0.01, effort=Effort.FAST)),
        "bands-slices": sliced_bands(words, 60.0, 7, 11),
        "bands-one-pixel": encode(small[:1, :1], Settings(step=5.0)),
        "bands-constant": encode(np.full((9, 10, 6), 77, np.uint8), Settings(step=5.0)),
    }


def sliced_bands(array, step, slice_rows, slice_columns):
    """Return many bands in several slices, which the encoder makes of large images only."""
    analysis = BandsAnalysis.fit_bands(array)
    digits = quantize.precisions(analysis, 9, step)
    header, mean, _ = quantize.fixed(analysis, 9, Step.nearest(step))
    header = replace(header, slice_rows=slice_rows, slice_columns=slice_columns)
    rows = quantize.entries(analysis, digits)
    model = quantize.code_with(analysis, header, mean, None, rows, digits)
    return pcaimage.container.write(linear_coding.pack(model, analysis.variances))


def sliced(array, step, slice_rows):
    """Return a photo in several slices, which the encoder makes of large ones only."""
    analysis = PhotoAnalysis.fit(array)
    return coded(replace(analysis, header=replace(analysis.header, slice_rows=slice_rows)), step, 100)


def with_bases(array, step):
    """Return a photo with bases of its own, which the encoder never makes: those of the cosine transform."""
    cosines = np.array([16069, 15137, 13623, 11585, 9102, 6270, 3196], np.int64)
    signed = np.concatenate([[16384], cosines, [0], -cosines[::-1], [-16384]])
    turns = np.outer(np.arange(8), 2 * np.arange(8) + 1) % 32
    basis = signed[np.minimum(turns, 32 - turns)] // 2
    basis[0] = 5793
    cascade = Cascade.of_image(array, basis, basis[::-1] * -1)
    analysis = PhotoAnalysis.fit(array)
    analysis = replace(analysis, cascade=cascade, found=Planes(cascade.forward(array, 1 / 8)))
    return coded(analysis, step, 64)


def digest(array):
    """Return the SHA-256 of an array's shape, type and little-endian bytes."""
    kind = np.dtype(array.dtype).newbyteorder("<")
    text = f"{'x'.join(map(str, array.shape))} {array.dtype.name} ".encode()
    return hashlib.sha256(text + np.ascontiguousarray(array, kind).tobytes()).hexdigest()


def expectation(data, model=None):
    """Return what a file decodes to, at each of a few k."""
    opened = pcaimage.container.read(data)
    ks = sorted({min(1, opened.k), (opened.k + 1) // 2, opened.k})
    arrays = {str(k): pcaimage.decode(data, k, model=model) for k in ks}
    expected = {
        "shape": list(arrays[str(opened.k)].shape),
        "dtype": arrays[str(opened.k)].dtype.name,
        "k": opened.k,
        "pixels": {k: digest(array) for k, array in arrays.items()},
    }
    if opened.alpha is not None:
        expected["alpha"] = digest(opened.alpha)
    if arrays[str(ks[0])].size <= 200:
        expected["values"] = arrays[str(opened.k)].ravel().tolist()
    return expected


def main():
    """Write the files that are not there yet."""
    expected = json.loads(EXPECTED.read_text("utf-8")) if EXPECTED.exists() else {}
    return _added(cases(), expected) or _added(lent(), expected)


def add_arrays(folder):
    """Write those files of arrays that are not there yet, and what they decode to."""
    digests = folder / "digests.json"
    expected = json.loads(digests.read_text("utf-8")) if digests.exists() else {}
    for name, data in arrays().items():
        if name not in expected:
            (folder / f"{name}.pcai").write_bytes(data)
            expected[name] = digest(pcaimage.decode(data))
    digests.write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n", "utf-8")


def _added(files, expected):
    """Write those files that are not there yet, and what they decode to; return 1 if one is too large."""
    for name, data in files.items():
        path = HERE / f"{name}.pcai"
        if path.exists() or name in expected:
            continue
        if len(data) > MAX_BYTES:
            print(f"{name} has {len(data)} bytes; a golden file has at most {MAX_BYTES}.", file=sys.stderr)  # noqa: T201
            return 1
        with path.open("xb") as file:
            file.write(data)
        expected[name] = expectation(data, model_of(name))
    EXPECTED.write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    add_arrays(HERE / "arrays")
    sys.exit(main())

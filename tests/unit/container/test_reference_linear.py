"""docs/format.md is enough to decode the linear method: a decoder written from it gives the same numbers."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pcaimage
import pcaimage.container
from pcaimage import Bands, Blocks, Channels, Settings, Stack, container
from pcaimage.choices import Effort
from pcaimage.codec.linear import coding, direct, slices
from pcaimage.container import spec, writer
from pcaimage.errors import FormatError
from tests.golden import make
from tests.reference import groups as reference_groups
from tests.reference import linear, photo
from tests.reference import linear as reference
from tests.reference.container import Refused, number, spectrum_of
from tests.unit.codec.linear.planes import decoded_planes
from tests.unit.container.files import assembled, parts, replaced, scene


def cube(height, width, count, peak: float = 4000, seed: int = 0) -> NDArray[np.float64]:
    """Return mixtures of a few spectra with noise."""
    random = np.random.default_rng(seed)
    y, x = np.indices((height, width))
    shares = [np.sin(y / 5), np.cos(x / 7), (y // 9 + x // 11) % 2, (x - y) / (height + width)]
    spectra = random.random((4, count))
    mixed = np.tensordot(np.stack(shares, axis=2), spectra, 1)
    return (mixed * 0.15 + random.normal(size=mixed.shape) * 0.01 + 0.4) * peak


def with_holes(array, value: float, *, in_bands: bool = False) -> NDArray[Any]:
    found = array.copy()
    found[3:7, 2:9] = value
    found[-1, :3] = value
    if in_bands:
        found[9, 4, 1:3] = value
    return found


WORDS = cube(13, 36, 7).astype(np.uint16)
SIGNED = (cube(12, 13, 6) - 2000).astype(np.int16)
REAL = (cube(12, 11, 5) / 4000).astype(np.float32)

FAST = Settings(Bands(), lossless=True, effort=Effort.FAST)


def random_words(*shape: int) -> NDArray[Any]:
    found = np.random.default_rng(3).integers(0, 65536, shape).astype(np.uint16)
    found[..., 1] = found[..., 0] // 3
    return found


CASES: dict[str, tuple[NDArray[Any], Settings]] = {
    "16 bits": (WORDS, Settings(step=40.0)),
    "8 bits": (cube(11, 16, 5, 255).astype(np.uint8), Settings(step=3.0)),
    "signed": (SIGNED, Settings(step=30.0)),
    "real": (REAL, Settings(step=0.01)),
    "real without an axis": (REAL[..., 0], Settings(Bands(), step=0.02)),
    "one pixel": (WORDS[:1, :1], Settings(k=1)),
    "one column": (WORDS[:, :1], Settings(step=40.0)),
    "one line": (WORDS[:1], Settings(step=40.0)),
    "one band": (WORDS[..., :1], Settings(Bands(), step=9.0)),
    "fine steps": (WORDS[:12, :9], Settings(step=0.5)),
    "coarse steps": (WORDS, Settings(step=3000.0)),
    "strips": (cube(4, 75, 5).astype(np.uint16), Settings(step=20.0)),
    "standardised": (WORDS[:, :20], Settings(Bands(), k=4, standardize=True)),
    "left out": (WORDS[:, :20], Settings(step=40.0, leave_out=(2,))),
    "nothing measured in places": (with_holes(WORDS[:, :20], 0), Settings(step=40.0, nodata=0)),
    "nothing measured in bands": (
        with_holes(SIGNED, -9999, in_bands=True),
        Settings(step=40.0, nodata=-9999),
    ),
    "real with holes": (with_holes(REAL, np.nan, in_bands=True), Settings(step=0.01)),
    "lossless": (WORDS[:9, :14], Settings(lossless=True)),
    "lossless with holes": (with_holes(SIGNED, -9999, in_bands=True), Settings(lossless=True, nodata=-9999)),
    "near": (WORDS[:9, :14], Settings(max_error=5)),
    "blocks": (scene(35, 42, 3), Settings(Blocks(8), k=20)),
    "odd sizes": (scene(23, 31, 3), Settings(Blocks(5), k=11)),
    "grey without channels": (scene(19, 26), Settings(Blocks(4), k=7)),
    "standardised blocks": (scene(30, 25, 3), Settings(Blocks(3), k=10, standardize=True)),
    "blocks of 16 bits": (scene(22, 21, 3, peak=65535), Settings(Blocks(4), k=15)),
    "16 bits, all components": (scene(16, 16, 1, peak=65535), Settings(Blocks(2), k=4)),
    "channels": (scene(20, 21, 3), Settings(Channels(), k=3)),
    "stack": (scene(9, 8, 7, 3), Settings(Stack(), k=6)),
    "lines of a stack": (scene(1030, 2, 2), Settings(Stack(), k=2)),
    "stack of 16 bits without channels": (scene(6, 5, 7, peak=65535), Settings(Stack(), k=5)),
    "empty planes between others": (scene(40, 40, 1), Settings(Blocks(4), k=16, step=90.0)),
    "blocks, fine step": (scene(20, 20, 1), Settings(Blocks(4), k=3, step=0.001)),
    "blocks, coarse step": (scene(20, 20, 3), Settings(Blocks(8), k=6, step=5000.0)),
    "one pixel in colour": (scene(1, 1, 3), Settings(Channels(), k=1)),
    "constant": (np.full((9, 9, 3), 200, np.uint8), Settings(Blocks(8), k=1)),
    "real and near": (with_holes(REAL, np.nan), Settings(max_error=0.003)),
    "direct": (WORDS, FAST),
    "direct, signed with holes": (
        with_holes(SIGNED, -9999, in_bands=True),
        replace(FAST, nodata=-9999, lossless=False, max_error=3),
    ),
    "direct, wild": (random_words(9, 21, 3), FAST),
    "direct, real": (with_holes(REAL, np.nan), replace(FAST, lossless=False, max_error=0.003)),
    "direct, a pixel": (WORDS[:1, :1], FAST),
}


def same(data, k: int | None = None) -> reference.Decoded:
    decoded, expected = reference.decode(data, k), pcaimage.decode(data, k)
    assert (decoded.values.shape, decoded.values.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(decoded.values, expected, equal_nan=expected.dtype.kind == "f")
    scores = coding.unpack(container.read(data), k).scores
    assert np.array_equal(decoded.scores.reshape(scores.shape), scores)
    return decoded


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_reference_decoder_gives_the_same_values(name):
    array, settings = CASES[name]
    whole = same(pcaimage.encode(array, settings))
    if settings.lossless:
        assert np.array_equal(whole.values, array)


def test_reference_decoder_gives_the_same_values_for_fewer_components_and_leaves_corrections_alone():
    data = pcaimage.encode(WORDS[:9, :14], Settings(k=4, lossless=True))
    for k in (1, 2):
        assert not np.array_equal(same(data, k).values, WORDS[:9, :14])


@pytest.mark.slow
def test_reference_decoder_reads_slices(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_PIXELS", (30, 60))
    monkeypatch.setattr(slices, "SLICE_SCORES", 200)
    monkeypatch.setattr(direct, "LEAST", 63)
    monkeypatch.setattr(direct, "COLUMNS", 7)
    for array, settings in (
        (WORDS[:, :20], Settings(k=4, step=30.0)),
        (WORDS[:9, :14], Settings(max_error=3)),
        (WORDS[:9, :14], replace(FAST, lossless=False, max_error=3)),
        CASES["blocks"],
    ):
        data = pcaimage.encode(array, settings)
        header = container.read(data).header
        assert (header.slice_rows, header.slice_columns) in {(7, 10), (9, 7), (2, 0)}
        found = same(data)
        if settings.max_error:
            assert np.abs(found.values.astype(int) - array).max() <= 3


@pytest.mark.slow
def test_reference_decoder_reads_slices_of_vectors():
    same(pcaimage.encode(scene(3, 210, 230), Settings(Stack(), k=1)))


@pytest.mark.parametrize("predictors", [slices.PIXEL_PLANES, slices.OTHER_PLANES])
@pytest.mark.parametrize("stream", [b"", b"\xff" * 900, 1, 2])
@pytest.mark.sweep(2)
def test_whatever_the_bytes_are_they_mean_the_same_to_both(stream, predictors):
    planes_learn_seldom = stream == 2
    if isinstance(stream, int):
        stream = np.random.default_rng(stream).bytes(900)
    shape, count = ((21, 12), 10) if planes_learn_seldom else ((6, 40), 4)
    mask = np.random.default_rng(5).random(shape) < 0.9
    if predictors == slices.OTHER_PLANES:
        mask[:] = True
    expected = reference.Slice(mask, predictors, stream).decode(count)
    assert decoded_planes(count, stream, predictors, mask).tolist() == expected


@pytest.mark.slow
def test_extremes_mean_the_same_to_both():
    board = (np.indices((9, 14)).sum(axis=0) % 2 * 65535).astype(np.uint16)
    array = np.stack([board, 65535 - board, board // 3, board * 0, board * 0 + 65535], axis=2)
    data = pcaimage.encode(array, Settings(k=1, step=20000.0, lossless=True))
    assert np.array_equal(same(data).values, array)


@pytest.mark.parametrize("change", [lambda data: data[:3], lambda data: data[:-1], lambda data: data + b"\0"])
@pytest.mark.parametrize("settings", [Settings(k=2, lossless=True), FAST])
def test_both_refuse_corrections_of_other_lengths(change, settings):
    found = parts(pcaimage.encode(WORDS[:5, :6], settings))
    payload = next(payload for kind, payload in found if kind == b"R")
    data = assembled(replaced(found, b"R", change(payload)))
    with pytest.raises(Refused):
        reference.decode(data)
    with pytest.raises(FormatError):
        pcaimage.decode(data)


def test_reference_decoder_gives_the_same_opacity():
    array, alpha = scene(14, 15, 3, peak=65535), scene(14, 15, 2, peak=65535)[..., 0]
    data = pcaimage.encode(array, Settings(Blocks(8), k=2), alpha=alpha)
    assert reference.decode(data).alpha == alpha.ravel().tolist()


def test_reference_decoder_reads_the_ancillary_chunks(full_file):
    compressed = container.read(full_file)
    ancillary = reference.decode(full_file).ancillary
    assert ancillary["n"].decode() == compressed.metadata.name
    assert number(ancillary["f"], 0)[0] == compressed.metadata.file_size
    assert zlib.decompress(ancillary["i"]) == compressed.metadata.icc_profile
    assert zlib.decompress(ancillary["x"]) == compressed.metadata.exif
    np.testing.assert_allclose(spectrum_of(ancillary["s"]), compressed.spectrum, rtol=1e-12)


FILES = sorted(make.HERE.glob("*.pcai"))
EXPECTED = json.loads(make.EXPECTED.read_text("utf-8"))


def test_every_golden_file_is_described_and_small():
    assert {path.stem for path in FILES} == set(EXPECTED)
    assert all(path.stat().st_size <= make.MAX_BYTES for path in FILES)
    assert sum(path.stat().st_size for path in FILES) < 90 * 1024


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_file_decodes_to_the_same_pixels(path):
    expected = EXPECTED[path.stem]
    model = make.MODELS.get(path.stem)
    opened = pcaimage.open(path, model=None if model is None else path.with_name(f"{model}.pcai"))
    assert opened.k == expected["k"]
    for k, digest in expected["pixels"].items():
        pixels = opened.decode(int(k))
        assert list(pixels.shape) == expected["shape"]
        assert pixels.dtype.name == expected["dtype"]
        assert make.digest(pixels) == digest
        if int(k) == opened.k and "values" in expected:
            assert pixels.ravel().tolist() == expected["values"]
    alpha = opened.compressed.alpha
    assert (None if alpha is None else make.digest(alpha)) == expected.get("alpha")


def affordable(name, numbers):
    """Return how many components plain Python shall decode: as many as have so many numbers, or one."""
    height, width = EXPECTED[name]["shape"][:2]
    return max(k for k in map(int, EXPECTED[name]["pixels"]) if k < 2 or k * height * width <= numbers)


# Residuals have a reference decoder of their own.
PHOTOS = ("photo", "tools", "tiles")
LOSSY = [path.stem for path in FILES if path.stem.startswith(PHOTOS) and "lossless" not in path.stem]


LINEAR = [
    path.stem for path in FILES if path.stem.startswith(("bands", "blocks", "channels", "lent", "stack"))
]


@pytest.mark.parametrize("name", [*LOSSY, *LINEAR])
@pytest.mark.sweep(4)
def test_golden_files_mean_the_same_to_the_reference_decoders(name):
    k, data = affordable(name, 100_000 if name in LOSSY else 2000), (make.HERE / f"{name}.pcai").read_bytes()
    decoded = photo.decode(data, k) if name in LOSSY else linear.decode(data, k, make.model_of(name))
    found = decoded.pixels if name in LOSSY else decoded.values
    assert make.digest(found) == EXPECTED[name]["pixels"][str(k)]


def test_digest_tells_shape_and_type_apart():
    array = np.zeros((2, 3), np.uint8)
    different = [array, array.T, array.view("u1").astype("u2"), array + np.uint8(1)]
    assert len({make.digest(other) for other in different}) == 4
    assert make.digest(array.astype(">u2")) == make.digest(array.astype("<u2"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make golden files elsewhere."""
    monkeypatch.setattr(make, "HERE", tmp_path)
    monkeypatch.setattr(make, "EXPECTED", tmp_path / "expected.json")
    return tmp_path


def test_making_golden_files_never_overwrites(folder, monkeypatch):
    old, new, data = "old", "new", FILES[0].read_bytes()
    monkeypatch.setattr(make, "cases", lambda: {old: data, new: data})
    monkeypatch.setattr(make, "lent", dict)
    (folder / f"{old}.pcai").write_bytes(b"kept")
    make.EXPECTED.write_text(json.dumps({old: "kept"}), "utf-8")
    assert make.main() == 0
    assert (folder / f"{old}.pcai").read_bytes() == b"kept"
    assert (folder / f"{new}.pcai").read_bytes() == data
    described = json.loads(make.EXPECTED.read_text("utf-8"))
    assert described[old] == "kept"
    assert described[new]["k"] == pcaimage.container.read(data).k


def test_making_refuses_a_large_golden_file(folder, monkeypatch, capsys):
    make.EXPECTED.write_text(json.dumps(EXPECTED), "utf-8")
    monkeypatch.setattr(make, "cases", lambda: {"large": bytes(make.MAX_BYTES + 1)})
    assert make.main() == 1
    assert "large has" in capsys.readouterr().err
    assert not (folder / "large.pcai").exists()


DOCUMENT = Path(__file__).parents[3] / "docs" / "format.md"


@pytest.fixture(scope="module")
def text():
    return DOCUMENT.read_text("utf-8")


@pytest.fixture(scope="module")
def dump(text):
    """Return the bytes of the example's lines by offset."""
    lines = re.findall(r"^([0-9a-f]{4})  ((?:[0-9a-f]{2} ?)+)", text, re.MULTILINE)
    return {int(offset, 16): bytes.fromhex(row) for offset, row in lines}


def test_chunks_and_payloads_begin_lines_of_the_dump_and_numbers_are_those_documented(dump):
    data, place = b"".join(dump.values()), 0
    for offset, row in dump.items():
        assert offset == place
        place += len(row)
    assert place == 84
    for chunk in pcaimage.container.scan(data):
        places = {chunk.start, chunk.stop - 4 - len(chunk.payload), chunk.stop - 4}
        assert places <= set(dump)
    model = pcaimage.codec.unpack(pcaimage.container.read(data))
    assert model.mean.tolist() == [69, 75, 105, 114]
    assert model.entries.tolist() == [[8, 7, 10, 7], [-3, -3, 6, -3]]
    assert model.scores.tolist() == [[-7, 1, -2, -3, 5, 6], [0, 6, 1, -5, -1, -1]]
    assert float(model.header.step) == 17.734375


@pytest.mark.parametrize(("k", "columns"), [(None, slice(0, 5)), (1, slice(5, 10))])
def test_dump_decodes_to_the_documented_pixels(text, dump, k, columns):
    data = b"".join(dump.values())
    block = text.split("It decodes to")[1].split("```")[1].removeprefix("text\n")
    documented = np.array([row.split()[columns] for row in block.strip().splitlines()], int)
    assert np.array_equal(pcaimage.decode(data, k), documented)
    assert np.array_equal(linear.decode(data, k).values, documented)


def test_document_names_every_chunk_and_the_version(text):
    assert "version {}.{}".format(*divmod(spec.VERSION, 16)) in text
    assert f"| 8 | u8 | version: {spec.VERSION}," in text
    for kind in spec.Chunk:
        assert re.search(rf"^\| [^|]*`{kind.value.decode()}`[^|]* \| ", text, re.MULTILINE)


def test_documented_group_is_read_and_written_as_documented(text):
    example = text.split("For example, segments of ")[1]
    lengths = [int(number) for number in re.findall(r"\d+", example.split("bytes")[0])]
    payload = bytes.fromhex(example.split("`")[1]) + bytes(sum(lengths))
    segments = [bytes(length) for length in lengths]
    assert writer.group_payload(3, segments) == payload
    assert reference_groups.segments(payload) == (3, segments)


def rows_of(text):
    return {
        name: (shape, kind)
        for names, shapes, kinds in re.findall(
            r"^\| (`.*`) \| ([\d, ;]+|their sum) \| ([iu\d, ]+) \|", text, re.MULTILINE
        )
        for name, shape, kind in spread(names, shapes, kinds)
    }


def test_document_describes_every_array_of_the_tables(text):
    rows, arrays = rows_of(text), photo.arrays_of(1, 0)
    assert set(rows) == set(arrays)
    for name, (shape, kind) in rows.items():
        of_rows = arrays.get(re.sub("_.*", "_trained", name), np.zeros(0))
        assert (arrays[name].shape, arrays[name].dtype.str[1:]) == (shape or (of_rows.sum(),), kind)


def spread(names, shapes, kinds):
    """Return what a row says of each of its arrays; what is said once is said of all."""
    each = re.findall(r"`(\w+)`", names)
    sizes = [tuple(map(int, re.findall(r"\d+", shape))) for shape in shapes.split(";")]
    types = kinds.split(", ")
    pairs = [part * len(each) if len(part) == 1 else part for part in (sizes, types)]
    return list(zip(each, *pairs, strict=True))


def test_document_has_the_digests_of_the_tables(text):
    for path in sorted((photo.RESOURCES / "photo-1").iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert f"{path.name}  {digest}" in text

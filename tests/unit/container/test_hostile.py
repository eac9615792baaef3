"""Whatever the bytes, reading gives an image or a FormatError, in bounded memory."""

import contextlib
import tracemalloc
import zlib
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pcaimage
from pcaimage import Blocks, Channels, Settings, Stack, codec, container
from pcaimage.codec.linear.coding import code_vector
from pcaimage.container import spec
from pcaimage.container.spec import Chunk
from pcaimage.errors import FormatError, TruncatedError
from pcaimage.signature import SIGNATURE
from pcaimage.varint import write_varint
from tests.unit.container.files import assembled, header_in, moved, mutate, open_all, parts, replaced, without

LIMIT = 1 << 14


def test_salvage_stops_before_the_first_damaged_component(full_file):
    third = [c for c in container.scan(full_file) if c.kind is Chunk.COMPONENT][2]
    damaged = bytearray(full_file)
    damaged[third.stop - 5] ^= 1
    with pytest.raises(FormatError, match=rf"checksum.*byte {third.start}"):
        container.read(bytes(damaged))
    image = container.read(bytes(damaged), salvage=True)
    assert image.k == 2
    assert np.array_equal(codec.decompress(image), pcaimage.decode(full_file, 2))


def test_other_files_and_bytes_after_the_end_are_refused(full_file):
    for data in (b"", b"\x89PNG\r\n\x1a\n" + bytes(50), b"text", bytes(100)):
        with pytest.raises(FormatError, match=r"not a \.pcai file"):
            container.read(data)
    with pytest.raises(FormatError, match="after the end"):
        container.read(full_file + b"\0")
    for version in range(1, 8):
        old = full_file[:8] + bytes([version, 0]) + full_file[9:]
        for act in (container.read, container.peek, pcaimage.decode):
            with pytest.raises(FormatError, match="by an unreleased version of pcaimage; open it with"):
                act(old)


def test_other_versions_are_refused_but_those_that_only_add_to_this_one(full_file):
    other = bytearray(full_file)
    other[8] = 0x20
    with pytest.raises(FormatError, match="this program does not know; a newer one may"):
        container.read(bytes(other))
    other[8] = 0x13
    assert np.array_equal(pcaimage.decode(bytes(other)), pcaimage.decode(full_file))


def test_unknown_ancillary_chunks_are_passed_over_and_the_header_is_read_before_anything_else(full_file):
    found = parts(full_file)
    for place in (1, len(found) // 2, len(found) - 1):
        more = [*found[:place], (b"z", b"from the future"), (b"z", b""), *found[place:]]
        assert np.array_equal(pcaimage.decode(assembled(more)), pcaimage.decode(full_file))
    for data in (full_file, full_file[:60]):
        assert container.peek(data) == container.read(full_file).header
    with pytest.raises(FormatError, match="header is not where"):
        container.peek(assembled(found[1:]))


@pytest.mark.parametrize("kind", [b"Z", b"\0", b"!", b"\xff"])
def test_unknown_critical_chunks_are_refused(full_file, kind):
    found = parts(full_file)
    with pytest.raises(FormatError, match="does not know"):
        container.read(assembled([*found[:3], (kind, b""), *found[3:]]))


def of_deviations(found, value):
    """Return the payload of deviations that all have a value."""
    header = container.read(assembled(found)).header
    return code_vector(header, np.full(header.n_features, value))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: without(f, b"H"), "header is not where"),
        (lambda f: moved(f, b"H", 1), "header is not where"),
        (lambda f: [(b"z", b""), *f], "header is not where"),
        (lambda f: [f[0], *f], "header is not where"),
        (lambda f: without(f, b"M"), "no mean"),
        (lambda f: moved(f, b"M", -1), "no mean"),
        (lambda f: without(f, b"D"), "standard deviations"),
        (lambda f: moved(f, b"A", -1), "wrong order"),
        (lambda f: [*f[:2], *f[1:]], "two chunks of a kind"),
        (lambda f: without(f, b"C"), "as many components"),
        (lambda f: f[:-2] + f[-1:], "as many components"),
        (lambda f: [*f[:-1], (b"E", b"\7\0")], "as many components"),
        (lambda f: [*f[:-3], f[-2], f[-3], f[-1]], "not where it should be"),
        (lambda f: [*f[:-2], (b"C", b"\7"), f[-1]], "has no valid precision"),
        (lambda f: [*f[:-2], (b"C", b"\7\x1f\0"), f[-1]], "has no valid precision"),
        (lambda f: [*f[:-2], (b"C", b"\7\x08\x09short"), f[-1]], "vector of a component is longer"),
        (lambda f: replaced(f, b"f", b""), r"number is cut short. \(at byte \d\d"),
        (lambda f: replaced(f, b"i", b"not deflated"), r"Deflated data is damaged. \(at byte"),
        (lambda f: replaced(f, b"x", zlib.compress(bytes(99))[:-3]), "Deflated data does not give"),
        (lambda f: replaced(f, b"x", zlib.compress(bytes(spec.MAX_PROFILE + 1))), "Deflated data does not"),
        (lambda f: replaced(f, b"A", b""), "opacity"),
        (lambda f: replaced(f, b"s", b"\xff\x7f" + zlib.compress(b"")), "more variances than"),
        (lambda f: replaced(f, b"s", b"\2" + zlib.compress(b"\1\2\0\0")), "spectrum is damaged"),
        (lambda f: replaced(f, b"p", b"\0\1\1" + zlib.compress(b"")), "preview's size"),
        (lambda f: replaced(f, b"p", b"\1\1\2" + zlib.compress(b"12")), "preview's size"),
        (lambda f: replaced(f, b"p", b"\1\1\1" + zlib.compress(b"12")), "Deflated data does not"),
        (lambda f: replaced(f, b"p", b"\1\1"), "number is cut short"),
        (lambda f: replaced(f, b"D", of_deviations(f, -1)), "out of range"),
    ],
)
@pytest.mark.sweep(7)
def test_what_contradicts_the_specification_is_refused(full_file, change, message):
    with pytest.raises(FormatError, match=message) as caught:
        pcaimage.decode(assembled(change(parts(full_file))))
    assert type(caught.value) is FormatError


def test_more_components_than_the_image_can_have_are_refused():
    data = pcaimage.encode(np.arange(12, dtype=np.uint8).reshape(2, 2, 3), Settings(Channels(), k=3))
    found = parts(data)
    more = [*found[:-1], (b"C", b"\4\5\0"), (b"E", b"\4")]
    with pytest.raises(FormatError, match="more components than"):
        container.read(assembled(more))
    assert container.read(assembled(more), salvage=True).k == 3


HEADER = bytes([0, 4, 1, 1, 0x34, 0x08, 0xF7, 0, 0, 0, 9, 7, 3])


@pytest.mark.parametrize(
    ("place", "values", "message"),
    [
        (0, b"\3", "no such method"),
        (0, b"\1", "no such method"),
        (0, b"\2", "no such method"),
        (1, b"\1", "not with blocks of such a size"),
        (1, b"\x41", "not with blocks of such a size"),
        (2, b"\3", "numbers of an unknown type"),
        (3, b"\x08", "unknown flags"),
        (3, b"\0", "without an axis of channels"),
        (4, b"\xff\x07", "its step is out of range"),
        (4, b"\0\x10", "its step is out of range"),
        (6, b"\x29", "its step is out of range"),
        (6, b"\xd7", "its step is out of range"),
        (7, b"\x29", "denominators"),
        (8, b"\1", "denominators"),
        (3, b"\3" + HEADER[4:8] + b"\x19", "denominators"),
        (9, b"\x80\x80\x80\x10\x09\x07\x03", "at most 1024 slices"),
        (10, b"\0", "out of range"),
        (10, write_varint(spec.MAX_SIDE + 1) + b"\7\3", "out of range"),
        (10, b"\7\7" + write_varint(spec.MAX_CHANNELS + 1), "out of range"),
        (10, b"\7\7\3\1", "too many sides"),
        (10, b"\x80\x80\x08\x80\x80\x08\3", "more numbers than the limit of 16384; raise the limit"),
    ],
)
def test_header_out_of_range_is_refused(place, values, message):
    payload = bytearray(HEADER)
    assert header_in(bytes(payload), LIMIT).shape == (9, 7, 3)
    payload[place : len(payload) if place >= 9 and len(values) > 1 else place + len(values)] = values
    with pytest.raises(FormatError, match=message):
        header_in(bytes(payload), LIMIT)


def bombs():
    large = HEADER[:10] + write_varint(1 << 14) * 2 + b"\1"
    yield "sides", assembled([(b"H", HEADER[:10] + write_varint(1 << 24) * 2 + b"\3")])
    yield "length", SIGNATURE + b"\x10H" + write_varint((1 << 42) - 1) + bytes(100)
    yield "profile", assembled([(b"H", HEADER), (b"i", zlib.compress(bytes(1 << 25), 9))])
    yield (
        "preview",
        assembled([(b"H", HEADER), (b"M", b""), (b"p", write_varint(1 << 40) * 3), (b"E", b"\0")]),
    )
    yield "spectrum", assembled([(b"H", HEADER), (b"M", b""), (b"s", write_varint(1 << 40)), (b"E", b"\0")])
    yield "components", assembled([(b"H", large), (b"M", b""), (b"E", write_varint(1 << 40))])
    yield (
        "vector",
        assembled([(b"H", HEADER), (b"M", b""), (b"C", b"\1\1" + write_varint(1 << 41)), (b"E", b"\1")]),
    )


@pytest.mark.parametrize(
    ("name", "data"), list(bombs()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_hostile_lengths_take_no_memory(name, data):
    tracemalloc.start()
    with pytest.raises(FormatError):
        container.read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20, name


def test_limit_counts_the_padding_of_blocks(picture):
    data = pcaimage.encode(picture[:5, :5], Settings(Blocks(64), k=1))
    with pytest.raises(FormatError, match="limit of 12287"):
        container.read(data, max_numbers=64 * 64 * 3 - 1)
    assert container.read(data, max_numbers=64 * 64 * 3).header.shape == (5, 5, 3)


KINDS = ("blocks", "bands", "photo", "lent")
COUNTS = {Chunk.COMPONENT: (1,) * 7, Chunk.SCORES: (1,) * 7, Chunk.GROUP: (3, 5)}
"""How many components there are in each chunk of the files below."""


@pytest.fixture(scope="module")
def whole(full_file, bands_file, photo_file, lent_file):
    """Return a file with every kind of chunk for each kind of file."""
    return dict(zip(KINDS, (full_file, bands_file, photo_file, lent_file[0]), strict=True))


@pytest.fixture(scope="module")
def files(whole):
    """Return those, and files of other types, shapes and settings."""
    random = np.random.default_rng(0)
    deep = random.integers(0, 65535, (9, 8)).astype(np.uint16)
    stack = random.integers(0, 255, (5, 4, 6, 3)).astype(np.uint8)
    cube = random.integers(0, 400, (6, 8, 5)).astype(np.uint16)
    real = cube / np.float32(64)
    real[1, 2] = np.nan
    return [
        *whole.values(),
        pcaimage.encode(deep, Settings(Blocks(3), k=4)),
        pcaimage.encode(stack[0], Settings(Channels(), k=3)),
        pcaimage.encode(stack, Settings(Stack(), k=3)),
        pcaimage.encode(real, Settings(max_error=0.5)),
        pcaimage.encode(cube, Settings(k=3), alpha=np.full((6, 8), 65535, np.uint16)),
        pcaimage.encode(cube, Settings(lossless=True)),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_cut_is_noticed_and_whole_components_are_salvaged(whole, kind):
    data = whole[kind]
    image, chunks = container.read(data), list(container.scan(data))
    stops = [chunk.stop for chunk in chunks if chunk.kind in COUNTS]
    counts = next(counts for kind, counts in COUNTS.items() if any(chunk.kind is kind for chunk in chunks))
    residual = next((chunk.stop for chunk in chunks if chunk.kind is Chunk.RESIDUAL), len(data))
    ends = dict(zip(stops, accumulate(counts), strict=False))
    for length in range(len(data)):
        with pytest.raises(FormatError) as caught:
            container.read(data[:length])
        assert isinstance(caught.value, TruncatedError) == (length > 0)
        k = max((end for stop, end in ends.items() if stop <= length), default=0)
        if not k:
            with pytest.raises(FormatError):
                container.read(data[:length], salvage=True)
            continue
        found = container.read(data[:length], salvage=True)
        assert found.components == image.components[:k]
        assert np.array_equal(found.alpha, image.alpha)
        assert found.residual == (image.residual if length >= residual else None)


@pytest.mark.parametrize("kind", KINDS)
def test_every_changed_byte_is_noticed(whole, kind):
    data = whole[kind]
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x41
        with pytest.raises(FormatError):
            container.read(bytes(damaged))


@pytest.mark.parametrize("kind", KINDS)
def test_every_short_header_is_refused(whole, kind):
    payload = parts(whole[kind])[0][1]
    assert header_in(payload) == container.peek(whole[kind])
    for length in range(len(payload)):
        with pytest.raises(FormatError):
            header_in(payload[:length])


@pytest.mark.parametrize("kind", ["blocks", "lent"])
def test_sums_that_would_not_be_exact_are_refused(whole, lent_file, kind):
    found = parts(whole[kind])
    header = bytearray(found[0][1])
    header[6] = 40  # exponent of the step
    found = [(kind, part[:1] + b"\xff\x55" * 99 if kind == b"S" else part) for kind, part in found]
    found = [(kind, part + b"\xff" * 99 if kind == b"C" else part) for kind, part in found]
    with pytest.raises(FormatError, match="out of range"):
        pcaimage.decode(
            assembled([(b"H", bytes(header)), *found[1:]]), model=lent_file[1] if kind == "lent" else None
        )


@settings(max_examples=60)
@given(data=st.data())
def test_changed_deleted_and_added_bytes_give_format_errors_only(files, data):
    mutated = bytearray(data.draw(st.sampled_from(files)))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(mutated) - 1))
        kind = data.draw(st.sampled_from(["set", "delete", "insert"]))
        if kind == "set":
            mutated[place] = data.draw(st.integers(0, 255))
        elif kind == "delete":
            del mutated[place : place + data.draw(st.integers(1, 20))]
        else:
            mutated[place:place] = data.draw(st.binary(min_size=1, max_size=20))
        mutated = mutated or bytearray(b"\0")
    open_all(bytes(mutated))


@settings(max_examples=80)
@given(data=st.data())
def test_mutations_with_right_checksums_give_format_errors_only(files, data):
    found = parts(data.draw(st.sampled_from(files)))
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(found, data)
    hostile = assembled(found)
    open_all(hostile)
    with contextlib.suppress(FormatError):
        sizes = container.trimmed_sizes(hostile)
        assert [len(container.trim(hostile, k)) for k in range(1, len(sizes) + 1)] == sizes


@settings(max_examples=20)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_format_errors_only(data):
    open_all(data)
    open_all(SIGNATURE + b"\1\0" + data)

"""Files of every kind that were cut short or changed are refused, or salvaged as far as they are whole."""

import contextlib
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pcaimage
from pcaimage import Blocks, Channels, Settings, Stack, container
from pcaimage.container.spec import Chunk
from pcaimage.errors import FormatError, TruncatedError
from pcaimage.signature import SIGNATURE
from tests.unit.container.files import assembled, header_in, mutate, open_all, parts

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


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=80, deadline=None)
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


@settings(max_examples=20, deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_format_errors_only(data):
    open_all(data)
    open_all(SIGNATURE + b"\1\0" + data)

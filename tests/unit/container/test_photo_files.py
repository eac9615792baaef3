"""Files of the photo method: their version, their groups, their residual."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcaimage import Blocks, container
from pcaimage.codec import Component, Header, Step
from pcaimage.codec.compressed import DEPENDENT
from pcaimage.codec.decoding import Container
from pcaimage.container import records, spec
from pcaimage.container.spec import GROUP_BYTES, Chunk, write_chunk
from pcaimage.container.writer import group_payload, group_payloads, payload_sizes
from pcaimage.errors import FormatError, SettingsError, TruncatedError
from pcaimage.sampling import Lapped
from pcaimage.varint import write_varint
from tests.reference import groups as reference
from tests.unit.container import files
from tests.unit.container.files import HEADER, assembled, photo

LARGE = photo(9, GROUP_BYTES, 512, 0, GROUP_BYTES // 2, GROUP_BYTES, 64, 32, 0, 16, 5, residual=b"exact")


def same(one, other):
    return container.write(one) == container.write(other)


@pytest.mark.slow
@given(st.lists(st.integers(0, 300), max_size=192), st.none() | st.binary(max_size=9))
def test_photos_come_back(lengths, residual):
    image = photo(*lengths, residual=residual)
    found = container.read(container.write(image))
    assert (found.header, found.mean, found.components) == (image.header, image.mean, image.components)
    assert (found.residual, found.spectrum.size, found.preview) == (residual, 0, None)


def test_everything_else_comes_back(photo_file):
    kinds = "".join(kind.decode() for kind, _ in files.parts(photo_file))
    assert kinds == "HnfixMAGGRE"
    image = container.read(photo_file)
    assert (image.k, image.residual, image.metadata.file_size) == (8, b"residual", 4711)
    assert image.alpha is not None


def test_a_large_photo_has_several_groups():
    data = container.write(LARGE)
    assert [kind for kind, _ in files.parts(data)] == [b"H", b"M", b"G", b"G", b"G", b"R", b"E"]
    assert same(container.read(data), LARGE)


@pytest.mark.slow
@given(st.lists(st.integers(0, 40) | st.integers(0, 5).map(lambda n: n << 4), min_size=1, max_size=90))
def test_trimming_a_file_is_writing_fewer_components(lengths):
    image = photo(*lengths)
    data = container.write(image)
    sizes = container.trimmed_sizes(data)
    assert len(sizes) == image.k
    for k in {1, 1 + image.k // 2, image.k}:
        assert container.trim(data, k) == container.write(image.trimmed(k))
    assert sizes == [len(container.write(image.trimmed(k))) for k in range(1, image.k + 1)]


def test_trimming_cuts_large_files_in_any_group_and_keeps_the_residual_with_all_components_alone():
    data = container.write(LARGE)
    sizes = container.trimmed_sizes(data)
    for k in range(1, LARGE.k + 1):
        trimmed = container.trim(data, k)
        assert len(trimmed) == sizes[k - 1]
        assert trimmed == container.write(LARGE.trimmed(k))
        kept = b"exact" if k == LARGE.k else None
        assert container.read(trimmed).residual == LARGE.trimmed(k).residual == kept
    assert container.trim(data, LARGE.k) == data
    assert container.trimmed_sizes(container.write(photo(residual=b"of the mean alone"))) == []


def test_trimming_keeps_whole_groups_as_they_are(photo_file):
    groups = [chunk for chunk in container.scan(photo_file) if chunk.kind is Chunk.GROUP]
    for k, group in ((3, groups[0]), (8, groups[1])):
        end = write_chunk(Chunk.END, write_varint(k))
        kept = container.trim(photo_file, k)
        assert kept == (photo_file if k == 8 else photo_file[: group.stop] + end)
    assert container.trim(photo_file, 5).startswith(photo_file[: groups[1].start])
    with pytest.raises(SettingsError, match="8 components"):
        container.trim(photo_file, 9)


def test_trimming_a_damaged_group_is_refused(photo_file):
    damaged = files.assembled(files.replaced(files.parts(photo_file), b"G", b"\1\2\1\0"))
    for act in (container.trimmed_sizes, lambda data: container.trim(data, 1)):
        with pytest.raises(FormatError, match=r"table of a group.*at byte \d"):
            act(damaged)


def test_salvage_takes_the_groups_before_the_damage():
    data = bytearray(container.write(LARGE))
    groups = [chunk for chunk in container.scan(bytes(data)) if chunk.kind is Chunk.GROUP]
    data[groups[1].stop - 10] ^= 1
    with pytest.raises(FormatError, match="checksum"):
        container.read(bytes(data))
    image = container.read(bytes(data), salvage=True)
    assert same(image, LARGE.trimmed(2))


def test_each_method_has_its_own_chunks(full_file, photo_file):
    blocks, photos = files.parts(full_file), files.parts(photo_file)
    for kind in (b"G", b"R"):
        foreign = next(part for part in photos if part[0] == kind)
        with pytest.raises(FormatError, match="its method does not have"):
            container.read(files.assembled(inserted(blocks, -1, foreign)))
    for kind, place in ((b"C", -1), (b"D", 6)):
        foreign = next(part for part in blocks if part[0] == kind)
        with pytest.raises(FormatError, match="its method does not have"):
            container.read(files.assembled(inserted(photos, place, foreign)))


def inserted(found, place, *more):
    return [*found[:place], *more, *found[place:]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: files.without(f, b"M"), "no mean"),
        (lambda f: files.moved(f, b"A", -1), "wrong order"),
        (lambda f: files.without(f, b"G"), "as many components"),
        (lambda f: [*f[:-3], *f[-2:]], "as many components"),
        (lambda f: [*f[:-4], *f[-3:]], "not where it should be"),
        (lambda f: [*f[:-4], f[-3], f[-4], *f[-2:]], "not where it should be"),
        (lambda f: inserted(f, -1, (b"R", b"\x08")), "two chunks of a kind"),
        (lambda f: files.moved(f, b"R", -2), "as many components"),
        (lambda f: [*f[:-2], (b"R", b"\x07residual"), f[-1]], "as many components"),
        (lambda f: [*f[:-2], (b"R", b""), f[-1]], "cut short"),
        (lambda f: inserted(f, -1, (b"G", b"\x09\1\0")), "wrong order"),
        (lambda f: [*f[:-1], (b"E", b"\x08\0")], "as many components"),
    ],
)
def test_what_contradicts_the_specification_is_refused(photo_file, change, message):
    with pytest.raises(FormatError, match=message) as caught:
        container.read(files.assembled(change(files.parts(photo_file))))
    assert type(caught.value) is FormatError


def test_a_photo_has_as_many_components_as_features_however_few_its_samples():
    header = Header((3, 5, 3), "uint8", Lapped(), Step(2100, -9))
    assert header.max_components == 192
    found = files.parts(container.write(photo(*[1] * 192, header=header)))
    more = [*found[:-1], (b"G", write_varint(193) + b"\1\0"), (b"E", write_varint(193))]
    with pytest.raises(FormatError, match="more components than"):
        container.read(files.assembled(more))
    assert container.read(files.assembled(more), salvage=True).k == 192


PAYLOAD = records.write_header(HEADER)


@pytest.mark.parametrize(
    ("place", "values", "message"),
    [
        (3, b"\3", "neither denominators nor deviations"),
        (7, b"\1", "neither denominators nor deviations"),
        (10, write_varint(spec.MAX_SIDE + 1) + PAYLOAD[11:], "at most 1024 slices"),
    ],
)
def test_header_out_of_range_is_refused(place, values, message):
    payload = bytearray(PAYLOAD)
    assert len(payload) == 15
    payload[place : place + len(values)] = values
    with pytest.raises(FormatError, match=message):
        files.header_in(bytes(payload))


def test_tools_that_are_not_known_are_refused():
    for tool in (256, 512, 1 << 20):
        with pytest.raises(SettingsError, match="tools that this version of the program does not have"):
            records.write_header(replace(HEADER, tools=DEPENDENT | tool))
    payload = records.write_header(replace(HEADER, tools=DEPENDENT))
    with pytest.raises(FormatError, match="tools that this version of the program does not have"):
        files.header_in(payload[:11] + b"\x81\2" + payload[12:])


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (replace(photo(3), components=(Component(1, b"", b"scores"),)), "scores only"),
        (replace(photo(3), components=(Component(0, b"vector", b"scores"),)), "scores only"),
        (replace(photo(3), scale=b""), "no deviations"),
        (photo(header=replace(HEADER, tables=256)), "No file can have such a header"),
        (photo(header=replace(HEADER, slice_rows=-1)), "No file can have such a header"),
        (photo(header=replace(HEADER, mean_bits=1)), "neither denominators"),
        (photo(header=replace(HEADER, shape=(9, 9, 5))), "one to four channels"),
        (photo(header=replace(HEADER, sampling=Blocks())), "does not have"),
        (photo(header=Header((9, 9, 3), "uint8", Blocks(8), Step(2100, -9)), residual=b""), "Only photos"),
    ],
)
def test_what_no_reader_takes_is_not_written(image, message):
    with pytest.raises(SettingsError, match=message):
        container.write(image)


LENGTHS = st.lists(st.integers(0, 60) | st.sampled_from([0, 0, 0, 4096, 70001]), min_size=1, max_size=200)


SMALL = records.write_header(Header((8, 8, 3), "uint8", Lapped(), Step(2048, -8)))


def read_group(payload):
    """Read the components of a photo's only group, of which there may be 192."""
    found = Container(assembled([(b"H", SMALL), (b"M", b""), (b"G", payload)]))
    segments = [each.segment for each in found.components]
    if not segments:
        raise found.fault
    return segments


def segments_of(lengths):
    return [bytes([number % 251]) * length for number, length in enumerate(lengths, start=1)]


def falling(count, seed, first=40, last=0.3):
    """Return plausible lengths: a geometric fall, and each component half as large or again as large."""
    generator = np.random.default_rng(seed)
    means = first * (last / first) ** np.linspace(0, 1, count)
    values = means * np.exp(generator.normal(0, 0.4, count)) + generator.random(count)
    return [int(value) for value in values]


@pytest.mark.slow
@settings(max_examples=50)
@given(LENGTHS, st.integers(0, 5), st.integers(1, 300))
def test_segments_come_back(lengths, shift, number):
    segments = segments_of([length << shift for length in lengths[:-1]] + lengths[-1:])
    payload = group_payload(number, segments)
    assert reference.segments(payload) == (number, segments)
    if len(segments) <= 192:
        assert read_group(group_payload(1, segments)) == segments


@pytest.mark.slow
@settings(max_examples=50)
@given(LENGTHS, st.integers(1, 300))
def test_sizes_are_those_of_the_groups_with_fewer_components(lengths, number):
    segments = segments_of(lengths)
    sizes = [len(group_payload(number, segments[:count])) for count in range(1, len(segments) + 1)]
    assert payload_sizes(number, segments) == sizes


@pytest.mark.slow
@settings(max_examples=50)
@given(st.integers(0, 95), st.integers(0, 95), st.integers(0, 1 << 22))
def test_one_giant_among_nothing_comes_back(before, after, length):
    segments = [b""] * before + [bytes(length)] + [b""] * after
    payload = group_payload(1, segments)
    assert read_group(payload) == segments
    assert len(payload) - length < 4 + 17 + (before + 7 * after) // 4


def test_a_table_is_written_as_documented_and_takes_little_for_components_without_bytes():
    payload = group_payload(3, [bytes(40), bytes(24), bytes(8), b"", b"12345"])
    assert payload[:2] == b"\3\5"
    bits = "0011" + "00101" + "0011" + "0001" + "0000" + "000"
    assert payload[2:5] == int(bits, 2).to_bytes(3, "big")
    assert payload[5:] == bytes(72) + b"12345"
    assert len(group_payload(1, [b""] * 190)) <= 1 + 2 + 190 * 1.2 / 8


@pytest.mark.sweep(4)
@pytest.mark.parametrize("count", [80, 190])
@pytest.mark.parametrize("shift", [0, 4])
def test_a_length_costs_less_than_four_bits_in_a_plausible_file(count, shift):
    costs = []
    for seed in range(50):
        lengths = [length << shift for length in falling(count, seed)]
        payload = group_payload(1, segments_of(lengths))
        costs.append(8 * (len(payload) - sum(lengths)) / count)  # with number, count and shift
    assert np.mean(costs) < 4.1
    assert max(costs) < 4.5


def test_a_group_is_closed_when_it_is_large():
    segments = segments_of([GROUP_BYTES, 0, GROUP_BYTES - 1, 1, 5, GROUP_BYTES * 3, 7, 0])
    payloads = list(group_payloads(segments))
    found = [reference.segments(payload) for payload in payloads]
    assert [(number, len(group)) for number, group in found] == [(1, 1), (2, 3), (5, 2), (7, 2)]
    assert [segment for _, group in found for segment in group] == segments
    assert list(group_payloads([])) == []


GROUP = group_payload(1, segments_of(falling(80, 0)))


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"", "cut short"),
        (b"\1", "cut short"),
        (b"\2\1\0", "not where it should be"),
        (b"\1\0", "more components than there is room for"),
        (b"\1\xc1\1\0", "more components than there is room for"),
        (b"\1" + write_varint(1 << 41), "more components than there is room for"),
        (b"\1\1", "table"),
        (b"\1\1\1", "table"),
        (b"\1\2\0", "table"),
        (b"\1\2\0\0\0", None),
        (b"\1\2\0\1", "table"),
        (b"\1\3" + b"\x0f" + b"\xff" * 200, "table"),
        (b"\1\3" + b"\x0f" + b"\xff" * 2, "table"),
        (b"\1\2\1\0", "table"),
        (b"\1\2\xf1\0" + bytes(20), "longer than their chunk"),
        (b"\1\2\x0f\xff\xf0" + bytes(30), "longer than their chunk"),
    ],
)
def test_damaged_tables_are_refused(payload, message):
    if message is None:
        assert read_group(payload) == [b"", b"\0"]
        return
    with pytest.raises(FormatError, match=message):
        read_group(payload)


def test_a_table_cut_short_anywhere_is_refused():
    table = len(GROUP) - sum(falling(80, 0))
    for length in range(table):
        with pytest.raises(FormatError):
            read_group(GROUP[:length])


@given(st.binary(max_size=300), st.integers(1, 192))
def test_arbitrary_tables_give_segments_or_format_errors(data, count):
    payload = b"\1" + write_varint(count) + data
    try:
        segments = read_group(payload)
    except FormatError as error:
        assert not isinstance(error, TruncatedError)  # noqa: PT017 - it may also come back
        return
    assert len(segments) == count
    assert payload.endswith(b"".join(segments))
    assert reference.segments(payload) == (1, segments)

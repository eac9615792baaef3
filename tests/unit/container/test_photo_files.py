"""Files of the photo method: their version, their groups, their residual."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcaimage import Blocks, container
from pcaimage.codec import Component, Header, Step
from pcaimage.codec.compressed import DEPENDENT
from pcaimage.container import records, spec
from pcaimage.container.chunks import write_chunk
from pcaimage.container.spec import GROUP_BYTES, Chunk
from pcaimage.errors import FormatError, SettingsError
from pcaimage.sampling import Lapped
from pcaimage.varint import write_varint
from tests.unit.container import files
from tests.unit.container.files import HEADER, photo

LARGE = photo(9, GROUP_BYTES, 512, 0, GROUP_BYTES // 2, GROUP_BYTES, 64, 32, 0, 16, 5, residual=b"exact")


def same(one, other):
    return container.write(one) == container.write(other)


@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        Header((1, 1, 1), "uint16", Lapped(), Step(4095, 40), has_channel_axis=False, tables=255),
        Header((5000, 70000, 1), "uint8", Lapped(), Step(2048, -40), slice_rows=spec.MAX_SIDE),
    ],
)
def test_header_comes_back(header):
    payload = records.write_header(header)
    assert files.header_in(payload) == header
    assert container.peek(container.write(photo(header=header))) == header


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
@settings(deadline=None)
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
        (
            lambda f: inserted(f, -2, (b"G", b"\x09\xb9\1" + bytes(999))),
            "more components than there is room",
        ),
        (lambda f: inserted(f, -2, (b"G", b"\x09\0\0")), "more components than there is room"),
        (lambda f: inserted(f, -2, (b"G", b"\x09\2\xff")), "table of a group's lengths"),
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

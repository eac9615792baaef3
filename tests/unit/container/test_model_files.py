"""Images whose basis is in a model file: written, read, and refused without that very model."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pcaimage
from pcaimage import Bands, Blocks, Channels, Metadata, Settings, Stack, codec, container
from pcaimage.codec import Component, Compressed, Header, Step
from pcaimage.container import records, spec
from pcaimage.container.spec import Chunk, chunk_size, write_chunk
from pcaimage.errors import FormatError, ModelError, SettingsError, TruncatedError
from pcaimage.sampling import Lapped
from pcaimage.varint import LIMIT, read_varint, write_varint
from tests.reference import linear
from tests.unit.container.files import assembled, header_in, moved, parts, replaced, scene, without

PAIRS = {
    "blocks": (scene(35, 42, 3), Settings(Blocks(6), k=20), scene(27, 13, 3, seed=1)),
    "standardised": (scene(30, 25, 3), Settings(Blocks(3), k=9, standardize=True), scene(8, 8, 3, seed=2)),
    "grey without channels": (scene(19, 26), Settings(Blocks(4), k=7), scene(9, 33, seed=3)),
    "grey with channels": (scene(19, 26), Settings(Blocks(4), k=7), scene(9, 33, 1, seed=3)),
    "bands": (scene(12, 17, 20, peak=4095), Settings(Channels(), k=6), scene(7, 5, 20, peak=4095, seed=4)),
    "stack": (scene(9, 8, 7, 3), Settings(Stack(), k=6), scene(4, 8, 7, 3, seed=5)),
    "one image of a stack": (scene(9, 8, 7), Settings(Stack(), k=6), scene(1, 8, 7, seed=6)),
    "one pixel": (scene(9, 9, 3), Settings(Channels(), k=3), scene(1, 1, 3, seed=7)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_reference_decoder_gives_the_same_pixels_and_the_id_is_that_of_the_document(name):
    array, how, other = PAIRS[name]
    model = pcaimage.encode(array, how)
    found = codec.basis_id(container.read(model))
    assert (found.components, found.digest) == linear.model_id(model)
    data = pcaimage.encode(other, model=model)
    for k in (1, None):
        expected = pcaimage.decode(data, k, model=model)
        assert expected.shape == other.shape
        decoded = linear.decode(data, k, model)
        assert decoded.values.shape == expected.shape
        assert np.array_equal(decoded.values, expected)


def test_neither_scores_nor_step_nor_metadata_change_the_id():
    array = scene(20, 20, 3)
    model = container.read(pcaimage.encode(array, Settings(Blocks(4), k=5, step=2.0)))
    first = codec.basis_id(model)
    other = replace(
        model,
        header=replace(model.header, shape=(8, 12, 3), step=codec.Step.nearest(9.0)),
        components=tuple(replace(component, scores=b"") for component in model.components),
        metadata=pcaimage.Metadata("other"),
    )
    assert codec.basis_id(other) == first
    changes = [
        replace(model, mean=model.mean + b"\0"),
        model.trimmed(4),
        replace(model, header=replace(model.header, mean_bits=model.header.mean_bits + 1)),
        replace(model, header=replace(model.header, dtype="uint16")),
        replace(model, components=(replace(model.components[0], precision=11), *model.components[1:])),
        replace(model, components=(replace(model.components[0], vector=b""), *model.components[1:])),
    ]
    assert len({first.digest, *(codec.basis_id(changed).digest for changed in changes)}) == 7


def test_the_file_does_not_hold_the_basis(lent_file):
    data, model = lent_file
    kinds = [kind for kind, _ in parts(data)]
    assert kinds == [b"H", b"n", b"f", b"i", b"x", b"B", b"A", *[b"S"] * 7, b"E"]
    array, how, other = PAIRS["bands"]
    model = pcaimage.encode(array, how)
    assert len(pcaimage.encode(other, model=model)) < len(pcaimage.encode(other, how)) - len(
        container.read(model).components[0].vector
    )


def test_everything_is_carried_along(lent_file):
    data, model = lent_file
    found = codec.attach_basis(container.read(data), container.read(model))
    assert found.metadata == pcaimage.Metadata("beach.png", 4711, b"icc" * 9, b"II*\0" + bytes(9))
    assert found.alpha.ravel().tolist() == linear.decode(data, model=model).alpha
    assert container.write(found) == data
    assert container.write(container.read(data)) == data


def test_without_its_model_an_image_is_refused(lent_file):
    data, model = lent_file
    identifier = codec.basis_id(container.read(model))
    with pytest.raises(ModelError, match=f"basis is in a model file, with the id {identifier}"):
        pcaimage.decode(data)
    assert container.read(data).basis == identifier
    other = pcaimage.encode(scene(35, 42, 3, seed=9), Settings(Blocks(6), k=20))
    with pytest.raises(ModelError, match=f"in the model with the id {identifier}; this model's id is"):
        pcaimage.decode(data, model=other)
    with pytest.raises(ModelError, match="this model's id is"):
        pcaimage.decode(data, model=container.trim(model, 19))
    with pytest.raises(SettingsError, match="has its own basis, and needs no model"):
        pcaimage.decode(model, model=model)
    with pytest.raises(SettingsError, match="model has no basis of its own"):
        pcaimage.decode(data, model=data)


def test_a_file_is_trimmed_without_its_model(lent_file):
    data, model = lent_file
    for k in (1, 3, 7):
        trimmed = container.trim(data, k)
        assert len(trimmed) == container.trimmed_sizes(data)[k - 1]
        assert np.array_equal(pcaimage.decode(trimmed, model=model), pcaimage.decode(data, k, model=model))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: without(f, b"B"), "neither components nor a model"),
        (lambda f: moved(f, b"B", -1), "neither components nor a model"),
        (lambda f: [*f[:6], f[5], *f[6:]], "two chunks of a kind"),
        (lambda f: replaced(f, b"B", b""), "of its model is damaged"),
        (lambda f: replaced(f, b"B", b"\7" + bytes(15)), "says of its model is damaged"),
        (lambda f: replaced(f, b"B", b"\7" + bytes(17)), "says of its model is damaged"),
        (lambda f: replaced(f, b"B", b"\0" + bytes(16)), "says of its model is damaged"),
        (lambda f: replaced(f, b"B", b"\x6d" + bytes(16)), "says of its model is damaged"),
        (lambda f: replaced(f, b"B", b"\6" + bytes(16)), "more components than"),
        (lambda f: [*f[:6], (b"M", b""), *f[6:]], "basis of its own, and that of a model"),
        (lambda f: [*f[:-1], (b"C", b"\x08\5\0"), f[-1]], "basis of its own, and that of a model"),
        (lambda f: [*f[:-1], (b"R", b"\7"), f[-1]], "its method does not have"),
        (lambda f: [*f[:-2], (b"S", b"\6"), f[-1]], "not where it should be"),
        (lambda f: [*f[:-2], (b"S", b""), f[-1]], "cut short"),
        (lambda f: [*f[:-1], (b"E", b"\6")], "as many components"),
        (
            lambda f: [(b"H", b"\3\x08" + f[0][1][2:]), *f[1:]],
            "header is too short|its method does not|damaged",
        ),
        (lambda f: moved(f, b"A", -1), "wrong order"),
    ],
)
def test_what_contradicts_the_specification_is_refused(lent_file, change, message):
    with pytest.raises(FormatError, match=message):
        container.read(assembled(change(parts(lent_file[0]))))


@pytest.mark.parametrize(
    "change",
    [
        lambda payload: payload[:1] + b"\5" + payload[2:],  # blocks of another size
        lambda payload: payload[:2] + b"\2" + payload[3:],  # 16 bits
        lambda payload: payload[:7] + bytes([payload[7] + 1]) + payload[8:],  # another unit of the mean
        lambda payload: payload[:-1] + b"\2",  # another number of channels
    ],
)
def test_an_image_that_does_not_fit_its_model_is_refused(lent_file, change):
    data, model = lent_file
    found = without(parts(data), b"A")
    changed = assembled(replaced(found, b"H", change(found[0][1])))
    with pytest.raises(FormatError, match=r"does not fit the model|says of its model|too short|sides"):
        pcaimage.decode(changed, model=model)


def test_a_claimed_number_of_components_takes_no_memory():
    header = bytes([2, 0, 1, 1, 0x34, 0x08, 0xF7, 0, 0, 0, 9, 7]) + b"\x80\x80\x04\1"
    tracemalloc.start()
    data = assembled([(b"H", header), (b"B", b"\x80\x80\x04" + bytes(16)), (b"E", b"\0")])
    assert container.read(data).basis is not None
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_photos_neither_lend_nor_borrow():
    photo = pcaimage.encode(scene(20, 20, 3), Settings(Lapped(), step=20.0))
    with pytest.raises(SettingsError, match="Only images in blocks, channels or a stack"):
        pcaimage.encode(scene(20, 20, 3), model=photo)
    borrowed = replace(container.read(photo), basis=codec.BasisId(bytes(16), 1))
    with pytest.raises(SettingsError, match="trained components"):
        container.write(borrowed)


HEADER = Header((9, 7, 3), "uint8", Blocks(4), Step(2100, -9), mean_bits=3)


def compressed(header=HEADER, **others):
    return Compressed(header, b"mean", (Component(9, b"vector", b"scores"), Component(0, b"", b"")), **others)


def again(image):
    return container.read(container.write(image))


@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        Header((1, 1, 1), "uint16", Blocks(2), Step(4095, 40), 16, 24, has_channel_axis=False),
        Header((5, 300, 200), "uint16", Bands(), Step(2048, -40), 0, largest=4095.0),
        Header((20, 5, 6, 1), "uint8", Stack(), Step(3000, 0), 1, None, has_channel_axis=False),
        Header((3, 5, 6, 4), "uint8", Stack(), Step(3000, 0)),
        Header((21, 18, 3), "uint8", Lapped(), Step(2100, -9), tables=1, slice_rows=2),
        Header((1, 1, 1), "uint16", Lapped(), Step(4095, 40), has_channel_axis=False, tables=255),
        Header((5000, 70000, 1), "uint8", Lapped(), Step(2048, -40), slice_rows=spec.MAX_SIDE),
    ],
)
def test_header_comes_back(header):
    payload = records.write_header(header)
    assert header_in(payload) == header
    assert records.HeaderRecord.FORMAT.size == 9
    assert len(payload) < 9 + 6 * len(header.shape)


def test_components_come_back():
    image = again(compressed())
    assert image.mean == b"mean"
    assert image.components == compressed().components
    assert (image.k, image.scale, image.alpha, image.preview, image.spectrum.size) == (2, None, None, None, 0)
    assert image.metadata == Metadata()


def test_everything_else_comes_back():
    generator = np.random.default_rng(0)
    alpha = generator.integers(0, 255, (9, 7)).astype(np.uint8)
    preview = generator.integers(0, 255, (5, 6, 3)).astype(np.uint8)
    metadata = Metadata("naïve.tif", 1 << 40, b"icc", b"exif" * 1000)
    header = replace(HEADER, scale_bits=7)
    image = again(compressed(header, scale=b"scale", alpha=alpha, preview=preview, metadata=metadata))
    assert (image.header, image.scale, image.metadata) == (header, b"scale", metadata)
    assert image.alpha is not None
    assert image.preview is not None
    assert np.array_equal(image.alpha, alpha)
    assert np.array_equal(image.preview, preview)


@given(st.lists(st.floats(0, 2.0**31), max_size=6))
def test_spectrum_comes_back_in_order_to_a_part_in_two_thousand(values):
    header = Header((40, 40, 1), "uint8", Blocks(8), Step(2100, -9))
    spectrum = np.sort(np.array(values))[::-1]
    found = again(compressed(header, spectrum=spectrum)).spectrum
    assert found.shape == spectrum.shape
    assert np.all(np.diff(found) <= 0)
    clear = spectrum > 2.0**-31
    np.testing.assert_allclose(found[clear], spectrum[clear], rtol=4e-4)
    assert np.all(found[~clear] <= 2.0**-30.9)


@given(st.integers(0, LIMIT - 1), st.binary(max_size=3))
def test_numbers_come_back(value, tail):
    data = write_varint(value)
    assert len(data) == max(1, -(-value.bit_length() // 7))
    assert read_varint(b"?" + data + tail, 1) == (value, 1 + len(data))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", TruncatedError),
        (b"\x80", TruncatedError),
        (b"\x80" * 5, TruncatedError),
        (b"\x80" * 6, FormatError),
        (b"\x80" * 6 + b"\1", FormatError),
        (b"\x81\0", FormatError),
    ],
)
def test_numbers_that_do_not_end_or_are_too_long_are_refused(data, error):
    with pytest.raises(error):
        read_varint(data, 0)


def test_long_names_keep_their_end_and_metadata_beyond_the_limits_is_left_out():
    name = again(compressed(metadata=Metadata("é" * 5000 + ".png"))).metadata.name
    assert name.endswith("é.png")
    assert 4090 <= len(name.encode()) <= spec.MAX_TEXT
    assert again(compressed(metadata=Metadata("a\udcffb"))).metadata.name == "a?b"
    stack = Header((3, 5, 6, 4), "uint8", Stack(), Step(3000, 0))
    for header, metadata, found in (
        (HEADER, Metadata("x", LIMIT, bytes(spec.MAX_PROFILE + 1), b""), Metadata("x")),
        (HEADER, Metadata("x", LIMIT - 1, bytes(spec.MAX_PROFILE)), None),
        (stack, Metadata(timing=b"\0\3\x90\x4e", xmp=b"<x/>"), None),
        (stack, Metadata(timing=bytes(spec.MAX_TIMING + 1)), Metadata()),
    ):
        assert again(compressed(header, metadata=metadata)).metadata == (found or metadata)


def test_a_chunk_is_kind_length_content_and_checksum():
    assert write_chunk(Chunk.END, b"\2") == bytes.fromhex("45 01 02 54 c6 05 7e")
    for length in (0, 1, 127, 128, 70000):
        assert chunk_size(length) == len(write_chunk(Chunk.END, bytes(length)))


def test_chunks_stand_in_the_documented_order(full_file):
    kinds = [chunk.kind.value.decode() for chunk in container.scan(full_file) if chunk.kind]
    assert "".join(kinds) == "HnfixspMDA" + "C" * 7 + "E"


@pytest.mark.parametrize("k", [1, 3, 7])
def test_trimmed_file_is_a_prefix_and_decodes_like_the_whole_at_k(full_file, k):
    trimmed = container.trim(full_file, k)
    end = write_chunk(Chunk.END, write_varint(k))
    assert trimmed.endswith(end)
    assert full_file.startswith(trimmed[: -len(end)])
    assert container.read(trimmed).k == k
    assert np.array_equal(pcaimage.decode(trimmed), pcaimage.decode(full_file, k))
    assert container.trimmed_sizes(full_file)[k - 1] == len(trimmed)


def test_trimming_to_all_components_changes_nothing_and_to_others_is_refused(full_file):
    assert container.trim(full_file, 7) == full_file
    image = container.read(full_file)
    assert image.trimmed(2).components == image.components[:2]
    for k in (0, 8, -1):
        with pytest.raises(SettingsError, match="7 components"):
            container.trim(full_file, k)
    with pytest.raises(SettingsError, match="7 components; 8"):
        image.trimmed(8)


def test_a_file_without_components_shows_the_mean(picture):
    data = pcaimage.encode(picture, Settings(Channels(), k=1))
    empty = container.write(container.read(data).trimmed(0))
    decoded = pcaimage.decode(empty)
    assert np.array_equal(decoded, pcaimage.decode(data, 0))
    mean = picture.reshape(-1, 3).mean(axis=0)
    assert np.abs(decoded - mean).max() <= 1

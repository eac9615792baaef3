"""The loaded compiled core, whose functions the codec calls one by one.

Modules that call a function of the core declare it once with :func:`function`. Numbers are passed by value,
arrays as pointers to their first element, and named tuples of both as structs, which :func:`held` makes once.
The core trusts its arguments, so the types, the memory order and the writability of arrays are checked here.
It releases the interpreter's lock while it runs, so that several threads run at once.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import CoreError

ABI = 9  # increases with every change of the parameters of the core's functions; must match ``core.h``

FILE = {"win32": "core.dll", "darwin": "core.dylib"}.get(sys.platform, "core.so")
"""The library's file, beside this module."""

_REMEDY = "`make run` or `pip install .` in the program's folder compiles it."

T = TypeVar("T", bound=tuple[Any, ...])


class _Interface(ctypes.Structure):
    """NumPy's array interface in C, up to the address of the first element.

    The one in Python describes the dtype, too, which takes several times as long as a short call of the core.
    """

    _fields_ = (
        ("two", ctypes.c_int),
        ("nd", ctypes.c_int),
        ("typekind", ctypes.c_char),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
    )


_interface_in = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class Array:
    """An array parameter of a dtype: a pointer to its first element, to which the core may write."""

    def __init__(self, dtype: type[np.generic], *, writable: bool = False) -> None:
        self.dtype, self._writable = np.dtype(dtype), writable

    def from_param(self, array: NDArray[Any]) -> ctypes.c_void_p:
        """Return the pointer to the first element; named by the protocol of ctypes."""
        return ctypes.c_void_p(self.address(array))

    def address(self, array: NDArray[Any]) -> int:
        """Return the address of the first element; TypeError if dtype, order or writability are wrong."""
        flags = array.flags
        if array.dtype != self.dtype or not flags.c_contiguous or (self._writable and not flags.writeable):
            order = "in C order" if flags.c_contiguous else "not in C order"
            raise TypeError(f"The core takes {self.dtype} in C order, not {array.dtype} {order}.")
        capsule = array.__array_struct__
        address: int = _Interface.from_address(_interface_in(capsule, None)).data
        return address


class Held(Generic[T]):
    """A struct of the core made from a named tuple, whose arrays it keeps alive."""

    def __init__(self, record: T) -> None:
        self.record = record
        self._struct = _filled(record)
        self._as_parameter_ = ctypes.byref(self._struct)

    def __getattr__(self, name: str) -> Any:
        """Return a number of the struct as the core left it."""
        return getattr(self._struct, name)


def held(record: T) -> Held[T]:
    """Return a struct for the core with the fields of a named tuple; made once for many calls.

    Fields are annotated as arrays of one dtype, int, bool, float, or named tuples of such.
    """
    return Held(record)


class _Struct:
    """The type of a struct parameter."""

    @staticmethod
    def from_param(value: Held[Any]) -> Any:
        """Return the pointer to the struct; named by the protocol of ctypes."""
        return value._as_parameter_


LONG, DOUBLE, STRUCT = ctypes.c_int64, ctypes.c_double, _Struct


def function(name: str, result: Any, *kinds: Any) -> Callable[..., Any]:
    """Return a function of the core, which raises ctypes.ArgumentError for an argument of another kind.

    The result is :data:`LONG`, :data:`DOUBLE` or None; each parameter one of the first two, :data:`STRUCT` or
    an :class:`Array`. CoreError is raised if the library is missing, damaged, or of another version of the
    program.
    """
    try:
        found = getattr(loaded(), name)
    except AttributeError as error:
        raise _foreign() from error
    found.argtypes, found.restype = kinds, result
    called: Callable[..., Any] = found
    return called


def check() -> None:
    """Raise CoreError if the library is missing, damaged, or of another version of the program."""
    loaded()


@lru_cache(maxsize=1)
def loaded() -> ctypes.CDLL:
    """Return the library, loaded once; raise CoreError if that is not possible."""
    path = path_of_library()
    try:
        library = ctypes.CDLL(str(path))
        library.pcai_abi.restype = ctypes.c_int64
        abi = library.pcai_abi()
    except OSError as error:
        reason = str(error).removeprefix(f"{path}: ")
        missing = f"not usable ({reason})" if path.exists() else "missing"
        raise CoreError(f"The compiled core {path} is {missing}: {_REMEDY}") from error
    except AttributeError as error:
        raise _foreign() from error
    if abi != ABI:
        raise _foreign()
    return library


def path_of_library() -> Path:
    """Return the path from which the library is loaded."""
    return Path(__file__).with_name(FILE)


def _foreign() -> CoreError:
    return CoreError(f"The compiled core {path_of_library()} is of another version of the program: {_REMEDY}")


# Two concurrent threads would otherwise create two incompatible struct types.
_laying_out = threading.RLock()


@lru_cache(maxsize=64)
def _layout(kind: Any) -> tuple[type[ctypes.Structure], list[Callable[[Any], Any]]]:
    """Return the struct type of a named tuple's class, and a converter of values for each field."""
    hints = get_type_hints(kind)
    parts = [_field(hints[name]) for name in kind._fields]
    fields = [(name, of) for name, (of, _) in zip(kind._fields, parts, strict=True)]
    struct = type(kind.__name__, (ctypes.Structure,), {"_fields_": fields})
    _compare(struct)
    return struct, [convert for _, convert in parts]


def _compare(struct: type[ctypes.Structure]) -> None:
    """Raise CoreError if the core has a struct of this name, but of another size."""
    try:
        size = size_of(struct.__name__.lstrip("_"))
    except ValueError:  # part of another, or of no name that is shared
        return
    if size != ctypes.sizeof(struct):
        raise _foreign()


def size_of(struct: str) -> int:
    """Return the bytes of one of the core's structs; ValueError if it is of no name that is shared."""
    return ctypes.c_int64.in_dll(loaded(), f"pcai_size_of_{struct}").value


def _field(hint: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return the type of a struct's field, and a converter of values."""
    if hint in {int, bool}:
        return LONG, int
    if hint is float:
        return DOUBLE, float
    if hasattr(hint, "_fields"):
        return _layout(hint)[0], _filled
    given = get_args(hint)
    # NDArray[t] is ndarray[shape, dtype[t]]; newer versions of NumPy keep it as an alias with one argument.
    (dtype,) = given if len(given) == 1 else get_args(given[1])
    return ctypes.c_void_p, Array(dtype).address


def _filled(record: Any) -> ctypes.Structure:
    kind: Any = type(record)
    with _laying_out:
        struct, converters = _layout(kind)
    return struct(*(convert(value) for convert, value in zip(converters, record, strict=True)))

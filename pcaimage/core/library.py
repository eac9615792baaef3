"""The compiled core, loaded: the one module that knows ctypes.

Modules that call a function of the core declare it once by :func:`function`. Numbers are handed over as they
are, arrays as pointers to their first element, and named tuples of both as structs, made once by
:func:`held`. The core trusts what it is given; so the types, the order and the writability of arrays are
checked here. It lets go of Python while it runs, so that several threads run at once.
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

ABI = 1
"""Goes up with every change of the core's parameters or structs; ``core.h`` names the same."""

FILE = {"win32": "core.dll", "darwin": "core.dylib"}.get(sys.platform, "core.so")
"""The library's file, beside this module."""

_REMEDY = "`make run` or `pip install .` in the program's folder compiles it."

T = TypeVar("T", bound=tuple[Any, ...])


class Array:
    """An array parameter: a pointer to its first element.

    Parameters
    ----------
    dtype : type
        What the array must hold.
    writable : bool, default False
        Whether the core writes to it.
    """

    def __init__(self, dtype: type[np.generic], *, writable: bool = False) -> None:
        self.dtype, self._writable = np.dtype(dtype), writable

    def from_param(self, array: NDArray[Any]) -> ctypes.c_void_p:
        """Return the pointer; the name is ctypes'."""
        return ctypes.c_void_p(self.address(array))

    def address(self, array: NDArray[Any]) -> int:
        """Return the address of the first element.

        Raises
        ------
        TypeError
            If the array is of another type, not in C order, or not writable where it must be.
        """
        flags = array.flags
        if array.dtype != self.dtype or not flags.c_contiguous or (self._writable and not flags.writeable):
            order = "in C order" if flags.c_contiguous else "not in C order"
            raise TypeError(f"The core takes {self.dtype} in C order, not {array.dtype} {order}.")
        address: int = array.__array_interface__["data"][0]
        return address


class Held(Generic[T]):
    """A struct of the core that stands for a named tuple, whose arrays it keeps alive."""

    def __init__(self, record: T) -> None:
        self.record = record
        self._struct = _filled(record)
        self._as_parameter_ = ctypes.byref(self._struct)

    def __getattr__(self, name: str) -> Any:
        """Return a number of the struct as the core left it."""
        return getattr(self._struct, name)


def held(record: T) -> Held[T]:
    """Return a struct for the core with the fields of a named tuple.

    Parameters
    ----------
    record : NamedTuple
        Its fields are annotated as arrays of one dtype, int, bool, float, or named tuples of such.

    Returns
    -------
    Held
        To be handed to functions; made once, not for every call.
    """
    return Held(record)


class _Struct:
    """A parameter that is a struct."""

    @staticmethod
    def from_param(value: Held[Any]) -> Any:
        """Return the pointer; the name is ctypes'."""
        return value._as_parameter_


LONG, DOUBLE, FLOAT, STRUCT = ctypes.c_int64, ctypes.c_double, ctypes.c_float, _Struct


def function(name: str, result: Any, *kinds: Any) -> Callable[..., Any]:
    """Return a function of the core.

    Parameters
    ----------
    name : str
        As exported.
    result
        :data:`LONG`, :data:`DOUBLE`, :data:`FLOAT` or None.
    *kinds
        For each parameter one of the first three, :data:`STRUCT` or an :class:`Array`.

    Returns
    -------
    callable
        It raises ctypes.ArgumentError for a parameter of another kind.

    Raises
    ------
    CoreError
        If the library is missing, damaged, or of another version of the program.
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
    """Return where the library is looked for."""
    return Path(__file__).with_name(FILE)


def _foreign() -> CoreError:
    return CoreError(f"The compiled core {path_of_library()} is of another version of the program: {_REMEDY}")


# Two threads that asked at once would get two structs, and one of them would not fit into the other.
_laying_out = threading.RLock()


@lru_cache(maxsize=64)
def _layout(kind: Any) -> tuple[type[ctypes.Structure], list[Callable[[Any], Any]]]:
    """Return the struct of a named tuple's class, and for each field what converts values to it."""
    hints = get_type_hints(kind)
    parts = [_field(hints[name]) for name in kind._fields]
    fields = [(name, of) for name, (of, _) in zip(kind._fields, parts, strict=True)]
    return type(kind.__name__, (ctypes.Structure,), {"_fields_": fields}), [convert for _, convert in parts]


def _field(hint: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return the type of a struct's field, and a function that converts values to it."""
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

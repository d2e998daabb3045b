"""The shared library libspress: where it is, and its functions as <spress/spress.h> declares them."""
from __future__ import annotations

import ctypes
import ctypes.util
import functools
import json
import operator
import os
import pathlib
import sys
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int64, c_void_p
from typing import Any, Callable, Iterator

from ._errors import UsageError, error_of

VARIABLE = "SPRESS_LIBRARY"
SUFFIX = ".dylib" if sys.platform == "darwin" else ".so"
INTERFACE = "0.1"  # the library's SONAME ends with it

#: spress_type
NONE, INT32, INT64, FLOAT, DOUBLE, COMPLEX = range(6)


class Arrays(ctypes.Structure):
    """spress_arrays"""

    _fields_ = [("rows", c_int64), ("cols", c_int64), ("nnz", c_int64), ("row_ptr", c_void_p), ("col_idx", c_void_p),
                ("values", c_void_p), ("row_ptr_type", c_int), ("col_idx_type", c_int), ("values_type", c_int)]


class CsrInfo(ctypes.Structure):
    """spress_csr_info"""

    _fields_ = [("name", c_char_p), ("field", c_char_p), ("symmetry", c_char_p), ("comments", c_char_p),
                ("note", c_char_p), ("stored_entries", c_int64), ("duplicates", c_int64)]


class MatrixInfo(ctypes.Structure):
    """spress_matrix_info"""

    _fields_ = [("rows", c_int64), ("cols", c_int64), ("nnz", c_int64), ("bytes", c_int64), ("format", c_char_p),
                ("values_store", c_char_p), ("values_type", c_int)]


_VECTORS = {c_double: (c_void_p, c_double, c_void_p, c_double, c_void_p),
            c_float: (c_void_p, c_float, c_void_p, c_float, c_void_p)}
_BLOCKS = {real: (c_void_p, c_int64, real, c_void_p, c_int64, c_int64, real, c_void_p, c_int64, c_int64)
           for real in (c_double, c_float)}

#: Each function with what it returns and takes; those that return c_int can fail. Handles and arrays are void pointers.
SIGNATURES = {
    "spress_version": (c_char_p,),
    "spress_last_error": (c_char_p,),
    "spress_free_text": (None, c_void_p),
    "spress_set_threads": (None, c_int),
    "spress_list": (c_int, c_char_p, POINTER(c_void_p)),
    "spress_csr_from_arrays": (c_int, POINTER(Arrays), POINTER(c_void_p)),
    "spress_csr_read": (c_int, c_char_p, c_char_p, c_int, POINTER(c_void_p)),
    "spress_read_shape": (c_int, c_char_p, POINTER(c_int64), POINTER(c_int64), POINTER(c_int64)),
    "spress_csr_read_rows": (c_int, c_char_p, c_int64, c_int64, POINTER(c_void_p)),
    "spress_csr_write": (c_int, c_void_p, c_char_p, c_int, c_int),
    "spress_csr_arrays": (None, c_void_p, POINTER(Arrays)),
    "spress_csr_get_info": (None, c_void_p, POINTER(CsrInfo)),
    "spress_csr_analyze": (c_int, c_void_p, c_char_p, c_char_p, POINTER(c_void_p)),
    "spress_csr_reorder": (c_int, c_void_p, c_char_p, c_void_p, c_void_p),
    "spress_csr_free": (None, c_void_p),
    "spress_encode": (c_int, c_void_p, c_char_p, c_char_p, c_char_p, POINTER(c_void_p)),
    "spress_multiply": (c_int, *_VECTORS[c_double]),
    "spress_multiply_float": (c_int, *_VECTORS[c_float]),
    "spress_multiply_block": (c_int, *_BLOCKS[c_double]),
    "spress_multiply_block_float": (c_int, *_BLOCKS[c_float]),
    "spress_transpose": (c_int, c_void_p, POINTER(c_void_p)),
    "spress_decode": (c_int, c_void_p, POINTER(c_void_p)),
    "spress_matrix_get_info": (None, c_void_p, POINTER(MatrixInfo)),
    "spress_breakdown": (c_int, c_void_p, POINTER(c_void_p)),
    "spress_matrix_write": (c_int, c_void_p, c_char_p),
    "spress_matrix_read": (c_int, c_char_p, POINTER(c_void_p)),
    "spress_matrix_free": (None, c_void_p),
    "spress_to_device": (c_int, c_void_p),
    "spress_to_device_number": (c_int, c_void_p, c_int),
    "spress_multiply_on_device": (c_int, *_VECTORS[c_double], c_void_p),
    "spress_multiply_on_device_float": (c_int, *_VECTORS[c_float], c_void_p),
}

HOW_TO_BUILD = """The module needs the shared library libspress. Any of these provides it:
  pip install .                                      in a clone of spress; builds it into the package
  cmake --preset release && cmake --build build/release --target spress_shared
                                                     and {variable}=build/release
  cmake --install build/release                      where the loader searches
{variable} may name the file, or a folder that holds it."""


# --- Loading ---------------------------------------------------------------------------------------------------------

def candidates() -> Iterator[str]:
    """Paths and names to load, the first that exists first. A path that {variable} names is the only one."""
    named = os.environ.get(VARIABLE, "")
    if named and named != "installed":
        path = pathlib.Path(named).absolute()  # a name without a folder is searched for in those of the system
        found = [file for folder in (path, path / "lib", path / "lib64") for file in folder.glob(f"libspress{SUFFIX}*")]
        yield str(sorted(found)[0] if found else path)
        return
    beside = pathlib.Path(__file__).with_name(f"libspress{SUFFIX}")
    if beside.exists() and named != "installed":
        yield str(beside)
    found_name = ctypes.util.find_library("spress")
    if found_name:
        yield found_name
    yield f"libspress.so.{INTERFACE}" if SUFFIX == ".so" else f"libspress.{INTERFACE}.dylib"


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, (returned, *taken) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype = returned
        function.argtypes = taken
        if returned is c_int:
            function.errcheck = _check
    return library


def _check(status: int, function: Any, arguments: Any) -> None:
    if status != 0:
        raise error_of(status, library().spress_last_error().decode(errors="replace"))


def load() -> ctypes.CDLL:
    """The library. Raises ImportError with every place that was searched."""
    tried = []
    for name in candidates():
        try:
            return _declare(ctypes.CDLL(name))
        except OSError as error:
            tried.append(f"  {name}: {error}")
        except AttributeError as error:
            tried.append(f"  {name}: is another version of spress ({error})")
    raise ImportError("libspress could not be loaded. Tried:\n" + "\n".join(tried) + "\n\n"
                      + HOW_TO_BUILD.format(variable=VARIABLE))


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded once. Its calls release the interpreter's lock; those that can fail raise Error."""
    return load()


# --- Arguments -------------------------------------------------------------------------------------------------------

def whole(name: str, value: Any) -> int:
    """A number as C takes an int."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; expected a whole number") from None
    if not -(2**31) <= number < 2**31:
        raise UsageError(f"{name} is {number}, which is out of range")
    return number


def real(name: str, value: Any) -> float:
    try:
        is_complex = getattr(getattr(value, "dtype", None), "kind", "f") == "c"  # NumPy drops imaginary parts
        if not is_complex and not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise UsageError(f"{name} is {value!r}; expected a real number")


# --- Objects and text ------------------------------------------------------------------------------------------------

class Handle:
    """Owns an object of the library, and keeps alive what the object borrows. Is an argument of the library's functions:
    a bare pointer could outlive its owner."""

    __slots__ = ("_as_parameter_", "_free", "_borrowed", "__weakref__")

    def __init__(self, pointer: int, free: Callable[[int], None], borrowed: Any = None):
        self._as_parameter_, self._free, self._borrowed = pointer, free, borrowed

    def __del__(self) -> None:
        self._free(self._as_parameter_)


def made(kind: str, function: Callable[..., Any], *arguments: Any, borrowed: Any = None) -> Handle:
    """Calls a function whose last argument is the place of a new spress_csr or spress_matrix."""
    out = c_void_p()
    function(*arguments, ctypes.byref(out))
    assert out.value is not None
    return Handle(out.value, getattr(library(), f"spress_{kind}_free"), borrowed)


def document(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function whose last argument is the place of a JSON document, and returns what that says."""
    out = c_void_p()
    function(*arguments, ctypes.byref(out))
    try:
        return json.loads(ctypes.string_at(out.value or 0))
    finally:
        library().spress_free_text(out)


def optional(text: Any) -> bytes | None:
    """A name, or None for what C does without one."""
    return None if text is None else encoded(text)


def encoded(text: Any) -> bytes:
    """A name or a path as C takes it."""
    try:
        out = os.fsencode(text)
    except (TypeError, UnicodeEncodeError):
        raise UsageError(f"expected a name or a path, not {text!r}") from None
    if b"\0" in out:
        raise UsageError(f"{text!r} holds a NUL character, where C ends a text")
    return out

"""Matrices on their way between SciPy and the library, without copies wherever the types agree."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Callable, Union

import numpy as np

from . import _library
from ._errors import Error, NotRepresentableError, OutOfRangeError, UsageError
from ._library import COMPLEX, DOUBLE, FLOAT, INT32, INT64, NONE, Arrays, CsrInfo, Handle, library

PathLike = Union[str, os.PathLike[str]]
VALUE_TYPES: dict[int, np.dtype[Any]] = {FLOAT: np.dtype(np.float32), DOUBLE: np.dtype(np.float64),
                                         COMPLEX: np.dtype(np.complex128)}
_MOST_POSITIONS = 2**31 - 1  # that SciPy's 32-bit row pointers hold


@dataclass(frozen=True)
class Info:
    """What the source of a matrix says about it."""

    rows: int
    cols: int
    nnz: int  #: entries, after symmetric expansion
    name: str
    field: str  #: "real", "integer", "complex" or "pattern"
    symmetry: str  #: "general", "symmetric", "skew-symmetric" or "hermitian", as declared
    comments: str  #: lines that begin with %
    note: str  #: what a user has to know about the reading, or ""
    stored_entries: int  #: in the source, before symmetric expansion
    duplicates: int  #: that were merged into other entries

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.cols


# --- From the library ------------------------------------------------------------------------------------------------

class _Memory:
    """An array of the library as NumPy takes it; the array made of it keeps the handle alive."""

    def __init__(self, handle: Handle, pointer: int, count: int, dtype: np.dtype[Any]):
        self.handle = handle
        self.__array_interface__ = {"shape": (count,), "typestr": dtype.str, "data": (pointer, False), "version": 3}


def _over(handle: Handle, pointer: int | None, count: int, dtype: Any) -> np.ndarray[Any, Any]:
    if count == 0 or not pointer:
        return np.zeros(count, dtype)
    return np.asarray(_Memory(handle, pointer, count, np.dtype(dtype)))


def arrays_of(handle: Handle) -> Arrays:
    out = Arrays()
    library().spress_csr_arrays(handle, ctypes.byref(out))
    return out


def info_of(handle: Handle) -> Info:
    raw, arrays = CsrInfo(), arrays_of(handle)
    library().spress_csr_get_info(handle, ctypes.byref(raw))
    texts = {key: getattr(raw, key).decode(errors="replace") for key in ("name", "field", "symmetry", "comments", "note")}
    return Info(arrays.rows, arrays.cols, arrays.nnz, stored_entries=raw.stored_entries, duplicates=raw.duplicates, **texts)


def csr_type() -> Any:
    """csr_array, or csr_matrix where SciPy is older than 1.8."""
    import scipy.sparse

    return getattr(scipy.sparse, "csr_array", scipy.sparse.csr_matrix)


def to_scipy(handle: Handle) -> Any:
    """The matrix over the memory of the handle. SciPy wants row pointers and column ids of one type, so both are
    widened copies where row pointers need 64 bits. A pattern gets bool values."""
    a = arrays_of(handle)
    if a.row_ptr_type == INT64:
        row_ptr = _over(handle, a.row_ptr, a.rows + 1, np.int64)
    else:  # without a sign in the library: 32 bits reach to 2^32 entries
        row_ptr = _over(handle, a.row_ptr, a.rows + 1, np.int32 if a.nnz <= _MOST_POSITIONS else np.uint32)
    col_idx = _over(handle, a.col_idx, a.nnz, np.int32 if a.col_idx_type == INT32 else np.int64)
    if row_ptr.dtype != col_idx.dtype:
        row_ptr, col_idx = row_ptr.astype(np.int64), col_idx.astype(np.int64)
    if a.values_type == NONE:
        values = np.ones(a.nnz, np.bool_)
    else:
        values = _over(handle, a.values, a.nnz, VALUE_TYPES[a.values_type])
    out = csr_type()((values, col_idx, row_ptr), shape=(a.rows, a.cols), copy=False)
    out.has_sorted_indices = True
    out.has_canonical_format = True
    return out


# --- To the library --------------------------------------------------------------------------------------------------

def _exact(values: np.ndarray[Any, Any], wanted: Any) -> np.ndarray[Any, Any]:
    """The values as doubles. Integers beyond 2^53 are refused even if they happen to be a double, as readers do."""
    out = values.astype(wanted)
    if values.dtype.kind in "iu" and values.dtype.itemsize < 8:
        return out
    if values.dtype.kind in "iu":
        inexact = values > 2**53
        if values.dtype.kind == "i":
            inexact |= values < -(2**53)
    else:
        inexact = (out.astype(values.dtype) != values) & (values == values)
    if inexact.any():
        raise NotRepresentableError(f"a double does not hold the {values.dtype} value {values[np.argmax(inexact)]} "
                                    f"exactly; convert the matrix by astype({out.dtype.name!r}) if rounding is meant")
    return out


def _values(values: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any] | None, int]:
    """Values as the library takes them, and their spress_type."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "b":
        return (None, NONE) if values.all() else (values.astype(np.float64), DOUBLE)
    if kind == "f" and size <= 4:
        return np.require(values, np.float32, "CA"), FLOAT
    if kind == "f" and size == 8:
        return np.require(values, np.float64, "CA"), DOUBLE
    if kind == "c" and size <= 16:
        return np.require(values, np.complex128, "CA"), COMPLEX
    if kind in "iuf":
        return _exact(values, np.float64), DOUBLE
    if kind == "c":
        return _exact(values, np.complex128), COMPLEX
    raise UsageError(f"values of type {values.dtype} are no numbers; expected bool, integers, reals or complex numbers")


def _positions(array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], int]:
    wanted = np.int32 if array.dtype.kind in "iu" and array.dtype.itemsize < 8 and array.dtype != np.uint32 else np.int64
    return np.require(array, wanted, "CA"), INT32 if wanted is np.int32 else INT64


def _pointer(array: np.ndarray[Any, Any] | None) -> int | None:
    return None if array is None else array.ctypes.data


def _canonical(matrix: Any) -> Any:
    """A matrix of integers or bool as CSR without duplicates. Integers are not added up in their own type, where sums wrap
    around. A sum beyond 2^53 is refused as a number is."""
    if matrix.format == "csr" and matrix.has_canonical_format:
        return matrix
    entries = matrix.tocoo()

    def summed(dtype: Any) -> Any:  # not by astype of SciPy, which adds up duplicates first
        csr = type(entries)((entries.data.astype(dtype), (entries.row, entries.col)), shape=entries.shape).tocsr()
        csr.sum_duplicates()
        return csr

    if entries.dtype.kind == "b":
        return summed(bool)
    _exact(entries.data, np.float64)
    # Sums of int64 are right up to a multiple of 2^64, those of doubles up to rounding: together they are exact.
    exact, rounded = summed(np.int64), summed(np.float64)
    if exact.nnz and (np.abs(rounded.data).max() > 2**54 or np.abs(exact.data).max() > 2**53):
        raise NotRepresentableError("duplicate entries add up to more than a double holds exactly")
    return exact


def _summed(matrix: Any) -> Any:
    """A matrix of reals as CSR. SciPy adds up duplicates of other formats, and says nothing of sums beyond the type."""
    csr = matrix.tocsr()
    if matrix.format == "coo" and np.isinf(csr.data).any():
        finite = type(matrix)((np.where(np.isfinite(matrix.data), matrix.data, 0), (matrix.row, matrix.col)),
                              shape=matrix.shape)
        if np.isinf(finite.tocsr().data).any():
            raise NotRepresentableError("duplicate entries add up to more than their type holds")
    return csr


#: What SciPy takes for granted of the arrays of a format: the number of dimensions, and whether they hold indices.
_KINDS = {"csr": {"indptr": (1, True), "indices": (1, True), "data": (1, False)},
          "bsr": {"indptr": (1, True), "indices": (1, True), "data": (3, False)},
          "coo": {"row": (1, True), "col": (1, True), "data": (1, False)},
          "dia": {"offsets": (1, True), "data": (2, False)}}
_KINDS["csc"] = _KINDS["csr"]


def _check_kinds(matrix: Any) -> None:
    for name, (dimensions, of_indices) in _KINDS.get(matrix.format, {}).items():
        array = getattr(matrix, name)
        if not isinstance(array, np.ndarray):
            raise UsageError(f"{name} is a {type(array).__name__}; expected a NumPy array")
        if array.ndim != dimensions:
            raise UsageError(f"{name} has {array.ndim} dimensions; expected {dimensions}")
        if of_indices and array.dtype.kind not in "iu":
            raise UsageError(f"{name} has the type {array.dtype}; expected integers")


def _check_indices(name: str, indices: np.ndarray[Any, Any], bound: int) -> None:
    if indices.size and not (0 <= indices.min() and indices.max() < bound):
        raise OutOfRangeError(f"{name} holds {indices.min() if indices.min() < 0 else indices.max()}; "
                              + (f"expected 0 to {bound - 1}" if bound else "expected none"))


def _check_arrays(matrix: Any) -> None:
    """Checks that the arrays fit together. SciPy takes it for granted once a matrix is made. The library itself checks the
    columns of CSR. Those of other formats lead SciPy's conversions, which do not look at them."""
    _check_kinds(matrix)
    kind = matrix.format
    if kind == "coo":
        if not matrix.row.size == matrix.col.size == matrix.data.size:
            raise OutOfRangeError(f"row, col and data have {matrix.row.size}, {matrix.col.size} and {matrix.data.size} "
                                  "elements; expected as many of each")
        _check_indices("row", matrix.row, matrix.shape[0])
        _check_indices("col", matrix.col, matrix.shape[1])
    if kind == "lil":
        if not len(matrix.rows) == len(matrix.data) == matrix.shape[0]:
            raise OutOfRangeError(f"rows and data hold {len(matrix.rows)} and {len(matrix.data)} lists; "
                                  f"expected {matrix.shape[0]}")
        for r, (columns, values) in enumerate(zip(matrix.rows, matrix.data)):
            if len(columns) != len(values):
                raise OutOfRangeError(f"row {r} has {len(columns)} columns and {len(values)} values")
            ids = np.asarray(columns)
            if ids.size and ids.dtype.kind not in "iu":
                raise UsageError(f"row {r} has columns of the type {ids.dtype}; expected integers")
            _check_indices(f"row {r}", ids, matrix.shape[1])
    if kind not in ("csr", "csc", "bsr"):
        return
    block = matrix.blocksize if kind == "bsr" else (1, 1)
    if any(size % part for size, part in zip(matrix.shape, block)):
        raise OutOfRangeError(f"blocks of {block[0]} x {block[1]} do not divide {matrix.shape[0]} x {matrix.shape[1]}")
    sides = [size // part for size, part in zip(matrix.shape, block)]
    major, minor = sides if kind != "csc" else sides[::-1]
    if matrix.indptr.shape != (major + 1,):
        raise OutOfRangeError(f"indptr has the shape {matrix.indptr.shape}; expected ({major + 1},)")
    held = min(len(matrix.indices), len(matrix.data))
    if matrix.indptr[0] != 0 or not 0 <= matrix.indptr[-1] <= held:
        raise OutOfRangeError(f"indptr goes from {matrix.indptr[0]} to {matrix.indptr[-1]}, and indices and data have "
                              f"{held} elements")
    if kind == "csr" and matrix.dtype.kind not in "iub":
        return
    if (np.diff(matrix.indptr) < 0).any():
        raise OutOfRangeError("indptr falls")
    _check_indices("indices", matrix.indices[:matrix.indptr[-1]], minor)


def from_scipy(matrix: Any) -> Handle:
    """A spress_csr of any sparse matrix of SciPy, or of what csr_array takes. It borrows the arrays of CSR with
    sorted columns and holds a sorted copy of others, in which duplicates are added up."""
    import scipy.sparse

    try:
        if not scipy.sparse.issparse(matrix):
            if np.ndim(matrix) != 2:
                raise UsageError(f"expected a sparse matrix of SciPy, a 2-D array or a path, not {type(matrix).__name__}")
            matrix = csr_type()(np.asarray(matrix))
        if len(matrix.shape) != 2:
            raise UsageError(f"expected a matrix with rows and columns, not an array of shape {matrix.shape}")
        _check_arrays(matrix)
        csr = _canonical(matrix) if matrix.dtype.kind in "iub" else _summed(matrix)
    except (Error, MemoryError):
        raise
    except Exception as error:  # SciPy's and NumPy's own, of many kinds
        raise UsageError(f"SciPy makes no CSR matrix of this {type(matrix).__name__}: {error}") from error
    nnz = int(csr.indptr[-1])
    row_ptr, row_ptr_type = _positions(csr.indptr)
    col_idx, col_idx_type = _positions(csr.indices[:nnz])
    values, values_type = _values(csr.data[:nnz])
    arrays = Arrays(csr.shape[0], csr.shape[1], nnz, _pointer(row_ptr), _pointer(col_idx), _pointer(values),
                    row_ptr_type, col_idx_type, values_type)
    return _library.made("csr", library().spress_csr_from_arrays, ctypes.byref(arrays),
                         borrowed=(row_ptr, col_idx, values))


def is_path(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike))


def read_handle(path: PathLike, part: str | None = None, index_base: int | None = None) -> Handle:
    base = -1 if index_base is None else _library.whole("index_base", index_base)
    if index_base is not None and base not in (0, 1):
        raise UsageError(f"index_base is 0 or 1, not {index_base}")
    return _library.made("csr", library().spress_csr_read, _library.encoded(path), _library.optional(part), base)


def handle_of(source: Any) -> Handle:
    """A spress_csr of a path, a spress.Matrix or a matrix of SciPy."""
    if is_path(source):
        return read_handle(source)
    decode: Callable[[], Handle] | None = getattr(source, "_decode", None)
    return decode() if decode is not None else from_scipy(source)

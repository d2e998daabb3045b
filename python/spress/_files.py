"""Reading and writing files."""
from __future__ import annotations

import ctypes
import operator
from typing import Any

import numpy as np

from . import _library
from ._arrays import Info, PathLike, handle_of, info_of, read_handle, to_scipy
from ._errors import UsageError
from ._library import encoded, library, whole


def read(path: PathLike, part: str | None = None, index_base: int | None = None, return_info: bool = False) -> Any:
    """Reads a matrix as a csr_array (csr_matrix where SciPy is older than 1.8).

    path: a file of any kind that `files()` lists, or "gen:NAME,key=value" for a generated matrix. Entries of symmetric
    files are expanded, duplicates are added up, and columns ascend within each row.
    part: the name of one matrix of a file that holds several.
    index_base: 0 or 1, for a list of edges whose ids do not tell.
    return_info: also return an `Info` about the source.

    The arrays are the library's memory, not copies. Exceptions: a matrix with more than 2^31 - 1 entries gets 64-bit
    indices, because SciPy wants row pointers and column ids of one type; a pattern gets values of type bool.

    >>> import spress
    >>> a = spress.read("gen:poisson2d,nx=30,ny=20")
    >>> a.shape, a.nnz, a.dtype
    ((600, 600), 2900, dtype('float64'))
    """
    handle = read_handle(path, part, index_base)
    return (to_scipy(handle), info_of(handle)) if return_info else to_scipy(handle)


def info(path: PathLike, part: str | None = None, index_base: int | None = None) -> Info:
    """What the source says about a matrix. The matrix is read for it, and its values are checked.

    >>> import spress
    >>> spress.info("gen:poisson2d,nx=30,ny=20").symmetry
    'symmetric'
    """
    return info_of(read_handle(path, part, index_base))


def write(path: PathLike, matrix: Any, level: int | None = None, seekable: bool = False) -> None:
    """Writes a matrix. The ending of the path says how: .spress is the smallest file, .mtx is Matrix Market, and
    `files()` lists the others.

    matrix: any sparse matrix of SciPy, a 2-D array, a spress.Matrix, or the path of another file.
    level: of zstd, 1 to 22. seekable: rows can be read by `open` without the others. Both are for .spress alone.

    Matrices of bool are written as patterns unless they hold False. Integers up to 2^53 are exact; larger ones raise
    NotRepresentableError. float32 and complex64 become float64 and complex128, which hold the same numbers. The file
    appears complete or not at all.

    >>> import scipy.sparse, spress
    >>> spress.write("identity.spress", scipy.sparse.eye(1000, format="coo"))
    >>> spress.read("identity.spress").nnz
    1000
    """
    if not isinstance(seekable, (bool, np.bool_)):
        raise UsageError(f"seekable is {seekable!r}; expected True or False")
    handle = handle_of(matrix)
    library().spress_csr_write(handle, encoded(path), 0 if level is None else whole("level", level), int(seekable))


class File:
    """A .spress file whose rows can be read without the others. Made by `spress.open`."""

    def __init__(self, path: PathLike):
        rows, cols, nnz = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int64()
        library().spress_read_shape(encoded(path), ctypes.byref(rows), ctypes.byref(cols), ctypes.byref(nnz))
        self._path, self._shape, self._nnz = path, (rows.value, cols.value), nnz.value

    @property
    def path(self) -> PathLike:
        return self._path

    @property
    def shape(self) -> tuple[int, int]:
        return self._shape

    @property
    def nnz(self) -> int:
        return self._nnz

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: int | slice) -> Any:
        """The rows as a csr_array: of a slice with all its rows, of a number with one."""
        if isinstance(rows, slice):
            first, last, step = rows.indices(len(self))
            if step != 1:
                raise UsageError(f"rows are read in steps of 1, not {step}; slice what was read")
        else:
            first = operator.index(rows)
            if not -len(self) <= first < len(self):
                raise IndexError(f"row {first} of a matrix with {len(self)} rows")
            first %= len(self)
            last = first + 1
        return to_scipy(_library.made("csr", library().spress_csr_read_rows, encoded(self.path), first,
                                      max(first, last)))

    def __repr__(self) -> str:
        return f"<spress.File {str(self.path)!r}, {self.shape[0]} x {self.shape[1]}, {self.nnz} entries>"


def open(path: PathLike) -> File:
    """Opens a .spress file to read some of its rows. Little else is read if the file was written with seekable=True.

    >>> import spress
    >>> spress.write("big.spress", "gen:poisson2d,nx=300,ny=200", seekable=True)
    >>> file = spress.open("big.spress")
    >>> file.shape, len(file)
    ((60000, 60000), 60000)
    >>> file[100:200].shape, file[-1].nnz
    ((100, 60000), 3)
    """
    return File(path)

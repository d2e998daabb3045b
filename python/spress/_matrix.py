"""Matrices in compact formats, which multiply."""
from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from . import _device, _library
from ._arrays import VALUE_TYPES, PathLike, handle_of, to_scipy
from ._errors import UnsupportedError, UsageError
from ._library import COMPLEX, FLOAT, NONE, Handle, MatrixInfo, encoded, library, optional, real


class Matrix:
    """A matrix in one of the formats that `formats()` lists. Made by `encode` and `load`; does not change.

    `m @ x` multiplies with a vector or with the columns of a block, in C or Fortran order, on the CPU; after
    `to_device()` also with vectors in the memory of a GPU. Products are of the matrix' type: x is converted to `dtype`.
    Of a pattern, every entry of which counts as 1, they are of float32 if x is, else of float64.

    `m.T` is the transpose in the same format, made when it is first asked for, and kept: it takes memory of its own.
    `x @ m` uses it, and so do rmatvec and rmatmat.

    SciPy takes a Matrix for a LinearOperator: cg, gmres, eigsh and others.

    >>> import numpy, scipy.sparse.linalg, spress
    >>> m = spress.encode("gen:poisson2d,nx=30,ny=20", "slice-delta")
    >>> x, failed = scipy.sparse.linalg.cg(m, numpy.ones(600))
    >>> failed
    0
    """

    __array_ufunc__ = None  # ndarray @ Matrix is for __rmatmul__, not for NumPy

    def __init__(self, handle: Handle):
        self._handle, self._info = handle, MatrixInfo()
        library().spress_matrix_get_info(handle, ctypes.byref(self._info))
        self._transpose: Matrix | None = None
        self._transpose_lock = threading.Lock()  # or several threads would each make one
        self._on_device = False
        self._device_lock = threading.Lock()  # products on the device share scratch

    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        return self._info.rows, self._info.cols

    @property
    def nnz(self) -> int:
        """Entries of the matrix."""
        return int(self._info.nnz)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return int(self._info.bytes)

    @property
    def format(self) -> str:
        """With its parameters, as in "sell:c=32,sigma=256"."""
        return str(self._info.format.decode())

    @property
    def values(self) -> str:
        """The value store: "raw", "narrow", "lut8", "lut16" or "iso"."""
        return str(self._info.values_store.decode())

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of products; of a pattern float64."""
        return VALUE_TYPES.get(self._info.values_type, np.dtype(np.float64))

    # --- Products ---

    def multiply(self, x: Any, out: Any = None, alpha: float = 1.0, beta: float = 0.0) -> Any:
        """y = alpha A x + beta y, where y is `out`, or a new array if there is none. Returns y.

        x: cols, or cols x k for k vectors. out: rows, or rows x k, of the type of the product; does not overlap x, and
        is not read if beta is 0.
        """
        alpha, beta = real("alpha", alpha), real("beta", beta)
        if type(x) is not np.ndarray and _device.is_on_device(x):
            return self._multiply_on_device(x, out, alpha, beta)
        x = self._operand(x)
        y = self._result(x, out, beta)
        single = x.dtype == np.float32
        if x.ndim == 1 and x.flags.c_contiguous and y.flags.c_contiguous:
            function = library().spress_multiply_float if single else library().spress_multiply
            function(self._handle, alpha, x.ctypes.data, beta, y.ctypes.data)
            return y
        function = library().spress_multiply_block_float if single else library().spress_multiply_block
        count, x_strides, y_strides = x.shape[1] if x.ndim == 2 else 1, self._strides(x), self._strides(y)
        function(self._handle, count, alpha, x.ctypes.data, *x_strides, beta, y.ctypes.data, *y_strides)
        return y

    def _product_type(self, given: np.dtype[Any]) -> np.dtype[Any]:
        if self._info.values_type == COMPLEX:
            raise UnsupportedError("products of complex matrices are not supported; use tocsr() @ x")
        if self._info.values_type == NONE and given.newbyteorder("=") == np.float32:
            return VALUE_TYPES[FLOAT]
        return self.dtype

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        if len(shape) not in (1, 2) or shape[0] != self.shape[1]:
            raise UsageError(f"a matrix of {self.shape[0]} x {self.shape[1]} multiplies arrays of shape "
                             f"({self.shape[1]},) or ({self.shape[1]}, k), not {shape}")

    def _numbers(self, x: Any) -> np.ndarray[Any, Any]:
        if hasattr(x, "tocsr"):
            raise UsageError("products with sparse matrices are SciPy's: use tocsr() on both sides")
        try:
            x = np.asarray(x)
        except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: PyTorch's
            raise UsageError(f"expected an array to multiply: {error}") from None
        if x.dtype.kind == "c":
            raise UnsupportedError("products with complex arrays are not supported; multiply x.real and x.imag apart")
        if x.dtype.kind not in "biuf":
            raise UsageError(f"arrays of type {x.dtype} do not multiply; expected real numbers")
        return x.astype(self._product_type(x.dtype), copy=False)

    def _operand(self, x: Any) -> np.ndarray[Any, Any]:
        out = self._numbers(x)
        self._check_shape(out.shape)
        return out if out.flags.aligned else out.copy()

    def _result(self, x: np.ndarray[Any, Any], out: Any, beta: float) -> np.ndarray[Any, Any]:
        shape = (self.shape[0], *x.shape[1:])
        if out is None:
            if beta != 0:
                raise UsageError("beta needs an array to add to: give out")
            return np.empty(shape, x.dtype, order="F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C")
        if not isinstance(out, np.ndarray) or out.dtype != x.dtype or out.shape != shape:
            raise UsageError(f"out has to be an array of {x.dtype} of shape {shape}")
        if not out.flags.writeable or not out.flags.aligned or self._overlap(out, x):
            raise UsageError("out has to be writeable, aligned, and no part of x")
        if out.size > 1 and not self._elements_apart(out):
            raise UsageError("elements of out share memory")
        return out

    @staticmethod
    def _overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
        try:
            return np.shares_memory(a, b, max_work=1000)
        except RuntimeError:  # NumPy's TooHardError
            return True

    @staticmethod
    def _elements_apart(array: np.ndarray[Any, Any]) -> bool:
        """Whether each element has memory of its own: a row lies between the elements of a column, or the reverse."""
        taken = array.itemsize
        for stride, count in sorted((abs(s), n) for s, n in zip(array.strides, array.shape) if n > 1):
            if stride < taken:
                return False
            taken = stride * (count - 1) + taken
        return True

    @staticmethod
    def _strides(array: np.ndarray[Any, Any]) -> tuple[int, int]:
        """Elements from row to row and from column to column."""
        row, col = (*array.strides, 0)[:2]
        return row // array.itemsize, col // array.itemsize

    def _multiply_on_device(self, x: Any, out: Any, alpha: float, beta: float) -> Any:
        if not self._on_device:
            raise UsageError("the array is in the memory of a GPU, and the matrix is not: call to_device() before")
        with self._device_lock:
            return _device.multiply(self, x, out, alpha, beta)

    def __matmul__(self, x: Any) -> Any:
        return self.multiply(x)

    def __rmatmul__(self, x: Any) -> Any:
        if not _device.is_on_device(x):
            x = self._numbers(x)  # refused before the transpose is made
            if x.ndim not in (1, 2) or x.shape[-1] != self.shape[0]:
                raise UsageError(f"a matrix of {self.shape[0]} x {self.shape[1]} is multiplied from the left by arrays "
                                 f"of shape ({self.shape[0]},) or (k, {self.shape[0]}), not {x.shape}")
        return self.T.multiply(x.T).T if x.ndim == 2 else self.T.multiply(x)

    dot = __matmul__

    def matvec(self, x: Any) -> Any:
        """A x, of a vector or a block with one column."""
        return self.multiply(x)

    def matmat(self, x: Any) -> Any:
        """A X, of a block."""
        return self.multiply(x)

    def rmatvec(self, x: Any) -> Any:
        """The transpose's product with a vector."""
        return self.T.multiply(x)

    def rmatmat(self, x: Any) -> Any:
        """The transpose's product with a block."""
        return self.T.multiply(x)

    @property
    def T(self) -> Matrix:
        """The transpose in the same format, kept with this matrix. The transpose of that is made anew."""
        with self._transpose_lock:
            if self._transpose is None:
                self._transpose = Matrix(_library.made("matrix", library().spress_transpose, self._handle))
        return self._transpose

    def to_device(self, device: int | None = None) -> Matrix:
        """Copies the matrix to a CUDA device, by its number or to the current one, and returns it. It then multiplies
        arrays there, too: those of PyTorch and CuPy, and others by __cuda_array_interface__ or DLPack. Products run on
        the current stream of the array's library, and give arrays of that library. Use one stream at a time: products
        share scratch memory. The transpose goes apart: m.T.to_device()."""
        with self._device_lock:
            if device is None:
                library().spress_to_device(self._handle)
            else:
                library().spress_to_device_number(self._handle, _library.whole("device", device))
            self._on_device = True
        return self

    # --- What it is ---

    def breakdown(self) -> list[dict[str, Any]]:
        """The arrays, each with name, role, type, count, bytes and padding.

        >>> import spress
        >>> [(row["name"], row["bytes"]) for row in spress.encode("gen:poisson2d,nx=3,ny=3", "csr", "raw").breakdown()]
        [('row_ptr', 40), ('col_idx', 132), ('values', 264), ('value_table', 0)]
        """
        return _library.document(library().spress_breakdown, self._handle)  # type: ignore[no-any-return]

    def _decode(self) -> Handle:
        return _library.made("csr", library().spress_decode, self._handle)

    def tocsr(self) -> Any:
        """The matrix as a csr_array, bit for bit as it was encoded; a pattern has values of bool."""
        return to_scipy(self._decode())

    def save(self, path: PathLike) -> None:
        """Writes the format as it is to a file whose name ends in .spress. `load` reads it; `read` does, too."""
        library().spress_matrix_write(self._handle, encoded(path))

    def __repr__(self) -> str:
        return (f"<spress.Matrix {self.shape[0]} x {self.shape[1]}, {self.nnz} entries, {self.format} with "
                f"{self.values} values, {self.nbytes} bytes>")

    def __copy__(self) -> Matrix:
        return self

    def __deepcopy__(self, memo: Any) -> Matrix:
        return self

    def __reduce__(self) -> Any:
        raise TypeError("a spress.Matrix is not pickled; save() it and load() the file")


def encode(matrix: Any, format: str = "auto", values: str = "auto", goal: str = "memory") -> Matrix:
    """Encodes a matrix in a compact format.

    matrix: any sparse matrix of SciPy, a 2-D array, or the path of a file. float32 stays float32; integers become
    float64 if they are exact there; a matrix of bool is a pattern unless it holds False.
    format: a name of `formats()`, with parameters if wanted, as in "sell:c=32,sigma=256"; or "auto", which takes what
    fits the goal best: "memory", "spmv" (time of products) or "transfer" (time to a GPU).
    values: "raw", "narrow", "lut8", "lut16", "iso", or "auto" for the smallest that is exact.

    >>> import spress
    >>> spress.encode("gen:poisson2d,nx=30,ny=20", "slice-delta")
    <spress.Matrix 600 x 600, 2900 entries, slice-delta with narrow values, 4288 bytes>
    """
    return Matrix(_library.made("matrix", library().spress_encode, handle_of(matrix), encoded(format), optional(values),
                                optional(goal)))


def load(path: PathLike) -> Matrix:
    """Reads a .spress file that holds a format, as Matrix.save writes it.

    >>> import spress
    >>> spress.encode("gen:poisson2d,nx=30,ny=20", "csr").save("grid.spress")
    >>> spress.load("grid.spress").format
    'csr'
    """
    return Matrix(_library.made("matrix", library().spress_matrix_read, encoded(path)))

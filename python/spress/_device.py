"""Products with arrays in the memory of a GPU: PyTorch's, CuPy's, and those of other libraries that describe their
arrays by __cuda_array_interface__ or DLPack. Nothing is copied to the host."""
from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._dlpack import CUDA_DEVICES, described_by_dlpack
from ._errors import UnsupportedError, UsageError
from ._library import library


@dataclass(frozen=True)
class Described:
    """Where an array lies, with its shape, its strides in elements, and what has to live as long as it is used."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    owner: Any


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(np.prod(shape[k + 1:], dtype=np.int64)) for k in range(len(shape)))


def is_on_device(x: Any) -> bool:
    """Whether an array says that it is in the memory of a CUDA device."""
    if isinstance(x, np.ndarray):
        return False
    if getattr(x, "__cuda_array_interface__", None) is not None:
        return True
    where = getattr(x, "__dlpack_device__", None)
    return where is not None and int(where()[0]) in CUDA_DEVICES


def described(x: Any, stream: int) -> Described:
    """An array's own description of itself. Its contents are there for what runs on the stream from now on."""
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        return Described(*described_by_dlpack(x, stream))
    if interface.get("mask") is not None:
        raise UnsupportedError("arrays with a mask are not supported")
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides")
    in_elements = _row_major(shape) if strides is None else tuple(step // dtype.itemsize for step in strides)
    return Described(interface["data"][0] or 0, shape, in_elements, dtype, x)


# --- Libraries of arrays ---------------------------------------------------------------------------------------------

class Producer:
    """What products need of the library that an array comes from. This one is for libraries that are not known: products
    run in the order of the stream that the array names, or of the default one, and go into arrays of the caller."""

    def stream(self, x: Any) -> int:
        """The stream on which the array's contents are made; 0 is the default one."""
        interface = getattr(x, "__cuda_array_interface__", None) or {}
        return interface.get("stream") or 0

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        raise UsageError(f"arrays of {type(like).__module__}.{type(like).__name__} are not made here: give out")

    def contiguous(self, x: Any, dtype: np.dtype[Any]) -> Any:
        """A contiguous array of a type with the same numbers."""
        raise UsageError(f"arrays of {type(x).__module__}.{type(x).__name__} are not converted here; expected contiguous "
                         f"columns of {dtype}")


class Torch(Producer):
    def __init__(self) -> None:
        self.torch = sys.modules["torch"]

    def stream(self, x: Any) -> int:
        return int(self.torch.cuda.current_stream(x.device).cuda_stream)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        return self.torch.empty(shape, dtype=getattr(self.torch, dtype.name), device=like.device)

    def contiguous(self, x: Any, dtype: np.dtype[Any]) -> Any:
        return x.to(getattr(self.torch, dtype.name)).contiguous()


class Cupy(Producer):
    def __init__(self) -> None:
        self.cupy = sys.modules["cupy"]

    def stream(self, x: Any) -> int:
        return int(self.cupy.cuda.get_current_stream().ptr)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], like: Any) -> Any:
        return self.cupy.empty(shape, dtype)

    def contiguous(self, x: Any, dtype: np.dtype[Any]) -> Any:
        return self.cupy.ascontiguousarray(x, dtype)


PRODUCERS: dict[str, type[Producer]] = {"torch": Torch, "cupy": Cupy}


def producer_of(x: Any) -> Producer:
    """By the library of the array's type, or of one that it is derived from."""
    roots = [base.__module__.partition(".")[0] for base in type(x).__mro__]
    return next((PRODUCERS[root] for root in roots if root in PRODUCERS), Producer)()


# --- Products --------------------------------------------------------------------------------------------------------

def multiply(matrix: Any, x: Any, out: Any, alpha: float, beta: float) -> Any:
    """y = alpha A x + beta y on the stream of x's library. Returns y before the product is done, as its library does."""
    producer = producer_of(x)
    stream = producer.stream(x)
    seen = described(x, stream)
    if seen.dtype.kind == "c":
        raise UnsupportedError("products with complex arrays are not supported; multiply the two parts apart")
    matrix._check_shape(seen.shape)
    dtype = matrix._product_type(seen.dtype)
    columns, seen = _columns(producer, x, seen, dtype, stream)
    shape = (matrix.shape[0], *seen.shape[1:])
    if out is None and beta != 0:
        raise UsageError("beta needs an array to add to: give out")
    y = producer.empty(shape[::-1], dtype, x).T if out is None and len(shape) == 2 else out
    y = producer.empty(shape, dtype, x) if y is None else y
    to = described(y, stream)
    if to.dtype != dtype or to.shape != shape or not _has_columns(to):
        raise UsageError(f"out has to be an array of {dtype} of shape {shape} with contiguous columns")
    function = library().spress_multiply_on_device_float if dtype == np.float32 else library().spress_multiply_on_device
    for k in range(shape[1] if len(shape) == 2 else 1):
        function(matrix._handle, alpha, _column(seen, k), beta, _column(to, k), stream or None)
    del columns  # until here it owned what products read
    return y


def _has_columns(array: Described) -> bool:
    """Whether each column is contiguous."""
    return array.shape[0] <= 1 or 0 in array.shape or array.strides[0] == 1


def _columns(producer: Producer, x: Any, seen: Described, dtype: np.dtype[Any], stream: int) -> tuple[Any, Described]:
    """The array, or a copy that products read: of the type, with contiguous columns."""
    if seen.dtype == dtype and _has_columns(seen):
        return x, seen
    if len(seen.shape) == 1:
        copy = producer.contiguous(x, dtype)
        return copy, described(copy, stream)
    copy = producer.contiguous(getattr(x, "T", x), dtype)
    of_copy = described(copy, stream)
    return copy, Described(of_copy.pointer, of_copy.shape[::-1], of_copy.strides[::-1], dtype, of_copy.owner)


def _column(array: Described, k: int) -> ctypes.c_void_p:
    step = array.strides[1] if len(array.strides) == 2 else 0
    return ctypes.c_void_p(array.pointer + k * step * array.dtype.itemsize)

"""Reads what a DLPack capsule says of an array. The capsule stays the producer's: it frees the array when it dies."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ._errors import UnsupportedError

CUDA_DEVICES = (2, 13)  # kDLCUDA, kDLCUDAManaged
KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}  # of DLDataTypeCode


class _Device(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    """DLTensor, with which a DLManagedTensor begins."""

    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


def described_by_dlpack(x: Any, stream: int) -> tuple[int, tuple[int, ...], tuple[int, ...], np.dtype[Any], Any]:
    """Pointer, shape, strides in elements, type, and the capsule, which has to live as long as the array is used."""
    capsule = x.__dlpack__(stream=stream or 1)  # DLPack's number of the default stream
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = _Tensor.from_address(get_pointer(capsule, b"dltensor"))
    kind = KINDS.get(tensor.dtype.code)
    if kind is None or tensor.dtype.lanes != 1 or tensor.dtype.bits % 8 != 0:
        raise UnsupportedError(f"arrays of DLPack's type {tensor.dtype.code} with {tensor.dtype.bits} bits are not supported")
    shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
    if tensor.strides:
        strides = tuple(tensor.strides[k] for k in range(tensor.ndim))
    else:
        strides = tuple(int(np.prod(shape[k + 1:], dtype=np.int64)) for k in range(len(shape)))
    pointer = (tensor.data or 0) + tensor.byte_offset
    return pointer, shape, strides, np.dtype(f"{kind}{tensor.dtype.bits // 8}"), capsule

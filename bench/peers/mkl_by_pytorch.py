#!/usr/bin/env python3
"""Products of some formats beside those of MKL as PyTorch calls it: for machines without MKL's headers.

    SPRESS_LIBRARY=build/release PYTHONPATH=python OMP_PROC_BIND=true python3 bench/peers/mkl_by_pytorch.py THREADS [FORMAT...]

FORMAT is csr and auto if none is given. Prints a line of JSON per matrix: seconds (the least of three medians of 5 to 15,
in turns), MKL's seconds over those of each format, and the largest difference between results over the largest result. Needs
NumPy and a PyTorch with MKL.
"""
import ctypes
import json
import os
import platform
import sys
import time
import warnings

THREADS, FORMATS = int(sys.argv[1]), sys.argv[2:] or ["csr", "auto"]
os.environ["OMP_NUM_THREADS"] = str(THREADS)  # before OpenMP starts
import numpy as np  # noqa: E402
import torch  # noqa: E402

import spress  # noqa: E402
from spress import _arrays, _library  # noqa: E402

MATRICES = ["stencil7,n=140", "poisson2d,nx=2000,ny=2000", "stencil27,n=90", "stencil27,n=90,values=noise", "fem3d,n=70",
            "circuit,n=1000000", "powerlaw,n=1000000", "band,n=1000000", "uniform,n=1000000"]


def mkl_matrix(name):
    """The matrix as PyTorch's, without SciPy."""
    handle, arrays = _arrays.read_handle(name), _library.Arrays()
    _library.library().spress_csr_arrays(handle, ctypes.byref(arrays))

    def copied(at, count, kind, dtype):
        return torch.from_numpy(np.frombuffer((kind * count).from_address(at), dtype).copy())

    return torch.sparse_csr_tensor(copied(arrays.row_ptr, arrays.rows + 1, ctypes.c_int32, np.int32),
                                   copied(arrays.col_idx, arrays.nnz, ctypes.c_int32, np.int32),
                                   copied(arrays.values, arrays.nnz, ctypes.c_double, np.float64),
                                   size=(arrays.rows, arrays.cols))


def median_time(run, most=15, least=5, seconds=0.4):
    """Of as many runs as take so long, from `least` to `most`."""
    run()
    run()
    times = []
    while len(times) < least or (len(times) < most and sum(times) < seconds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def encoded(name, kind):
    return spress.encode(name, kind, goal="spmv") if kind == "auto" else spress.encode(name, kind, "raw")


def measure(name):
    mkl, ours = mkl_matrix(name), {kind: encoded(name, kind) for kind in FORMATS}
    rows, cols = mkl.shape
    x = np.random.default_rng(1).standard_normal(cols)
    y, x_mkl = {kind: np.empty(rows) for kind in FORMATS}, torch.from_numpy(x)
    runs = {"mkl": lambda: mkl @ x_mkl}
    runs.update({kind: lambda m=m, out=y[kind]: m.multiply(x, out) for kind, m in ours.items()})
    rounds = [{key: median_time(run) for key, run in runs.items()} for _ in range(3)]
    seconds = {key: min(times[key] for times in rounds) for key in runs}
    expected = (mkl @ x_mkl).numpy()
    difference = max(np.abs(expected - out).max() for out in y.values()) / np.abs(expected).max()
    return {"matrix": name, "nnz": mkl.values().numel(), "threads": THREADS, "seconds": seconds,
            "encoded": {kind: f"{m.format} {m.values}" for kind, m in ours.items()},
            "speedup": {kind: seconds["mkl"] / seconds[kind] for kind in FORMATS}, "difference": difference}


def main():
    if not torch.backends.mkl.is_available():
        sys.exit("this PyTorch is built without MKL")
    warnings.filterwarnings("ignore", module="torch")
    warnings.filterwarnings("ignore", message="Sparse")
    torch.set_num_threads(THREADS)
    spress.set_threads(THREADS)
    mkl = next(line.strip(" -") for line in torch.__config__.show().split("\n") if "Math Kernel" in line)
    print(json.dumps({"machine": platform.processor() or platform.machine(), "torch": torch.__version__, "mkl": mkl,
                      "spress": _library.library().spress_version().decode()}))
    for name in MATRICES:
        print(json.dumps(measure("gen:" + name)), flush=True)


main()

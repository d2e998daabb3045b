#!/usr/bin/env python3
"""Checks products with PyTorch's, CuPy's and DLPack's arrays on a real GPU. Run by hand, or by the test python.gpu, which
is skipped where there is no GPU or no PyTorch. Needs NumPy, and no SciPy.

    SPRESS_LIBRARY=build/release python3 tests/python/gpu_check.py
"""
import ctypes
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
sys.dont_write_bytecode = True
try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("SKIPPED: no GPU that PyTorch can use")
    sys.exit(1 if os.environ.get("SPRESS_REQUIRE_GPU") == "1" else 77)

import spress  # noqa: E402
from spress import _library  # noqa: E402

ROWS, COLS = 700, 500
done = 0


class Csr:
    """A random matrix: some rows are empty, one is full."""

    def __init__(self, dtype, seed=1):
        rng = np.random.default_rng(seed)
        pattern = rng.random((ROWS, COLS)) < 0.05
        pattern[::7], pattern[ROWS // 2] = False, True
        self.indptr = np.concatenate([[0], np.cumsum(pattern.sum(axis=1))]).astype(np.int32)
        self.indices = np.nonzero(pattern)[1].astype(np.int32)
        self.data = np.ones(len(self.indices)) if dtype is bool else rng.standard_normal(len(self.indices)).astype(dtype)
        self.values_type = {bool: _library.NONE, np.float32: _library.FLOAT, np.float64: _library.DOUBLE}[dtype]

    def encode(self, name):
        values = self.data if self.values_type != _library.NONE else None
        arrays = _library.Arrays(ROWS, COLS, len(self.indices), self.indptr.ctypes.data, self.indices.ctypes.data,
                                 None if values is None else values.ctypes.data, _library.INT32, _library.INT32, self.values_type)
        csr = _library.made("csr", _library.library().spress_csr_from_arrays, ctypes.byref(arrays), borrowed=self)
        return spress.Matrix(_library.made("matrix", _library.library().spress_encode, csr, name.encode(), None, None))

    def check(self, x, y, transposed=False):
        """y is the product with x, within the bound of the rounding errors."""
        global done
        rows, cols = np.repeat(np.arange(ROWS), np.diff(self.indptr)), self.indices
        if transposed:
            rows, cols = cols, rows
        terms = self.data.astype(np.longdouble) * x.astype(y.dtype).astype(np.longdouble)[cols]
        reference, sizes = np.zeros(len(y), np.longdouble), np.zeros(len(y), np.longdouble)
        np.add.at(reference, rows, terms)
        np.add.at(sizes, rows, np.abs(terms))
        counts, kind = np.bincount(rows, minlength=len(y)), np.finfo(y.dtype)
        limit = (counts + 2) * kind.eps * sizes + counts * np.longdouble(kind.smallest_subnormal)
        assert (np.abs(y - reference) <= limit).all(), f"off by {(np.abs(y - reference) - limit).max()}"
        done += 1


def orders_of(block):
    wide = torch.zeros(2 * block.shape[0], 3 * block.shape[1], dtype=block.dtype, device=block.device)
    wide[::2, ::3] = block
    return block.contiguous(), block.t().contiguous().t(), wide[::2, ::3]


def check_formats():
    for entry in spress.formats():
        for dtype in (bool, np.float32, np.float64):
            a = Csr(dtype)
            m = a.encode(entry["name"]).to_device()
            m.T.to_device()
            for given in (torch.float32, torch.float64, torch.int32):
                product = torch.float32 if dtype is np.float32 or (dtype is bool and given is torch.float32) else torch.float64
                block = (10 * torch.randn(COLS, 3, device="cuda", dtype=torch.float64)).to(given)
                for x in orders_of(block):
                    y = m @ x
                    assert isinstance(y, torch.Tensor) and y.device == x.device and y.dtype == product, (y.dtype, product)
                    assert tuple(y.shape) == (ROWS, 3)
                    for k in range(3):
                        a.check(x[:, k].cpu().numpy(), y[:, k].cpu().numpy())
                        a.check(x[:, k].cpu().numpy(), (m @ x[:, k]).cpu().numpy())
            x = torch.randn(ROWS, device="cuda", dtype=torch.float64)
            a.check(x.cpu().numpy(), (m.T @ x).cpu().numpy(), True)
            a.check(x.cpu().numpy(), (x @ m).cpu().numpy(), True)
            a.check(np.ones(COLS), m @ np.ones(COLS))  # the host's memory still holds the matrix


def check_out():
    a = Csr(np.float64)
    m, x = a.encode("slice-delta").to_device(), torch.randn(COLS, device="cuda", dtype=torch.float64)
    y = torch.full((ROWS,), float("nan"), device="cuda", dtype=torch.float64)
    assert m.multiply(x, out=y) is y
    a.check(x.cpu().numpy(), y.cpu().numpy())
    z = m.multiply(x, out=y.clone(), alpha=-2.0, beta=3.0)
    torch.testing.assert_close(z, y)
    for bad in (y[:-1], y.float(), torch.zeros(2 * ROWS, device="cuda", dtype=torch.float64)[::2]):
        expect(spress.UsageError, lambda bad=bad: m.multiply(x, out=bad))
    expect(spress.UsageError, lambda: m.multiply(x, beta=1.0))
    expect(spress.UsageError, lambda: m @ x[:-1])
    expect(spress.UsageError, lambda: a.encode("csr") @ x)
    expect(NotImplementedError, lambda: m @ x.to(torch.complex128))
    assert (m @ x[:, None][:, :0]).shape == (ROWS, 0)


def expect(kind, call):
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def check_streams():
    """Behind work of a stream that takes a while, the product waits for it, and the caller does not wait."""
    a = Csr(np.float64)
    m, ones = a.encode("csr").to_device(), np.ones(COLS)
    m @ torch.ones(COLS, device="cuda", dtype=torch.float64)
    for stream in (torch.cuda.Stream(), torch.cuda.default_stream()):
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            x = torch.zeros(COLS, device="cuda", dtype=torch.float64)
            begin = time.perf_counter()
            torch.cuda._sleep(1_000_000_000)
            x.fill_(1.0)
            y = m @ x
            x.fill_(7.0)  # behind the product
            queued = time.perf_counter() - begin
        stream.synchronize()
        finished = time.perf_counter() - begin
        a.check(ones, y.cpu().numpy())
        assert queued < finished / 2, f"queueing took {queued} s of {finished} s"


class ByDlpack:
    """A tensor that shows nothing but DLPack."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, stream):
        return self.tensor.__dlpack__(stream=stream)


def check_dlpack():
    a = Csr(np.float64)
    m, x = a.encode("sell").to_device(), torch.randn(COLS, device="cuda", dtype=torch.float64)
    torch.cuda.synchronize()
    for _ in range(100):
        y = torch.zeros(ROWS, device="cuda", dtype=torch.float64)
        m.multiply(ByDlpack(x), out=ByDlpack(y))
        torch.cuda.synchronize()
    a.check(x.cpu().numpy(), y.cpu().numpy())


def check_cupy():
    try:
        import cupy
    except ImportError:
        print("CuPy is not there: not checked")
        return
    for dtype in (bool, np.float32, np.float64):
        a = Csr(dtype)
        m = a.encode("slice-delta").to_device()
        m.T.to_device()
        for given in (np.float32, np.float64, np.int32):
            block = (10 * np.random.default_rng(4).standard_normal((COLS, 3))).astype(given)
            for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
                with stream:
                    for x in (cupy.asarray(block), cupy.asfortranarray(cupy.asarray(block))):
                        y = m @ x
                        assert isinstance(y, cupy.ndarray)
                        for k in range(3):
                            a.check(block[:, k], y.get()[:, k])
                            a.check(block[:, k], (m @ x[:, k]).get())
        x = cupy.ones(ROWS)
        a.check(np.ones(ROWS), (x @ m).get(), True)
        a.check(np.ones(ROWS), (cupy.ones((2, ROWS)) @ m).get()[1], True)


def check_two_gpus():
    """A matrix is on one GPU at a time, and vectors of another one are refused."""
    if torch.cuda.device_count() < 2:
        print("check_two_gpus: skipped, there is one")
        return
    a = spress.encode("gen:stencil27,n=24,values=noise", "slice-delta")
    xs = [torch.randn(a.shape[1], device=f"cuda:{k}", dtype=torch.float64) for k in (0, 1)]
    expected = [a @ x.cpu().numpy() for x in xs]

    def check(k):
        y = a @ xs[k]
        assert y.device.index == k
        assert np.allclose(y.cpu().numpy(), expected[k], rtol=1e-12, atol=1e-10)

    def refused(k, other):
        try:
            a @ xs[k]
        except spress.UsageError as error:
            assert f"x is on GPU {k}, and the matrix on GPU {other}" in str(error), error
        else:
            raise AssertionError("a vector of another GPU was taken")

    a.to_device(1)
    check(1), refused(0, 1)
    a.to_device(0)
    check(0), refused(1, 0)
    with torch.cuda.device(1):
        torch.ones(1, device="cuda").sum()
        check(0), refused(1, 0)
        a.to_device()
    check(1), refused(0, 1)
    assert torch.cuda.current_device() == 0
    a.multiply(xs[1], out=torch.ones(a.shape[0], device="cuda:1", dtype=torch.float64), alpha=2.0, beta=1.0)
    try:
        a.to_device(torch.cuda.device_count())
    except spress.UnsupportedError as error:
        assert "only devices 0 to" in str(error), error
    check(1)


def check_solver():
    """Conjugate gradient, all of it on the GPU."""
    m = spress.encode("gen:poisson2d,nx=200,ny=200", "slice-delta").to_device()
    b = torch.ones(m.shape[0], device="cuda", dtype=torch.float64)
    x, r = torch.zeros_like(b), b.clone()
    p, rho = r.clone(), r @ r
    for _ in range(600):
        q = m @ p
        alpha = rho / (p @ q)
        x, r = x + alpha * p, r - alpha * q
        rho, before = r @ r, rho
        p = r + (rho / before) * p
    assert torch.linalg.norm(b - m @ x) < 1e-8 * torch.linalg.norm(b)


def check_time():
    m = spress.encode("gen:stencil27,n=100,values=noise", "slice-delta").to_device()
    x = torch.randn(m.shape[1], device="cuda", dtype=torch.float64)
    y = torch.empty(m.shape[0], device="cuda", dtype=torch.float64)
    for _ in range(10):
        m.multiply(x, out=y)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(200):
        m.multiply(x, out=y)
    queued = time.perf_counter() - begin
    torch.cuda.synchronize()
    each = (time.perf_counter() - begin) / 200
    print(f"{m}: {1e6 * each:.1f} us a product, of which queueing {1e6 * queued / 200:.1f} us, on {torch.cuda.get_device_name()}")


def main():
    for check in (check_formats, check_out, check_streams, check_dlpack, check_cupy, check_two_gpus, check_solver, check_time):
        begin = time.perf_counter()
        check()
        print(f"{check.__name__}: good ({time.perf_counter() - begin:.1f} s)", flush=True)
    print(f"{done} products within their bounds")


if __name__ == "__main__":
    main()

"""What the tests of the Python module share. Importing it ends the test as skipped where NumPy or SciPy is missing."""
import os
import pathlib
import sys
import tempfile
import unittest

try:
    import numpy as np
    import scipy.sparse as sp
except ImportError as missing:
    print(f"SKIPPED: {missing}; Debian has it in python3-numpy and python3-scipy")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
sys.dont_write_bytecode = True
os.environ.setdefault("SPRESS_LIBRARY", str(ROOT / "build" / "release"))  # CTest sets it
import spress  # noqa: E402

csr_type = getattr(sp, "csr_array", sp.csr_matrix)


class Case(unittest.TestCase):
    """A test in a scratch folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="spress_python_")
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(scratch.name)
        self.folder = pathlib.Path(scratch.name)

    def assert_same(self, a, b):
        """The same matrix, bit for bit."""
        self.assertEqual(a.shape, b.shape)
        self.assertEqual(a.dtype, b.dtype)
        np.testing.assert_array_equal(a.indptr, b.indptr)
        np.testing.assert_array_equal(a.indices, b.indices)
        self.assertEqual(a.data.tobytes(), b.data.tobytes())

    def assert_product(self, a, x, y):
        """y is a @ x within the bound of the rounding errors; a is CSR of the type that multiplied."""
        self.assertEqual(y.shape, (a.shape[0], *x.shape[1:]))
        columns = zip(x.T, y.T) if x.ndim == 2 else [(x, y)]
        for x_k, y_k in columns:
            reference, limit = bound(a, x_k.astype(y.dtype), y.dtype)
            worst = np.abs(y_k.astype(np.longdouble) - reference) - limit
            self.assertTrue((worst <= 0).all(), f"off by {worst.max() if worst.size else 0}")


def bound(a, x, dtype):
    """The product in extended precision, and how far one of `dtype` may be from it."""
    terms = a.data.astype(np.longdouble) * x.astype(np.longdouble)[a.indices]
    reference, sizes = np.zeros(a.shape[0], np.longdouble), np.zeros(a.shape[0], np.longdouble)
    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    np.add.at(reference, rows, terms)
    np.add.at(sizes, rows, np.abs(terms))
    kind, counts = np.finfo(dtype), np.diff(a.indptr)
    return reference, (counts + 2) * kind.eps * sizes + counts * np.longdouble(kind.smallest_subnormal)


def random_csr(rows, cols, density=0.1, dtype=np.float64, seed=1):
    """With canonical rows, of which some are empty and one is full where there is room."""
    rng = np.random.default_rng(seed)
    pattern = rng.random((rows, cols)) < density
    if rows > 4 and cols > 0:
        pattern[rows // 2], pattern[rows // 3] = True, False
    a = csr_type(pattern.astype(np.float64))
    kind = np.dtype(dtype).kind
    if kind == "b":
        values = np.ones(a.nnz, bool)
    elif kind in "iu":
        values = rng.integers(1, 100, a.nnz)
    else:
        values = rng.standard_normal(a.nnz) + (1j * rng.standard_normal(a.nnz) if kind == "c" else 0)
    out = csr_type((values.astype(dtype), a.indices, a.indptr), shape=(rows, cols))
    out.sort_indices()
    return out


def with_indices(a, dtype):
    """The same matrix with indices of a type that SciPy would not choose by itself."""
    out = a.copy()
    out.indptr, out.indices = out.indptr.astype(dtype), out.indices.astype(dtype)
    return out


#: Shapes with their edges.
SCENARIOS = {
    "0x0": lambda dtype: random_csr(0, 0, dtype=dtype),
    "0x5": lambda dtype: random_csr(0, 5, dtype=dtype),
    "5x0": lambda dtype: random_csr(5, 0, dtype=dtype),
    "no entries": lambda dtype: csr_type((7, 9), dtype=dtype),
    "1x1": lambda dtype: random_csr(1, 1, 1.1, dtype=dtype),
    "wide": lambda dtype: random_csr(37, 700, dtype=dtype),
    "tall": lambda dtype: random_csr(531, 40, dtype=dtype),
    "square": lambda dtype: random_csr(150, 150, dtype=dtype),
}
FORMATS = [entry["name"] for entry in spress.formats()]

"""SciPy's files, and PETSc's: every format, type of number and width of index, read and written, compared by bits."""

import itertools
import unittest

from support import Case, main, modules, spress

numpy, sparse, scipy_io = modules("numpy", "scipy.sparse", "scipy.io")
(petsc,) = modules("petsc4py")

TYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "longdouble", "c8", "c16",
         "clongdouble", ">i2", ">i8", ">u4", ">f2", ">f4", ">f8", ">c16"]
FORMATS = ["csr", "csc", "coo", "bsr", "dia"]
INDEX_ARRAYS = ["indices", "indptr", "row", "col", "offsets"]
SHAPE = (6, 8)
PLACES = [(0, 7, 1), (0, 2, 2), (1, 1, 3), (3, 0, 4), (3, 5, 100), (5, 7, 6)]


def matrix(kind, number, index):
    rows, cols, values = map(numpy.array, zip(*PLACES))
    out = sparse.coo_matrix((values.astype("f8"), (rows, cols)), shape=SHAPE)
    out = out.tobsr(blocksize=(2, 2)) if kind == "bsr" else out.asformat(kind)
    out.data = out.data.astype(number)
    for name in INDEX_ARRAYS:
        if hasattr(out, name):
            setattr(out, name, getattr(out, name).astype(index))
    return out


def bits(a):
    a = a.tocsr()
    a.sort_indices()
    wide = "c16" if a.dtype.kind == "c" else "f8"
    return a.shape, a.indptr.tolist(), a.indices.tolist(), a.data.astype(wide).tobytes()


@unittest.skipIf(sparse is None, "there is no Python with scipy and numpy")
class SciPy(Case):
    def back(self, path):
        self.good("convert", path, self.dir / "back.npz", "-q")
        return sparse.load_npz(self.dir / "back.npz")

    def test_every_format_type_and_index(self):
        path = self.dir / "a.npz"
        for n, (kind, number, index) in enumerate(itertools.product(FORMATS, TYPES, ["i4", "i8", ">i4"])):
            with self.subTest(kind=kind, number=number, index=index):
                expected = matrix(kind, number, index)
                sparse.save_npz(path, expected, compressed=n % 2 == 0)
                self.assertEqual(bits(self.back(path)), bits(expected))

    def test_what_is_written_has_the_usual_types(self):
        for number, data in ("f8", "f8"), ("i4", "i8"), ("c8", "c16"), ("bool", "bool"):
            sparse.save_npz(self.dir / "a.npz", matrix("csr", number, "i4"))
            back = self.back(self.dir / "a.npz")
            self.assertEqual((back.format, back.dtype, back.indices.dtype), ("csr", numpy.dtype(data), "int32"))

    def test_special_values(self):
        values = numpy.array([-0.0, numpy.inf, -numpy.inf, 5e-324, 0.1, 0.0])
        values = numpy.append(values, numpy.array([0x7FF8000000000123], "u8").view("f8"))
        expected = sparse.csr_matrix((values, numpy.arange(7), [0, 7]), shape=(1, 9))
        sparse.save_npz(self.dir / "a.npz", expected)
        self.assertEqual(bits(self.back(self.dir / "a.npz")), bits(expected))

    def test_what_no_double_is_equal_to(self):
        for values in (numpy.array([2**53 + 1]), numpy.array([2**64 - 1], "u8"),
                       numpy.array([numpy.longdouble(1) + numpy.finfo(numpy.longdouble).eps])):
            if values.dtype.kind == "f" and values.dtype.itemsize == 8:
                continue  # long doubles are doubles here
            sparse.save_npz(self.dir / "a.npz", sparse.csr_matrix((values, [0], [0, 1]), shape=(1, 1)))
            self.bad("convert", self.dir / "a.npz", self.dir / "b.mtx", says="double")

    def test_dense_arrays(self):
        dense = matrix("csr", "f8", "i4").toarray()
        for array in dense, numpy.asfortranarray(dense), dense.astype(">f4"), dense.astype("c16"), dense.astype("i2"):
            numpy.save(self.dir / "a.npy", array)
            self.assertEqual(bits(self.back(self.dir / "a.npy")), bits(sparse.csr_matrix(array)))

    def test_harwell_boeing(self):
        random = numpy.random.default_rng(1)
        for scale in 0, 3, 120, 200:  # SciPy's numbers do not stand in the columns that it says
            for sign in (1, -1):
                expected = sparse.random(20, 15, 0.4, "csc", random_state=7)
                expected.data = 10.0 ** random.uniform(-scale, scale, expected.nnz)
                expected.data[::3] *= sign
                scipy_io.hb_write(self.dir / "a.rb", expected)
                self.assertEqual(bits(self.back(self.dir / "a.rb")), bits(scipy_io.hb_read(self.dir / "a.rb")))

    def test_zeros_and_duplicates(self):
        twice = sparse.coo_matrix(([1.0, 2.0, 0.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
        sparse.save_npz(self.dir / "a.npz", twice)
        back = self.back(self.dir / "a.npz")
        self.assertEqual((back.nnz, back[0, 1], back[1, 0]), (2, 3.0, 0.0))

    def test_booleans_are_added_by_or(self):
        twice = sparse.coo_matrix(([True, True, False, False, True], ([0, 0, 1, 1, 1], [1, 1, 0, 1, 1])), shape=(2, 2))
        sparse.save_npz(self.dir / "a.npz", twice)
        self.assertEqual(self.back(self.dir / "a.npz").toarray().tolist(), [[0, 1], [0, 1]])

    def test_a_damaged_archive_is_told(self):
        sparse.save_npz(self.dir / "a.npz", matrix("csr", "f8", "i4"), compressed=False)
        data = (self.dir / "a.npz").read_bytes()
        expected = bits(matrix("csr", "f8", "i4"))
        for at in range(0, len(data), 7):
            (self.dir / "b.npz").write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:])
            done = spress("convert", self.dir / "b.npz", self.dir / "back.npz", "-q")
            self.assertIn(done.returncode, (0, 2))
            if done.returncode == 0:  # dates and attributes of members mean nothing
                self.assertEqual(bits(sparse.load_npz(self.dir / "back.npz")), expected, at)


@unittest.skipIf(petsc is None or sparse is None, "there is no Python with petsc4py and scipy")
class PETSc(Case):
    def test_petsc_reads_what_is_written_and_the_reverse(self):
        petsc.init([])
        from petsc4py import PETSc
        expected = matrix("csr", "f8", "i4")
        sparse.save_npz(self.dir / "a.npz", expected)
        self.good("convert", self.dir / "a.npz", self.dir / "a.petsc", "-q")
        viewer = PETSc.Viewer().createBinary(str(self.dir / "a.petsc"), "r", comm=PETSc.COMM_SELF)
        loaded = PETSc.Mat().load(viewer)
        viewer.destroy()
        indptr, indices, data = loaded.getValuesCSR()
        self.assertEqual(bits(sparse.csr_matrix((data, indices, indptr), shape=loaded.getSize())), bits(expected))
        viewer = PETSc.Viewer().createBinary(str(self.dir / "b.petsc"), "w", comm=PETSc.COMM_SELF)
        viewer(loaded)
        viewer.destroy()
        self.good("compare", self.dir / "a.petsc", self.dir / "b.petsc")


if __name__ == "__main__":
    main()

"""Reading and writing files, and rows of them."""
import os
import unittest

from support import Case, csr_type, np, random_csr, sp, spress, with_indices

EXACT_TYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "g")


class RoundTripTest(Case):
    def test_every_type_and_kind_of_matrix(self):
        for path in ("a.mtx", "a.spress"):
            for dtype in map(np.dtype, EXACT_TYPES):
                a = random_csr(50, 40, dtype=dtype if dtype.char != "g" else float).astype(dtype)
                wide = {"b": bool, "c": complex}.get(dtype.kind, float)
                for kind in ("csr", "csc", "coo", "bsr", "lil"):
                    with self.subTest(path=path, dtype=dtype.str, kind=kind):
                        spress.write(path, a.asformat(kind) if dtype.char not in "eg" else a)
                        self.assert_same(spress.read(path), a.astype(wide))

    def test_index_types(self):
        a = random_csr(50, 40)
        for dtype in (np.int32, np.int64, np.uint32, np.int16, ">i4"):
            spress.write("a.spress", with_indices(a, dtype))
            self.assert_same(spress.read("a.spress"), a)

    def test_bits_of_values(self):
        a = random_csr(50, 40)
        odd = np.array([-0.0, 0.0, np.inf, -np.inf, 5e-324, -1.7976931348623157e308, 0.1])
        a.data[:] = np.resize(odd, a.nnz)
        spress.write("a.spress", a)
        self.assert_same(spress.read("a.spress"), a)
        payload = np.array([0x7FF8000000001234], np.uint64).view(float)[0]
        a.data[5] = payload
        self.assert_same(spress.encode(a, "csr", "raw").tocsr(), a)

    def test_false_is_an_explicit_zero(self):
        a = random_csr(5, 5, 0.9, bool)
        a.data[1] = False
        spress.write("a.mtx", a)
        self.assert_same(spress.read("a.mtx"), a.astype(float))

    def test_integers_beyond_doubles_are_refused(self):
        for dtype, value in ((np.int64, 2**53 + 1), (np.int64, -(2**53) - 1), (np.uint64, 2**64 - 1), (np.int64, 2**60)):
            a = random_csr(5, 5, 0.9, dtype)
            a.data[2] = value
            with self.assertRaisesRegex(spress.NotRepresentableError, f"{np.dtype(dtype).name} value {value} exactly"):
                spress.write("a.mtx", a)
            self.assertFalse(os.path.exists("a.mtx"))
            a.data[2] = 2**53
            spress.write("a.spress", a)
            self.assertEqual(spress.read("a.spress").data[2], 2.0**53)
        third = csr_type(np.array([[1, 3]], np.longdouble)) / np.longdouble(3)
        for inexact, kind in ((third, "float64"), (third.astype(np.clongdouble), "complex128")):
            with self.assertRaisesRegex(spress.NotRepresentableError, f"astype\\('{kind}'\\)"):
                spress.write("a.mtx", inexact)

    def test_sums_of_duplicates_are_exact(self):
        a = csr_type((np.array([2**53, 1]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
        with self.assertRaises(spress.NotRepresentableError):
            spress.write("a.spress", a)
        self.assertEqual(a.nnz, 2)
        for values, dtype in (([200, 100], np.uint8), ([2**31 - 1, 1], np.int32), ([-100, -100], np.int8)):
            coo = sp.coo_matrix((np.array(values, dtype), ([0, 0], [0, 0])), shape=(1, 1))
            spress.write("a.spress", coo)
            self.assertEqual(spress.read("a.spress")[0, 0], sum(values))
        wrapping = sp.coo_matrix((np.full(2048, 2**53), (np.zeros(2048, int), np.zeros(2048, int))), shape=(1, 1))
        with self.assertRaises(spress.NotRepresentableError):
            spress.write("a.spress", wrapping)
        either = sp.coo_matrix((np.array([True, True, False]), ([0, 0, 0], [0, 0, 1])), shape=(1, 2))
        spress.write("a.spress", either)
        self.assertEqual(spress.read("a.spress").toarray().tolist(), [[1, 0]])

    def test_other_sources(self):
        spress.write("b.spress", "gen:poisson2d,nx=5,ny=5")
        a = spress.read("b.spress")
        spress.write("c.mtx", spress.encode(a, "sell"))
        self.assert_same(spress.read("c.mtx"), a)
        spress.write(self.folder / "d.spress", [[1.0, 0.0], [0.0, 2.0]], level=19)
        self.assertEqual(spress.read(self.folder / "d.spress").toarray().tolist(), [[1, 0], [0, 2]])

    def test_scipy_reads_and_writes_the_same(self):
        import scipy.io
        a = random_csr(30, 20)
        spress.write("a.mtx", a)
        self.assert_same(csr_type(scipy.io.mmread("a.mtx").tocsr()), a)
        scipy.io.mmwrite("b.mtx", a)
        np.testing.assert_allclose(spress.read("b.mtx").toarray(), a.toarray())


class ReadTest(Case):
    def test_it_is_scipys_with_32_bit_indices(self):
        a = spress.read("gen:poisson2d,nx=6,ny=5")
        self.assertIsInstance(a, csr_type)
        self.assertEqual((a.indices.dtype, a.indptr.dtype, a.dtype), (np.int32, np.int32, np.float64))
        self.assertTrue(a.has_canonical_format)
        np.testing.assert_allclose((a @ np.ones(30)), a.toarray().sum(axis=1))

    def test_information(self):
        (self.folder / "a.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n% by hand\n3 3 3\n1 1\n2 1\n3 2\n")
        a, about = spress.read("a.mtx", return_info=True)
        self.assertEqual((a.dtype, a.toarray().tolist()), (bool, [[1, 1, 0], [1, 0, 1], [0, 1, 0]]))
        self.assertEqual(about, spress.info("a.mtx"))
        self.assertEqual((about.name, about.field, about.symmetry, about.stored_entries, about.nnz, about.shape),
                         ("a", "pattern", "symmetric", 3, 5, (3, 3)))
        self.assertIn("by hand", about.comments)

    def test_errors(self):
        (self.folder / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n")
        (self.folder / "cut.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n")
        spress.write("good.spress", random_csr(60, 60))
        data = bytearray((self.folder / "good.spress").read_bytes())
        data[len(data) // 2] ^= 1
        (self.folder / "flipped.spress").write_bytes(data)
        for path, kind, builtin, text in (
                ("none.mtx", spress.NotFoundError, FileNotFoundError, "none.mtx: No such file"),
                ("bad.mtx", spress.OutOfRangeError, ValueError, "bad.mtx:3"),
                ("cut.mtx", spress.TruncatedError, ValueError, "cut.mtx"),
                ("flipped.spress", spress.DamagedError, ValueError, "flipped.spress"),
                ("gen:nothing", spress.UsageError, ValueError, "poisson2d")):
            with self.subTest(path=path):
                with self.assertRaisesRegex(kind, text) as caught:
                    spress.read(path)
                self.assertIsInstance(caught.exception, builtin)
                self.assertIsInstance(caught.exception, spress.Error)
        with self.assertRaises(OSError) as caught:
            spress.write("no/such/folder.mtx", random_csr(3, 3))
        self.assertIsInstance(caught.exception, spress.UnwritableError)
        with self.assertRaises(spress.UsageError):
            spress.write("a.spress", random_csr(3, 3), level=99)
        self.assertFalse(os.path.exists("a.spress"))


class RowsTest(Case):
    def test_rows(self):
        a = random_csr(300, 40)
        for seekable in (False, True):
            spress.write("a.spress", a, seekable=seekable)
            file = spress.open("a.spress")
            self.assertEqual((file.shape, len(file), file.nnz), ((300, 40), 300, a.nnz))
            for rows in (slice(None), slice(3, 7), slice(-5, None), slice(290, 999), slice(7, 3), slice(0, 0),
                         slice(300, None), slice(2, 9, 1)):
                self.assert_same(file[rows], a[rows])
            for row in (0, 299, -1, -300, np.int64(150)):
                self.assert_same(file[row], csr_type(a[[row]]))
            for row in (300, -301):
                with self.assertRaisesRegex(IndexError, "300 rows"):
                    file[row]
            with self.assertRaisesRegex(ValueError, "steps of 1"):
                file[::2]
            with self.assertRaises(TypeError):
                file["a"]
            with self.assertRaises(AttributeError):
                file.shape = (5, 5)
            self.assertEqual(repr(file), f"<spress.File 'a.spress', 300 x 40, {a.nnz} entries>")
        self.assertEqual(sum(row.nnz for row in file), a.nnz)

    def test_a_file_of_a_format_has_rows_too(self):
        a = random_csr(30, 40, dtype=bool)
        spress.encode(a, "sell").save("a.spress")
        self.assert_same(spress.open("a.spress")[4:9], a[4:9])

    def test_other_files_have_none(self):
        spress.write("a.mtx", random_csr(5, 5))
        with self.assertRaises(spress.Error):
            spress.open("a.mtx")
        with self.assertRaises(FileNotFoundError):
            spress.open("none.spress")

    def test_little_of_a_seekable_file_is_read(self):
        spress.write("a.spress", "gen:uniform,n=200000,m=1000,k=8", seekable=True)
        path = self.folder / "a.spress"
        whole = path.read_bytes()
        rows = spress.open(path)[:10]
        path.write_bytes(whole[:len(whole) // 2] + bytes(len(whole) - len(whole) // 2 - 4096) + whole[-4096:])
        with self.assertRaises(spress.Error):
            spress.read(path)
        self.assert_same(spress.open(path)[:10], rows)


if __name__ == "__main__":
    unittest.main()

"""Products, transposes, and all else that a spress.Matrix does on the CPU."""
import copy
import pickle
import unittest

from support import FORMATS, SCENARIOS, Case, csr_type, np, random_csr, sp, spress, with_indices

REALS = (np.float32, np.float64)


def orders_of(block):
    """The same block as it may lie in memory."""
    wide = np.zeros((2 * block.shape[0], 3 * block.shape[1]), block.dtype)
    wide[::2, ::3] = block
    return {"C": np.ascontiguousarray(block), "F": np.asfortranarray(block), "strided": wide[::2, ::3],
            "backwards": np.ascontiguousarray(block[::-1])[::-1]}


class ProductsTest(Case):
    def test_every_format_shape_type_and_order(self):
        multiplied = 0
        for name in FORMATS:
            for dtype in (np.bool_, *REALS):
                for scenario, make in SCENARIOS.items():
                    a = make(dtype)
                    with self.subTest(format=name, dtype=np.dtype(dtype).name, scenario=scenario):
                        m = spress.encode(a, name)
                        self.check_products(a, m)
                        self.assert_same(m.tocsr(), a)
                        multiplied += 1
        self.assertEqual(multiplied, len(FORMATS) * 3 * len(SCENARIOS))

    def check_products(self, a, m):
        rng = np.random.default_rng(3)
        types = REALS if a.dtype == bool else (a.dtype.type,)
        for dtype in types:
            numbers = a.astype(dtype)
            x = rng.standard_normal((a.shape[1], 3)).astype(dtype)
            for order, block in orders_of(x).items():
                y = m @ block
                self.assertEqual(y.dtype, dtype)
                self.assert_product(numbers, block, y)
                if min(block.shape) > 1 and a.shape[0] > 1:
                    self.assertEqual(y.flags.f_contiguous, order == "F")
                self.assert_product(numbers, block[:, 1], m @ block[:, 1])
            back = rng.standard_normal((a.shape[0], 2)).astype(dtype)
            transposed = csr_type(numbers.T.tocsr())
            self.assert_product(transposed, back, m.T @ back)
            self.assert_product(transposed, back[:, 0], back[:, 0] @ m)
            self.assert_product(transposed, back, (back.T @ m).T)

    def test_value_stores(self):
        a = random_csr(90, 90)
        a.data[:] = np.resize([1.0, -2.5, 0.0, -0.0], a.nnz)
        for store in ("raw", "narrow", "lut8", "lut16"):
            m = spress.encode(a, "csr", store)
            self.assertEqual(m.values, store)
            self.assert_same(m.tocsr(), a)
            self.assert_product(a, np.arange(90.0), m @ np.arange(90.0))

    def test_auto_and_goals(self):
        a = spress.read("gen:elasticity3d,n=4")
        self.assertEqual(spress.encode(a).nbytes, spress.analyze(a)["choice"]["candidates"][0]["total_bytes"])
        for goal in ("memory", "spmv"):
            self.assert_product(a, np.ones(a.shape[1]), spress.encode(a, goal=goal) @ np.ones(a.shape[1]))
        self.assertEqual(spress.encode(a, "sell:c=4,sigma=8", "raw").format, "sell:c=4,sigma=8")

    def test_other_types_of_x(self):
        a = random_csr(40, 30)
        m, single = spress.encode(a, "csr"), spress.encode(a.astype(np.float32), "csr")
        for dtype in (bool, np.int8, np.uint16, np.int64, np.float16, np.float32, np.longdouble, ">f8", ">f4"):
            x = (np.arange(30) % 2).astype(dtype)
            self.assertEqual((m @ x).dtype, np.float64)
            self.assert_product(a, x.astype(float), m @ x)
            self.assertEqual((single @ x).dtype, np.float32)
        self.assert_product(a, np.arange(30.0), m @ list(range(30)))

    def test_read_only_and_unaligned_vectors(self):
        a = random_csr(40, 30)
        m, x = spress.encode(a, "slice-delta"), np.random.default_rng(5).standard_normal(30)
        unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64)
        self.assertFalse(unaligned.flags.aligned)
        self.assertFalse(unaligned.flags.writeable)
        self.assert_product(a, x, m @ unaligned)
        self.assert_product(a, np.ones(30), m @ np.broadcast_to(1.0, 30))

    def test_out_alpha_and_beta(self):
        a = random_csr(40, 30)
        m, x = spress.encode(a, "sell"), np.random.default_rng(5).standard_normal(30)
        for y in (np.full(40, np.nan), np.full((40, 2), np.nan)[:, 1]):
            self.assertIs(m.multiply(x, out=y), y)
            self.assert_product(a, x, y)
        y = np.arange(40.0)
        m.multiply(x, out=y, alpha=-2.0, beta=3.0)
        np.testing.assert_allclose(y, -2.0 * (a @ x) + 3.0 * np.arange(40.0), rtol=1e-13, atol=1e-12)
        locked = np.zeros(40)
        locked.flags.writeable = False
        square = spress.encode(random_csr(30, 30), "csr")
        both = np.zeros((40, 2))
        both[:30, 0] = x
        m.multiply(both[:30, 0], out=both[:, 1])  # in turn, but with no memory in common
        self.assert_product(a, x, both[:, 1])
        for matrix, bad in ((m, np.zeros(41)), (m, np.zeros(40, np.float32)), (m, locked), (square, x), (m, [0.0] * 40)):
            with self.assertRaisesRegex(spress.UsageError, "out has to be"):
                matrix.multiply(x, out=bad)
        with self.assertRaisesRegex(spress.UsageError, "give out"):
            m.multiply(x, beta=1.0)

    def test_wrong_operands(self):
        m = spress.encode(random_csr(40, 30), "csr")
        for shape in ((29,), (31,), (40,), (), (1, 30), (30, 2, 2)):
            with self.assertRaisesRegex(spress.UsageError, r"40 x 30 multiplies arrays of shape \(30,\) or \(30, k\)"):
                m @ np.ones(shape)
        with self.assertRaisesRegex(ValueError, "do not multiply"):
            m @ np.array(["a"] * 30)
        for shape in ((30,), (3, 30), (40, 3)):
            with self.assertRaisesRegex(spress.UsageError, r"from the left by arrays of shape \(40,\) or \(k, 40\)"):
                np.ones(shape) @ m
        for refused in (lambda: m @ np.ones(30, complex), lambda: np.ones(40, complex) @ m):
            with self.assertRaisesRegex(NotImplementedError, "x.real and x.imag"):
                refused()
        with self.assertRaisesRegex(spress.UsageError, "products with sparse matrices"):
            sp.csr_matrix(random_csr(40, 40)) @ m
        self.assertIsNone(m._transpose, "made for a product that is refused")
        with self.assertRaisesRegex(spress.UsageError, "SciPy"):
            m @ random_csr(30, 30)
        with self.assertRaisesRegex(NotImplementedError, "complex matrices"):
            spress.encode(random_csr(40, 30, dtype=complex), "csr") @ np.ones(30)
        self.assertEqual((m @ np.ones((30, 0))).shape, (40, 0))

    def test_transpose_is_kept(self):
        m = spress.encode(random_csr(40, 30), "csr")
        self.assertIs(m.T, m.T)
        self.assertEqual((m.T.shape, m.T.format, m.T.nnz), ((30, 40), m.format, m.nnz))
        self.assert_same(m.T.T.tocsr(), m.tocsr())


class SolversTest(Case):
    def test_scipy_takes_it_for_an_operator(self):
        from scipy.sparse import linalg
        a = spress.read("gen:poisson2d,nx=20,ny=20")
        m, b = spress.encode(a, "slice-delta"), np.random.default_rng(2).standard_normal(400)
        for solver in (linalg.cg, linalg.gmres):
            x, failed = solver(m, b)
            self.assertEqual(failed, 0)
            self.assertLess(np.linalg.norm(a @ x - b), 1e-4 * np.linalg.norm(b))
        np.testing.assert_allclose(linalg.eigsh(m, k=3, return_eigenvectors=False),
                                   linalg.eigsh(a, k=3, return_eigenvectors=False), rtol=1e-9)
        operator = linalg.aslinearoperator(m)
        self.assertEqual((operator.shape, operator.dtype), (m.shape, m.dtype))
        np.testing.assert_array_equal(operator.matvec(b), m @ b)
        np.testing.assert_array_equal(operator.matvec(b[:, None]), (m @ b)[:, None])
        np.testing.assert_array_equal(operator.rmatvec(b), m.T @ b)
        np.testing.assert_allclose(operator.matmat(np.eye(400)), a.toarray())
        np.testing.assert_allclose(operator.H.matmat(np.eye(400)), a.toarray().T)

    def test_rectangular_and_pattern(self):
        from scipy.sparse import linalg
        a = random_csr(60, 40)
        values = linalg.svds(spress.encode(a, "csr"), k=3, return_singular_vectors=False)
        np.testing.assert_allclose(np.sort(values), np.linalg.svd(a.toarray())[1][:3][::-1])
        pattern = spress.encode(a.astype(bool), "csr")
        self.assertEqual(pattern.dtype, np.float64)
        np.testing.assert_allclose(linalg.lsqr(pattern, pattern @ np.ones(40))[0], np.ones(40), rtol=1e-4)


class EncodingTest(Case):
    def test_any_matrix_of_scipy(self):
        a = random_csr(60, 60)
        for kind in ("csr", "csc", "coo", "bsr", "dia", "dok", "lil"):
            for dtype in (np.int32, np.int64):
                with self.subTest(kind=kind, dtype=dtype.__name__):
                    self.assert_same(spress.encode(with_indices(a, dtype).asformat(kind), "coo").tocsr(), a)
        self.assert_same(spress.encode(sp.csr_matrix(a), "coo").tocsr(), a)
        self.assert_same(spress.encode(a.toarray(), "coo").tocsr(), a)

    def test_unsorted_and_duplicated_entries(self):
        for indices in (np.int32, np.int64):
            a = csr_type((np.array([1.0, 2.0, 4.0, 8.0]), np.array([3, 0, 3, 1]), np.array([0, 3, 3, 4])), shape=(3, 4))
            a.indices, a.indptr = a.indices.astype(indices), a.indptr.astype(indices)
            before = a.indices.copy()
            self.assertEqual(spress.encode(a, "csr").tocsr().toarray().tolist(), [[2, 0, 0, 5], [0] * 4, [0, 8, 0, 0]])
            np.testing.assert_array_equal(a.indices, before)

    def test_entries_behind_the_last_row(self):
        a = random_csr(20, 20)
        longer = a.copy()
        longer.indices, longer.data = np.append(a.indices, [99, 99]).astype(np.int32), np.append(a.data, [np.nan, 7])
        self.assert_same(spress.encode(longer, "csr").tocsr(), a)

    def test_bad_arrays(self):
        a = random_csr(20, 20)
        for column in (-1, 20):
            bad = a.copy()
            bad.indices[3] = column
            with self.assertRaisesRegex(spress.OutOfRangeError, "column out of range"):
                spress.encode(bad, "csr")
        bad = a.copy()
        bad.indptr[5] = bad.indptr[6] + 1
        with self.assertRaisesRegex(spress.OutOfRangeError, "descends"):
            spress.encode(bad, "csr")
        for what in (3, None, np.ones(4), np.ones((2, 2, 2))):
            with self.assertRaisesRegex(spress.UsageError, "expected a sparse matrix"):
                spress.encode(what, "csr")

    def test_arrays_that_do_not_fit_together(self):
        def changed(kind, **arrays):
            a = random_csr(20, 20).asformat(kind)
            for name, change in arrays.items():
                setattr(a, name, change(getattr(a, name).copy()))
            return a

        def first(value):
            def change(array):
                array[0] = value
                return array
            return change
        integers = random_csr(20, 20).astype(int)
        integers.indices[0] = 20
        lists = random_csr(20, 20).tolil()
        lists.data[0] = [1.0] * 5000
        blocks = sp.bsr_matrix(np.ones((6, 6)), blocksize=(3, 3))
        blocks._shape = (5, 5)
        bad = [lists, blocks, changed("csr", data=lambda d: d[:3]), changed("csr", indices=lambda i: i[:3]),
               changed("csr", indptr=lambda p: p[:5]), changed("csr", indptr=lambda p: p[:0]), integers,
               changed("csc", indices=first(20)), changed("csc", data=lambda d: d[:3]), changed("bsr", indices=first(-1)),
               changed("coo", row=first(20)), changed("coo", col=first(-1)), changed("coo", data=lambda d: d[:3])]
        for a in bad:
            with self.assertRaises(spress.OutOfRangeError):
                spress.encode(a, "csr")

    def test_arrays_of_other_kinds(self):
        def changed(kind, name, change):
            a = random_csr(20, 20).asformat(kind)
            setattr(a, name, change(getattr(a, name)))
            return a
        lists = random_csr(20, 20).tolil()
        lists.rows[0], lists.data[0] = [0.7], [1.0]
        bad = [(changed("csr", "data", lambda d: np.c_[d, 10 * d]), "data has 2 dimensions; expected 1"),
               (changed("coo", "data", lambda d: np.c_[d, 10 * d]), "data has 2 dimensions"),
               (changed("csr", "indices", lambda i: i + 0.7), "indices has the type float64; expected integers"),
               (changed("csc", "indptr", lambda p: p.astype(float)), "indptr has the type float64"),
               (changed("csr", "indices", lambda i: i.astype(str)), "indices has the type <U"),
               (changed("coo", "row", lambda r: r.astype(float)), "row has the type float64"),
               (changed("csr", "indices", list), "indices is a list; expected a NumPy array"),
               (lists, "row 0 has columns of the type float64")]
        for a, text in bad:
            with self.assertRaisesRegex(spress.UsageError, text):
                spress.encode(a, "csr")

    def test_columns_of_a_matrix_without_any(self):
        for kind in ("csr", "csc"):
            a = sp.csr_matrix((3, 0)) if kind == "csr" else sp.csc_matrix((0, 3))
            a.indices, a.data, a.indptr[-1] = np.zeros(1, np.int32), np.ones(1), 1
            with self.assertRaisesRegex(spress.OutOfRangeError, "none"):
                spress.encode(a, "csr")

    def test_sums_of_duplicates_beyond_their_type(self):
        twice = (np.array([1e308, 1e308]), (np.array([0, 0]), np.array([0, 0])))
        for a in (sp.coo_matrix(twice, shape=(1, 1)),
                  sp.csr_matrix((twice[0], np.array([0, 0]), np.array([0, 2])), shape=(1, 1))):
            with self.assertRaises(spress.NotRepresentableError):
                spress.encode(a, "csr")

    def test_wrong_arguments_are_usage_errors(self):
        a = random_csr(20, 20)
        m, x = spress.encode(a, "csr"), np.ones(20)
        with_objects = sp.csc_matrix(np.eye(3))
        with_objects.data = with_objects.data.astype("O")
        shared = np.lib.stride_tricks.as_strided(np.zeros(1), (20,), (0,))
        for call in (lambda: m.multiply(x, alpha="a"), lambda: m.multiply(x, alpha=1j), lambda: m.multiply(x, alpha=np.complex128(1j)),
                     lambda: m.multiply(x, alpha="2"), lambda: m.multiply(x, out=shared),
                     lambda: m.multiply(x, out=x.copy(), beta=None), lambda: m @ [[1, 2], [3]], lambda: spress.read(5), lambda: spress.read(None), lambda: m.save(None),
                     lambda: spress.encode(a, 5), lambda: spress.reorder(a, 5), lambda: spress.analyze(a, formats=[1]),
                     lambda: spress.encode(with_objects, "csr"),
                     lambda: spress.write("x.spress", a, level=1.5), lambda: spress.write("x.spress", a, level=2**32 + 5),
                     lambda: spress.write("x.mtx", a, level=23), lambda: spress.write("x.spress", a, seekable="no"),
                     lambda: spress.set_threads("2"), lambda: spress.set_threads(2**32 + 1),
                     lambda: spress.read("x.el", index_base=1.0), lambda: spress.read("\ud800.mtx")):
            with self.assertRaises(spress.UsageError):
                call()

    def test_out_with_room_between_its_elements(self):
        a = random_csr(20, 20)
        m, x, y = spress.encode(a, "csr"), np.ones((20, 3)), np.zeros((40, 6))
        for out in (y[::2, ::2], y[:20, :3].T.copy().T, y[::-2, 5:2:-1], y[19::-1, :3]):
            m.multiply(x, out=out)
            np.testing.assert_allclose(out, a @ x)
        rows = np.arange(60.0).reshape(20, 3)
        one_row = np.lib.stride_tricks.as_strided(rows, (20, 3), (0, 8))
        for block in (rows[::-1], one_row):
            np.testing.assert_allclose(m @ block, a @ block)

    def test_unknown_names_list_the_choices(self):
        a = random_csr(20, 20)
        for arguments, choices in ((("slices",), "slice-delta"), (("csr", "small"), "narrow"), (("csr", "raw", "fun"), "spmv")):
            with self.assertRaisesRegex(ValueError, choices):
                spress.encode(a, *arguments)

    def test_what_it_says(self):
        m = spress.encode(random_csr(40, 30), "sell:c=4,sigma=8", "raw")
        self.assertEqual((m.shape, m.format, m.values, m.dtype, m.ndim), ((40, 30), "sell:c=4,sigma=8", "raw", np.float64, 2))
        self.assertEqual(sum(row["bytes"] for row in m.breakdown()), m.nbytes)
        self.assertEqual(repr(m), f"<spress.Matrix 40 x 30, {m.nnz} entries, sell:c=4,sigma=8 with raw values, {m.nbytes} bytes>")

    def test_it_does_not_change(self):
        m = spress.encode(random_csr(40, 30), "csr")
        for name in ("shape", "nnz", "nbytes", "format", "values", "dtype", "T"):
            with self.assertRaises(AttributeError):
                setattr(m, name, getattr(m, name))

    def test_saved_and_loaded(self):
        for name in FORMATS:
            for dtype in (np.bool_, np.float32, np.float64, np.complex128):
                with self.subTest(format=name, dtype=np.dtype(dtype).name):
                    m = spress.encode(random_csr(40, 30, dtype=dtype), name)
                    m.save("m.spress")
                    again = spress.load("m.spress")
                    self.assertEqual((again.format, again.values, again.nbytes), (m.format, m.values, m.nbytes))
                    self.assert_same(again.tocsr(), m.tocsr())
                    self.assert_same(spress.read("m.spress"), m.tocsr())
        spress.write("a.spress", random_csr(4, 4))
        with self.assertRaisesRegex(spress.NotApplicableError, "read it as CSR"):
            spress.load("a.spress")

    def test_copies(self):
        m = spress.encode(random_csr(4, 4), "csr")
        self.assertIs(copy.deepcopy(m), m)
        with self.assertRaisesRegex(TypeError, "save"):
            pickle.dumps(m)


if __name__ == "__main__":
    unittest.main()

"""Files of other programs: what SciPy writes is read, what is written SciPy reads, and one matrix of several is chosen."""
import unittest

from support import Case, csr_type, np, random_csr, sp, spress


class KindsTest(Case):
    def test_every_kind_that_is_written_comes_back(self):
        a, written = random_csr(50, 40), 0
        for kind in spress.files():
            if not kind["written"] or not kind["read"]:
                continue
            with self.subTest(kind=kind["name"]):
                path = f"a{kind['endings'][0]}"
                spress.write(path, a)
                self.assert_same(spress.read(path), a)
                written += 1
        self.assertGreaterEqual(written, 4)
        with self.assertRaisesRegex(spress.UsageError, r"\.npz"):
            spress.write("a.unknown", a)

    def test_scipys_own_files(self):
        a = random_csr(50, 40)
        for kind in ("csr", "csc", "coo", "bsr"):
            sp.save_npz("a.npz", getattr(sp, f"{kind}_matrix")(a))
            self.assert_same(spress.read("a.npz"), a)
        spress.write("b.npz", a)
        self.assert_same(csr_type(sp.load_npz("b.npz").tocsr()), a)

    def test_one_matrix_of_several(self):
        import scipy.io
        a, b = random_csr(30, 20), random_csr(20, 30, seed=2)
        scipy.io.savemat("two.mat", {"A": sp.csc_matrix(a), "B": sp.csc_matrix(b)})
        self.assert_same(spress.read("two.mat", part="A"), a)
        self.assert_same(spress.read("two.mat", part="B"), b)
        self.assertEqual(spress.info("two.mat", part="B").shape, (20, 30))
        for part in (None, "C"):
            with self.assertRaisesRegex(spress.Error, "A.*B"):
                spress.read("two.mat", part=part)

    def test_lists_of_edges(self):
        (self.folder / "a.el").write_text("1 2\n2 3\n")
        for base, first in ((0, 1), (1, 0)):
            a = spress.read("a.el", index_base=base).tocoo()
            self.assertEqual((a.row.min(), a.nnz), (first, 2))
        with self.assertRaisesRegex(spress.UsageError, "0 or 1, not 2"):
            spress.read("a.el", index_base=2)


if __name__ == "__main__":
    unittest.main()

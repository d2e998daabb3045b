"""Analysis, orderings, and lists of names."""
import pathlib
import unittest
from unittest import mock

from support import Case, csr_type, np, random_csr, spress


class AnalyzeTest(Case):
    def test_a_matrix_and_its_file_cost_the_same(self):
        a = spress.read("gen:elasticity3d,n=4")
        spress.write("a.mtx", a)
        of_matrix, of_file = spress.analyze(a), spress.analyze("a.mtx")
        self.assertEqual(of_matrix["best"], of_file["best"])
        self.assertEqual((of_file["matrix"]["name"], of_file["matrix"]["nnz"], of_file["kind"]), ("a", a.nnz, "analysis"))
        self.assertEqual(set(of_file["orderings"]), {"none", "rcm"})
        csr = of_file["orderings"]["none"]["footprint"]["csr"]
        self.assertEqual(csr["index_bytes"] + csr["values"]["raw"], spress.encode(a, "csr", "raw").nbytes)

    def test_names(self):
        for formats in ("csr,sell", ["csr", "sell"]):
            record = spress.analyze("gen:poisson2d,nx=9,ny=9", formats, ["none"])
            self.assertEqual(set(record["orderings"]), {"none"})
            self.assertEqual(set(record["orderings"]["none"]["footprint"]), {"csr", "sell"})
        with self.assertRaisesRegex(ValueError, "slice-delta"):
            spress.analyze("gen:poisson2d,nx=9,ny=9", "slices")

    def test_a_list(self):
        spress.write("a.mtx", random_csr(30, 30))
        records = spress.analyze([pathlib.Path("a.mtx"), "none.mtx", random_csr(9, 9), "gen:poisson2d,nx=9,ny=9"])
        self.assertIsInstance(records, list)
        self.assertEqual([record["matrix"]["name"] for record in records][:2], ["a", "none.mtx"])
        self.assertIn("No such file", records[1]["error"])
        self.assertEqual([record["error"] for record in records[:1] + records[2:]], [None] * 3)
        self.assertEqual(spress.analyze([]), [])

    def test_pandas(self):
        """With a stand-in, so that the test needs no pandas."""
        pandas = mock.Mock()
        pandas.json_normalize = lambda rows: [row["matrix"]["nnz"] for row in rows]
        records = spress.analyze(["gen:poisson2d,nx=9,ny=9"], "csr", "none")
        with mock.patch.dict("sys.modules", pandas=pandas):
            self.assertEqual(records.to_pandas(), [369])
            self.assertEqual(records[0].to_pandas(), [369])


class ReorderTest(Case):
    def test_new_and_old(self):
        a = spress.read("gen:poisson2d,nx=12,ny=9,shuffle=3")
        perm = spress.reorder(a, "rcm")
        self.assertEqual((perm.dtype, sorted(perm)), (np.int32, list(range(108))))
        record = spress.analyze(a)["orderings"]
        moved = a[perm][:, perm].tocoo()
        self.assertEqual(int(abs(moved.row - moved.col).max()), record["rcm"]["bandwidth"])
        self.assertLess(record["rcm"]["bandwidth"], record["none"]["bandwidth"])

    def test_names_of_any_kind(self):
        for name in (b"rcm", pathlib.Path("rcm")):
            np.testing.assert_array_equal(spress.reorder(random_csr(20, 20), name), spress.reorder(random_csr(20, 20)))

    def test_rows_and_columns_apart(self):
        a = random_csr(30, 20)
        rows, cols = spress.reorder(a, "apart")
        self.assertEqual((sorted(rows), sorted(cols)), (list(range(30)), list(range(20))))
        self.assertIsInstance(spress.reorder(random_csr(20, 20), "apart"), tuple)
        rows, cols = spress.reorder(a, "none")  # of as many as there are
        self.assertEqual((list(rows), list(cols)), (list(range(30)), list(range(20))))

    def test_every_ordering(self):
        a = random_csr(40, 40)
        for entry in spress.orderings():
            with self.subTest(ordering=entry["name"]):
                if entry.get("missing"):
                    with self.assertRaises(NotImplementedError):
                        spress.reorder(a, entry["name"])
                    continue
                perms = spress.reorder(a, entry["name"])
                for perm in (perms,) if entry["symmetric"] else perms:
                    self.assertEqual(sorted(perm), list(range(40)))

    def test_errors(self):
        with self.assertRaises(spress.NotApplicableError):
            spress.reorder(random_csr(30, 20), "rcm")
        with self.assertRaisesRegex(spress.UsageError, "rcm-thorough"):
            spress.reorder(random_csr(20, 20), "rmc")
        self.assertEqual(len(spress.reorder(csr_type((0, 0)), "rcm")), 0)


class ListsTest(Case):
    def test_lists(self):
        for rows in (spress.formats(), spress.orderings(), spress.gallery()):
            self.assertGreater(len(rows), 2)
            for row in rows:
                self.assertTrue(row["name"] and row["summary"])
        self.assertRegex(spress.version(), r"^\d+\.\d+\.\d+$")

    def test_files(self):
        kinds = {kind["name"]: kind for kind in spress.files()}
        self.assertIn(".mtx", kinds["matrix-market"]["endings"])
        self.assertEqual((kinds["spress"]["read"], kinds["spress"]["written"]), (True, True))


if __name__ == "__main__":
    unittest.main()

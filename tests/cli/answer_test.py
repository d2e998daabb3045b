"""`analyze` gives the answer first and briefly; records say what they are."""

import json
import os

from support import SMALL, Case, main, spress

MATRICES = ["gen:stencil27,n=9,shuffle=3", "gen:powerlaw,n=800", "gen:lp,periods=3", "gen:dense,n=20", "gen:empty,rows=3,cols=9",
            "gen:mycielskian,k=6"]


class Answers(Case):
    def fits(self, text, lines):
        self.assertLessEqual(text.count("\n"), lines, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)

    def test_one_matrix(self):
        for matrix in MATRICES:
            text = self.good("analyze", matrix, "-q").stdout
            self.fits(text, 25)
            for part in (f"\nfrom       {matrix}\n", "\nshape ", "\nsymmetry ", "\nvalues ", "\nformat ", "\ncsr ", "auto takes", "rcm"):
                self.assertIn(part, text)

    def test_every_ordering_of_one_matrix_fits(self):
        orderings = json.loads(self.good("list", "orderings", "--json").stdout)
        names = [o["name"] for o in orderings if "missing" not in o]
        text = self.good("analyze", MATRICES[1], "--orderings", ",".join(names), "-q").stdout
        self.fits(text, 25)
        self.assertIn("more orderings: --all", text)
        every = self.good("analyze", MATRICES[1], "--orderings", ",".join(names), "--all", "-q").stdout
        self.assertTrue(all(f"\n{name} " in every for name in names if name != "none"), every)

    def test_a_matrix_named_in_two_ways_is_one(self):
        text = self.good("analyze", self.small, self.small.parent / "." / self.small.name, os.path.relpath(self.small, self.dir),
                         "-q", cwd=self.dir).stdout
        self.assertIn("\nshape ", text)

    def test_more_threads_than_can_start(self):
        for threads in ("99999", "2147483647"):
            env = {**os.environ, "OMP_NUM_THREADS": threads}
            self.good("analyze", MATRICES[4], "-q", env=env)
            self.good("reorder", "gen:stencil27,n=40,shuffle=3", "-o", self.dir / "x.mtx", env=env)

    def test_complex_values_have_no_products(self):
        path = self.dir / "c.mtx"
        path.write_text("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 2\n2 2 3 4\n")
        self.assertIn("auto takes", self.good("analyze", path, "-q").stdout)
        self.bad("encode", path, "-o", self.dir / "c.spress", "--for", "spmv", says="no product for complex values")
        self.assertNotIn("predicted", self.good("analyze", path, "--for", "spmv", "-q").stdout)

    def test_all_shows_every_format(self):
        names = {f["name"] for f in json.loads(self.good("list", "formats", "--json").stdout)}
        text = self.good("analyze", MATRICES[0], "--all", "-q").stdout
        self.assertEqual({name for name in names if f"\n{name} " not in text}, set())

    def test_a_collection(self):
        args = ["analyze", *MATRICES, self.small]
        text = self.good(*args, "-q").stdout
        self.fits(text, 60)
        self.assertEqual(text.index("7 matrices analysed; "), 0)
        for part in ("\ncsr, raw values", "\nauto, for the fewest bytes", "\nauto takes (", "\n8 / 16 / 32 bits", "\nrcm "):
            self.assertIn(part, text)
        for _ in range(2):  # new, and taken up
            self.assertEqual(self.good(*args, "-o", self.dir / "out", "-q").stdout, text)
        papers = self.good(*args, "--papers", "-q").stdout
        self.assertTrue(papers.startswith(text))
        for part in ("paper 000", "paper 001", "paper 002"):
            self.assertIn(part, papers)

    def test_failures_are_in_the_headline(self):
        (self.dir / "broken.mtx").write_text("nothing\n")
        done = spress("analyze", self.dir, "-q")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.index("1 matrix analysed, 1 failed; "), 0)
        self.assertIn("\n1 matrix could not be analysed:\n- broken:1: ", done.stdout)
        self.fits(done.stdout, 60)

    def test_papers_of_one_matrix(self):
        text = self.good("analyze", MATRICES[0], "-q").stdout
        papers = self.good("analyze", MATRICES[0], "--papers", "-q").stdout
        self.assertGreater(papers.count("\n"), 60)
        self.assertIn("paper 002", papers)
        self.assertEqual(papers[:papers.index("auto takes")], text[:text.index("auto takes")])

    def test_records_say_what_they_are(self):
        generated = "gen:poisson2d,n=12,values=noise"
        quick = ["--formats", "csr", "--no-bandwidth"]
        for kind, command in (("analysis", ["analyze"]), ("bench", ["bench", *quick, "--repetitions", 1, "--no-peers"]),
                              ("solve", ["solve", *quick]), ("verify", ["verify", "--formats", "csr"])):
            matrix = "gen:poisson2d,n=12" if kind == "solve" else generated
            record = json.loads(self.good(command[0], matrix, *command[1:], "--json").stdout)
            self.assertEqual(list(record)[:2], ["schema_version", "kind"])
            self.assertEqual(record["kind"], kind)
            generator = record["matrix"]["generator"]
            self.assertEqual(generator["name"], "poisson2d")
            self.assertEqual(generator["parameters"]["n"], 12)
            self.assertEqual(generator["parameters"]["values"], "natural" if kind == "solve" else "noise")
            self.assertEqual(generator["parameters"]["seed"], 1)
            self.assertNotIn("file_bytes", record["matrix"])
        record = json.loads(self.good("analyze", self.small, "--json").stdout)
        self.assertEqual(record["matrix"]["file_bytes"], len(SMALL))
        self.assertNotIn("generator", record["matrix"])


if __name__ == "__main__":
    main()

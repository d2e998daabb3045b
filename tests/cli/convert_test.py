"""convert: every kind of file to every other, one and many; options that say what a file does not; list files."""

import gzip
import json
import os
import pathlib
import unittest

from support import SMALL, Case, main, spress

KINDS = pathlib.Path(__file__).resolve().parent.parent / "data/kinds"


class Convert(Case):
    def endings(self):
        """What this build writes in this process."""
        kinds = json.loads(self.good("list", "files", "--json").stdout)
        return [kind["endings"][0] for kind in kinds if kind["written"]]

    def test_every_kind_to_every_other(self):
        endings = self.endings()
        self.assertLessEqual({".mtx", ".rb", ".npz", ".petsc", ".spress"}, set(endings))
        for first in endings:
            a = self.dir / ("a" + first)
            self.good("convert", self.small, a, "-q", "--fresh")
            for second in endings:
                b = self.dir / ("b" + second)
                self.good("convert", a, b, "-q")
                self.good("compare", b, self.small)

    def test_every_kind_that_is_read(self):
        for path in sorted((KINDS / "valid").iterdir()):
            if path.name.endswith(".expected.mtx"):
                continue
            self.good("convert", path, self.dir / "a.mtx", "-q")
            self.good("compare", self.dir / "a.mtx", f"{path}.expected.mtx")

    def test_it_says_what_it_wrote(self):
        out = self.dir / "a.npz"
        self.assertEqual(self.good("convert", self.small, out).stderr, f"{out}: 3 x 4, 5 entries, scipy-npz\n")
        said = json.loads(self.good("convert", self.small, out, "--json").stdout)
        self.assertEqual(said, {"name": "small", "path": str(self.small), "output": str(out), "kind": "scipy-npz",
                                "rows": 3, "cols": 4, "nnz": 5})

    def test_a_folder_to_a_folder(self):
        source = self.dir / "in/d"
        source.mkdir(parents=True)
        (source / "a.mtx").write_text(SMALL)
        (source.parent / "b.el").write_text("0 1\n1 2\n")
        (source.parent / "notes.txt").write_text("no matrix")
        done = self.good("convert", self.dir / "in", self.dir / "out", "--to", ".npz")
        self.assertIn("passed over: .txt 1", done.stderr)
        self.assertIn("2 files: 2 written", done.stderr)
        self.good("compare", self.dir / "out/d/a.npz", self.small)
        again = self.good("convert", self.dir / "in", self.dir / "out", "--to", "npz")
        self.assertIn("2 kept", again.stderr)
        (self.dir / "out/b.npz").write_text("somebody's")
        self.bad("convert", self.dir / "in", self.dir / "out", "--to", "npz", says="--fresh")
        self.good("convert", self.dir / "in", self.dir / "out", "--to", "npz", "--fresh")

    def test_one_that_cannot_be_read_leaves_the_others(self):
        (self.dir / "bad.mtx").write_text("nonsense")
        done = spress("convert", self.small, self.dir / "bad.mtx", self.dir / "out", "--to", ".rb", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(sorted(line.get("state", "") for line in lines), ["", "done", "failed"])
        self.assertEqual(os.listdir(self.dir / "out"), ["small.rb"])

    def test_standard_input_and_output(self):
        text = self.good("convert", self.small, "-", "-q").stdout
        self.assertTrue(text.startswith("%%MatrixMarket"))
        with open(KINDS / "valid/plain.graph") as graph:
            text = self.good("convert", "-", "-", "--kind", "metis", "--to", "rb", "-q", stdin=graph).stdout
        self.assertIn("psa", text)

    def test_wrong_names_leave_nothing(self):
        self.bad("convert", self.small, self.dir / "a.png", says=".npz")
        self.bad("convert", self.small, self.dir / "a.graph", says=".npz")
        self.bad("convert", self.small, self.small, says="would replace the input")
        self.bad("convert", self.small, self.dir / "a.npz", "--to", "petsc", says="petsc")
        self.bad("convert", self.small, self.dir / "out/", "--to", "png", says=".npz")
        self.bad("convert", self.small, self.small, self.dir / "a.npz", says="name a folder")
        self.bad("convert", self.dir / "absent.mtx", self.dir / "a.npz", says="absent.mtx")
        self.bad("convert", self.small)
        self.assertEqual(self.left(), ["small.mtx"])

    def test_other_commands_name_it(self):
        self.bad("reorder", self.small, "-o", self.dir / "a.npz", says="spress convert")


class Reading(Case):
    def test_edge_lists_need_their_base(self):
        edges = self.dir / "a.el"
        edges.write_text("1 2\n2 3\n")
        self.bad("convert", edges, self.dir / "a.mtx", says=("a.el", "--index-base"))
        self.good("convert", edges, self.dir / "a.mtx", "--index-base", "1")
        self.assertIn("3 3 2", (self.dir / "a.mtx").read_text())
        self.bad("convert", edges, self.dir / "b.mtx", "--index-base", "2", says="--index-base")

    def test_options_are_part_of_what_is_resumed(self):
        edges = self.dir / "a.el"
        edges.write_text("1 2\n2 3\n")
        shapes = []
        for base in "0", "1":
            self.good("analyze", edges, "-o", self.dir / "r", "--index-base", base, "--formats", "csr", "-q")
            shapes.append(json.loads((self.dir / "r/results.jsonl").read_text())["matrix"]["rows"])
        self.assertEqual(shapes, [4, 3])

    def test_a_folder_keeps_nothing_that_was_made_otherwise(self):
        source, out = self.dir / "in", self.dir / "out"
        source.mkdir()
        edges = source / "a.el"
        edges.write_text("1 2\n2 3\n")
        self.good("convert", source, out, "--index-base", "0")
        self.assertIn("1 kept", self.good("convert", source, out, "--index-base", "0").stderr)
        self.bad("convert", source, out, "--index-base", "1", says=("a.mtx", "same options", "--fresh"))
        self.assertIn("4 4 2", (out / "a.mtx").read_text())
        self.good("convert", source, out, "--index-base", "1", "--fresh")
        changed = edges.stat().st_mtime_ns
        edges.write_text("1 2\n2 3\n3 3\n")  # another file with the same time, as archives give all of theirs
        os.utime(edges, ns=(changed, changed))
        self.bad("convert", source, out, "--index-base", "1", says=("a.mtx", "--fresh"))

    def test_matrix_market_is_read_as_nothing_else(self):
        self.bad("convert", self.small, self.dir / "b.mtx", "--kind", "edge-list", "--index-base", "1",
                 says=("Matrix Market", "edge-list"))
        self.bad("encode", self.small, "-o", self.dir / "b.spress", "--stream", "--kind", "edge-list", "--index-base", "1",
                 says=("Matrix Market", "edge-list"))

    def test_a_text_of_no_known_kind(self):
        (self.dir / "a.dat").write_text("0 1\n")
        self.bad("convert", self.dir / "a.dat", self.dir / "b.mtx", says=("a.dat:1", "spress list files"))

    def test_a_container_within_another_file(self):
        self.good("encode", self.small, "-o", self.dir / "a.spress")
        with gzip.open(self.dir / "a.spress.gz", "wb") as out:
            out.write((self.dir / "a.spress").read_bytes())
        for command in (["convert", self.dir / "a.spress.gz", self.dir / "b.mtx"], ["verify", self.dir / "a.spress.gz"]):
            self.bad(*command, says=("a.spress.gz", "unpack it first"))

    def test_a_part_of_an_archive(self):
        two = KINDS / "invalid/usage.0.two_arrays.npz"
        self.bad("convert", two, self.dir / "a.mtx", says=("a, b", "--part"))
        self.good("convert", two, self.dir / "a.mtx", "--part", "b")
        self.bad("convert", two, self.dir / "b.mtx", "--part", "c", says="a, b")
        self.bad("convert", self.small, self.dir / "b.mtx", "--part", "c", says="part")

    def test_a_walk_takes_only_what_its_ending_makes_a_matrix(self):
        for name in "a.csv", "b.txt", "c.tsv", "d.npy":
            (self.dir / name).write_text("0 1\n")
        (self.dir / "e.edges").write_text("0 1\n")
        done = self.good("verify", self.dir, "--formats", "csr", "--json")
        self.assertIn("4 files of other kinds passed over", done.stderr)
        self.good("verify", self.dir / "a.csv", "--formats", "csr")

    def test_the_list_of_kinds(self):
        kinds = {kind["name"]: kind for kind in json.loads(self.good("list", "files", "--json").stdout)}
        self.assertTrue(kinds["petsc"]["read"] and kinds["petsc"]["written"] and kinds["petsc"]["by_content"])
        self.assertFalse(kinds["metis"]["written"] or kinds["metis"]["by_content"])
        self.assertEqual(kinds["edge-list"]["endings_if_named"], [".tsv", ".csv", ".txt"])
        text = self.good("list", "files").stdout
        for name in kinds:
            self.assertIn(name, text)


if __name__ == "__main__":
    main()

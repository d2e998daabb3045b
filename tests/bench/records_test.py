"""How bench/claims reads records and answers on the command line."""
import gzip
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
import unittest

import samples
from samples import REGULAR, bench, bench_all, row

TEXT = "slice-delta against the best of cuSPARSE"


def lines_of(records):
    return "".join(json.dumps(record) + "\n" for record in records)


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.text = lines_of(bench_all(REGULAR, [row("slice-delta", 1.25 * 1.5)]))

    def claims(self, *args, code=0):
        done = subprocess.run([sys.executable, samples.ROOT / "bench/claims", *map(str, args)], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def reached(self, *args):
        return [c["reached"] for c in json.loads(self.claims(*args, "--json")) if c["text"] == TEXT][0]

    def test_plain_and_compressed_files_and_folders(self):
        (self.dir / "a.jsonl").write_text(self.text)
        (self.dir / "b.jsonl.gz").write_bytes(gzip.compress(self.text.encode()))
        (self.dir / "c.jsonl.xz").write_bytes(lzma.compress(self.text.encode()))
        (self.dir / "README.md").write_text("no record")
        for name in ("a.jsonl", "b.jsonl.gz", "c.jsonl.xz", ""):
            self.assertAlmostEqual(self.reached(self.dir / name), 1.5)

    def test_later_files_count(self):
        (self.dir / "a.jsonl").write_text(self.text)
        (self.dir / "b.jsonl").write_text(lines_of(bench_all(REGULAR, [row("slice-delta", 2.5)])))
        self.assertAlmostEqual(self.reached(self.dir), 2)
        self.assertAlmostEqual(self.reached(self.dir / "b.jsonl", self.dir / "a.jsonl"), 1.5)
        (self.dir / "b.jsonl").rename(self.dir / "a-more.jsonl")  # "-" comes before "."
        self.assertAlmostEqual(self.reached(self.dir), 2)

    def test_table(self):
        (self.dir / "a.jsonl").write_text(self.text)
        self.assertIn(f"{TEXT} (four regular kinds, noise", self.claims(self.dir))

    def test_torn_last_lines_are_skipped_and_whole_ones_read(self):
        (self.dir / "a.jsonl").write_text(self.text + '{"kind":"bench","tool":')
        self.assertAlmostEqual(self.reached(self.dir), 1.5)
        (self.dir / "a.jsonl").write_text(self.text.rstrip("\n"))
        self.assertAlmostEqual(self.reached(self.dir), 1.5)

    def test_what_is_no_record_is_named(self):
        for bad in ("{nonsense\n", "{}\n", "[1]\n", '{"kind":"other","tool":{},"matrix":{}}\n', '{\n "collection":{}\n}\n'):
            (self.dir / "a.jsonl").write_text(self.text + bad)
            self.assertIn("a.jsonl:5: ", self.claims(self.dir, code=2))
        record = json.loads(self.text.splitlines()[0])
        del record["formats"]
        (self.dir / "a.jsonl").write_text(lines_of([record]))
        self.assertIn("a.jsonl: the record of stencil27_n9_values-noise lacks 'formats'", self.claims(self.dir, code=2))
        self.assertIn("missing.jsonl", self.claims(self.dir / "missing.jsonl", code=2))
        (self.dir / "a.jsonl").rename(self.dir / "a.txt")
        self.assertIn("holds no .jsonl", self.claims(self.dir, code=2))
        (self.dir / "a.jsonl.xz").write_bytes(b"no xz")
        self.assertIn("cannot be read", self.claims(self.dir, code=2))

    def test_records_of_a_smoke_test_are_refused(self):
        records = [{**record, "smoke": True} for record in map(json.loads, self.text.splitlines())]
        (self.dir / "a.jsonl").write_text(lines_of(records))
        self.assertIn("smoke test", self.claims(self.dir, code=2))
        self.assertAlmostEqual(self.reached(self.dir, "--smoke"), 1.5)

    def test_kinds_of_records_without_the_field(self):
        for key, kind in (("right_hand_side", "solve"), ("pinned_gb_per_s", "transfer"), ("machine", "bench"),
                          ("orderings", "analysis")):
            self.assertEqual(samples.rec.check({"tool": {}, "matrix": {}, "machine": {}, key: {}}
                                               if kind != "analysis" else {"tool": {}, "matrix": {}, key: {}}), kind)

    def test_sources_of_generated_matrices(self):
        by_path = samples.rec.Source(bench("stencil27,n=9,values=few,distinct=16,shuffle=7", []))
        self.assertEqual((by_path.name, by_path.distinct, by_path.noise, by_path.shuffled, by_path.ordered),
                         ("stencil27", 16, False, True, False))
        named = bench("fem3d,n=9,values=noise,shuffle=7", [])
        named["matrix"]["path"] = "fem3d_n9_values-noise_shuffle7.mtx"
        by_name = samples.rec.Source(named)
        self.assertEqual((by_name.name, by_name.parameters, by_name.ordered),
                         ("fem3d", {"n": "9", "values": "noise", "shuffle": "7"}, True))
        named["matrix"].update(name="bcsstk13", path="bcsstk13.mtx")
        self.assertEqual((samples.rec.Source(named).name, samples.rec.Source(named).noise), ("", False))
        named["matrix"]["generator"] = {"name": "band", "parameters": {"n": 9, "values": "noise", "distinct": 256, "shuffle": 0}}
        source = samples.rec.Source(named)
        self.assertEqual((source.name, source.noise, source.distinct, source.shuffled), ("band", True, 0, False))

    def test_published_runs_are_readable_and_small(self):
        runs = samples.ROOT / "bench/runs"
        verdicts = [claim["verdict"] for claim in json.loads(self.claims(runs, "--json"))]
        self.assertGreater(verdicts.count("met") + verdicts.count("missed"), 40)
        self.assertLess(sum(file.stat().st_size for file in runs.rglob("*") if file.is_file()), 2_000_000)
        for run in runs.iterdir():
            if run.is_dir():
                self.assertTrue((run / "README.md").exists(), run)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""bench/cuda/traffic.py with a program and a profiler that only pretend: whose bytes a launch counts for."""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/cuda/traffic.py"

ROWS = [("csr", "row per warp", False), ("amb", "warp per chunk, b=3", False), ("cusparse-csr-alg2", "CSR_ALG2", True),
        ("cusparse-coo-alg1", "COO_ALG1", True)]
SPRESS = f"""#!{sys.executable}
import json, sys
if sys.argv[1] == "analyze":
    details = {{"traffic_bytes": 1000, "single_traffic_bytes": 600}}
    print(json.dumps({{"orderings": {{"none": {{"footprint": {{"csr": {{}}, "amb": {{"details": details}}}}}}}}}}))
else:
    value = sys.argv[sys.argv.index("--value") + 1]
    rows = [dict(format=f, kernel=k, peer=p, ok=True, type=value) for f, k, p in {ROWS!r}]
    print(json.dumps({{"matrix": {{"path": sys.argv[2]}}, "formats": rows}}))
"""
# Each product: a kernel that clears y, 10 bytes written, and one that reads; in three runs.
NCU = f"""#!{sys.executable}
import os, sys
names = [sys.argv[i + 1].rstrip("/") for i, word in enumerate(sys.argv) if word == "--nvtx-include"]
if os.environ.get("NCU_ALL"):
    names.append("other")
print('==PROF== Connected')
print('"ID","Kernel Name","thread Domain:Push/Pop_Range:PL_Type","Metric Name","Metric Unit","Metric Value"')
for place, name in enumerate(names):
    for kernel, read, written in (("clear", 0, 10), ("multiply", 1000 * (place + 1), 5)):
        for run in range(3):
            for metric, value in (("dram__bytes_read.sum", read), ("dram__bytes_write.sum", written)):
                print(f'"0","{{kernel}}","<default domain>:{{name}}:none","{{metric}}","byte","{{value:,}}"')
"""


class Traffic(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("spress", SPRESS), ("ncu", NCU)):
            path = self.folder / name
            path.write_text(text)
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run_script(self, *words, **environment):
        return subprocess.run([sys.executable, SCRIPT, "--spress", self.folder / "spress", "--ncu", self.folder / "ncu",
                               "-o", self.folder / "out.jsonl", *words], capture_output=True, text=True,
                              env={**os.environ, **environment})

    def records(self):
        return [json.loads(line) for line in (self.folder / "out.jsonl").read_text().splitlines()]

    def test_bytes_of_all_kernels_of_a_product_count_once(self):
        done = self.run_script("gen:toy")
        self.assertEqual(done.returncode, 0, done.stderr)
        csr, amb, alg2, coo = self.records()[0]["formats"]
        self.assertEqual((amb["counted_bytes"], amb["predicted_bytes"]), (1015, 1000))
        self.assertEqual(alg2["counted_bytes"], 2015)
        self.assertNotIn("predicted_bytes", alg2)
        for row in (csr, coo):  # the baseline, and a peer that was not asked for
            self.assertNotIn("counted_bytes", row)

    def test_floats_have_a_prediction_of_their_own(self):
        self.run_script("--value", "float", "gen:toy")
        self.assertEqual(self.records()[0]["formats"][1]["predicted_bytes"], 600)

    def test_a_second_run_measures_what_is_left(self):
        self.run_script("gen:toy")
        done = self.run_script("gen:toy", "gen:other")
        self.assertEqual([record["matrix"]["path"] for record in self.records()], ["gen:toy", "gen:other"])
        self.assertEqual(done.stderr.split(), ["gen:other"])

    def test_launches_of_no_product_are_refused(self):
        done = self.run_script("gen:toy", NCU_ALL="1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("belongs to no range", done.stderr)
        self.assertFalse((self.folder / "out.jsonl").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)

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

# Format, parameters, kernel, whether it is a peer. Two have kernels of the same name.
ROWS = [("csr", "", "row per warp", False), ("amb", "", "warp per chunk, b=3", False),
        ("amb", "block=3", "warp per chunk, b=3", False), ("sell", "", "row per lane", False),
        ("cusparse-csr-alg2", "", "CSR_ALG2", True), ("cusparse-coo-alg1", "", "COO_ALG1", True)]
SPRESS = f"""#!{sys.executable}
import json, sys
formats = sys.argv[sys.argv.index("--formats") + 1]
if sys.argv[1] == "analyze":
    predicted = {{"amb": 1000, "amb:block=3": 2000}}.get(formats)
    details = {{"traffic_bytes": predicted, "single_traffic_bytes": 600}} if predicted else {{}}
    print(json.dumps({{"orderings": {{"none": {{"footprint": {{formats.split(":")[0]: {{"details": details}}}}}}}}}}))
else:
    value = sys.argv[sys.argv.index("--value") + 1]
    rows = [dict(format=f, parameters=s, kernel=k, peer=p, ok=True, type=value) for f, s, k, p in {ROWS!r}]
    print(json.dumps({{"matrix": {{"path": sys.argv[2]}}, "formats": rows}}))
"""
# Each product: a kernel that clears y, 10 bytes written, and one that reads; in three runs. NCU_RUNS: the runs of the
# last product. With block=3 a product reads 5000 bytes more.
NCU = f"""#!{sys.executable}
import os, sys
names = [sys.argv[i + 1].rstrip("/") for i, word in enumerate(sys.argv) if word == "--nvtx-include"]
more = 5000 if sys.argv[sys.argv.index("--formats") + 1] == "amb:block=3" else 0
if os.environ.get("NCU_ALL"):
    names.append("other")
print('==PROF== Connected')
if os.environ.get("NCU_REFUSES"):
    print("==ERROR== ERR_NVGPUCTRPERM")
    sys.exit(1)
print('"ID","Kernel Name","thread Domain:Push/Pop_Range:PL_Type","Metric Name","Metric Unit","Metric Value"')
for place, name in enumerate(names):
    for kernel, read, written in (("clear", 0, 10), ("multiply", 1000 * (place + 1) + more, 5)):
        for run in range(int(os.environ.get("NCU_RUNS", 3)) if name == names[-1] else 3):
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
        csr, amb, _, sell, alg2, coo = self.records()[0]["formats"]
        self.assertEqual((amb["counted_bytes"], amb["predicted_bytes"]), (1015, 1000))
        self.assertEqual((sell["counted_bytes"], alg2["counted_bytes"]), (2015, 3015))
        for row in (sell, alg2):  # without a model
            self.assertNotIn("predicted_bytes", row)
        for row in (csr, coo):  # the baseline, and a peer that was not asked for
            self.assertNotIn("counted_bytes", row)

    def test_two_specs_of_a_format_are_told_apart(self):
        self.run_script("gen:toy")
        other = self.records()[0]["formats"][2]
        self.assertEqual((other["counted_bytes"], other["predicted_bytes"]), (6015, 2000))

    def test_floats_have_a_prediction_of_their_own(self):
        self.run_script("--value", "float", "gen:toy")
        self.assertEqual(self.records()[0]["formats"][1]["predicted_bytes"], 600)

    def test_a_second_run_measures_what_is_left(self):
        self.run_script("gen:toy")
        done = self.run_script("gen:toy", "gen:other")
        self.assertEqual([record["matrix"]["path"] for record in self.records()], ["gen:toy", "gen:other"])
        self.assertEqual(done.stderr.split(), ["gen:other"])

    def assert_refused(self, reason, **environment):
        done = self.run_script("gen:toy", **environment)
        self.assertEqual(done.returncode, 2)
        self.assertIn(reason, done.stderr)
        self.assertFalse((self.folder / "out.jsonl").exists())

    def test_launches_of_no_product_are_refused(self):
        self.assert_refused("belongs to no range", NCU_ALL="1")

    def test_a_product_without_launches_is_refused(self):
        self.assert_refused("CSR_ALG2: 0 values of dram__bytes_read.sum, for 3 runs", NCU_RUNS="0")

    def test_launches_that_are_not_in_each_run_are_refused(self):
        self.assert_refused("CSR_ALG2: 4 values of dram__bytes_read.sum, for 3 runs", NCU_RUNS="2")

    def test_what_ncu_says_is_shown(self):
        self.assert_refused("==ERROR== ERR_NVGPUCTRPERM", NCU_REFUSES="1")


if __name__ == "__main__":
    unittest.main(verbosity=2)

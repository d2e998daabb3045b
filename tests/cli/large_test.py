"""More than 2^31 entries through encode, info, verify, decode and its rows, analyze and bench. Takes minutes and 17 GB of memory."""

import json
import re
import unittest

from support import Case, main

SIDE = 46342  # its square is beyond 2^31
ENTRIES = SIDE * SIDE


def free_gigabytes():
    with open("/proc/meminfo", encoding="ascii") as facts:
        return int(re.search(r"MemAvailable: *(\d+) kB", facts.read())[1]) / 1e6


@unittest.skipIf(free_gigabytes() < 18, "needs 18 GB of memory")
class Large(Case):
    def go_through(self, *options):
        file, rows = self.dir / "a.spress", self.dir / "rows.mtx"
        self.good("encode", f"gen:dense,n={SIDE},values=pattern", "-o", file, *options, timeout=600)
        told = json.loads(self.good("info", file, "--json", timeout=600).stdout)
        self.assertEqual(told["scalars"]["nnz"], str(ENTRIES))
        self.good("verify", file, "--deep", timeout=600)
        self.good("decode", file, "--rows", f"{SIDE - 1}:{SIDE}", "-o", rows, timeout=600)
        lines = rows.read_text().splitlines()
        self.assertEqual(lines[-SIDE - 1], f"1 {SIDE} {SIDE}")
        self.assertEqual(lines[-SIDE:], [f"1 {column}" for column in range(1, SIDE + 1)])
        return file

    def test_all_entries(self):
        file = self.go_through("--seekable")
        done = self.good("decode", file, "-o", "/dev/null", timeout=600)
        self.assertIn(f"{ENTRIES} entries", done.stderr)

    def test_analysis_and_products(self):
        dense = f"gen:dense,n={SIDE},values=pattern"
        told = json.loads(self.good("analyze", dense, "--orderings", "none", "--formats", "csr,slice-delta,bmsparse", "--json",
                                    timeout=600).stdout)
        self.assertEqual(told["matrix"]["nnz"], ENTRIES)
        sizes = told["orderings"]["none"]["footprint"]
        self.assertEqual(sizes["csr"]["index_bytes"], 4 * ENTRIES + 4 * (SIDE + 1))
        rows = json.loads(self.good("bench", dense, "--formats", "csr,slice-delta,bmsparse", "--repetitions", "1", "--no-peers",
                                    "--no-bandwidth", "--json", timeout=600).stdout)["formats"]
        self.assertEqual([row["ok"] for row in rows], [True] * 3)


if __name__ == "__main__":
    main()

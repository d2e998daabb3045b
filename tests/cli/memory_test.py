"""Memory that ends: whatever the limit, the tool says so and exits with a code of its own, never by a signal."""

import resource
import subprocess
import unittest

from support import SPRESS, Case, main

MIB = 1 << 20


class Memory(Case):
    def limited(self, limit, *args):
        def set_limit():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return subprocess.run([SPRESS, *map(str, args)], capture_output=True, text=True, timeout=120,
                              preexec_fn=set_limit, env={"OMP_NUM_THREADS": "2"})

    def least(self, *args):
        """The least limit in MiB at which a command does all its work."""
        low, high = 1, 1024
        while high - low > 1:
            middle = (low + high) // 2
            done = self.limited(middle * MIB, *args)
            low, high = (low, middle) if done.returncode == 0 else (middle, high)
        return high

    def sweep(self, *args):
        """Limits below what suffices: each ends with 0, or with 1 or 2 and a message."""
        enough = self.least(*args)
        begin = self.least("--version")  # below, the program itself does not fit
        step = max((enough - begin) * MIB // 60, 65536)
        for limit in range(begin * MIB, enough * MIB, step):
            done = self.limited(limit, *args)
            if done.returncode < 0 and self.limited(limit, "--version").returncode < 0:
                continue  # libraries of the system end the program before it begins
            self.assertIn(done.returncode, (0, 1, 2), f"{args} at {limit}: {done.stderr}")
            if done.returncode != 0:
                self.assertTrue(done.stderr.strip(), f"{args} at {limit}: exit code {done.returncode} and no message")

    def test_resuming_a_collection(self):
        folder = self.dir / "m"
        folder.mkdir()
        for i in range(20):
            (folder / f"m{i}.mtx").write_text(self.small.read_text())
        self.good("analyze", folder, "-o", self.dir / "out")
        self.sweep("analyze", folder, "-o", self.dir / "out", "--jobs", 1, "--threads", 1)

    def test_a_report(self):
        self.good("analyze", self.small, "-o", self.dir / "out")
        self.sweep("report", self.dir / "out/results.jsonl", "-o", self.dir / "r.html")

    def test_a_container(self):
        self.good("encode", self.small, "-o", self.dir / "a.spress", "--format", "csr")
        self.sweep("info", self.dir / "a.spress", "--json")
        self.sweep("verify", self.dir / "a.spress", "--threads", 1)


if __name__ == "__main__":
    main()

"""Memory that ends: whatever the limit, the tool says so and exits with a code of its own, never by a signal."""

import os
import resource
import shutil
import subprocess

from support import SANITIZED, SPRESS, Case, main

MIB = 1 << 20

FAILING_MALLOC = r"""
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern void* __libc_malloc(size_t);
static atomic_long calls;
static long failing = -1;
__attribute__((constructor)) static void begin(void) {
  if (getenv("FAILING_CALL")) failing = atol(getenv("FAILING_CALL"));
  atomic_store(&calls, 0);
}
void* malloc(size_t size) {
  if (atomic_fetch_add(&calls, 1) != failing) return __libc_malloc(size);
  errno = ENOMEM;
  return 0;
}
__attribute__((destructor)) static void end(void) {
  char text[32];
  if (getenv("COUNT_CALLS")) write(2, text, snprintf(text, sizeof text, "calls %ld\n", (long)calls));
}
"""


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


    def test_a_file_is_the_same_with_little_memory(self):
        whole, written = self.dir / "whole.spress", self.dir / "a.spress"
        args = ("encode", "gen:stencil27,n=16,values=noise", "--level", 19, "--threads", 1, "-o")
        self.good(*args, whole)
        enough = self.least(*args, written)
        for more in range(0, 100, 10):
            if self.limited((enough + more) * MIB, *args, written).returncode == 0:
                self.assertEqual(written.read_bytes(), whole.read_bytes(), f"{more} MiB more than suffice")


class OneFailingAllocation(Case):
    """Each of the calls of malloc fails once, one in a run; a sample of them in the quick tests."""

    def preloaded(self, *args, **env):
        return subprocess.run([SPRESS, *map(str, args)], capture_output=True, text=True, timeout=120, cwd=self.dir,
                              env={"OMP_NUM_THREADS": "2", "LD_PRELOAD": str(self.library), **env})

    def setUp(self):
        super().setUp()
        if SANITIZED:
            self.skipTest("sanitizers have a malloc of their own")
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("needs a C compiler")
        source, self.library = self.dir / "failing.c", self.dir / "failing.so"
        source.write_text(FAILING_MALLOC)
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-w", "-o", self.library, source], check=True)
        if "calls" not in self.preloaded("list", "formats", COUNT_CALLS="1").stderr:
            self.skipTest("this C library has no malloc to replace")

    def sweep(self, *args, runs=40):
        calls = int(self.preloaded(*args, COUNT_CALLS="1").stderr.split("calls")[-1])
        failed = 0
        for call in range(0, calls, max(1, calls // runs)):
            done = self.preloaded(*args, FAILING_CALL=str(call))
            if done.returncode < 0 and self.preloaded("--version", FAILING_CALL=str(call)).returncode < 0:
                continue  # libraries of the system end the program before it begins
            self.assertIn(done.returncode, (0, 1, 2), f"{args}, call {call}: {done.stderr}")
            failed += done.returncode != 0
            if done.returncode != 0:
                self.assertIn("memory", done.stderr, f"{args}, call {call}")
        self.assertGreater(failed, runs // 4)

    def test_each_subcommand(self):
        self.good("encode", self.small, "-o", self.dir / "a.spress")
        self.good("analyze", self.small, "-o", self.dir / "out")
        self.sweep("info", "a.spress", "--json")
        self.sweep("encode", "small.mtx", "-o", "b.spress")
        self.sweep("reorder", "gen:poisson2d,n=4", "-o", "b.mtx", "--perm", "p.txt")
        self.sweep("analyze", "small.mtx", "gen:poisson2d,n=4", "--jobs", 2, "--formats", "csr,coo", runs=80)
        self.sweep("analyze", "small.mtx", "-o", "out")
        self.sweep("report", "out/results.jsonl", "-o", "r.html")


if __name__ == "__main__":
    main()

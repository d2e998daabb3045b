"""Rows of a seekable file: what is read from the disk, counted from outside."""

import os
import re
import shutil
import subprocess
import unittest

from support import SPRESS, Case, main


class Rows(Case):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.spress"
        self.good("encode", "gen:stencil7,n=60,values=noise", "--seekable", "-o", self.file)

    def reads(self, *args):
        """Offset and bytes of each read of the file, in turn."""
        trace = self.dir / "trace"
        done = subprocess.run(["strace", "-f", "-y", "-e", "trace=read,readv,pread64,preadv,mmap", "-o", trace, SPRESS,
                               *map(str, args)], capture_output=True, text=True, timeout=120,
                              env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"})  # which needs to trace, too
        if "ptrace" in done.stderr.lower():
            self.skipTest("strace may not trace here")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = [line for line in trace.read_text().splitlines() if f"<{self.file}>" in line]
        self.assertFalse([call for call in calls if not re.search(r" pread64\(.*, [0-9]+\) = [0-9]+$", call)])
        return [(int(offset), int(size)) for offset, size in
                (re.search(r", ([0-9]+)\) = ([0-9]+)$", call).groups() for call in calls)]

    @unittest.skipUnless(shutil.which("strace"), "strace is not there")
    def test_a_hundredth_is_read_at_once_behind_the_descriptor(self):
        end = self.file.stat().st_size
        reads = self.reads("decode", self.file, "--rows", "100000:102160", "-o", self.dir / "r.mtx")
        descriptor = next(i for i, (offset, size) in enumerate(reads) if offset + size == end)
        rows = reads[descriptor + 1:]
        self.assertTrue(1 <= len(rows) <= 3, rows)
        self.assertLess(sum(size for _, size in rows), 0.1 * end)  # one or two of thirteen blocks
        self.assertLess(sum(size for _, size in reads[:descriptor + 1]), 1000)


if __name__ == "__main__":
    main()

"""The program among its surroundings: closed streams, signals, limits."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

from support import SPRESS, Case, main, spress

NAMED_ONLY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int none(int flags, const char* name, const char* path, int mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE) { errno = EOPNOTSUPP; return -1; }
  return ((int (*)(const char*, int, int))dlsym(RTLD_NEXT, name))(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest);
  return none(flags, "open", path, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest);
  return none(flags, "open64", path, mode);
}
"""


def parts(folder):
    return [name for name in os.listdir(folder) if name.startswith(".spress")]


class Streams(Case):
    def run_in_shell(self, command):
        return subprocess.run(["sh", "-c", f'exec "$0" {command}', SPRESS], cwd=self.dir, capture_output=True,
                              text=True, timeout=120)

    def test_closed_streams_leave_records_whole(self):
        for closed in [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"]:
            records = self.dir / "b.jsonl"
            done = self.run_in_shell(f"bench small.mtx --formats csr,coo --seconds 0 --no-bandwidth -o b.jsonl {closed}")
            self.assertEqual(done.returncode, 0, closed)
            formats = [[row["format"] for row in json.loads(line)["formats"]] for line in records.read_text().splitlines()]
            self.assertEqual(len(formats), 1, closed)
            self.assertLessEqual({"csr", "coo"}, set(formats[0]), closed)
            records.unlink()
            written = self.run_in_shell(f"reorder small.mtx --ordering none -o - {closed}")
            self.assertEqual(written.returncode, 2 if ">&-" in closed.replace("2>&-", "") else 0, closed)
            done = self.run_in_shell(f"analyze small.mtx -o out {closed}")
            self.assertEqual(done.returncode, 0, closed)
            self.assertEqual(len([json.loads(line) for line in (self.dir / "out/results.jsonl").read_text().splitlines()]), 1)
            shutil.rmtree(self.dir / "out")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_stderr_that_takes_nothing_changes_no_exit_code(self):
        for closed in ["2>/dev/full", "2>&-"]:
            self.assertEqual(self.run_in_shell(f"encode small.mtx -o x.spress {closed}").returncode, 0)
            self.assertEqual(self.run_in_shell(f"encode none.mtx -o y.spress {closed}").returncode, 2)
            self.assertEqual(self.run_in_shell(f"encode --nosuch {closed}").returncode, 2)
            self.assertEqual(self.run_in_shell(closed).returncode, 2)
        self.assertEqual(self.left(), ["small.mtx", "x.spress"])


class FullDisk(Case):
    """A small file system of memory, in a name space of its own."""

    def on_a_disk(self, script):
        disk = self.dir / "disk"
        disk.mkdir(exist_ok=True)
        return subprocess.run(["unshare", "-rm", "sh", "-c", f'cd "$1" && mount -t tmpfs none disk && {script}', "sh",
                               self.dir], env=os.environ | {"SPRESS": SPRESS}, capture_output=True, text=True, timeout=120)

    def test_a_file_is_whole_or_refused(self):
        if shutil.which("unshare") is None or self.on_a_disk("mount -o remount,size=64k disk").returncode != 0:
            self.skipTest("this system gives its users no file systems")
        for ending in (".mtx", ".mtx.gz", ".npz", ".petsc", ".rb", ".h5", ".spress"):
            whole = self.dir / ("whole" + ending)
            done = spress("convert", "gen:stencil27,n=12,values=noise", whole)
            if "which this build does not write" in done.stderr or "this build is without" in done.stderr:
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            size = whole.stat().st_size // 1024
            sizes = sorted({max(4, size * percent // 100) for percent in (5, 40, 80, 90, 95, 98)} | {size - 8})
            script = "; ".join(
                f'mount -o remount,size={k}k disk; "$SPRESS" convert gen:stencil27,n=12,values=noise disk/a{ending} -q; '
                f'echo "$? $(ls -A disk)"; rm -f disk/*' for k in sizes)
            done = self.on_a_disk(script)
            ends = done.stdout.splitlines()
            self.assertEqual(ends, ["2 "] * len(sizes), f"{ending}, {size} kB: {done.stderr}")


class Signals(Case):
    def preload(self):
        """The environment of a system whose files always have a name."""
        compiler = shutil.which("cc")
        if compiler is None or "not a dynamic" in subprocess.run(["ldd", SPRESS], capture_output=True, text=True).stderr:
            self.skipTest("needs a C compiler and a dynamic C library")
        source, library = self.dir / "named.c", self.dir / "named.so"
        source.write_text(NAMED_ONLY)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        env = {**os.environ, "LD_PRELOAD": str(library)}
        if spress("--version", env=env).returncode != 0:
            self.skipTest("this build takes no library before its own, as those with sanitizers")
        return env

    def kill_often(self, number, env=None, wait_for_part=False, times=8):
        """Kills the tool while it writes; the exit codes, and what was left."""
        folder = self.dir / "out"
        folder.mkdir(exist_ok=True)
        codes, seen = set(), 0
        for i in range(times):
            run = subprocess.Popen([SPRESS, "generate", "stencil27", "n=30", "-q", "-o", folder / "g.mtx"], env=env)
            time.sleep(0.01 * i)
            while wait_for_part and run.poll() is None and not parts(folder):
                time.sleep(0.002)
            seen += bool(parts(folder))
            run.send_signal(number)
            codes.add(run.wait())
        return codes, parts(folder), seen

    def test_signals_leave_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            codes, left, _ = self.kill_often(number)
            self.assertLessEqual(codes, {0, -number})
            self.assertIn(-number, codes, "no signal came while the tool ran")
            self.assertEqual(left, [])

    def test_signals_remove_files_that_have_a_name(self):
        codes, left, seen = self.kill_often(signal.SIGTERM, self.preload(), wait_for_part=True)
        self.assertGreater(seen, 0)
        self.assertLessEqual(codes, {0, -signal.SIGTERM})
        self.assertIn(-signal.SIGTERM, codes)
        self.assertEqual(left, [])

    def test_the_next_run_removes_what_a_kill_left_unless_it_is_in_use(self):
        env = self.preload()
        _, left, seen = self.kill_often(signal.SIGKILL, env, wait_for_part=True, times=1)
        self.assertGreater(seen, 0)
        self.assertNotEqual(left, [])
        folder = self.dir / "out"
        running = subprocess.Popen([SPRESS, "generate", "stencil27", "n=60", "-q", "-o", folder / "b.mtx"], env=env)
        while running.poll() is None and parts(folder) == left:
            time.sleep(0.002)
        self.good("generate", "poisson2d", "n=3", "-o", folder / "small.mtx")
        self.assertEqual(running.wait(), 0, "its file was taken away")
        self.assertEqual(sorted(os.listdir(folder)), ["b.mtx", "small.mtx"])

    def test_an_ignored_signal_stays_ignored(self):
        run = subprocess.Popen([SPRESS, "generate", "stencil27", "n=40", "-q", "-o", self.dir / "g.mtx"],
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.05)
        run.send_signal(signal.SIGHUP)
        self.assertEqual(run.wait(), 0)


class Limits(Case):
    def test_a_file_beyond_the_limit_is_an_error(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        self.bad("generate", "stencil27", "n=20", "-o", self.dir / "g.mtx", says=["g.mtx", "ulimit -f"],
                 preexec_fn=limit)
        self.bad("bench", "gen:poisson2d,n=3", "--seconds=0", "--no-bandwidth", "-o", self.full_records(),
                 says="b.jsonl", preexec_fn=limit, stdout_too=True)
        kinds = json.loads(self.good("list", "files", "--json").stdout)
        for ending in [kind["endings"][0] for kind in kinds if kind["written"]]:
            self.bad("convert", "gen:stencil27,n=20,values=noise", self.dir / ("g" + ending), says="ulimit -f", preexec_fn=limit)
        self.assertEqual(self.left(), ["b.jsonl", "small.mtx"])

    def full_records(self):
        records = self.dir / "b.jsonl"
        records.write_text('{"schema_version":1,"filler":"' + "x" * 8100 + '"}\n')
        return records

    def bad(self, *args, stdout_too=False, **kwargs):
        if not stdout_too:
            return super().bad(*args, **kwargs)
        says = kwargs.pop("says")
        done = spress(*args, **kwargs)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(says, done.stderr)

    def test_threads_that_cannot_be_started_are_an_error(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
        if spress("--version", preexec_fn=limit).returncode != 0:
            self.skipTest("this build needs more memory to begin, as those with sanitizers")
        done = spress("encode", "gen:stencil27,n=20", "-o", self.dir / "x.spress", "--threads", "4096",
                      preexec_fn=limit)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("a smaller --threads helps", done.stderr)
        self.assertEqual(self.left(), ["small.mtx"])


if __name__ == "__main__":
    main()

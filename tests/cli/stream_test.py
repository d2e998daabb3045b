"""--stream: the figures and files of matrices larger than memory are those of the same matrices in memory."""

import contextlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from support import SANITIZED, SPRESS, Case, main, spress

MIB = 1 << 20
CORPUS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "corpus"
NOT_SIZED = "not sized by --stream"


def text_of(field, symmetry, rows, cols, entries, seed=1):
    """Entries in no order, with duplicates, empty rows and one long row."""
    rng = random.Random(seed)
    lines = []
    for k in range(entries):
        row, col = rng.randrange(rows), rng.randrange(cols)
        if row % 9 == 4:
            row = rows // 2
        if k % 4 == 0:
            col = min(cols - 1, row // 2)
        if symmetry != "general":
            row, col = max(row, col), min(row, col)
            if symmetry == "skew-symmetric" and row == col:
                continue
        words = [row + 1, col + 1]
        if field == "integer":
            words.append(rng.randrange(-300, 300))
        elif field in ("real", "complex"):
            words.append(rng.choice([0, -0.0, 1.5, 1e-30, rng.random()]))
        if field == "complex":
            words.append(0 if symmetry == "hermitian" and row == col else rng.randrange(5))
        lines.append(" ".join(map(str, words)))
    head = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n% made for a test\n{rows} {cols} {len(lines)}\n"
    return head + "".join(line + "\n" for line in lines)


class Stream(Case):
    def record(self, path, *args, **kwargs):
        return json.loads(self.good("analyze", path, "--json", "-q", "--orderings", "none", *args, **kwargs).stdout)

    def same(self, path, *args):
        """Compares all that both runs say. Returns the streamed record."""
        whole = self.record(path)
        streamed = self.record(path, "--stream", *args)
        self.assertEqual(streamed["matrix"], whole["matrix"], path)
        one, other = streamed["orderings"]["none"], whole["orderings"]["none"]
        sized = {name: f for name, f in one["footprint"].items() if not f.get("reason", "").startswith(NOT_SIZED)}
        self.assertGreaterEqual(len(sized), 11)
        self.assertEqual(sized, {name: other["footprint"][name] for name in sized}, path)
        self.assertEqual(list(one["footprint"]), list(other["footprint"]))
        for key in one.keys() | other.keys():
            if key not in ("footprint", "seconds"):
                self.assertEqual(one.get(key), other.get(key), f"{path}: {key}")
        fits = [f["index_bytes"] + b for f in sized.values() for b in f.get("values", {}).values() if b is not None]
        self.assertEqual(streamed["best"]["total_bytes"], min(fits))
        self.assertNotIn("choice", {k for k, v in streamed.items() if v is not None})
        return streamed

    def write(self, name, text):
        path = self.dir / name
        path.write_text(text)
        return path

    def test_the_memory_that_an_error_names_is_enough(self):
        path = self.dir / "circuit.mtx"
        self.good("generate", "circuit", "n=200000", "-q", "-o", path)
        for first in ("1M", "2M"):  # the rows alone are too many; then one panel of them is
            size, tried = first, []
            while (done := spress("analyze", path, "--stream", "--memory", size, "--formats", "csr")).returncode != 0:
                tried.append(int(size[:-1]))
                size = re.search(r"--memory (\d+M) lets them in", done.stderr)[1]
                self.assertGreater(int(size[:-1]), tried[-1], done.stderr)
            self.assertLessEqual(len(tried), 2)

    def test_texts_of_every_field_and_symmetry(self):
        for field in ("real", "integer", "complex", "pattern"):
            for symmetry in ("general", "symmetric", "skew-symmetric", "hermitian"):
                if symmetry == "hermitian" and field != "complex" or symmetry == "skew-symmetric" and field == "pattern":
                    continue
                path = self.write("a.mtx", text_of(field, symmetry, 400, 400, 6000))
                self.same(path)
                self.same(path, "--memory", "300K")

    def test_shapes(self):
        real = "%%MatrixMarket matrix coordinate real general\n"
        for body in ("0 0 0\n", "0 5 0\n", "5 0 0\n", "300 2 0\n", "1 1 1\n1 1 -0.0\n", "3 9 2\n3 9 nan\n1 2 inf\n"):
            self.same(self.write("tiny.mtx", real + body))
        self.same(self.write("array.mtx", "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n0\n4\n5\n6\n"))
        self.same(self.write("wide.mtx", text_of("real", "general", 60, 5000, 9000)), "--memory", "1M")
        self.same(self.write("tall.mtx", text_of("real", "general", 5000, 60, 9000)), "--memory", "200K")
        dense_row = "".join(f"7 {c}\n" for c in range(3000, 0, -1)) + "".join(f"{r} {r}\n" for r in range(1, 3001))
        self.same(self.write("row.mtx", "%%MatrixMarket matrix coordinate pattern general\n3000 3000 6000\n" + dense_row),
                  "--memory", "1M")

    def test_containers(self):
        for name, spec in (("symmetric", "stencil7:n=11"), ("general", "circuit:n=2000"), ("noise", "fem3d:n=6")):
            words = spec.replace(":", " ").split()
            self.good("generate", *words, "-q", "-o", self.dir / f"{name}.mtx")
            source = self.same(self.dir / f"{name}.mtx", "--memory", "1M")
            for flags in ([], ["--seekable"], ["--ordering", "rcm"]):
                target = self.dir / f"{name}.spress"
                target.unlink(missing_ok=True)
                self.good("encode", self.dir / f"{name}.mtx", "-o", target, "-q", *flags)
                streamed = self.same(target, "--memory", "32M")
                self.assertEqual(streamed["orderings"]["none"]["footprint"], source["orderings"]["none"]["footprint"])

    def test_generated_values_that_are_all_distinct(self):
        self.good("generate", "stencil27", "n=20", "values=noise", "shuffle=7", "-q", "-o", self.dir / "a.mtx")
        self.same(self.dir / "a.mtx", "--memory", "4M")
        self.good("convert", self.dir / "a.mtx", self.dir / "a.mtx.gz", "-q")
        self.same(self.dir / "a.mtx.gz", "--memory", "4M", "--threads", "1")

    @unittest.skipUnless(CORPUS.is_dir(), "no corpus here")
    def test_the_corpus(self):
        files = sorted(p for p in CORPUS.rglob("*.mtx*") if p.is_file() and p.stat().st_size < 3_000_000)
        for path in files[:: max(1, len(files) // 25)]:
            if spress("analyze", path, "--json", "-q", "--orderings", "none", "--formats", "csr").returncode == 0:
                self.same(path, "--memory", "24M")

    def test_a_collection_goes_on_where_it_stopped(self):
        folder = self.dir / "m"
        folder.mkdir()
        for seed in range(3):
            (folder / f"m{seed}.mtx").write_text(text_of("real", "general", 50, 50, 300, seed))
        (folder / "broken.mtx").write_text("nothing\n")
        (folder / "other.graph").write_text("2 1\n2\n1\n")
        first = spress("analyze", folder, "-o", self.dir / "out", "--stream", "-q")
        self.assertEqual(first.returncode, 1)
        self.assertIn("cannot be read by rows", first.stderr)
        lines = (self.dir / "out/results.jsonl").read_text().splitlines()
        self.assertEqual(len(lines), 5)
        rcm = [r["orderings"]["rcm"] for r in map(json.loads, lines) if not r["error"]]
        self.assertEqual({o["status"] for o in rcm}, {"not_applicable"})
        self.assertIn("--stream", rcm[0]["reason"])
        again = spress("analyze", folder, "-o", self.dir / "out", "--stream", "--memory", "128M")
        self.assertIn("3 of 5 records taken", again.stderr)
        whole = spress("analyze", folder, "-o", self.dir / "out")
        self.assertNotIn("taken from an earlier run", whole.stderr)
        self.assertTrue((self.dir / "out/report.html").exists())

    def test_refusals(self):
        graph = self.write("a.graph", "2 1\n2\n1\n")
        self.bad("analyze", graph, "--stream", says=["matrix-market", ".spress", "spress convert"])
        self.bad("analyze", "gen:poisson2d,n=5", "--stream", says=["spress generate", "--stream"])
        self.bad("analyze", self.small, "--stream", "--orderings", "rcm", says="none")
        self.bad("analyze", self.small, "--stream", "--for", "spmv", says="--for")
        self.bad("analyze", self.small, "--stream", "--jobs", "2", says="--jobs")
        self.good("encode", self.small, "-o", self.dir / "old.spress", "--format", "csr")
        self.bad("analyze", self.dir / "old.spress", "--stream", says="version 1")
        wide = self.write("rows.mtx", "%%MatrixMarket matrix coordinate pattern general\n90000000 90000000 1\n1 1\n")
        done = spress("analyze", wide, "--stream", "-q")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--memory", done.stderr)

    def test_no_room_for_scratch_files(self):
        path = self.write("a.mtx", text_of("real", "general", 3000, 3000, 60000))

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        args = [SPRESS, "analyze", path, "--stream", "--memory", "1M", "-q"]
        scratch = self.dir / "scratch"
        scratch.mkdir()
        env = {**os.environ, "TMPDIR": str(scratch)}
        done = subprocess.run(args, capture_output=True, text=True, preexec_fn=small_files, env=env)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"scratch file in the folder {scratch} cannot be written", done.stderr)
        self.assertEqual(list(scratch.iterdir()), [])
        env["TMPDIR"] = str(self.dir / "not there")
        done = subprocess.run(args, capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("not there", done.stderr)

    def test_a_killed_run_leaves_no_scratch_file(self):
        self.good("generate", "stencil27", "n=40", "values=noise", "-q", "-o", self.dir / "a.mtx")
        scratch = self.dir / "scratch"
        scratch.mkdir()
        run = subprocess.Popen([SPRESS, "analyze", self.dir / "a.mtx", "--stream", "--memory", "8M", "-q"],
                               stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(scratch)})
        time.sleep(0.3)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertEqual(list(scratch.iterdir()), [])

    @unittest.skipIf(SANITIZED, "the sanitizers' own memory is far larger")
    def test_stays_within_its_memory(self):
        path = self.dir / "a.mtx"
        self.good("generate", "stencil27", "n=70", "values=noise", "shuffle=7", "-q", "-o", path)

        def limited(limit, *args):
            def set_limit():
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            return subprocess.run([SPRESS, "analyze", path, "--json", "-q", "--orderings", "none", *args],
                                  capture_output=True, text=True, preexec_fn=set_limit,
                                  env={**os.environ, "OMP_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "1"})
        whole = limited(160 * MIB)
        self.assertNotEqual(whole.returncode, 0, "the matrix is too small for this test")
        streamed = limited(160 * MIB, "--stream", "--memory", "64M")
        self.assertEqual(streamed.returncode, 0, streamed.stderr)
        self.assertEqual(json.loads(streamed.stdout)["matrix"]["rows"], 70**3)
        timing = shutil.which("time")
        if timing is None:
            return
        done = subprocess.run([timing, "-f", "%M", SPRESS, "analyze", path, "--stream", "--memory", "64M", "-q"],
                              capture_output=True, text=True)
        self.assertLess(int(done.stderr.splitlines()[-1]), 64 * 1024, done.stderr)


@contextlib.contextmanager
def control_group(limit):
    """A control group with so many bytes of memory, as a preexec_fn that joins it; None where none can be made."""
    for root, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(root) / f"spress_test_{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / name).write_text(str(limit))
            yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
            return
        except OSError:
            pass
        finally:
            group.rmdir()
    yield None


class EncodeStream(Case):
    def same(self, path, *args, equal_bytes=True):
        """Encodes with and without --stream. Returns what --json says of the streamed file."""
        whole, streamed = self.dir / "whole.spress", self.dir / "streamed.spress"
        flags = [a for a in args if a in ("--seekable", "--no-comments")]
        expected = json.loads(self.good("encode", path, "-o", whole, "--json", *flags).stdout)
        said = json.loads(self.good("encode", path, "-o", streamed, "--stream", "--json", *args).stdout)
        if equal_bytes:
            self.assertTrue(whole.read_bytes() == streamed.read_bytes(), f"{path} {args}")
        self.good("compare", whole, streamed)
        self.good("verify", streamed, "--deep")
        self.assertEqual(said["file_bytes"], streamed.stat().st_size)
        for key in ("name", "path", "csr_bytes", "format", "ordering"):
            self.assertEqual(said[key], expected[key], key)
        return said

    def test_texts_of_every_field_and_symmetry(self):
        path = self.dir / "a.mtx"
        for field in ("real", "integer", "complex", "pattern"):
            for symmetry in ("general", "symmetric", "skew-symmetric", "hermitian"):
                if symmetry == "hermitian" and field != "complex" or symmetry == "skew-symmetric" and field == "pattern":
                    continue
                path.write_text(text_of(field, symmetry, 400, 400, 6000))
                # A zero is its own mirror image there: of bits, only the pattern is symmetric.
                self.same(path, equal_bytes=symmetry != "skew-symmetric")
                self.same(path, "--seekable", "--no-comments", "--memory", "4M", "--threads", "1")

    def test_shapes(self):
        path = self.dir / "a.mtx"
        for body in ("0 0 0\n", "0 5 0\n", "5 0 0\n", "300 2 0\n", "1 1 1\n1 1 -0.0\n", "3 9 2\n3 9 nan\n1 2 inf\n"):
            path.write_text("%%MatrixMarket matrix coordinate real general\n" + body)
            self.same(path)
        path.write_text(text_of("real", "general", 5000, 60, 9000))
        self.same(path, "--memory", "4M")

    def test_a_pattern_that_alone_is_symmetric_is_stored_whole(self):
        lines = [f"{r} {c} {r * 100 + c}.5" for r in range(1, 41) for c in range(max(1, r - 2), min(40, r + 2) + 1)]
        path = self.dir / "a.mtx"
        path.write_text(f"%%MatrixMarket matrix coordinate real general\n40 40 {len(lines)}\n" + "\n".join(lines) + "\n")
        self.same(path, equal_bytes=False)
        self.same(path, "--seekable")

    @unittest.skipUnless(CORPUS.is_dir(), "no corpus here")
    def test_the_corpus(self):
        files = sorted(p for p in CORPUS.rglob("*.mtx*") if p.is_file() and p.stat().st_size < 3_000_000)
        for path in files[:: max(1, len(files) // 15)]:
            if spress("encode", path, "-o", self.dir / "a.spress", "-q").returncode == 0:
                self.same(path, "--seekable")
                whole = json.loads(self.good("info", self.dir / "a.spress", "--json").stdout)
                self.same(path, equal_bytes=whole["scalars"].get("triangle_of") != "pattern")

    def test_the_name_of_a_renamed_file(self):
        self.good("encode", self.small, "-o", self.dir / "other.spress", "-q")
        self.assertEqual(self.same(self.dir / "other.spress")["name"], "small")

    def test_a_folder_goes_on_where_it_stopped(self):
        folder, out = self.dir / "m", self.dir / "out"
        folder.mkdir()
        for seed in range(3):
            (folder / f"m{seed}.mtx").write_text(text_of("real", "general", 50, 50, 300, seed))
        (folder / "other.graph").write_text("2 1\n2\n1\n")
        first = spress("encode", folder, "-o", out, "--stream")
        self.assertEqual(first.returncode, 1)
        self.assertIn("cannot be read by rows", first.stderr)
        self.assertEqual(sorted(p.name for p in out.iterdir()), ["m0.spress", "m1.spress", "m2.spress"])
        again = spress("encode", folder, "-o", out, "--stream", "--memory", "128M")
        self.assertIn("3 kept", again.stderr)

    def test_refusals(self):
        out = self.dir / "x.spress"
        self.bad("encode", self.small, "-o", out, "--stream", "--format", "csr", says="--stream")
        self.bad("encode", self.small, "-o", out, "--stream", "--for", "memory", says="--stream")
        self.bad("encode", self.small, "-o", out, "--stream", "--ordering", "rcm", says="--ordering")
        self.bad("encode", self.small, "-o", out, "--stream", "--jobs", "2", says="--jobs")
        self.bad("encode", "gen:poisson2d,n=5", "-o", out, "--stream", says=["spress generate", "--stream"])
        self.bad("encode", self.small, "-o", out, "--stream", "--memory", "much", says="much")
        done = subprocess.run([SPRESS, "encode", self.small, "-o", "-", "--stream"], capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"regular file", done.stderr)
        self.bad("encode", self.small, "-o", self.dir / "nowhere/x.spress", "--stream", says="nowhere/x.spress")
        self.good("generate", "stencil27", "n=22", "values=noise", "-q", "-o", self.dir / "a.mtx")
        done = self.bad("encode", self.dir / "a.mtx", "-o", out, "--stream", "--memory", "2M", says="--seekable")
        memory = re.search(r"--memory (\d+M) lets it in", done.stderr)[1]
        self.good("encode", self.dir / "a.mtx", "-o", out, "--stream", "--memory", memory)
        out.unlink()
        self.assertEqual(self.left(), ["a.mtx", "small.mtx"])

    def test_a_full_disk_and_a_kill_leave_nothing(self):
        self.good("generate", "stencil27", "n=30", "values=noise", "shuffle=3", "-q", "-o", self.dir / "a.mtx")
        scratch = self.dir / "scratch"
        scratch.mkdir()
        env = {**os.environ, "TMPDIR": str(scratch)}
        args = [SPRESS, "encode", self.dir / "a.mtx", "-o", self.dir / "a.spress", "--stream", "--seekable", "-q"]

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
        for memory in ("24M", "128M"):  # the scratch file is full, then the container
            done = subprocess.run([*args, "--memory", memory], capture_output=True, text=True, preexec_fn=small_files,
                                  env=env)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("written", done.stderr)
            self.assertEqual(self.left(), ["a.mtx", "scratch", "small.mtx"])
        run = subprocess.Popen([*args, "--memory", "64M", "--level", "16"], env=env)
        time.sleep(0.2)
        run.send_signal(signal.SIGKILL)
        self.assertEqual(run.wait(), -signal.SIGKILL)
        self.assertEqual(list(scratch.iterdir()), [])
        self.assertEqual(self.left(), ["a.mtx", "scratch", "small.mtx"])

    @unittest.skipIf(SANITIZED, "the sanitizers' own memory is far larger")
    def test_memory_of_a_control_group(self):
        path, out = self.dir / "a.mtx", self.dir / "a.spress"
        self.good("generate", "stencil27", "n=70", "values=noise", "-q", "-o", path)
        with control_group(64 * MIB) as join:
            if join is None:
                self.skipTest("no control group can be made here")
            self.bad("encode", path, "-o", out, preexec_fn=join, says=["a.mtx", "bytes in memory", "--stream"])
            self.good("encode", path, "-o", out, "--stream", "--seekable", "--memory", "64M", preexec_fn=join)
        self.good("verify", out, "--against", path)

    @unittest.skipIf(SANITIZED, "the sanitizers' own memory is far larger")
    def test_stays_within_its_memory(self):
        path, out = self.dir / "a.mtx", self.dir / "a.spress"
        self.good("generate", "stencil27", "n=50", "values=noise", "shuffle=7", "-q", "-o", path)
        timing = shutil.which("time")
        if timing is None:
            self.skipTest("no program 'time' here")
        with (self.dir / "c.mtx").open("w", encoding="ascii") as text:
            text.write("%%MatrixMarket matrix coordinate complex general\n50000 50000 500000\n")
            text.writelines(f"{k % 50000 + 1} {k * 7 % 49999 + 1} {k * 31 % 65537}.25e-3 {k * k % 65537}.5\n"
                            for k in range(500000))
        for name, memory, *flags in (("a", "64M", "--seekable", "--threads", "16"),
                                     ("a", "64M", "--seekable", "--level", "12"), ("a", "256M"),
                                     ("c", "96M", "--seekable", "--threads", "8"), ("c", "256M", "--threads", "8")):
            path = self.dir / f"{name}.mtx"
            done = subprocess.run([timing, "-f", "%M", SPRESS, "encode", path, "-o", out, "--stream", "--memory", memory,
                                   "-q", *flags], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLess(int(done.stderr.splitlines()[-1]), int(memory[:-1]) * 1024, memory)


if __name__ == "__main__":
    main()

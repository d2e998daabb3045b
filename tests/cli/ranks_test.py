"""Several processes under mpirun share a collection, and folders of files: they do what one process does."""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from support import SMALL, SPRESS, Case, main, records_by_path, without_times

PLUGIN = pathlib.Path(SPRESS).parent / "libspress_mpi.so"
LAUNCHER = ["mpirun", "--mca", "btl_base_warn_component_unused", "0", "--oversubscribe", "--bind-to", "none"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LIVES_ON = ["--enable-recovery"]  # mpirun ends all processes when one is killed, else


class Ranks(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.dir / "m"
        for k, name in enumerate(("b/1", "a/2", "c", "a/1", "d", "e", "f")):
            file = self.folder / (name + ".mtx")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(SMALL.replace("3 4 5", f"3 4 {5 + k}") + "".join(f"2 {c + 1} {c}\n" for c in [0, 2, 3] * 3)[:6 * k])
        (self.folder / "broken.mtx").write_text(SMALL[:-8])
        self.generated = [f"gen:stencil7,n={n}" for n in range(10, 34, 2)]

    def command(self, n, *args, options=()):
        return [*LAUNCHER, *options, "-n", str(n), SPRESS, *map(str, args)]

    def run_ranks(self, n, *args, options=(), code=0):
        done = subprocess.run(self.command(n, *args, options=options), env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def summary(self, folder):
        return json.loads((folder / "summary.json").read_text())

    def ranks_of(self, launcher):
        """The process ids by rank."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == launcher:
                    words = (entry / "environ").read_bytes().split(b"\0")
                    found[int(next(w.split(b"=")[1] for w in words if w.startswith(b"OMPI_COMM_WORLD_RANK=")))] = int(entry.name)
            except (OSError, ValueError, StopIteration):
                pass
        return found

    def wait_until_out_of_mpi(self, run, n):
        """Until then, the death of one rank holds up the others for good. A rank in MPI has sockets open."""
        def in_mpi(pid):
            for handle in pathlib.Path(f"/proc/{pid}/fd").iterdir():
                try:
                    if os.readlink(handle).startswith("socket:"):
                        return True
                except FileNotFoundError:  # closed in between
                    pass
            return False
        self.addCleanup(run.kill)
        deadline = time.time() + 120
        seen_in_mpi = set()
        while time.time() < deadline:
            ranks = self.ranks_of(run.pid)
            try:
                inside = {rank for rank, pid in ranks.items() if in_mpi(pid)}
            except FileNotFoundError:  # a rank has ended
                self.fail("a rank ended before all had left MPI")
            seen_in_mpi |= inside
            if len(seen_in_mpi) == len(ranks) == n and not inside:
                return ranks
            time.sleep(0.01)
        self.fail(f"of {n} ranks, {sorted(seen_in_mpi)} were seen in MPI")

    def assert_nothing_left(self, folder):
        self.assertEqual(sorted(p.name for p in folder.iterdir() if p.name != ".spress.lock"),
                         ["report.html", "results.csv", "results.jsonl", "summary.json"])


class Analyze(Ranks):
    def test_the_records_are_those_of_one_process(self):
        one, four = self.dir / "one", self.dir / "four"
        args = ["analyze", self.folder, *self.generated]
        alone = subprocess.run([SPRESS, *map(str, args), "-o", one], capture_output=True, text=True, timeout=300)
        self.assertEqual(alone.returncode, 1)
        done = self.run_ranks(4, *args, "-o", four, code=1)
        self.assertEqual(records_by_path(four), records_by_path(one))
        self.assertEqual(done.stdout, alone.stdout)
        self.assertEqual(done.stderr.count("broken.mtx:"), 1)
        self.assert_nothing_left(four)
        tables = [[{k: v for k, v in row.items() if "seconds" not in k}
                   for row in csv.DictReader((d / "results.csv").read_text().splitlines())] for d in (one, four)]
        self.assertEqual(tables[0], tables[1])
        summary = self.summary(four)
        self.assertEqual(summary["ranks"], 4)
        self.assertEqual(len(summary["matrices_per_rank"]), 4)
        self.assertEqual(sum(summary["matrices_per_rank"]), 20)
        self.assertNotIn("ranks", self.summary(one))

    def test_the_same_command_does_nothing_again(self):
        out = self.dir / "out"
        args = ["analyze", *self.generated, "-o", out]
        self.run_ranks(3, *args)
        before = {p.name: p.read_bytes() for p in out.iterdir()}
        again = self.run_ranks(2, *args)
        self.assertIn("12 of 12 records taken from an earlier run", again.stderr)
        self.assertEqual({p.name: p.read_bytes() for p in out.iterdir()}, before)
        more = self.run_ranks(2, *args, "gen:poisson2d,n=9", "--json")
        self.assertEqual(len(more.stdout.splitlines()), 13)
        self.assertEqual(sum(self.summary(out)["matrices_per_rank"]), 1)

    def start(self, n, out):
        """A run of which the first records are there."""
        matrices = self.dir / "long"
        if not matrices.exists():
            self.good("encode", *[f"gen:stencil27,n={k}" for k in range(34, 50)], "-o", f"{matrices}/")
        self.long = ["analyze", matrices, "-o", out, "--jobs", "1"]
        run = subprocess.Popen(self.command(n, *self.long, options=LIVES_ON), env=ENVIRONMENT, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 120
        while sum(p.stat().st_size > 0 for p in out.glob(".spress.rank-*.jsonl")) < n and time.time() < deadline:
            time.sleep(0.005)
        return run, self.ranks_of(run.pid)

    def test_others_go_on_when_one_is_killed(self):
        for victim in (0, 2):
            out = self.dir / f"killed{victim}"
            run, ranks = self.start(3, out)
            self.assertEqual(sorted(ranks), [0, 1, 2])
            os.kill(ranks[victim], signal.SIGKILL)
            _, err = run.communicate(timeout=300)
            if victim == 0:
                self.assertIn("the first of the processes ended early", err)
            else:
                self.assertIn("left undone by processes that ended early", err)
                self.assertEqual(list(out.glob(".spress.rank*")), [])
                self.assertGreaterEqual(len(records_by_path(out)), 14)  # but for the one in work, or two
            again = self.run_ranks(2, *self.long)
            taken = int(re.search(r"(\d+) of 16 records taken", again.stderr)[1])
            self.assertGreaterEqual(taken, 14)
            self.assertEqual(len(records_by_path(out)), 16)
            self.assert_nothing_left(out)

    def test_one_process_takes_up_what_killed_ones_left(self):
        out = self.dir / "out"
        run, ranks = self.start(3, out)
        self.bad(*self.long, says="writing here")
        for pid in ranks.values():
            os.kill(pid, signal.SIGKILL)
        run.communicate(timeout=300)
        left = sum(len(p.read_text().splitlines()) for p in out.glob(".spress.rank-*.jsonl"))
        self.assertGreaterEqual(left, 3)
        merged = self.good("merge", out, "-o", self.dir / "merged")
        self.assertIn(f"wrote {left} records", merged.stderr)
        done = self.good(*self.long)
        self.assertIn(f"{left} of 16 records taken", done.stderr)
        self.assertEqual(len(records_by_path(out)), 16)
        self.assertEqual(list(out.glob(".spress.rank-*")), [])

    def test_records_are_whole_whoever_made_them(self):
        args = ["analyze", *self.generated, "--json"]
        alone = self.good(*args, "-o", self.dir / "one").stdout
        several = self.run_ranks(3, *args, "-o", self.dir / "three").stdout
        lines = [sorted(without_times(text).splitlines()) for text in (alone, several)]
        self.assertEqual(lines[0], lines[1])

    def test_records_of_ranks_with_other_prices_replace_older_ones(self):
        caches = [self.dir / "c1", self.dir / "c2"]
        for k, cache in enumerate(caches):
            file = cache / "spress" / "calibration-cpu.json"
            if k == 0:
                self.good("calibrate", *[f"gen:poisson2d,n={n}" for n in range(4, 11)], "--formats", "csr,sell", "--repetitions", "2",
                          "--no-bandwidth", "-o", file)
            else:
                file.parent.mkdir(parents=True)
                file.write_text((caches[0] / "spress" / "calibration-cpu.json").read_text() + " ")
        out = self.dir / "out"
        args = ["analyze", *self.generated, "--for", "spmv", "-o", out]
        self.good(*args, "--formats", "csr", env={**os.environ, "XDG_CACHE_HOME": str(caches[0])})
        args += ["--formats", "csr,sell"]
        both = [[*["-n", "1", "env", f"XDG_CACHE_HOME={cache}", SPRESS], *map(str, args)] for cache in caches]
        done = subprocess.run([*LAUNCHER, *both[0], ":", *both[1]], env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
        self.assertEqual(len(records), len(self.generated))
        self.assertTrue(all("sell" in record["orderings"]["none"]["footprint"] for record in records))
        again = self.good(*args, env={**os.environ, "XDG_CACHE_HOME": str(caches[0])})
        self.assertIn(f"{len(records)} of {len(records)} records taken", again.stderr)

    def test_fresh_records_are_kept_from_a_second_run(self):
        out = self.dir / "out"
        self.good("analyze", *self.generated, "-o", out)
        before = (out / "results.jsonl").read_bytes()
        run, ranks = self.start(3, out)
        os.kill(ranks[0], signal.SIGKILL)
        time.sleep(0.2)
        refused = self.bad(*self.long, "--fresh", says="another run")
        self.assertNotIn("Success", refused.stderr)
        self.assertEqual((out / "results.jsonl").read_bytes(), before)
        run.communicate(timeout=300)
        self.good(*self.long)
        self.assert_nothing_left(out)

    def test_errors(self):
        def fails(n, *args, says, **kwargs):
            done = self.run_ranks(n, *args, code=2, **kwargs)
            for word in [says] if isinstance(says, str) else says:
                self.assertIn(word, done.stderr)
            return done

        fails(2, "analyze", self.folder, says=["several processes", "-o"])
        fails(2, "analyze", "-", *self.generated, "-o", self.dir / "x", says=["standard input", "one process"])
        fails(2, "analyze", self.dir / "nosuch", "-o", self.dir / "x", says="nosuch")
        fails(2, "analyze", self.folder, "-o", self.small, says="small.mtx")
        two = [*LAUNCHER, "-n", "1", SPRESS, "analyze", str(self.folder), "-o", str(self.dir / "a"), ":", "-n", "1", SPRESS,
               "analyze", str(self.folder), "-o", str(self.dir / "b")]
        done = subprocess.run(two, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("other words", done.stderr)
        self.assertIn("--shard", done.stderr)

    def test_without_the_library_several_processes_are_refused(self):
        program = self.dir / "bin" / "spress"
        program.parent.mkdir()
        shutil.copy(SPRESS, program)
        for variable in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
            done = subprocess.run([program, "analyze", self.small, "-o", self.dir / "x"], env={**os.environ, variable: "4"},
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn("4 processes", done.stderr)
            self.assertIn("spress-mpi", done.stderr)
            self.assertFalse((self.dir / "x").exists())
            one = subprocess.run([program, "analyze", self.small], env={**os.environ, variable: "1"}, capture_output=True)
            self.assertEqual(one.returncode, 0)

    def test_shards_share_nothing(self):
        parts = [self.dir / f"part{i}" for i in (1, 2)]
        both = [w for i, part in enumerate(parts, 1)
                for w in [":", "-n", "1", SPRESS, "analyze", *self.generated, "-o", str(part), "--shard", f"{i}/2"]][1:]
        subprocess.run([*LAUNCHER, *both], env=ENVIRONMENT, capture_output=True, check=True, timeout=120)
        self.assertEqual([len(records_by_path(part)) for part in parts], [6, 6])


class Folders(Ranks):
    def contents(self, folder):
        return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

    def both(self, command, *args, code=1):
        """Runs it alone and on three ranks into folders of their own; returns the sums that they print."""
        ends = []
        for n, name in ((1, "one"), (3, "three")):
            done = self.run_ranks(n, command, *[str(a).replace("OUT", str(self.dir / name)) for a in args], "--json", code=code)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            ends.append(([s["summary"] for s in lines if "summary" in s], sorted(s["path"] for s in lines if "path" in s)))
        for (sums, paths), (same, others) in [ends]:
            self.assertEqual(len(sums), 1)
            for summary in (sums[0], same[0]):
                del summary["seconds"]
            self.assertEqual((sums, paths), (same, others))
        return ends[0][0][0]

    def test_files_are_those_of_one_process(self):
        sums = self.both("encode", self.folder, "-o", "OUT/e/")
        self.assertEqual((sums["done"], sums["failed"]), (7, 1))
        sums = self.both("encode", self.folder, "-o", "OUT/e/")
        self.assertEqual((sums["done"], sums["kept"], sums["failed"]), (0, 7, 1))
        one, three = self.dir / "one", self.dir / "three"
        shutil.copytree(one / "e", self.dir / "e")
        self.both("decode", self.dir / "e", "-o", "OUT/d/", code=0)
        self.both("convert", self.dir / "e", "OUT/c/", "--to", ".npz", code=0)
        self.assertEqual(self.contents(one), self.contents(three))
        self.assertEqual(len(self.contents(one)), 21)
        self.assertEqual(list(three.rglob(".spress*")), [])

    def test_verify_checks_each_file_once(self):
        self.run_ranks(2, "encode", self.folder, "-o", self.dir / "e", code=1)
        sums = self.both("verify", self.dir / "e", "--deep", code=0)
        self.assertEqual((sums["files"], sums["done"]), (7, 7))
        (self.dir / "e" / "a" / "1.spress").write_bytes(b"spress?")
        self.both("verify", self.dir / "e", "--against", self.folder, code=1)

    def test_verify_ends_although_a_rank_is_killed(self):
        files = self.dir / "e"
        self.good("encode", *[f"gen:stencil27,n={k},values=noise" for k in range(60, 68)], "-o", f"{files}/")
        for victim in (1, 0):
            run = subprocess.Popen(self.command(3, "verify", files, "--deep", options=LIVES_ON), env=ENVIRONMENT,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            os.kill(self.wait_until_out_of_mpi(run, 3)[victim], signal.SIGKILL)
            _, err = run.communicate(timeout=120)
            # All 8 are sound if the victim had not begun with any.
            self.assertRegex(err, "left undone|the first of the processes ended early|8 files: 8 sound")

    def test_one_file_is_written_once(self):
        done = self.run_ranks(3, "encode", self.small, "-o", self.dir / "x.spress")
        self.assertEqual(done.stderr.count("x.spress:"), 1)
        self.assertEqual(self.run_ranks(3, "verify", self.small, "--formats", "csr").stdout.count("small.mtx:"), 1)

    def test_what_is_there_is_not_replaced(self):
        (self.dir / "c" / "a").mkdir(parents=True)
        (self.dir / "c" / "a" / "1.npz").write_text("mine")
        done = self.run_ranks(3, "convert", self.folder, self.dir / "c", "--to", ".npz", code=2)
        self.assertEqual(done.stderr.count("error:"), 1)
        self.assertEqual(list(self.contents(self.dir / "c")), ["a/1.npz"])


class OneMatrix(Ranks):
    """bench and solve put one matrix on all processes."""

    def solve(self, n, *args, code=0):
        record = json.loads(self.run_ranks(n, "solve", *args, "--json", "--no-bandwidth", code=code).stdout)
        self.assertEqual(len(record.get("parts", [])), n if n > 1 else 0)
        return record

    def test_iterations_do_not_depend_on_processes(self):
        for args in (["gen:fem3d,n=12"], ["gen:elasticity3d,n=6", "--preconditioner", "jacobi"], ["gen:stencil7,n=20,shuffle=1", "--cut", "partition"]):
            counts = []
            for n in (1, 2, 4):
                record = self.solve(n, *args, "--formats", "csr,slice-delta,sell", "--value", "double")
                self.assertTrue(record["ok"])
                counts.append([row["iterations"] for row in record["formats"]])
                for row in record["formats"]:
                    self.assertTrue(row["converged"])
                    self.assertLess(row["true_residual"], 2e-8)
            for other in counts[1:]:
                for a, b in zip(counts[0], other):
                    self.assertLessEqual(abs(a - b), 1)

    def test_each_reads_its_rows_alone(self):
        file = self.dir / "a.spress"
        subprocess.run([SPRESS, "encode", "gen:stencil27,n=56,values=noise", "-o", file, "--seekable", "-q"], check=True)
        for n in (2, 4):
            parts = json.loads(self.run_ranks(n, "bench", file, "--formats", "csr", "--values", "raw", "--repetitions", "2",
                                              "--no-bandwidth", "--json").stdout)["parts"]
            for part in parts:
                self.assertLessEqual(part["bytes_read"], 1.1 * file.stat().st_size / n)
                self.assertLess(part["ghosts"], part["rows"])
            self.assertEqual(sum(part["rows"] for part in parts), 56**3)
            self.assertLess(max(p["nnz"] for p in parts) / min(p["nnz"] for p in parts), 1.1)

    def test_files_that_are_not_seekable_give_the_same(self):
        plain, text = self.dir / "p.spress", self.dir / "p.mtx"
        for file in (plain, text):
            subprocess.run([SPRESS, "generate" if file == text else "encode", "gen:poisson2d,n=40", "-o", file, "-q"], check=True)
        records = [self.solve(3, name, "--formats", "csr", "--value", "double") for name in ("gen:poisson2d,n=40", plain, text)]
        self.assertEqual(len({record["formats"][0]["iterations"] for record in records}), 1)
        self.assertEqual([part["nnz"] for part in records[0]["parts"]], [part["nnz"] for part in records[2]["parts"]])

    def test_products_of_odd_matrices(self):
        for name in ("gen:uniform,n=300,m=2000", "gen:uniform,n=2000,m=300", "gen:powerlaw,n=3000", self.small):
            done = self.run_ranks(4, "bench", name, "--repetitions", "2", "--no-bandwidth", "--json", "--values", "all")
            record = json.loads(done.stdout)
            self.assertTrue(record["ok"])
            self.assertGreater(sum(row["ok"] is True for row in record["formats"]), 10)

    def test_the_record_is_written_once(self):
        out = self.dir / "r.jsonl"
        done = self.run_ranks(3, "bench", self.small, "gen:poisson2d,n=9", "--formats", "csr", "--repetitions", "2", "--no-bandwidth", "-o", out)
        self.assertEqual(len(out.read_text().splitlines()), 2)
        self.assertEqual(done.stdout.count("poisson2d"), 1)

    def test_errors_are_told_once(self):
        unsymmetric = self.dir / "u.mtx"
        unsymmetric.write_text("%%MatrixMarket matrix coordinate real general\n4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n1 4 1\n")
        for args, says in ((["solve", unsymmetric], "entry (1, 4) is 1 and (4, 1) is 0"),
                           (["solve", self.dir / "nosuch.mtx"], "nosuch.mtx"),
                           (["solve", self.folder / "broken.mtx"], "broken.mtx"),
                           (["solve", "-"], "standard input"),
                           (["solve", "gen:poisson2d,n=9", "--formats", "auto"], "one process"),
                           (["solve", "gen:poisson2d,n=9", "--switch", "csr,sell"], "one process"),
                           (["solve", "gen:uniform,n=9,m=30", "--cut", "partition"], "square"),
                           (["bench", "gen:poisson2d,n=9", "-o", self.dir / "no" / "r.jsonl"], "r.jsonl"),
                           (["bench", "gen:poisson2d,n=9", "--formats", "nosuch"], "nosuch")):
            done = self.run_ranks(3, *args, code=2)
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_gpus(self):
        """On a machine with two GPUs; elsewhere it says what is missing."""
        gpus = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.count("GPU ") if shutil.which("nvidia-smi") else 0
        args = ["solve", "gen:fem3d,n=20", "--device", "cuda", "--no-bandwidth", "--formats", "csr,slice-delta", "--json"]
        done = subprocess.run(self.command(2, *args), env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        if gpus < 2:
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        else:
            self.assertTrue(json.loads(done.stdout)["ok"])


if __name__ == "__main__":
    if not PLUGIN.exists() or shutil.which("mpirun") is None:
        print("skipped: this build has no MPI, or there is no mpirun")
        sys.exit(77)
    main()

"""./dev publish: a smoke run of the program, and the rules of publishing with a program that only pretends.

    publish_test.py SPRESS
"""
import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Writes a record for each input, with the commit of FAKE_COMMIT; ends with 2 before the input FAKE_STOP.
FAKE = """#!{python}
import json, os, pathlib, sys
commit = os.environ["FAKE_COMMIT"]
if sys.argv[1] == "--version":
    sys.exit(print("spress 0.1.0 (" + commit + ")"))
words = sys.argv[1:]
out = pathlib.Path(words[words.index("-o") + 1])
inputs = [word for word in words[1:] if (word.startswith("gen:") or "/" in word) and word != str(out)]
if words[0] == "reorder":
    sys.exit(out.write_text(""))
if words[0] == "analyze":
    out.mkdir(exist_ok=True)
    out = out / "results.jsonl"
threads = int(words[words.index("--threads") + 1]) if "--threads" in words else 1
device = os.environ.get("FAKE_DEVICE", "NVIDIA Fake GPU") if "cuda" in words or words[0] == "transfer" else "cpu"
machine = {{"machine": "Fake(R) Processor", "device": device, "threads": threads, "copy_gb_per_s": 1.0,
           "commit": os.environ.get("FAKE_RECORD_COMMIT", commit)}}
with open(out, "a") as file, open(os.environ["FAKE_LOG"], "a") as log:
    for name in inputs:
        if name == os.environ.get("FAKE_STOP"):
            sys.exit(2)
        log.write(words[0] + str(threads) + " " + name + "\\n")
        record = {{"matrix": {{"name": name, "path": name, "rows": 9, "cols": 9, "nnz": 9, "pattern_symmetric": True}},
                  "tool": {{"commit": commit}}, "orderings": {{"none": {{"status": "ok", "spy": "x" * 99}}}}, "error": None}}
        if words[0] != "analyze":
            record.update(machine=machine, formats=[], working_set_in_cache=True, choice=None)
        if words[0] in ("solve", "transfer"):
            record["right_hand_side" if words[0] == "solve" else "pinned_gb_per_s"] = None
        file.write(json.dumps(record) + "\\n")
"""


def records_of(run):
    return {file.name: [json.loads(line) for line in lzma.open(file, "rt")] for file in run.glob("*.jsonl.xz")}


def fake_bench_rcm(folder, commit):
    """Answers as bench_rcm does; the program itself is built with the benchmarks alone."""
    file = pathlib.Path(folder) / "bench_rcm"
    info = {"name": "m", "rows": 9, "cols": 9, "nnz": 9, "pattern_symmetric": True, "commit": commit}
    order = {"seconds": 1, "bandwidth": 2, "profile": 3}
    file.write_text("#!/bin/sh\n" + f"echo '{json.dumps(info)}'\n" + f"echo '{json.dumps(order)}'\n" * 4)
    file.chmod(0o755)
    return file


class Smoke(unittest.TestCase):
    def test_tries_every_step_and_cannot_be_taken_for_a_run(self):
        before = sorted((ROOT / "bench/runs").rglob("*"))
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "tree"
            shutil.copytree(ROOT / "bench", tree / "bench", ignore=shutil.ignore_patterns("__pycache__", "runs"))
            done = subprocess.run([sys.executable, tree / "bench/publish", "--smoke", "--spress", SPRESS, "--bench-rcm",
                                   fake_bench_rcm(folder, self.commit())], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            run = pathlib.Path(done.stdout.strip())
            self.assertEqual(run, tree.resolve() / "build/publish-smoke/run")
            self.assertFalse((tree / "bench/runs").exists())
            self.assertTrue((run / "README.md").read_text().startswith("# SMOKE TEST"))
            records = records_of(run)
            self.assertLessEqual({"bytes.jsonl.xz", "bytes-large.jsonl.xz", "cpu-1.jsonl.xz", "orderings.jsonl.xz"}, set(records))
            for name, found in records.items():
                self.assertEqual([r["smoke"] for r in found], [True] * 3, name)
            for path in (run, run / "cpu-1.jsonl.xz"):
                refused = subprocess.run([sys.executable, ROOT / "bench/claims", path], capture_output=True, text=True)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertIn("smoke test", refused.stderr)
        self.assertEqual(sorted((ROOT / "bench/runs").rglob("*")), before)

    def commit(self):
        return subprocess.run([SPRESS, "--version"], capture_output=True, text=True).stdout.split("(")[1].split(")")[0]


class Publishing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name).resolve()
        self.tree, self.spress = self.dir / "tree", self.dir / "spress"
        shutil.copytree(ROOT / "bench", self.tree / "bench", ignore=shutil.ignore_patterns("__pycache__", "runs"))
        (self.tree / ".gitignore").write_text("/build/\n__pycache__/\n")
        self.spress.write_text(FAKE.format(python=sys.executable))
        self.spress.chmod(0o755)
        self.git("init", "-q")
        self.commit = self.commit_all()

    def git(self, *words):
        return subprocess.run(["git", "-C", self.tree, "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              capture_output=True, text=True, check=True).stdout.strip()

    def commit_all(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "State")
        return self.git("rev-parse", "--short=12", "HEAD")

    def publish(self, *args, **environment):
        env = {**os.environ, "FAKE_COMMIT": self.commit, "FAKE_LOG": str(self.dir / "log"), **environment}
        return subprocess.run([sys.executable, self.tree / "bench/publish", "--spress", self.spress, *args], env=env,
                              capture_output=True, text=True)

    def fails(self, *says, **environment):
        done = self.publish(**environment)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)
        self.assertFalse((self.tree / "bench/runs").exists())

    def log(self):
        return (self.dir / "log").read_text().splitlines() if (self.dir / "log").exists() else []

    def test_a_run_of_one_commit(self):
        done = self.publish()
        self.assertEqual(done.returncode, 0, done.stderr)
        run = pathlib.Path(done.stdout.strip())
        self.assertEqual(run.parent, self.tree / "bench/runs")
        self.assertRegex(run.name, r"^\d{4}-\d\d-\d\d-fake-\d+-cores$")
        text = (run / "README.md").read_text()
        for expected in (f"Commit {self.commit}.", "Fake(R) Processor", "`cpu-1.jsonl.xz` | 9 |",
                         "`spress bench --threads 1 --seconds 0.4` on bench/cpu_collection.txt", "== not measured:"):
            self.assertIn(expected, text)
        records = records_of(run)
        self.assertEqual({len(r["orderings"]["none"]) for r in records["bytes-large.jsonl.xz"]}, {1})  # no picture
        self.assertFalse(any("smoke" in record for found in records.values() for record in found))
        self.assertEqual([path for path in run.parent.iterdir()], [run])
        again = self.publish()
        self.assertEqual(again.returncode, 2)
        self.assertIn("differs from its commit", again.stderr)  # the run itself waits to be committed

    def test_goes_on_where_it_stopped_and_leaves_nothing_half_written(self):
        last = (ROOT / "bench/cpu_collection.txt").read_text().split()[-1]
        self.fails("ended with 2", "goes on from here", FAKE_STOP=last)
        before = self.log()
        done = self.publish()
        self.assertEqual(done.returncode, 0, done.stderr)
        measured = [line for line in self.log() if line.startswith("bench1 ")]
        self.assertEqual(len(measured), len(set(measured)))  # none twice
        self.assertEqual(self.log()[len(before):][len((ROOT / "bench/publish/large.txt").read_text().split())], f"bench1 {last}")

    def test_every_step_of_a_gpu_and_real_matrices(self):
        matrices = self.dir / "matrices"
        matrices.mkdir()
        (matrices / "bcsstm25.mtx.gz").write_text("")
        done = self.publish("--device", "cuda", "--matrices", matrices, "--name", "h", "--bench-rcm",
                            fake_bench_rcm(self.dir, self.commit))
        self.assertEqual(done.returncode, 0, done.stderr)
        run = pathlib.Path(done.stdout.strip())
        self.assertTrue(run.name.endswith("-h"))
        records = records_of(run)
        self.assertLessEqual({f"{name}.jsonl.xz" for name in (
            "bytes", "bytes-large", "orderings", "cpu-1", "gpu", "gpu-float", "gpu-sizes", "gpu-ordered", "auto",
            "transfer", "transfer-large", "solve", "solve-uneven")}, set(records))
        ordered = [r["publish"]["made_from"] for r in records["gpu-ordered.jsonl.xz"]]
        self.assertEqual(ordered, (ROOT / "bench/publish/shuffled.txt").read_text().split())
        self.assertEqual(records["transfer.jsonl.xz"][-1]["matrix"]["path"], "MATRICES/bcsstm25.mtx.gz")
        self.assertEqual([r["matrix"]["path"] for r in records["bytes.jsonl.xz"]], ["MATRICES"])
        for file in run.iterdir():  # no path of this machine
            text = lzma.open(file, "rt").read() if file.suffix == ".xz" else file.read_text()
            self.assertNotIn(str(self.dir), text, file)
        self.assertEqual(list((self.tree / "build").rglob("*.mtx")), [])

    def test_steps_one_by_one_make_one_run(self):
        unknown = self.publish("--steps", "gpu")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("there is no gpu; a run here has bytes, bytes-large,", unknown.stderr)
        for steps in ("solve", "gpu,transfer"):
            done = self.publish("--device", "cuda", "--steps", steps)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.assertFalse((self.tree / "bench/runs").exists())
        self.assertEqual({line.split()[0] for line in self.log()}, {"bench1", "solve1", "transfer1"})
        done = self.publish("--device", "cuda")
        self.assertEqual(done.returncode, 0, done.stderr)
        run = pathlib.Path(done.stdout.strip())
        self.assertRegex(run.name, r"^\d{4}-\d\d-\d\d-fake-gpu$")  # named for the GPU, though CPU steps come first
        self.assertLessEqual({"solve.jsonl.xz", "cpu-1.jsonl.xz"}, set(records_of(run)))
        systems = sum(len((ROOT / f"bench/publish/{name}.txt").read_text().split()) for name in ("solve", "solve_uneven"))
        self.assertEqual([line.split()[0] for line in self.log()].count("solve1"), systems)

    def test_steps_of_several_gpus_are_refused(self):
        self.assertEqual(self.publish("--device", "cuda", "--steps", "solve", FAKE_DEVICE="Other").returncode, 0)
        done = self.publish("--device", "cuda")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("several machines: NVIDIA Fake GPU, Other", done.stderr)

    def test_a_dirty_tree_is_refused_before_anything_is_measured(self):
        (self.tree / "new").write_text("")
        self.fails("differs from its commit", "?? new")
        (self.tree / "new").unlink()
        (self.tree / "bench/cpu_collection.txt").write_text("gen:identity,n=1\n")
        self.fails("M bench/cpu_collection.txt")
        self.assertEqual(self.log(), [])
        done = self.publish("--check")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_without_a_clone_the_programs_commit_counts(self):
        shutil.rmtree(self.tree / ".git")
        self.fails("of no clean commit, but of '0123456789ab-dirty'", FAKE_COMMIT="0123456789ab-dirty")
        done = self.publish(FAKE_COMMIT="0123456789ab")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Commit 0123456789ab.", (pathlib.Path(done.stdout.strip()) / "README.md").read_text())

    def test_another_program_is_refused(self):
        self.fails("is of commit 0123456789ab", FAKE_COMMIT="0123456789ab")
        self.assertEqual(self.log(), [])

    def test_records_of_another_commit_are_refused(self):
        self.fails("a record is of commit other", FAKE_RECORD_COMMIT="other")


if __name__ == "__main__":
    SPRESS = sys.argv.pop(1)
    unittest.main()

"""analyze --shard: every matrix in one part, always the same one; merge: the parts put together again."""

import csv
import fcntl
import json
import os

from support import SMALL, Case, main, spress, without_times


class Shard(Case):
    def setUp(self):
        super().setUp()
        self.small.unlink()
        self.folder = self.dir / "m"
        for name in ("b/1", "a/2", "c", "a/1", "d", "e", "f"):
            file = self.folder / (name + ".mtx")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(SMALL)

    def paths(self, *args):
        done = self.good("analyze", *args, "--json", "--formats", "csr", "--orderings", "none")
        return [json.loads(line)["matrix"]["path"] for line in done.stdout.splitlines()]

    def test_each_matrix_is_in_one_shard(self):
        everything = self.paths(self.folder)
        self.assertEqual(len(everything), 7)
        shards = [self.paths(self.folder, "--shard", f"{i}/3") for i in (1, 2, 3)]
        self.assertEqual([len(shard) for shard in shards], [3, 2, 2])
        self.assertEqual(sorted(sum(shards, [])), sorted(everything))
        self.assertEqual(sorted(self.paths(self.folder, "--shard", "1/1")), sorted(everything))

    def test_the_order_of_the_inputs_does_not_matter(self):
        files = sorted(self.folder.rglob("*.mtx"))
        for i in (1, 2, 3):
            shard = f"{i}/3"
            self.assertEqual(sorted(self.paths(*files, "--shard", shard)), sorted(self.paths(*files[::-1], "--shard", shard)))
            self.assertEqual(sorted(self.paths(*files, "--shard", shard)), sorted(self.paths(self.folder, "--shard", shard)))

    def test_a_shard_goes_on(self):
        for i in (1, 2):
            out = self.dir / f"out{i}"
            args = ["analyze", self.folder, "-o", out, "--shard", f"{i}/2"]
            self.assertIn(f"shard {i}/2: {4 if i == 1 else 3} of 7 matrices", self.good(*args).stderr)
            lines = (out / "results.jsonl").read_text().splitlines(keepends=True)
            (out / "results.jsonl").write_text(lines[0])  # as a killed run leaves it
            again = self.good(*args)
            self.assertIn(f"1 of {len(lines)} records taken from an earlier run", again.stderr)
            self.assertEqual(len((out / "results.jsonl").read_text().splitlines()), len(lines))

    def test_a_shard_without_matrices_is_good(self):
        out = self.dir / "out"
        done = self.good("analyze", self.folder, "--shard", "8/8", "-o", out)
        self.assertIn("shard 8/8: 0 of 7 matrices", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual((out / "results.jsonl").read_text(), "")

    def test_errors(self):
        for shard in ("0/3", "4/3", "x", "1", "1/", "/3", "1/0", "-1/3", "1/3/5", "1.5/3", "99999999999999999999/3"):
            self.bad("analyze", self.folder, "--shard", shard, says=[f"--shard '{shard}'", "I/N", "1/4"])
        self.bad("analyze", self.folder, "--shard", "", says="--shard")

    def analyze_shards(self, *args):
        folders = [self.dir / f"part{i}" for i in (1, 2)]
        for i, folder in enumerate(folders, 1):
            self.good("analyze", self.folder, "-o", folder, "--shard", f"{i}/2", *args)
        return folders

    def test_merged_shards_are_what_one_run_gives(self):
        (self.folder / "g.mtx").write_text(SMALL.replace("3 4 5", "3 4 6") + "2 1 7\n")
        parts, whole, merged = self.analyze_shards(), self.dir / "whole", self.dir / "new" / "merged"
        one = self.good("analyze", self.folder, "-o", whole)
        done = self.good("merge", *reversed(parts), "-o", merged)
        self.assertEqual(done.stdout, one.stdout)
        self.assertIn("wrote 8 records of 2 folders", done.stderr)
        records = [sorted((folder / "results.jsonl").read_text().splitlines(), key=lambda line: json.loads(line)["matrix"]["path"])
                   for folder in (whole, merged)]
        self.assertEqual([without_times(line) for line in records[0]], [without_times(line) for line in records[1]])
        self.assertEqual((merged / "results.jsonl").read_text().splitlines(), records[1])
        self.assertEqual(*(without_times((folder / "summary.json").read_text()) for folder in (whole, merged)))
        tables = [list(csv.DictReader((folder / "results.csv").open())) for folder in (whole, merged)]
        for row in tables[0] + tables[1]:
            for column in [name for name in row if "seconds" in name]:
                del row[column]
        self.assertEqual(*tables)
        before = (merged / "summary.json").stat().st_mtime_ns
        again = self.good("analyze", self.folder, "-o", merged)
        self.assertIn("8 of 8 records taken from an earlier run", again.stderr)
        self.assertEqual((merged / "summary.json").stat().st_mtime_ns, before, "there was nothing to do")

    def test_merge_keeps_what_the_output_held(self):
        parts, merged = self.analyze_shards(), self.dir / "merged"
        other = self.dir / "other.mtx"
        other.write_text(SMALL)
        self.good("analyze", other, "-o", merged)
        done = self.good("merge", *parts, "-o", merged)
        self.assertIn("keeps 1 record of other matrices", done.stderr)
        self.assertEqual(len((merged / "results.jsonl").read_text().splitlines()), 8)
        self.good("merge", *parts, "-o", merged)
        self.assertEqual(len((merged / "results.jsonl").read_text().splitlines()), 8)
        lines = self.good("merge", *parts, "-o", merged, "--json").stdout.splitlines()
        self.assertEqual([json.loads(line)["kind"] for line in lines], ["analysis"] * 7)

    def test_merge_takes_the_good_one_of_two_records(self):
        file, parts = self.folder / "c.mtx", [self.dir / "bad", self.dir / "good"]
        for content, part in zip(("x" * len(SMALL), SMALL), parts):
            file.write_text(content)
            os.utime(file, ns=(0, 10**18))
            self.assertEqual(spress("analyze", file, "-o", part).returncode, int(content != SMALL))
        done = spress("merge", parts[0], "-o", self.dir / "merged")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: ", done.stderr)
        for order in (parts, parts[::-1]):
            self.good("merge", *order, "-o", self.dir / "merged")
            self.assertIsNone(json.loads((self.dir / "merged/results.jsonl").read_text())["error"])

    def test_merge_takes_the_newest_records_of_a_folder(self):
        file, part = self.folder / "c.mtx", self.dir / "part"
        self.good("analyze", file, "-o", part)
        older = (part / "results.jsonl").read_text()
        file.write_text(SMALL)
        os.utime(file, ns=(0, 10**18))
        self.good("analyze", file, "-o", part)
        newer = (part / "results.jsonl").read_text()
        (part / "results.jsonl").write_text(older + newer)  # as an interrupted run leaves them
        self.good("merge", part, "-o", self.dir / "merged")
        self.assertEqual((self.dir / "merged/results.jsonl").read_text(), newer)

    def test_what_merge_refuses(self):
        parts, merged = self.analyze_shards(), self.dir / "merged"
        other = self.dir / "other"
        self.good("analyze", self.folder / "c.mtx", "-o", other, "--formats", "csr")
        self.bad("merge", *parts, other, "-o", merged, says=["c.mtx", "different options"])
        (self.folder / "c.mtx").write_text(SMALL + "\n")
        self.good("analyze", self.folder / "c.mtx", "-o", other, "--fresh")
        self.bad("merge", *parts, other, "-o", merged, says=["c.mtx", "two states of one file"])
        self.bad("merge", parts[0], self.dir / "none", "-o", merged, says="none")
        empty = self.dir / "empty"
        empty.mkdir()
        self.bad("merge", empty, "-o", merged, says=["empty", "results.jsonl"])
        self.bad("merge", *parts, "-o", parts[0], says="part1")
        (empty / "results.jsonl").write_text('{"schema_version":1}\n')
        self.bad("merge", empty, "-o", merged, says=["results.jsonl:1", "not a record"])
        self.assertFalse(merged.exists())
        with open(parts[0] / ".spress.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.bad("merge", *parts, "-o", merged, says=["part1", "still writing"])
        foreign = self.dir / "foreign"
        foreign.mkdir()
        (foreign / "summary.json").write_text("mine")
        self.bad("merge", *parts, "-o", foreign, says=["summary.json", "not written by 'spress analyze'"])
        self.assertEqual([file.name for file in foreign.iterdir()], ["summary.json"])

    def test_merge_leaves_out_a_torn_line(self):
        parts, merged = self.analyze_shards(), self.dir / "merged"
        journal = parts[0] / "results.jsonl"
        journal.write_text(journal.read_text()[:-20])
        done = self.good("merge", *parts, "-o", merged)
        self.assertIn("incomplete last line", done.stderr)
        self.assertEqual(len((merged / "results.jsonl").read_text().splitlines()), 6)


if __name__ == "__main__":
    main()

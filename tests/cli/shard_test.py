"""analyze --shard: every matrix in one part, always the same one, and parts that can be put together again."""

import json

from support import SMALL, Case, main


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

    def test_a_shard_goes_on_and_shards_make_the_whole(self):
        whole = self.dir / "whole"
        whole.mkdir()
        for i in (1, 2):
            out = self.dir / f"out{i}"
            args = ["analyze", self.folder, "-o", out, "--shard", f"{i}/2"]
            self.assertIn(f"shard {i}/2: {4 if i == 1 else 3} of 7 matrices", self.good(*args).stderr)
            lines = (out / "results.jsonl").read_text().splitlines(keepends=True)
            (out / "results.jsonl").write_text(lines[0])  # as a killed run leaves it
            again = self.good(*args)
            self.assertIn(f"1 of {len(lines)} records taken from an earlier run", again.stderr)
            self.assertEqual(len((out / "results.jsonl").read_text().splitlines()), len(lines))
            with open(whole / "results.jsonl", "a") as journal:
                journal.write((out / "results.jsonl").read_text())
        self.assertIn("7 of 7 records taken from an earlier run", self.good("analyze", self.folder, "-o", whole).stderr)

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


if __name__ == "__main__":
    main()

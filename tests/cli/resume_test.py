"""A folder of results that a run goes on with: what it costs, and which of its files are written again."""

import json
import os
import random
import resource

from support import Case, main, spress

FILES = ["results.csv", "report.html", "summary.json"]


class Resume(Case):
    def setUp(self):
        super().setUp()
        self.folder, self.out = self.dir / "m", self.dir / "out"
        self.folder.mkdir()
        self.rng = random.Random(1)
        self.small.unlink()

    def put(self, name):
        n = self.rng.randrange(3, 31)
        places = sorted({(self.rng.randrange(n), self.rng.randrange(n)) for _ in range(3 * n)})
        lines = [f"{r + 1} {c + 1} {self.rng.gauss(0, 1)!r}" for r, c in places]
        (self.folder / name).write_text(f"%%MatrixMarket matrix coordinate real general\n{n} {n} {len(lines)}\n" +
                                        "\n".join(lines) + "\n")

    def analyze(self, *args):
        self.good("analyze", *(args or [self.folder]), "-o", self.out, "-q")
        return {name: (self.out / name).stat().st_mtime_ns for name in FILES}

    def test_a_run_with_nothing_new_writes_nothing_again(self):
        self.put("a.mtx")
        self.put("b.mtx")
        first = self.analyze()
        self.assertEqual(self.analyze(), first)
        (self.out / "report.html").unlink()
        again = self.analyze()
        self.assertTrue(all(again[name] > first[name] for name in FILES), "written again where one is missing")
        for name in ("results.csv", "report.html"):
            (self.out / name).write_text((self.out / name).read_text()[:-100])
            mended = self.analyze()
            self.assertTrue(all(mended[each] > again[each] for each in FILES), "written again where one is cut")
            again = mended
        fresh = self.analyze(self.folder, "--fresh")
        self.assertTrue(all(fresh[name] > again[name] for name in FILES), "written again with --fresh")
        again = fresh
        one = self.analyze(self.folder / "a.mtx")
        self.assertTrue(all(one[name] > again[name] for name in FILES), "written again for other matrices")
        self.assertEqual((self.out / "results.csv").read_text().count("b.mtx"), 0)
        self.put("b.mtx")
        changed = self.analyze()
        self.assertTrue(all(changed[name] > one[name] for name in FILES), "written again for a changed matrix")
        self.assertGreater((self.out / "results.csv").read_text().count("b.mtx"), 0)

    def test_a_run_with_nothing_new_says_the_same(self):
        for name in ("a.mtx", "b.mtx"):
            self.put(name)
        args = ["analyze", self.folder, "-o", self.out]
        first = self.good(*args, "-q").stdout
        self.assertEqual(self.good(*args, "-q").stdout, first)
        again = self.good(*args)
        self.assertIn("2 of 2 records taken from an earlier run", again.stderr)
        self.assertIn("left results.jsonl, results.csv, summary.json and report.html as they were", again.stderr)
        self.assertEqual(self.good(*args, "--json").stdout, (self.out / "results.jsonl").read_text())
        self.assertIn("\na: ", "\n" + self.good(*args, "--why", "-q").stdout)
        # Records of other matrices are counted, whether there is anything new or not.
        for _ in range(2):
            self.put("c.mtx")
            self.good("analyze", self.folder / "b.mtx", self.folder / "c.mtx", "-o", self.out)
            one = self.good("analyze", self.folder / "b.mtx", self.folder / "c.mtx", "-o", self.out)
            self.assertIn("also keeps 1 record of other matrices", one.stderr)
        # A journal that somebody changed is read, and refused where it is none.
        with open(self.out / "results.jsonl", "a") as journal:
            journal.write("nothing\n")
        self.assertIn("not a record", self.bad("analyze", self.folder, "-o", self.out).stderr)

    def test_standard_input_is_another_matrix_each_time(self):
        for place in ("1 1", "2 1"):  # the same size and the same time of change
            file = self.folder / "a.mtx"
            file.write_text(f"%%MatrixMarket matrix coordinate real general\n2 2 1\n{place} 1\n")
            os.utime(file, (1e9, 1e9))
            with open(file) as standard_input:
                done = self.good("analyze", "-", "-o", self.out, "--json", stdin=standard_input)
            self.assertEqual(json.loads(done.stdout)["orderings"]["none"]["bandwidth"], 0 if place == "1 1" else 1)

    def test_what_failed_is_tried_again(self):
        self.put("a.mtx")
        (self.folder / "b.mtx").write_text("no matrix\n")
        for _ in range(2):
            self.assertIn("failed: ", spress("analyze", self.folder, "-o", self.out).stderr)

    def test_records_of_tiny_matrices_are_small_and_quickly_taken_up(self):
        count = 300
        for i in range(count):
            self.put(f"{i}.mtx")

        def seconds_of_processors(run):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        def least_seconds(run):
            return min(seconds_of_processors(run) for _ in range(5))

        starting = least_seconds(lambda: self.good("--version"))  # most of a sanitizer's time
        computing = seconds_of_processors(self.analyze)
        self.assertLess((self.out / "results.jsonl").stat().st_size, 9000 * count)  # 90 MB for 10,000
        self.assertLess(least_seconds(self.analyze) - starting, (computing - starting) / 10)


if __name__ == "__main__":
    main()

"""What `analyze -o DIR` finds in its folder: results of its own, somebody else's files, and a journal that vanishes."""

import os
import subprocess
import time

import support
from support import Case, main

NAMES = ["results.jsonl", "results.csv", "summary.json", "report.html"]
TORN = '{"schema_version":1,"tool":{"version":"0.1.0","comm'


class Folder(Case):
    def setUp(self):
        super().setUp()
        self.out = self.dir / "out"

    def contents(self, folder=None):
        return {p.name: p.read_bytes() if p.is_file() else None for p in (folder or self.out).iterdir()}

    def refused(self, name, *args, says=("nothing was changed", "-o")):
        """The run ends with 2, names the file and the remedy, and leaves the folder as it was."""
        before = self.contents()
        self.bad("analyze", self.small, "-o", self.out, *args, says=[name, *says])
        self.assertEqual(self.contents(), before)

    def put(self, name, text):
        self.out.mkdir(exist_ok=True)
        (self.out / name).write_text(text)


class Foreign(Folder):
    def test_somebody_elses_records(self):
        bench = self.dir / "bench.jsonl"
        self.good("bench", self.small, "--formats", "csr", "--repetitions", "1", "--no-bandwidth", "-o", bench, "-q")
        for text in ['{"a":1}\n{"a":2', "no record\n", "not even a line end", '{"schema_version":1}\n',
                     '{"schema_version":1}', "\n", "{", bench.read_text(), bench.read_text().rstrip("\n"),
                     '{"schema_version":1,"torn\n' + TORN]:
            self.put("results.jsonl", text)
            with self.subTest(text=text[:60]):
                self.refused("results.jsonl")
                self.refused("results.jsonl", "--fresh")

    def test_somebody_elses_reports(self):
        for name, text in [("results.csv", "name,path,rows,cols,nnz\na,b,1,1,1\n"), ("results.csv", "x"),
                           ("summary.json", "{}"), ("summary.json", '{"collection": {}, "selections": []}'),
                           ("summary.json", "[1, 2]"), ("report.html", "<!DOCTYPE html>\n<html>mine</html>\n")]:
            self.put(name, text)
            with self.subTest(name=name, text=text):
                self.refused(name)
                self.refused(name, "--fresh")
            os.remove(self.out / name)

    def test_foreign_reports_beside_a_torn_journal(self):
        self.good("analyze", self.small, "-o", self.out, "-q")
        with open(self.out / "results.jsonl", "a") as journal:
            journal.write(TORN)
        self.put("report.html", "mine")
        self.refused("report.html")

    def test_a_bad_line_keeps_the_torn_one(self):
        self.good("analyze", self.small, "-o", self.out, "-q")
        with open(self.out / "results.jsonl", "a") as journal:
            journal.write("no record\n" + TORN)
        self.refused("results.jsonl:2", says=["--fresh"])

    def test_folders_and_pipes(self):
        for name in NAMES:
            for make in (os.mkdir, os.mkfifo):
                self.out.mkdir()
                make(self.out / name)
                with self.subTest(name=name, make=make.__name__):
                    self.refused(name)
                    self.refused(name, "--fresh")
                os.rmdir(self.out / name) if make is os.mkdir else os.remove(self.out / name)
                self.out.rmdir()

    def test_a_link_to_somebody_elses_file(self):
        mine = self.dir / "mine.html"
        mine.write_text("mine")
        self.out.mkdir()
        (self.out / "report.html").symlink_to(mine)
        self.refused("report.html")
        self.assertEqual(mine.read_text(), "mine")


class Own(Folder):
    def test_empty_files_are_nobodys(self):
        for name in NAMES:
            self.put(name, "")
        self.good("analyze", self.small, "-o", self.out)
        self.assertTrue(all((self.out / name).stat().st_size > 0 for name in NAMES))

    def test_results_are_replaced(self):
        self.good("analyze", self.small, "-o", self.out, "--orderings", "none")
        first = self.contents()
        self.good("analyze", self.small, "-o", self.out, "--orderings", "none,rcm", "--fresh")
        for name in NAMES:
            self.assertNotEqual(self.contents()[name], first[name])

    def test_a_journal_of_one_torn_line_goes_on(self):
        for torn in ['{"schema_version":', TORN]:
            self.put("results.jsonl", torn)
            self.good("analyze", self.small, "-o", self.out)
            self.assertEqual((self.out / "results.jsonl").read_text().count("\n"), 1)

    def test_a_whole_record_without_its_line_end_goes_on(self):
        self.good("analyze", self.small, "-o", self.out)
        journal = self.out / "results.jsonl"
        journal.write_text(journal.read_text().rstrip("\n"))
        self.good("analyze", self.small, "-o", self.out)
        self.assertEqual(journal.read_text().count("\n"), 1)


class MidRun(Folder):
    def run_and(self, disturb):
        """Runs analyze on many matrices; calls disturb(journal) once it holds a record. Its exit code and stderr."""
        inputs = [f"gen:poisson2d,n={n}" for n in range(150, 170)]
        run = subprocess.Popen([support.SPRESS, "analyze", *inputs, "--jobs", "1", "-o", self.out],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        journal = self.out / "results.jsonl"
        deadline = time.monotonic() + 60
        while not (journal.exists() and journal.stat().st_size > 0):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(run.poll(), "ended before it was disturbed")
            time.sleep(0.002)
        disturb(journal)
        _, errors = run.communicate(timeout=120)
        return run.returncode, errors

    def test_a_deleted_journal_is_an_error(self):
        code, errors = self.run_and(os.remove)
        self.assertEqual(code, 2, errors)
        self.assertIn("results.jsonl: was deleted or replaced", errors)
        self.assertIn("run the command again", errors)
        self.assertFalse((self.out / "summary.json").exists())

    def test_a_replaced_journal_is_an_error_and_stays(self):
        def replace(journal):
            other = self.dir / "other"
            other.write_text("mine\n")
            os.replace(other, journal)
        code, errors = self.run_and(replace)
        self.assertEqual(code, 2, errors)
        self.assertIn("was deleted or replaced", errors)
        self.assertEqual((self.out / "results.jsonl").read_text(), "mine\n")

    def test_a_run_that_is_let_be_is_good(self):
        code, errors = self.run_and(lambda journal: None)
        self.assertEqual(code, 0, errors)


if __name__ == "__main__":
    main()

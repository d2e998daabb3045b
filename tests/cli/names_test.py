"""Names that a terminal would obey, or a spreadsheet compute, are shown and never acted on."""

import csv
import io
import json
import os
import tarfile

from support import SMALL, Case, main, spress

EVIL = "e\x1b[31m\nvil\x7f"
SHOWN = "e\\x1b[31m\\nvil\\x7f"


class Names(Case):
    def plain(self, text):
        """No control character but the line end."""
        self.assertEqual([c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)], [])

    def setUp(self):
        super().setUp()
        self.evil = self.dir / (EVIL + ".mtx")
        self.evil.write_text(SMALL)

    def test_an_error_is_one_plain_line(self):
        self.evil.write_text("%%MatrixMarket matrix coordinate real general\nnonsense\n")
        for args in (["analyze", self.dir / EVIL], ["solve", self.evil], ["encode", self.evil, "-o", self.dir / "x.spress"]):
            done = self.bad(*args, says=SHOWN)
            self.plain(done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_text_of_every_subcommand_is_plain(self):
        spd = self.dir / "spd.mtx"
        spd.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n")
        os.replace(spd, self.evil)
        packed = self.dir / (EVIL + ".spress")
        for args in (["analyze", self.evil, "--why"], ["encode", self.evil, "-o", packed], ["info", packed],
                     ["verify", self.evil], ["solve", self.evil],
                     ["bench", self.evil, "--formats", "csr", "--repetitions", "1", "--no-bandwidth"],
                     ["decode", packed, "-o", self.dir / (EVIL + "2.mtx")],
                     ["reorder", self.evil, "-o", self.dir / (EVIL + "3.mtx")]):
            with self.subTest(args=args[0]):
                done = self.good(*args)
                self.plain(done.stdout + done.stderr)
                self.assertIn(SHOWN, done.stdout + done.stderr)

    def test_failures_of_a_collection_are_plain(self):
        self.evil.write_text("nonsense")
        done = spress("analyze", self.dir, "-o", self.dir / "out")
        self.assertEqual(done.returncode, 1)
        self.plain(done.stdout + done.stderr)
        self.assertIn(SHOWN, done.stderr)

    def test_json_is_exact(self):
        record = json.loads(self.good("analyze", self.evil, "--json").stdout)
        self.assertEqual(record["matrix"]["name"], EVIL)
        self.assertEqual(record["matrix"]["path"], str(self.evil))

    def test_bytes_that_are_no_text(self):
        done = self.bad("analyze", os.fsencode(self.dir) + b"/a\xff\xfe", says="a\\xff\\xfe")
        self.plain(done.stderr)

    def test_members_of_an_archive_are_listed_plainly_and_cut(self):
        archive = self.dir / "a.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            for i in range(57):
                member = tarfile.TarInfo(f"m{i}\x1b[2J\n.mtx")
                member.size = len(SMALL)
                tar.addfile(member, io.BytesIO(SMALL.encode()))
        done = spress("encode", archive, "-o", self.dir / "x.spress")
        self.assertEqual(done.returncode, 2)
        self.plain(done.stderr)
        self.assertIn("m19\\x1b[2J\\n.mtx, and 37 more", done.stderr)
        self.assertNotIn("m20", done.stderr)

    def test_no_cell_is_a_formula(self):
        folder = self.dir / "matrices"
        folder.mkdir()
        names = [begin + "1+2" for begin in "=+-@\t"]
        for name in names:
            (folder / (name + ".mtx")).write_text(SMALL)
        self.good("analyze", folder, "-o", self.dir / "out")
        with open(self.dir / "out/results.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual({row["name"] for row in rows}, {"'" + name for name in names})
        self.assertTrue(all(float(row["seconds"]) >= 0 for row in rows if row["status"] == "ok"))


if __name__ == "__main__":
    main()

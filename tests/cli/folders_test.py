"""Runs over many files and folders: encode, decode, info, verify, compare, and what a walk picks up."""

import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import support
from support import Case, SMALL, main, spress


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


class Folders(Case):
    def setUp(self):
        super().setUp()
        self.source, self.encoded = self.dir / "matrices", self.dir / "encoded"
        (self.source / "deep/er").mkdir(parents=True)
        (self.source / "a.mtx").write_text(SMALL)
        with gzip.open(self.source / "deep/b.mtx.gz", "wt") as file:
            file.write(SMALL.replace("1.5", "2.25"))
        for name, size in (("c", 12), ("d", 9)):
            self.good("generate", f"poisson2d:n={size}", "-o", self.source / f"deep/er/{name}.mtx")
        self.names = ["a", "deep/b", "deep/er/c", "deep/er/d"]

    def encode(self, *options):
        return self.good("encode", self.source, "-o", self.encoded, *options)

    def states(self, done):
        return {pathlib.Path(line["path"]).name: line["state"] for line in lines_of(done.stdout)[:-1]}

    def files_below(self, folder):
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())

    def damage(self, path):
        data = bytearray(path.read_bytes())
        data[60] ^= 4
        path.write_bytes(data)


class Encode(Folders):
    def test_every_matrix_goes_to_its_place(self):
        done = self.encode()
        self.assertEqual(self.files_below(self.encoded), [f"{name}.spress" for name in self.names])
        self.assertIn("4 files: 4 written;", done.stderr)
        self.assertEqual(done.stdout, "")
        for name, source in zip(self.names, ["a.mtx", "deep/b.mtx.gz", "deep/er/c.mtx", "deep/er/d.mtx"]):
            self.good("compare", self.source / source, self.encoded / f"{name}.spress")

    def test_json_is_a_line_for_each_file_and_a_summary(self):
        *files, last = lines_of(self.encode("--json").stdout)
        self.assertEqual({line["state"] for line in files}, {"done"})
        for line in files:
            self.assertEqual(line["file_bytes"], pathlib.Path(line["output"]).stat().st_size)
            self.assertGreater(line["csr_bytes"], 0)
        total = last["summary"]
        self.assertEqual((total["files"], total["done"], total["kept"], total["failed"]), (4, 4, 0, 0))
        self.assertEqual(total["input_bytes"], sum(p.stat().st_size for p in self.source.rglob("*.mtx*")))
        self.assertEqual(total["output_bytes"], sum(p.stat().st_size for p in self.encoded.rglob("*.spress")))

    def test_what_is_newer_and_sound_is_kept(self):
        self.encode()
        self.assertEqual(set(self.states(self.encode("--json")).values()), {"kept"})
        self.damage(self.encoded / "deep/b.spress")
        later = time.time() + 5
        os.utime(self.source / "a.mtx", (later, later))
        self.assertEqual(self.states(self.encode("--json")),
                         {"a.mtx": "done", "b.mtx.gz": "done", "c.mtx": "kept", "d.mtx": "kept"})
        self.assertEqual(set(self.states(self.encode("--json", "--fresh")).values()), {"done"})

    def test_a_bad_file_stops_no_other(self):
        (self.source / "bad.mtx").write_text("no matrix\n")
        done = spress("encode", self.source, "-o", self.encoded, "--json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.states(done)["bad.mtx"], "failed")
        self.assertEqual(lines_of(done.stdout)[-1]["summary"]["failed"], 1)
        self.assertIn("bad.mtx", done.stderr)
        self.assertEqual(len(self.files_below(self.encoded)), 4)

    def test_several_inputs_need_a_folder(self):
        file = self.dir / "file"
        file.write_text("")
        for inputs in ([self.small, self.source / "a.mtx"], [self.source]):
            self.bad("encode", *inputs, "-o", self.dir / "one.spress", says=["one.spress", "folder"])
            self.bad("encode", *inputs, "-o", file, says="folder")
            self.bad("encode", *inputs, "-o", "-", says="folder")
        self.bad("decode", self.source, "-o", self.dir / "one.mtx", says=["one.mtx", "folder"])
        self.assertEqual(self.left(), ["file", "matrices", "small.mtx"])

    def test_one_input_may_name_a_folder(self):
        self.good("encode", self.small, "-o", f"{self.encoded}/")
        self.assertEqual(self.files_below(self.encoded), ["small.spress"])
        self.good("encode", "gen:tridiag,n=9", "-o", self.encoded)
        self.assertEqual(len(self.files_below(self.encoded)), 2)

    def test_two_sources_of_one_target_are_refused(self):
        shutil.copy(self.source / "a.mtx", self.source / "deep/b.mtx")
        self.bad("encode", self.source, "-o", self.encoded, says=["deep/b.mtx", "deep/b.mtx.gz"])
        self.assertFalse(self.encoded.exists())

    def test_foreign_files_stay(self):
        self.encoded.mkdir()
        target = self.encoded / "a.spress"
        for text in ("precious", ""):
            target.write_text(text)
            self.bad("encode", self.source, "-o", self.encoded, says=["a.spress", "no .spress file", "--fresh"])
            self.assertEqual((self.files_below(self.encoded), target.read_text()), (["a.spress"], text))
        target.unlink()
        self.good("encode", self.source / "deep/b.mtx.gz", "-o", target)
        before = target.read_bytes()
        self.bad("encode", self.source, "-o", self.encoded, says=["holds the matrix b, not a", "--fresh"])
        self.assertEqual((self.files_below(self.encoded), target.read_bytes()), (["a.spress"], before))
        self.encode("--fresh")
        self.good("verify", self.encoded, "--against", self.source)

    def test_a_file_of_a_single_run_is_kept_if_it_is_of_the_kind_asked_for(self):
        self.encoded.mkdir()
        self.good("encode", self.source / "a.mtx", "-o", self.encoded / "a.spress", "--format", "csr")
        states = self.states(self.encode("--json"))
        self.assertEqual(states, dict.fromkeys(states, "done"))
        self.good("encode", self.source / "a.mtx", "-o", self.encoded / "a.spress")
        self.assertEqual(self.states(self.encode("--json"))["a.mtx"], "kept")

    def test_a_size_that_is_none(self):
        for command in (["encode", self.source / "a.mtx", "-o", self.dir / "x.spress"], ["verify", self.source / "a.mtx"],
                        ["convert", self.source / "a.mtx", self.dir / "x.npz"]):
            for size in ("1X", "abc", "0", "-5", "99999999999999999999G"):
                self.bad(*command, "--memory", size, says="--memory")
        self.assertFalse((self.dir / "x.spress").exists() or (self.dir / "x.npz").exists())

    def test_an_input_is_never_replaced(self):
        self.encode()
        os.link(self.encoded / "a.spress", self.dir / "x.spress")
        self.bad("encode", self.dir / "x.spress", self.source / "a.mtx", "-o", self.encoded, says="replace")

    def test_a_source_that_changed_is_never_taken_for_done(self):
        self.encode()
        # replaced by an older file, as by cp -p or tar
        (self.source / "a.mtx").write_text(SMALL.replace("1e-3", "1e-4"))
        os.utime(self.source / "a.mtx", (1e9, 1e9))
        self.assertEqual(self.states(self.encode("--json"))["a.mtx"], "done")
        self.good("verify", self.encoded, "--against", self.source)
        # other options
        self.assertEqual(set(self.states(self.encode("--json", "--format", "csr")).values()), {"done"})
        self.assertEqual(set(self.states(self.encode("--json", "--format", "csr")).values()), {"kept"})

    def test_what_a_single_command_wrote_is_kept_where_it_is_newer(self):
        self.encoded.mkdir()
        self.good("encode", self.source / "a.mtx", "-o", self.encoded / "a.spress")
        self.assertEqual(self.states(self.encode("--json"))["a.mtx"], "kept")
        later = time.time() + 5
        os.utime(self.source / "a.mtx", (later, later))
        self.assertEqual(self.states(self.encode("--json"))["a.mtx"], "done")

    def test_two_targets_behind_links_are_one(self):
        real = self.dir / "real"
        real.mkdir()
        self.encoded.mkdir()
        for name in ("x", "y"):
            (self.source / name).mkdir()
            shutil.copy(self.source / "a.mtx", self.source / name / "a.mtx")
            os.symlink(real, self.encoded / name)
        self.bad("encode", self.source, "-o", self.encoded, says=["x/a.mtx", "y/a.mtx"])
        self.assertEqual(self.files_below(real), [])

    def test_a_link_to_another_file_is_not_written_through(self):
        self.encoded.mkdir()
        precious = self.dir / "precious.txt"
        precious.write_text("precious")
        os.symlink(precious, self.encoded / "a.spress")
        self.bad("encode", self.source, "-o", self.encoded, says="precious.txt")
        self.assertEqual(precious.read_text(), "precious")

    def test_generated_names_stay_in_the_folder(self):
        done = spress("encode", "gen:../../up/poisson2d,n=5", "gen:poisson2d,n=4", "-o", self.encoded)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.files_below(self.encoded), ["poisson2d,n=4.spress"])
        self.assertEqual(self.left(), ["encoded", "matrices", "small.mtx"])

    def test_one_place_that_cannot_be_written_stops_no_other(self):
        self.encoded.mkdir()
        (self.encoded / "deep").write_text("a file")
        done = spress("encode", self.source, self.dir / "small.mtx", "-o", self.encoded)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("failed: "), 3)
        self.assertIn("2 written, 3 failed", done.stderr)
        self.assertEqual(self.files_below(self.encoded), ["a.spress", "deep", "small.spress"])

    def test_failures_are_told_even_if_quiet(self):
        (self.source / "bad.mtx").write_text("no matrix\n")
        done = spress("encode", self.source, "-o", self.encoded, "-q")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.mtx", done.stderr)

    def test_goes_on_after_a_kill(self):
        for i in range(40):
            shutil.copy(self.source / "deep/er/c.mtx", self.source / f"k{i}.mtx")
        run = subprocess.Popen([support.SPRESS, "encode", self.source, "-o", self.encoded, "-q", "--jobs", "1"])
        for _ in range(2000):
            if self.encoded.exists() and len(self.files_below(self.encoded)) > 3:
                break
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
        run.wait()
        there = sum(name.endswith(".spress") for name in self.files_below(self.encoded))
        states = list(self.states(self.encode("--json")).values())
        self.assertEqual((states.count("kept"), states.count("done")), (there, 44 - there))
        self.assertEqual(len(self.files_below(self.encoded)), 44)
        self.good("verify", self.encoded, "--against", self.source)


class Decode(Folders):
    def test_gives_every_matrix_back(self):
        self.encode()
        back = self.dir / "back"
        done = self.good("decode", self.encoded, "-o", back)
        self.assertIn("4 files: 4 written", done.stderr)
        self.assertEqual(self.files_below(back), [f"{name}.mtx" for name in self.names])
        self.good("compare", self.source / "deep/b.mtx.gz", back / "deep/b.mtx")
        self.assertEqual(set(self.states(self.good("decode", self.encoded, "-o", back, "--json")).values()), {"kept"})

    def test_what_is_there_is_not_replaced(self):
        self.encode()
        back = self.dir / "back"
        back.mkdir()
        for text in ("mine", ""):
            (back / "a.mtx").write_text(text)
            self.bad("decode", self.encoded, "-o", back, says=["back/a.mtx", "--fresh"])
            self.assertEqual(self.files_below(back), ["a.mtx"])
            self.assertEqual((back / "a.mtx").read_text(), text)
        self.bad("decode", self.encoded, "-o", self.source, says="--fresh")
        self.good("decode", self.encoded, "-o", back, "--fresh")
        self.good("verify", self.encoded, "--against", back)

    def test_a_folder_without_containers(self):
        self.bad("decode", self.source, "-o", self.dir / "back", says=".spress")


class Verify(Folders):
    def test_checksums_then_sources(self):
        self.encode()
        self.assertIn("4 files: 4 sound", self.good("verify", self.encoded).stderr)
        self.good("verify", self.encoded, "--deep")
        self.good("verify", self.encoded, "--against", self.source)
        self.good("verify", self.encoded / "a.spress", "--against", self.source / "a.mtx")

    def test_what_is_wrong_is_named(self):
        self.encode()
        self.damage(self.encoded / "deep/er/c.spress")
        for how in ([], ["--deep"], ["--against", self.source]):
            done = spress("verify", self.encoded, *how, "--json")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual([name for name, state in self.states(done).items() if state != "done"], ["c.spress"])
            self.assertIn("deep/er/c.spress", done.stderr)

    def test_another_matrix_is_told_by_its_first_difference(self):
        self.encode()
        (self.source / "a.mtx").write_text(SMALL.replace("2 2 1e-3", "2 2 1e-4"))
        done = spress("verify", self.encoded, "--against", self.source)
        self.assertEqual(done.returncode, 1)
        self.assertIn("row 2, column 2: 0.001 and 0.0001", done.stderr)
        (self.source / "a.mtx").unlink()
        done = spress("verify", self.encoded, "--against", self.source)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no source", done.stderr)

    def test_files_of_other_kinds_name_the_remedy(self):
        self.bad("verify", self.source, says="--formats")
        self.bad("verify", self.source, "--deep", "--device", "cpu", says="--device")

    def test_formats_prove_the_encodings_of_every_matrix(self):
        done = self.good("verify", self.source, "--formats", "csr,coo", "--json")
        self.assertEqual(len(lines_of(done.stdout)), 4)
        self.bad("verify", self.source, "--formats", "csr", "--deep", says="--formats")


class Info(Folders):
    def test_a_line_for_each_file(self):
        self.encode()
        done = self.good("info", self.encoded)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[2:]],
                         [f"{name}.spress" for name in self.names])
        self.assertEqual([line["scalars"]["rows"] for line in lines_of(self.good("info", self.encoded, "--json").stdout)[:-1]],
                         ["3", "3", "144", "81"])
        self.damage(self.encoded / "a.spress")
        done = spress("info", self.encoded, "--json")
        *lines, last = lines_of(done.stdout)
        self.assertEqual(last["summary"]["failed"], 1)
        self.assertEqual(len([line for line in lines if line.get("state") == "failed"]), 1)
        self.assertEqual(len(lines), last["summary"]["files"])
        done = spress("info", self.encoded)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.spress", done.stderr)


class Compare(Case):
    def different(self, text, *, first, entries=1, largest=None):
        other = self.dir / "other.mtx"
        other.write_text(text)
        done = spress("compare", self.small, other, "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        record = json.loads(done.stdout)
        self.assertEqual((record["same"], record["first"], record["entries"], record["largest"]),
                         (False, first, entries, largest))

    def test_the_same(self):
        self.assertEqual(self.good("compare", self.small, self.small).stdout, "the same matrix, bit for bit\n")
        record = json.loads(self.good("compare", self.small, self.small, "--json").stdout)
        self.assertTrue(record["same"])

    def test_values(self):
        self.different(SMALL.replace("3 1 3", "3 1 3.5").replace("2 2 1e-3", "2 2 2e-3"),
                       first="row 2, column 2: 0.001 and 0.002", entries=2, largest=0.5)
        self.different(SMALL.replace("-0.0", "0.0"), first="row 1, column 4: -0 and 0", largest=0)

    def test_entries(self):
        self.different(SMALL.replace("3 1 3", "3 2 3"), first="row 3, column 1: 3 and no entry", entries=2, largest=3)
        self.different(SMALL.replace("1 4 -0.0", "1 3 -0.0"), first="row 1, column 3: no entry and -0", entries=2,
                       largest=0)

    def test_kinds(self):
        self.different(SMALL.replace("3 4 5", "4 4 5"), first="3 x 4 and 4 x 4", entries=0)
        pattern = "".join(line if i < 2 else " ".join(line.split()[:2]) + "\n"
                          for i, line in enumerate(SMALL.replace("real", "pattern").splitlines(True)))
        self.different(pattern, first="values of type double and no values (a pattern)", entries=0)

    def test_what_cannot_be_read(self):
        self.bad("compare", self.small, self.dir / "none.mtx", says="none.mtx")


class Walk(Folders):
    def test_analyze_takes_containers_and_names_what_it_passed_over(self):
        self.encode()
        for name in ("notes.txt", "more.txt", "x.png", "README"):
            (self.encoded / name).write_text("")
        (self.encoded / "link").symlink_to(self.source, target_is_directory=True)
        done = self.good("analyze", self.encoded, "--orderings", "none", "--formats", "csr", "--json")
        self.assertEqual(len(lines_of(done.stdout)), 4)
        self.assertIn("5 files of other kinds passed over: .txt 2, no ending 1, .png 1, links to folders 1", done.stderr)


if __name__ == "__main__":
    main()

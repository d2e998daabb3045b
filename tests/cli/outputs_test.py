"""What is written where: no input and no other output is replaced, and a name says what is in the file."""

import os
import stat
import subprocess

from support import SMALL, SPRESS, Case, main


class Outputs(Case):
    def refused(self, *args, says=()):
        """Refused, and every file is as before."""
        before = {p: p.read_bytes() for p in self.dir.rglob("*") if p.is_file()}
        self.bad(*args, says=says)
        self.assertEqual({p: p.read_bytes() for p in self.dir.rglob("*") if p.is_file()}, before)

    def test_no_input_is_replaced(self):
        container = self.dir / "x.spress"
        self.good("encode", self.small, "-o", container)
        records = self.dir / "r.jsonl"
        records.write_text(self.good("analyze", self.small, "--json").stdout)
        again = self.dir / "again"
        again.mkdir()
        (again / "report.html").symlink_to(records)
        for command in [("reorder", self.small, "-o", self.small, "--ordering", "apart"),
                        ("encode", container, "-o", container),
                        ("bench", self.small, "-o", self.small),
                        ("report", records, "-o", again / "report.html"),
                        ("calibrate", "--from", records, "-o", records)]:
            self.refused(*command)
        for make in (os.symlink, os.link):
            link = self.dir / f"{make.__name__}.mtx"
            make(self.small, link)
            self.refused("reorder", self.small, "-o", link, "--ordering", "apart", says=["small.mtx", "input"])
            self.refused("reorder", link, "-o", self.small, "--ordering", "apart", says=["small.mtx", "input"])
        page = self.dir / "page.html"
        os.link(records, page)
        self.refused("report", records, "-o", page, says=["page.html", "input"])

    def test_no_matrix_in_a_folder_of_inputs_is_replaced(self):
        folder = self.dir / "matrices"
        folder.mkdir()
        (folder / "a.mtx").write_text(SMALL)
        os.link(folder / "a.mtx", self.dir / "a.jsonl")
        self.refused("bench", folder, "-o", self.dir / "a.jsonl", says=["a.jsonl", "input"])
        out = self.dir / "out"
        out.mkdir()
        os.link(folder / "a.mtx", out / "results.csv")
        self.refused("analyze", folder, "-o", out, says=["results.csv", "input"])

    def test_two_outputs_are_two_files(self):
        out, perm = self.dir / "out.mtx", self.dir / "perm"
        perm.symlink_to(self.dir / "other")
        for other in [perm, self.dir / "." / "perm", self.dir / "other"]:
            self.refused("reorder", "gen:poisson2d,n=4", "-o", out, "--perm", perm, "--col-perm", other,
                         says="same file")
        self.good("reorder", "gen:poisson2d,n=4", "-o", out, "--perm", "/dev/null", "--col-perm", "/dev/null")

    def test_standard_output_into_a_file_is_an_output(self):
        records = self.dir / "b.jsonl"
        bench = ["bench", self.small, "--formats", "csr", "--seconds", "0", "--no-bandwidth", "--json"]
        for path, command in [(self.small, ["verify", self.small]), (records, [*bench, "-o", records])]:
            with open(path, "a") as out:
                done = subprocess.run([SPRESS, *map(str, command)], stdout=out, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("standard output", done.stderr)
        self.assertEqual(self.small.read_text(), SMALL)
        self.assertEqual(records.read_text(), "")

    def test_a_descriptor_opened_on_an_input_is_that_input(self):
        before = self.small.read_bytes()
        for mode in ("<>", ">>"):
            for command in ("encode small.mtx -o /dev/fd/6", "convert small.mtx /dev/fd/6 --to .npz",
                            "reorder small.mtx --ordering none -o /proc/self/fd/6"):
                done = subprocess.run(["sh", "-c", f'exec 6{mode}small.mtx; exec "$0" {command}', SPRESS], cwd=self.dir,
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("would replace the input", done.stderr)
        self.assertEqual(self.small.read_bytes(), before)
        done = subprocess.run(["sh", "-c", 'exec 6<>x.mtx; exec "$0" convert small.mtx /dev/fd/6', SPRESS], cwd=self.dir,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.good("compare", self.small, self.dir / "x.mtx")

    def test_a_name_says_what_is_in_the_file(self):
        container = self.dir / "x.spress"
        self.good("encode", self.small, "-o", container)
        for command, right in [("decode x.spress -o x.npz", ".mtx.zst"), ("decode x.spress -o x.png", ".mtx.gz"),
                               ("decode x.spress -o .mtx", ".mtx"), ("decode x.spress -o x.gz", ".mtx"),
                               ("encode small.mtx -o x.mtx", ".spress"), ("encode small.mtx -o x", ".spress"),
                               ("generate poisson2d n=3 -o x.csv", ".mtx"), ("reorder small.mtx -o x.spress", ".mtx"),
                               ("reorder gen:poisson2d,n=3 -o y.mtx --perm p.mtx", ".perm"),
                               ("reorder gen:poisson2d,n=3 -o y.mtx --perm p.npz", ".txt"),
                               ("bench small.mtx -o x.csv", ".jsonl"), ("encode small.mtx -o /dev/shm/x.npz", ".spress"), ("solve gen:fem3d,n=3 -o x", ".jsonl"),
                               ("report r.jsonl -o x.jsonl", ".html"), ("calibrate -o x.txt", ".json")]:
            self.refused(*command.replace("x.spress -o", f"{container} -o").replace("small.mtx", str(self.small))
                         .replace("-o ", f"-o {self.dir}/").replace(f"{self.dir}//dev", "/dev").replace("--perm ", f"--perm {self.dir}/").split(), says=right)

    def test_standard_output_is_called_minus(self):
        text = self.good("decode", self.container(), "-o", "-").stdout
        self.assertTrue(text.startswith("%%MatrixMarket matrix coordinate real general"), text)
        self.bad("bench", self.small, "-o", "-", says="--json")
        self.bad("decode", self.container(), "-o", "-", "--json", says="--json")
        self.bad("convert", self.small, "/dev/stdout", "--json", says="--json")
        self.bad("reorder", self.small, "-o", "-", "--perm", "-", says="two outputs")
        self.bad("analyze", self.small, "-o", "-", says="--json")
        self.assertEqual(self.left(), ["small.mtx", "x.spress"])

    def container(self):
        self.good("encode", self.small, "-o", self.dir / "x.spress")
        return self.dir / "x.spress"

    def test_a_replaced_file_keeps_its_mode(self):
        container = self.container()
        for mode in (0o600, 0o664, 0o444):
            container.chmod(mode)
            self.good("encode", self.small, "-o", container)
            self.assertEqual(stat.S_IMODE(container.stat().st_mode), mode)
        fresh = self.dir / "fresh.spress"
        self.good("encode", self.small, "-o", fresh, umask=0o027)
        self.assertEqual(stat.S_IMODE(fresh.stat().st_mode), 0o640)

    def test_an_empty_value_is_never_the_default(self):
        options = {"analyze": ["--memory", "--formats", "--orderings", "--output", "--for"],
                   "encode": ["--format", "--values", "--ordering", "--output"], "verify": ["--formats"],
                   "bench": ["--formats", "--values", "--output"], "solve": ["--switch", "--formats", "--output"],
                   "calibrate": ["--from", "--formats"], "reorder": ["--perm", "--ordering"]}
        for command, names in options.items():
            for name in names:
                output = ["-o", self.dir / ("o.spress" if command == "encode" else "o.mtx")]
                self.bad(command, self.small, *(output if command in ("encode", "reorder") else []), f"{name}=", "")
                self.bad(command, self.small, name, "", says="empty" if name in ("--memory", "--output") else "")
        self.assertEqual(self.left(), ["small.mtx"])


if __name__ == "__main__":
    main()

"""Manners of the tool: help, version, proposals for mistyped names, colour."""

import json
import os
import pty
import re
import subprocess

from support import SPRESS, Case, main, spress

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Help(Case):
    def commands(self):
        text = self.good("--help").stdout
        return re.findall(r"^  ([a-z]+) ", text[text.index("Subcommands:"):], re.M)

    def test_help_of_a_subcommand_is_its_help(self):
        commands = self.commands()
        self.assertIn("analyze", commands)
        for name in commands:
            self.assertEqual(self.good("help", name).stdout, self.good(name, "--help").stdout)
        self.assertEqual(self.good("help").stdout, self.good("--help").stdout)
        self.assertEqual(self.good("help", "--help").stdout, self.good("--help").stdout)

    def test_help_of_what_is_no_subcommand_proposes_one(self):
        self.bad("help", "enocde", says=["enocde", "did you mean 'encode'?"])
        self.bad("help", "nosuch", says=["nosuch", *self.commands()])

    def test_analyse_is_analyze(self):
        self.assertEqual(self.good("analyse", self.small).stdout, self.good("analyze", self.small).stdout)
        self.assertEqual(self.good("analyse", "--help").stdout, self.good("analyze", "--help").stdout)
        self.assertEqual(self.good("help", "analyse").stdout, self.good("analyze", "--help").stdout)
        self.assertNotIn("analyse", self.commands())


class Version(Case):
    def test_version_says_what_was_built_in(self):
        text = self.good("--version").stdout
        self.assertEqual(self.good("-V").stdout, text)
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^spress \d+\.\d+\.\d+( \([0-9a-f]+(-dirty)?\))?$")
        facts = dict(re.split(r"  +|(?<=instruction sets) ", line, maxsplit=1) for line in lines[1:])
        self.assertIn("portable", facts["instruction sets"])
        self.assertIn("gzip, zstd", facts["compressions"])
        self.assertRegex(facts["CUDA"], r"^(none|\d+\.\d+\.\d+ for .+)$")
        orderings = json.loads(self.good("list", "orderings", "--json").stdout)
        lacks_scotch = any("missing" in o for o in orderings)
        self.assertEqual(facts["Scotch"] == "none", lacks_scotch)

    def test_version_as_json(self):
        for words in (["--version", "--json"], ["--json", "-V"]):
            document = json.loads(self.good(*words).stdout)
            self.assertTrue(self.good("--version").stdout.startswith("spress " + document["version"]))
            for what, state in document["build"].items():
                self.assertIn(state, self.good("--version").stdout)
                self.assertTrue(state, what)


class Proposals(Case):
    def test_every_kind_of_name(self):
        out = self.dir / "x.spress"
        for words, proposal in [
                (["anlyze"], "analyze"), (["ENCODE"], "encode"),
                (["analyze", self.small, "--frmats", "csr"], "--formats"), (["analyze", "--ordrings=rcm"], "--orderings"),
                (["analyze", self.small, "-formats", "csr"], "--formats"), (["--vesrion"], "--version"),
                (["analyze", self.small, "--formats", "slice-detla"], "slice-delta"),
                (["analyze", self.small, "--formats", "sell:sigm=4"], "sigma"),
                (["analyze", self.small, "--formats", "opt-csr:index=dleta"], "delta"),
                (["analyze", self.small, "--orderings", "rmc"], "rcm"),
                (["reorder", self.small, "-o", self.dir / "x.mtx", "--ordering", "rmc"], "rcm"),
                (["analyze", self.small, "--for", "memry"], "memory"),
                (["bench", self.small, "--device", "cdua"], "cuda"), (["list", "format"], "formats"),
                (["generate", "stencl7", "-o", self.dir / "x.mtx"], "stencil7"), (["bench", "gen:poison2d"], "poisson2d"),
                (["bench", "gen:poisson2d,n=4,vaules=noise"], "values"),
                (["encode", self.small, "-o", out, "--values", "nrrow"], "narrow"),
                (["bench", self.small, "--values", "raw,lut9"], "lut8")]:
            with self.subTest(words=words):
                self.assertRegex(self.bad(*words).stderr, rf"did you mean ('[^']+' or )?'{proposal}'( or '[^']+')?\?")
        self.bad("bench", self.small, "--device", "gpu", says="a GPU is called cuda")
        self.assertEqual(self.left(), ["small.mtx"])

    def test_names_that_look_like_options(self):
        os.link(self.small, self.dir / "-d.mtx")
        self.bad("convert", "-d.mtx", "x.mtx", says="./-d.mtx", cwd=self.dir)
        self.bad("encode", "-d.mtx", "-o", "x.spress", says="./-d.mtx", cwd=self.dir)
        self.bad("encode", "--", "-d.mtx", "-o", "x.spress", says="--output is required", cwd=self.dir)
        self.bad("convert", "small.mtx", says="OUT", cwd=self.dir)
        self.assertEqual(self.left(), ["-d.mtx", "small.mtx"])

    def test_what_is_like_nothing_gets_no_proposal(self):
        for words in (["frobnicate"], ["analyze", self.small, "--nosuch"], ["analyze", self.small, "--formats", "nosuch"]):
            self.assertNotIn("did you mean", self.bad(*words).stderr)


class Colour(Case):
    def on_terminal(self, *words, **variables):
        """What the tool writes where all its streams are a terminal."""
        master, slave = pty.openpty()
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        run = subprocess.Popen([SPRESS, *map(str, words)], stdin=slave, stdout=slave, stderr=slave,
                               env={**env, "TERM": "xterm", **variables})
        os.close(slave)
        text = b""
        try:
            while part := os.read(master, 4096):
                text += part
        except OSError:
            pass  # Linux says so at the end
        os.close(master)
        run.wait()
        return text.decode().replace("\r\n", "\n")

    def test_an_error_and_a_headline_stand_out_on_a_terminal(self):
        self.assertIn("spress: \x1b[1;31merror:\x1b[0m ", self.on_terminal("analyze", "nowhere.mtx"))
        self.assertIn("spress analyze: \x1b[1;31merror:\x1b[0m ", self.on_terminal("analyze", "--nosuch"))
        self.assertIn("\x1b[1msmall\x1b[0m\n", self.on_terminal("analyze", self.small, "-q"))

    def test_no_colour_where_none_is_wanted(self):
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}):
            for words in (["analyze", "nowhere.mtx"], ["analyze", self.small, "-q"]):
                self.assertNotRegex(self.on_terminal(*words, **variables), COLOUR)
        for words in (["analyze", "nowhere.mtx"], ["analyze", self.small]):
            done = spress(*words, env={**os.environ, "TERM": "xterm"})
            self.assertNotRegex(done.stdout + done.stderr, COLOUR)
        self.assertNotRegex(self.on_terminal("analyze", self.small, "--json", "-q"), COLOUR)


if __name__ == "__main__":
    main()

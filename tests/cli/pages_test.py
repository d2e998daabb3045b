"""The manual pages and completions that the build makes of the options."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import SPRESS, Case, main

PAGES = pathlib.Path(SPRESS).parent / "pages"


class Manual(Case):
    def commands(self):
        text = self.good("--help").stdout
        return re.findall(r"^  ([a-z]+) ", text[text.index("Subcommands:"):], re.M)

    def test_each_subcommand_has_a_page_with_all_its_options(self):
        pages = {page.name for page in (PAGES / "man").iterdir()}
        self.assertEqual(pages, {"spress.1"} | {f"spress-{name}.1" for name in self.commands()})
        for name in self.commands():
            page = (PAGES / "man" / f"spress-{name}.1").read_text().replace("\\-", "-")
            for flag in re.findall(r"(--[a-z-]+)", self.good(name, "--help").stdout):
                self.assertIn(flag, page, name)
            self.assertIn("EXAMPLE", page)

    @unittest.skipUnless(shutil.which("man"), "no man")
    def test_man_warns_of_nothing(self):
        for page in sorted((PAGES / "man").iterdir()):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True,
                                  text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_mandoc_warns_of_nothing(self):
        for page in sorted((PAGES / "man").iterdir()):
            done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, text=True)
            self.assertEqual(done.stdout, "", page.name)


@unittest.skipUnless(shutil.which("bash"), "no bash")
class Bash(Case):
    def completed(self, line, **kwargs):
        """What bash proposes at the end of the line, as it splits it."""
        script = f"""
source {PAGES}/bash/spress || exit
COMP_WORDS=({' '.join("'" + word + "'" for word in self.words(line))})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
COMP_LINE='{line}' COMP_POINT=${{#COMP_LINE}}
_spress
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
        done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(done.stderr, "")
        return [word for word in done.stdout.split("\n") if word]

    def words(self, line):
        words = []
        for word in line.split(" "):
            words += [part for part in re.split(r"([=:])", word) if part] or [""]
        return words + ([""] if line.endswith(("=", ":")) else [])

    def test_subcommands_and_options(self):
        self.assertEqual(self.completed("spress an"), ["analyze"])
        self.assertEqual(set(self.completed("spress help en")), {"encode"})
        self.assertLess({"analyze", "encode", "list", "help", "--version"}, set(self.completed("spress ")))
        self.assertEqual(set(self.completed("spress analyze --form")), {"--formats"})
        self.assertIn("--ordering", self.completed("spress encode x.mtx --or"))
        self.assertIn("--orderings", self.completed("spress analyse --or"))

    def test_names_of_the_lists(self):
        for what, line in [("formats", "spress encode x.mtx --format "), ("orderings", "spress reorder x.mtx --ordering "),
                           ("gallery", "spress generate "), ("gallery", "spress analyze gen:")]:
            names = {entry["name"] for entry in json.loads(self.good("list", what, "--json").stdout)}
            self.assertLessEqual(names, set(self.completed(line)), line)
        self.assertEqual(self.completed("spress encode x --values iso"), ["iso"])
        self.assertEqual(self.completed("spress bench x.mtx --device=cu"), ["cuda"])
        self.assertEqual(set(self.completed("spress bench x.mtx --device=")), {"cpu", "cuda"})
        self.assertEqual(self.completed("spress analyze x.mtx --formats csr,slice"), ["csr,slice-delta"])
        self.assertEqual(self.completed("spress analyze x.mtx --formats csr,coo,bmsparse-"), ["csr,coo,bmsparse-csr"])

    def test_files_and_folders(self):
        (self.dir / "a folder").mkdir()
        self.assertEqual(set(self.completed("spress analyze ")), {"small.mtx", "a folder"})
        self.assertEqual(self.completed("spress analyze --json sm"), ["small.mtx"])
        self.assertEqual(self.completed("spress encode sm"), ["small.mtx"])
        self.assertEqual(self.completed("spress encode small.mtx -o sm"), ["small.mtx"])
        self.assertEqual(self.completed("spress analyze small.mtx -o "), ["a folder"])
        self.assertEqual(self.completed("spress analyze --threads "), [])


class OtherShells(Case):
    def parsed_by(self, shell, file):
        """Whether the shell can read it; skips without the shell."""
        if shutil.which(shell) is None:
            self.skipTest(f"no {shell}")
        done = subprocess.run([shell, "-n", PAGES / file], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_zsh_can_parse_it(self):
        self.parsed_by("zsh", "zsh/_spress")

    def test_fish_completes(self):
        self.parsed_by("fish", "fish/spress.fish")
        def completed(line):
            script = f"source {PAGES}/fish/spress.fish; complete -C '{line}'"
            done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, cwd=self.dir)
            self.assertEqual(done.stderr, "")
            return {each.split("\t")[0] for each in done.stdout.splitlines()}
        self.assertIn("analyze", completed("spress an"))
        self.assertIn("slice-delta", completed("spress encode x --format sl"))
        self.assertIn("csr,slice-delta", completed("spress analyze x --formats csr,sl"))
        self.assertIn("small.mtx", completed("spress encode sm"))

    def test_each_names_all_subcommands_and_options(self):
        for file in ("zsh/_spress", "fish/spress.fish", "bash/spress"):
            text = (PAGES / file).read_text()
            for word in ("calibrate", "slice-delta", "stencil27", "seekable", "rcm-thorough"):
                self.assertIn(word, text, file)


if __name__ == "__main__":
    main()

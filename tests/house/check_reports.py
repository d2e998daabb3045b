#!/usr/bin/env python3
"""Holds reports/ to knowing no format by name: data or callers say which format is meant.

    check_reports.py              checks the tree
    check_reports.py --self-test  checks the check

The names are those of the structs in formats/list.hpp. "csr" is the exception: it is the baseline that every figure is
relative to. Comments may name formats; strings, identifiers and text of the page may not.
"""
import pathlib
import re
import sys

from tree import ROOT, files

BASELINE = "csr"
READ = {".cpp", ".hpp", ".js", ".html", ".css"}
NAME = re.compile(r'static constexpr std::string_view name = "([^"]+)";')
INCLUDE = re.compile(r'#include "(formats/[^"]+)"')
# A string is kept, so that what looks like a comment within it is none.
TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|<!--.*?-->|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)""", re.S)


def names_of_formats():
    headers = INCLUDE.findall((ROOT / "formats/list.hpp").read_text())
    names = {name for header in headers for name in NAME.findall((ROOT / header).read_text())}
    return names - {BASELINE}


def without_comments(text):
    return TOKEN.sub(lambda m: m[0] if m[1] else re.sub(r"[^\n]", " ", m[0]), text)


def check_text(path, text, names):
    found = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?![\w-])")
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        for match in found.finditer(line):
            yield f"{path}:{number}: names the format {match[1]}; reports/ knows none but {BASELINE}"


def self_test():
    names = {"ell", "opt-csr"}
    bad = ['f("ell");', "x = 'as opt-csr';", "`${a} ell`", "int ell = 3;", 'f("// ell");', "<p>ell</p>"]
    good = ['// ell\nf("csr");', "/* opt-csr */", 'f("ell-csr"); well(); ell_of();', "<!-- ell -->", "'cell'",
            "f('it\\'s'); // ell"]
    wrong = [f"not refused: {t!r}" for t in bad if not list(check_text("a", t, names))]
    wrong += [f"refused: {c}" for t in good for c in check_text("a", t, names)]
    if not {"coo", "sell", "opt-csr"} <= names_of_formats():
        wrong.append("the list of formats was not read")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        complaints = self_test()
    else:
        names = names_of_formats()
        sources = [path for path in files() if path.startswith("reports/") and pathlib.PurePath(path).suffix in READ]
        complaints = [c for path in sources for c in check_text(path, (ROOT / path).read_text(), names)]
    print("\n".join(complaints) or "reports: good")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

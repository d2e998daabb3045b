#!/usr/bin/env python3
"""Holds every file of the tree to the house rules that no other tool checks.

    check_files.py              checks the tree
    check_files.py --self-test  checks the check
"""
import collections
import json
import pathlib
import re
import sys

from tree import ROOT, files

TEXT = {".cpp", ".hpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".in", ".md", ".json", ".mjs", ".js", ".html", ".css"}
LARGEST = 1 << 20
MOST_FILES = 25  # of a folder, so that it can be read at a glance; data apart
MOST_LINES = 450  # of a source, so that it does one job; tests and what they read apart
SOURCE = {".cpp", ".hpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".mjs", ".js", ".css"}
# Split, so that this file does not hold what it looks for.
PRIVATE = re.compile(r"(?<![\w.])/(?:wo" r"rk|ro" r"ot|ho" r"me/\w+)/|file" r":///")
REGISTRY = "https://registry.npmjs.org/"


def check_text(path, text):
    name = pathlib.PurePath(path)
    if name.suffix in TEXT or name.name in ("CMakeLists.txt", "dev", "run"):
        for match in PRIVATE.finditer(text):
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: a path of one machine: {match.group()}"
        if "\r" in text:
            yield f"{path}: has carriage returns"
        if text and not text.endswith("\n"):
            yield f"{path}: does not end with a newline"
    lines = text.count("\n")
    if name.suffix in SOURCE and name.parts[0] != "tests" and lines > MOST_LINES:
        yield f"{path}: {lines} lines; {MOST_LINES} are the most: give each job a file of its own"
    if name.suffix in (".hpp", ".cuh") and "#pragma once" not in text:
        yield f"{path}: has no #pragma once"
    if name.name == "package-lock.json":
        for package, entry in json.loads(text).get("packages", {}).items():
            source = entry.get("resolved", REGISTRY)
            if not source.startswith(REGISTRY):
                yield f"{path}: {package} is not from {REGISTRY}: {source}"
            if package and "integrity" not in entry:
                yield f"{path}: {package} has no checksum"


def check(path):
    data = (ROOT / path).read_bytes()
    if len(data) > LARGEST:
        yield f"{path}: {len(data)} bytes; {LARGEST} is the most that is committed"
    try:
        yield from check_text(path, data.decode())
    except UnicodeDecodeError:
        if pathlib.PurePath(path).suffix in TEXT:
            yield f"{path}: is not UTF-8"


def check_folders(paths):
    """Complaints about folders that hold too many files directly."""
    folders = collections.Counter(str(pathlib.PurePath(path).parent) for path in paths)
    for folder, count in folders.items():
        if count > MOST_FILES and not folder.startswith(("tests/data", "tests/fuzz/seeds")):
            yield f"{folder}/: holds {count} files; {MOST_FILES} are the most: give what belongs together a folder"


def self_test():
    lock = '{"packages": {"": {}, "a": {"resolved": "%s", "integrity": "sha512-x"}}}\n'
    bad = [("a.md", "see /wo" "rk/x\n"), ("dev", "cd /ro" "ot/\n"), ("a.cpp", "int x;\r\n"), ("a.cpp", "int x;"),
           ("a.hpp", "int x;\n"), ("a/b.cpp", "\n" * (MOST_LINES + 1)), ("package-lock.json", lock % "http://local" "host:4873/a.tgz"),
           ("package-lock.json", '{"packages": {"a": {}}}\n')]
    good = [("a.md", "see build/wo" "rk/x and https://a.org/root/\n"), ("odd.mtx", "1 1\r\n2"), ("a.hpp", "#pragma once\n"),
            ("package-lock.json", lock % (REGISTRY + "a/-/a-1.0.0.tgz")), ("a.cpp", ""), ("a.cpp", "\n" * MOST_LINES),
            ("tests/a.cpp", "\n" * (MOST_LINES + 1)), ("a.mtx", "\n" * (MOST_LINES + 1))]
    wrong = [f"not refused: {p}: {t!r}" for p, t in bad if not list(check_text(p, t))]
    wrong += [f"refused: {p}: {t!r}: {c}" for p, t in good for c in check_text(p, t)]
    many = [f"a/{k}.cpp" for k in range(MOST_FILES)]
    if list(check_folders(many + ["a/b/0.cpp"])) or not list(check_folders(many + ["a/last.cpp"])):
        wrong.append("files of a folder are not counted")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        complaints = self_test()
    else:
        complaints = [complaint for path in files() for complaint in check(path)] + list(check_folders(files()))
    print("\n".join(complaints) or "files: good")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

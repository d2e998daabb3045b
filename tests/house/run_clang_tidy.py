#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a build folder, several at a time, skipping what it found clean before.

A file is skipped if neither it, nor a header of ours that it includes, nor the checks have changed since.
"""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import time

from tree import ROOT

INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.M)
# Flags of GCC that clang does not know must not count as findings.
EXTRA = ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-unused-command-line-argument"]


def commands_of(build):
    """One command per file: of a source that is compiled for several instruction sets, the last, the widest."""
    commands = json.loads((build / "compile_commands.json").read_text())
    return {pathlib.Path(command["file"]): command for command in commands}


def sources(build, commands):
    ours = [p for p in commands if p.suffix == ".cpp" and ROOT in p.parents and build not in p.parents]
    # Tests and benchmarks stay out: the macros of their frameworks trip the checks, and they would double the time.
    return sorted(p for p in ours if p.relative_to(ROOT).parts[0] not in ("tests", "bench"))


def with_headers(path, seen):
    """The path and every header of ours that it includes, directly or not."""
    if path in seen or not path.is_file():
        return seen
    seen.add(path)
    for name in INCLUDE.findall(path.read_bytes()):
        with_headers(ROOT / name.decode(), seen)
    return seen


def fingerprint(path, version):
    digest = hashlib.sha256(version + (ROOT / ".clang-tidy").read_bytes())
    for part in sorted(with_headers(path, set())):
        digest.update(str(part.relative_to(ROOT)).encode() + part.read_bytes())
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="a configured build folder")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tidy", default="clang-tidy")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="only these")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    version = subprocess.run([arguments.tidy, "--version"], capture_output=True, check=True).stdout
    cache = build / "tidy-clean"
    cache.mkdir(exist_ok=True)
    commands = commands_of(build)
    (cache / "compile_commands.json").write_text(json.dumps(list(commands.values())))

    def tidy(path):
        mark = cache / fingerprint(path, version)
        if mark.exists():
            return path, 0, "", 0.0
        begin = time.monotonic()
        run = subprocess.run([arguments.tidy, "-p", str(cache), "--quiet", "--warnings-as-errors=*", *EXTRA, str(path)],
                             capture_output=True, text=True)
        if run.returncode == 0:
            mark.touch()
        return path, run.returncode, run.stdout or run.stderr, time.monotonic() - begin

    chosen = [path.resolve() for path in arguments.files] or sources(build, commands)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, status, output, seconds in pool.map(tidy, chosen):
            if status:
                failed += 1
                print(f"{path.relative_to(ROOT)} ({seconds:.1f} s):\n{output}", flush=True)
    print(f"clang-tidy: {len(chosen) - failed} of {len(chosen)} files are clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

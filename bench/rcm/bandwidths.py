#!/usr/bin/env python3
"""Bandwidths and profiles of rcm and rcm-thorough beside rcm-plain and rcm-boost, a line of JSON for each matrix.

    bandwidths.py BENCH_RCM PATH... [-o FILE.jsonl]

PATH: matrix files, folders of them, or gen:NAME,key=value,... Matrices that are not square are left out.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ORDERINGS = ("rcm", "rcm-thorough", "rcm-plain", "rcm-boost")
MEASURES = ("bandwidth", "profile", "seconds")
MATRIX_FILES = {".mtx", ".tar", ".tgz", ".zip"}  # plain, compressed, or in an archive


def matrices_in(paths):
    for path in paths:
        if path.startswith("gen:") or not pathlib.Path(path).is_dir():
            yield path
        else:
            yield from sorted(str(file) for file in pathlib.Path(path).rglob("*") if MATRIX_FILES & set(file.suffixes))


def record_of(program, path):
    """None for a matrix that is not square. Ends the program where one cannot be read."""
    commands = "info\n" + "".join(f"{name} 1\n" for name in ORDERINGS)
    done = subprocess.run([program, path], input=commands, capture_output=True, text=True)
    if done.returncode == 2 and "need a square matrix" in done.stderr:
        return None
    if done.returncode != 0:
        print(f"{path}: {done.stderr.strip() or f'{program} ended with {done.returncode}'}", file=sys.stderr)
        sys.exit(2)
    info, *orders = map(json.loads, done.stdout.splitlines())
    commit = info.pop("commit")
    return {"kind": "ordering", "tool": {"commit": commit}, "matrix": {**info, "path": path},
            "orderings": {name: {key: order[key] for key in MEASURES} for name, order in zip(ORDERINGS, orders)}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("-o", dest="output")
    options = parser.parse_args()
    with open(options.output, "w") if options.output else sys.stdout as out:
        for path in matrices_in(options.paths):
            record = record_of(options.program, path)
            if record is not None:
                print(json.dumps(record), file=out, flush=True)


if __name__ == "__main__":
    main()

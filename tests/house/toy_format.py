#!/usr/bin/env python3
"""Adds the example format and the example ordering of CONTRIBUTING.md to a copy of the tree, exactly as that page says, and
sees whether they show up everywhere by themselves: the lists, encode, decode, verify, reorder, the footprint, the tests of
every format and of every ordering.

    toy_format.py FOLDER           an empty or old folder to work in (what was built there is used again)
    toy_format.py FOLDER COMPILER  with the format's product on the GPU, by this CUDA compiler
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from tree import ROOT, files

TESTS = {"test_encode": "*", "test_kernels": "*", "test_reorder": "Orderings.*"}
# The lines of a block marked insert=PATH go before these. formats/list.hpp: see insert_format.
INSERT_BEFORE = {"reorder/core/methods.hpp": "\n}  // namespace spress::reorder::methods", "reorder/list.cpp": "  };\n  return list;"}


def run(*command, **options):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, **options)


def copy_tree(target):
    """Copies what changed, so that building again is quick, and takes away what is gone."""
    names = set(files())
    for name in names:
        copy = target / name
        if copy.is_file() and copy.read_bytes() == (ROOT / name).read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy)
    for path in list(target.rglob("*")):
        if path.is_file() and str(path.relative_to(target)) not in names:
            path.unlink()


def insert_format(text, body):
    """The list of formats with an include and a row more."""
    include, row = body.strip("\n").split("\n")
    text = re.sub(r'^#include "formats/', include + r'\n\g<0>', text, count=1, flags=re.M)
    return re.sub(r"((?:^  ROW\(\w+\) *\\\n)*^  ROW\(\w+\))\n", lambda m: f"{m[1]} \\\n{row}\n", text, count=1, flags=re.M)


def insert_lines(text, body, before):
    check(text.count(before) == 1, f"'{before}' should be there once")
    return text.replace(before, body + before)


def apply_page(page, target):
    """The fenced blocks marked file=PATH become files; those marked insert=PATH go into a list."""
    made = []
    for kind, path, body in re.findall(r"^```\w+ (file|insert)=(\S+)\n(.*?)^```$", page, re.M | re.S):
        made.append(path)
        if kind == "file":
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_text(body)
            continue
        text = (target / path).read_text()
        before = INSERT_BEFORE.get(path)
        (target / path).write_text(insert_lines(text, body, before) if before else insert_format(text, body))
    return made


def output_of(*command):
    return run(*command, stdout=subprocess.PIPE, text=True).stdout


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def configure(source, build, *options):
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
        "-DSPRESS_CHARTS=OFF", "-DSPRESS_WERROR=ON", *options, stdout=subprocess.DEVNULL)


def symbols_of(kind, objects):
    """The mangled names of namespace spress::cuda that have to do with the format, undefined or defined in objects."""
    names = set()
    for path in objects:
        names |= set(output_of("nm", f"--{kind}-only", "--format=just-symbols", path).split())
    return {name for name in names if name.startswith("_ZN6spress4cuda") and "5Csr16" in name}


def check_cuda(source, build, compiler):
    """Compiles the format's product on the GPU, and what asks for that of each format: the other formats' take minutes,
    and tests/kernels/cuda/ runs over the list by itself."""
    configure(source, build, "-DSPRESS_CUDA=ON", "-DSPRESS_JOIN_ROOMS=OFF", f"-DCMAKE_CUDA_COMPILER={compiler}")
    made = ["CMakeFiles/spress_cuda.dir/kernels/cuda/csr16/csr16.cu.o"]
    asking = [f"CMakeFiles/spress_pipeline.dir/pipeline/device/{name}.cpp.o" for name in ("cuda_device", "wire")]
    run("cmake", "--build", build, "--target", *made, *asking)
    wanted = symbols_of("undefined", [build / path for path in asking])
    defined = symbols_of("defined", [build / path for path in made + asking])
    check(len(wanted) >= 2, f"products in float and double should be asked for, not {wanted}")
    check(wanted <= defined, f"the example does not define {wanted - defined}")


def check_ordering(spress, work):
    orderings = json.loads(output_of(spress, "list", "orderings", "--json"))
    check("by-degree" in [entry["name"] for entry in orderings], "spress list orderings does not show by-degree")
    matrix, reordered, encoded, back = (work / name for name in ("s.mtx", "t.mtx", "t.spress", "u.mtx"))
    matrix.write_text("%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 2 2\n1 3 3\n2 1 4\n3 3 5\n")
    run(spress, "reorder", matrix, "-o", reordered, "--ordering", "by-degree")
    entries = [line for line in reordered.read_text().splitlines()[1:] if not line.startswith("%")]
    # Rows 2, 3, 1: row 1 is a neighbour of both others and goes last. "3 3 5" is the line of sizes.
    check(sorted(entries) == ["1 3 4", "2 2 5", "3 1 2", "3 2 3", "3 3 1", "3 3 5"], f"reorder gives {entries}")
    run(spress, "encode", matrix, "-o", encoded, "--ordering", "by-degree")
    run(spress, "decode", encoded, "-o", back)
    kept = [sorted(line for line in path.read_text().splitlines()[1:] if not line.startswith("%")) for path in (matrix, back)]
    check(kept[0] == kept[1], "decode does not give back what was encoded in the order of by-degree")
    run(spress, "analyze", matrix, "-o", work / "ordered", "--fresh", "-q", "--orderings", "none,by-degree", stdout=subprocess.DEVNULL)
    record = json.loads((work / "ordered" / "results.jsonl").read_text().splitlines()[0])
    check(record["orderings"]["by-degree"]["status"] == "ok", f"analyze says {record['orderings']}")


def main():
    work = pathlib.Path(sys.argv[1]).resolve()
    source, build = work / "source", work / "build"
    source.mkdir(parents=True, exist_ok=True)
    copy_tree(source)
    made = apply_page((ROOT / "CONTRIBUTING.md").read_text(), source)
    check(len(made) == 9, f"the examples should make 6 files and 3 insertions, and make {made}")
    if len(sys.argv) > 2:
        check_cuda(source, work / "build_cuda", sys.argv[2])

    configure(source, build, "-DSPRESS_CUDA=OFF")
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    run("cmake", "--build", build, "--parallel", jobs, "--target", "spress", *TESTS)
    for test, names in TESTS.items():
        run(build / "tests" / test, "--gtest_brief=1", f"--gtest_filter={names}")

    spress = build / "spress"
    formats = json.loads(output_of(spress, "list", "formats", "--json"))
    check("csr16" in [entry["name"] for entry in formats], "spress list formats does not show csr16")
    matrix, encoded, back = work / "a.mtx", work / "a.spress", work / "b.mtx"
    run(spress, "generate", "fem3d:n=5,values=noise", "-o", matrix)
    run(spress, "encode", matrix, "-o", encoded, "--format", "csr16")
    check("csr16" in output_of(spress, "info", encoded), "spress info does not name the format")
    run(spress, "decode", encoded, "-o", back)
    entries = [[line for line in path.read_text().splitlines() if not line.startswith("%")] for path in (matrix, back)]
    check(entries[0] == entries[1], "decode does not give back what was encoded")
    run(spress, "verify", matrix, "--formats", "csr16")
    run(spress, "analyze", matrix, "-o", work / "results", "--fresh", "-q", stdout=subprocess.DEVNULL)
    record = json.loads((work / "results" / "results.jsonl").read_text().splitlines()[0])
    footprint = record["orderings"]["none"]["footprint"]
    nnz, rows = record["matrix"]["nnz"], record["matrix"]["rows"]
    check(footprint["csr16"]["index_bytes"] == 2 * nnz + 4 * (rows + 1), f"the footprint is {footprint['csr16']}")
    check("csr16" in (work / "results" / "report.html").read_text(), "the report does not show csr16")
    check_ordering(spress, work)
    print("the examples of CONTRIBUTING.md work")


if __name__ == "__main__":
    main()

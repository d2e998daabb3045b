#!/usr/bin/env python3
"""Holds the includes to the design: which folder may know which, who may print, where CUDA may appear.

    check_includes.py              checks the tree
    check_includes.py --self-test  checks the check, on examples that must be refused or allowed
"""
import re
import sys

from tree import CPP, ROOT, files

CORE = {"formats"}
BELOW_PIPELINE = {"formats/json", "formats", "formats/gallery", "formats/io", "reorder", "analyze", "encode", "kernels",
                  "kernels/cpu", "kernels/cuda", "kernels/peers", "reports"}
EVERYTHING = BELOW_PIPELINE | {"pipeline", "cli"}

# folder: the other folders it may include. CMakeLists.txt states the same by USES, and must agree.
MAY_INCLUDE = {
    "formats/json": set(),
    "formats": set(),
    "formats/gallery": CORE,
    "formats/io": CORE | {"formats/json"},
    "reorder": CORE,
    "analyze": CORE,
    "encode": CORE | {"analyze"},
    "kernels": CORE | {"kernels/cpu"},
    "kernels/cpu": CORE | {"kernels"},
    "kernels/cuda": CORE | {"kernels"},
    "kernels/peers": CORE,
    "reports": {"formats/json"},
    "pipeline": BELOW_PIPELINE,
    "pipeline/interface": BELOW_PIPELINE | {"pipeline"},
    "cli": EVERYTHING,
    "tests": EVERYTHING | {"bench"},
    "bench": EVERYTHING | {"tests"},
    "cmake": set(),  # what a configuration tries or adds
    "examples": set(),  # programs of somebody else's: they see what is installed
}
MAY_PRINT = {"cli", "cmake", "tests", "bench", "examples"}
MAY_EXIT = {"formats/io/foreign/child_process.cpp"}  # ends the child processes that it starts
CUDA_FOLDERS = ("kernels/cuda/", "tests/kernels/cuda/", "bench/cuda/")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
CUDA_HEADER = re.compile(r"^(cuda|cub/|cusparse|cublas|thrust/|nvtx|nvml|cooperative_groups)")
PEER_HEADER = re.compile(r"^(Eigen/|unsupported/Eigen/|mkl)")
PARSES_OPTIONS = ("cli/command_line/", "cli/pages/", "cli/main.cpp", "bench/")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
PRINTS_OR_EXITS = re.compile(
    r"\bstd::(?:cout|cerr|clog)\b|\b(?:stdout|stderr)\b|\bfmt::print(?:ln)?\s*\(|"
    r"(?<![\w.>:])(?:std::|::)?(?:printf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort|terminate)\s*\(")


def folder_of(path):
    """The folder of the design that a path belongs to, or None."""
    fitting = [folder for folder in MAY_INCLUDE if path.startswith(folder + "/")]
    return max(fitting, key=len) if fitting else None


def without_comments(text):
    """The text with comments and strings emptied, its lines kept."""
    return COMMENT_OR_STRING.sub(lambda match: "\n" * match.group().count("\n"), text)


def check(path, text, exists):
    """Complaints about one file. exists(path): whether the tree has that file."""
    def at(position):
        return f"{path}:{text.count(chr(10), 0, position) + 1}"

    folder = folder_of(path)
    in_cuda = path.startswith(CUDA_FOLDERS)
    if path.endswith((".cu", ".cuh")) and not in_cuda:
        yield f"{path}: CUDA sources belong in kernels/cuda/"
    if folder is None:
        yield f"{path}: C++ outside the folders of the design"
        return
    own = path.removesuffix("cpp") + "hpp"
    first = INCLUDE.search(text)
    if path.endswith(".cpp") and exists(own) and (first is None or first[2] != own):
        yield f"{path}: must include its own header first, which proves that it compiles by itself"
    for match in INCLUDE.finditer(text):
        kind, name = match.groups()
        if CUDA_HEADER.match(name) and not in_cuda:
            yield f"{at(match.start())}: includes {name}: only kernels/cuda/ knows CUDA"
        if PEER_HEADER.match(name) and folder != "kernels/peers":
            yield f"{at(match.start())}: includes {name}: only kernels/peers/ knows it"
        if name.startswith("CLI/") and not path.startswith(PARSES_OPTIONS):
            yield f"{at(match.start())}: includes {name}: options are declared by cli/command_line/registry.hpp"
        if kind == "<" and name == "iostream" and folder not in MAY_PRINT:
            yield f"{at(match.start())}: includes <iostream>: only cli/ prints"
        target = folder_of(name)
        if target is None:
            continue
        if kind == "<":
            yield f"{at(match.start())}: a header of ours is included in quotes: {name}"
        elif not exists(name):
            yield f"{at(match.start())}: there is no {name} (includes of ours are paths from the root)"
        elif target != folder and target not in MAY_INCLUDE[folder]:
            yield f"{at(match.start())}: {folder}/ may not include {target}/ ({name})"
    if folder not in MAY_PRINT and path not in MAY_EXIT:
        code = without_comments(text)
        for match in PRINTS_OR_EXITS.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: '{match.group().strip()}': the library never prints, exits or aborts"


def uses_in_cmake(text):
    """The folders that each folder may use according to CMakeLists.txt, followed to the end."""
    dirs, uses = {}, {}
    for name, rest in re.findall(r"spress_folder\((\w+) DIR ([^)]*)\)", text):
        where, _, used = rest.partition("USES")
        folder = where.split()[0]
        each_isa = re.search(r"FOR_EACH_ISA (\w+)", where)
        dirs[name] = [folder] + ([f"{folder}/{each_isa[1]}"] if each_isa else [])
        uses[name] = used.split()

    def reach(name):
        return set().union(*({u} | reach(u) for u in uses[name])) if uses[name] else set()

    return {d: {other for u in reach(name) for other in dirs[u]} for name in dirs for d in dirs[name]}


def check_cmake(text):
    for folder, used in uses_in_cmake(text).items():
        more = used - MAY_INCLUDE.get(folder, set())
        if more:
            yield f"CMakeLists.txt: {folder} uses {', '.join(sorted(more))}, which the design does not allow"


def self_test():
    bad = [
        ("formats/x.hpp", '#include "encode/shared/codec.hpp"'),
        ("formats/x.hpp", '#include "formats/io/container/container.hpp"'),
        ("formats/io/x.cpp", '#include "formats/gallery/gallery.hpp"'),
        ("analyze/x.cpp", '  #  include "encode/shared/codec.hpp"'),
        ("encode/x.cpp", '#include "kernels/cpu/spmv.hpp"'),
        ("kernels/cpu/x.cpp", '#include "encode/shared/codec.hpp"'),
        ("reports/x.cpp", '#include "formats/csr/csr.hpp"'),
        ("reorder/x.cpp", '#include "analyze/a.hpp"'),
        ("pipeline/x.cpp", '#include "cli/main.hpp"'),
        ("pipeline/x.cpp", "#include <cuda_runtime.h>"),
        ("pipeline/x.cpp", "#include <cusparse.h>"),
        ("pipeline/x.cu", "int x;"),
        ("kernels/cpu/x.cpp", "#include <Eigen/SparseCore>"),
        ("pipeline/x.cpp", "#include <mkl_spblas.h>"),
        ("kernels/peers/x.cpp", '#include "kernels/cpu/spmv.hpp"'),
        ("kernels/cpu/x.cpp", '#include "kernels/peers/peer.hpp"'),
        ("helpers/x.cpp", "int x;"),
        ("encode/x.cpp", "#include <formats/csr/csr.hpp>"),
        ("encode/x.cpp", '#include "formats/missing.hpp"'),
        ("encode/x.cpp", "#include <iostream>"),
        ("encode/x.cpp", "void f() {\n  std::cout << 1;\n}"),
        ("encode/x.cpp", 'void f() { std::printf("x"); }'),
        ("encode/x.cpp", 'void f() { std::fputs("x", stderr); }'),
        ("encode/x.cpp", "void f() { fmt::print(file); }"),
        ("encode/x.cpp", "void f() { if (bad) std::abort(); }"),
        ("encode/x.cpp", "void f() { exit(1); }"),
        ("formats/own.cpp", '#include <vector>\n#include "formats/own.hpp"'),
        ("formats/x.cpp", 'auto c = \'"\'; void f() { abort(); } auto d = \'"\';'),
    ]
    good = [
        ("formats/x.hpp", '#include "formats/csr/csr.hpp"\n#include <vector>'),
        ("formats/io/x.cpp", '#include "formats/io/container/container.hpp"\n#include <zstd.h>'),
        ("encode/x.cpp", '#include "analyze/a.hpp"\n#include "encode/shared/codec.hpp"'),
        ("pipeline/x.cpp", '#include "reports/records/records.hpp"\n#include "kernels/cuda/device/device.hpp"'),
        ("kernels/cuda/x.cu", "#include <cuda_runtime.h>"),
        ("kernels/peers/x.cpp", '#include "formats/csr/csr.hpp"\n#include <Eigen/SparseCore>\n#include <mkl_spblas.h>'),
        ("formats/own.cpp", '#include "formats/own.hpp"\n#include <vector>'),
        ("cli/x.cpp", '#include "pipeline/run.hpp"\nint main() { std::puts("x"); std::exit(2); }'),
        ("examples/x.cpp", "#include <spress/spress.hpp>"),
        ("encode/x.cpp", "// never std::abort(), not even exit(1)\nvoid f() { snprintf(b, 1, x); loop.exit(1); }"),
        ("encode/x.cpp", 'const char* s = "std::cout and exit(1)"; void on_exit(int); bool aborted(int);'),
        ("encode/x.cpp", '/* std::cerr\n printf( */ auto t = R"(exit(1))";'),
    ]
    def exists(name):
        return not name.endswith(("/missing.hpp", "/x.hpp"))

    wrong = [f"not refused: {p}: {t!r}" for p, t in bad if not list(check(p, t, exists))]
    wrong += [f"refused: {p}: {t!r}: {c}" for p, t in good for c in check(p, t, exists)]
    cmake = "spress_folder(formats DIR formats APART io)\nspress_folder(io DIR formats/io USES formats)\n"
    if list(check_cmake(cmake)):
        wrong.append("CMake's table was refused")
    for line in ("spress_folder(reorder DIR reorder USES io)", "spress_folder(reports DIR reports USES formats)"):
        if not list(check_cmake(cmake + line)):
            wrong.append(f"not refused: {line}")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        complaints = self_test()
    else:
        sources = [path for path in files() if path[path.rfind("."):] in CPP]
        complaints = list(check_cmake((ROOT / "CMakeLists.txt").read_text()))
        for path in sources:
            complaints += check(path, (ROOT / path).read_text(), lambda name: (ROOT / name).is_file())
    print("\n".join(complaints) or "includes: good")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

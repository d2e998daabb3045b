#!/usr/bin/env python3
"""Checks that only the kernels of an instruction set use its instructions.

    check_isa.py OBJDUMP BUILD    looks into the objects of a build folder

The linker keeps one copy of a function that several objects define. If a shared one (of the standard library, of a header)
were compiled for AVX-512 in one object, that copy could end up in the path of a processor without it.
"""
import pathlib
import re
import subprocess
import sys

NAMESPACES = {1: "cpu::avx2::", 2: "cpu::avx512::"}
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
# Encoded as VEX or EVEX, or of the bit manipulation sets: what x86-64 alone does not have.
WIDE = re.compile(r"^\s+[0-9a-f]+:\s+(v[a-z]\w+|andn|blsr|tzcnt|lzcnt|popcnt|pext|pdep|rorx|shlx|shrx|sarx|k(?:mov|or|and)\w+)\s")


def shared_functions(objdump, path, level):
    """Functions outside the level's namespace that use wide instructions; and how many inside do."""
    text = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", path], capture_output=True, text=True, check=True)
    function, leaks, inside = "", set(), 0
    for line in text.stdout.splitlines():
        name = FUNCTION.match(line)
        if name:
            function = name.group(1)
        elif WIDE.match(line):
            # product<(spress::Isa)2, ...> is the entry of the instruction set itself.
            if NAMESPACES[level] in function or f"Isa){level}" in function:
                inside += 1
            else:
                leaks.add(function)
    return leaks, inside


def main():
    objdump, build = sys.argv[1], pathlib.Path(sys.argv[2])
    found, failed = 0, False
    for level in NAMESPACES:
        for path in sorted(build.glob(f"CMakeFiles/spress_kernels_isa{level}.dir/kernels/cpu/**/*.o")):
            leaks, inside = shared_functions(objdump, path, level)
            found += inside > 0
            for leak in sorted(leaks):
                print(f"{path.name}: {leak} is compiled for instruction set {level}, but shared by all")
                failed = True
    if found == 0:
        print("no kernels were found that use AVX2 or AVX-512")
        failed = True
    if not failed:
        print("isa: good")
    return failed


if __name__ == "__main__":
    sys.exit(main())

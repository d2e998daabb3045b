#!/usr/bin/env python3
"""PETSc's own solvers with the matrix type `spress`: the same iterations as with aij.

    petsc_test.py libpetsc_spress.so WORK_FOLDER

Compiles three of the examples that PETSc installs and runs each with both types, on 1, 2 and 4 processes. Then changes
matrices between products (petsc_cases.py), if there is a petsc4py. Skips (77) where the examples or the MPI compiler are
missing.
"""
import glob
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

LIBRARY, WORK = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
TYPE_OPTION = {"ex2": "-mat_type", "ex45": "-dm_mat_type", "ex49": "-dm_mat_type"}
ELASTICITY = "-mx 20 -my 24 -c_str 3 -no_view -elas_ksp_monitor -elas_ksp_rtol 1e-6 "
CASES = [("ex2", f"-m 40 -n 40 -ksp_monitor -pc_type {pc}") for pc in ("none", "jacobi", "pbjacobi", "sor", "bjacobi", "asm", "gamg")]
CASES += [("ex2", "-m 40 -n 40 -ksp_monitor -pc_type gamg -mg_levels_pc_type pbjacobi"), ("ex45", "-ksp_monitor"), ("ex45", "-ksp_monitor -pc_type gamg"), ("ex45", "-ksp_monitor -ksp_type bicg -pc_type jacobi"),
          ("ex49", ELASTICITY + "-use_nonsymbc"), ("ex49", ELASTICITY + "-elas_pc_type jacobi"),
          ("ex49", ELASTICITY + "-use_nonsymbc -elas_pc_type gamg -elas_mg_levels_pc_type jacobi")]
ONE_PROCESS = [("ex2", f"-m 40 -n 40 -ksp_monitor -pc_type {pc}") for pc in ("ilu", "icc", "lu", "cholesky")]
FORMATS = [("ex45", f"-ksp_monitor -pc_type jacobi -mat_spress_format {f}") for f in ("csr", "sell", "slice-delta", "bccoo")]


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def flags():
    out = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True)
    return out.stdout.split() if out.returncode == 0 else skip("pkg-config does not know PETSc")


def example_folder():
    roots = [os.environ.get("PETSC_DIR", "") + "/src", "/usr/share/petsc/*/share/petsc/examples/src"]
    found = [folder for root in roots for folder in glob.glob(root + "/ksp/ksp/tutorials")]
    return pathlib.Path(found[0]) if found else skip("PETSc's examples are not installed")


def run(processes, program, options):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    done = subprocess.run(["mpirun", "-n", str(processes), *map(str, program), *options.split()], text=True,
                          capture_output=True, env=environment, timeout=300)
    return done.returncode, done.stdout + done.stderr


def residuals(text):
    return [float(norm) for norm in re.findall(r"KSP Residual norm (\S+)", text)]


def same(mine, theirs):
    """As many iterations, and residuals that rounding alone tells apart: as large as it is, relative to the first."""
    return len(mine) == len(theirs) and all(abs(a - b) <= 1e-7 * theirs[0] for a, b in zip(mine, theirs))


def check(processes, example, options):
    plain = [option for option in re.sub(r"-mat_spress_\w+ \S+", "", options).split()]
    code, expected = run(processes, [WORK / example], " ".join(plain))
    if code != 0 or not residuals(expected):
        return f"fails with aij already:\n{expected[-500:]}"
    code, text = run(processes, [WORK / example], f"{options} -dll_append {LIBRARY} {TYPE_OPTION[example]} spress")
    if code != 0:
        return f"ended with {code}:\n{text[-2000:]}"
    if not same(residuals(text), residuals(expected)):
        return f"{len(residuals(text)) - 1} iterations, aij {len(residuals(expected)) - 1}:\n{text[-500:]}"
    return None


def check_view():
    """The type is really taken, and a wrong format is an error with its text."""
    options = f"-m 20 -n 20 -dll_append {LIBRARY} -mat_type spress -mat_spress_format"
    _, text = run(1, [WORK / "ex2"], options + " sell -ksp_view -pc_type jacobi")
    if not re.search(r"type: seqspress", text) or not re.search(r"encoded as sell, values \w+: \d+", text):
        return f"-ksp_view does not tell of the type:\n{text[-800:]}"
    code, text = run(1, [WORK / "ex2"], options + " nonsense")
    if code == 0 or "unknown format 'nonsense'" not in text:
        return f"a wrong format passes:\n{text[-500:]}"
    _, text = run(2, [WORK / "ex2"], options + " csr -mat_spress_values raw -ksp_view -pc_type jacobi")
    ratio = re.search(r"values raw on the first process: \d+ bytes, (\S+) of aij", text)
    return None if ratio and 0.9 < float(ratio[1]) < 1.1 else f"-ksp_view does not count all processes:\n{text[-800:]}"


def python_with_petsc():
    """The system's own Python may have petsc4py where the one that runs this has not."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy, petsc4py"], capture_output=True).returncode == 0:
            return python
    return None


def check_cases():
    """Failures of petsc_cases.py, and what it has run."""
    python = python_with_petsc()
    if python is None:
        return [], "changes between products skipped: there is no petsc4py"
    failures = []
    for processes in (1, 2):
        code, text = run(processes, [python, pathlib.Path(__file__).with_name("petsc_cases.py"), LIBRARY], "")
        if code != 0:
            failures.append(f"petsc_cases.py on {processes} ended with {code}:\n{text[:1500]}\n{text[-1500:]}")
    return failures, "changes between products: the same numbers as with aij"


def main():
    for program in ("mpicc", "mpirun"):
        if shutil.which(program) is None:
            skip(f"there is no {program}")
    WORK.mkdir(parents=True, exist_ok=True)
    for example in TYPE_OPTION:
        subprocess.run(["mpicc", "-O2", str(example_folder() / f"{example}.c"), "-o", str(WORK / example), *flags(), "-lm"],
                       check=True)
    runs = [(p, *case) for p, case in itertools.product((1, 2, 4), CASES)] + [(1, *case) for case in ONE_PROCESS]
    runs += [(p, *case) for p, case in itertools.product((1, 2), FORMATS)]
    failures = [f"{example} on {p}: {options}\n{problem}" for p, example, options in runs
                if (problem := check(p, example, options))]
    problem = check_view()
    failures += [problem] if problem else []
    more, cases = check_cases()
    failures += more
    print("\n".join(failures) or f"{len(runs)} solves: the same iterations as with aij\n{cases}")
    sys.exit(1 if failures else 0)


main()

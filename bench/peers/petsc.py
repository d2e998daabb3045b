#!/usr/bin/env python3
"""PETSc's products and solves with the matrix type spress, beside aij.

    python3 bench/peers/petsc.py BUILD_FOLDER WORK_FOLDER [MATRIX...]

Writes each matrix as PETSc's binary, then loads it with both types in turns, on 1 and 2 processes. Prints a line of JSON
per matrix and number of processes: seconds of MatMult (the least of three medians of 15 products), and what the memory of
the processes grew by from before the matrix was loaded to after the products. Without values=noise, also the seconds and
iterations of conjugate gradient with Jacobi, the encoding of the matrix included. Needs petsc4py and mpirun.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

MATRICES = ["stencil7,n=130", "stencil27,n=80", "poisson2d,nx=1500,ny=1500", "fem3d,n=80",
            "stencil7,n=130,values=noise", "stencil27,n=80,values=noise", "fem3d,n=80,values=noise"]
PROCESSES, ROUNDS = (1, 2), 3


def resident():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024


def median_seconds(comm, run, repetitions):
    times = []
    for _ in range(repetitions):
        comm.barrier()
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return sorted(times)[repetitions // 2]


def child(file, kind, library, solves):
    import petsc4py
    petsc4py.init(["x", "-dll_append", library])
    from petsc4py import PETSc
    comm = PETSc.COMM_WORLD

    def load():
        matrix = PETSc.Mat().create()
        matrix.setType(kind)
        matrix.load(PETSc.Viewer().createBinary(file, "r"))
        return matrix

    before = resident()
    a = load()
    x, y = a.createVecs()
    x.setRandom()
    a.mult(x, y)
    out = {"mult": median_seconds(comm, lambda: a.mult(x, y), 15), "grown": resident() - before, "norm": y.norm()}
    if solves:
        b = load()  # its first product encodes

        def solve():
            ksp = PETSc.KSP().create()
            ksp.setOperators(b)
            ksp.setType("cg")
            ksp.pc.setType("jacobi")
            ksp.setTolerances(rtol=1e-8, max_it=500)
            u = y.duplicate()
            ksp.solve(y, u)
            out["iterations"] = ksp.its
        out["solve"] = median_seconds(comm, solve, 1)
    if kind != "aij":
        viewer = PETSc.Viewer().createASCII(file + ".view", "w")
        viewer.pushFormat(PETSc.Viewer.Format.ASCII_INFO)
        a.view(viewer)
    print("RESULT " + json.dumps(out), flush=True)


def run(processes, *arguments):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMP_NUM_THREADS": "1"}
    done = subprocess.run(["mpirun", "--bind-to", "core", "-n", str(processes), sys.executable, __file__, "--child", *arguments],
                          text=True, capture_output=True, env=environment)
    found = [json.loads(line) for line in re.findall(r"RESULT (\{[^}]*\})", done.stdout)]
    if len(found) != processes:
        sys.exit(done.stdout + done.stderr)
    slowest = {key: max(result[key] for result in found) for key in ("mult", "solve") if key in found[0]}
    return {**found[0], **slowest, "grown": sum(result["grown"] for result in found)}


def measure(build, work, matrix, processes):
    file = work / "matrix.petsc"
    solves = "values=noise" not in matrix
    rounds = {kind: [] for kind in ("aij", "spress")}
    for turn in range(ROUNDS):
        for kind, results in rounds.items():
            results.append(run(processes, str(file), kind, str(build / "libpetsc_spress.so"), str(int(solves and turn == 0))))
    record = {"matrix": matrix, "processes": processes}
    for kind, results in rounds.items():
        record[kind] = {"mult": min(r["mult"] for r in results), "grown": results[0]["grown"],
                        **{key: results[0][key] for key in ("solve", "iterations") if key in results[0]}}
    norms = [results[0]["norm"] for results in rounds.values()]
    record["difference"] = abs(norms[0] - norms[1]) / norms[0]
    record["view"] = " ".join(pathlib.Path(f"{file}.view").read_text().split())
    record["mult_speedup"] = record["aij"]["mult"] / record["spress"]["mult"]
    if solves:
        record["solve_speedup"] = record["aij"]["solve"] / record["spress"]["solve"]
    return record


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(*sys.argv[2:5], sys.argv[5] == "1")
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    work.mkdir(parents=True, exist_ok=True)
    for matrix in sys.argv[3:] or MATRICES:
        subprocess.run([build / "spress", "convert", "gen:" + matrix, work / "matrix.petsc", "-q", "--fresh"], check=True)
        for processes in PROCESSES:
            print(json.dumps(measure(build, work, matrix, processes)), flush=True)
    (work / "matrix.petsc").unlink()
    (work / "matrix.petsc.view").unlink()


main()

#!/usr/bin/env python3
"""Changes to a matrix of PETSc's type `spress` between products: the same numbers as with aij.

    mpirun -n 2 petsc_cases.py libpetsc_spress.so

Runs each case with both types and compares what it returns on each process. Exits with 77 where petsc4py is missing.
"""
import ctypes
import faulthandler
import os
import sys
import tempfile

try:
    import numpy as np
    import petsc4py
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

petsc4py.init(["petsc_cases", "-dll_append", sys.argv[1]])
from petsc4py import PETSc  # noqa: E402: PETSc reads its options when this is imported

faulthandler.dump_traceback_later(60, exit=True)  # a collective call that one process skips hangs
COMM = PETSc.COMM_WORLD
RANK, N = COMM.rank, 8


def matrix(kind, preallocation=None, options=()):
    """Preallocated: by default for any entries."""
    A = PETSc.Mat().create(COMM)
    A.setSizes(((PETSc.DECIDE, N), (PETSc.DECIDE, N)))
    A.setType(kind)
    if preallocation:
        A.setPreallocationNNZ(preallocation)
    else:
        A.setUp()
    for option, flag in options:
        A.setOption(option, flag)
    return A


def fill(A, upper=-1.0):
    for i in range(*A.getOwnershipRange()):
        for j, value in ((i - 1, -3.0), (i, 2.0 + i), (i + 1, upper)):
            if 0 <= j < N:
                A[i, j] = value
    A.assemble()
    return A


def filled(kind, **how):
    """After a product: the entries are encoded."""
    A = fill(matrix(kind, **how))
    product(A)
    return A


def product(A):
    x, y = A.createVecs()
    x.setArray(np.arange(*x.getOwnershipRange()) + 1.0)
    A.mult(x, y)
    z = x.duplicate()
    A.multTranspose(y, z)
    return [*y.getArray(), *z.getArray()]


def even(A):
    return PETSc.IS().createGeneral(np.arange(*A.getOwnershipRange(), 2, dtype=PETSc.IntType), COMM)


def transpose_in_place(kind):
    A = filled(kind)
    A.transpose()
    first = product(A)
    A.transpose()
    return first, product(A)


def transpose_out_of_place(kind):
    A = filled(kind)
    B = A.transpose(PETSc.Mat())
    first = product(B)
    A.scale(2.0)
    A.transpose(B)
    return first, product(B), product(A)


def change_on_first_process(kind):
    A = filled(kind)
    if RANK == 0:
        A[0, 0] = 5.0
    A.assemble()
    return product(A)


def change_of_other_process(kind):
    A = filled(kind)
    if RANK == 0:
        A.setValues([N - 1], [N - 2, N - 1], [10.0, 20.0], addv=True)
    A.assemble()
    first = product(A)
    A.assemble()  # without a change
    return first, product(A)


def row_on_first_process(kind):
    A = filled(kind)
    rows = [[*A.getRow(r)[0], *A.getRow(r)[1]] for r in range(*A.getOwnershipRange())] if RANK == 0 else []
    return *rows, product(A)


def values_on_first_process(kind):
    A = filled(kind)
    first = A.getOwnershipRange()[0]
    values = A.getValues([first, first + 1], range(N)).ravel() if RANK == 0 else []
    return values, product(A)


def option_row_oriented(kind):
    A = matrix(kind, options=[(PETSc.Mat.Option.ROW_ORIENTED, False)])
    first = A.getOwnershipRange()[0]
    results = []
    for step in (1.0, 2.0):
        A.setValues([first, first + 1], [first, first + 1], [step, 2.0, 3.0, 4.0])
        A.assemble()
        results.append(product(A))
    A.zeroEntries()
    A.setValues([first, first + 1], [first, first + 1], [7.0, 2.0, 3.0, 4.0])
    A.assemble()
    return *results, product(A)


def option_keep_pattern(kind):
    A = filled(kind, options=[(PETSc.Mat.Option.KEEP_NONZERO_PATTERN, True)])
    A.zeroRows([2], 1.0)
    return [A.getInfo(PETSc.Mat.InfoType.GLOBAL_SUM)["nz_used"]], product(A)


def option_ignore_other_processes(kind):
    A = filled(kind)
    A.setOption(PETSc.Mat.Option.IGNORE_OFF_PROC_ENTRIES, True)
    A[0, 0] = 9.0
    A.assemble()
    return product(A)


def option_no_new_places(kind):
    A = filled(kind)
    A.setOption(PETSc.Mat.Option.NEW_NONZERO_LOCATIONS, False)
    first = A.getOwnershipRange()[0]
    A[first, (first + 3) % N] = 9.0
    A.assemble()
    return product(A)


def new_places(kind):
    A = filled(kind)
    first = A.getOwnershipRange()[0]
    A[first, (first + 5) % N] = 7.0
    A.assemble()
    first_result = product(A)
    A.getDiagonal()
    A[first, (first + 3) % N] = 6.0
    A.assemble()
    return first_result, product(A)


def new_places_with_factor(kind):
    """Preconditioners must see that the pattern is another one."""
    A = filled(kind)
    solver = PETSc.KSP().create(COMM)
    solver.getPC().setType("bjacobi")
    b, x = A.createVecs()
    b.set(1.0)
    results = []
    for shift in (0, 3):
        first = A.getOwnershipRange()[0]
        A[first, first + shift] = 4.0
        A.assemble()
        solver.setOperators(A)
        solver.solve(b, x)
        results += [[solver.getIterationNumber()], x.getArray().copy()]
    return results


def preallocate_again(kind):
    A = filled(kind)
    A.setPreallocationNNZ((3, 3))
    first = A.getOwnershipRange()[0]
    A[first, first] = 4.0
    A.assemble()
    return product(A)


def submatrix_again(kind):
    A = filled(kind)
    S = A.createSubMatrix(even(A), even(A))
    first = product(S)
    A.scale(2.0)
    S = A.createSubMatrix(even(A), even(A), S)
    return first, product(S)


def fieldsplit(kind):
    A = filled(kind)
    b, x = A.createVecs()
    b.set(1.0)
    solver = PETSc.KSP().create(COMM)
    rows = np.arange(*A.getOwnershipRange(), dtype=PETSc.IntType)
    solver.getPC().setType("fieldsplit")
    solver.getPC().setFieldSplitIS(*((name, PETSc.IS().createGeneral(rows[k::2], COMM)) for k, name in enumerate("ab")))
    results = []
    for factor in (1.0, 2.0):
        A.scale(factor)
        solver.setOperators(A)
        solver.solve(b, x)
        results += [[solver.getIterationNumber()], x.getArray().copy()]
    return results


def type_again(kind):
    A = matrix(kind)
    A.setType("aij")
    A.setPreallocationNNZ((3, 3))
    return product(fill(A))


def convert_while_held(kind):
    A = filled(kind)
    square = A.matMult(A)
    A.convert("aij")
    first = product(A), product(square)
    return *first, [A.getType().endswith("aij")]


def duplicate_after_product(kind):
    A = filled(kind)
    B = A.duplicate(copy=True)
    first = product(B)
    B.scale(2.0)
    return first, product(B), product(A)


def diagonal_block_lives_on(kind):
    A = filled(kind)
    D = A.getDiagonalBlock()
    product(A)
    A.scale(2)
    product(A)
    return [D.norm(), D.getValue(0, 0)]


def entries_by_rows(kind):
    """All entries at once, and over those that were there."""
    A = matrix(kind)
    fill(A)
    first, last = A.getOwnershipRange()
    columns = [[c for c in (i - 2, i) if c >= 0] for i in range(first, last)]
    row_ptr = np.cumsum([0] + [len(c) for c in columns]).astype(PETSc.IntType)
    flat = np.array([c for row in columns for c in row], dtype=PETSc.IntType)
    A.setPreallocationCSR((row_ptr, flat, np.arange(len(flat)) + 1.0 + first))
    return [*product(A), A.norm()]


def indices_that_are_not_there(kind):
    A = filled(kind)
    errors = []
    for row, column in ((A.getOwnershipRange()[0], N), (A.getOwnershipRange()[0], N + 3)):
        try:
            A.getValue(row, column)
        except PETSc.Error as error:
            errors.append(error.ierr)
    return errors


def jacobian_by_coloring(kind):
    """Of x_ij^3 + 4 x_ij - x_(i-1)j - x_(i+1)j - 1, by differences of columns that share no row."""
    grid = PETSc.DMDA().create([4 * N, 3], dof=1, stencil_width=1, comm=COMM)
    grid.setMatType(kind)

    def function(_, x, f):
        own = grid.getLocalVec()
        grid.globalToLocal(x, own)
        columns, rows = grid.getRanges()
        values, result = grid.getVecArray(own), grid.getVecArray(f)
        for j in range(*rows):
            for i in range(*columns):
                left = values[i - 1, j] if i > 0 else 0
                right = values[i + 1, j] if i + 1 < 4 * N else 0
                result[i, j] = values[i, j]**3 + 4 * values[i, j] - left - right - 1
        grid.restoreLocalVec(own)

    PETSc.Options()["snes_fd_color"] = None
    snes = PETSc.SNES().create(COMM)
    snes.setDM(grid)
    snes.setFunction(function, grid.createGlobalVec())
    snes.setFromOptions()
    x = grid.createGlobalVec()
    x.set(0)
    snes.solve(None, x)
    return [snes.getIterationNumber(), *x.getArray()]


def information(kind):
    A = filled(kind)
    return [A.getInfo(PETSc.Mat.InfoType.LOCAL)["nz_used"], A.getInfo(PETSc.Mat.InfoType.GLOBAL_SUM)["nz_used"], A.norm()]


def threads_of_program(kind):
    openmp = ctypes.CDLL("libgomp.so.1")
    openmp.omp_set_num_threads(3)
    filled(kind)
    return [openmp.omp_get_max_threads()]


def load_again(kind):
    """Loads a symmetric matrix, then another in its place, with values set and an option changed in between."""
    file = f"{tempfile.gettempdir()}/spress_petsc_{os.getppid()}"  # mpirun's number: the same on all processes
    A, found = PETSc.Mat().create(COMM), []
    A.setType(kind)
    for upper in (-3.0, -1.0):
        fill(matrix("aij"), upper).view(PETSc.Viewer().createBinary(file, "w", COMM))
        COMM.barrier()
        A.load(PETSc.Viewer().createBinary(file, "r", COMM))
        found += [product(A), [A.isSymmetric(), A.getInfo()["nz_used"]]]
        row = A.getOwnershipRange()[0]
        A[row, row] = 100.0
        A.setOption(PETSc.Mat.Option.NEW_NONZERO_ALLOCATION_ERR, False)
        COMM.barrier()
    A.assemble()
    found.append(product(A))
    if RANK == 0:
        for written in (file, file + ".info"):
            os.remove(written)
    return *found, A.getSizes()[0]


CASES = [transpose_in_place, transpose_out_of_place, change_on_first_process, change_of_other_process, row_on_first_process,
         values_on_first_process, option_row_oriented, option_keep_pattern, option_ignore_other_processes,
         option_no_new_places, new_places, new_places_with_factor, preallocate_again, submatrix_again, fieldsplit,
         type_again, convert_while_held, duplicate_after_product, diagonal_block_lives_on, entries_by_rows,
         indices_that_are_not_there, jacobian_by_coloring, information, threads_of_program,
         load_again]


def same(mine, theirs):
    return len(mine) == len(theirs) and all(
        same(a, b) if np.ndim(b) else abs(a - b) <= 1e-9 * max(1.0, abs(b)) for a, b in zip(mine, theirs))


def main():
    failures = 0
    for case in CASES:
        print(f"{case.__name__}\n", end="", flush=True)  # the last one tells which hangs or crashes
        theirs, mine = case("aij"), case("spress")
        if not same(mine, theirs):
            failures += 1
            print(f"process {RANK}: {case.__name__}: {mine}, aij {theirs}", flush=True)
    sys.exit(1 if failures else 0)


main()

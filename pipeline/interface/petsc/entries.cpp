// The two states of the entries: encoded, and in the aij matrix inside.
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

/// Encodes the arrays of a sequential aij matrix.
spress_result encode(const Data& how, const spress_arrays& arrays, OwnedMatrix& out) {
  spress_csr* csr = nullptr;
  spress_matrix* matrix = nullptr;
  const Threads threads(how.threads);
  const spress_result read = spress_csr_from_arrays(&arrays, &csr);
  if (read != SPRESS_OK) return read;
  const OwnedCsr owner(csr);
  const spress_result done = spress_encode(csr, how.format.c_str(), how.values.c_str(), how.goal.c_str(), &matrix);
  out.reset(matrix);
  return done;
}

PetscErrorCode encode_part(const Data& how, Mat part, Encoded& out) {
  PetscInt rows = 0, row_count = 0, cols = 0;
  const PetscInt *row_ptr = nullptr, *col_idx = nullptr;
  const PetscScalar* values = nullptr;
  PetscBool done = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatGetSize(part, &rows, &cols));
  PetscCall(MatGetRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &row_count, &row_ptr, &col_idx, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "the rows of the aij matrix cannot be read");
  PetscCall(MatSeqAIJGetArrayRead(part, &values));
  constexpr spress_type index = sizeof(PetscInt) == 4 ? SPRESS_INT32 : SPRESS_INT64;
  const spress_arrays arrays = {rows, cols, row_ptr[rows], row_ptr, col_idx, values, index, index, SPRESS_DOUBLE};
  const spress_result result = encode(how, arrays, out.matrix);
  PetscCall(MatSeqAIJRestoreArrayRead(part, &values));
  PetscCall(MatRestoreRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &row_count, &row_ptr, &col_idx, &done));
  PetscCall(check(result));
  PetscFunctionReturn(0);
}

/// What brings the elements of x that other processes own.
PetscErrorCode make_scatter(Mat A) {
  Data& data = data_of(A);
  IS from = nullptr;
  Vec x = nullptr;
  const auto count = static_cast<PetscInt>(data.ghost_columns.size());
  PetscFunctionBegin;
  PetscCall(VecDestroy(&data.ghost_values));
  PetscCall(VecScatterDestroy(&data.scatter));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, count, &data.ghost_values));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, data.ghost_columns.data(), PETSC_COPY_VALUES, &from));
  PetscCall(MatCreateVecs(A, &x, nullptr));
  PetscCall(VecScatterCreate(x, from, data.ghost_values, nullptr, &data.scatter));
  PetscCall(VecDestroy(&x));
  PetscCall(ISDestroy(&from));
  PetscFunctionReturn(0);
}

PetscErrorCode encode_on_several(Mat A) {
  Data& data = data_of(A);
  Mat diagonal = nullptr, ghosts = nullptr;
  const PetscInt* columns = nullptr;
  PetscInt count = 0;
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(data.inner, &diagonal, &ghosts, &columns));
  PetscCall(MatGetSize(ghosts, nullptr, &count));
  PetscCall(guarded([&] { data.ghost_columns.assign(columns, columns + count); }));
  PetscCall(encode_part(data, diagonal, data.diagonal));
  PetscCall(encode_part(data, ghosts, data.ghosts));
  PetscCall(make_scatter(A));
  PetscFunctionReturn(0);
}

PetscErrorCode encode(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  forget_encoded(A);
  if (is_mpi(A))
    PetscCall(encode_on_several(A));
  else
    PetscCall(encode_part(data, data.inner, data.diagonal));
  data.is_encoded = true;
  PetscFunctionReturn(0);
}

/// What was freed goes back to the system. MPI libraries often tell the allocator to keep it for the program.
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/// Options that PETSc keeps in the matrix itself and does not pass to its type.
void copy_flags(Mat from, Mat to) {
  to->nooffprocentries = from->nooffprocentries;
  to->nooffproczerorows = from->nooffproczerorows;
  to->assembly_subset = from->assembly_subset;
  to->force_diagonals = from->force_diagonals;
  to->structure_only = from->structure_only;
}

/// Moves the decoded rows into the aij matrix.
PetscErrorCode fill_inner(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  const Rows& rows = *data.rows;
  const auto fill = is_mpi(A) ? MatMPIAIJSetPreallocationCSR : MatSeqAIJSetPreallocationCSR;
  PetscCall(fill(data.inner, rows.row_ptr.data(), rows.col_idx.data(), rows.values.data()));
  data.rows.reset();
  // That function forbids entries in new places. The matrix that the program filled itself allowed them.
  PetscCall(MatSetOption(data.inner, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(replay_options(A));
  data.pattern = data.inner->nonzerostate;
  PetscFunctionReturn(0);
}

}  // namespace

bool is_mpi(Mat A) {
  int size = 1;
  MPI_Comm_size(PetscObjectComm(object_of(A)), &size);
  return size > 1;
}

bool is_spress(Mat A) { return A->ops->duplicate == duplicate; }

PetscErrorCode check(spress_result result) {
  PetscFunctionBegin;
  PetscCheck(result == SPRESS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "spress: %s", spress_last_error());
  PetscFunctionReturn(0);
}

void forget_encoded(Mat A) {
  Data& data = data_of(A);
  data.is_encoded = false;
  data.rows.reset();
  data.diagonal = {};
  data.ghosts = {};
}

void note_pattern(Mat A) {
  Data& data = data_of(A);
  if (data.inner == nullptr || data.inner->nonzerostate == data.pattern) return;
  data.pattern = data.inner->nonzerostate;
  ++A->nonzerostate;
}

PetscErrorCode replay_options(Mat A) {
  const Data& data = data_of(A);
  PetscFunctionBegin;
  for (const auto& [option, flag] : data.options) PetscCall(MatSetOption(data.inner, option, flag));
  PetscFunctionReturn(0);
}

PetscErrorCode make_inner(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  if (data.inner != nullptr) PetscFunctionReturn(0);
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscCall(MatCreate(PetscObjectComm(object_of(A)), &data.inner));
  PetscCall(MatSetSizes(data.inner, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizes(data.inner, A->rmap->bs, A->cmap->bs));
  PetscCall(MatSetType(data.inner, MATAIJ));
  copy_flags(A, data.inner);
  data.pattern = data.inner->nonzerostate;
  PetscFunctionReturn(0);
}

PetscErrorCode set_inner(Mat A, Mat inner) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  PetscCall(MatDestroy(&data.inner));
  forget_encoded(A);
  data.inner = inner;
  data.keeps_inner = data.lends_inner = false;
  data.pattern = inner->nonzerostate;
  ++A->nonzerostate;
  A->assembled = inner->assembled;
  A->preallocated = PETSC_TRUE;
  PetscCall(PetscObjectStateIncrease(object_of(A)));  // preconditioners of A compare it
  PetscFunctionReturn(0);
}

PetscErrorCode open(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  if (data.inner != nullptr) {
    copy_flags(A, data.inner);
    PetscFunctionReturn(0);
  }
  if (data.is_encoded) PetscCall(make_rows(A));  // first, so that no empty matrix is left if this fails
  PetscCall(make_inner(A));
  if (data.is_encoded) PetscCall(fill_inner(A));
  PetscFunctionReturn(0);
}

PetscErrorCode open_to_change(Mat A) {
  PetscFunctionBegin;
  PetscCall(open(A));
  forget_encoded(A);
  PetscFunctionReturn(0);
}

PetscErrorCode ready(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  if (!data.is_encoded) PetscCall(encode(A));
  data.rows.reset();
  if (data.inner != nullptr && !data.keeps_inner && !data.lends_inner) {
    PetscCall(MatDestroy(&data.inner));
    give_back_memory();
  }
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

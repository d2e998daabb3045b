#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

PetscErrorCode press_part(const Data& how, Mat part, Pressed& out) {
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
  spress_csr* csr = nullptr;
  PetscCall(check(spress_csr_from_arrays(&arrays, &csr)));
  const spress_result result =
      spress_encode(csr, how.format.c_str(), how.values.c_str(), how.goal.c_str(), &out.matrix);
  spress_csr_free(csr);
  PetscCall(check(result));
  PetscCall(MatSeqAIJRestoreArrayRead(part, &values));
  PetscCall(MatRestoreRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &row_count, &row_ptr, &col_idx, &done));
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

PetscErrorCode press(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  data.diagonal.clear();
  data.ghosts.clear();
  spress_set_threads(static_cast<int>(data.threads));
  if (!is_mpi(A)) {
    PetscCall(press_part(data, data.inner, data.diagonal));
  } else {
    Mat diagonal = nullptr, ghosts = nullptr;
    const PetscInt* columns = nullptr;
    PetscInt count = 0;
    PetscCall(MatMPIAIJGetSeqAIJ(data.inner, &diagonal, &ghosts, &columns));
    PetscCall(MatGetSize(ghosts, nullptr, &count));
    data.ghost_columns.assign(columns, columns + count);
    PetscCall(press_part(data, diagonal, data.diagonal));
    PetscCall(press_part(data, ghosts, data.ghosts));
    PetscCall(make_scatter(A));
  }
  data.is_pressed = true;
  PetscFunctionReturn(0);
}

/// Rows of a process as CSR with global columns, ascending in each row.
struct Rows {
  std::vector<PetscInt> row_ptr = {0}, col_idx;
  std::vector<PetscScalar> values;
};

/// Adds the entries of row r whose columns lie in a stretch of global ids.
template <class Wanted>
void add_entries(const spress_arrays& part, PetscInt r, const PetscInt* columns, PetscInt first, Rows& to,
                 Wanted wanted) {
  const auto at = [&](PetscInt row) {
    return part.row_ptr_type == SPRESS_INT32 ? std::int64_t{static_cast<const std::int32_t*>(part.row_ptr)[row]}
                                             : static_cast<const std::int64_t*>(part.row_ptr)[row];
  };
  for (std::int64_t k = at(r); k < at(r + 1); ++k) {
    const PetscInt local = static_cast<const std::int32_t*>(part.col_idx)[k];
    const PetscInt column = columns != nullptr ? columns[local] : first + local;
    if (!wanted(column)) continue;
    to.col_idx.push_back(column);
    to.values.push_back(static_cast<const double*>(part.values)[k]);
  }
}

PetscErrorCode decode(Mat A, Rows& rows) {
  const Data& data = data_of(A);
  spress_csr *diagonal = nullptr, *ghosts = nullptr;
  spress_arrays own, others;
  PetscFunctionBegin;
  PetscCall(check(spress_decode(data.diagonal.matrix, &diagonal)));
  spress_csr_arrays(diagonal, &own);
  if (data.ghosts.matrix != nullptr) {
    PetscCall(check(spress_decode(data.ghosts.matrix, &ghosts)));
    spress_csr_arrays(ghosts, &others);
  }
  const PetscInt first = A->cmap->rstart;
  for (PetscInt r = 0; r < A->rmap->n; ++r) {
    const auto left = [&](PetscInt column) { return column < first; };
    const auto right = [&](PetscInt column) { return column >= first; };
    if (ghosts != nullptr) add_entries(others, r, data.ghost_columns.data(), 0, rows, left);
    add_entries(own, r, nullptr, first, rows, [](PetscInt) { return true; });
    if (ghosts != nullptr) add_entries(others, r, data.ghost_columns.data(), 0, rows, right);
    rows.row_ptr.push_back(static_cast<PetscInt>(rows.col_idx.size()));
  }
  spress_csr_free(diagonal);
  spress_csr_free(ghosts);
  PetscFunctionReturn(0);
}

}  // namespace

bool is_mpi(Mat A) {
  int size = 1;
  MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &size);
  return size > 1;
}

PetscErrorCode check(spress_result result) {
  PetscFunctionBegin;
  PetscCheck(result == SPRESS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "spress: %s", spress_last_error());
  PetscFunctionReturn(0);
}

PetscErrorCode make_inner(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  if (data.inner != nullptr) PetscFunctionReturn(0);
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &data.inner));
  PetscCall(MatSetSizes(data.inner, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizes(data.inner, A->rmap->bs, A->cmap->bs));
  PetscCall(MatSetType(data.inner, MATAIJ));
  PetscFunctionReturn(0);
}

PetscErrorCode open(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  if (data.inner != nullptr) PetscFunctionReturn(0);
  PetscCall(make_inner(A));
  if (!data.is_pressed) PetscFunctionReturn(0);
  Rows rows;
  PetscCall(decode(A, rows));
  const auto fill = is_mpi(A) ? MatMPIAIJSetPreallocationCSR : MatSeqAIJSetPreallocationCSR;
  PetscCall(fill(data.inner, rows.row_ptr.data(), rows.col_idx.data(), rows.values.data()));
  PetscFunctionReturn(0);
}

PetscErrorCode open_to_change(Mat A) {
  PetscFunctionBegin;
  PetscCall(open(A));
  data_of(A).is_pressed = false;
  PetscFunctionReturn(0);
}

PetscErrorCode ready(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  if (!data.is_pressed) PetscCall(press(A));
  if (!data.keeps_inner) PetscCall(MatDestroy(&data.inner));
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

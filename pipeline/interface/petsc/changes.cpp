// Filling a matrix: options, preallocation, values, assembly.
#include <algorithm>

#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

/// Keeps values until the next assembly. MatSetValues is not collective, so it cannot make an aij matrix on several
/// processes.
void keep(Data& data, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[], const PetscScalar values[],
          InsertMode mode) {
  const auto is_flag_off = [](const auto& set) { return set.first == MAT_ROW_ORIENTED && set.second == PETSC_FALSE; };
  const bool by_columns = std::any_of(data.options.begin(), data.options.end(), is_flag_off);
  data.pending_mode = mode;
  for (PetscInt i = 0; i < m; ++i)
    for (PetscInt j = 0; j < n; ++j) {
      if (rows[i] < 0 || cols[j] < 0) continue;  // PETSc ignores them
      const PetscInt at = by_columns ? j * m + i : i * n + j;
      data.pending.push_back({rows[i], cols[j], values != nullptr ? values[at] : 0});
    }
}

PetscErrorCode replay_changes(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  for (const Change& change : data.pending)
    PetscCall(MatSetValues(data.inner, 1, &change.row, 1, &change.col, &change.value, data.pending_mode));
  data.pending = {};
  PetscFunctionReturn(0);
}

/// Begins anew: a preallocation removes all entries.
PetscErrorCode start_preallocation(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  forget_encoded(A);
  data.keeps_inner = data.lends_inner = false;
  drop_changes(data);
  PetscCall(make_inner(A));
  PetscFunctionReturn(0);
}

PetscErrorCode end_preallocation(Mat A) {
  PetscFunctionBegin;
  PetscCall(replay_options(A));
  A->preallocated = PETSC_TRUE;
  A->assembled = A->was_assembled = PETSC_FALSE;
  PetscFunctionReturn(0);
}

}  // namespace

void drop_new_nonzero_options(Data& data) {
  std::erase_if(data.options, [](const auto& set) {
    return set.first == MAT_NEW_NONZERO_LOCATIONS || set.first == MAT_NEW_NONZERO_LOCATION_ERR ||
           set.first == MAT_NEW_NONZERO_ALLOCATION_ERR;
  });
}

void drop_changes(Data& data) {
  data.pending = {};
  data.is_changed = false;
  drop_new_nonzero_options(data);
}

PetscErrorCode set_option(Mat A, MatOption option, PetscBool flag) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  std::erase_if(data.options, [&](const auto& set) { return set.first == option; });
  PetscCall(guarded([&] { data.options.emplace_back(option, flag); }));
  if (data.inner != nullptr && data.inner->preallocated) PetscCall(MatSetOption(data.inner, option, flag));
  PetscFunctionReturn(0);
}

PetscErrorCode set_up(Mat A) {
  PetscFunctionBegin;
  PetscCall(make_inner(A));
  PetscCall(MatSetUp(data_of(A).inner));
  PetscCall(replay_options(A));
  A->preallocated = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode preallocate_seq(Mat A, PetscInt nz, const PetscInt nnz[]) {
  PetscFunctionBegin;
  PetscCall(start_preallocation(A));
  PetscCall(MatSeqAIJSetPreallocation(data_of(A).inner, nz, nnz));
  PetscCall(end_preallocation(A));
  PetscFunctionReturn(0);
}

PetscErrorCode preallocate_mpi(Mat A, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[]) {
  PetscFunctionBegin;
  PetscCall(start_preallocation(A));
  PetscCall(MatMPIAIJSetPreallocation(data_of(A).inner, d_nz, d_nnz, o_nz, o_nnz));
  PetscCall(end_preallocation(A));
  PetscFunctionReturn(0);
}

template <bool several>
PetscErrorCode preallocate_csr(Mat A, const PetscInt row_ptr[], const PetscInt cols[], const PetscScalar values[]) {
  PetscFunctionBegin;
  if (is_mpi(A) != several) PetscFunctionReturn(0);
  PetscCall(start_preallocation(A));
  const auto fill = several ? MatMPIAIJSetPreallocationCSR : MatSeqAIJSetPreallocationCSR;
  PetscCall(fill(data_of(A).inner, row_ptr, cols, values));
  PetscCall(end_preallocation(A));
  A->assembled = A->was_assembled = PETSC_TRUE;  // the entries came with the places
  note_pattern(A);
  PetscCall(PetscObjectStateIncrease(object_of(A)));  // preconditioners of A compare it
  PetscFunctionReturn(0);
}

template PetscErrorCode preallocate_csr<false>(Mat, const PetscInt[], const PetscInt[], const PetscScalar[]);
template PetscErrorCode preallocate_csr<true>(Mat, const PetscInt[], const PetscInt[], const PetscScalar[]);

PetscErrorCode set_values(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[],
                          const PetscScalar values[], InsertMode mode) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  data.is_changed = true;
  if (data.inner == nullptr && is_mpi(A)) {
    for (PetscInt i = 0; i < m; ++i) PetscCall(check_index(rows[i], A->rmap->N, "row"));
    for (PetscInt j = 0; j < n; ++j) PetscCall(check_index(cols[j], A->cmap->N, "column"));
    PetscCall(guarded([&] { keep(data, m, rows, n, cols, values, mode); }));
    PetscFunctionReturn(0);
  }
  PetscCall(open(A));
  PetscCall(MatSetValues(data.inner, m, rows, n, cols, values, mode));
  PetscFunctionReturn(0);
}

/// All processes learn here that one of them set values, since encoding again is collective. An assembly without a
/// change leaves the encoded entries as they are.
PetscErrorCode assembly_begin(Mat A, MatAssemblyType type) {
  Data& data = data_of(A);
  int is_needed = data.is_changed || !data.is_encoded;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &is_needed, 1, MPI_INT, MPI_LOR, PetscObjectComm(object_of(A))));
  data.is_changed = false;
  data.is_assembling = is_needed != 0;
  if (!data.is_assembling) PetscFunctionReturn(0);
  PetscCall(open_to_change(A));
  PetscCall(replay_changes(A));
  PetscCall(MatAssemblyBegin(data.inner, type));
  PetscFunctionReturn(0);
}

PetscErrorCode assembly_end(Mat A, MatAssemblyType type) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  if (!data.is_assembling) PetscFunctionReturn(0);
  PetscCall(MatAssemblyEnd(data.inner, type));
  note_pattern(A);
  data.is_assembling = false;
  if (type == MAT_FINAL_ASSEMBLY) data.keeps_inner = false;
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

// The answers to -ksp_view and MatGetInfo. Encoded entries are counted as they are, not decoded.
#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

struct Totals {
  double bytes = 0, entries = 0;
  double aij_bytes = 0;  ///< of row pointers, column indices and values in aij
};

void count(const Encoded& encoded, Totals& totals) {
  spress_matrix_info info;
  if (encoded.matrix == nullptr) return;
  spress_matrix_get_info(encoded.matrix.get(), &info);
  const auto entries = static_cast<double>(info.nnz);
  totals.entries += entries;
  totals.bytes += static_cast<double>(info.bytes);
  totals.aij_bytes += entries * (sizeof(PetscInt) + sizeof(PetscScalar));
  totals.aij_bytes += static_cast<double>(info.rows + 1) * sizeof(PetscInt);
  if (encoded.transposed == nullptr) return;
  spress_matrix_get_info(encoded.transposed.get(), &info);
  totals.bytes += static_cast<double>(info.bytes);
}

[[nodiscard]] Totals totals_here(const Data& data) {
  Totals totals;
  count(data.diagonal, totals);
  count(data.ghosts, totals);
  return totals;
}

PetscErrorCode view_summary(Mat A, PetscViewer viewer) {
  const Data& data = data_of(A);
  const bool has_transposed = data.diagonal.transposed != nullptr;
  spress_matrix_info info;
  PetscFunctionBegin;
  if (!data.is_encoded) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "not encoded yet: no product was computed\n"));
    PetscFunctionReturn(0);
  }
  const Totals here = totals_here(data);
  double all[] = {here.bytes, here.aij_bytes};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_SUM, PetscObjectComm(object_of(A))));
  spress_matrix_get_info(data.diagonal.matrix.get(), &info);
  PetscCall(PetscViewerASCIIPrintf(viewer, "encoded as %s, values %s%s: %.0f bytes%s, %g of aij\n", info.format,
                                   info.values_store, is_mpi(A) ? " on the first process" : "", all[0],
                                   has_transposed ? " with the transpose" : "", all[0] / all[1]));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode view(Mat A, PetscViewer viewer) {
  PetscViewerFormat format;
  PetscBool ascii = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL)) {
    PetscCall(view_summary(A, viewer));
    PetscFunctionReturn(0);
  }
  PetscCall(open(A));
  PetscCall(MatView(data_of(A).inner, viewer));
  PetscFunctionReturn(0);
}

PetscErrorCode get_info(Mat A, MatInfoType type, MatInfo* info) {
  const Data& data = data_of(A);
  PetscFunctionBegin;
  if (data.inner != nullptr) {
    PetscCall(MatGetInfo(data.inner, type, info));
    PetscFunctionReturn(0);
  }
  const Totals here = totals_here(data);
  double counts[] = {here.entries, here.bytes};
  const MPI_Op combine = type == MAT_GLOBAL_MAX ? MPI_MAX : MPI_SUM;
  if (type != MAT_LOCAL)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_DOUBLE, combine, PetscObjectComm(object_of(A))));
  *info = {};
  info->block_size = 1;
  info->nz_allocated = info->nz_used = counts[0];
  info->memory = counts[1];
  info->assemblies = A->num_ass;
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

#include <omp.h>

#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

/// As PETSc counts them for a product.
PetscErrorCode log_flops(const Encoded& encoded) {
  spress_matrix_info info;
  PetscFunctionBegin;
  if (encoded.matrix == nullptr) PetscFunctionReturn(0);
  spress_matrix_get_info(encoded.matrix.get(), &info);
  PetscCall(PetscLogFlops(2.0 * static_cast<double>(info.nnz)));
  PetscFunctionReturn(0);
}

/// y = M x + beta y on this process.
PetscErrorCode apply(const Data& data, const OwnedMatrix& matrix, Vec x, PetscScalar beta, Vec y) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  spress_result result = SPRESS_OK;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  {
    const Threads threads(data.threads);
    result = spress_multiply(matrix.get(), 1, from, beta, to);
  }
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(check(result));
  PetscFunctionReturn(0);
}

/// y = M^T x + beta y on this process.
PetscErrorCode apply_transposed(const Data& data, Encoded& encoded, Vec x, PetscScalar beta, Vec y) {
  PetscFunctionBegin;
  if (encoded.transposed == nullptr) {
    const Threads threads(data.threads);
    spress_matrix* transposed = nullptr;
    PetscCall(check(spress_transpose(encoded.matrix.get(), &transposed)));
    encoded.transposed.reset(transposed);
  }
  PetscCall(apply(data, encoded.transposed, x, beta, y));
  PetscCall(log_flops(encoded));
  PetscFunctionReturn(0);
}

}  // namespace

Threads::Threads(PetscInt count) : before(omp_get_max_threads()) { spress_set_threads(static_cast<int>(count)); }
Threads::~Threads() { omp_set_num_threads(before); }

PetscErrorCode multiply(Mat A, Vec x, PetscScalar beta, Vec y) {
  const Data& data = data_of(A);
  PetscFunctionBegin;
  PetscCall(ready(A));
  if (data.scatter != nullptr)
    PetscCall(VecScatterBegin(data.scatter, x, data.ghost_values, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(apply(data, data.diagonal.matrix, x, beta, y));
  if (data.scatter != nullptr) {
    PetscCall(VecScatterEnd(data.scatter, x, data.ghost_values, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(apply(data, data.ghosts.matrix, data.ghost_values, 1, y));
  }
  PetscCall(log_flops(data.diagonal));
  PetscCall(log_flops(data.ghosts));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply_transposed(Mat A, Vec x, PetscScalar beta, Vec y) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  PetscCall(ready(A));
  PetscCall(apply_transposed(data, data.diagonal, x, beta, y));
  if (data.scatter != nullptr) {
    PetscCall(apply_transposed(data, data.ghosts, x, 0, data.ghost_values));
    PetscCall(VecScatterBegin(data.scatter, data.ghost_values, y, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterEnd(data.scatter, data.ghost_values, y, ADD_VALUES, SCATTER_REVERSE));
  }
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

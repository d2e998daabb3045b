#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

/// As PETSc counts them for a product.
PetscErrorCode log_flops(const Pressed& pressed) {
  spress_matrix_info info;
  PetscFunctionBegin;
  if (pressed.matrix == nullptr) PetscFunctionReturn(0);
  spress_matrix_get_info(pressed.matrix, &info);
  PetscCall(PetscLogFlops(2.0 * static_cast<double>(info.nnz)));
  PetscFunctionReturn(0);
}

/// y = M^T x + beta y.
PetscErrorCode multiply_transposed(Pressed& pressed, const PetscScalar* x, PetscScalar beta, PetscScalar* y) {
  PetscFunctionBegin;
  if (pressed.transposed == nullptr) PetscCall(check(spress_transpose(pressed.matrix, &pressed.transposed)));
  PetscCall(check(spress_multiply(pressed.transposed, 1, x, beta, y)));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode multiply(Mat A, Vec x, PetscScalar beta, Vec y) {
  const PetscScalar *from = nullptr, *ghosts = nullptr;
  PetscScalar* to = nullptr;
  PetscFunctionBegin;
  PetscCall(ready(A));
  const Data& data = data_of(A);
  spress_set_threads(static_cast<int>(data.threads));
  if (data.scatter != nullptr)
    PetscCall(VecScatterBegin(data.scatter, x, data.ghost_values, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  PetscCall(check(spress_multiply(data.diagonal.matrix, 1, from, beta, to)));
  PetscCall(VecRestoreArrayRead(x, &from));
  if (data.scatter != nullptr) {
    PetscCall(VecScatterEnd(data.scatter, x, data.ghost_values, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecGetArrayRead(data.ghost_values, &ghosts));
    PetscCall(check(spress_multiply(data.ghosts.matrix, 1, ghosts, 1, to)));
    PetscCall(VecRestoreArrayRead(data.ghost_values, &ghosts));
  }
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(log_flops(data.diagonal));
  PetscCall(log_flops(data.ghosts));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply_transposed(Mat A, Vec x, PetscScalar beta, Vec y) {
  const PetscScalar* from = nullptr;
  PetscScalar *to = nullptr, *ghosts = nullptr;
  PetscFunctionBegin;
  PetscCall(ready(A));
  Data& data = data_of(A);
  spress_set_threads(static_cast<int>(data.threads));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  PetscCall(multiply_transposed(data.diagonal, from, beta, to));
  PetscCall(VecRestoreArray(y, &to));
  if (data.scatter != nullptr) {
    PetscCall(VecGetArray(data.ghost_values, &ghosts));
    PetscCall(multiply_transposed(data.ghosts, from, 0, ghosts));
    PetscCall(VecRestoreArray(data.ghost_values, &ghosts));
    PetscCall(VecScatterBegin(data.scatter, data.ghost_values, y, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterEnd(data.scatter, data.ghost_values, y, ADD_VALUES, SCATTER_REVERSE));
  }
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

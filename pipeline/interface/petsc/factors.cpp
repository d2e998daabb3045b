#include <new>

#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

/// A function of PETSc that is kept until ours has done its part.
using Symbolic = PetscErrorCode (*)(Mat, Mat, IS, IS, const MatFactorInfo*);
using SymbolicOneSided = PetscErrorCode (*)(Mat, Mat, IS, const MatFactorInfo*);
using Numeric = PetscErrorCode (*)(Mat, Mat, const MatFactorInfo*);

/// The functions of a factor that PETSc made for the aij matrix, and that take one.
struct OfAij {
  Symbolic lu, ilu;
  SymbolicOneSided cholesky, icc;
  Numeric lu_numeric, cholesky_numeric;
};
constexpr char of_aij[] = "spress_of_aij";

PetscErrorCode get_of_aij(Mat factor, OfAij** out) {
  PetscObject held = nullptr;
  void* found = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(factor), of_aij, &held));
  PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(held), &found));
  *out = static_cast<OfAij*>(found);
  PetscFunctionReturn(0);
}

template <Numeric OfAij::*original>
PetscErrorCode numeric(Mat factor, Mat A, const MatFactorInfo* info) {
  OfAij* functions = nullptr;
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(get_of_aij(factor, &functions));
  PetscCall((functions->*original)(factor, data_of(A).inner, info));
  PetscFunctionReturn(0);
}

/// After a symbolic factorization: the numeric function that it set takes an aij matrix.
PetscErrorCode wrap_numeric(Mat factor, OfAij& functions) {
  PetscFunctionBegin;
  if (factor->ops->lufactornumeric != numeric<&OfAij::lu_numeric>) {
    functions.lu_numeric = factor->ops->lufactornumeric;
    if (functions.lu_numeric != nullptr) factor->ops->lufactornumeric = numeric<&OfAij::lu_numeric>;
  }
  if (factor->ops->choleskyfactornumeric != numeric<&OfAij::cholesky_numeric>) {
    functions.cholesky_numeric = factor->ops->choleskyfactornumeric;
    if (functions.cholesky_numeric != nullptr) factor->ops->choleskyfactornumeric = numeric<&OfAij::cholesky_numeric>;
  }
  PetscFunctionReturn(0);
}

template <auto original, class... Orderings>
PetscErrorCode symbolic(Mat factor, Mat A, Orderings... orderings, const MatFactorInfo* info) {
  OfAij* functions = nullptr;
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(get_of_aij(factor, &functions));
  PetscCall((functions->*original)(factor, data_of(A).inner, orderings..., info));
  PetscCall(wrap_numeric(factor, *functions));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy_of_aij(void* functions) {
  delete static_cast<OfAij*>(functions);
  return 0;
}

}  // namespace

PetscErrorCode get_factor(Mat A, MatFactorType type, Mat* out) {
  PetscContainer held = nullptr;
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatGetFactor(data_of(A).inner, MATSOLVERPETSC, type, out));
  _MatOps& ops = *(*out)->ops;
  auto* functions = new (std::nothrow) OfAij{
      ops.lufactorsymbolic, ops.ilufactorsymbolic, ops.choleskyfactorsymbolic, ops.iccfactorsymbolic, nullptr, nullptr};
  PetscCheck(functions != nullptr, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a factor");
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &held));
  PetscCall(PetscContainerSetPointer(held, functions));
  PetscCall(PetscContainerSetUserDestroy(held, destroy_of_aij));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(*out), of_aij, reinterpret_cast<PetscObject>(held)));
  PetscCall(PetscContainerDestroy(&held));
  if (functions->lu != nullptr) ops.lufactorsymbolic = symbolic<&OfAij::lu, IS, IS>;
  if (functions->ilu != nullptr) ops.ilufactorsymbolic = symbolic<&OfAij::ilu, IS, IS>;
  if (functions->cholesky != nullptr) ops.choleskyfactorsymbolic = symbolic<&OfAij::cholesky, IS>;
  if (functions->icc != nullptr) ops.iccfactorsymbolic = symbolic<&OfAij::icc, IS>;
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

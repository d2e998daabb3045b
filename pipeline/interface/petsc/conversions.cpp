#include <string>

#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

/// A matrix of this type around an assembled aij matrix, which becomes its own.
PetscErrorCode wrap(Mat aij, Mat* out) {
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(aij)), out));
  PetscCall(PetscLayoutReference(aij->rmap, &(*out)->rmap));
  PetscCall(PetscLayoutReference(aij->cmap, &(*out)->cmap));
  PetscCall(MatSetType(*out, type_any));
  data_of(*out).inner = aij;
  (*out)->assembled = aij->assembled;
  (*out)->preallocated = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode from_aij(Mat aij, MatType, MatReuse reuse, Mat* out) {
  Mat copy = nullptr;
  PetscFunctionBegin;
  PetscCheck(reuse != MAT_REUSE_MATRIX, PETSC_COMM_SELF, PETSC_ERR_SUP, "MAT_REUSE_MATRIX: copy the entries instead");
  PetscCall(MatDuplicate(aij, MAT_COPY_VALUES, &copy));
  Mat made = nullptr;
  PetscCall(wrap(copy, &made));
  if (reuse == MAT_INPLACE_MATRIX)
    PetscCall(MatHeaderReplace(aij, &made));
  else
    *out = made;
  PetscFunctionReturn(0);
}

PetscErrorCode to_aij(Mat A, MatType, MatReuse reuse, Mat* out) {
  PetscFunctionBegin;
  PetscCall(open(A));
  Mat inner = data_of(A).inner;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(inner, *out, SAME_NONZERO_PATTERN));
  } else if (reuse == MAT_INITIAL_MATRIX) {
    PetscCall(MatDuplicate(inner, MAT_COPY_VALUES, out));
  } else {
    data_of(A).inner = nullptr;
    PetscCall(MatHeaderReplace(A, &inner));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat* out) {
  Mat inner = nullptr;
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatDuplicate(data_of(A).inner, option, &inner));
  PetscCall(wrap(inner, out));
  PetscFunctionReturn(0);
}

/// Orderings of an aij matrix may number groups of alike rows, which this makes rows of again.
PetscErrorCode adjust_for_inodes(Mat A, IS* rows, IS* cols) {
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatInodeAdjustForInodes(data_of(A).inner, rows, cols));
  PetscFunctionReturn(0);
}

PetscErrorCode create_submatrix(Mat A, IS rows, IS cols, MatReuse reuse, Mat* out) {
  PetscFunctionBegin;
  PetscCall(open(A));
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(open_to_change(*out));
    PetscCall(MatCreateSubMatrix(data_of(A).inner, rows, cols, reuse, &data_of(*out).inner));
  } else {
    Mat inner = nullptr;
    PetscCall(MatCreateSubMatrix(data_of(A).inner, rows, cols, reuse, &inner));
    PetscCall(wrap(inner, out));
  }
  PetscFunctionReturn(0);
}

/// The aij matrix of one of this type; any other, and none, as it is.
PetscErrorCode as_aij(Mat& matrix) {
  PetscFunctionBegin;
  if (matrix == nullptr || matrix->ops->duplicate != duplicate) PetscFunctionReturn(0);
  PetscCall(open(matrix));
  matrix = data_of(matrix).inner;
  PetscFunctionReturn(0);
}

/// Products of matrices, and P^T A P of multigrid: those of the aij matrices.
PetscErrorCode product_of_aij(Mat product) {
  PetscFunctionBegin;
  Mat A = product->product->A, B = product->product->B, C = product->product->C;
  PetscCall(as_aij(A));
  PetscCall(as_aij(B));
  PetscCall(as_aij(C));
  PetscCall(MatProductReplaceMats(A, B, C, product));
  PetscCall(MatProductSetFromOptions(product));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode set_conversions(Mat A) {
  PetscFunctionBegin;
  A->ops->duplicate = duplicate;
  A->ops->createsubmatrix = create_submatrix;
  A->ops->productsetfromoptions = product_of_aij;
  PetscCall(compose(A, "MatInodeAdjustForInodes_C", adjust_for_inodes));
  for (const std::string process : {"seq", "mpi"}) {
    const std::string aij = process + "aij", own = process + "spress";
    const std::string convert = "MatConvert_", product = "MatProductSetFromOptions_";
    PetscCall(compose(A, (convert + aij + "_" + own + "_C").c_str(), from_aij));
    PetscCall(compose(A, (convert + own + "_" + aij + "_C").c_str(), to_aij));
    PetscCall(compose(A, (product + own + "_" + aij + "_C").c_str(), product_of_aij));
    PetscCall(compose(A, (product + aij + "_" + own + "_C").c_str(), product_of_aij));
  }
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

// Operations that make one matrix from another. They work on the aij matrices inside.
#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

/// What a matrix made from another takes over, besides entries.
void copy_settings(const Data& from, Data& to) {
  to.format = from.format;
  to.values = from.values;
  to.goal = from.goal;
  to.threads = from.threads;
}

/// A matrix of this type around an assembled aij matrix, which becomes its own. source: whose settings it takes, or
/// null for those of the options database.
PetscErrorCode wrap(Mat source, Mat aij, Mat* out) {
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm(object_of(aij)), out));
  PetscCall(PetscLayoutReference(aij->rmap, &(*out)->rmap));
  PetscCall(PetscLayoutReference(aij->cmap, &(*out)->cmap));
  PetscCall(MatSetType(*out, type_any));
  PetscCall(set_inner(*out, aij));
  if (source != nullptr) PetscCall(guarded([&] { copy_settings(data_of(source), data_of(*out)); }));
  PetscFunctionReturn(0);
}

/// Takes the aij matrix out of A. Products of matrices may hold it too: then a copy of it.
PetscErrorCode take_inner(Mat A, Mat* out) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  if (object_of(data.inner)->refct > 1) {
    PetscCall(MatDuplicate(data.inner, MAT_COPY_VALUES, out));
    PetscCall(MatDestroy(&data.inner));
  } else {
    *out = data.inner;
    data.inner = nullptr;
  }
  PetscFunctionReturn(0);
}

/// Puts an aij matrix inside A, with its sizes and distribution.
PetscErrorCode set_inner_and_layouts(Mat A, Mat inner) {
  PetscFunctionBegin;
  PetscCall(PetscLayoutReference(inner->rmap, &A->rmap));
  PetscCall(PetscLayoutReference(inner->cmap, &A->cmap));
  PetscCall(set_inner(A, inner));
  PetscFunctionReturn(0);
}

/// Overwrites an earlier transpose, of this type or another.
PetscErrorCode transpose_again(Mat transposed, Mat out) {
  PetscFunctionBegin;
  if (is_spress(out)) {
    PetscCall(set_inner(out, transposed));
    PetscFunctionReturn(0);
  }
  PetscCall(MatCopy(transposed, out, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&transposed));
  PetscFunctionReturn(0);
}

/// Replaces one of this type by its aij matrix. Others, and null, stay.
PetscErrorCode as_aij(Mat& matrix) {
  PetscFunctionBegin;
  if (matrix == nullptr || !is_spress(matrix)) PetscFunctionReturn(0);
  PetscCall(open(matrix));
  matrix = data_of(matrix).inner;
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode from_aij(Mat aij, MatType, MatReuse reuse, Mat* out) {
  Mat copy = nullptr, made = nullptr;
  PetscFunctionBegin;
  PetscCheck(reuse != MAT_REUSE_MATRIX, PETSC_COMM_SELF, PETSC_ERR_SUP, "MAT_REUSE_MATRIX: copy the entries instead");
  PetscCall(MatDuplicate(aij, MAT_COPY_VALUES, &copy));
  PetscCall(wrap(nullptr, copy, &made));
  if (reuse == MAT_INPLACE_MATRIX)
    PetscCall(MatHeaderReplace(aij, &made));
  else
    *out = made;
  PetscFunctionReturn(0);
}

PetscErrorCode to_aij(Mat A, MatType, MatReuse reuse, Mat* out) {
  Mat inner = nullptr;
  PetscFunctionBegin;
  PetscCall(open(A));
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(data_of(A).inner, *out, SAME_NONZERO_PATTERN));
  } else if (reuse == MAT_INITIAL_MATRIX) {
    PetscCall(MatDuplicate(data_of(A).inner, MAT_COPY_VALUES, out));
  } else {
    PetscCall(take_inner(A, &inner));
    PetscCall(MatHeaderReplace(A, &inner));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat* out) {
  Mat inner = nullptr;
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatDuplicate(data_of(A).inner, option, &inner));
  PetscCall(wrap(A, inner, out));
  PetscCall(guarded([&] { data_of(*out).options = data_of(A).options; }));
  drop_new_nonzero_options(data_of(*out));  // a duplicate of an aij matrix has PETSc's defaults there
  PetscFunctionReturn(0);
}

PetscErrorCode transpose(Mat A, MatReuse reuse, Mat* out) {
  Mat transposed = nullptr;
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatTranspose(data_of(A).inner, MAT_INITIAL_MATRIX, &transposed));
  if (reuse == MAT_INITIAL_MATRIX)
    PetscCall(wrap(A, transposed, out));
  else if (reuse == MAT_INPLACE_MATRIX)
    PetscCall(set_inner_and_layouts(A, transposed));
  else
    PetscCall(transpose_again(transposed, *out));
  PetscFunctionReturn(0);
}

PetscErrorCode load(Mat A, PetscViewer viewer) {
  Mat inner = nullptr;
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm(object_of(A)), &inner));
  PetscCall(MatSetSizes(inner, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizes(inner, A->rmap->bs, A->cmap->bs));
  PetscCall(MatSetType(inner, MATAIJ));
  if (object_of(A)->name != nullptr)  // HDF5 files hold matrices by name
    PetscCall(PetscObjectSetName(object_of(inner), object_of(A)->name));
  PetscCall(MatLoad(inner, viewer));
  PetscCall(set_inner_and_layouts(A, inner));
  drop_changes(data_of(A));
  PetscCall(replay_options(A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));  // so that PETSc forgets what it knew of the former entries
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/// A submatrix that is used again gets a new aij matrix: PETSc writes only into one that it made itself, and that one
/// is gone after a product.
PetscErrorCode create_submatrix(Mat A, IS rows, IS cols, MatReuse reuse, Mat* out) {
  Mat inner = nullptr;
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatCreateSubMatrix(data_of(A).inner, rows, cols, MAT_INITIAL_MATRIX, &inner));
  if (reuse == MAT_REUSE_MATRIX)
    PetscCall(set_inner(*out, inner));
  else
    PetscCall(wrap(A, inner, out));
  PetscFunctionReturn(0);
}

/// Orderings of an aij matrix may number groups of alike rows, which this makes rows of again.
PetscErrorCode adjust_for_inodes(Mat A, IS* rows, IS* cols) {
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatInodeAdjustForInodes(data_of(A).inner, rows, cols));
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

}  // namespace spress_petsc

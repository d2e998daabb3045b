// A matrix type of PETSc whose products run on a pressed matrix. A program takes it by options alone:
//   -dll_append libpetsc_spress.so -mat_type spress -mat_spress_format auto
//
// A matrix of this type is assembled as an aij matrix, the one inside. The first product presses its entries and frees
// that one. Whoever asks for entries later (a factorization, say) makes PETSc decode them into an aij matrix again,
// which lives until the next product.
#pragma once

#include <petsc/private/matimpl.h>
#include <spress/spress.h>

#include <string>
#include <vector>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "spress multiplies real double numbers: it needs a PETSc with these"
#endif

namespace spress_petsc {

inline constexpr char type_any[] = "spress", type_seq[] = "seqspress", type_mpi[] = "mpispress";

struct Pressed {
  spress_matrix *matrix = nullptr, *transposed = nullptr;  ///< transposed: made by the first product with it
  void clear() {
    spress_matrix_free(matrix);
    spress_matrix_free(transposed);
    *this = {};
  }
};

struct Data {
  Mat inner = nullptr;       ///< aij, or null where the entries are pressed only
  bool is_pressed = false;   ///< diagonal and ghosts hold the entries
  bool keeps_inner = false;  ///< somebody asks for entries between products, again and again
  Pressed diagonal;          ///< of the process's rows the columns that it owns; of one process all
  Pressed ghosts;            ///< of several processes the others, numbered as in ghost_columns
  std::vector<PetscInt> ghost_columns;
  Vec ghost_values = nullptr;
  VecScatter scatter = nullptr;
  std::string format = "auto", values = "auto", goal = "spmv";
  PetscInt threads = 1;  ///< of a process: programs of PETSc run one process on each core
};

[[nodiscard]] inline Data& data_of(Mat A) { return *static_cast<Data*>(A->data); }
[[nodiscard]] bool is_mpi(Mat A);

PetscErrorCode check(spress_result result);

/// Makes the aij matrix inside, empty, where there is none.
PetscErrorCode make_inner(Mat A);
/// Makes sure that the aij matrix is there, with the entries.
PetscErrorCode open(Mat A);
/// The same for what changes the entries: the pressed ones count no more.
PetscErrorCode open_to_change(Mat A);
/// Makes sure that the entries are pressed, and frees the aij matrix unless somebody needs it between products.
PetscErrorCode ready(Mat A);

/// y = A x + beta y and y = A^T x + beta y.
PetscErrorCode multiply(Mat A, Vec x, PetscScalar beta, Vec y);
PetscErrorCode multiply_transposed(Mat A, Vec x, PetscScalar beta, Vec y);

/// A factor as PETSc makes it for the aij matrix, with the functions that take one replaced by ours.
PetscErrorCode get_factor(Mat A, MatFactorType type, Mat* out);

/// Sets the operations that make one matrix from another.
PetscErrorCode set_conversions(Mat A);

/// Composes a function of ours with a matrix, for PETSc to find it by its name.
template <class Function>
PetscErrorCode compose(Mat A, const char* name, Function function) {
  return PetscObjectComposeFunction_Private(reinterpret_cast<PetscObject>(A), name,
                                            reinterpret_cast<PetscVoidFunction>(function));
}

}  // namespace spress_petsc

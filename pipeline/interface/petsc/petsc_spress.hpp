// A matrix type of PETSc whose products run on an encoded matrix. A program takes it by options alone:
//   -dll_append /usr/local/lib/libpetsc_spress.so -mat_type spress -mat_spress_format auto
//
// A matrix of this type is assembled as an aij matrix, the one inside. The first product encodes its entries and frees
// that one. If an operation needs entries later (a factorization, say), they are decoded into an aij matrix again,
// which lives until the next product. Making that one is collective, so operations that are not collective do without
// it: they read rows that this process decodes for itself, and keep changes until the next assembly.
#pragma once

#include <petsc/private/matimpl.h>
#include <spress/spress.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "spress multiplies real double numbers: it needs a PETSc with these"
#endif

namespace spress_petsc {

inline constexpr char type_any[] = "spress", type_seq[] = "seqspress", type_mpi[] = "mpispress";

struct Free {
  void operator()(spress_csr* csr) const { spress_csr_free(csr); }
  void operator()(spress_matrix* matrix) const { spress_matrix_free(matrix); }
};
using OwnedCsr = std::unique_ptr<spress_csr, Free>;
using OwnedMatrix = std::unique_ptr<spress_matrix, Free>;

struct Encoded {
  OwnedMatrix matrix, transposed;  ///< transposed: made by the first product with it
};

/// The rows of a process as CSR with global columns, ascending in each row.
struct Rows {
  std::vector<PetscInt> row_ptr = {0}, col_idx;
  std::vector<PetscScalar> values;
};

struct Change {
  PetscInt row, col;
  PetscScalar value;
};

struct Data {
  Mat inner = nullptr;       ///< aij, or null if the entries are encoded only; on all processes alike
  bool is_encoded = false;   ///< diagonal and ghosts hold the entries; on all processes alike
  bool keeps_inner = false;  ///< an operation reads the entries between products, again and again
  bool lends_inner = false;  ///< callers of an operation point into `inner` as long as it lives
  Encoded diagonal;          ///< the columns that this process owns; on one process all of them
  Encoded ghosts;            ///< on several processes the other columns, numbered as in ghost_columns
  std::vector<PetscInt> ghost_columns;
  Vec ghost_values = nullptr;
  VecScatter scatter = nullptr;

  std::unique_ptr<Rows> rows;    ///< decoded from the encoded entries by this process alone, until the next product
  bool row_is_of_inner = false;  ///< where the last MatGetRow got its row
  bool is_changed = false;       ///< this process set values since the last assembly
  bool is_assembling = false;    ///< an assembly of `inner` has begun
  std::vector<Change> pending;   ///< set while there was no `inner`
  InsertMode pending_mode = NOT_SET_VALUES;
  PetscObjectState pattern = 0;  ///< the nonzero state of `inner` that this matrix's own takes account of
  std::vector<std::pair<MatOption, PetscBool>> options;  ///< of MatSetOption, the last one at the end

  std::string format = "auto", values = "auto", goal = "spmv";
  PetscInt threads = 1;  ///< of a process: programs of PETSc run one process on each core
};

[[nodiscard]] inline Data& data_of(Mat A) { return *static_cast<Data*>(A->data); }
[[nodiscard]] inline PetscObject object_of(Mat A) { return reinterpret_cast<PetscObject>(A); }
[[nodiscard]] bool is_mpi(Mat A);
[[nodiscard]] bool is_spress(Mat A);

PetscErrorCode check(spress_result result);

/// Runs what may throw: PETSc's frames are C and must not see an exception.
template <class Work>
PetscErrorCode guarded(Work work) {
  PetscFunctionBegin;
  try {
    work();
  } catch (const std::exception& error) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "%s", error.what());
  }
  PetscFunctionReturn(0);
}

/// The number of threads of spress for the time that it lives, then again the one that the program had set.
class Threads {
 public:
  explicit Threads(PetscInt count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before;
};

// ---- The aij matrix inside (entries.cpp). Collective, as what makes a matrix is. ----

/// Makes the aij matrix inside, empty, if there is none.
PetscErrorCode make_inner(Mat A);
/// Makes sure that the aij matrix is there, with the entries.
PetscErrorCode open(Mat A);
/// Opens the matrix for operations that change its entries: the encoded ones count no more.
PetscErrorCode open_to_change(Mat A);
/// Makes sure that the entries are encoded, and frees the aij matrix unless an operation needs it between products.
PetscErrorCode ready(Mat A);
/// Puts another aij matrix inside, which becomes A's own.
PetscErrorCode set_inner(Mat A, Mat inner);
void forget_encoded(Mat A);
/// Passes a change of the pattern inside on to A, so that preconditioners see it.
void note_pattern(Mat A);
/// Errors: an index of a row or column (what) that the matrix does not have; negative ones are skipped elsewhere.
PetscErrorCode check_index(PetscInt index, PetscInt count, const char* what);
/// Gives the aij matrix the options that were set for A. It is preallocated.
PetscErrorCode replay_options(Mat A);

// ---- Reading entries without communication (rows.cpp) ----

/// Decodes the encoded entries of this process into data_of(A).rows, if they are not there.
PetscErrorCode make_rows(Mat A);
PetscErrorCode get_row(Mat A, PetscInt row, PetscInt* count, PetscInt** columns, PetscScalar** values);
PetscErrorCode restore_row(Mat A, PetscInt row, PetscInt* count, PetscInt** columns, PetscScalar** values);
PetscErrorCode get_values(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[],
                          PetscScalar values[]);

// ---- Setting entries (changes.cpp) ----

PetscErrorCode set_option(Mat A, MatOption option, PetscBool flag);
PetscErrorCode set_up(Mat A);
PetscErrorCode preallocate_seq(Mat A, PetscInt nz, const PetscInt nnz[]);
PetscErrorCode preallocate_mpi(Mat A, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[]);
/// Fills A from its own rows of CSR; several: of a matrix over several processes. Leaves one of the other kind alone.
template <bool several>
PetscErrorCode preallocate_csr(Mat A, const PetscInt row_ptr[], const PetscInt cols[], const PetscScalar values[]);
PetscErrorCode set_values(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[],
                          const PetscScalar values[], InsertMode mode);
PetscErrorCode assembly_begin(Mat A, MatAssemblyType type);
PetscErrorCode assembly_end(Mat A, MatAssemblyType type);
/// Options that a preallocation sets anew: whether entries may come in new places.
void drop_new_nonzero_options(Data& data);
/// Drops the values that wait for an assembly, and those options: the entries are about to be replaced.
void drop_changes(Data& data);

// ---- Products (products.cpp) ----

/// y = A x + beta y and y = A^T x + beta y.
PetscErrorCode multiply(Mat A, Vec x, PetscScalar beta, Vec y);
PetscErrorCode multiply_transposed(Mat A, Vec x, PetscScalar beta, Vec y);

// ---- Information (information.cpp) ----

PetscErrorCode view(Mat A, PetscViewer viewer);
PetscErrorCode get_info(Mat A, MatInfoType type, MatInfo* info);

// ---- Other matrices made from one (conversions.cpp, factors.cpp) ----

PetscErrorCode from_aij(Mat aij, MatType, MatReuse reuse, Mat* out);
PetscErrorCode to_aij(Mat A, MatType, MatReuse reuse, Mat* out);
PetscErrorCode load(Mat A, PetscViewer viewer);
PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat* out);
PetscErrorCode transpose(Mat A, MatReuse reuse, Mat* out);
PetscErrorCode create_submatrix(Mat A, IS rows, IS cols, MatReuse reuse, Mat* out);
PetscErrorCode adjust_for_inodes(Mat A, IS* rows, IS* cols);
PetscErrorCode product_of_aij(Mat product);

/// A factor as PETSc makes it for the aij matrix, with the functions that take one replaced by ours.
PetscErrorCode get_factor(Mat A, MatFactorType type, Mat* out);

}  // namespace spress_petsc

#include <new>
#include <string>
#include <type_traits>

#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

/// z = op(A) x + y; y and z may be the same.
template <PetscErrorCode (*product)(Mat, Vec, PetscScalar, Vec)>
PetscErrorCode multiply_add(Mat A, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(product(A, x, 1, z));
  PetscFunctionReturn(0);
}
template <PetscErrorCode (*product)(Mat, Vec, PetscScalar, Vec)>
PetscErrorCode multiply_only(Mat A, Vec x, Vec y) {
  PetscFunctionBegin;
  PetscCall(product(A, x, 0, y));
  PetscFunctionReturn(0);
}

template <class>
struct Delegate;

/// Calls the same operation of the aij matrix inside.
template <class... Arguments>
struct Delegate<PetscErrorCode (*)(Mat, Arguments...)> {
  using Operation = PetscErrorCode (*)(Mat, Arguments...);

  template <Operation _MatOps::*operation, PetscErrorCode (*prepare)(Mat)>
  static PetscErrorCode call(Mat A, Arguments... arguments) {
    PetscFunctionBegin;
    PetscCall(prepare(A));
    Mat inner = data_of(A).inner;
    PetscCall((inner->ops[0].*operation)(inner, arguments...));
    note_pattern(A);
    PetscFunctionReturn(0);
  }
};

/// Opens the matrix for an operation that reads entries between products, again and again.
PetscErrorCode open_to_keep(Mat A) {
  PetscFunctionBegin;
  PetscCall(open(A));
  data_of(A).keeps_inner = true;
  PetscFunctionReturn(0);
}

/// Opens the matrix for an operation that gives away pointers to what is inside.
PetscErrorCode open_to_lend(Mat A) {
  PetscFunctionBegin;
  PetscCall(open(A));
  data_of(A).lends_inner = true;
  PetscFunctionReturn(0);
}

/// Fills the matrix by differences. The coloring holds pointers to the entries inside.
PetscErrorCode apply_coloring(Mat A, MatFDColoring coloring, Vec x, void* context) {
  PetscFunctionBegin;
  PetscCall(open_to_change(A));
  Mat inner = data_of(A).inner;
  PetscCall((inner->ops->fdcoloringapply)(inner, coloring, x, context));
  note_pattern(A);
  PetscCall(PetscObjectStateIncrease(object_of(A)));  // preconditioners of A compare it
  PetscFunctionReturn(0);
}

/// Delegates operations. like: an aij matrix; an operation that it does not have is left out.
template <PetscErrorCode (*prepare)(Mat), auto... operations>
void delegate(Mat A, Mat like) {
  const auto one = [&]<auto operation>(std::integral_constant<decltype(operation), operation>) {
    using Operation = std::remove_reference_t<decltype(A->ops[0].*operation)>;
    if (like->ops[0].*operation != nullptr)
      A->ops[0].*operation = Delegate<Operation>::template call<operation, prepare>;
  };
  (one(std::integral_constant<decltype(operations), operations>()), ...);
}

PetscErrorCode set_block_sizes(Mat A, PetscInt rows, PetscInt cols) {
  PetscFunctionBegin;
  if (data_of(A).inner != nullptr) PetscCall(MatSetBlockSizes(data_of(A).inner, rows, cols));
  PetscFunctionReturn(0);
}

/// Functions that PETSc finds by their name.
struct Composed {
  const char* name;
  PetscVoidFunction function;
};

template <class Function>
[[nodiscard]] PetscVoidFunction any(Function function) {
  return reinterpret_cast<PetscVoidFunction>(function);
}

[[nodiscard]] const auto& all_composed() {
  static const Composed all[] = {
      {"MatSeqAIJSetPreallocation_C", any(preallocate_seq)},
      {"MatMPIAIJSetPreallocation_C", any(preallocate_mpi)},
      {"MatSeqAIJSetPreallocationCSR_C", any(preallocate_csr<false>)},
      {"MatMPIAIJSetPreallocationCSR_C", any(preallocate_csr<true>)},
      {"MatInodeAdjustForInodes_C", any(adjust_for_inodes)},
      {"MatConvert_seqaij_seqspress_C", any(from_aij)},
      {"MatConvert_mpiaij_mpispress_C", any(from_aij)},
      {"MatConvert_seqspress_seqaij_C", any(to_aij)},
      {"MatConvert_mpispress_mpiaij_C", any(to_aij)},
      {"MatProductSetFromOptions_seqspress_seqaij_C", any(product_of_aij)},
      {"MatProductSetFromOptions_seqaij_seqspress_C", any(product_of_aij)},
      {"MatProductSetFromOptions_mpispress_mpiaij_C", any(product_of_aij)},
      {"MatProductSetFromOptions_mpiaij_mpispress_C", any(product_of_aij)},
  };
  return all;
}

/// The matrix may get another type afterwards, which must not find functions of this one.
PetscErrorCode remove_composed(Mat A) {
  PetscFunctionBegin;
  for (const Composed& each : all_composed())
    PetscCall(PetscObjectComposeFunction_Private(object_of(A), each.name, nullptr));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy(Mat A) {
  PetscFunctionBegin;
  Data* data = static_cast<Data*>(A->data);
  PetscCall(MatDestroy(&data->inner));
  PetscCall(VecDestroy(&data->ghost_values));
  PetscCall(VecScatterDestroy(&data->scatter));
  delete data;
  A->data = nullptr;
  PetscCall(remove_composed(A));
  PetscFunctionReturn(0);
}

PetscErrorCode text_option(Mat A, const char* name, std::string& value) {
  char text[256] = "";
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(object_of(A)->options, object_of(A)->prefix, name, text, sizeof text, &given));
  if (given) PetscCall(guarded([&] { value = text; }));
  PetscFunctionReturn(0);
}

PetscErrorCode read_options(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  PetscCall(text_option(A, "-mat_spress_format", data.format));
  PetscCall(text_option(A, "-mat_spress_values", data.values));
  PetscCall(text_option(A, "-mat_spress_for", data.goal));
  PetscCall(
      PetscOptionsGetInt(object_of(A)->options, object_of(A)->prefix, "-mat_spress_threads", &data.threads, nullptr));
  PetscCheck(data.threads > 0, PetscObjectComm(object_of(A)), PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_spress_threads: expected 1 or more");
  PetscFunctionReturn(0);
}

/// Operations that read entries, that change them, that read them in each iteration of a solver, and that lend them.
void delegate_all(Mat A, Mat like) {
  delegate<open, &_MatOps::getdiagonal, &_MatOps::norm, &_MatOps::createsubmatrices, &_MatOps::increaseoverlap,
           &_MatOps::getrowmaxabs, &_MatOps::getrowij, &_MatOps::restorerowij, &_MatOps::missingdiagonal,
           &_MatOps::issymmetric, &_MatOps::creategraph, &_MatOps::getcolumnreductions, &_MatOps::getcolumnij,
           &_MatOps::restorecolumnij, &_MatOps::findnonzerorows, &_MatOps::createsubmatricesmpi, &_MatOps::getrowmax,
           &_MatOps::getrowmin, &_MatOps::getrowminabs>(A, like);
  delegate<open_to_change, &_MatOps::scale, &_MatOps::shift, &_MatOps::diagonalscale, &_MatOps::diagonalset,
           &_MatOps::zeroentries, &_MatOps::zerorows, &_MatOps::zerorowscolumns, &_MatOps::conjugate,
           &_MatOps::realpart, &_MatOps::imaginarypart, &_MatOps::setrandom>(A, like);
  delegate<open_to_keep, &_MatOps::sor>(A, like);
  delegate<open_to_lend, &_MatOps::getdiagonalblock, &_MatOps::invertblockdiagonal, &_MatOps::fdcoloringcreate,
           &_MatOps::fdcoloringsetup>(A, like);
}

void set_operations(Mat A) {
  A->ops->assemblybegin = assembly_begin;
  A->ops->assemblyend = assembly_end;
  A->ops->createsubmatrix = create_submatrix;
  A->ops->destroy = destroy;
  A->ops->duplicate = duplicate;
  A->ops->fdcoloringapply = apply_coloring;
  A->ops->getinfo = get_info;
  A->ops->getrow = get_row;
  A->ops->getvalues = get_values;
  A->ops->load = load;
  A->ops->mult = multiply_only<multiply>;
  A->ops->multadd = multiply_add<multiply>;
  A->ops->multtranspose = multiply_only<multiply_transposed>;
  A->ops->multtransposeadd = multiply_add<multiply_transposed>;
  A->ops->productsetfromoptions = product_of_aij;
  A->ops->restorerow = restore_row;
  A->ops->setblocksizes = set_block_sizes;
  A->ops->setoption = set_option;
  A->ops->setup = set_up;
  A->ops->setvalues = set_values;
  A->ops->transpose = transpose;
  A->ops->view = view;
}

PetscErrorCode create(Mat A) {
  Mat like = nullptr;
  PetscFunctionBegin;
  A->data = new (std::nothrow) Data;
  PetscCheck(A->data != nullptr, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a matrix");
  set_operations(A);
  PetscCall(MatCreate(PetscObjectComm(object_of(A)), &like));
  PetscCall(MatSetType(like, MATAIJ));
  delegate_all(A, like);
  PetscCall(MatDestroy(&like));
  for (const Composed& each : all_composed())
    PetscCall(PetscObjectComposeFunction_Private(object_of(A), each.name, each.function));
  PetscCall(PetscObjectChangeTypeName(object_of(A), is_mpi(A) ? type_mpi : type_seq));
  PetscCall(read_options(A));
  PetscFunctionReturn(0);
}

}  // namespace
}  // namespace spress_petsc

/// PETSc calls this when it has loaded the library (-dll_append). A program that links it calls it after
/// PetscInitialize.
extern "C" PETSC_VISIBILITY_PUBLIC PetscErrorCode PetscDLLibraryRegister_petsc_spress() {
  using namespace spress_petsc;
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(MatRegisterRootName(type_any, type_seq, type_mpi));
  PetscCall(MatRegister(type_seq, create));
  PetscCall(MatRegister(type_mpi, create));
  for (const MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC})
    PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, type_seq, type, get_factor));
  PetscFunctionReturn(0);
}

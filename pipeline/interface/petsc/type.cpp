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

/// The same operation of the aij matrix inside.
template <class... Arguments>
struct Delegate<PetscErrorCode (*)(Mat, Arguments...)> {
  using Operation = PetscErrorCode (*)(Mat, Arguments...);

  template <Operation _MatOps::*operation, PetscErrorCode (*prepare)(Mat)>
  static PetscErrorCode call(Mat A, Arguments... arguments) {
    PetscFunctionBegin;
    PetscCall(prepare(A));
    Mat inner = data_of(A).inner;
    PetscCall((inner->ops->*operation)(inner, arguments...));
    PetscFunctionReturn(0);
  }
};

/// The same for what asks between products again and again.
PetscErrorCode open_to_keep(Mat A) {
  PetscFunctionBegin;
  PetscCall(open(A));
  data_of(A).keeps_inner = true;
  PetscFunctionReturn(0);
}

/// like: an aij matrix, whose operations A shall have and no others.
template <auto operation, PetscErrorCode (*prepare)(Mat)>
void delegate(Mat A, Mat like) {
  using Operation = std::remove_reference_t<decltype(A->ops->*operation)>;
  if (like->ops->*operation != nullptr) A->ops->*operation = Delegate<Operation>::template call<operation, prepare>;
}

PetscErrorCode set_option(Mat A, MatOption option, PetscBool flag) {
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatSetOption(data_of(A).inner, option, flag));
  PetscFunctionReturn(0);
}

PetscErrorCode set_block_sizes(Mat A, PetscInt rows, PetscInt cols) {
  PetscFunctionBegin;
  if (data_of(A).inner != nullptr) PetscCall(MatSetBlockSizes(data_of(A).inner, rows, cols));
  PetscFunctionReturn(0);
}

PetscErrorCode assembly_begin(Mat A, MatAssemblyType type) {
  PetscFunctionBegin;
  PetscCall(open(A));
  PetscCall(MatAssemblyBegin(data_of(A).inner, type));
  PetscFunctionReturn(0);
}

PetscErrorCode assembly_end(Mat A, MatAssemblyType type) {
  PetscFunctionBegin;
  PetscCall(MatAssemblyEnd(data_of(A).inner, type));
  if (type == MAT_FINAL_ASSEMBLY) data_of(A).keeps_inner = false;
  PetscFunctionReturn(0);
}

PetscErrorCode set_up(Mat A) {
  PetscFunctionBegin;
  PetscCall(make_inner(A));
  PetscCall(MatSetUp(data_of(A).inner));
  A->preallocated = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode set_values(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[],
                          const PetscScalar values[], InsertMode mode) {
  PetscFunctionBegin;
  PetscCall(open_to_change(A));
  PetscCall(MatSetValues(data_of(A).inner, m, rows, n, cols, values, mode));
  PetscFunctionReturn(0);
}

PetscErrorCode set_values_blocked(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[],
                                  const PetscScalar values[], InsertMode mode) {
  PetscFunctionBegin;
  PetscCall(open_to_change(A));
  PetscCall(MatSetValuesBlocked(data_of(A).inner, m, rows, n, cols, values, mode));
  PetscFunctionReturn(0);
}

PetscErrorCode preallocate_seq(Mat A, PetscInt nz, const PetscInt nnz[]) {
  PetscFunctionBegin;
  PetscCall(make_inner(A));
  PetscCall(MatSeqAIJSetPreallocation(data_of(A).inner, nz, nnz));
  A->preallocated = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode preallocate_mpi(Mat A, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[]) {
  PetscFunctionBegin;
  PetscCall(make_inner(A));
  PetscCall(MatMPIAIJSetPreallocation(data_of(A).inner, d_nz, d_nnz, o_nz, o_nnz));
  A->preallocated = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode view(Mat A, PetscViewer viewer) {
  PetscViewerFormat format;
  PetscBool ascii = PETSC_FALSE;
  spress_matrix_info info;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL)) {
    const Data& data = data_of(A);
    if (!data.is_pressed) {
      PetscCall(PetscViewerASCIIPrintf(viewer, "not pressed yet: no product was asked for\n"));
      PetscFunctionReturn(0);
    }
    spress_matrix_get_info(data.diagonal.matrix, &info);
    const auto bytes = static_cast<double>(info.bytes), entries = static_cast<double>(info.nnz);
    PetscCall(PetscViewerASCIIPrintf(viewer, "pressed as %s, values %s: %g bytes, %g of aij\n", info.format,
                                     info.values_store, bytes,
                                     bytes / (entries * (sizeof(PetscInt) + sizeof(PetscScalar)) +
                                              static_cast<double>(info.rows + 1) * sizeof(PetscInt))));
    PetscFunctionReturn(0);
  }
  PetscCall(open(A));
  PetscCall(MatView(data_of(A).inner, viewer));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy(Mat A) {
  PetscFunctionBegin;
  Data* data = static_cast<Data*>(A->data);
  PetscCall(MatDestroy(&data->inner));
  PetscCall(VecDestroy(&data->ghost_values));
  PetscCall(VecScatterDestroy(&data->scatter));
  data->diagonal.clear();
  data->ghosts.clear();
  delete data;
  A->data = nullptr;
  PetscFunctionReturn(0);
}

PetscErrorCode text_option(Mat A, const char* name, std::string& value) {
  char text[256] = "";
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(reinterpret_cast<PetscObject>(A)->options, reinterpret_cast<PetscObject>(A)->prefix,
                                  name, text, sizeof text, &given));
  if (given) value = text;
  PetscFunctionReturn(0);
}

PetscErrorCode read_options(Mat A) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  PetscCall(text_option(A, "-mat_spress_format", data.format));
  PetscCall(text_option(A, "-mat_spress_values", data.values));
  PetscCall(text_option(A, "-mat_spress_for", data.goal));
  PetscCall(PetscOptionsGetInt(reinterpret_cast<PetscObject>(A)->options, reinterpret_cast<PetscObject>(A)->prefix,
                               "-mat_spress_threads", &data.threads, nullptr));
  PetscFunctionReturn(0);
}

/// Operations that read entries, those that change them, and those that read them in each iteration of a solver.
void delegate_all(Mat A, Mat like) {
  delegate<&_MatOps::getrow, open>(A, like);
  delegate<&_MatOps::restorerow, open>(A, like);
  delegate<&_MatOps::getdiagonal, open>(A, like);
  delegate<&_MatOps::getinfo, open>(A, like);
  delegate<&_MatOps::norm, open>(A, like);
  delegate<&_MatOps::transpose, open>(A, like);
  delegate<&_MatOps::createsubmatrices, open>(A, like);
  delegate<&_MatOps::increaseoverlap, open>(A, like);
  delegate<&_MatOps::getvalues, open>(A, like);
  delegate<&_MatOps::getrowmaxabs, open>(A, like);
  delegate<&_MatOps::getrowij, open>(A, like);
  delegate<&_MatOps::restorerowij, open>(A, like);
  delegate<&_MatOps::missingdiagonal, open>(A, like);
  delegate<&_MatOps::issymmetric, open>(A, like);
  delegate<&_MatOps::creategraph, open>(A, like);
  delegate<&_MatOps::getdiagonalblock, open>(A, like);
  delegate<&_MatOps::invertblockdiagonal, open>(A, like);
  delegate<&_MatOps::getcolumnreductions, open>(A, like);
  delegate<&_MatOps::scale, open_to_change>(A, like);
  delegate<&_MatOps::shift, open_to_change>(A, like);
  delegate<&_MatOps::diagonalscale, open_to_change>(A, like);
  delegate<&_MatOps::diagonalset, open_to_change>(A, like);
  delegate<&_MatOps::zeroentries, open_to_change>(A, like);
  delegate<&_MatOps::zerorows, open_to_change>(A, like);
  delegate<&_MatOps::zerorowscolumns, open_to_change>(A, like);
  delegate<&_MatOps::sor, open_to_keep>(A, like);
}

PetscErrorCode create(Mat A) {
  PetscFunctionBegin;
  A->data = new Data;
  A->ops->assemblybegin = assembly_begin;
  A->ops->assemblyend = assembly_end;
  A->ops->destroy = destroy;
  A->ops->mult = multiply_only<multiply>;
  A->ops->multadd = multiply_add<multiply>;
  A->ops->multtranspose = multiply_only<multiply_transposed>;
  A->ops->multtransposeadd = multiply_add<multiply_transposed>;
  A->ops->setblocksizes = set_block_sizes;
  A->ops->setoption = set_option;
  A->ops->setup = set_up;
  A->ops->setvalues = set_values;
  A->ops->setvaluesblocked = set_values_blocked;
  A->ops->view = view;
  Mat like = nullptr;
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &like));
  PetscCall(MatSetType(like, MATAIJ));
  delegate_all(A, like);
  PetscCall(MatDestroy(&like));
  PetscCall(compose(A, "MatSeqAIJSetPreallocation_C", preallocate_seq));
  PetscCall(compose(A, "MatMPIAIJSetPreallocation_C", preallocate_mpi));
  PetscCall(set_conversions(A));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(A), is_mpi(A) ? type_mpi : type_seq));
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

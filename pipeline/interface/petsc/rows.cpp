// Entries of a matrix that is encoded only, read without communication: each process decodes its own parts.
#include <algorithm>

#include "pipeline/interface/petsc/petsc_spress.hpp"

namespace spress_petsc {
namespace {

[[nodiscard]] std::int64_t row_start(const spress_arrays& part, PetscInt row) {
  if (part.row_ptr_type == SPRESS_INT32) return static_cast<const std::int32_t*>(part.row_ptr)[row];
  return static_cast<const std::int64_t*>(part.row_ptr)[row];
}

/// Adds the entries of row r whose global columns are wanted. columns: global ids, or null if they begin at `first`.
template <class Wanted>
void add_entries(const spress_arrays& part, PetscInt r, const PetscInt* columns, PetscInt first, Rows& to,
                 Wanted wanted) {
  for (std::int64_t k = row_start(part, r); k < row_start(part, r + 1); ++k) {
    const PetscInt local = static_cast<const std::int32_t*>(part.col_idx)[k];
    const PetscInt column = columns != nullptr ? columns[local] : first + local;
    if (!wanted(column)) continue;
    to.col_idx.push_back(column);
    to.values.push_back(static_cast<const double*>(part.values)[k]);
  }
}

/// Puts the columns of other processes before and behind those that this one owns. others: null on one process.
void merge(const spress_arrays& own, const spress_arrays* others, const PetscInt* columns, PetscInt first, Rows& to) {
  const auto entries = static_cast<std::size_t>(own.nnz + (others != nullptr ? others->nnz : 0));
  to.row_ptr.reserve(static_cast<std::size_t>(own.rows) + 1);
  to.col_idx.reserve(entries);
  to.values.reserve(entries);
  for (PetscInt r = 0; r < own.rows; ++r) {
    const auto left = [&](PetscInt column) { return column < first; };
    const auto right = [&](PetscInt column) { return column >= first; };
    if (others != nullptr) add_entries(*others, r, columns, 0, to, left);
    add_entries(own, r, nullptr, first, to, [](PetscInt) { return true; });
    if (others != nullptr) add_entries(*others, r, columns, 0, to, right);
    to.row_ptr.push_back(static_cast<PetscInt>(to.col_idx.size()));
  }
}

PetscErrorCode decode(const Encoded& encoded, OwnedCsr& out, spress_arrays& arrays) {
  spress_csr* csr = nullptr;
  PetscFunctionBegin;
  PetscCall(check(spress_decode(encoded.matrix.get(), &csr)));
  out.reset(csr);
  spress_csr_arrays(csr, &arrays);
  PetscFunctionReturn(0);
}

PetscErrorCode check_row(Mat A, PetscInt row) {
  PetscFunctionBegin;
  PetscCheck(row >= A->rmap->rstart && row < A->rmap->rend, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Row %" PetscInt_FMT " is not one of this process: %" PetscInt_FMT " to %" PetscInt_FMT, row,
             A->rmap->rstart, A->rmap->rend - 1);
  PetscFunctionReturn(0);
}

[[nodiscard]] PetscScalar value_at(const Rows& rows, PetscInt row, PetscInt column) {
  const auto begin = rows.col_idx.begin() + rows.row_ptr[row], end = rows.col_idx.begin() + rows.row_ptr[row + 1];
  const auto found = std::lower_bound(begin, end, column);
  return found != end && *found == column ? rows.values[found - rows.col_idx.begin()] : 0;
}

}  // namespace

PetscErrorCode check_index(PetscInt index, PetscInt count, const char* what) {
  PetscFunctionBegin;
  PetscCheck(index < count, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "There is no %s %" PetscInt_FMT ": the last is %" PetscInt_FMT, what, index, count - 1);
  PetscFunctionReturn(0);
}

PetscErrorCode make_rows(Mat A) {
  Data& data = data_of(A);
  OwnedCsr diagonal, ghosts;
  spress_arrays own, others;
  PetscFunctionBegin;
  if (data.rows != nullptr) PetscFunctionReturn(0);
  PetscCheck(data.is_encoded, PETSC_COMM_SELF, PETSC_ERR_ORDER, "the matrix has no entries yet");
  PetscCall(decode(data.diagonal, diagonal, own));
  if (data.ghosts.matrix != nullptr) PetscCall(decode(data.ghosts, ghosts, others));
  PetscCall(guarded([&] {
    auto rows = std::make_unique<Rows>();
    merge(own, ghosts != nullptr ? &others : nullptr, data.ghost_columns.data(), A->cmap->rstart, *rows);
    data.rows = std::move(rows);
  }));
  PetscFunctionReturn(0);
}

PetscErrorCode get_row(Mat A, PetscInt row, PetscInt* count, PetscInt** columns, PetscScalar** values) {
  Data& data = data_of(A);
  PetscFunctionBegin;
  data.row_is_of_inner = data.inner != nullptr;
  if (data.row_is_of_inner) {
    PetscCall((data.inner->ops->getrow)(data.inner, row, count, columns, values));
    PetscFunctionReturn(0);
  }
  PetscCall(check_row(A, row));
  PetscCall(make_rows(A));
  Rows& rows = *data.rows;
  const PetscInt local = row - A->rmap->rstart, begin = rows.row_ptr[local];
  if (count != nullptr) *count = rows.row_ptr[local + 1] - begin;
  if (columns != nullptr) *columns = rows.col_idx.data() + begin;
  if (values != nullptr) *values = rows.values.data() + begin;
  PetscFunctionReturn(0);
}

PetscErrorCode restore_row(Mat A, PetscInt row, PetscInt* count, PetscInt** columns, PetscScalar** values) {
  const Data& data = data_of(A);
  PetscFunctionBegin;
  if (data.row_is_of_inner && data.inner != nullptr && data.inner->ops->restorerow != nullptr)
    PetscCall((data.inner->ops->restorerow)(data.inner, row, count, columns, values));
  PetscFunctionReturn(0);
}

PetscErrorCode get_values(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[],
                          PetscScalar values[]) {
  const Data& data = data_of(A);
  PetscFunctionBegin;
  if (data.inner != nullptr) {
    PetscCall((data.inner->ops->getvalues)(data.inner, m, rows, n, cols, values));
    PetscFunctionReturn(0);
  }
  PetscCall(make_rows(A));
  for (PetscInt i = 0; i < m; ++i) {
    if (rows[i] < 0) continue;
    PetscCall(check_row(A, rows[i]));
    for (PetscInt j = 0; j < n; ++j) PetscCall(check_index(cols[j], A->cmap->N, "column"));
    for (PetscInt j = 0; j < n; ++j)
      if (cols[j] >= 0) values[i * n + j] = value_at(*data.rows, rows[i] - A->rmap->rstart, cols[j]);
  }
  PetscFunctionReturn(0);
}

}  // namespace spress_petsc

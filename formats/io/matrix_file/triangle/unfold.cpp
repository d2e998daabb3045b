#include "formats/io/matrix_file/triangle/unfold.hpp"

#include <algorithm>

#include "formats/core/threads.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/positions_of.hpp"
#include "formats/io/matrix_file/triangle/direct.hpp"
#include "formats/io/matrix_file/triangle/sorted.hpp"
#include "formats/io/matrix_file/triangle/whole.hpp"

namespace spress::io {
namespace {

/// Whether most entries are where the row before has none nearby, as a sample of them shows.
bool are_scattered(const LowerRows& rows) {
  constexpr std::uint64_t in_cache = 256 << 10, sample = 1024, near = 16;
  if (rows.entries() < in_cache) return false;
  std::uint64_t seen = 0, far = 0;
  const std::uint32_t* columns = rows.columns();
  for (std::uint64_t i = 0; i < sample; ++i) {
    const std::uint64_t r = 1 + (rows.size() - 1) * i / sample;
    if (r == rows.size() || rows.length(r) < 2) continue;
    const std::uint64_t begin = rows.begin(r);
    const std::uint64_t column = columns[begin + (rows.length(r) - 1) / 2];
    const std::uint32_t *first = columns + rows.begin(r - 1), *last = columns + begin;
    const std::uint32_t* found = std::lower_bound(first, last, column < near ? 0 : column - near);
    ++seen;
    far += found == last || *found > column + near ? 1 : 0;
  }
  return 2 * far > seen;
}

/// Makes the arrays of the entries, and calls fill(arrays).
template <class Fill>
void make_entries(Csr<Owned>& a, ValueType type, Fill fill) {
  a.col_idx = HostArray<std::uint32_t>(a.nnz);
  a.values = uninitialised_raw_store(type, a.nnz);
  with_value_type(type, [&]<class V>(V) {
    fill(Whole<V>{a.col_idx.data(), reinterpret_cast<V*>(a.values.codes.memory.data())});
  });
}

}  // namespace

Error other_entries() { return layout::damaged("the triangle makes another number of entries than the matrix has"); }

Result<Csr<Owned>> unfold(const LowerTriangle& lower, Fold fold, ValueType type, std::uint64_t nnz, int threads) {
  const LowerRows rows(lower, fold, threads);
  const int team = threads_worth(threads, rows.entries());
  Csr<Owned> a;
  a.rows = a.cols = lower.rows;
  a.nnz = nnz;
  if (are_scattered(rows)) {
    SortedUnfolding sorted(rows, team);
    if (sorted.entries() != nnz) return other_entries();
    make_entries(a, type, [&](const auto& out) { sorted.fill(out); });
    a.row_ptr = positions_of(sorted.lengths(), nnz, team);
  } else {
    DirectUnfolding direct(rows, team);
    if (direct.count() != nnz) return other_entries();
    a.row_ptr = Positions<Owned>(position_type(nnz), a.rows + 1);
    fill_positions(a.row_ptr, [&](auto* row_ptr) { direct.place(row_ptr); });
    make_entries(a, type, [&](const auto& out) {
      with_positions(a.row_ptr, [&](const auto* row_ptr) { direct.fill(row_ptr, out); });
    });
  }
  return a;
}

}  // namespace spress::io

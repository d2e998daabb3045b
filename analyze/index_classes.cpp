#include "analyze/index_classes.hpp"

#include "formats/core/threads.hpp"

namespace spress::analyze {
namespace {

void count(WidthCounts& counts, Width width, std::uint64_t n) {
  (width == Width::bits8 ? counts.bits8 : width == Width::bits16 ? counts.bits16 : counts.bits32) += n;
}

void add(WidthCounts& to, const WidthCounts& from) {
  to.bits8 += from.bits8;
  to.bits16 += from.bits16;
  to.bits32 += from.bits32;
}

void add_row(std::array<IndexClasses, 4>& classes, std::uint64_t row, const std::uint32_t* cols, std::uint64_t n) {
  const RowShape shape = n == 0 ? RowShape{} : row_shape(row, cols, n);  // an empty row needs 8 bits, as zeros do
  for (std::size_t s = 0; s < classes.size(); ++s) {
    const Width width = width_of(static_cast<Strategy>(s), shape);
    classes[s].matrix = std::max(classes[s].matrix, width);
    count(classes[s].rows, width, 1);
    count(classes[s].nnz, width, n);
  }
}

}  // namespace

void add_classes(std::array<IndexClasses, 4>& to, const std::array<IndexClasses, 4>& from) {
  for (std::size_t s = 0; s < to.size(); ++s) {
    to[s].matrix = std::max(to[s].matrix, from[s].matrix);
    add(to[s].rows, from[s].rows);
    add(to[s].nnz, from[s].nnz);
  }
}

std::array<IndexClasses, 4> index_classes(const Csr<Viewed>& a, int threads, std::uint64_t first_row) {
  std::array<IndexClasses, 4> all;
#pragma omp parallel num_threads(threads_worth(threads, a.rows + a.nnz))
  {
    std::array<IndexClasses, 4> mine;
    with_positions(a.row_ptr, [&](const auto* row_ptr) {
#pragma omp for schedule(dynamic, 1024) nowait  // rows differ in length
      for (std::uint64_t r = 0; r < a.rows; ++r)
        add_row(mine, first_row + r, a.col_idx.data() + row_ptr[r], row_ptr[r + 1] - row_ptr[r]);
    });
#pragma omp critical(spress_index_classes)
    add_classes(all, mine);
  }
  return all;
}

}  // namespace spress::analyze

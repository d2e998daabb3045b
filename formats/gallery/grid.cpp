#include "formats/gallery/grid.hpp"

namespace spress::gallery {

void BoxRows::fill(std::uint64_t row, RowWriter& out) const {
  const auto [x, y, z] = grid_.point(row / unknowns_);
  const std::uint64_t block = unknowns_ * unknowns_, p = row % unknowns_;
  for (std::uint64_t k = z == 0 ? 1 : 0; k < 3 && z + k <= grid_.nz; ++k)
    for (std::uint64_t j = y == 0 ? 1 : 0; j < 3 && y + j <= grid_.ny; ++j)
      for (std::uint64_t i = x == 0 ? 1 : 0; i < 3 && x + i <= grid_.nx; ++i) {
        const std::uint64_t point = ((z + k - 1) * grid_.ny + y + j - 1) * grid_.nx + x + i - 1;
        const double* values = table_.data() + ((k * 3 + j) * 3 + i) * block + p * unknowns_;
        for (std::uint64_t q = 0; q < unknowns_; ++q) out.add(point * unknowns_ + q, values[q]);
      }
}

}  // namespace spress::gallery

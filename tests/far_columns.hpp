// A matrix whose entries lie far apart: what distinguishes rows takes many bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "formats/csr/csr.hpp"

namespace spress::tests {

/// 70 rows of up to 13 entries anywhere in `cols` columns, but for one row of up to 900.
inline Csr<Owned> far_columns(std::uint32_t cols) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> row_ptr = {0}, col_idx;
  for (std::uint32_t r = 0; r < 70; ++r) {
    std::vector<std::uint32_t> row(r == 66 ? 900 : 13);
    for (std::uint32_t& column : row) column = static_cast<std::uint32_t>(random() % cols);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    col_idx.insert(col_idx.end(), row.begin(), row.end());
    row_ptr.push_back(static_cast<std::uint32_t>(col_idx.size()));
  }
  Csr<Owned> a;
  a.rows = 70;
  a.cols = cols;
  a.nnz = col_idx.size();
  a.row_ptr = Positions<Owned>(HostArray<std::uint32_t>(std::span<const std::uint32_t>(row_ptr)));
  a.col_idx = HostArray<std::uint32_t>(std::span<const std::uint32_t>(col_idx));
  HostArray<double> values(a.nnz);
  for (std::uint64_t k = 0; k < a.nnz; ++k) values[k] = static_cast<double>(random() % 500) / 10;
  a.values = raw_store(std::move(values));
  return a;
}

}  // namespace spress::tests

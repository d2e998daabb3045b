#pragma once

#include <cstdint>
#include <string_view>

#include "formats/bitmap/bmsparse_csr.hpp"
#include "formats/csr/opt_csr.hpp"

namespace spress {

/// Dense 8x8 blocks as bitmaps, the scattered rest as optimized CSR; y is the sum of both products.
/// Blocks of at least `threshold` entries are dense. A part without entries is a matrix of no rows, so that all in
/// blocks and none in blocks cost a few bytes more than the formats alone.
/// Source: the future work of Freire et al. 2024; the paper leaves the split open.
template <class Storage = Owned>
struct HybridBmCsr {
  static constexpr std::string_view name = "hybrid-bm-csr";
  static constexpr std::string_view summary = "dense 8x8 blocks as bmsparse-csr, the scattered rest as opt-csr";
  static constexpr bool slow_product = true;  ///< blocks are expanded bit by bit; see pacing_formats
  static constexpr bool sized_by_panels = true;

  /// One more than a block can hold: nothing is dense.
  static constexpr std::uint32_t none_dense = 65;

  struct Params {
    AutoNumber threshold = std::nullopt;
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("threshold", threshold, "entries that make a block dense, 1 to 65 (none), or auto: fewest bytes");
    }
  };

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint32_t threshold = none_dense;  // 1..65
  BmSparseCsr<Storage> bm;               // rows x cols, or 0 x cols without entries; its values stand in `values`
  OptCsr<Storage> csr;                   // the same
  ValueStore<Storage> values;            // nnz: those of bm, then those of csr

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("threshold", self.threshold...);
    visit.part("bm", self.bm...);
    visit.part("csr", self.csr...);
    visit.store(self.values...);
  }
};

/// The parts with their values. Requires: f.values holds f.nnz = f.bm.nnz + f.csr.nnz values.
[[nodiscard]] inline BmSparseCsr<Viewed> dense_part(const HybridBmCsr<Viewed>& f) {
  BmSparseCsr<Viewed> part = f.bm;
  part.values = slice_of(f.values, 0, part.nnz);
  return part;
}
[[nodiscard]] inline OptCsr<Viewed> scattered_part(const HybridBmCsr<Viewed>& f) {
  OptCsr<Viewed> part = f.csr;
  part.values = slice_of(f.values, f.bm.nnz, part.nnz);
  return part;
}

[[nodiscard]] Status validate(const HybridBmCsr<Viewed>& a);

}  // namespace spress

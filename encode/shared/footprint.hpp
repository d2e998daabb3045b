// What a matrix would take in each format with each value store: exact bytes, nothing built.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/value_statistics.hpp"
#include "encode/shared/any.hpp"

namespace spress {

/// The bytes of the values in each of all_stores; none: not applicable.
using StoreBytes = std::array<std::optional<std::uint64_t>, all_stores.size()>;

/// The store with the fewest bytes, the first of equals; none where none is applicable. only: the one store allowed.
[[nodiscard]] std::optional<StoreKind> smallest_store(const StoreBytes& bytes, std::optional<StoreKind> only = {});

struct Footprint {
  std::string format;
  std::string parameters;  ///< as given in the spec, "" for the defaults
  SizeEstimate size;
  StoreBytes store_bytes;
  std::uint64_t total_bytes = 0;  ///< index bytes + raw values
  double ratio_to_csr = 1;        ///< total_bytes / CSR's total bytes with raw values; 1 where CSR has none
  /// (total_bytes - value width * nnz) / nnz: padding counts, and values that are coded smaller are counted off.
  double index_bytes_per_nnz = 0;
  std::optional<std::string> unfit;  ///< why this format cannot hold this matrix

  struct Smallest {
    StoreKind store = StoreKind::raw;
    std::uint64_t total_bytes = 0;
  };
  /// As smallest_store; none where the format cannot hold the matrix.
  [[nodiscard]] std::optional<Smallest> smallest(std::optional<StoreKind> only = {}) const;
};

/// The bytes of a matrix as CSR with raw values.
[[nodiscard]] std::uint64_t csr_bytes(const WholeMatrix& whole);

/// The footprint of `a` in each format of `formats`. `statistics` are those of a's raw values.
/// Errors: usage for an unknown format or parameter.
[[nodiscard]] Result<std::vector<Footprint>> footprints(const Csr<Viewed>& a, const std::vector<Spec>& formats,
                                                        const analyze::ValueStatistics& statistics);

/// Finds the footprints of a matrix that comes in panels.
class FootprintStream {
 public:
  /// Errors: usage for an unknown format or parameter.
  [[nodiscard]] static Result<FootprintStream> of(const std::vector<Spec>& formats);
  /// Throws std::bad_alloc.
  void add(const RowPanel& panel);
  /// Called once, behind the last panel. not_sized: the reason given for formats without a SizeStream.
  [[nodiscard]] Result<std::vector<Footprint>> footprints(const WholeMatrix& whole,
                                                          const analyze::ValueStatistics& statistics,
                                                          const std::string& not_sized);

 private:
  std::vector<std::pair<Spec, std::unique_ptr<SizeStream>>> formats_;
};

}  // namespace spress

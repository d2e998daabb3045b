// What a product takes on a device, predicted from counts: a sum of terms whose prices were fitted to measured times.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/gathers.hpp"
#include "encode/codec.hpp"

namespace spress {

/// What the time of a product is made of. Slots, padding included, come last, one price for each value store, since
/// decoding a value costs the more the less it reads.
enum class CostTerm : std::uint8_t {
  launch,         ///< 1 for each product
  stream_bytes,   ///< of the format and both vectors, as far as the cache does not hold them between two products
  cached_bytes,   ///< the rest of these
  rows,           ///< empty ones included
  row_sectors,    ///< GatherCounts::by_row
  slice_sectors,  ///< GatherCounts::by_slice
  far_bytes,      ///< 32 for each of GatherCounts::by_window
  missed_bytes,   ///< of far_bytes, the share of x that the cache cannot hold
  longest_row,    ///< its entries
};
template <>
struct EnumNames<CostTerm> {
  static constexpr std::array<std::string_view, 9> names = {"launch",    "stream_bytes", "cached_bytes",
                                                            "rows",      "row_sectors",  "slice_sectors",
                                                            "far_bytes", "missed_bytes", "longest_row"};
};
inline constexpr std::size_t fixed_terms = EnumNames<CostTerm>::names.size();
inline constexpr std::size_t cost_terms = fixed_terms + all_stores.size();
[[nodiscard]] std::string cost_term_name(std::size_t term);  ///< "rows", "slots_lut8"

using CostCounts = std::array<double, cost_terms>;
/// Seconds of one unit of each term; none: not measured.
using CostPrices = std::array<std::optional<double>, cost_terms>;

/// What all formats of a matrix have in common, as far as time goes.
struct MatrixWork {
  double rows = 0, cols = 0, nnz = 0, longest_row = 0;
  double row_sectors = 0, slice_sectors = 0, far_sectors = 0;
  double value_bytes = 8;  ///< of an element of x and y
  bool pattern = false;
};

/// From the matrix, or from a sample of its rows.
[[nodiscard]] MatrixWork matrix_work(const Csr<Viewed>& a, int threads = 0);

/// A format's prices on one device.
struct FormatPrices {
  std::string format;  ///< as Spec::text(); empty: those of any format, from the measurements of all
  std::string type;    ///< of the values: float or double
  CostPrices prices = {};
  double error = 0;                ///< root mean square of predicted / measured - 1
  std::uint64_t measurements = 0;  ///< fitted to
};

struct CostModel {
  double cache_bytes = 0;            ///< of the device's last-level cache
  double link_bytes_per_second = 0;  ///< from the host's memory to the device's; 0: the matrix is there already
  double link_seconds = 0;           ///< that one transfer takes besides
  std::vector<FormatPrices> formats;

  /// Those of the format with these parameters, else without, else of any; of the type, else of any. Null: none.
  [[nodiscard]] const FormatPrices* find(const Spec& format, std::string_view type) const;
};

/// The counts of a product whose format takes `bytes` with its values in `store`.
[[nodiscard]] CostCounts cost_counts(const MatrixWork& work, double bytes, double slots, StoreKind store,
                                     double cache_bytes);

/// Seconds of a product. A store that was not measured costs as much as the dearest that was.
[[nodiscard]] double predict(const CostPrices& prices, const CostCounts& counts);

struct TimedProduct {
  CostCounts counts = {};
  double seconds = 0;
};
struct CostFit {
  CostPrices prices = {};
  double error = 0, worst = 0;  ///< root mean square and largest of |predicted / measured - 1|
};

/// The prices, none negative, that predict the times with the least squares of relative errors. Terms that occur in no
/// measurement get none. Requires: positive seconds.
[[nodiscard]] CostFit fit_prices(const std::vector<TimedProduct>& products);

}  // namespace spress

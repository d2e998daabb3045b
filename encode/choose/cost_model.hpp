// Predicts the time of a product on a device: a sum of terms with fitted prices, times a correction that measured
// products of similar matrices suggest. cost_fit.hpp finds both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/gathers.hpp"
#include "encode/shared/codec.hpp"

namespace spress {

/// The terms of a product's time. Behind them come the slots, padding included, with one price for each value store.
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
  padding,        ///< slots beyond the entries
  small_table,    ///< 1 if values are ids of one byte
  large_table,    ///< 1 if values are ids of two bytes
};
template <>
struct EnumNames<CostTerm> {
  static constexpr std::array<std::string_view, 12> names = {
      "launch",    "stream_bytes", "cached_bytes", "rows",    "row_sectors", "slice_sectors",
      "far_bytes", "missed_bytes", "longest_row",  "padding", "small_table", "large_table"};
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

/// The store whose price counts: a pattern is read as all ones are.
[[nodiscard]] inline StoreKind priced_store(const MatrixWork& work, StoreKind store) {
  return work.pattern ? StoreKind::iso : store;
}

/// Counts the work of a matrix, or of a sample of its rows. value_bytes: of an element of x; 0: as wide as the values.
[[nodiscard]] MatrixWork matrix_work(const Csr<Viewed>& a, std::uint64_t value_bytes = 0, int threads = 0);

/// The properties of a matrix on which the time of its products depends. In this order: entries a row, sectors an entry
/// by row, by slice and by window, the working set, the longest row, rows, columns.
using Likeness = std::array<double, 8>;

/// What a measured product tells of another one: the parameters of kriging.
struct LikenessScales {
  static constexpr std::uint64_t version = 1;  ///< changes with the scales, because weights were fitted with them
  Likeness matrix = {0.225, 0.33, 2.68, 0.07, 0.36, 0.32, 0.068, 0.1};  ///< such that a difference of 1 matters
  double padding = 2.4;                                                 ///< likewise, of log2(slots / entries)
  double other_store = 0.56;  ///< share of a correction that holds for other stores
  double far_share = 0.4;     ///< share of the variance that reaches as far as these scales; the rest reaches a quarter
  double variance = 0.0167, noise = 0.002;  ///< of log(measured / sum): explained by likeness, and not
};
inline constexpr LikenessScales likeness_scales;

/// The properties of a matrix, scaled so that distances can be taken.
[[nodiscard]] Likeness likeness(const MatrixWork& work, double cache_bytes);
/// The padding of a format, scaled likewise.
[[nodiscard]] double padding_of(const MatrixWork& work, double slots);

/// The share of the explained variance that two matrices have in common: 1 for the same one.
[[nodiscard]] double shared_variance(const Likeness& x, const Likeness& y);
/// The share that two paddings have in common.
[[nodiscard]] double shared_padding(double x, double y);

/// The share of a measured product in the corrections of products like it.
struct ProductWeight {
  std::uint32_t place = 0;  ///< of its matrix among CostModel::places
  double padding = 0;       ///< padding_of
  double weight = 0;
};

/// The prices of a format on one device.
struct FormatPrices {
  std::string format;  ///< as Spec::text()
  std::string type;    ///< of the values: float or double
  CostPrices prices = {};
  double offset = 0;  ///< logarithm of the correction where no measured matrix is similar
  std::array<std::vector<ProductWeight>, all_stores.size()> weights = {};
};

struct CostModel {
  double cache_bytes = 0;            ///< of the device's last-level cache
  double link_bytes_per_second = 0;  ///< from the host's memory to the device's; 0: the matrix is there already
  double link_seconds = 0;           ///< of each transfer besides
  std::vector<FormatPrices> formats = {};
  std::vector<Likeness> places = {};  ///< of the measured matrices

  /// Prefers the format with these parameters, then with none; then the same type. Null: not measured.
  [[nodiscard]] const FormatPrices* find(const Spec& format, std::string_view type) const;
};

/// The size of a format of one matrix.
struct FormatWork {
  double bytes = 0, slots = 0;  ///< of all arrays; of values, padding included
  StoreKind store = StoreKind::raw;
};

[[nodiscard]] CostCounts cost_counts(const MatrixWork& work, const FormatWork& format, double cache_bytes);

/// Seconds of a product by the sum alone. A store that was not measured costs as much as the dearest that was.
[[nodiscard]] double priced(const CostPrices& prices, const CostCounts& counts);

/// shared_variance of a matrix with each measured one.
[[nodiscard]] std::vector<double> nearness(const std::vector<Likeness>& places, const Likeness& at);

/// A factor for the sum, for each store.
using Corrections = std::array<double, all_stores.size()>;
[[nodiscard]] Corrections corrections(const FormatPrices& format, const std::vector<double>& near, double padding);

}  // namespace spress

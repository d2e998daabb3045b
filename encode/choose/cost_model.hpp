// What a product takes on a device, predicted from measured products: a sum of terms whose prices were fitted to all of
// them, corrected by how far the sum was off for those that are alike.
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
  padding,        ///< slots beyond the entries
  small_table,    ///< 1 where values are ids of one byte
  table_values,   ///< in its table then, which blocks may fill first
  large_table,    ///< 1 where they are ids of two bytes
};
template <>
struct EnumNames<CostTerm> {
  static constexpr std::array<std::string_view, 13> names = {
      "launch",       "stream_bytes", "cached_bytes", "rows",        "row_sectors",  "slice_sectors", "far_bytes",
      "missed_bytes", "longest_row",  "padding",      "small_table", "table_values", "large_table"};
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

/// From the matrix, or from a sample of its rows.
[[nodiscard]] MatrixWork matrix_work(const Csr<Viewed>& a, int threads = 0);

/// In what matrices are alike as far as the time of products goes. In this order: entries a row, sectors an entry by
/// row, by slice and by window, the working set, the longest row, rows, columns.
using Likeness = std::array<double, 8>;

/// How far what is alike goes. A calibration holds those that its weights were found with.
struct LikenessScales {
  Likeness matrix = {0.225, 0.33, 2.68, 0.07, 0.36, 0.32, 0.068, 0.1};  ///< such that a difference of 1 matters
  double padding = 2.4;                                                 ///< likewise, of log2(slots / entries)
  double other_store = 0.56;  ///< what a product tells of one with another store
  double far_share = 0.4;     ///< of what likeness explains, as far as these scales go; the rest goes a quarter as far
  double variance = 0.0167, noise = 0.002;  ///< of log(measured / sum): what likeness explains, and what it does not
};

/// The likenesses of the measured matrices as a choice reads them: for each coordinate of Likeness a number for each
/// matrix, in their order, so that several are looked at at a time.
class Places {
 public:
  Places() = default;
  explicit Places(const std::vector<Likeness>& places);

  [[nodiscard]] std::size_t size() const { return coordinates_[0].size(); }
  [[nodiscard]] const std::vector<float>& coordinate(std::size_t k) const { return coordinates_[k]; }

 private:
  std::array<std::vector<float>, std::tuple_size_v<Likeness>> coordinates_;
};

/// Scaled, so that distances can be taken.
[[nodiscard]] Likeness likeness(const MatrixWork& work, double cache_bytes, const LikenessScales& scales);
[[nodiscard]] double padding_of(const MatrixWork& work, double slots, const LikenessScales& scales);

/// How far the sum was off for a measured product.
struct Residual {
  std::uint32_t place = 0;  ///< of its matrix
  StoreKind store = StoreKind::raw;
  double padding = 0;    ///< padding_of
  double log_ratio = 0;  ///< of measured / priced
};

/// By place, 0 where no product was measured there: what the products with one store count, and how they are padded.
struct StoreWeights {
  std::vector<float> weight, padding;  ///< places of the model, or none
  bool any_padding = false;
};

/// What is known of a format on one device.
struct FormatPrices {
  std::string format;  ///< as Spec::text()
  std::string type;    ///< of the values: float or double
  CostPrices prices = {};
  double offset = 0;   ///< the logarithm of the correction where nothing is alike
  bool needed = true;  ///< false: nearly always one that is needed is nearly as fast, see Calibrator
  std::array<StoreWeights, all_stores.size()> weights = {};

  /// places: of the model.
  void add_weight(std::size_t places, const Residual& at, double weight);
};

struct CostModel {
  double cache_bytes = 0;            ///< of the device's last-level cache
  double link_bytes_per_second = 0;  ///< from the host's memory to the device's; 0: the matrix is there already
  double link_seconds = 0;           ///< that one transfer takes besides
  std::vector<FormatPrices> formats = {};
  LikenessScales scales = {};
  Places places = {};  ///< of the measured matrices, scaled

  /// Those of the format with these parameters, else without; of the type, else of any. Null: not measured.
  [[nodiscard]] const FormatPrices* find(const Spec& format, std::string_view type) const;
};

/// What corrections of a format follow from.
struct Learnt {
  double offset = 0;
  std::vector<double> weights;  ///< of the residuals
};

/// Kriging: what is explained is the likeliest of what varies smoothly with likeness.
/// Complexity: the cube of the number of residuals.
/// Source: Rasmussen, Williams, "Gaussian Processes for Machine Learning", 2006, section 2.2.
[[nodiscard]] Learnt learn(const std::vector<Residual>& residuals, const std::vector<Likeness>& places,
                           const LikenessScales& scales);

/// What a format makes of a matrix.
struct FormatWork {
  double bytes = 0, slots = 0;  ///< of all; of values, padding included
  StoreKind store = StoreKind::raw;
  double table_values = 0;  ///< in the store's table
};

[[nodiscard]] CostCounts cost_counts(const MatrixWork& work, const FormatWork& format, double cache_bytes);

/// Seconds of a product by the sum alone. A store that was not measured costs as much as the dearest that was.
[[nodiscard]] double priced(const CostPrices& prices, const CostCounts& counts);

/// How much each of the measured matrices tells of another one: 1 if it is the same.
[[nodiscard]] std::vector<float> nearness(const Places& places, const Likeness& at, const LikenessScales& scales);

/// What measured products make of the sum, for each store: a factor.
using Corrections = std::array<double, all_stores.size()>;
[[nodiscard]] Corrections corrections(const FormatPrices& format, const std::vector<float>& near, double padding,
                                      const LikenessScales& scales);

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

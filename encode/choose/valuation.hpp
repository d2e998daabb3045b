// Values formats of a given size: their bytes with each value store, and predicted times.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "encode/choose/choose.hpp"
#include "encode/choose/row_sample.hpp"

namespace spress {

/// The size of a format, as far as value stores do not matter.
struct FormatSize {
  double index_bytes = 0, slots = 0;
  std::optional<double> own_value_bytes = std::nullopt;
};

/// A format with one value store.
struct Worth {
  double bytes = 0;
  std::optional<double> seconds = std::nullopt, transfer_seconds = std::nullopt;
  double value = std::numeric_limits<double>::infinity();  ///< goal_value
};
using WorthByStore = std::array<std::optional<Worth>, all_stores.size()>;

/// goal_value of these numbers.
[[nodiscard]] double goal_value(double bytes, const std::optional<double>& seconds,
                                const std::optional<double>& transfer_seconds, const ChoiceOptions& options);

/// Weighs formats of one matrix.
class Valuation {
 public:
  /// sample: counts of memory accesses are taken from its rows. Refers to `options`.
  Valuation(const Csr<Viewed>& a, const RowSample& sample, const analyze::ValueStatistics& values,
            const ChoiceOptions& options);

  /// None for stores that do not hold the values, or are not allowed.
  [[nodiscard]] WorthByStore weigh(const Spec& format, const FormatSize& size) const;

 private:
  /// The bytes of a store: those of its table, and those of each slot.
  struct StoreCost {
    bool holds = false;
    double table = 0, slot = 0;
  };
  void take_work(const Csr<Viewed>& a, const RowSample& sample);
  [[nodiscard]] bool is_allowed(StoreKind kind, const FormatSize& size) const;
  [[nodiscard]] const StoreCost& cost_of(StoreKind kind) const { return costs_[static_cast<std::size_t>(kind)]; }

  const ChoiceOptions& options_;
  std::string_view type_;
  std::array<StoreCost, all_stores.size()> costs_ = {};
  MatrixWork work_;
  std::vector<double> near_;  // nearness of the matrices that the model knows
};

}  // namespace spress

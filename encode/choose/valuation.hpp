// The candidates that a format of a given size makes: its bytes with each value store, and predicted times.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "encode/choose/choose.hpp"
#include "encode/choose/row_sample.hpp"

namespace spress {

/// Weighs formats of one matrix.
class Valuation {
 public:
  /// sample: counts of memory accesses are taken from its rows. Refers to `options`.
  Valuation(const Csr<Viewed>& a, const RowSample& sample, const analyze::ValueStatistics& values,
            const ChoiceOptions& options);

  /// A candidate for each store that holds the values and is allowed. size: of the matrix. exact: of the candidates.
  [[nodiscard]] std::vector<Candidate> weigh(const Spec& format, const SizeEstimate& size, bool exact) const;

 private:
  /// The bytes of a store: those of its table, and those of each slot.
  struct StoreCost {
    bool holds = false;
    std::uint64_t table = 0, slot = 0;
  };
  void take_work(const Csr<Viewed>& a, const RowSample& sample);
  [[nodiscard]] bool is_allowed(StoreKind kind, const SizeEstimate& size) const;
  [[nodiscard]] const StoreCost& cost_of(StoreKind kind) const { return costs_[static_cast<std::size_t>(kind)]; }

  const ChoiceOptions& options_;
  std::string_view type_;
  std::array<StoreCost, all_stores.size()> costs_ = {};
  MatrixWork work_;
  std::vector<double> near_;  // nearness of the matrices that the model knows
};

}  // namespace spress

// The candidates that a format of a given size makes: its bytes with each value store, and predicted times.
#pragma once

#include <cstdint>
#include <optional>
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
  void take_work(const Csr<Viewed>& a, const RowSample& sample);
  /// The bytes of the values in a store; none if it does not hold them or is not allowed.
  [[nodiscard]] std::optional<std::uint64_t> value_bytes(StoreKind kind, const SizeEstimate& size) const;

  const ChoiceOptions& options_;
  ValueType type_;
  bool no_values_;  // a pattern, or no entries: all stores take the same
  analyze::ValueStatistics values_;
  MatrixWork work_;
  std::vector<double> near_;  // nearness of the matrices that the model knows
};

}  // namespace spress

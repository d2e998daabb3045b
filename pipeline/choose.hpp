// What `auto` takes: an ordering, a format with its parameters, and a value store.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encode/choose/choose.hpp"
#include "pipeline/calibrate/calibration.hpp"
#include "reorder/orderings.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

struct AutoOptions {
  ChoiceOptions choice;
  std::vector<std::string> orderings = {"none"};  ///< to try; none may take more bytes than the first
};

/// The orderings that `auto` tries for a matrix of this shape. Those that move rows and columns apart take entries far
/// from the diagonal, which slows products: a square matrix tries them for bytes alone.
[[nodiscard]] std::vector<std::string> auto_orderings(const Csr<Viewed>& a, Goal goal);

/// A matrix in another order, or as it was.
struct Reordered {
  reorder::Reordering to = {};
  Csr<Owned> reordered = {};  ///< where `to` is not the identity

  /// The matrix in this order, of which `a` was the original.
  [[nodiscard]] Csr<Viewed> matrix(const Csr<Viewed>& a) const { return to.identity() ? a : view_of(reordered); }
};

/// What choose() says of a matrix in one ordering.
struct OrderingChoice {
  std::string ordering;
  Choice choice;
  double seconds = 0;  ///< that choosing took
  bool proven = true;  ///< may be taken: the bytes of the best candidate are exact, or it is the first ordering
  Reordered order = {};
};

struct Decision {
  std::size_t taken = 0;                                      ///< of the orderings
  std::vector<std::pair<std::string, Candidate>> candidates;  ///< with their orderings, the chosen one first
  std::string declined;                                       ///< why a better one was passed over, or ""
  std::vector<std::string> notes;  ///< what the choice in the ordering taken left out or left undecided
  double seconds = 0;              ///< that choosing took, without orderings and permuting
  double exact_seconds = 0;        ///< besides, that the exact bytes took which orderings are compared by

  [[nodiscard]] const std::string& ordering() const { return candidates.front().first; }
  [[nodiscard]] const Candidate& best() const { return candidates.front().second; }
};

/// Whether `auto` goes on without an ordering that ended in this error.
[[nodiscard]] bool passed_over(const Error& error);

/// Decides among orderings as choose_auto does. Requires: one at least.
[[nodiscard]] Decision decide(const std::vector<OrderingChoice>& tried, const ChoiceOptions& options);

struct AutoChoice : Decision, Reordered {};

/// The best candidate in any of the orderings, by the goal. One in another ordering than the first that takes more
/// bytes than the best in the first is declined, whatever the goal, for the next in that ordering that does not: no
/// ordering shall make a matrix larger. Bytes of different orderings are compared exactly; that is not done for one
/// which looks no better by samples than what was taken so far, and is not taken then. Requires: raw values, or a
/// pattern. Errors: as choose and compute_ordering for the first ordering; others that do not apply are passed over.
[[nodiscard]] Result<AutoChoice> choose_auto(const Csr<Viewed>& a, const AutoOptions& options);

/// calibration: that the predictions are from, or null.
[[nodiscard]] reports::ChoiceRecord choice_record(const Decision& decision, Goal goal, const Calibration* calibration);

}  // namespace spress::pipeline

// The chooser: which format, with which parameters and which value store, suits a matrix best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encode/choose/cost_model.hpp"
#include "encode/choose/value_facts.hpp"
#include "encode/shared/footprint.hpp"
#include "formats/core/params.hpp"

namespace spress {

/// What is best.
enum class Goal : std::uint8_t {
  size,      ///< the fewest bytes in memory
  spmv,      ///< the fastest product, as predicted
  transfer,  ///< the shortest way to the device and through some products there, as predicted
};
template <>
struct EnumNames<Goal> {
  static constexpr std::array<std::string_view, 3> names = {"size", "spmv", "transfer"};
};

struct ChoiceOptions {
  Goal goal = Goal::size;
  std::vector<Spec> formats;         ///< to choose among; empty: candidate_formats(goal, model), or few
  std::optional<StoreKind> values;   ///< none: whichever is best
  const CostModel* model = nullptr;  ///< of the device. Required for all goals but size; there it adds predictions
  double products = 1;               ///< after a transfer
  bool exact_best = false;           ///< the bytes of the best one are exact, whatever that takes
  bool all_exact = false;            ///< every candidate by exact bytes, whatever that takes
  int threads = 0;
  ValueFacts* facts = nullptr;                    ///< of this matrix in any order, to add to; null: found anew
  const std::vector<Footprint>* sizes = nullptr;  ///< what is known exactly of the matrix in this order, or null
};

struct Candidate {
  Spec format;
  StoreKind values = StoreKind::raw;
  std::uint64_t total_bytes = 0;
  std::optional<double> seconds = std::nullopt;           ///< of a product; none without a model
  std::optional<double> transfer_seconds = std::nullopt;  ///< none without a link
  bool exact = false;                                     ///< else its bytes, or its values', are from a sample of rows
};

struct Choice {
  std::vector<Candidate> candidates;  ///< the best one first; never empty
  std::vector<std::pair<Spec, std::string>> unfit;
  std::uint64_t sampled_nnz = 0;   ///< entries that the estimates were made from
  std::vector<std::string> notes;  ///< what was left out, and what was left undecided
};

/// What the goal wants little of: bytes, or seconds as predicted; infinite where nothing was predicted.
[[nodiscard]] double goal_value(const Candidate& candidate, const ChoiceOptions& options);

/// For size those formats that pacing_formats() names; else all, and with the parameters that the model knows.
[[nodiscard]] std::vector<Spec> candidate_formats(Goal goal, const CostModel* model);

/// Compares formats by a sample of the rows, those first whose product would be the fastest if their indices took no
/// bytes, and leaves out those that even so are slower than another one. Sizes that depend on the lengths of rows alone
/// are made exact where they decide, since a few long rows may; those that depend on columns only where that is asked
/// for, since it takes longer than choosing may: 20 products of CSR. Where time counts and the matrix is small, only
/// formats_for_few_entries() are compared, and for spmv, as long as CSR is needed, none that the model knows not to be;
/// all if exact bytes are asked for. Values are guessed first; then it is made sure that the store of the best one
/// holds them all. What a format would choose by itself (parameters `auto`) is chosen by the sample, and named in the
/// candidate. Requires: raw values, or a pattern. Errors: usage for unknown formats; not_applicable where no candidate
/// is left, with the reason of the last one. Complexity: that of the estimates for a small part of the rows, a pass
/// over the values at most, and what is asked for.
[[nodiscard]] Result<Choice> choose(const Csr<Viewed>& a, const ChoiceOptions& options);

}  // namespace spress

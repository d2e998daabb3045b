// The chooser: which format, with which parameters and which value store, suits a matrix best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/value_statistics.hpp"
#include "encode/choose/cost_model.hpp"
#include "encode/shared/footprint.hpp"
#include "formats/core/params.hpp"

namespace spress {

/// The quantity that `auto` minimizes.
enum class Goal : std::uint8_t {
  memory,    ///< bytes in memory; records call it size
  spmv,      ///< predicted seconds of a product
  transfer,  ///< predicted seconds of sending the matrix to the device and of a product there
};
template <>
struct EnumNames<Goal> {
  static constexpr std::array<std::string_view, 3> names = {"size", "spmv", "transfer"};
};

/// What users may type; size is an old name of memory.
inline const std::vector<std::string> goal_names = {"memory", "size", "spmv", "transfer"};

/// Errors: usage, listing the choices.
[[nodiscard]] Result<Goal> parse_goal(const std::string& name);

struct ChoiceOptions {
  Goal goal = Goal::memory;
  std::vector<Spec> formats;         ///< to choose among; empty: candidate_formats(goal, model)
  std::optional<StoreKind> values;   ///< the only store allowed; none: any
  const CostModel* model = nullptr;  ///< of the device. Required for spmv and transfer; adds predictions to memory
  bool exact_best = false;           ///< the bytes of the best candidate are exact
  bool all_exact = false;            ///< the bytes of every candidate are exact
  int threads = 0;
  const analyze::ValueStatistics* statistics = nullptr;  ///< of the values, if they are known
  const std::vector<Footprint>* sizes = nullptr;         ///< exact sizes of this matrix, if they are known
};

struct Candidate {
  Spec format;
  StoreKind values = StoreKind::raw;
  std::uint64_t total_bytes = 0;
  std::optional<double> seconds = std::nullopt;           ///< of a product; none without a model
  std::optional<double> transfer_seconds = std::nullopt;  ///< none without a link
  bool exact = false;                                     ///< false: total_bytes is an estimate from a sample of rows
};

struct Choice {
  std::vector<Candidate> candidates;  ///< the best one first; never empty
  std::vector<std::pair<Spec, std::string>> unfit;
  std::vector<std::string> notes;  ///< what was left undecided
};

/// The quantity to minimize: bytes, or predicted seconds; infinite if nothing was predicted.
[[nodiscard]] double goal_value(const Candidate& candidate, const ChoiceOptions& options);

/// The formats of pacing_formats() for memory; otherwise those that the model has prices for, also with the parameters
/// that it knows.
[[nodiscard]] std::vector<Spec> candidate_formats(Goal goal, const CostModel* model);

/// Estimates every candidate from a sample of rows. Then takes exact sizes of those within a tenth of the best, if only
/// row lengths matter, and for the goal memory estimates the others from a larger sample. A matrix of at most 2^15
/// entries is its own sample. Requires: raw values, or a pattern. Errors: usage for unknown formats; not_applicable if
/// no candidate is left, with the reason of the last one. Complexity: aims at 20 products of CSR from 10^6 entries
/// on (docs/auto.md); exact sizes take longer.
[[nodiscard]] Result<Choice> choose(const Csr<Viewed>& a, const ChoiceOptions& options);

}  // namespace spress

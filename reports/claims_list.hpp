// How a claim is stated over records of one kind: shared by the sources that list claims.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/claims.hpp"

namespace spress::reports {

struct Value {
  double value = 0;
  std::string detail;
};
using MaybeValue = std::optional<Value>;

/// What the rows of a run come to: their geometric mean, extremes, or the share of them (in per cent) that are no more
/// than `limit`.
enum class Figure { mean, least, most, share_within };

template <class Record>
struct Question {
  const char *group, *text, *source;
  Figure figure = Figure::mean;
  double target = 1;
  bool (*applies)(const Record& record) = nullptr;
  MaybeValue (*value)(const Record& record) = nullptr;  ///< none: this record does not tell
  const char* unit = "x";
  bool at_least = true;
  double limit = 0;
};

/// Adds a row, in place of one of the same matrix in the same run.
void add_row(Claim& claim, ClaimRow row);
/// Makes outcomes of the rows, and tells the one that counts.
void conclude(Claim& claim, Figure figure, double limit);

template <class Record>
Claim empty_claim(const Question<Record>& question) {
  constexpr std::array names = {"geometric mean", "least", "most", "share of matrices"};
  Claim claim;
  claim.group = question.group;
  claim.text = question.text;
  claim.source = question.source;
  claim.figure = names[static_cast<std::size_t>(question.figure)];
  claim.unit = question.unit;
  claim.target = question.target;
  claim.at_least = question.at_least;
  return claim;
}

/// Which run a measurement belongs to, what it is about, and the commit that was measured.
template <class Record>
std::string run_of(const Record& record) {
  const MachineRecord& m = record.machine;
  if (m.device != "cpu") return m.device;
  return m.machine + ", " + std::to_string(m.threads) + (m.threads == 1 ? " thread" : " threads");
}
template <class Record>
const std::string& name_of(const Record& record) {
  return record.name;
}
template <class Record>
const std::string& commit_of(const Record& record) {
  return record.machine.commit;
}

/// A claim for each question.
template <class Record>
void judge(std::span<const Question<Record>> questions, const std::vector<Record>& records,
           std::vector<Claim>& claims) {
  for (const Question<Record>& question : questions) {
    Claim claim = empty_claim(question);
    for (const Record& record : records) {
      if (question.applies != nullptr && !question.applies(record)) continue;
      const MaybeValue found = question.value(record);
      if (found && std::isfinite(found->value))
        add_row(claim, {run_of(record), name_of(record), commit_of(record), found->detail, found->value});
    }
    conclude(claim, question.figure, question.limit);
    claims.push_back(std::move(claim));
  }
}

/// Of summaries, of products and what `auto` chose among them, of transfers and solvers.
void judge_bytes(const std::vector<Summarized>& summaries, std::vector<Claim>& claims);
void judge_products(const std::vector<BenchRecord>& records, std::vector<Claim>& claims);
void judge_transfers(const std::vector<TransferRecord>& records, std::vector<Claim>& claims);
void judge_solvers(const std::vector<SolveRecord>& records, std::vector<Claim>& claims);

}  // namespace spress::reports

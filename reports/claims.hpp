// spress against the papers and the vendors: what the papers report and what spress aims at, each beside what was
// measured, judged from records alone. A new claim is an entry of a list in claims_measured.cpp or claims_bytes.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/records/record_file.hpp"

namespace spress::reports {

/// One matrix (or collection) of one run.
struct ClaimRow {
  std::string run;  ///< machine, device, threads
  std::string name, commit;
  std::string detail;  ///< what the value is of: the format that was fastest, counts
  double value = 0;
};

/// What the rows of one run come to.
struct ClaimOutcome {
  std::string run;
  std::uint64_t rows = 0;
  double value = 0;
  bool met = false;
};

struct Claim {
  std::string group;   ///< of what kind it is: bytes, products on a GPU, ...
  std::string text;    ///< what is claimed
  std::string source;  ///< who says so: a paper, or spress's own aim
  std::string figure;  ///< what the rows come to: "geometric mean", "least", ...
  std::string unit;    ///< of target and values: "x", "%" or ""
  double target = 0;
  bool at_least = true;  ///< else at most
  std::vector<ClaimRow> rows;
  std::vector<ClaimOutcome> outcomes;  ///< of each run, in order of first appearance
  std::optional<std::size_t> counts;   ///< the outcome that counts; none: it was not measured

  /// met, missed or not measured.
  [[nodiscard]] std::string verdict() const;
};

/// Every claim, measured or not. Of one matrix measured again in the same run (machine, device, threads) the last
/// record that tells counts, whatever its commit; of several runs the one with most matrices, of equals the last. Rows
/// that were found wrong or could not be measured count for nothing. `summaries`: texts of summary.json; one that is no
/// such thing is skipped.
std::vector<Claim> judge_claims(const std::vector<Summarized>& summaries, const Measurements& measured);

/// A value as tables show it.
std::string claim_value(const Claim& claim, double value);

/// The table of all claims for a terminal.
std::string claims_text(const std::vector<Claim>& claims);
/// A JSON array of all claims: members as above, `asked`, `reached` (null: not measured), `verdict`.
std::string claims_json(const std::vector<Claim>& claims);

}  // namespace spress::reports

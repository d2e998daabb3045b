#include "reports/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "formats/json/text.hpp"
#include "reports/claims_list.hpp"
#include "reports/records/means.hpp"
#include "reports/text/text_table.hpp"

namespace spress::reports {
namespace {

double figure_of(const std::vector<double>& values, Figure figure, double limit) {
  switch (figure) {
    case Figure::mean: return geometric_mean(values);
    case Figure::least: return *std::min_element(values.begin(), values.end());
    case Figure::most: return *std::max_element(values.begin(), values.end());
    case Figure::share_within: break;
  }
  const auto within = std::count_if(values.begin(), values.end(), [&](double value) { return value <= limit; });
  return 100 * static_cast<double>(within) / static_cast<double>(values.size());
}

ClaimOutcome outcome_of(const Claim& claim, const std::string& run, Figure figure, double limit) {
  std::vector<double> values;
  for (const ClaimRow& row : claim.rows)
    if (row.run == run) values.push_back(row.value);
  ClaimOutcome out{run, values.size(), figure_of(values, figure, limit), false};
  out.met = claim.at_least ? out.value >= claim.target : out.value <= claim.target;
  return out;
}

std::string asked(const Claim& claim) { return (claim.at_least ? ">= " : "<= ") + claim_value(claim, claim.target); }

json::Value rows_json(const Claim& claim) {
  auto rows = json::Value::array();
  for (const ClaimRow& row : claim.rows)
    rows.push_back(
        {{"run", row.run}, {"name", row.name}, {"commit", row.commit}, {"detail", row.detail}, {"value", row.value}});
  return rows;
}

json::Value outcomes_json(const Claim& claim) {
  auto outcomes = json::Value::array();
  for (const ClaimOutcome& o : claim.outcomes)
    outcomes.push_back({{"run", o.run}, {"rows", o.rows}, {"value", o.value}, {"met", o.met}});
  return outcomes;
}

json::Value claim_json(const Claim& claim) {
  json::Value json = {{"group", claim.group},       {"text", claim.text},   {"source", claim.source},
                      {"figure", claim.figure},     {"unit", claim.unit},   {"target", claim.target},
                      {"at_least", claim.at_least}, {"asked", asked(claim)}};
  json["reached"] = nullptr;
  json["run"] = nullptr;
  if (claim.counts) {
    json["reached"] = claim.outcomes[*claim.counts].value;
    json["run"] = claim.outcomes[*claim.counts].run;
  }
  json["verdict"] = claim.verdict();
  json["outcomes"] = outcomes_json(claim);
  json["rows"] = rows_json(claim);
  return json;
}

}  // namespace

void add_row(Claim& claim, ClaimRow row) {
  const auto same = std::find_if(claim.rows.begin(), claim.rows.end(),
                                 [&](const ClaimRow& r) { return r.run == row.run && r.name == row.name; });
  if (same == claim.rows.end())
    claim.rows.push_back(std::move(row));
  else
    *same = std::move(row);
}

void conclude(Claim& claim, Figure figure, double limit) {
  for (const ClaimRow& row : claim.rows) {
    const auto known = [&](const ClaimOutcome& o) { return o.run == row.run; };
    if (std::none_of(claim.outcomes.begin(), claim.outcomes.end(), known))
      claim.outcomes.push_back(outcome_of(claim, row.run, figure, limit));
  }
  for (std::size_t i = 0; i < claim.outcomes.size(); ++i)
    if (!claim.counts || claim.outcomes[i].rows >= claim.outcomes[*claim.counts].rows) claim.counts = i;
}

std::string Claim::verdict() const {
  if (!counts) return "not measured";
  return outcomes[*counts].met ? "met" : "missed";
}

std::vector<Claim> judge_claims(const std::vector<Summarized>& summaries, const Measurements& measured) {
  std::vector<Claim> claims;
  judge_bytes(summaries, claims);
  judge_products(measured.bench, claims);
  judge_transfers(measured.transfer, claims);
  judge_solvers(measured.solve, claims);
  return claims;
}

std::string claim_value(const Claim& claim, double value) {
  if (claim.unit == "x") return fmt::format("{:.2f}x", value);
  if (claim.unit == "%") return fmt::format("{:.1f}%", value);
  return fmt::format("{:.4g}", value);
}

std::string claims_text(const std::vector<Claim>& claims) {
  std::string group;
  TextTable table({{"", Align::left}, {"reached"}, {"asked"}, {"of"}, {"claim", Align::left}});
  for (const Claim& claim : claims) {
    if (claim.group != group) table.row({"", "", "", "", claim.group + ":"});
    group = claim.group;
    const ClaimOutcome* o = claim.counts ? &claim.outcomes[*claim.counts] : nullptr;
    table.row({claim.verdict(), o == nullptr ? "-" : claim_value(claim, o->value), asked(claim),
               o == nullptr ? "-" : grouped(o->rows), "  " + claim.text + " (" + claim.source + ")"});
  }
  return table.str();
}

std::string claims_json(const std::vector<Claim>& claims) {
  auto list = json::Value::array();
  for (const Claim& claim : claims) list.push_back(claim_json(claim));
  return list.dump();
}

}  // namespace spress::reports

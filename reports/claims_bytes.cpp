// Claims about bytes, from the summaries of collections.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/claims_list.hpp"

namespace spress::reports {
namespace {

using Json = nlohmann::json;

struct Collection {
  std::string source, name, commit;
  Json summary;
};

const std::string& run_of(const Collection& c) { return c.source; }
const std::string& name_of(const Collection& c) { return c.name; }
const std::string& commit_of(const Collection& c) { return c.commit; }

/// The member of a list whose `key` is `name`, or null.
const Json* member(const Json& list, const char* key, const std::string& name) {
  for (const Json& item : list)
    if (item.value(key, "") == name) return &item;
  return nullptr;
}

const Json* footprint_of(const Json& summary, const std::string& format) {
  for (const Json& item : summary.at("footprints"))
    if (item.at("format") == format && item.at("ordering") == "none") return &item;
  return nullptr;
}

MaybeValue mean_reduction(const Collection& c) {
  const Json* f = footprint_of(c.summary, "opt-csr");
  if (f == nullptr) return std::nullopt;
  const Json& r = f->at("reduction").at("model_index_bytes");
  return Value{r.at("mean"), fmt::format("of {} matrices", r.at("matrices").get<std::uint64_t>())};
}

MaybeValue best_reduction(const Collection& c) {
  const Json* f = footprint_of(c.summary, "opt-csr");
  if (f == nullptr) return std::nullopt;
  const Json& r = f->at("reduction").at("model_index_bytes");
  return Value{r.at("best"), r.at("best_name").get<std::string>()};
}

Value share(std::uint64_t part, std::uint64_t whole) {
  return {100 * static_cast<double>(part) / static_cast<double>(whole), fmt::format("{} of {} matrices", part, whole)};
}

MaybeValue bccoo_smaller(const Collection& c) {
  const Json& coo = c.summary.at("compressed_coo");
  const std::uint64_t large = coo.at("large_square");
  if (large == 0) return std::nullopt;
  return share(large - coo.at("not_smaller").size(), large);
}

MaybeValue bccoo_gpu_smaller(const Collection& c) {
  const Json* f = member(c.summary.at("compressed_coo").at("formats"), "format", "bccoo-gpu");
  if (f == nullptr || f->at("matrices") == 0) return std::nullopt;
  return share(f->at("smaller_than_csr"), f->at("matrices"));
}

const Json* index_bytes(const Collection& c) {
  const Json* f = member(c.summary.at("index_bytes_per_nnz").at("formats"), "format", "slice-delta");
  return f == nullptr || f->at("matrices") == 0 ? nullptr : f;
}

MaybeValue mean_index_bytes(const Collection& c) {
  const Json* f = index_bytes(c);
  if (f == nullptr) return std::nullopt;
  return Value{f->at("mean"), fmt::format("slice-delta, {} matrices", f->at("matrices").get<std::uint64_t>())};
}

MaybeValue above_csr(const Collection& c) {
  const Json* f = index_bytes(c);
  if (f == nullptr) return std::nullopt;
  return Value{f->at("above_csr"), fmt::format("slice-delta, {} matrices", f->at("matrices").get<std::uint64_t>())};
}

const Json* selection(const Collection& c, const std::string& name) {
  return member(c.summary.at("selections"), "name", name);
}

MaybeValue auto_larger(const Collection& c) {
  const Json* all = selection(c, "all");
  if (all == nullptr) return std::nullopt;
  const Json* taken = member(all->at("order_bytes"), "ordering", "auto");
  if (taken == nullptr || taken->at("chosen").at("matrices") == 0) return std::nullopt;
  std::string detail = fmt::format("of {} matrices", taken->at("chosen").at("matrices").get<std::uint64_t>());
  if (const Json* rcm = member(all->at("order_bytes"), "ordering", "rcm"))
    detail +=
        fmt::format("; taken blindly, rcm makes {} of {} larger", rcm->at("chosen").at("larger").get<std::uint64_t>(),
                    rcm->at("chosen").at("matrices").get<std::uint64_t>());
  return Value{taken->at("chosen").at("larger"), std::move(detail)};
}

/// Matrices that go to a wider class in the order that auto takes, per cent of the paper's kind of matrices.
MaybeValue wider(const Collection& c, const char* strategy) {
  const Json* symmetric = selection(c, "square-pattern-symmetric");
  if (symmetric == nullptr) return std::nullopt;
  for (const Json& composition : symmetric->at("compositions")) {
    if (composition.at("strategy") != strategy || composition.at("to") != "auto") continue;
    const std::uint64_t left_out = composition.at("left_out"), matrices = symmetric->at("matrices");
    if (matrices != left_out) return share(composition.at("worse"), matrices - left_out);
  }
  return std::nullopt;
}

MaybeValue wider_to_diagonal(const Collection& c) { return wider(c, "delta-to-diagonal"); }
MaybeValue wider_delta(const Collection& c) { return wider(c, "delta"); }

/// Geometric mean of the bandwidth after one ordering over that after another, both over the original one.
MaybeValue bandwidth_of(const Collection& c, const char* ordering, const char* other) {
  const Json* after = member(c.summary.at("ordering_effects"), "ordering", ordering);
  const Json* than = member(c.summary.at("ordering_effects"), "ordering", other);
  if (after == nullptr || than == nullptr || after->at("matrices") != than->at("matrices")) return std::nullopt;
  const double ratio = than->at("mean_bandwidth_ratio");
  if (!(ratio > 0)) return std::nullopt;
  return Value{after->at("mean_bandwidth_ratio").get<double>() / ratio,
               fmt::format("{} square matrices", after->at("matrices").get<std::uint64_t>())};
}

MaybeValue rcm_bandwidth(const Collection& c) { return bandwidth_of(c, "rcm", "rcm-boost"); }
MaybeValue thorough_bandwidth(const Collection& c) { return bandwidth_of(c, "rcm-thorough", "rcm-boost"); }

/// A summary of another version may lack what is asked for: then it does not tell.
template <MaybeValue (*value)(const Collection&)>
MaybeValue told(const Collection& c) {
  try {
    return value(c);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

constexpr const char* bytes_group = "Bytes";

constexpr const char* orderings_group = "Orderings";

constexpr std::array<Question<Collection>, 11> questions = {{
    {bytes_group, "opt-csr: CSR's index bytes over its own, by the paper's formulas, mean", "paper 002: 20% smaller",
     Figure::least, 1.25, nullptr, told<mean_reduction>},
    {bytes_group, "opt-csr: CSR's index bytes over its own, by the paper's formulas, best", "paper 002: 3.99x",
     Figure::most, 3.99, nullptr, told<best_reduction>},
    {bytes_group, "bccoo is smaller than CSR: square matrices of 10000 entries or more", "paper 000: all",
     Figure::least, 100, nullptr, told<bccoo_smaller>, "%"},
    {bytes_group, "bccoo-gpu is smaller than CSR: matrices", "paper 000: fewer than half", Figure::least, 50, nullptr,
     told<bccoo_gpu_smaller>, "%"},
    {bytes_group, "slice-delta: index bytes an entry, 2^15 entries and 10 a row or more, geometric mean", "aim",
     Figure::most, 1, nullptr, told<mean_index_bytes>, "", false},
    {bytes_group, "slice-delta: such matrices with more index bytes than CSR", "aim", Figure::most, 0, nullptr,
     told<above_csr>, "", false},
    {bytes_group, "auto: matrices that need more bytes than in the order they come in", "aim", Figure::most, 0, nullptr,
     told<auto_larger>, "", false},
    {bytes_group, "auto: matrices in a wider class of delta-to-diagonal", "paper 002, with RCM: 17 of 1407",
     Figure::most, 100.0 * 17 / 1407, nullptr, told<wider_to_diagonal>, "%", false},
    {bytes_group, "auto: matrices in a wider class of delta", "paper 002, with RCM: 26 of 1407", Figure::most,
     100.0 * 26 / 1407, nullptr, told<wider_delta>, "%", false},
    {orderings_group, "rcm: bandwidth over that of Boost.Graph's, geometric mean", "Boost.Graph", Figure::most, 1,
     nullptr, told<rcm_bandwidth>, "x", false},
    {orderings_group, "rcm-thorough: bandwidth over that of Boost.Graph's, geometric mean", "Boost.Graph", Figure::most,
     1, nullptr, told<thorough_bandwidth>, "x", false},
}};

std::optional<Collection> collection_of(const Summarized& summarized) {
  if (!is_summary(summarized.json)) return std::nullopt;
  try {
    Collection c{summarized.source, {}, {}, Json::parse(summarized.json)};
    c.name = fmt::format("{} matrices", c.summary.at("collection").at("analysed").get<std::uint64_t>());
    c.commit = c.summary.at("tool").at("commit");
    return c;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

void judge_bytes(const std::vector<Summarized>& summaries, std::vector<Claim>& claims) {
  std::vector<Collection> collections;
  for (const Summarized& summarized : summaries)
    if (auto c = collection_of(summarized)) collections.push_back(std::move(*c));
  judge<Collection>(questions, collections, claims);
}

}  // namespace spress::reports

// Claims about bytes, from the summaries of collections.
#include <fmt/format.h>

#include "formats/json/tree.hpp"
#include "reports/claims_list.hpp"

namespace spress::reports {
namespace {

using Json = json::View;
using MaybeJson = std::optional<Json>;

struct Collection {
  std::string source, name, commit;
  json::Tree tree;  // of a text that outlives it
  [[nodiscard]] Json summary() const { return tree.root(); }
};

/// A summary of another version may lack what is asked for.
struct Missing {};

Json at(Json object, const char* key) {
  const MaybeJson found = object.find(key);
  return found ? *found : throw Missing();
}
std::uint64_t count_at(Json object, const char* key) {
  const auto number = at(object, key).natural();
  return number ? *number : throw Missing();
}
double number_at(Json object, const char* key) {
  const Json found = at(object, key);
  if (!found.is(json::Kind::integer) && !found.is(json::Kind::real)) throw Missing();
  return found.number();
}
std::string text_at(Json object, const char* key) {
  const Json found = at(object, key);
  return found.is(json::Kind::string) ? found.text() : throw Missing();
}
std::size_t size_of(Json list) {
  std::size_t size = 0;
  for ([[maybe_unused]] const Json item : list.items()) ++size;
  return size;
}
bool is_at(Json object, const char* key, std::string_view text) {
  const MaybeJson found = object.find(key);
  return found && found->is(json::Kind::string) && found->equals(text);
}

const std::string& run_of(const Collection& c) { return c.source; }
const std::string& name_of(const Collection& c) { return c.name; }
const std::string& commit_of(const Collection& c) { return c.commit; }

/// The item of a list whose `key` is `name`, or nothing.
MaybeJson member(Json list, const char* key, std::string_view name) {
  for (const Json item : list.items())
    if (is_at(item, key, name)) return item;
  return std::nullopt;
}

MaybeJson footprint_of(Json summary, std::string_view format) {
  for (const Json item : at(summary, "footprints").items())
    if (is_at(item, "format", format) && is_at(item, "ordering", "none")) return item;
  return std::nullopt;
}

MaybeValue mean_reduction(const Collection& c) {
  const MaybeJson f = footprint_of(c.summary(), "opt-csr");
  if (!f) return std::nullopt;
  const Json r = at(at(*f, "reduction"), "model_index_bytes");
  return Value{number_at(r, "mean"), fmt::format("of {} matrices", count_at(r, "matrices"))};
}

MaybeValue best_reduction(const Collection& c) {
  const MaybeJson f = footprint_of(c.summary(), "opt-csr");
  if (!f) return std::nullopt;
  const Json r = at(at(*f, "reduction"), "model_index_bytes");
  return Value{number_at(r, "best"), text_at(r, "best_name")};
}

Value share(std::uint64_t part, std::uint64_t whole) {
  return {100 * static_cast<double>(part) / static_cast<double>(whole), fmt::format("{} of {} matrices", part, whole)};
}

MaybeValue bccoo_smaller(const Collection& c) {
  const Json coo = at(c.summary(), "compressed_coo");
  const std::uint64_t large = count_at(coo, "large_square");
  if (large == 0) return std::nullopt;
  return share(large - size_of(at(coo, "not_smaller")), large);
}

MaybeValue bccoo_gpu_smaller(const Collection& c) {
  const MaybeJson f = member(at(at(c.summary(), "compressed_coo"), "formats"), "format", "bccoo-gpu");
  if (!f || count_at(*f, "matrices") == 0) return std::nullopt;
  return share(count_at(*f, "smaller_than_csr"), count_at(*f, "matrices"));
}

MaybeJson index_bytes(const Collection& c) {
  const MaybeJson f = member(at(at(c.summary(), "index_bytes_per_nnz"), "formats"), "format", "slice-delta");
  return !f || count_at(*f, "matrices") == 0 ? std::nullopt : f;
}

MaybeValue mean_index_bytes(const Collection& c) {
  const MaybeJson f = index_bytes(c);
  if (!f) return std::nullopt;
  return Value{number_at(*f, "mean"), fmt::format("slice-delta, {} matrices", count_at(*f, "matrices"))};
}

MaybeValue above_csr(const Collection& c) {
  const MaybeJson f = index_bytes(c);
  if (!f) return std::nullopt;
  return Value{number_at(*f, "above_csr"), fmt::format("slice-delta, {} matrices", count_at(*f, "matrices"))};
}

MaybeJson selection(const Collection& c, const std::string& name) {
  return member(at(c.summary(), "selections"), "name", name);
}

MaybeValue auto_larger(const Collection& c) {
  const MaybeJson all = selection(c, "all");
  if (!all) return std::nullopt;
  const MaybeJson taken = member(at(*all, "order_bytes"), "ordering", "auto");
  if (!taken || count_at(at(*taken, "chosen"), "matrices") == 0) return std::nullopt;
  std::string detail = fmt::format("of {} matrices", count_at(at(*taken, "chosen"), "matrices"));
  if (const MaybeJson rcm = member(at(*all, "order_bytes"), "ordering", "rcm"))
    detail += fmt::format("; taken blindly, rcm makes {} of {} larger", count_at(at(*rcm, "chosen"), "larger"),
                          count_at(at(*rcm, "chosen"), "matrices"));
  return Value{number_at(at(*taken, "chosen"), "larger"), std::move(detail)};
}

/// Matrices that go to a wider class in the order that auto takes, per cent of the paper's kind of matrices.
MaybeValue wider(const Collection& c, const char* strategy) {
  const MaybeJson symmetric = selection(c, "square-pattern-symmetric");
  if (!symmetric) return std::nullopt;
  for (const Json composition : at(*symmetric, "compositions").items()) {
    if (!is_at(composition, "strategy", strategy) || !is_at(composition, "to", "auto")) continue;
    const std::uint64_t left_out = count_at(composition, "left_out"), matrices = count_at(*symmetric, "matrices");
    if (matrices != left_out) return share(count_at(composition, "worse"), matrices - left_out);
  }
  return std::nullopt;
}

MaybeValue wider_to_diagonal(const Collection& c) { return wider(c, "delta-to-diagonal"); }
MaybeValue wider_delta(const Collection& c) { return wider(c, "delta"); }

/// Geometric mean of the bandwidth after one ordering over that after another, both over the original one.
MaybeValue bandwidth_of(const Collection& c, const char* ordering, const char* other) {
  const MaybeJson after = member(at(c.summary(), "ordering_effects"), "ordering", ordering);
  const MaybeJson than = member(at(c.summary(), "ordering_effects"), "ordering", other);
  if (!after || !than || count_at(*after, "matrices") != count_at(*than, "matrices")) return std::nullopt;
  const double ratio = number_at(*than, "mean_bandwidth_ratio");
  if (!(ratio > 0)) return std::nullopt;
  return Value{number_at(*after, "mean_bandwidth_ratio") / ratio,
               fmt::format("{} square matrices", count_at(*after, "matrices"))};
}

MaybeValue rcm_bandwidth(const Collection& c) { return bandwidth_of(c, "rcm", "rcm-boost"); }
MaybeValue thorough_bandwidth(const Collection& c) { return bandwidth_of(c, "rcm-thorough", "rcm-boost"); }

/// A summary of another version may lack what is asked for: then it does not tell.
template <MaybeValue (*value)(const Collection&)>
MaybeValue told(const Collection& c) {
  try {
    return value(c);
  } catch (const Missing&) {
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
    Collection c{summarized.source, {}, {}, {}};
    if (!c.tree.parse(summarized.json).empty()) return std::nullopt;
    c.name = fmt::format("{} matrices", count_at(at(c.summary(), "collection"), "analysed"));
    c.commit = text_at(at(c.summary(), "tool"), "commit");
    return c;
  } catch (const Missing&) {
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

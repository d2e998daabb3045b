#include "encode/choose/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "encode/shared/rows.hpp"

namespace spress {
namespace {

constexpr std::size_t term(CostTerm t) { return static_cast<std::size_t>(t); }
constexpr std::size_t slots_term(StoreKind store) { return fixed_terms + static_cast<std::size_t>(store); }

/// The part of a working set that is still in the cache when the next product begins.
double cached_share(double working_set, double cache) {
  if (cache <= 0 || working_set <= 0) return 0;
  return std::clamp(1.5 - working_set / cache, 0.0, 1.0);
}

/// Of x, what the cache has no room for beside what streams through it.
double missed_share(double vector_bytes, double cache) {
  if (vector_bytes <= 0) return 0;
  return std::clamp(1 - 0.5 * cache / vector_bytes, 0.0, 1.0);
}

std::optional<double> slot_price(const CostPrices& prices, std::size_t wanted) {
  if (prices[wanted]) return prices[wanted];
  std::optional<double> dearest;
  for (std::size_t t = fixed_terms; t < cost_terms; ++t)
    if (prices[t] && (!dearest || *prices[t] > *dearest)) dearest = prices[t];
  return dearest;
}

}  // namespace

std::string cost_term_name(std::size_t t) {
  if (t < fixed_terms) return std::string(EnumNames<CostTerm>::names[t]);
  return "slots_" + std::string(enum_name(all_stores[t - fixed_terms]));
}

MatrixWork matrix_work(const Csr<Viewed>& a, std::uint64_t value_bytes, int threads) {
  MatrixWork work;
  work.rows = static_cast<double>(a.rows);
  work.cols = static_cast<double>(a.cols);
  work.nnz = static_cast<double>(a.nnz);
  work.longest_row = static_cast<double>(longest_row(a));
  work.pattern = a.values.type == ValueType::none;
  if (value_bytes == 0) value_bytes = work.pattern ? 8 : size_of(a.values.type);
  work.value_bytes = static_cast<double>(value_bytes);
  const auto gathers = analyze::gather_counts(a, value_bytes, threads);
  work.row_sectors = static_cast<double>(gathers.by_row);
  work.slice_sectors = static_cast<double>(gathers.by_slice);
  work.far_sectors = static_cast<double>(gathers.by_window);
  return work;
}

const FormatPrices* CostModel::find(const Spec& format, std::string_view type) const {
  const FormatPrices* best = nullptr;
  const std::string text = format.text();
  int best_rank = 0;
  for (const FormatPrices& each : formats) {
    int rank = each.format == text ? 4 : each.format == format.name ? 2 : 0;
    if (rank != 0 && each.type == type) ++rank;
    if (rank <= best_rank) continue;
    best_rank = rank;
    best = &each;
    if (rank == 5) break;
  }
  return best;
}

CostCounts cost_counts(const MatrixWork& work, const FormatWork& format, double cache_bytes) {
  const double vectors = (work.rows + work.cols) * work.value_bytes, moved = format.bytes + vectors;
  const StoreKind store = priced_store(work, format.store);
  const double cached = cached_share(moved, cache_bytes), far = 32 * work.far_sectors;
  CostCounts counts = {};
  counts[term(CostTerm::launch)] = 1;
  counts[term(CostTerm::stream_bytes)] = moved * (1 - cached);
  counts[term(CostTerm::cached_bytes)] = moved * cached;
  counts[term(CostTerm::rows)] = work.rows;
  counts[term(CostTerm::row_sectors)] = work.row_sectors;
  counts[term(CostTerm::slice_sectors)] = work.slice_sectors;
  counts[term(CostTerm::far_bytes)] = far;
  counts[term(CostTerm::missed_bytes)] = far * missed_share(work.cols * work.value_bytes, cache_bytes);
  counts[term(CostTerm::longest_row)] = work.longest_row;
  counts[term(CostTerm::padding)] = std::max(0.0, format.slots - work.nnz);
  counts[term(CostTerm::small_table)] = store == StoreKind::lut8 ? 1 : 0;
  counts[term(CostTerm::large_table)] = store == StoreKind::lut16 ? 1 : 0;
  counts[slots_term(store)] = format.slots;
  return counts;
}

Likeness likeness(const MatrixWork& work, double cache_bytes) {
  const double nnz = std::max(1.0, work.nnz), rows = std::max(1.0, work.rows);
  const double working_set = (12 * nnz + 16 * rows) / std::max(1.0, cache_bytes);
  Likeness out = {std::log2(1 + nnz / rows),
                  work.row_sectors / nnz,
                  work.slice_sectors / nnz,
                  work.far_sectors / nnz,
                  std::clamp(std::log2(working_set), -8.0, 5.0),
                  std::log2(1 + work.longest_row * rows / nnz),
                  std::log2(rows),
                  std::log2(std::max(1.0, work.cols))};
  for (std::size_t k = 0; k < out.size(); ++k) out[k] *= likeness_scales.matrix[k];
  return out;
}

double padding_of(const MatrixWork& work, double slots) {
  return likeness_scales.padding * std::log2(std::max(1.0, slots) / std::max(1.0, work.nnz));
}

double priced(const CostPrices& prices, const CostCounts& counts) {
  double seconds = 0;
  for (std::size_t t = 0; t < cost_terms; ++t) {
    if (counts[t] == 0) continue;
    seconds += counts[t] * (t < fixed_terms ? prices[t] : slot_price(prices, t)).value_or(0);
  }
  return seconds;
}

double shared_variance(const Likeness& x, const Likeness& y) {
  double squared = 0;
  for (std::size_t k = 0; k < x.size(); ++k) squared += (x[k] - y[k]) * (x[k] - y[k]);
  return likeness_scales.far_share * std::exp(-squared / 2) + (1 - likeness_scales.far_share) * std::exp(-8 * squared);
}

double shared_padding(double x, double y) { return 1 / (1 + (x - y) * (x - y) / 2); }

std::vector<double> nearness(const std::vector<Likeness>& places, const Likeness& at) {
  std::vector<double> near;
  near.reserve(places.size());
  for (const Likeness& place : places) near.push_back(shared_variance(place, at));
  return near;
}

Corrections corrections(const FormatPrices& format, const std::vector<double>& near, double padding) {
  std::array<double, all_stores.size()> sums = {};
  for (std::size_t s = 0; s < sums.size(); ++s)
    for (const ProductWeight& product : format.weights[s])
      sums[s] += product.weight * near[product.place] * shared_padding(product.padding, padding);
  const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
  constexpr double most = 30;  // a factor of e^30 says that a price is wrong, and no more than that
  Corrections out;
  for (std::size_t s = 0; s < out.size(); ++s)
    out[s] = std::exp(std::clamp(format.offset + sums[s] + likeness_scales.other_store * (all - sums[s]), -most, most));
  return out;
}

}  // namespace spress

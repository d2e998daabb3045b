#include "encode/choose/cost_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "encode/shared/stretches.hpp"
#include "formats/core/avx2.hpp"

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

// --- Least squares without negative prices --------------------------------------------------------------------------

using Matrix = std::array<std::array<double, cost_terms>, cost_terms>;

/// Normal equations of the relative errors, with columns scaled to length 1 and a little of each term's own weight, so
/// that terms which cannot be told apart share what they explain.
struct Equations {
  Matrix a = {};
  CostCounts b = {}, scale = {};
};

Equations equations_of(const std::vector<TimedProduct>& products) {
  Equations eq;
  for (const TimedProduct& p : products)
    for (std::size_t t = 0; t < cost_terms; ++t) eq.scale[t] += std::pow(p.counts[t] / p.seconds, 2);
  for (double& s : eq.scale) s = std::sqrt(s);
  const auto column = [&](const TimedProduct& p, std::size_t t) {
    return eq.scale[t] == 0 ? 0 : p.counts[t] / p.seconds / eq.scale[t];
  };
  for (const TimedProduct& p : products)
    for (std::size_t t = 0; t < cost_terms; ++t) {
      eq.b[t] += column(p, t);
      for (std::size_t u = 0; u < cost_terms; ++u) eq.a[t][u] += column(p, t) * column(p, u);
    }
  constexpr double ridge = 1e-3;
  for (std::size_t t = 0; t < cost_terms; ++t) eq.a[t][t] += ridge;
  return eq;
}

/// One price after another is set to its best for the others as they are: slow to converge, but there are few.
CostCounts solve_nonnegative(const Equations& eq) {
  CostCounts x = {};
  for (int sweep = 0; sweep < 50'000; ++sweep) {
    double change = 0;
    for (std::size_t t = 0; t < cost_terms; ++t) {
      if (eq.scale[t] == 0) continue;
      double rest = eq.b[t];
      for (std::size_t u = 0; u < cost_terms; ++u) rest -= eq.a[t][u] * x[u];
      const double next = std::max(0.0, x[t] + rest / eq.a[t][t]);
      change = std::max(change, std::abs(next - x[t]));
      x[t] = next;
    }
    if (change < 1e-9) break;
  }
  return x;
}

}  // namespace

std::string cost_term_name(std::size_t t) {
  if (t < fixed_terms) return std::string(EnumNames<CostTerm>::names[t]);
  return "slots_" + std::string(enum_name(all_stores[t - fixed_terms]));
}

MatrixWork matrix_work(const Csr<Viewed>& a, int threads) {
  MatrixWork work;
  work.rows = static_cast<double>(a.rows);
  work.cols = static_cast<double>(a.cols);
  work.nnz = static_cast<double>(a.nnz);
  work.longest_row = static_cast<double>(longest_row(a));
  work.pattern = a.values.type == ValueType::none;
  work.value_bytes = work.pattern ? 8 : static_cast<double>(size_of(a.values.type));
  const auto gathers = analyze::gather_counts(a, static_cast<std::uint64_t>(work.value_bytes), threads);
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
  counts[term(CostTerm::table_values)] = store == StoreKind::lut8 ? format.table_values : 0;
  counts[term(CostTerm::large_table)] = store == StoreKind::lut16 ? 1 : 0;
  counts[slots_term(store)] = format.slots;
  return counts;
}

Likeness likeness(const MatrixWork& work, double cache_bytes, const LikenessScales& scales) {
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
  for (std::size_t k = 0; k < out.size(); ++k) out[k] *= scales.matrix[k];
  return out;
}

double padding_of(const MatrixWork& work, double slots, const LikenessScales& scales) {
  return scales.padding * std::log2(std::max(1.0, slots) / std::max(1.0, work.nnz));
}

double priced(const CostPrices& prices, const CostCounts& counts) {
  double seconds = 0;
  for (std::size_t t = 0; t < cost_terms; ++t) {
    if (counts[t] == 0) continue;
    seconds += counts[t] * (t < fixed_terms ? prices[t] : slot_price(prices, t)).value_or(0);
  }
  return seconds;
}

namespace {

template <class Number>
Number square(Number x) {
  return x * x;
}

/// The square of the distance.
float squared_distance(const Likeness& x, const Likeness& y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += square(x[k] - y[k]);
  return static_cast<float>(sum);
}

/// 2^-x for x >= 0, off by 4e-6 of itself at most; 0 from 2^-30 on: processors are slow with the smallest numbers.
/// Several at a time in a loop, unlike the library's.
float two_to_minus(float x) {
  // Compared by their bits, which numbers that are not negative may be: choices between floats end up as branches.
  const auto bits = std::bit_cast<std::int32_t>(x);
  const float bounded = std::bit_cast<float>(std::min(bits, std::bit_cast<std::int32_t>(120.0f)));
  const auto whole = static_cast<std::int32_t>(bounded + 0.5f);
  const float part = -0.69314718f * (bounded - static_cast<float>(whole));  // between -0.35 and 0.35
  const float power =
      1 + part * (1 + part * (0.5f + part * (0.16666667f + part * (0.041666667f + part * 0.0083333333f))));
  const float shrunk = power * std::bit_cast<float>((127 - whole) << 23);
  const std::int32_t counts = bits < std::bit_cast<std::int32_t>(30.0f) ? -1 : 0;
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(shrunk) & counts);
}

/// The share of what is explained that reaches so far, and of what reaches a quarter as far: 16 times the square.
float share_at(float squared, float far_share) {
  const float far = 0.72134752f * squared;  // exp(-squared / 2) is two to minus this
  return far_share * two_to_minus(far) + (1 - far_share) * two_to_minus(16 * far);
}

template <class Number>
Number padding_share(Number x, Number y) {
  return 1 / (1 + Number(0.5) * square(x - y));
}

double share_of(const Residual& x, const Residual& y, const std::vector<Likeness>& places,
                const LikenessScales& scales) {
  const float squared = squared_distance(places[x.place], places[y.place]);
  return static_cast<double>(share_at(squared, static_cast<float>(scales.far_share))) *
         padding_share(x.padding, y.padding) * (x.store == y.store ? 1 : scales.other_store);
}

/// Solves A x = b in place of b by Cholesky's factors; a: the lower half of A, row by row, overwritten.
/// Requires: A positive definite.
void solve_positive(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  const auto row = [&](std::size_t i) { return a.data() + i * (i + 1) / 2; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest = row(i)[j] - std::inner_product(row(j), row(j) + j, row(i), 0.0);
      row(i)[j] = i == j ? std::sqrt(rest) : rest / row(j)[j];
    }
  for (std::size_t i = 0; i < n; ++i) b[i] = (b[i] - std::inner_product(row(i), row(i) + i, b.data(), 0.0)) / row(i)[i];
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= row(i)[i];
    for (std::size_t j = 0; j < i; ++j) b[j] -= row(i)[j] * b[i];
  }
}

}  // namespace

void FormatPrices::add_weight(std::size_t places, const Residual& at, double weight) {
  StoreWeights& of_store = weights[static_cast<std::size_t>(at.store)];
  of_store.weight.resize(places);
  of_store.padding.resize(places);
  of_store.weight[at.place] += static_cast<float>(weight);  // a product measured twice shares it
  of_store.padding[at.place] = static_cast<float>(at.padding);
  of_store.any_padding = of_store.any_padding || at.padding != 0;
}

Learnt learn(const std::vector<Residual>& residuals, const std::vector<Likeness>& places,
             const LikenessScales& scales) {
  Learnt out;
  if (residuals.empty()) return out;
  for (const Residual& r : residuals) out.offset += r.log_ratio / static_cast<double>(residuals.size());
  std::vector<double> covariance;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      covariance.push_back(scales.variance * share_of(residuals[i], residuals[j], places, scales));
    covariance.back() += scales.noise;
    out.weights.push_back(residuals[i].log_ratio - out.offset);
  }
  solve_positive(covariance, out.weights);
  for (double& weight : out.weights) weight *= scales.variance;
  return out;
}

Places::Places(const std::vector<Likeness>& places) {
  for (std::size_t k = 0; k < coordinates_.size(); ++k)
    for (const Likeness& each : places) coordinates_[k].push_back(static_cast<float>(each[k]));
}

namespace {

// A choice sums up thousands of products, hence single precision and several at a time. Sums are those of eight parts
// whatever the processor, so that they come out the same.

constexpr std::size_t parts = 8;

[[gnu::always_inline]] inline void find_shares(const Places& places, const Likeness& at, float far_share,
                                               float* shares) {
  const std::size_t count = places.size();
  std::fill_n(shares, count, 0.0f);
  for (std::size_t k = 0; k < at.size(); ++k) {
    const float* const coordinates = places.coordinate(k).data();
    const auto here = static_cast<float>(at[k]);
#pragma omp simd
    for (std::size_t p = 0; p < count; ++p) shares[p] += square(coordinates[p] - here);
  }
#pragma omp simd
  for (std::size_t p = 0; p < count; ++p) shares[p] = share_at(shares[p], far_share);
}

/// term(p) for each p, added up.
template <class Term>
[[gnu::always_inline]] inline float sum_of(std::size_t count, const Term& term) {
  std::array<float, parts> sums = {};
  std::size_t p = 0;
  for (; p + parts <= count; p += parts)
#pragma omp simd
    for (std::size_t i = 0; i < parts; ++i) sums[i] += term(p + i);
  for (std::size_t i = 0; p + i < count; ++i) sums[i] += term(p + i);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

[[gnu::always_inline]] inline float sum_products(const StoreWeights& products, const float* share, float padding) {
  const float *weight = products.weight.data(), *padded = products.padding.data();
  if (!products.any_padding && padding == 0)
    return sum_of(products.weight.size(), [&](std::size_t p) { return weight[p] * share[p]; });
  return sum_of(products.weight.size(),
                [&](std::size_t p) { return weight[p] * share[p] * padding_share(padded[p], padding); });
}

#ifdef SPRESS_AVX2
SPRESS_AVX2 void find_shares_by_avx2(const Places& places, const Likeness& at, float far_share, float* shares) {
  find_shares(places, at, far_share, shares);
}
SPRESS_AVX2 float sum_products_by_avx2(const StoreWeights& products, const float* share, float padding) {
  return sum_products(products, share, padding);
}
#endif

float sum_of_store(const StoreWeights& products, const float* share, float padding) {
#ifdef SPRESS_AVX2
  if (has_avx2()) return sum_products_by_avx2(products, share, padding);
#endif
  return sum_products(products, share, padding);
}

}  // namespace

std::vector<float> nearness(const Places& places, const Likeness& at, const LikenessScales& scales) {
  std::vector<float> near(places.size());
  const auto far_share = static_cast<float>(scales.far_share);
#ifdef SPRESS_AVX2
  if (has_avx2()) {
    find_shares_by_avx2(places, at, far_share, near.data());
    return near;
  }
#endif
  find_shares(places, at, far_share, near.data());
  return near;
}

Corrections corrections(const FormatPrices& format, const std::vector<float>& near, double padding,
                        const LikenessScales& scales) {
  std::array<double, all_stores.size()> sums = {};
  for (std::size_t s = 0; s < sums.size(); ++s)
    sums[s] = static_cast<double>(sum_of_store(format.weights[s], near.data(), static_cast<float>(padding)));
  const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
  constexpr double most = 30;  // times e^30 says that a price is wrong, and no more than that
  Corrections out;
  for (std::size_t s = 0; s < out.size(); ++s)
    out[s] = std::exp(std::clamp(format.offset + sums[s] + scales.other_store * (all - sums[s]), -most, most));
  return out;
}

CostFit fit_prices(const std::vector<TimedProduct>& products) {
  const Equations eq = equations_of(products);
  const CostCounts x = solve_nonnegative(eq);
  CostFit fit;
  for (std::size_t t = 0; t < cost_terms; ++t)
    if (eq.scale[t] != 0) fit.prices[t] = x[t] / eq.scale[t];
  double squares = 0;
  for (const TimedProduct& p : products) {
    const double error = std::abs(priced(fit.prices, p.counts) / p.seconds - 1);
    fit.worst = std::max(fit.worst, error);
    squares += error * error;
  }
  if (!products.empty()) fit.error = std::sqrt(squares / static_cast<double>(products.size()));
  return fit;
}

}  // namespace spress

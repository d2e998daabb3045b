#include "encode/choose/cost_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spress {
namespace {

using Matrix = std::array<std::array<double, cost_terms>, cost_terms>;

/// Normal equations of the relative errors, with columns scaled to length 1 and a little of each term's own weight, so
/// that terms which cannot be told apart share what they explain.
struct Equations {
  Matrix a = {};
  CostCounts b = {}, scale = {};
};

Equations equations_of(const std::vector<MeasuredProduct>& products) {
  Equations eq;
  for (const MeasuredProduct& p : products)
    for (std::size_t t = 0; t < cost_terms; ++t) eq.scale[t] += std::pow(p.counts[t] / p.seconds, 2);
  for (double& s : eq.scale) s = std::sqrt(s);
  const auto column = [&](const MeasuredProduct& p, std::size_t t) {
    return eq.scale[t] == 0 ? 0 : p.counts[t] / p.seconds / eq.scale[t];
  };
  for (const MeasuredProduct& p : products)
    for (std::size_t t = 0; t < cost_terms; ++t) {
      eq.b[t] += column(p, t);
      for (std::size_t u = 0; u < cost_terms; ++u) eq.a[t][u] += column(p, t) * column(p, u);
    }
  constexpr double ridge = 1e-3;
  for (std::size_t t = 0; t < cost_terms; ++t) eq.a[t][t] += ridge;
  return eq;
}

/// One price after another is set to its best for the others as they are, but not below `least`: slow to converge, but
/// there are few.
CostCounts solve_bounded(const Equations& eq, const CostCounts& least) {
  CostCounts x = least;
  for (int sweep = 0; sweep < 50'000; ++sweep) {
    double change = 0;
    for (std::size_t t = 0; t < cost_terms; ++t) {
      if (eq.scale[t] == 0) continue;
      double rest = eq.b[t];
      for (std::size_t u = 0; u < cost_terms; ++u) rest -= eq.a[t][u] * x[u];
      const double next = std::max(least[t], x[t] + rest / eq.a[t][t]);
      change = std::max(change, std::abs(next - x[t]));
      x[t] = next;
    }
    if (change < 1e-9) break;
  }
  return x;
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

double covariance(const MeasuredProduct& x, const MeasuredProduct& y, const std::vector<Likeness>& places) {
  return likeness_scales.variance * shared_variance(places[x.place], places[y.place]) *
         shared_padding(x.padding, y.padding) * (x.store == y.store ? 1 : likeness_scales.other_store);
}

}  // namespace

CorrectionFit fit_corrections(const std::vector<MeasuredProduct>& products, const CostPrices& prices,
                              const std::vector<Likeness>& places, double noise) {
  CorrectionFit out;
  std::vector<double> covariances;  // the lower half, row by row
  for (std::size_t i = 0; i < products.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) covariances.push_back(covariance(products[i], products[j], places));
    covariances.back() += noise;
    const double sum = priced(prices, products[i].counts);
    out.weights.push_back(sum > 0 ? std::log(products[i].seconds / sum) : 0);
    out.offset += out.weights.back() / static_cast<double>(products.size());
  }
  for (double& weight : out.weights) weight -= out.offset;
  solve_positive(covariances, out.weights);
  for (double& weight : out.weights) weight *= likeness_scales.variance;
  return out;
}

CostFit fit_prices(const std::vector<MeasuredProduct>& products, double least_launch) {
  const Equations eq = equations_of(products);
  constexpr auto launch = static_cast<std::size_t>(CostTerm::launch);
  CostCounts least = {};
  least[launch] = least_launch * eq.scale[launch];
  const CostCounts x = solve_bounded(eq, least);
  CostFit fit;
  for (std::size_t t = 0; t < cost_terms; ++t)
    if (eq.scale[t] != 0) fit.prices[t] = x[t] / eq.scale[t];
  double squares = 0;
  for (const MeasuredProduct& p : products) {
    const double error = std::abs(priced(fit.prices, p.counts) / p.seconds - 1);
    fit.worst = std::max(fit.worst, error);
    squares += error * error;
  }
  if (!products.empty()) fit.error = std::sqrt(squares / static_cast<double>(products.size()));
  return fit;
}

}  // namespace spress

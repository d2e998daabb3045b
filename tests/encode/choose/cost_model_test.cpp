// Prices fitted to times, and predictions from them.
#include "encode/choose/cost_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "encode/choose/cost_fit.hpp"
#include "formats/core/params.hpp"
#include "formats/gallery/gallery.hpp"

namespace spress {
namespace {

constexpr std::size_t launch = 0, stream = 1, rows = 3, raw_slots = fixed_terms, lut8_slots = fixed_terms + 2;

CostCounts counts(double bytes, double n, double raw, double lut8) {
  CostCounts out = {};
  out[launch] = 1;
  out[stream] = bytes;
  out[rows] = n;
  out[raw_slots] = raw;
  out[lut8_slots] = lut8;
  return out;
}

std::vector<MeasuredProduct> products(double per_row) {
  std::vector<MeasuredProduct> out;
  for (int i = 1; i <= 12; ++i) {
    const double n = 1000.0 * i * i, entries = n * (1 + i % 5);
    const bool coded = i % 3 == 0;
    const auto c = counts(12 * entries * (coded ? 0.4 : 1), n, coded ? 0 : entries, coded ? entries : 0);
    out.push_back({c, 2e-6 + 1e-12 * c[stream] + per_row * n + 3e-11 * c[lut8_slots]});
  }
  return out;
}

TEST(CostModel, NamesEveryTermOnce) {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < cost_terms; ++t) names.push_back(cost_term_name(t));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_NE(names.front(), "");
  EXPECT_EQ(cost_term_name(static_cast<std::size_t>(CostTerm::padding)), "padding");
  EXPECT_EQ(cost_term_name(lut8_slots), "slots_lut8");
}

TEST(CostModel, FindsThePricesThatTimesWereMadeOf) {
  const auto measured = products(4e-10);
  const CostFit fit = fit_prices(measured);
  EXPECT_LT(fit.worst, 0.02);
  EXPECT_LE(fit.error, fit.worst);
  EXPECT_NEAR(*fit.prices[launch], 2e-6, 2e-7);
  EXPECT_NEAR(*fit.prices[rows], 4e-10, 4e-11);
  EXPECT_FALSE(fit.prices[fixed_terms + 1].has_value());  // nothing was measured with narrow values
  for (const auto& price : fit.prices) EXPECT_GE(price.value_or(0), 0);
}

TEST(CostModel, AProductTakesAtLeastSoLong) {
  EXPECT_DOUBLE_EQ(*fit_prices(products(4e-10), 5e-6).prices[launch], 5e-6);
  EXPECT_EQ(fit_prices(products(4e-10), 1e-9).prices, fit_prices(products(4e-10)).prices);
}

TEST(CostModel, NoPriceIsNegative) {
  for (const auto& price : fit_prices(products(-1e-10)).prices) EXPECT_GE(price.value_or(0), 0);
}

TEST(CostModel, AStoreThatWasNotMeasuredCostsAsMuchAsTheDearest) {
  CostPrices prices = {};
  prices[raw_slots] = 1e-12;
  prices[lut8_slots] = 3e-12;
  CostCounts c = {};
  c[fixed_terms + 3] = 1000;  // lut16
  EXPECT_DOUBLE_EQ(priced(prices, c), 3e-9);
}

double factor(const FormatPrices& format, const CostModel& model, const Likeness& at, StoreKind store,
              double padding = 0) {
  return corrections(format, nearness(model.places, at), padding)[static_cast<std::size_t>(store)];
}

void add_weight(FormatPrices& format, StoreKind store, const ProductWeight& weight) {
  format.weights[static_cast<std::size_t>(store)].push_back(weight);
}

/// Learns from products that cost a second each by their prices.
FormatPrices learnt_format(CostModel& model, const std::vector<Likeness>& places,
                           std::vector<MeasuredProduct> measured) {
  constexpr double noise = 1e-5;
  model.places = places;
  CostPrices prices = {};
  prices[launch] = 1;
  for (MeasuredProduct& each : measured) each.counts[launch] = 1;
  const CorrectionFit fit = fit_corrections(measured, prices, places, noise);
  FormatPrices out{"csr", "double", {}, fit.offset};
  for (std::size_t k = 0; k < measured.size(); ++k)
    add_weight(out, measured[k].store, {measured[k].place, measured[k].padding, fit.weights[k]});
  return out;
}

TEST(CostModel, NearnessFallsByTheExponentialOfTheSquare) {
  constexpr double far_share = likeness_scales.far_share;
  for (double distance = 0; distance < 6; distance += 0.01) {
    const double square = distance * distance;
    const double expected = far_share * std::exp(-0.5 * square) + (1 - far_share) * std::exp(-8 * square);
    EXPECT_NEAR(nearness({{distance}}, {})[0], expected, 1e-12);
  }
  EXPECT_EQ(nearness({{1e20}}, {})[0], 0);
}

TEST(CostModel, NearNeighboursCorrectAndFarOnesDoNot) {
  const Likeness here = {3, 1, 1, 0, 0, 1};
  Likeness far = here;
  far[0] += 20;
  CostModel model;
  model.places = {here};
  FormatPrices format{"csr", "double", {}};
  EXPECT_DOUBLE_EQ(factor(format, model, here, StoreKind::raw), 1);
  add_weight(format, StoreKind::raw, {0, 0, std::log(2.0)});
  EXPECT_NEAR(factor(format, model, here, StoreKind::raw), 2, 1e-6);
  EXPECT_DOUBLE_EQ(factor(format, model, far, StoreKind::raw), 1);
  EXPECT_NEAR(factor(format, model, here, StoreKind::lut8), std::pow(2, likeness_scales.other_store), 1e-6);
  EXPECT_NEAR(factor(format, model, here, StoreKind::raw, std::sqrt(2.0)), std::sqrt(2.0), 1e-6);
}

TEST(CostModel, LearnsWhatItWasShownAndAverageElsewhere) {
  CostModel model;
  std::vector<Likeness> places;
  std::vector<MeasuredProduct> measured;
  for (std::uint32_t p = 0; p < 5; ++p) {
    places.push_back({0.9 * p, 0, 0, 0, 0.3 * p, 0});
    for (const StoreKind store : {StoreKind::raw, StoreKind::iso})
      measured.push_back({{}, std::exp(0.2 * p * p - (store == StoreKind::iso ? 0.4 : 0)), p, store, 0.1 * p});
  }
  const FormatPrices format = learnt_format(model, places, measured);
  for (const MeasuredProduct& m : measured)
    EXPECT_NEAR(factor(format, model, places[m.place], m.store, m.padding) / m.seconds, 1, 1e-2);
  EXPECT_NEAR(std::log(factor(format, model, {0, 0, 50, 0, 0, 0}, StoreKind::raw)), 0.2 * 30 / 5 - 0.2, 1e-6);
}

TEST(CostModel, CorrectionsAreThoseOfAPlainSum) {
  const LikenessScales& scales = likeness_scales;
  for (std::uint32_t count : {1u, 7u, 8u, 9u, 100u}) {
    std::vector<Likeness> places;
    FormatPrices format{"csr", "double", {}};
    for (std::uint32_t p = 0; p < count; ++p) {
      places.push_back({0.1 * p, 0.5, 0, 0.02 * p, 1, 0, 0.03 * p, 0});
      add_weight(format, StoreKind::raw, {p, 0, 0.01 * (p + 1)});
      add_weight(format, StoreKind::lut8, {p, 0.2 * p, 0.3 - 0.01 * p});
    }
    const Likeness at = {1, 0.4, 0, 0.3, 0.9, 0, 0.2, 0};
    for (const double padding : {0.0, 0.7}) {
      double raw = 0, lut8 = 0;
      for (std::uint32_t p = 0; p < count; ++p) {
        double square = 0;
        for (std::size_t k = 0; k < at.size(); ++k) square += (places[p][k] - at[k]) * (places[p][k] - at[k]);
        const double share =
            scales.far_share * std::exp(-0.5 * square) + (1 - scales.far_share) * std::exp(-8 * square);
        raw += 0.01 * (p + 1) * share / (1 + 0.5 * padding * padding);
        lut8 += (0.3 - 0.01 * p) * share / (1 + 0.5 * std::pow(0.2 * p - padding, 2));
      }
      const auto found = corrections(format, nearness(places, at), padding);
      EXPECT_NEAR(std::log(found[static_cast<std::size_t>(StoreKind::raw)]), raw + scales.other_store * lut8, 1e-9);
      EXPECT_NEAR(std::log(found[static_cast<std::size_t>(StoreKind::lut8)]), lut8 + scales.other_store * raw, 1e-9);
    }
  }
}

TEST(CostModel, CorrectionsAreFinite) {
  for (const double offset : {1e6, -1e6}) {
    const FormatPrices format{"csr", "double", {}, offset};
    for (const double found : corrections(format, {}, 0)) EXPECT_DOUBLE_EQ(std::log(found), offset > 0 ? 30 : -30);
  }
}

TEST(CostModel, MeasuredTwiceCountsAsTheMean) {
  CostModel model;
  const std::vector<Likeness> places = {{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {30, 1, 1, 1, 1, 1}};
  const FormatPrices format =
      learnt_format(model, places, {{{}, std::exp(0.1), 0}, {{}, std::exp(0.3), 1}, {{}, std::exp(0.5), 2}});
  EXPECT_NEAR(std::log(factor(format, model, places[0], StoreKind::raw)), 0.2, 1e-3);
}

TEST(CostModel, TheFormatWithTheseParametersComesFirst) {
  CostModel model;
  model.formats = {{"sell", "double", {}}, {"sell:sigma=1", "double", {}}, {"sell", "float", {}}};
  const auto found = [&](const char* text, const char* type) { return model.find(*parse_spec(text), type); };
  EXPECT_EQ(found("sell", "double"), &model.formats[0]);
  EXPECT_EQ(found("sell:sigma=1", "double"), &model.formats[1]);
  EXPECT_EQ(found("sell:sigma=1", "float"), &model.formats[1]);
  EXPECT_EQ(found("sell:c=8", "float"), &model.formats[2]);
  EXPECT_EQ(found("csr", "double"), nullptr);
}

TEST(CostModel, WorkOfAMatrixByHand) {
  const auto matrix = gallery::generate(*parse_spec("tridiag:n=1000"));
  const MatrixWork work = matrix_work(view_of(matrix->csr));
  EXPECT_EQ(work.nnz, 2998);
  EXPECT_EQ(work.longest_row, 3);
  EXPECT_EQ(work.far_sectors, 250);  // 1000 doubles, each read in one window
  const auto c = cost_counts(work, {40'000, 3100, StoreKind::lut8}, 1e9);
  EXPECT_EQ(c[stream], 0);
  EXPECT_EQ(c[2], 40'000 + 16'000);  // all in the cache
  EXPECT_EQ(c[lut8_slots], 3100);
  EXPECT_EQ(cost_counts(work, {40'000, 3100, StoreKind::raw}, 10)[stream], 56'000);
}

TEST(CostModel, TablesCostBesides) {
  const auto at = [](CostTerm term) { return static_cast<std::size_t>(term); };
  MatrixWork work;
  const auto small = cost_counts(work, {100, 10, StoreKind::lut8}, 1e9);
  EXPECT_EQ(small[at(CostTerm::small_table)], 1);
  EXPECT_EQ(small[at(CostTerm::large_table)], 0);
  const auto large = cost_counts(work, {100, 10, StoreKind::lut16}, 1e9);
  EXPECT_EQ(large[at(CostTerm::small_table)], 0);
  EXPECT_EQ(large[at(CostTerm::large_table)], 1);
  for (const CostTerm term : {CostTerm::small_table, CostTerm::large_table}) {
    EXPECT_EQ(cost_counts(work, {100, 10, StoreKind::raw}, 1e9)[at(term)], 0);
    work.pattern = true;
    EXPECT_EQ(cost_counts(work, {100, 10, StoreKind::lut8}, 1e9)[at(term)], 0) << "a pattern has no table";
    work.pattern = false;
  }
}

}  // namespace
}  // namespace spress

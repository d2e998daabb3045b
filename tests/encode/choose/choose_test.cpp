// The chooser: samples stand for matrices, the best is exact, nothing that does not hold is chosen.
#include "encode/choose/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "encode/choose/row_sample.hpp"
#include "encode/shared/any.hpp"
#include "encode/shared/footprint.hpp"
#include "encode/shared/rows.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/built_bytes.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

Csr<Owned> generated(const char* text) { return std::move(gallery::generate(*parse_spec(text))->csr); }

constexpr std::uint64_t wanted = 4096;  // entries of a sample

TEST(RowSample, IsAValidMatrixAndTheSameEachTime) {
  for (const char* text : {"stencil27:n=30", "circuit:n=30000", "powerlaw:n=40000", "arrow:n=60000,width=3",
                           "uniform:n=500,m=100000,k=700", "density:n=9000", "dense:n=3,m=70000"}) {
    const auto a = generated(text);
    const RowSample sample = sample_rows(view_of(a), wanted, 1), again = sample_rows(view_of(a), wanted, 3);
    EXPECT_TRUE(validate(sample.csr).ok()) << text;
    EXPECT_LT(sample.csr.nnz, a.nnz / 4) << text;
    EXPECT_FALSE(sample.whole) << text;
    ASSERT_EQ(sample.csr.nnz, again.csr.nnz) << text;
    EXPECT_TRUE(std::equal(sample.csr.col_idx.begin(), sample.csr.col_idx.end(), again.csr.col_idx.begin())) << text;
  }
}

TEST(RowSample, KeepsDistancesToTheDiagonal) {
  const auto a = generated("tridiag:n=100000");
  const RowSample sample = sample_rows(view_of(a), wanted);
  for (std::uint64_t r = 1; r < sample.csr.rows; ++r)
    for (std::uint64_t k = sample.csr.row_ptr.position(r); k < sample.csr.row_ptr.position(r + 1); ++k)
      EXPECT_LE(sample.csr.col_idx[k] > r ? sample.csr.col_idx[k] - r : r - sample.csr.col_idx[k], 1u);
}

/// The index bytes of a format as the sample tells them, over the true ones.
double index_ratio(const Csr<Owned>& a, const RowSample& sample, const char* format) {
  const auto all = estimate_any(view_of(a), {format, {}}), some = estimate_any(sample.csr, {format, {}});
  return sample.index_bytes * static_cast<double>(some->index_bytes) / static_cast<double>(all->index_bytes);
}

TEST(RowSample, ShowsSizes) {
  for (const char* text : {"stencil27:n=40,values=noise", "circuit:n=50000", "band:n=50000,half=2000,per_row=12"}) {
    const auto a = generated(text);
    const RowSample sample = sample_rows(view_of(a), 1 << 15);
    for (const char* name : {"opt-csr", "bmsparse-csr", "csr"}) {
      const double ratio = index_ratio(a, sample, name);
      EXPECT_GT(ratio, 0.85) << text << ' ' << name;
      EXPECT_LT(ratio, 1.04) << text << ' ' << name;
    }
  }
}

TEST(RowSample, CutsNoBlocksOfThreeRows) {
  const auto a = generated("blockdiag:n=60000,b=3,values=noise");
  const RowSample sample = sample_rows(view_of(a), wanted);
  ASSERT_FALSE(sample.whole);
  EXPECT_EQ(estimate_any(sample.csr, {"bsr", {}})->value_slots, sample.csr.nnz);
}

TEST(RowSample, TakesSeveralRunsOfFewLongRows) {
  const auto a = generated("band:n=4000,half=1500,per_row=500");  // at its top, the band is half as wide
  const RowSample sample = sample_rows(view_of(a), a.nnz / 32);
  EXPECT_NEAR(index_ratio(a, sample, "bmsparse-csr"), 1, 0.05);
}

TEST(RowSample, KnowsTheLongRowsThatItDoesNotShow) {
  std::vector<tests::Entry> entries;
  const auto add_row = [&](std::uint32_t r, std::uint32_t length) {
    for (std::uint32_t c = 0; c < length; ++c) entries.emplace_back(r, c);
  };
  for (std::uint32_t r = 0; r < 70'000; ++r) add_row(r, r == 100 ? 5000 : r == 30'000 ? 4000 : r == 69'999 ? 3000 : 1);
  const auto a = tests::make_csr({"", 70'000, 70'000, entries, {}});
  const RowSample sample = sample_rows(view_of(a), wanted);
  ASSERT_FALSE(sample.whole);
  const auto shown = static_cast<double>(longest_row(sample.csr));
  EXPECT_EQ(sample.long_row_padding,
            32 * (5000 - shown) - (9000 - 2 * shown) + 31 * (3000 - shown));  // two in a window
  EXPECT_EQ(sample_rows(view_of(generated("stencil7:n=30")), wanted).long_row_padding, 0);
}

TEST(RowSample, ASmallMatrixStandsForItself) {
  for (const auto& s : tests::scenarios())
    EXPECT_TRUE(sample_rows(view_of(tests::make_csr(s)), 1 << 20).whole) << s.name;
  const auto a = generated("tridiag:n=9000");
  EXPECT_TRUE(sample_rows(view_of(a), a.nnz).whole);
  EXPECT_FALSE(sample_rows(view_of(a), a.nnz - 1).whole);
}

TEST(Choose, TheFirstCandidateIsExactAndHolds) {
  for (const char* text : {"stencil7:n=30,values=few,distinct=200", "stencil7:n=30,values=few,distinct=3000",
                           "circuit:n=30000", "powerlaw:n=40000,values=noise", "uniform:n=20000,k=9,values=pattern",
                           "poisson2d:n=150", "tridiag:n=90000,lower=1,diagonal=1,upper=1"}) {
    const auto a = generated(text);
    ChoiceOptions options;
    options.exact_best = true;
    const auto choice = choose(view_of(a), options);
    ASSERT_TRUE(choice.ok()) << text;
    const Candidate& best = choice->candidates.front();
    EXPECT_TRUE(best.exact) << text;
    EXPECT_EQ(best.total_bytes, tests::built_bytes(view_of(a), best)) << text << ' ' << best.format.text();
    EXPECT_FALSE(choice->candidates.back().exact) << text;
  }
}

TEST(Choose, SamplesFindTheSmallest) {
  for (const char* text : {"stencil27:n=30,values=noise", "circuit:n=30000", "powerlaw:n=40000,values=noise",
                           "elasticity3d:n=12,values=few,distinct=100", "kkt:n=30000,m=10000"}) {
    const auto a = generated(text);
    ChoiceOptions exact;
    exact.all_exact = true;
    const auto quick = choose(view_of(a), {}), best = choose(view_of(a), exact);
    EXPECT_LE(static_cast<double>(tests::built_bytes(view_of(a), quick->candidates[0])),
              1.01 * static_cast<double>(best->candidates[0].total_bytes))
        << text;
    for (const Candidate& each : best->candidates) EXPECT_TRUE(each.exact);
  }
}

TEST(Choose, PaddingIsNeverTakenFromASample) {
  // One long row that no sample shows makes ELL hold nothing else than padding.
  std::vector<tests::Entry> entries;
  for (std::uint32_t r = 0; r < 40'000; ++r) {
    entries.emplace_back(r, r % 97);
    if (r == 39'999)
      for (std::uint32_t c = 100; c < 20'000; ++c) entries.emplace_back(r, c);
  }
  const auto a = tests::make_csr({"", 40'000, 40'000, entries, {}});
  CostModel model;
  for (const char* name : {"ell", "csr"}) {
    model.formats.push_back({name, "double", {}, {}});
    model.formats.back().prices[static_cast<std::size_t>(CostTerm::stream_bytes)] = *name == 'e' ? 1e-12 : 1e-9;
  }
  ChoiceOptions options;
  options.goal = Goal::spmv;
  options.model = &model;
  EXPECT_EQ(choose(view_of(a), options)->candidates[0].format.name, "csr");
}

TEST(Choose, EveryScenarioByExactBytes) {
  for (const auto& s : tests::scenarios())
    for (const auto fill : {tests::Fill::real, tests::Fill::pattern, tests::Fill::complex_values}) {
      const auto a = tests::make_csr(s, fill);
      const auto choice = choose(view_of(a), {});
      ASSERT_TRUE(choice.ok()) << s.name << ": " << choice.error().message;
      for (const Candidate& each : choice->candidates) EXPECT_TRUE(each.exact) << s.name;
      const auto sizes = footprints(view_of(a), pacing_formats(), analyze::value_statistics(view_of(a.values)));
      std::uint64_t least = ~std::uint64_t{0};
      for (const Footprint& size : *sizes)
        for (const auto& bytes : size.store_bytes)
          if (bytes && !size.unfit) least = std::min(least, size.size.index_bytes + *bytes);
      EXPECT_EQ(choice->candidates[0].total_bytes, least) << s.name;
    }
}

/// A diagonal matrix whose values `value(r)` gives.
template <class Value>
Csr<Owned> diagonal(std::uint32_t n, const Value& value) {
  std::vector<tests::Entry> entries;
  std::vector<double> values;
  for (std::uint32_t r = 0; r < n; ++r) {
    entries.emplace_back(r, r);
    values.push_back(value(r));
  }
  return tests::make_csr({"", n, n, entries, values});
}

TEST(Choose, AValueThatNoSampleShowsMakesNarrowWider) {
  const auto a = diagonal(60'000, [](std::uint32_t r) { return r == 59'999 ? 100'000.0 : 1.0 + r % 100; });
  ASSERT_EQ(analyze::value_statistics(sample_rows(view_of(a), wanted).csr.values).narrow, DType::i8);
  for (const auto& store : {std::optional<StoreKind>(), std::optional(StoreKind::narrow)}) {
    ChoiceOptions options;
    options.values = store;
    options.exact_best = true;
    const auto choice = choose(view_of(a), options);
    ASSERT_TRUE(choice.ok());
    const Candidate& best = choice->candidates.front();
    EXPECT_EQ(best.values, store.value_or(StoreKind::lut8));
    EXPECT_TRUE(best.exact);
    EXPECT_EQ(best.total_bytes, tests::built_bytes(view_of(a), best));
  }
}

TEST(Choose, BytesAreWhatIsBuiltWhereTheyAreSaidToBeExact) {
  const auto a = diagonal(60'000, [](std::uint32_t r) { return r == 59'999 ? 100'000.0 : 1.0 + r % 100; });
  ChoiceOptions options;
  options.exact_best = true;
  const auto choice = choose(view_of(a), options);
  ASSERT_TRUE(choice.ok());
  for (const Candidate& each : choice->candidates) {
    if (!each.exact) continue;
    EXPECT_EQ(each.total_bytes, tests::built_bytes(view_of(a), each)) << each.format.text();
  }
}

TEST(Choose, FindsATableOfValuesThatStandFarApart) {
  // The first 50,000 rows have values that all differ, the others repeat one after the other what began far above.
  const auto a = diagonal(100'000, [](std::uint32_t r) { return 0.1 + 0.7 * (r % 50'000); });
  const auto choice = choose(view_of(a), {});
  ASSERT_TRUE(choice.ok());
  const Candidate& best = choice->candidates.front();
  EXPECT_EQ(best.values, StoreKind::lut16);
  EXPECT_TRUE(with_store(view_of(a.values), best.values).ok());
}

/// Values of opposite sign on both sides of the diagonal: none is there twice.
TEST(Choose, NoTableOfValuesThatAllDiffer) {
  constexpr std::uint32_t n = 90;
  std::vector<tests::Entry> entries;
  HostArray<std::complex<double>> skew(n * (n - 1));
  HostArray<double> fractions(n * (n - 1));
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t c = 0; c < n; ++c) {
      if (r == c) continue;
      const double k = std::min(r, c) * n + std::max(r, c), sign = r < c ? 1 : -1;
      skew[entries.size()] = sign * std::complex<double>(1 + k, 3 * k);
      fractions[entries.size()] = (1 + static_cast<double>(entries.size())) / 65'535;
      entries.emplace_back(r, c);
    }
  auto a = tests::make_csr({"", n, n, entries, {}});
  a.values = raw_store(std::move(skew));
  EXPECT_EQ(choose(view_of(a), {})->candidates.front().values, StoreKind::raw);
  a.values = raw_store(std::move(fractions));
  EXPECT_EQ(choose(view_of(a), {})->candidates.front().values, StoreKind::raw);
}

TEST(Choose, ATableIsTakenWhereItIsSmaller) {
  for (const std::uint32_t distinct : {400u, 3000u, 9000u, 14'000u, 17'000u, 20'000u}) {
    const auto a = diagonal(20'000, [=](std::uint32_t r) { return 0.1 + 0.7 * (r % distinct); });
    const auto choice = choose(view_of(a), {});
    ASSERT_TRUE(choice.ok());
    const bool table = 2 * a.nnz + 8 * distinct < 8 * a.nnz;
    EXPECT_EQ(choice->candidates.front().values, table ? StoreKind::lut16 : StoreKind::raw) << distinct;
  }
}

TEST(Choose, ATableHoldsAtMost65536Values) {
  for (const std::uint32_t distinct : {500u, 2000u, 60'000u, 66'000u}) {
    const auto a = diagonal(140'000, [=](std::uint32_t r) { return 0.1 + 0.7 * (r % distinct); });
    for (const int threads : {1, 3}) {
      ChoiceOptions options;
      options.threads = threads;
      const auto choice = choose(view_of(a), options);
      EXPECT_EQ(choice->candidates.front().values, distinct <= 65'536 ? StoreKind::lut16 : StoreKind::raw) << distinct;
    }
  }
}

TEST(Choose, TakesSizesThatAreKnown) {
  const auto a = generated("circuit:n=30000,values=noise");
  auto sizes = footprints(view_of(a), pacing_formats(), analyze::value_statistics(view_of(a.values)));
  ChoiceOptions options;
  options.exact_best = true;
  const auto exact = choose(view_of(a), options);
  for (Footprint& size : *sizes)
    if (size.format == exact->candidates.front().format.name) size.size.index_bytes -= 4;  // tells whence it is
  options.sizes = &*sizes;
  const auto choice = choose(view_of(a), options);
  EXPECT_EQ(choice->candidates.front().total_bytes + 4, exact->candidates.front().total_bytes);
  EXPECT_TRUE(choice->candidates.front().exact);
}

TEST(Choose, TakesStatisticsThatAreKnown) {
  const auto a = generated("stencil7:n=9,values=few,distinct=50");
  auto statistics = analyze::value_statistics(view_of(a.values));
  statistics.distinct = 1;  // not what the values are: shows that they were not counted again
  ChoiceOptions options;
  options.statistics = &statistics;
  EXPECT_EQ(choose(view_of(a), options)->candidates.front().values, StoreKind::iso);
}

TEST(Choose, LooksCloserAtWhatASampleDoesNotDecide) {
  // 2^15 sampled entries do not tell these two apart; 2^17 are the whole matrix.
  const auto a = generated("circuit:n=20000,values=noise");
  ASSERT_GT(a.nnz, 1u << 15);
  ASSERT_LE(a.nnz, 1u << 17);
  ChoiceOptions options;
  options.formats = {{"opt-csr", {}}, {"opt-csr", {{"index", "anchored"}}}, {"coo", {}}};
  const auto choice = choose(view_of(a), options);
  for (const Candidate& each : choice->candidates) {
    if (each.values != StoreKind::raw) continue;
    EXPECT_EQ(each.exact, each.format.name == "opt-csr") << each.format.text();
    if (each.exact) {
      EXPECT_EQ(each.total_bytes, tests::built_bytes(view_of(a), each));
    }
  }
}

TEST(Choose, KeepsToTheFormatAndTheStoreAskedFor) {
  const auto a = generated("stencil7:n=12");
  ChoiceOptions options;
  options.formats = {{"coo", {}}};
  options.values = StoreKind::lut8;
  const auto choice = choose(view_of(a), options);
  ASSERT_EQ(choice->candidates.size(), 1u);
  EXPECT_EQ(choice->candidates[0].format.text(), "coo");
  options.values = StoreKind::iso;
  EXPECT_EQ(choose(view_of(a), options).error().code, ErrorCode::not_applicable);
  options.formats = {{"nosuch", {}}};
  EXPECT_EQ(choose(view_of(a), options).error().code, ErrorCode::usage);
}

/// A model by which bytes cost nothing and each row of a format has its price.
CostModel model_of_rows(double csr, double sell) {
  CostModel model;
  for (const auto& [name, price] : {std::pair("csr", csr), std::pair("sell", sell)}) {
    model.formats.push_back({name, "double", {}, {}});
    model.formats.back().prices[static_cast<std::size_t>(CostTerm::rows)] = price;
  }
  return model;
}

TEST(Choose, RefusesAFormatByTheWholeMatrix) {
  const auto a = generated("circuit:n=9000,values=noise");
  ChoiceOptions options;
  options.formats = {{"ell", {}}};
  const auto refused = choose(view_of(a), options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find(std::to_string(a.nnz)), std::string::npos) << refused.error().message;
}

TEST(Choose, RefusesParametersOutOfRange) {
  for (const char* text : {"stencil7:n=3", "stencil7:n=12"}) {
    const auto a = generated(text);
    for (const char* format :
         {"sell:c=0", "sell:sigma=0", "sell:c=4294967295", "amb:block=0", "amb:block=11", "amb:sigma=0",
          "slice-delta:sigma=0", "slice-delta:block=0", "hybrid-bm-csr:threshold=0"}) {
      ChoiceOptions options;
      options.formats = {*parse_spec(format)};
      EXPECT_EQ(choose(view_of(a), options).error().code, ErrorCode::usage) << text << ' ' << format;
    }
  }
}

TEST(Choose, TheFastestIsWhatTheModelSays) {
  const auto a = generated("circuit:n=30000,values=noise");
  ChoiceOptions options;
  options.goal = Goal::spmv;
  for (const bool csr_wins : {true, false}) {
    const CostModel model = model_of_rows(csr_wins ? 1e-9 : 2e-9, csr_wins ? 2e-9 : 1e-9);
    options.model = &model;
    const auto choice = choose(view_of(a), options);
    EXPECT_EQ(choice->candidates[0].format.text(), csr_wins ? "csr" : "sell");
    EXPECT_NEAR(*choice->candidates[0].seconds, 30000 * 1e-9, 1e-12);
    EXPECT_TRUE(choice->candidates[0].exact);
  }
}

TEST(Choose, CorrectionsFollowThePadding) {
  // A measured matrix like this one, whose format padded as much, was twice as slow as the sum says.
  const auto a = generated("powerlaw:n=80,values=noise");
  const std::uint64_t slots = estimate_any(view_of(a), {"ell", {}})->value_slots;
  ASSERT_GT(slots, 2 * a.nnz);
  CostModel model = model_of_rows(1, 1);
  model.formats = {{"ell", "double", {}, {}}};
  model.formats[0].prices[static_cast<std::size_t>(CostTerm::rows)] = 1e-9;
  const MatrixWork work = matrix_work(view_of(a));
  const double padding = padding_of(work, static_cast<double>(slots));
  model.places = {likeness(work, model.cache_bytes)};
  model.formats[0].weights[static_cast<std::size_t>(StoreKind::raw)] = {{0, padding, std::log(2.0)}};
  ChoiceOptions options;
  options.goal = Goal::spmv;
  options.model = &model;
  options.formats = {{"ell", {}}};
  options.values = StoreKind::raw;
  EXPECT_NEAR(*choose(view_of(a), options)->candidates[0].seconds, 2 * 80e-9, 1e-14);
}

TEST(Choose, FormatsThatTheModelHasPricesForAreCandidatesOnce) {
  CostModel model;
  for (const char* type : {"double", "float"})
    for (const char* format : {"csr", "opt-csr:index=delta", "sell:sigma=1", "no-such-format:a=b"})
      model.formats.push_back({format, type, {}, {}});
  std::vector<std::string> names;
  for (const Spec& spec : candidate_formats(Goal::spmv, &model)) names.push_back(spec.text());
  EXPECT_EQ(names, (std::vector<std::string>{"csr", "opt-csr:index=delta", "sell:sigma=1"}));
}

TEST(Choose, RowsThatNoSampleShowsCountWhereFormatsPad) {
  const auto a = generated("circuit:n=150000,values=noise");  // a few rows of thousands of entries
  ChoiceOptions options;
  options.formats = {{"amb", {}}, {"csr", {}}};
  const auto guessed = choose(view_of(a), options);
  options.all_exact = true;
  const auto exact = choose(view_of(a), options);
  EXPECT_EQ(guessed->candidates.front().format.name, exact->candidates.front().format.name);
}

TEST(Choose, RowsThatPadCountThoughNoRowOfTheSampleDoes) {
  const auto a = generated("arrow:n=60000,width=2,values=noise");
  ChoiceOptions options;
  options.formats = {{"amb", {}}};
  const auto guessed = choose(view_of(a), options);
  options.all_exact = true;
  const auto exact = choose(view_of(a), options);
  const auto bytes = static_cast<double>(exact->candidates.front().total_bytes);
  EXPECT_NEAR(static_cast<double>(guessed->candidates.front().total_bytes), bytes, 0.2 * bytes);
}

TEST(Choose, DoesNotDependOnTheNumberOfThreads) {
  const auto a = generated("powerlaw:n=60000,values=noise");
  std::vector<std::vector<std::pair<std::string, std::uint64_t>>> listed;
  for (const int threads : {1, 3}) {
    ChoiceOptions options;
    options.threads = threads;
    const auto choice = choose(view_of(a), options);
    ASSERT_TRUE(choice.ok());
    auto& of_choice = listed.emplace_back();
    for (const Candidate& c : choice->candidates) of_choice.emplace_back(c.format.text(), c.total_bytes);
  }
  EXPECT_EQ(listed[0], listed[1]);
}

TEST(Choose, RowsThatNoSampleShowsDoNotCountWhereNothingPadsThem) {
  const auto a = generated("circuit:n=150000,values=noise");
  ChoiceOptions options;
  options.goal = Goal::memory;
  options.formats = {{"csr", {}},    {"ell-csr", {}},     {"hyb", {}},           {"bsr", {}},
                     {"yaspmv", {}}, {"slice-delta", {}}, {"sell", {{"c", "1"}}}};
  const auto guessed = choose(view_of(a), options);
  options.all_exact = true;
  const auto exact = choose(view_of(a), options);
  ASSERT_TRUE(guessed.ok() && exact.ok());
  ASSERT_EQ(guessed->candidates.size(), exact->candidates.size());
  for (const Candidate& guess : guessed->candidates)
    for (const Candidate& truth : exact->candidates)
      if (guess.format.name == truth.format.name && guess.values == truth.values) {
        const auto bytes = static_cast<double>(truth.total_bytes);
        EXPECT_NEAR(static_cast<double>(guess.total_bytes), bytes, 0.1 * bytes) << guess.format.name;
      }
}

TEST(Choose, SamplesWithoutEntriesTellNoSizesFromNowhere) {
  tests::Scenario lone = {"lone", 100000, 100000, {}, {}};  // all entries in a row that no sample meets
  for (std::uint32_t c = 0; c < 2000; ++c) {
    lone.entries.push_back({61234, 7 * c});
    lone.values.push_back(c + 0.5);
  }
  const tests::Scenario nothing = {"nothing", 100, 100, {}, {}}, no_rows = {"no rows", 0, 5, {}, {}};
  for (const tests::Scenario& scenario : {lone, nothing, no_rows}) {
    const auto a = tests::make_csr(scenario);
    for (const char* first : {"amb", "csr"}) {
      ChoiceOptions options;
      options.formats = {{first, {}}, {"amb", {}}, {"csr", {}}};
      const auto choice = choose(view_of(a), options);
      ASSERT_TRUE(choice.ok()) << scenario.name;
      for (const Candidate& c : choice->candidates)
        EXPECT_LT(c.total_bytes, std::uint64_t{1} << 30) << scenario.name << " " << c.format.text();
    }
  }
}

TEST(Choose, NoIdsOfTwoBytesWhereOneIsEnough) {
  const auto a = generated("uniform:n=9000,k=8,values=few,distinct=200");
  const CostModel model = model_of_rows(1e-9, 2e-9);
  ChoiceOptions options;
  options.goal = Goal::spmv;
  options.model = &model;
  const auto choice = choose(view_of(a), options);
  for (const Candidate& c : choice->candidates) EXPECT_NE(c.values, StoreKind::lut16);
  EXPECT_TRUE(std::any_of(choice->candidates.begin(), choice->candidates.end(),
                          [](const Candidate& c) { return c.values == StoreKind::lut8; }));
}

TEST(Choose, SaysWhatASampleDoesNotDecide) {
  const auto a = generated("circuit:n=60000,values=noise");
  ASSERT_GT(a.nnz, 1u << 17);
  ChoiceOptions options;
  options.formats = {{"opt-csr", {}}, {"opt-csr", {{"index", "anchored"}}}};
  const auto choice = choose(view_of(a), options);
  ASSERT_EQ(choice->notes.size(), 1u);
  EXPECT_NE(choice->notes.front().find("within a tenth of opt-csr"), std::string::npos) << choice->notes.front();
  options.all_exact = true;
  EXPECT_TRUE(choose(view_of(a), options)->notes.empty());
}

TEST(Choose, TheWayCountsBesideTheProductAfterIt) {
  const auto a = generated("circuit:n=30000,values=noise");
  CostModel model = model_of_rows(1e-9, 3e-9);
  model.formats[1].format = "opt-csr";  // slower, and smaller
  model.link_bytes_per_second = 1e9;
  ChoiceOptions options;
  options.goal = Goal::transfer;
  options.model = &model;
  options.formats = {{"csr", {}}, {"opt-csr", {}}};
  EXPECT_EQ(choose(view_of(a), options)->candidates[0].format.name, "opt-csr");
}

}  // namespace
}  // namespace spress

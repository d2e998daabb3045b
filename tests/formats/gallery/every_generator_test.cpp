// What holds for every generator of the list, whoever adds one.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "formats/gallery/random.hpp"
#include "tests/formats/gallery/support.hpp"

namespace spress::tests {
namespace {

/// A generator with parameters that make it small; a new one is small enough by its defaults, or gets a row.
std::string small(const std::string& name, const std::string& options) {
  static const std::map<std::string, std::string> sizes = {
      {"band", "n=500"},     {"circuit", "n=500"},  {"density", "n=300"}, {"elasticity3d", "n=2"}, {"fem3d", "n=5"},
      {"powerlaw", "n=500"}, {"stencil7", "n=5"},   {"stencil27", "n=5"}, {"trefethen", "n=300"},  {"uniform", "n=500"},
      {"lp", "periods=4"},   {"kkt", "n=200,m=90"}, {"convdiff", "n=9"},  {"poisson2d", "n=9"}};
  const auto at = sizes.find(name);
  return name + ":" + (at == sizes.end() ? "" : at->second + ",") + options;
}

class EveryGenerator : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Gallery, EveryGenerator, testing::ValuesIn(all_names()),
                         [](const auto& test) { return test.param; });

TEST_P(EveryGenerator, MakesAValidMatrixFromItsDefaults) {
  const auto m = generated(GetParam());
  const auto status = validate(view_of(m.csr));
  EXPECT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(m.info.stored_entries, m.csr.nnz);
  EXPECT_EQ(m.info.duplicates, 0u);
  EXPECT_EQ(m.info.name, GetParam());
  EXPECT_EQ(m.info.path, "gen:" + GetParam());
  EXPECT_EQ(m.info.field == Field::pattern, m.csr.values.type == ValueType::none);
}

TEST_P(EveryGenerator, IsSymmetricByBitsWhereItSaysSo) {
  for (const char* options :
       {":values=natural", ":values=noise", ":values=few", ":values=decimal", ":values=pattern", ":shuffle=5"}) {
    const auto m = generated(GetParam() + options);
    if (m.info.symmetry != Symmetry::symmetric) continue;
    const auto entries = entries_of(m);
    EXPECT_TRUE(entries == transposed(entries)) << options;
  }
}

TEST_P(EveryGenerator, KeepsItsPatternWhateverTheValues) {
  const auto natural = generated(small(GetParam(), "values=natural"));
  for (const char* values : {"noise", "few", "decimal", "pattern"}) {
    const auto m = generated(small(GetParam(), std::string("values=") + values));
    EXPECT_TRUE(std::ranges::equal(m.csr.col_idx, natural.csr.col_idx)) << values;
    EXPECT_EQ(lengths(m), lengths(natural)) << values;
  }
}

TEST_P(EveryGenerator, DrawsTheValuesThatAreAskedFor) {
  const auto name = GetParam();
  for_each_entry(generated(small(name, "values=noise")),
                 [](std::uint64_t, std::uint64_t, double v) { ASSERT_TRUE(std::abs(v) <= 1.0 && v != 0.0) << v; });
  for_each_entry(generated(small(name, "values=decimal")), [](std::uint64_t, std::uint64_t, double v) {
    ASSERT_EQ(std::round(v * 100.0) / 100.0, v);
    ASSERT_TRUE(std::abs(v) < 100.0 && v != 0.0) << v;
  });
  std::set<double> distinct;
  for_each_entry(generated(small(name, "values=few,distinct=5")),
                 [&](std::uint64_t, std::uint64_t, double v) { distinct.insert(v); });
  EXPECT_LE(distinct.size(), 5u);
  const auto pattern = generated(small(name, "values=pattern"));
  EXPECT_EQ(pattern.info.field, Field::pattern);
  EXPECT_EQ(byte_totals(pattern.csr).value_bytes, 0u);
}

/// new place -> old place.
struct Orders {
  std::vector<std::uint32_t> rows, cols;
};

Orders shuffle_of(std::uint64_t rows, std::uint64_t cols, std::uint64_t seed) {
  using namespace gallery;
  Orders out{random_permutation(rows, Random(seed, Stream::row_shuffle)), {}};
  out.cols = rows == cols ? out.rows : random_permutation(cols, Random(seed, Stream::column_shuffle));
  return out;
}

TEST_P(EveryGenerator, ShufflesRowsAndColumnsAndNothingElse) {
  for (const std::string values : {"natural", "noise"}) {
    const auto plain = generated(small(GetParam(), std::string("values=") + values));
    const auto shuffled = generated(small(GetParam(), "shuffle=11,values=" + values));
    const auto order = shuffle_of(plain.csr.rows, plain.csr.cols, 11);
    Entries back;
    for (const auto& [place, bits] : entries_of(shuffled))
      back[{order.rows[place.first], order.cols[place.second]}] = bits;
    EXPECT_TRUE(back == entries_of(plain)) << values;
    EXPECT_TRUE(validate(view_of(shuffled.csr)).ok());
    EXPECT_EQ(shuffled.info.symmetry, plain.info.symmetry);
  }
}

TEST_P(EveryGenerator, TakesTheCommonOptionsAndExplainsAll) {
  const auto entries = gallery::entries();
  const auto at = std::ranges::find(entries, GetParam(), &gallery::Entry::name);
  EXPECT_FALSE(at->summary.empty());
  std::set<std::string> keys;
  for (const auto& option : at->options) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key << " twice";
    EXPECT_FALSE(option.help.empty()) << option.key;
  }
  for (const char* key : {"values", "distinct", "seed", "shuffle"}) EXPECT_TRUE(keys.contains(key)) << key;
}

TEST(Gallery, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const char* spec :
       {"poisson2d:n=200,values=noise", "stencil7:n=33,values=few,shuffle=3", "density:values=pattern",
        "powerlaw:n=40000,shuffle=2", "mycielskian:k=12,values=decimal", "circuit:n=40000"}) {
    std::set<std::uint64_t> sums;
    for (const int threads : {1, 3}) {
      omp_set_num_threads(threads);
      sums.insert(checksum_of_csr(generated(spec)));
    }
    EXPECT_EQ(sums.size(), 1u) << spec;
  }
  omp_set_num_threads(before);
}

TEST(Gallery, ShuffleIsAPermutationOfItsSeed) {
  auto order = shuffle_of(1000, 1000, 1).rows;
  EXPECT_NE(order, shuffle_of(1000, 1000, 2).rows);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(order[i], i);
  EXPECT_EQ(checksum_of_csr(generated("uniform:shuffle=0")), checksum_of_csr(generated("uniform")));
}

TEST(Gallery, RectangularMatricesGetTwoPermutations) {
  const auto order = shuffle_of(7, 8, 3);
  EXPECT_EQ(order.rows.size(), 7u);
  EXPECT_EQ(order.cols.size(), 8u);
  const auto m = generated("uniform:n=7,m=8,k=3,shuffle=3"), plain = generated("uniform:n=7,m=8,k=3");
  const auto a = dense(m), b = dense(plain);
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(a[i][j], b[order.rows[i]][order.cols[j]]);
}

TEST(Gallery, NamesAreFitForFilesAndPathsForTheCommandLine) {
  const auto m = generated("tridiag:n=3,lower=-1,values=few,shuffle=4");
  EXPECT_EQ(m.info.name, "tridiag_n3_lower--1_values-few_shuffle4");
  EXPECT_EQ(m.info.path, "gen:tridiag,n=3,lower=-1,values=few,shuffle=4");
  EXPECT_EQ(generated("stencil27:n=2").info.name, "stencil27_n2");
  EXPECT_EQ(generated("tridiag:n=3,lower=1e+2").info.name, "tridiag_n3_lower1e_2");
}

TEST(Gallery, SeedChangesWhatIsRandomAndOnlyThat) {
  EXPECT_NE(checksum_of_csr(generated("band:n=100,seed=1")), checksum_of_csr(generated("band:n=100,seed=2")));
  EXPECT_NE(checksum_of_csr(generated("stencil7:n=3,values=noise,seed=1")),
            checksum_of_csr(generated("stencil7:n=3,values=noise,seed=2")));
  EXPECT_EQ(checksum_of_csr(generated("stencil7:n=3,seed=1")), checksum_of_csr(generated("stencil7:n=3,seed=2")));
}

TEST(Gallery, FewValuesAreExactlyAsManyAsAskedFor) {
  for (const std::uint64_t count : {1u, 2u, 256u, 257u}) {
    std::set<double> seen;
    for_each_entry(generated("dense:n=100,values=few,distinct=" + std::to_string(count)),
                   [&](std::uint64_t, std::uint64_t, double v) { seen.insert(v); });
    EXPECT_EQ(seen.size(), count);
  }
}

TEST(Gallery, NoiseFillsTheMantissa) {
  std::set<double> distinct;
  std::uint64_t odd = 0, negative = 0;
  double sum = 0;
  for_each_entry(generated("dense:n=100"), [&](std::uint64_t, std::uint64_t, double v) {
    distinct.insert(v);
    odd += std::bit_cast<std::uint64_t>(v) & 1;
    negative += v < 0 ? 1 : 0;
    sum += std::abs(v);
  });
  EXPECT_EQ(distinct.size(), 10000u);
  EXPECT_NEAR(static_cast<double>(odd), 5000.0, 250.0);
  EXPECT_NEAR(static_cast<double>(negative), 5000.0, 250.0);
  EXPECT_NEAR(sum / 10000.0, 0.5, 0.02);
}

TEST(Gallery, FieldSaysWhatTheNumbersAre) {
  EXPECT_EQ(generated("trefethen:n=5").info.field, Field::integer);
  EXPECT_EQ(generated("trefethen:n=5,values=decimal").info.field, Field::real);
  EXPECT_EQ(generated("mycielskian:k=4").info.field, Field::pattern);
  EXPECT_EQ(generated("mycielskian:k=4,values=noise").info.field, Field::real);
  EXPECT_EQ(generated("poisson2d:n=3").info.field, Field::real);
}

TEST(Gallery, SymmetryIsDeclaredOnlyWhereValuesAndPatternHaveIt) {
  EXPECT_EQ(generated("convdiff").info.symmetry, Symmetry::general);
  EXPECT_EQ(generated("convdiff:values=noise").info.symmetry, Symmetry::general);
  EXPECT_EQ(generated("convdiff:values=pattern").info.symmetry, Symmetry::symmetric);
  EXPECT_EQ(generated("uniform:values=pattern").info.symmetry, Symmetry::general);
  for (const char* spec : {"stencil7", "stencil27:values=noise", "fem3d", "elasticity3d:n=3", "kkt:values=few", "arrow",
                           "circuit:structure=symmetric", "trefethen:values=decimal", "mycielskian"})
    EXPECT_EQ(generated(spec).info.symmetry, Symmetry::symmetric) << spec;
}

struct Bad {
  const char* spec;
  const char* part;  ///< of the message
  ErrorCode code = ErrorCode::usage;
};

TEST(Gallery, RefusesWhatCannotBe) {
  for (const auto& bad : std::vector<Bad>{{"nosuch", "the generators are stencil7, stencil27"},
                                          {"stencil7:q=3", "it takes n, nx, ny, nz, values, distinct, seed, shuffle"},
                                          {"stencil7:n=x", "n=x: expected an integer"},
                                          {"stencil7:n=-3", "n=-3: expected an integer"},
                                          {"stencil7:n=0", "n=0: expected at least 1"},
                                          {"stencil27:n=1291", "at most 2147483647"},
                                          {"stencil27:nx=4294967296,ny=4294967296,nz=4294967296", "at most 2147483647"},
                                          {"fem3d:n=18446744073709551615", "at most 2147483647"},
                                          {"elasticity3d:n=900", "at most 2147483647"},
                                          {"elasticity3d:nu=0.5", "nu: expected"},
                                          {"elasticity3d:nu=nan", "nu: expected"},
                                          {"elasticity3d:E=inf", "E: expected"},
                                          {"convdiff:dim=4", "dim=4: expected 2 or 3"},
                                          {"convdiff:diffusion=0", "diffusion: expected"},
                                          {"circuit:gamma=1", "gamma: expected"},
                                          {"circuit:share=1.5", "share: expected"},
                                          {"circuit:n=2,dense=3", "dense=3: expected"},
                                          {"circuit:structure=odd", "one of unsymmetric, symmetric"},
                                          {"powerlaw:n=5,average=6", "average=6: expected"},
                                          {"powerlaw:idle=1", "idle: expected"},
                                          {"powerlaw:gamma_in=nan", "gamma_in: expected"},
                                          {"uniform:n=5,k=6", "k=6: expected at most the 5 columns"},
                                          {"uniform:n=0", "n=0: expected"},
                                          {"density:f=4", "f=4: expected 1, 2 or 3"},
                                          {"density:max=3", "max=3: expected"},
                                          {"density:n=10,max=11", "max=11: expected"},
                                          {"blockdiag:b=0", "b=0: expected"},
                                          {"arrow:n=3,width=4", "width=4: expected"},
                                          {"arrow:corner=middle", "one of first, last"},
                                          {"empty:rows=2147483648", "at most 2147483647"},
                                          {"kkt:n=3,m=4", "m=4: expected"},
                                          {"lp:k=151", "k and link: expected"},
                                          {"lp:rows=0", "rows=0: expected"},
                                          {"lp:coupling=2147483647", "at most 2147483647"},
                                          {"trefethen:n=1,b=1", "n=1: expected 2"},
                                          {"trefethen:b=2", "b=2: expected 0 or 1"},
                                          {"mycielskian:k=1", "k=1: expected 2 to 31"},
                                          {"mycielskian:k=32", "k=32: expected 2 to 31"},
                                          {"identity:values=some", "one of natural, noise, few, decimal, pattern"},
                                          {"identity:distinct=0", "distinct=0: expected"},
                                          {"identity:distinct=1048577", "distinct=1048577: expected"},
                                          {"dense:n=2147483647", "more than 2^40 entries", ErrorCode::too_large},
                                          {"mycielskian:k=31", "more than 2^40 entries", ErrorCode::too_large}}) {
    const auto result = try_generate(bad.spec);
    ASSERT_FALSE(result.ok()) << bad.spec;
    EXPECT_EQ(result.error().code, bad.code) << bad.spec;
    EXPECT_NE(result.error().message.find(bad.part), std::string::npos) << bad.spec << ": " << result.error().message;
  }
}

}  // namespace
}  // namespace spress::tests

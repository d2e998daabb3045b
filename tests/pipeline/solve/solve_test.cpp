// Solving with every format: counts, residuals, the finite-element case, odd matrices, hidden encoding, judgement.
#include "pipeline/solve/solve.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <set>

#include "encode/shared/any.hpp"
#include "kernels/reference.hpp"
#include "pipeline/solve/residual.hpp"
#include "pipeline/solve/side_by_side.hpp"
#include "pipeline/solve/solve_device.hpp"
#include "pipeline/solve/solve_judge.hpp"
#include "pipeline/solve/switching.hpp"
#include "pipeline/source.hpp"
#include "reports/json/json.hpp"
#include "tests/scenarios.hpp"

namespace spress::pipeline {
namespace {

using reports::SolveMeasure;
using reports::SolveRecord;

Result<SolveRecord> solved(const std::string& input, const SolveOptions& options = {}) {
  const auto matrix = load(input);
  const auto problem = load_problem(input);
  EXPECT_TRUE(matrix.ok() && problem.ok()) << input;
  return solve(*matrix, *problem, options);
}

Result<SolveRecord> solved(const tests::Scenario& scenario, const SolveOptions& options = {},
                           tests::Fill fill = tests::Fill::real) {
  Matrix matrix;
  matrix.info.name = scenario.name;
  matrix.csr = tests::make_csr(scenario, fill);
  return solve(matrix, std::nullopt, options);
}

std::vector<Spec> specs(const std::string& text) { return parse_spec_list(text).value(); }

TEST(Solve, EveryFormatAndTypeAgreesWithCsr) {
  SolveOptions options;
  options.threads = 2;
  for (auto preconditioner : {Preconditioner::none, Preconditioner::jacobi}) {
    options.preconditioner = preconditioner;
    const auto record = solved("gen:poisson2d,n=20", options);
    ASSERT_TRUE(record.ok());
    EXPECT_TRUE(record->ok);
    EXPECT_EQ(record->right_hand_side, "A*x");
    std::set<std::string> names;
    for (const SolveMeasure& row : record->formats) {
      names.insert(row.format + " " + row.type);
      EXPECT_EQ(row.ok, true) << row.format << ": " << row.reason;
      EXPECT_EQ(row.stop, "converged");
      EXPECT_LE(row.residual, 1e-8);
      EXPECT_LE(row.true_residual, row.type == "double" ? 1.001e-8 : 1e-5);
      EXPECT_GT(row.iterations_per_second, 0);
      EXPECT_NEAR(row.updates_per_second / row.iterations_per_second, 400, 1e-6);
      EXPECT_GT(row.product_share, 0);
      EXPECT_LE(row.product_share, 1);
      EXPECT_GT(row.spmv_seconds, 0);
      EXPECT_LE(row.spmv_seconds * static_cast<double>(row.iterations), row.seconds);
      EXPECT_FALSE(row.l2_error);
    }
    EXPECT_EQ(names.size(), 2 * all_formats().size());
    EXPECT_EQ(record->formats.size(), names.size());  // CSR, the baseline, only once
  }
}

TEST(Solve, FiniteElementsAreOfOrderTwo) {
  SolveOptions options;
  options.formats = specs("csr,sell");
  std::vector<double> errors, sides;
  for (int n : {8, 16, 32}) {
    const auto record = solved("gen:fem3d,n=" + std::to_string(n), options);
    ASSERT_TRUE(record.ok());
    EXPECT_EQ(record->right_hand_side, "problem");
    ASSERT_EQ(record->formats.size(), 4u);
    for (const SolveMeasure& row : record->formats) {
      ASSERT_TRUE(row.l2_error);
      EXPECT_NEAR(*row.l2_error / *record->formats[0].l2_error, 1, 1e-3) << row.type;  // float loses no digit of it
      EXPECT_GT(row.iterations, static_cast<std::uint64_t>(n));  // not the one step that an eigenvector takes
    }
    errors.push_back(*record->formats[0].l2_error);
    sides.push_back(n + 1);  // h = 1 / (n + 1)
  }
  for (std::size_t k = 1; k < errors.size(); ++k) {
    const double order = std::log(errors[k - 1] / errors[k]) / std::log(sides[k] / sides[k - 1]);
    EXPECT_GT(order, 1.9);
    EXPECT_LT(order, 2.1);
  }
}

TEST(Solve, ShuffledFiniteElementsHaveTheSameError) {
  SolveOptions options;
  options.formats = specs("csr");
  options.types = {ValueType::f64};
  const auto plain = solved("gen:fem3d,n=6", options), shuffled = solved("gen:fem3d,n=6,shuffle=3", options);
  ASSERT_TRUE(plain.ok() && shuffled.ok());
  EXPECT_NEAR(*plain->formats[0].l2_error, *shuffled->formats[0].l2_error, 1e-8);
}

TEST(Solve, ValueStoresAreEncodedAndTheBaselineStaysRaw) {
  SolveOptions options;
  options.formats = specs("csr,sell,bccoo");
  options.types = {ValueType::f64};
  options.values = StoreKind::lut8;
  auto record = solved("gen:poisson2d,n=10", options);
  ASSERT_TRUE(record.ok());
  ASSERT_EQ(record->formats.size(), 4u);
  EXPECT_EQ(record->formats[0].values, "raw");
  EXPECT_EQ(record->formats[1].values, "lut8");
  EXPECT_LT(record->formats[1].total_bytes, record->formats[0].total_bytes);
  EXPECT_EQ(record->formats[1].iterations, record->formats[0].iterations);
  EXPECT_FALSE(record->formats[3].ok) << "bccoo codes values in a way of its own";
  EXPECT_FALSE(record->formats[3].reason.empty());
  options.values = std::nullopt;
  record = solved("gen:poisson2d,n=10", options);
  ASSERT_TRUE(record.ok());
  EXPECT_NE(record->formats[1].values, "raw");
  EXPECT_EQ(record->formats[3].values, "raw");
  EXPECT_TRUE(record->ok);
}

TEST(Solve, OddMatrices) {
  SolveOptions options;
  options.formats = specs("csr,sell,ell,amb");
  for (const tests::Scenario& scenario :
       {tests::Scenario{"0x0", 0, 0, {}, {}}, tests::Scenario{"1x1", 1, 1, {{0, 0}}, {3}},
        tests::Scenario{"diagonal", 3, 3, {{0, 0}, {1, 1}, {2, 2}}, {1, 10, 100}}}) {
    for (auto preconditioner : {Preconditioner::none, Preconditioner::jacobi}) {
      options.preconditioner = preconditioner;
      const auto record = solved(scenario, options);
      ASSERT_TRUE(record.ok()) << scenario.name << record.error().message;
      EXPECT_TRUE(record->ok) << scenario.name;
      for (const SolveMeasure& row : record->formats) {
        EXPECT_TRUE(row.converged) << scenario.name << " " << row.format;
        EXPECT_LE(row.iterations,
                  scenario.rows + 2);  // as many as there are eigenvalues, and what rounding costs float
      }
    }
  }
}

TEST(Solve, AZeroRightHandSideIsSolvedByZero) {
  const auto record = solved({"no entries", 4, 4, {}, {}});  // A x = 0
  ASSERT_TRUE(record.ok());
  for (const SolveMeasure& row : record->formats) {
    EXPECT_EQ(row.iterations, 0u);
    EXPECT_EQ(row.true_residual, 0);
    EXPECT_EQ(row.ok, true);
  }
}

void expect_refused(const tests::Scenario& scenario, const SolveOptions& options, const std::string& word,
                    ErrorCode code = ErrorCode::not_applicable, tests::Fill fill = tests::Fill::real) {
  const auto record = solved(scenario, options, fill);
  ASSERT_FALSE(record.ok()) << scenario.name;
  EXPECT_EQ(record.error().code, code) << scenario.name;
  EXPECT_NE(record.error().message.find(word), std::string::npos) << record.error().message;
}

TEST(Solve, RefusesWhatCannotBePositiveDefinite) {
  SolveOptions jacobi;
  jacobi.preconditioner = Preconditioner::jacobi;
  expect_refused({"wide", 2, 3, {{0, 0}}, {}}, {}, "2 x 3");
  expect_refused({"pattern", 2, 2, {{0, 0}, {0, 1}, {1, 1}}, {}}, {}, "(1, 2) is 2 and (2, 1) is 0");
  expect_refused({"values", 2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {4, 1, 2, 4}}, {}, "(2, 1) is 2");
  expect_refused({"skew", 2, 2, {{0, 1}, {1, 0}}, {1, -1}}, {}, "symmetric");
  expect_refused({"nan", 2, 2, {{0, 0}, {1, 1}}, {1, std::numeric_limits<double>::quiet_NaN()}}, {}, "(2, 2) is nan");
  expect_refused({"complex", 1, 1, {{0, 0}}, {1}}, {}, "complex", ErrorCode::unsupported, tests::Fill::complex_values);
  expect_refused({"no diagonal", 2, 2, {{0, 0}, {0, 1}, {1, 0}}, {1, 1, 1}}, jacobi, "row 2 is 0");
  expect_refused({"negative", 1, 1, {{0, 0}}, {-2}}, jacobi, "row 1 is -2");
}

TEST(Solve, TakesTheRoundingOfAnAssemblyForSymmetry) {
  SolveOptions options;
  options.formats = specs("csr");
  EXPECT_TRUE(solved({"", 2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {4, 1, 1 + 1e-15, 4}}, options).ok());
  EXPECT_TRUE(solved({"", 2, 2, {{0, 0}, {0, 1}, {1, 1}}, {4, 1e-16, 4}}, options).ok());
}

TEST(Solve, SaysThatAMatrixIsNotPositiveDefinite) {
  SolveOptions options;
  options.formats = specs("csr,sell");
  for (auto fill : {tests::Fill::real, tests::Fill::pattern}) {  // [0 1; 1 0] has the eigenvalue -1
    const auto record = solved({"", 3, 3, {{0, 1}, {1, 0}, {2, 2}}, {1, 1, -50}}, options, fill);
    ASSERT_TRUE(record.ok());
    if (fill == tests::Fill::pattern) continue;
    EXPECT_FALSE(record->ok);
    for (const SolveMeasure& row : record->formats) {
      EXPECT_EQ(row.stop, "not_positive_definite");
      EXPECT_FALSE(row.ok);
      EXPECT_NE(row.reason.find("positive definite"), std::string::npos);
    }
  }
}

TEST(Solve, WhatFloatCannotHoldLeavesRowsWithoutFigures) {
  SolveOptions options;
  options.formats = specs("csr,coo");
  const auto record = solved({"", 2, 2, {{0, 0}, {1, 1}}, {1e60, 1}}, options);
  ASSERT_TRUE(record.ok());
  ASSERT_EQ(record->formats.size(), 4u);
  EXPECT_EQ(record->formats[1].ok, true);
  for (std::size_t k : {2, 3}) {  // one for each format asked for
    EXPECT_EQ(record->formats[k].format, k == 2 ? "csr" : "coo");
    EXPECT_EQ(record->formats[k].type, "float");
    EXPECT_FALSE(record->formats[k].ok);
    EXPECT_TRUE(record->formats[k].stop.empty());
    EXPECT_NE(record->formats[k].reason.find("float"), std::string::npos);
  }
  EXPECT_TRUE(reports::parse_solve_record(reports::to_json_line(*record)));
}

TEST(Solve, TheRecordComesBackFromJson) {
  SolveOptions options;
  options.formats = specs("csr,sell:c=4");
  options.hidden = {Spec{"csr", {}}, Spec{"sell", {{"c", "4"}}}};
  options.threads = 2;
  const auto record = solved("gen:fem3d,n=4", options);
  ASSERT_TRUE(record.ok());
  const std::string line = reports::to_json_line(*record);
  const auto back = reports::parse_solve_record(line);
  ASSERT_TRUE(back) << back.error;
  EXPECT_EQ(reports::to_json_line(*back.record), line);
  EXPECT_NE(line.find("\"format\":\"csr>sell\",\"parameters\":\">c=4\""), std::string::npos) << line;
}

TEST(Solve, HiddenEncodingNeedsTwoThreads) {
  SolveOptions options;
  options.hidden = {Spec{"csr", {}}, Spec{"sell", {}}};
  options.threads = 1;
  const auto record = solved("gen:poisson2d,n=4", options);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().code, ErrorCode::usage);
}

TEST(Solve, ThePairIsMeasuredAloneToo) {
  SolveOptions options;
  options.formats = specs("coo");
  options.types = {ValueType::f64};
  options.hidden = {Spec{"csr", {}}, Spec{"sell", {}}};
  options.threads = 2;
  const auto record = solved("gen:fem3d,n=8", options);
  ASSERT_TRUE(record.ok());
  std::vector<std::string> names;
  for (const SolveMeasure& row : record->formats) names.push_back(row.format);
  EXPECT_EQ(names, (std::vector<std::string>{"csr", "coo", "sell", "csr>sell"}));
  EXPECT_EQ(record->formats[3].ok, true) << record->formats[3].reason;
  EXPECT_EQ(record->formats[3].iterations, record->formats[0].iterations);
}

TEST(Solve, APairWhoseSecondFormatCannotBeHasNoFigures) {
  SolveOptions options;
  options.types = {ValueType::f64};
  options.formats = specs("csr");
  options.values = StoreKind::iso;  // the values of this matrix differ
  options.hidden = {Spec{"csr", {}}, Spec{"coo", {}}};
  options.threads = 2;
  const auto record = solved("gen:fem3d,n=6", options);
  ASSERT_TRUE(record.ok());
  const SolveMeasure& pair = record->formats.back();
  EXPECT_EQ(pair.format, "csr>coo");
  EXPECT_FALSE(pair.ok);
  EXPECT_FALSE(pair.reason.empty());
  EXPECT_TRUE(std::isnan(pair.speedup_vs_csr) && std::isnan(pair.seconds));
  const std::string line = reports::to_json_line(*record);
  EXPECT_NE(line.find("\"total_bytes\":null,\"iterations\":null,\"converged\":null,\"stop\":null"), std::string::npos);
}

TEST(Solve, TellsOfEachRow) {
  SolveOptions options;
  options.formats = specs("csr,sell:c=4");
  std::vector<std::string> told;
  options.on_progress = [&](const SolveProgress& p) {
    EXPECT_EQ(p.done, told.size());
    EXPECT_EQ(p.total, 4u);
    told.push_back(p.what);
  };
  ASSERT_TRUE(solved("gen:poisson2d,n=5", options).ok());
  EXPECT_EQ(told,
            (std::vector<std::string>{"csr raw double", "sell:c=4 raw double", "csr raw float", "sell:c=4 raw float"}));
}

TEST(Solve, NoRowDriftsFromTheTruthByMoreThanRoundingExplains) {
  SolveOptions options;
  options.formats = specs("csr,sell,amb");
  options.tolerance = 1e-14;  // which float cannot reach, nor double quite
  for (const char* input : {"gen:fem3d,n=6", "gen:poisson2d,n=30", "gen:tridiag,n=500"}) {
    const auto record = solved(input, options);
    ASSERT_TRUE(record.ok()) << input;
    for (const SolveMeasure& row : record->formats) {
      EXPECT_FALSE(drifted(row)) << input << " " << row.format << " " << row.type;
      EXPECT_GT(row.rounding_bound, 0);
      EXPECT_LT(row.rounding_bound, row.type == "double" ? 1e-8 : 1);
    }
  }
}

/// What a solver with a flaw would report: the right count, a recurrence that looks converged, and another x.
TEST(Solve, AWrongSolutionIsBeyondTheBound) {
  const auto matrix = load("gen:poisson2d,n=30");
  ASSERT_TRUE(matrix.ok());
  const auto a = view_of(matrix->csr);
  const auto x = test_vector<double>(a.cols);
  const auto exact = reference_product<double>(a, x.data());
  const std::vector<double> b(exact.y.begin(), exact.y.end());
  auto wrong = x;
  wrong[7] *= 1 + 1e-8;
  const auto right = check_residual<double>(a, b, x, {}, 100), flawed = check_residual<double>(a, b, wrong, {}, 100);
  EXPECT_LT(right.true_residual, right.rounding_bound);
  EXPECT_GT(flawed.true_residual, flawed.rounding_bound);
  EXPECT_GT(check_residual<double>(a, b, x, magnitude_of_start(a, x), 100).rounding_bound, 2 * right.rounding_bound);
  EXPECT_TRUE(magnitude_of_start(a, std::vector<double>(a.cols)).empty());
}

TEST(Solve, RoundingBoundByHand) {
  // A = [2 1; 1 2], x = (1, 1), b = (3, 3), n = 2: after 4 iterations eps * ((4 * 10 + 3) * 3 + 5 * 3) in each row.
  Csr<Owned> a;
  a.rows = a.cols = 2;
  a.nnz = 4;
  a.row_ptr = Positions<Owned>(HostArray<std::uint32_t>{0, 2, 4});
  a.col_idx = {0, 1, 0, 1};
  a.values = raw_store(HostArray<double>{2, 1, 1, 2});
  const auto checked = check_residual<double>(view_of(a), {3, 3}, {1, 1}, {}, 4);
  EXPECT_EQ(checked.true_residual, 0);
  EXPECT_NEAR(checked.rounding_bound / (0x1p-53 * (43 * 3 + 5 * 3) / 3), 1, 1e-12);
}

#ifndef SPRESS_WITH_CUDA
TEST(Solve, TellsThatTheBuildHasNoCuda) {
  SolveOptions options;
  options.device = DeviceKind::cuda;
  const auto record = solved("gen:poisson2d,n=5", options);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().code, ErrorCode::unsupported);
  EXPECT_NE(record.error().message.find("SPRESS_CUDA"), std::string::npos) << record.error().message;
}
#endif

// --- Switching --------------------------------------------------------------------------------------------------

/// A system whose solution takes many iterations, each with a product of our choice.
struct Chain {
  static constexpr std::uint64_t n = 300;
  std::vector<double> b = test_vector<double>(n), start = std::vector<double>(n), none;
  std::atomic<std::uint64_t> first_products = 0, second_products = 0;
  std::unique_ptr<PlacedMatrix> second;
  std::unique_ptr<Solver<double>> solver = cpu_solve_device<double>()->begin({b, start, none, {}}).value();

  static void multiply(const double* x, double* y) {
    for (std::uint64_t i = 0; i < n; ++i) y[i] = 2.001 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
  }
  static ThreadedProduct<double> counted(std::atomic<std::uint64_t>& count) {
    return [&count](const double* from, double* to, int) {
      multiply(from, to);
      ++count;
    };
  }
  [[nodiscard]] std::unique_ptr<PlacedMatrix> first() { return placed_product<double>(counted(first_products)); }
  const PlacedMatrix* prepare_second() {
    second = placed_product<double>(counted(second_products));
    return second.get();
  }
  Result<SwitchRecord> run(const PlacedMatrix& first, const std::function<const PlacedMatrix*()>& prepare,
                           int threads = 2) {
    return run_switching<double>(*solver, first, prepare, {threads, threads / 2});
  }
  [[nodiscard]] bool solved() const { return solver->stop() == CgStop::converged; }
};

/// Waits for something another thread does, but not for ever.
template <class Done>
void wait_for(const Done& done, double seconds = 20) {
  for (const double start = omp_get_wtime(); !done() && omp_get_wtime() - start < seconds;) {
  }
}
void wait(double seconds) {
  wait_for([] { return false; }, seconds);
}

TEST(Switching, GoesOnWithTheSecondProduct) {
  if (omp_get_thread_limit() < 8) GTEST_SKIP() << "OMP_THREAD_LIMIT leaves no thread to work beside";
  Chain chain;
  const auto counted = Chain::counted(chain.first_products);
  const auto first = placed_product<double>([&](const double* from, double* to, int threads) {
    counted(from, to, threads);
    if (chain.first_products > 10) wait(0.002);  // so that the second has a share
  });
  const auto record = chain.run(*first, [&] {
    wait_for([&] { return chain.first_products > 10; });  // and the first one
    return chain.prepare_second();
  });
  ASSERT_TRUE(record.ok());
  EXPECT_TRUE(chain.solved());
  ASSERT_TRUE(record->at);
  EXPECT_GE(*record->at, 10u);
  EXPECT_EQ(*record->at + 1, chain.first_products);  // one more: that of the start
  EXPECT_EQ(chain.first_products + chain.second_products, chain.solver->iterations() + 1);
  EXPECT_LE(record->prepare_seconds, record->seconds);
  Chain alone;
  ASSERT_TRUE(alone.solver->run(*alone.first(), 1, {}).ok());
  EXPECT_EQ(chain.solver->solution().value(), alone.solver->solution().value());  // the same product: the same bits
}

TEST(Switching, EndsBeforeASlowEncoder) {
  if (omp_get_thread_limit() < 8) GTEST_SKIP() << "OMP_THREAD_LIMIT leaves no thread to work beside";
  Chain chain;
  bool prepared = false;
  const auto record = chain.run(*chain.first(), [&] {
    wait_for([&] { return chain.first_products > 280; });
    wait(0.1);
    prepared = true;
    return chain.prepare_second();
  });
  ASSERT_TRUE(record.ok());
  EXPECT_TRUE(chain.solved());
  EXPECT_TRUE(prepared);
  EXPECT_FALSE(record->at);
  EXPECT_EQ(chain.second_products, 0u);
  EXPECT_LT(record->seconds, record->prepare_seconds);
}

TEST(Switching, GoesOnAloneWhereThereIsNoSecondProduct) {
  Chain chain;
  const auto record = chain.run(
      *chain.first(), []() -> const PlacedMatrix* { return nullptr; }, 3);
  ASSERT_TRUE(record.ok());
  EXPECT_TRUE(chain.solved());
  EXPECT_FALSE(record->at);
}

TEST(Switching, ExceptionsLeaveTheRegion) {
  Chain chain;
  const auto fails = []() -> const PlacedMatrix* { throw std::bad_alloc(); };
  EXPECT_THROW((void)chain.run(*chain.first(), fails), std::bad_alloc);
  EXPECT_TRUE(chain.solved());  // the other side was not disturbed
  Chain other;
  const auto broken = placed_product<double>([](const double*, double*, int) { throw std::bad_alloc(); });
  EXPECT_THROW((void)other.run(*broken, []() -> const PlacedMatrix* { return nullptr; }), std::bad_alloc);
}

TEST(SideBySide, SharesTheThreadsAndRestoresTheSettings) {
  if (omp_get_thread_limit() < 8) GTEST_SKIP() << "OMP_THREAD_LIMIT leaves no thread to work beside";
  const int levels = omp_get_max_active_levels(), threads = omp_get_max_threads();
  int aside_threads = 0, meanwhile_threads = 0, nested = 0;
  side_by_side(
      5, 2, [&](int count) { aside_threads = count; },
      [&](int count) {
        meanwhile_threads = count;
#pragma omp parallel
#pragma omp single
        nested = omp_get_num_threads();
      });
  EXPECT_EQ(aside_threads, 2);
  EXPECT_EQ(meanwhile_threads, 3);
  EXPECT_EQ(nested, 3);
  EXPECT_EQ(omp_get_max_active_levels(), levels);
  EXPECT_EQ(omp_get_max_threads(), threads);
}

TEST(SideBySide, OneThreadDoesOneAfterTheOther) {
  std::string order;
  side_by_side(
      1, 1, [&](int) { order += "a"; }, [&](int) { order += "m"; });
  EXPECT_EQ(order, "am");
  for (int asked : {0, 9}) {  // each gets one at least
    int aside = 0, meanwhile = 0;
    side_by_side(
        4, asked, [&](int count) { aside = count; }, [&](int count) { meanwhile = count; });
    EXPECT_EQ(aside, asked == 0 ? 1 : 3);
    EXPECT_EQ(meanwhile, asked == 0 ? 3 : 1);
  }
}

// --- Judgement --------------------------------------------------------------------------------------------------

SolveMeasure row_of(std::uint64_t iterations, double true_residual, const std::string& stop = "converged",
                    const std::string& type = "double") {
  SolveMeasure row;
  row.type = type;
  row.iterations = iterations;
  row.stop = stop;
  row.converged = stop == "converged";
  row.true_residual = true_residual;
  row.residual = row.converged ? 1e-8 : true_residual;
  row.rounding_bound = 1;
  row.seconds = row.total_seconds = 1;
  return row;
}

std::optional<bool> verdict(SolveMeasure row, const SolveYardstick& yardstick) {
  judge(row, yardstick, 1e-8);
  if (row.ok != true) {
    EXPECT_FALSE(row.reason.empty());
  }
  return row.ok;
}

TEST(SolveJudge, CountsWithinTwoPercentOrOne) {
  const SolveYardstick yardstick(row_of(200, 1e-8));
  EXPECT_EQ(verdict(row_of(204, 1e-8), yardstick), true);
  EXPECT_EQ(verdict(row_of(196, 1e-8), yardstick), true);
  EXPECT_EQ(verdict(row_of(205, 1e-8), yardstick), false);
  EXPECT_EQ(verdict(row_of(195, 1e-8), yardstick), false);
  EXPECT_EQ(verdict(row_of(1000, 1e-8, "max_iterations"), yardstick), false);
  const SolveYardstick few(row_of(5, 1e-8));
  EXPECT_EQ(verdict(row_of(6, 1e-8), few), true);
  EXPECT_EQ(verdict(row_of(7, 1e-8), few), false);
}

TEST(SolveJudge, OtherOrdersOfCsrWidenTheCounts) {
  SolveYardstick yardstick(row_of(526, 1e-8));
  EXPECT_EQ(verdict(row_of(560, 1e-8), yardstick), false);
  yardstick.widen(row_of(557, 5e-8));
  yardstick.widen(row_of(498, 1e-9));
  EXPECT_EQ(verdict(row_of(560, 1e-8), yardstick), true);
  EXPECT_EQ(verdict(row_of(480, 1e-8), yardstick), false);
  SolveMeasure acquitted = row_of(560, 1e-8), plain = row_of(530, 1e-8);
  judge(acquitted, yardstick, 1e-8);
  judge(plain, yardstick, 1e-8);
  EXPECT_EQ(acquitted.reason, "csr takes 526 iterations (498 to 557 in other orders of its rows)");
  EXPECT_EQ(plain.reason, "");
  EXPECT_EQ(verdict(row_of(526, 4.9e-7), yardstick), true);
  EXPECT_EQ(verdict(row_of(526, 5.1e-7), yardstick), false);
}

TEST(SolveJudge, TrueResidualsDecideElsewhere) {
  const SolveYardstick stuck(row_of(1000, 1e-6, "max_iterations"));
  EXPECT_EQ(verdict(row_of(1000, 9e-6, "max_iterations"), stuck), true);
  EXPECT_EQ(verdict(row_of(1000, 1.1e-5, "max_iterations"), stuck), false);
  EXPECT_EQ(verdict(row_of(900, 1e-8), stuck), true);
  const SolveYardstick lucky(row_of(18, 1e-13));  // its last step went far below the tolerance
  EXPECT_EQ(verdict(row_of(18, 9e-9), lucky), true);
  EXPECT_EQ(verdict(row_of(18, 2e-7), lucky), false);
  EXPECT_EQ(verdict(row_of(18, std::numeric_limits<double>::quiet_NaN()), lucky), false);
  const SolveYardstick single(row_of(100, 1e-6, "converged", "float"));
  EXPECT_EQ(verdict(row_of(150, 2e-6, "converged", "float"), single), true);  // counts bind double alone
}

TEST(SolveJudge, NoSolverThatDriftedIsOk) {
  SolveMeasure csr = row_of(100, 3e-4);
  csr.rounding_bound = 1e-6;
  const SolveYardstick yardstick(csr);
  SolveMeasure judged = csr;
  judge(judged, yardstick, 1e-8);
  EXPECT_EQ(judged.ok, false);  // though it does as well as itself
  EXPECT_NE(judged.reason.find("by the recurrence"), std::string::npos) << judged.reason;
  EXPECT_FALSE(may_be_acquitted(judged));
  csr.true_residual = 9e-7;
  EXPECT_EQ(verdict(csr, SolveYardstick(csr)), true);
  SolveYardstick widened(row_of(100, 1e-8));
  widened.widen(judged);  // is no yardstick for others
  EXPECT_EQ(widened.worst_true_residual, 1e-8);
  EXPECT_TRUE(drifted(row_of(100, std::numeric_limits<double>::quiet_NaN())));
}

TEST(SolveJudge, RoundingThatKeepsTheTruthAboveTheToleranceIsTold) {
  SolveMeasure row = row_of(100, 5e-6, "converged", "float");
  row.rounding_bound = 1e-3;
  judge(row, SolveYardstick(row), 1e-8);
  EXPECT_EQ(row.ok, true);
  EXPECT_EQ(row.reason, "rounding in float keeps the true residual above the tolerance");
}

TEST(SolveJudge, NothingIsAskedWhereCsrBreaksDown) {
  const SolveYardstick broken(row_of(3, 1, "not_positive_definite"));
  EXPECT_EQ(verdict(row_of(3, 1, "not_positive_definite"), broken), std::nullopt);
  const SolveYardstick sound(row_of(30, 1e-8));
  EXPECT_EQ(verdict(row_of(3, 1, "not_finite"), sound), false);
}

}  // namespace
}  // namespace spress::pipeline

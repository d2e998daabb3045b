// What auto takes over several orderings, and calibrations from records to files and back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "pipeline/calibrate/calibration.hpp"
#include "pipeline/calibrate/calibrator.hpp"
#include "pipeline/choose.hpp"
#include "pipeline/collection/analyze.hpp"
#include "pipeline/measure/bench.hpp"
#include "pipeline/source.hpp"
#include "tests/built_bytes.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

Candidate candidate(const char* format, std::uint64_t bytes, double seconds) {
  Candidate out;
  out.format = {format, {}};
  out.total_bytes = bytes;
  out.seconds = seconds;
  return out;
}

OrderingChoice choice(const char* ordering, std::vector<Candidate> candidates) {
  return {ordering, {std::move(candidates), {}, {}}, 0.5};
}

ChoiceOptions wanting(Goal goal) {
  ChoiceOptions out;
  out.goal = goal;
  return out;
}

TEST(Auto, TakesTheBestOrdering) {
  const auto decision = decide({choice("none", {candidate("csr", 100, 3)}), choice("rcm", {candidate("sell", 90, 2)}),
                                choice("other", {candidate("sell", 80, 4)})},
                               wanting(Goal::memory));
  EXPECT_EQ(decision.taken, 2u);
  EXPECT_EQ(decision.candidates[0].first, "other");
  EXPECT_EQ(decision.candidates[2].first, "none");
  EXPECT_EQ(decision.declined, "");
}

TEST(Auto, DeclinesWhatMakesTheMatrixLarger) {
  const auto decision = decide({choice("none", {candidate("csr", 100, 3)}), choice("rcm", {candidate("sell", 101, 1)})},
                               wanting(Goal::spmv));
  EXPECT_EQ(decision.taken, 0u);
  EXPECT_EQ(decision.candidates[0].first, "none");
  EXPECT_NE(decision.declined.find("rcm would take 101 bytes as sell"), std::string::npos) << decision.declined;
}

Candidate exact(Candidate c) {
  c.exact = true;
  return c;
}

TEST(Auto, TakesTheNextOfAnOrderingWhereItsBestIsTooLarge) {
  const auto decision =
      decide({choice("none", {candidate("csr", 100, 5)}),
              choice("rcm", {candidate("sell", 101, 1), candidate("ell", 90, 2), exact(candidate("opt-csr", 95, 3))})},
             wanting(Goal::spmv));
  EXPECT_EQ(decision.taken, 1u);
  EXPECT_EQ(decision.candidates[0].second.format.name, "opt-csr");  // ell's bytes are from a sample
  EXPECT_NE(decision.declined.find("101 bytes as sell"), std::string::npos) << decision.declined;
}

TEST(Auto, DeclinesNothingThatIsWorseThanWhatItTakes) {
  const auto decision = decide({choice("none", {candidate("csr", 100, 5)}), choice("rcm", {candidate("sell", 101, 3)}),
                                choice("other", {candidate("sell", 99, 2)})},
                               wanting(Goal::spmv));
  EXPECT_EQ(decision.taken, 2u);
  EXPECT_EQ(decision.declined, "");
}

TEST(Auto, StaysWithTheFirstOfEquals) {
  const auto decision = decide({choice("none", {candidate("csr", 100, 3)}), choice("rcm", {candidate("sell", 100, 1)})},
                               wanting(Goal::memory));
  EXPECT_EQ(decision.taken, 0u);
}

TEST(Auto, TakesNoOrderingThatWasNotProven) {
  auto unproven = choice("rcm", {candidate("sell", 80, 1)});
  unproven.proven = false;
  const auto decision = decide({choice("none", {candidate("csr", 100, 3)}), unproven}, wanting(Goal::memory));
  EXPECT_EQ(decision.taken, 0u);
  EXPECT_EQ(decision.candidates[0].first, "none");
  EXPECT_EQ(decision.candidates.size(), 2u);
  EXPECT_EQ(decision.declined, "");
}

TEST(Auto, ProvesWhatItTakesAndNothingElse) {
  const auto natural = load("gen:stencil7,n=24"), shuffled = load("gen:stencil7,n=24,shuffle=3");
  AutoOptions options;
  options.orderings = {"none", "rcm"};
  const auto a = choose_auto(view_of(natural->csr), options), b = choose_auto(view_of(shuffled->csr), options);
  EXPECT_EQ(a->ordering(), "none");
  EXPECT_EQ(a->exact_seconds, 0);
  EXPECT_EQ(b->ordering(), "rcm");
  EXPECT_GT(b->exact_seconds, 0);
  EXPECT_TRUE(b->best().exact);
  EXPECT_EQ(b->best().total_bytes, tests::built_bytes(b->matrix(view_of(shuffled->csr)), b->best()));
}

TEST(Auto, FindsAShuffledGridAgain) {
  const auto grid = load("gen:stencil27,n=16,values=noise"),
             shuffled = load("gen:stencil27,n=16,values=noise,shuffle=7");
  const auto natural = view_of(grid->csr), a = view_of(shuffled->csr);
  AutoOptions options;
  options.orderings = auto_orderings(a, Goal::memory);
  const auto found = choose_auto(a, options);
  EXPECT_EQ(found->ordering(), "lines");
  EXPECT_EQ(found->best().total_bytes, tests::built_bytes(natural, found->best()));
}

TEST(Auto, NoMatrixComesOutLarger) {
  for (const char* input :
       {"gen:powerlaw,n=3000", "gen:powerlaw,n=9000,values=noise", "gen:stencil27,n=15",
        "gen:kkt,n=3000,m=1000,shuffle=2", "gen:stencil7,n=14,shuffle=3", "gen:circuit,n=2000,values=noise", "gen:lp",
        "gen:band,n=2000,half=30,per_row=5", "gen:empty", "gen:uniform,n=0"}) {
    const auto matrix = load(input);
    if (!matrix.ok()) continue;  // a generator without such a size
    const auto a = view_of(matrix->csr);
    AutoOptions options;
    options.orderings = auto_orderings(a, Goal::memory);
    const auto best = choose_auto(a, options);
    ASSERT_TRUE(best.ok()) << input;
    options.orderings = {"none"};
    const auto without = choose_auto(a, options);
    EXPECT_LE(tests::built_bytes(best->matrix(a), best->best()), tests::built_bytes(a, without->best())) << input;
    EXPECT_EQ(best->to.identity(), best->ordering() == "none") << input;
    EXPECT_EQ(best->matrix(a).nnz, a.nnz) << input;
  }
}

TEST(Auto, AnalyzeComparesOrderingsByExactBytes) {
  const auto matrix = load("gen:stencil27,n=30");
  AnalyzeOptions options;
  options.orderings = {"none", "rcm"};
  options.formats = {{"csr", {}}};
  options.spy_size = 0;
  const auto record = analyze_matrix(*matrix, options);
  ASSERT_TRUE(record.choice);
  for (const auto& ordering : options.orderings) {
    const auto& all = record.choice->candidates;
    const auto best =
        std::find_if(all.begin(), all.end(), [&](const auto& candidate) { return candidate.ordering == ordering; });
    ASSERT_NE(best, all.end()) << ordering;
    EXPECT_TRUE(best->exact) << ordering;
  }
}

/// A record of bench without rows.
reports::BenchRecord record_of(const Matrix& matrix, const std::string& path) {
  reports::BenchRecord record;
  record.path = path;
  record.rows = matrix.csr.rows;
  record.cols = matrix.csr.cols;
  record.nnz = matrix.csr.nnz;
  return record;
}
/// A right row of doubles.
reports::BenchMeasure row_of(const std::string& format, double seconds, const std::string& values = "raw") {
  reports::BenchMeasure row;
  row.format = format;
  row.values = values;
  row.type = "double";
  row.ok = true;
  row.total_bytes = 1000;
  row.seconds_median = seconds;
  return row;
}

/// Records of bench with times that a simple machine would show: bytes at 1 GB/s, and 1 ns a row.
Calibrator measured() {
  Calibrator calibrator(DeviceKind::cpu, 1, 1);
  for (const char* input : {"gen:stencil7,n=9", "gen:circuit,n=900", "gen:uniform,n=700,k=5", "gen:band,n=500,half=9",
                            "gen:poisson2d,n=20", "gen:tridiag,n=3000", "gen:stencil27,n=7"}) {
    const auto matrix = load(input);
    auto record = record_of(*matrix, input);
    for (const char* format : {"csr", "coo"}) {
      auto row = row_of(format, 0);
      const std::uint64_t rows = record.rows, vectors = 8 * (record.rows + record.cols);
      row.total_bytes = *format == 'c' && format[1] == 's' ? 12 * record.nnz + 4 * (rows + 1) : 16 * record.nnz;
      row.seconds_median = 1e-9 * static_cast<double>(row.total_bytes + vectors + rows);
      record.formats.push_back(row);
      row.ok = false;  // wrong rows, and those of other libraries, do not count
      row.seconds_median = 1;
      record.formats.push_back(row);
      row.ok = true;
      row.peer = true;
      record.formats.push_back(row);
    }
    EXPECT_TRUE(calibrator.add(*matrix, record).ok());
  }
  return calibrator;
}

TEST(Calibration, PredictsTheMachineThatItWasMeasuredOn) {
  const auto record = measured().finish();
  ASSERT_TRUE(record.ok());
  ASSERT_EQ(record->formats.size(), 2u);
  EXPECT_EQ(record->places.size(), 7u);
  for (const auto& format : record->formats) {
    EXPECT_EQ(format.products, 7u);
    ASSERT_EQ(format.weights.size(), 1u);
    EXPECT_EQ(format.weights[0].values, "raw");
    EXPECT_EQ(format.weights[0].matrix, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_LT(format.worst, 0.01) << format.format;
  }
  const auto matrix = load("gen:convdiff,n=30");
  ChoiceOptions options;
  options.goal = Goal::spmv;
  const CostModel model = cost_model(*record);
  options.model = &model;
  const auto best = choose(view_of(matrix->csr), options);
  const auto& a = matrix->csr;
  EXPECT_EQ(best->candidates[0].format.text(), "csr");
  const double seconds = 1e-9 * static_cast<double>(12 * a.nnz + 4 * (a.rows + 1) + 17 * a.rows);
  EXPECT_NEAR(*best->candidates[0].seconds, seconds, 0.2 * seconds);
}

TEST(Calibration, SeveralRecordsOfAMatrixAreOfOnePlace) {
  Calibrator calibrator = measured();
  const auto matrix = load("gen:stencil7,n=9");
  auto record = record_of(*matrix, "gen:stencil7,n=9");
  record.formats = {row_of("csr", 1), row_of("csr", 1)};
  record.formats[1].type = "float";
  ASSERT_TRUE(calibrator.add(*matrix, record).ok());
  EXPECT_EQ(calibrator.finish()->places.size(), 8u);  // in float it is another one
}

TEST(Calibration, ProductsOfSeveralProcessesAndOfStreamedMatricesAreNone) {
  Calibrator calibrator = measured();
  const auto matrix = load("gen:stencil7,n=9");
  auto record = record_of(*matrix, "gen:stencil7,n=9");
  record.formats = {row_of("csr", 1)};
  record.formats[0].streamed_bytes = 1000;
  ASSERT_TRUE(calibrator.add(*matrix, record).ok());
  EXPECT_EQ(calibrator.finish()->formats[0].products, 7u);
  record.parts.resize(2);
  const Status added = calibrator.add(*matrix, record);
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.error().message.find("measured by several processes"), std::string::npos);
}

TEST(Calibration, TransferNeedsALink) {
  Calibration calibration;
  calibration.source = "somewhere";
  EXPECT_TRUE(check_goal(Goal::spmv, calibration).ok());
  const Status without = check_goal(Goal::transfer, calibration);
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().code, ErrorCode::usage);
  EXPECT_NE(without.error().message.find("somewhere"), std::string::npos);
  calibration.model.link_bytes_per_second = 1;
  EXPECT_TRUE(check_goal(Goal::transfer, calibration).ok());
}

TEST(Calibration, WrittenAndReadAgain) {
  const auto folder = fs::temp_directory_path() / ("spress_test_auto_" + std::to_string(getpid()));
  const auto file = folder / "deeper" / "calibration.json";
  auto record = *measured().finish();
  record.machine.machine = "a machine";
  ASSERT_TRUE(write_calibration(record, create_calibration(file).value()).ok());
  const auto again = read_calibration(file, DeviceKind::cpu);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->device, "a machine");
  EXPECT_EQ(again->model.formats.size(), 2u);
  EXPECT_EQ(again->model.places.size(), 7u);
  const CostModel model = cost_model(record);
  for (std::size_t f = 0; f < 2; ++f) {
    EXPECT_EQ(again->model.formats[f].offset, model.formats[f].offset);
    const auto &read = again->model.formats[f].weights[0], &written = model.formats[f].weights[0];
    ASSERT_EQ(read.size(), 7u);
    for (std::size_t k = 0; k < read.size(); ++k) {
      EXPECT_EQ(read[k].place, k);
      EXPECT_EQ(read[k].weight, written[k].weight);
    }
  }
  EXPECT_EQ(again->model.formats[0].prices, cost_model(record).formats[0].prices);
  const auto other = read_calibration(file, DeviceKind::cuda);
  EXPECT_EQ(other.error().code, ErrorCode::unreadable);
  std::ofstream(file) << "{}";
  EXPECT_NE(read_calibration(file, DeviceKind::cpu).error().message.find("spress calibrate"), std::string::npos);
  for (auto spoil : {+[](reports::FormatPricesRecord& f) { f.offset = 1e9; },
                     +[](reports::FormatPricesRecord& f) { f.weights[0].weight[0] = 2e305; },
                     +[](reports::FormatPricesRecord& f) { f.weights[0].matrix[0] = 7; },
                     +[](reports::FormatPricesRecord& f) { f.weights[0].matrix.pop_back(); },
                     +[](reports::FormatPricesRecord& f) { f.weights[0].padding = {1}; }}) {
    auto spoilt = record;
    spoil(spoilt.formats[0]);
    ASSERT_TRUE(write_calibration(spoilt, create_calibration(file).value()).ok());
    EXPECT_NE(read_calibration(file, DeviceKind::cpu).error().message.find("no measurement"), std::string::npos);
  }
  auto other_scales = record;
  ++other_scales.scales;
  ASSERT_TRUE(write_calibration(other_scales, create_calibration(file).value()).ok());
  EXPECT_NE(read_calibration(file, DeviceKind::cpu).error().message.find("another version"), std::string::npos);
  fs::remove_all(folder);
}

TEST(Calibration, TooFewMeasurementsAreNone) {
  Calibrator calibrator(DeviceKind::cpu, 1, 1);
  EXPECT_EQ(calibrator.finish().error().code, ErrorCode::not_applicable);
}

TEST(Calibration, ShippedOnesAreForTheMostSimilarDevice) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before == nullptr ? "" : before;
  setenv("XDG_CACHE_HOME", "/nowhere", 1);
  EXPECT_EQ(load_calibration(DeviceKind::cpu, "Intel(R) Core(TM) i7-1365U", "")->device.substr(0, 5), "Intel");
  EXPECT_EQ(load_calibration(DeviceKind::cpu, "AMD Ryzen 9 7950X", "")->device.substr(0, 3), "AMD");
  const auto zen4 = load_calibration(DeviceKind::cpu, "AMD EPYC", "zen4");
  const auto zen5 = load_calibration(DeviceKind::cpu, "AMD EPYC", "zen5");
  EXPECT_NE(zen4->model.places, zen5->model.places);
  EXPECT_EQ(load_calibration(DeviceKind::cpu, "something else", "zen5")->model.places, zen5->model.places);
  EXPECT_EQ(load_calibration(DeviceKind::cuda, "NVIDIA H200", "")->device.substr(0, 6), "NVIDIA");
  before == nullptr ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", saved.c_str(), 1);
}

TEST(Calibration, OfTheUserComesBeforeTheShipped) {
  const auto folder = fs::temp_directory_path() / ("spress_test_cache_" + std::to_string(getpid()));
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before == nullptr ? "" : before;
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  EXPECT_EQ(calibration_file(DeviceKind::cuda), folder / "spress" / "calibration-cuda.json");
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    const auto shipped = load_calibration(kind, "", "");
    ASSERT_TRUE(shipped.ok()) << shipped.error().message;
    EXPECT_EQ(shipped->source, "shipped");
    EXPECT_GT(shipped->model.formats.size(), 5u);
  }
  ASSERT_TRUE(
      write_calibration(*measured().finish(), create_calibration(calibration_file(DeviceKind::cpu)).value()).ok());
  EXPECT_EQ(load_calibration(DeviceKind::cpu, "", "")->source, calibration_file(DeviceKind::cpu).string());
  before == nullptr ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", saved.c_str(), 1);
  fs::remove_all(folder);
}

TEST(Calibration, TheShippedOneOfAGpuTakesNothingLargerThanCsrForTinyMatrices) {
  const auto shipped = load_calibration(DeviceKind::cuda, "", "");
  ASSERT_TRUE(shipped.ok());
  for (const char* text :
       {"gen:tridiag,n=100,values=noise", "gen:poisson2d,n=30", "gen:uniform,n=200,k=5", "gen:arrow,n=4"}) {
    const auto a = load(text);
    ChoiceOptions options;
    options.goal = Goal::spmv;
    options.model = &shipped->model;
    const auto choice = choose(view_of(a->csr), options);
    ASSERT_TRUE(choice.ok()) << text;
    EXPECT_LE(choice->candidates.front().total_bytes,
              estimate_any(view_of(a->csr), {"csr", {}})->index_bytes + 8 * a->csr.nnz)
        << text << ' ' << choice->candidates.front().format.text();
  }
}

TEST(Calibration, EveryFormatIsMeasuredWithEveryChoiceOfItsParameters) {
  std::vector<std::string> names;
  for (const Spec& spec : calibration_formats()) names.push_back(spec.text());
  for (const char* name : {"csr", "opt-csr", "opt-csr:index=diagonal"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) EXPECT_TRUE(collect(calibration_inputs(kind)).ok());
}

TEST(Auto, BenchTimesWhatItTakes) {
  BenchOptions options;
  options.formats = {{"csr", {}}};
  options.device.peers.clear();
  options.pairing.repetitions = 2;
  options.choice = StoreChoice::listed;
  options.stores = {StoreKind::raw};
  options.choose_by = Calibration{cost_model(*measured().finish()), "test", "test"};
  for (auto& format : options.choose_by->model.formats)
    if (format.format == "coo")
      for (auto& price : format.prices) price = 0;
  const auto record = bench(*load("gen:stencil7,n=12,values=noise"), options);  // more than few entries
  ASSERT_TRUE(record.ok());
  ASSERT_TRUE(record->choice.has_value());
  EXPECT_EQ(record->choice->candidates[0].format, "coo");
  EXPECT_GT(record->choice->csr_products, 0);
  ASSERT_EQ(record->formats.size(), 2u);
  EXPECT_EQ(record->formats[1].format, "coo");
  ASSERT_TRUE(record->choice->behind_best.has_value());
  EXPECT_GE(*record->choice->behind_best, 0);
}

}  // namespace
}  // namespace spress::pipeline

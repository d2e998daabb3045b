#include "reports/claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/json/json.hpp"
#include "reports/records/summary.hpp"
#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

constexpr std::uint64_t enough = std::uint64_t{1} << 25;

const Claim* claim_of(const std::vector<Claim>& claims, const std::string& text) {
  const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.text == text; });
  return found == claims.end() ? nullptr : &*found;
}

/// The claim of this text; one that fits nothing where there is none.
Claim judged(const Measurements& measured, const std::string& text) {
  const auto claims = judge_claims({}, measured);
  const Claim* found = claim_of(claims, text);
  EXPECT_NE(found, nullptr) << text;
  return found == nullptr ? Claim{} : *found;
}

BenchMeasure row(const std::string& format, double speedup, bool peer = false, const std::string& values = "raw") {
  BenchMeasure r;
  r.format = format;
  r.values = values;
  r.type = "double";
  r.speedup_vs_csr = speedup;
  r.peer = peer;
  r.ok = true;
  return r;
}

/// A matrix of the generator's on a GPU: csr 1, cuSPARSE's CSR 0.8, its sliced ELL 1.25.
BenchRecord on_gpu(const std::string& name, const std::vector<BenchMeasure>& more,
                   const std::string& commit = "first") {
  BenchRecord r;
  r.name = name;
  r.path = "gen:" + name;
  r.nnz = enough;
  r.machine.device = "A GPU";
  r.machine.commit = commit;
  r.machine.copy_gb_per_s = 1000;
  r.formats = {row("csr", 1), row("cusparse-csr-alg1", 0.8, true), row("cusparse-csr-alg2", 0.5, true),
               row("cusparse-sell", 1.25, true)};
  r.formats.insert(r.formats.end(), more.begin(), more.end());
  return r;
}

constexpr const char* slice_delta_noise = "slice-delta against the best of cuSPARSE, regular, noise";

TEST(Claims, NothingMeasuredIsNothingMet) {
  const auto claims = judge_claims({}, {});
  EXPECT_GT(claims.size(), 40u);
  for (const Claim& claim : claims) {
    EXPECT_EQ(claim.verdict(), "not measured") << claim.text;
    EXPECT_TRUE(claim.rows.empty());
  }
}

TEST(Claims, EachIsStatedOnce) {
  const auto claims = judge_claims({}, {});
  std::vector<std::string> names;
  for (const Claim& claim : claims) names.push_back(claim.group + claim.text);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Claims, AMeanOverTheMatricesThatItIsAbout) {
  Measurements measured;
  measured.bench = {on_gpu("stencil27_n9_values-noise", {row("slice-delta", 1.25 * 1.2)}),
                    on_gpu("fem3d_n9_values-noise", {row("slice-delta", 1.25 * 1.5)}),
                    on_gpu("stencil27_n9_values-few_distinct256", {row("slice-delta", 100)}),
                    on_gpu("stencil27_n9_values-noise_shuffle7", {row("slice-delta", 100)}),
                    on_gpu("powerlaw_n9_values-noise", {row("slice-delta", 0.1)}),
                    on_gpu("stencil7_n9_values-noise", {row("amb", 3)})};
  measured.bench.push_back(on_gpu("stencil7_n2_values-noise", {row("slice-delta", 100)}));
  measured.bench.back().nnz = enough - 1;
  measured.bench.push_back(on_gpu("stencil7_n5_values-noise", {row("slice-delta", 100)}));
  measured.bench.back().error = "no memory";
  const Claim claim = judged(measured, slice_delta_noise);
  ASSERT_EQ(claim.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(claim.rows[0].value, 1.2);
  EXPECT_EQ(claim.rows[0].detail, "slice-delta to cusparse-sell");
  EXPECT_EQ(claim.rows[0].run, "A GPU");
  EXPECT_EQ(claim.rows[0].commit, "first");
  ASSERT_EQ(claim.outcomes.size(), 1u);
  EXPECT_DOUBLE_EQ(claim.outcomes[0].value, std::sqrt(1.2 * 1.5));
  EXPECT_EQ(claim.outcomes[0].rows, 2u);
  EXPECT_EQ(claim.verdict(), "missed");  // 1.342 of 1.35
}

TEST(Claims, TheLeastMatrixDecidesWhereEachIsAsked) {
  Measurements measured;
  measured.bench = {on_gpu("stencil27_n9_values-noise", {}), on_gpu("circuit_n9_values-noise", {})};
  measured.bench[1].formats[0].speedup_vs_csr = 0.7;
  const Claim claim = judged(measured, "csr against cuSPARSE's best CSR");
  ASSERT_TRUE(claim.counts);
  EXPECT_DOUBLE_EQ(claim.outcomes[*claim.counts].value, 0.7 / 0.8);
  EXPECT_EQ(claim.verdict(), "missed");
}

TEST(Claims, WrongRowsAndThoseOfOthersCountForNothing) {
  Measurements measured;
  measured.bench = {on_gpu("stencil27_n9_values-noise", {row("slice-delta", 9), row("amb", 2)})};
  measured.bench[0].formats[4].ok = false;
  EXPECT_EQ(judged(measured, slice_delta_noise).verdict(), "not measured");
  EXPECT_DOUBLE_EQ(judged(measured, "amb against the best of cuSPARSE, regular matrices").rows.at(0).value, 2 / 1.25);
  measured.bench[0].formats[4].ok.reset();
  EXPECT_EQ(judged(measured, slice_delta_noise).verdict(), "not measured");
  measured.bench[0].formats[4].ok = true;
  measured.bench[0].formats[4].type = "float";  // beside double, single precision tells nothing
  EXPECT_EQ(judged(measured, slice_delta_noise).verdict(), "not measured");
}

TEST(Claims, OfTheSameMatrixInTheSameRunTheLastCounts) {
  Measurements measured;
  measured.bench = {on_gpu("stencil27_n9_values-noise", {row("slice-delta", 1.25)}),
                    on_gpu("stencil27_n9_values-noise", {row("slice-delta", 2.5)})};
  const Claim claim = judged(measured, slice_delta_noise);
  ASSERT_EQ(claim.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(claim.rows[0].value, 2);
}

TEST(Claims, DevicesAreNeverAveraged) {
  Measurements measured;
  const std::string a = "stencil27_n9_values-noise", b = "fem3d_n9_values-noise";
  const auto on = [](BenchRecord r, const char* device) {
    r.machine.device = device;
    return r;
  };
  measured.bench = {on_gpu(a, {row("slice-delta", 1.25)}), on_gpu(b, {row("slice-delta", 1.25)}),
                    on(on_gpu(a, {row("slice-delta", 2.5)}), "New GPU")};
  Claim claim = judged(measured, slice_delta_noise);
  ASSERT_EQ(claim.outcomes.size(), 2u);
  EXPECT_EQ(claim.counts, 0u);  // the new one measured but one of the two
  EXPECT_EQ(claim.verdict(), "missed");
  measured.bench.push_back(on(on_gpu(b, {row("slice-delta", 2.5)}), "New GPU"));
  claim = judged(measured, slice_delta_noise);
  EXPECT_EQ(claim.counts, 1u);
  EXPECT_DOUBLE_EQ(claim.outcomes[1].value, 2);
  EXPECT_EQ(claim.verdict(), "met");
}

/// What is measured again by a later state counts for that matrix; a record that does not tell leaves it as it was.
TEST(Claims, LaterCommitsReplaceWhatTheyMeasured) {
  Measurements measured;
  const std::string a = "stencil27_n9_values-noise", b = "fem3d_n9_values-noise";
  measured.bench = {on_gpu(a, {row("slice-delta", 1.25)}), on_gpu(b, {row("slice-delta", 1.25)}),
                    on_gpu(a, {row("slice-delta", 5)}, "second"), on_gpu(b, {row("amb", 9)}, "second")};
  const Claim claim = judged(measured, slice_delta_noise);
  ASSERT_EQ(claim.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(claim.rows[0].value, 4);
  EXPECT_EQ(claim.rows[0].commit, "second");
  EXPECT_DOUBLE_EQ(claim.rows[1].value, 1);
  EXPECT_EQ(claim.rows[1].commit, "first");
  EXPECT_DOUBLE_EQ(claim.outcomes.at(0).value, 2);
}

TEST(Claims, TheBestOfAllIsToldByRecordsOfManyFormats) {
  const char* text = "best of the papers' formats against the best of cuSPARSE, regular, noise";
  const std::string name = "stencil27_n9_values-noise";
  Measurements measured;
  measured.bench = {
      on_gpu(name, {row("sell", 1.25 * 1.1), row("amb", 1), row("ell", 1), row("coo", 1), row("opt-csr", 1)}),
      on_gpu(name, {row("slice-delta", 3)}, "second")};
  const Claim claim = judged(measured, text);
  ASSERT_EQ(claim.rows.size(), 1u);
  EXPECT_EQ(claim.rows[0].commit, "first");
  EXPECT_EQ(claim.rows[0].detail, "sell to cusparse-sell");
  EXPECT_EQ(claim.verdict(), "met");  // a target that is reached exactly
  measured.bench.erase(measured.bench.begin());
  EXPECT_EQ(judged(measured, text).verdict(), "not measured");
}

TEST(Claims, OnACpuThreadsAndCachesMatter) {
  BenchRecord r = on_gpu("stencil27_n9_values-noise", {row("slice-delta", 1.3), row("mkl-csr", 1.1, true)});
  r.formats.erase(r.formats.begin() + 1, r.formats.begin() + 4);
  r.machine.device = "cpu";
  r.machine.machine = "A processor";
  r.machine.threads = 16;
  const char* text = "slice-delta against MKL, Eigen, csr; regular, noise, all cores";
  Measurements measured;
  measured.bench = {r};
  const Claim claim = judged(measured, text);
  ASSERT_EQ(claim.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(claim.rows[0].value, 1.3 / 1.1);
  EXPECT_EQ(claim.rows[0].run, "A processor, 16 threads");
  EXPECT_EQ(judged(measured, slice_delta_noise).verdict(), "not measured");
  measured.bench[0].working_set_in_cache = true;
  EXPECT_EQ(judged(measured, text).verdict(), "not measured");
  measured.bench[0].working_set_in_cache = false;
  measured.bench[0].machine.threads = 2;
  EXPECT_EQ(judged(measured, text).verdict(), "not measured");
  EXPECT_EQ(judged(measured, "csr against the fastest of MKL and Eigen, two cores").verdict(), "missed");
}

TEST(Claims, TheChoiceIsJudgedByTheShareThatIsNearTheBest) {
  Measurements measured;
  for (int i = 0; i < 10; ++i) {
    BenchRecord r = on_gpu("m" + std::to_string(i), {});
    r.choice.emplace();
    r.choice->behind_best = i == 0 ? 0.06 : 0.05;
    r.choice->csr_products = i;
    measured.bench.push_back(r);
  }
  const Claim near = judged(measured, "the choice is within 5% of the best of all formats");
  EXPECT_DOUBLE_EQ(near.outcomes.at(0).value, 90);
  EXPECT_EQ(near.verdict(), "met");
  measured.bench[1].choice->behind_best = 1;
  EXPECT_EQ(judged(measured, near.text).verdict(), "missed");
  const Claim cost = judged(measured, "choosing costs products of CSR on the CPU");
  EXPECT_DOUBLE_EQ(cost.outcomes.at(0).value, 9);
  EXPECT_EQ(cost.verdict(), "met");  // at most 20
  measured.bench[1].choice->csr_products = 21;
  EXPECT_EQ(judged(measured, cost.text).verdict(), "missed");
}

TransferMeasure sent(const std::string& format, const std::string& route, double speedup, double byte_ratio,
                     std::uint64_t bytes) {
  TransferMeasure r;
  r.format = format;
  r.values = "raw";
  r.type = "double";
  r.memory = "pinned";
  r.route = route;
  r.total_bytes = bytes;
  r.byte_ratio = byte_ratio;
  r.speedup_vs_csr = speedup;
  r.speedup_vs_csr_arrays = speedup;
  r.ok = true;
  return r;
}

TEST(Claims, TransfersAreHeldAgainstTheirBytes) {
  TransferRecord large;
  large.name = "large";
  large.machine.device = "A GPU";
  large.formats = {sent("csr", "packed", 1, 1, 100'000'000), sent("opt-csr", "expanded", 1.2, 1.25, 80'000'000),
                   sent("amb", "expanded", 1.1, 1.375, 70'000'000), sent("bccoo", "expanded", 0.5, 0.9, 110'000'000)};
  Measurements measured;
  measured.transfer = {large};
  const char* text = "CSR on arrival, of the bytes' ratio: CSR of 100 MB or more, every format that saves a tenth";
  const Claim claim = judged(measured, text);
  ASSERT_EQ(claim.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(claim.rows[0].value, 80);  // amb; bccoo saves nothing
  EXPECT_EQ(claim.rows[0].detail, "amb");
  measured.transfer[0].formats[0].total_bytes = 99'999'999;
  EXPECT_EQ(judged(measured, text).verdict(), "not measured");
  measured.transfer[0].formats = {sent("csr", "packed", 1.4, 1, 999'999), sent("amb", "packed", 1.6, 1.3, 700'000)};
  EXPECT_EQ(judged(measured, "one packed buffer against three copies of CSR, below 1 MB, every format").verdict(),
            "missed");
  EXPECT_EQ(judged(measured, "one packed buffer against three copies of CSR, below 1 MB, the best format").verdict(),
            "met");
}

TEST(Claims, SolversAreComparedByTheirTime) {
  SolveRecord r;
  r.machine.device = "A GPU";
  for (const char* format : {"csr", "hyb", "ell-csr"}) {
    SolveMeasure m;
    m.format = format;
    m.values = "raw";
    m.type = "double";
    m.ok = true;
    m.seconds = std::string(format) == "hyb" ? 3 : 2;
    r.formats.push_back(m);
  }
  Measurements measured;
  measured.solve = {r};
  const Claim claim = judged(measured, "ell-csr against hyb");
  EXPECT_DOUBLE_EQ(claim.rows.at(0).value, 1.5);
  EXPECT_EQ(claim.verdict(), "met");
}

/// A collection of one square matrix with a symmetric pattern, which auto takes in the order rcm.
std::string small_summary(std::uint64_t after) {
  AnalyzeRecord r = sample_records(1)[0];
  r.choice.emplace();
  r.choice->goal = "size";
  for (const auto& [ordering, bytes] : {std::pair{"rcm", after}, std::pair{"none", std::uint64_t{100}}}) {
    CandidateRecord c;
    c.ordering = ordering;
    c.total_bytes = bytes;
    c.exact = true;
    r.choice->candidates.push_back(c);
  }
  return summary_json(summarize({r}, sample_papers()));
}

TEST(Claims, BytesComeFromSummaries) {
  const char* text = "auto: matrices that need more bytes than in the order they come in";
  const auto claims = judge_claims({{"some/summary.json", small_summary(99)}, {"bad", "{}"}}, {});
  const Claim* claim = claim_of(claims, text);
  ASSERT_NE(claim, nullptr);
  ASSERT_EQ(claim->rows.size(), 1u);
  EXPECT_EQ(claim->rows[0].run, "some/summary.json");
  EXPECT_EQ(claim->rows[0].name, "1 matrices");
  EXPECT_EQ(claim->verdict(), "met");
  const auto worse = judge_claims({{"s", small_summary(101)}}, {});
  EXPECT_EQ(claim_of(worse, text)->verdict(), "missed");
}

TEST(Claims, OrderingsAreComparedByTheirBandwidth) {
  auto json = nlohmann::json::parse(small_summary(99));
  json["ordering_effects"] = {{{"ordering", "rcm"}, {"matrices", 5}, {"mean_bandwidth_ratio", 0.25}},
                              {{"ordering", "rcm-boost"}, {"matrices", 5}, {"mean_bandwidth_ratio", 0.5}}};
  const char* text = "rcm: bandwidth over that of Boost.Graph's, geometric mean";
  const auto claims = judge_claims({{"s", json.dump()}}, {});
  EXPECT_DOUBLE_EQ(claim_of(claims, text)->rows.at(0).value, 0.5);
  EXPECT_EQ(claim_of(claims, text)->verdict(), "met");
  json["ordering_effects"][1]["matrices"] = 4;  // of other matrices
  EXPECT_EQ(claim_of(judge_claims({{"s", json.dump()}}, {}), text)->verdict(), "not measured");
}

TEST(Claims, ASummaryThatLacksSomethingTellsNothing) {
  auto json = nlohmann::json::parse(small_summary(99));
  json.erase("index_bytes_per_nnz");
  json.erase("compressed_coo");
  json["footprints"] = 3;
  json["selections"][0]["order_bytes"] = {{{"ordering", "auto"}}};
  for (const Claim& claim : judge_claims({{"s", json.dump()}}, {}))
    EXPECT_EQ(claim.verdict() == "not measured", claim.text.find("wider class") == std::string::npos) << claim.text;
}

TEST(Claims, SummariesAreToldFromRecords) {
  EXPECT_TRUE(is_summary(small_summary(1)));
  EXPECT_TRUE(is_summary(nlohmann::json::parse(small_summary(1)).dump()));
  EXPECT_FALSE(is_summary(to_json_line(sample_records(1)[0])));
  EXPECT_FALSE(is_summary("{\n\"selections\":[]}\n"));
  EXPECT_FALSE(is_summary("{\n\"schema_version\":\"1\",\"collection\":{},\"selections\":[]}\n"));
  EXPECT_FALSE(is_summary("{\n"));
  EXPECT_FALSE(is_summary(""));
  auto json = nlohmann::json::parse(small_summary(1));
  json.erase("kind");
  EXPECT_TRUE(is_summary(json.dump())) << "as earlier states wrote it";
  json["kind"] = "analysis";
  EXPECT_FALSE(is_summary(json.dump()));
}

TEST(Claims, TextAndJsonSayTheSame) {
  Measurements measured;
  measured.bench = {on_gpu("stencil27_n9_values-noise", {row("slice-delta", 1.25 * 1.5)})};
  const auto claims = judge_claims({}, measured);
  const std::string text = claims_text(claims);
  EXPECT_NE(
      text.find(
          "\nmet             1.50x   >= 1.35x   1    slice-delta against the best of cuSPARSE, regular, noise (aim)\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\nnot measured        -   >= 3.00x   -    slice-delta against"), std::string::npos) << text;
  bool seen = false;
  for (const auto& claim : nlohmann::json::parse(claims_json(claims))) {
    if (claim["text"] != slice_delta_noise) continue;
    seen = true;
    EXPECT_EQ(claim["asked"], ">= 1.35x");
    EXPECT_EQ(claim["reached"], 1.5);
    EXPECT_EQ(claim["verdict"], "met");
    EXPECT_EQ(claim["run"], "A GPU");
    EXPECT_EQ(claim["rows"][0]["name"], "stencil27_n9_values-noise");
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace spress::reports

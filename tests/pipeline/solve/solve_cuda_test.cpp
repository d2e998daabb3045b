// Solving on the device, with every format, judged as on the CPU.
#ifdef SPRESS_WITH_CUDA

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "encode/shared/any.hpp"
#include "pipeline/solve/solve.hpp"
#include "pipeline/solve/solve_judge.hpp"
#include "pipeline/source.hpp"
#include "reports/json/json.hpp"
#include "tests/kernels/cuda/needs_device.hpp"

namespace spress::pipeline {
namespace {

using reports::SolveMeasure;
using reports::SolveRecord;

SolveOptions on_device(const std::string& formats = "") {
  SolveOptions options;
  options.device = DeviceKind::cuda;
  options.threads = 2;
  options.machine = machine_record(2, DeviceKind::cuda);
  if (!formats.empty()) options.formats = parse_spec_list(formats).value();
  return options;
}

SolveRecord solved(const std::string& input, const SolveOptions& options) {
  const auto matrix = load(input);
  const auto problem = load_problem(input);
  EXPECT_TRUE(matrix.ok() && problem.ok()) << input;
  auto record = solve(*matrix, *problem, options);
  EXPECT_TRUE(record.ok()) << record.error().text();
  return std::move(record).value();
}

TEST(SolveOnDevice, EveryFormatAndTypeAgreesWithCsr) {
  NEEDS_DEVICE();
  for (auto preconditioner : {Preconditioner::none, Preconditioner::jacobi}) {
    auto options = on_device();
    options.preconditioner = preconditioner;
    const auto record = solved("gen:poisson2d,n=40", options);
    EXPECT_TRUE(record.ok);
    EXPECT_EQ(record.device, record.machine.device);
    EXPECT_NE(record.device, "cpu");
    std::set<std::string> names;
    for (const SolveMeasure& row : record.formats) {
      names.insert(row.format + " " + row.type);
      EXPECT_EQ(row.ok, true) << row.format << " " << row.type << ": " << row.reason;
      EXPECT_EQ(row.stop, "converged") << row.format;
      EXPECT_FALSE(drifted(row)) << row.format;
      EXPECT_FALSE(row.kernel.empty()) << row.format;
      EXPECT_GT(row.transfer_seconds, 0) << row.format;
      EXPECT_GT(row.product_share, 0) << row.format;
      EXPECT_GT(row.spmv_seconds, 0) << row.format;
      EXPECT_GE(row.total_seconds, row.seconds + row.transfer_seconds) << row.format;
    }
    EXPECT_EQ(names.size(), 2 * all_formats().size());
    const std::string line = reports::to_json_line(record);
    const auto back = reports::parse_solve_record(line);
    ASSERT_TRUE(back) << back.error;
    EXPECT_EQ(reports::to_json_line(*back.record), line);
  }
}

/// Products of pieces that come through the device are captured as a graph, like all others.
TEST(SolveOnDevice, MatricesComeThroughInPieces) {
  NEEDS_DEVICE();
  auto options = on_device("csr,slice-delta,opt-csr,bccoo");
  options.types = {ValueType::f64};
  options.values = std::nullopt;
  const auto in_memory = solved("gen:stencil27,n=64", options);  // 82 MB as CSR
  options.device_memory = 24 << 20;
  const auto in_pieces = solved("gen:stencil27,n=64", options);
  EXPECT_TRUE(in_pieces.ok);
  ASSERT_EQ(in_pieces.formats.size(), in_memory.formats.size());
  for (std::size_t i = 0; i < in_pieces.formats.size(); ++i) {
    const SolveMeasure &row = in_pieces.formats[i], &whole = in_memory.formats[i];
    EXPECT_EQ(row.ok, true) << row.format << ": " << row.reason;
    EXPECT_EQ(row.iterations, whole.iterations) << row.format;
    EXPECT_TRUE(row.streamed_bytes) << row.format;
    EXPECT_FALSE(whole.streamed_bytes) << row.format;
    EXPECT_EQ(row.values, whole.values);
  }
  EXPECT_GT(*in_pieces.formats[0].streamed_bytes, 40u << 20);
}

TEST(SolveOnDevice, FiniteElementsAreOfOrderTwo) {
  NEEDS_DEVICE();
  std::vector<double> errors, sides;
  for (int n : {8, 16, 32}) {
    const auto record = solved("gen:fem3d,n=" + std::to_string(n), on_device("csr,sell,opt-csr"));
    EXPECT_TRUE(record.ok);
    for (const SolveMeasure& row : record.formats) {
      ASSERT_TRUE(row.l2_error) << row.format << ": " << row.reason;
      EXPECT_NEAR(*row.l2_error / *record.formats[0].l2_error, 1, 1e-3) << row.format << " " << row.type;
    }
    errors.push_back(*record.formats[0].l2_error);
    sides.push_back(n + 1);  // h = 1 / (n + 1)
  }
  for (std::size_t k = 1; k < errors.size(); ++k) {
    const double order = std::log(errors[k - 1] / errors[k]) / std::log(sides[k] / sides[k - 1]);
    EXPECT_GT(order, 1.9);
    EXPECT_LT(order, 2.1);
  }
}

TEST(SolveOnDevice, TheProcessorEncodesWhileTheDeviceIterates) {
  NEEDS_DEVICE();
  auto options = on_device("csr");
  options.hidden = {Spec{"csr", {}}, Spec{"sell", {}}};
  const auto record = solved("gen:fem3d,n=24", options);
  const SolveMeasure& pair = record.formats[2];
  EXPECT_EQ(pair.format, "csr>sell");
  EXPECT_EQ(pair.ok, true) << pair.reason;
  EXPECT_EQ(pair.stop, "converged");
  EXPECT_GT(pair.encode_seconds, 0);
}

TEST(SolveOnDevice, OddSystems) {
  NEEDS_DEVICE();
  Matrix matrix;
  matrix.info.name = "odd";
  for (std::uint64_t n : {0, 1, 4}) {  // 0x0, and matrices of no entries: A x = 0
    matrix.csr = {};
    matrix.csr.rows = matrix.csr.cols = n;
    matrix.csr.row_ptr = Positions<Owned>(HostArray<std::uint32_t>(n + 1, 0));
    matrix.csr.values = raw_store(HostArray<double>());
    const auto record = solve(matrix, std::nullopt, on_device());
    ASSERT_TRUE(record.ok()) << n << ": " << record.error().text();
    for (const SolveMeasure& row : record->formats) {
      EXPECT_EQ(row.ok, true) << n << " " << row.format << ": " << row.reason;
      EXPECT_EQ(row.iterations, 0u);
    }
  }
}

TEST(SolveOnDevice, SaysWhatIsMissing) {
  if (check_device(DeviceKind::cuda).ok()) GTEST_SKIP() << "there is a device";
  const auto matrix = load("gen:poisson2d,n=4");
  const auto record = solve(*matrix, std::nullopt, on_device());
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().code, ErrorCode::unsupported);
  EXPECT_NE(record.error().message.find("GPU"), std::string::npos) << record.error().message;
}

}  // namespace
}  // namespace spress::pipeline

#endif

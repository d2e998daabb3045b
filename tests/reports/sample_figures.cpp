// Records with simple formulas for the papers' figures, so that a test can work out what a chart must show.
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

constexpr std::uint64_t sizes[] = {32, 64, 128};

MachineRecord machine_with(const std::string& device, int threads) {
  MachineRecord m;
  m.machine = "Sample processor";
  m.device = device;
  m.compiler = "GCC 12.2.0";
  m.commit = "0123abcd";
  m.command = "spress";
  m.threads = threads;
  m.instruction_set = device == "cpu" ? "avx2" : "sm_90";
  return m;
}
const MachineRecord gpu = machine_with("Sample GPU", 16);

/// A device of the same name in another host.
MachineRecord other_host() {
  auto m = gpu;
  m.machine = "Other processor";
  return m;
}

template <class Record>
Record record_of(const std::string& name, std::uint64_t rows, const MachineRecord& machine) {
  Record r;
  r.tool = {"0.1.0", "0123abcd"};
  r.name = name;
  r.path = "gen:" + name;
  r.rows = r.cols = rows;
  r.nnz = 25 * rows;
  r.machine = machine;
  return r;
}

template <class Record>
Record fem3d(std::uint64_t n, const MachineRecord& machine) {
  auto r = record_of<Record>("fem3d_n" + std::to_string(n), n * n * n, machine);
  r.generator = {"fem3d", {{"n", n}, {"values", "natural"}}};
  return r;
}

template <class Row>
Row row_of(const std::string& format, const std::string& parameters, const std::string& type, std::uint64_t bytes) {
  Row row;
  row.format = format;
  row.parameters = parameters;
  row.values = "raw";
  row.type = type;
  row.total_bytes = bytes;
  row.ok = true;
  return row;
}

/// A product takes 4 ns a row on the CPU and 1 ns on the GPU, half of it in sell; the L2 error is h^2 / 4.
SolveRecord solve_figure(std::uint64_t n, const MachineRecord& machine) {
  auto r = fem3d<SolveRecord>(n, machine);
  const bool on_gpu = machine.device != "cpu";
  r.device = machine.device;
  r.right_hand_side = "problem";
  const double h = 1 / static_cast<double>(n + 1), rows = static_cast<double>(r.rows);
  for (const char* type : {"double", "float"})
    for (const auto& [format, parameters] : {std::pair{"csr", ""}, {"csr", "way=warp"}, {"sell", "c=32,sigma=1"}}) {
      auto row = row_of<SolveMeasure>(format, parameters, type, 300 * r.rows);
      row.preconditioner = "none";
      row.iterations = 2 * n;
      row.converged = true;
      row.stop = "converged";
      row.spmv_seconds = rows * (on_gpu ? 1e-9 : 4e-9) * (row.format == "sell" ? 0.5 : 1);
      row.seconds = static_cast<double>(row.iterations) * 2 * row.spmv_seconds;
      row.iterations_per_second = static_cast<double>(row.iterations) / row.seconds;
      row.updates_per_second = rows * row.iterations_per_second;
      row.product_share = 0.5;
      row.l2_error = h * h / 4;
      row.encode_seconds = 10 * row.spmv_seconds;
      if (on_gpu) row.transfer_seconds = 35 * row.spmv_seconds;
      row.speedup_vs_csr = row.format == "sell" ? 2 : 1;
      r.formats.push_back(row);
    }
  return r;
}

/// 10 GB/s, also of the vectors.
TransferRecord transfer_figure(std::uint64_t n, const MachineRecord& machine) {
  auto r = fem3d<TransferRecord>(n, machine);
  for (const char* type : {"double", "float"})
    for (const char* format : {"csr", "sell"}) {
      const std::uint64_t element = std::string(type) == "float" ? 4 : 8;
      auto row = row_of<TransferMeasure>(format, "", type, 300 * r.rows);
      row.route = "separate";
      row.memory = "pageable";
      row.sent_bytes = row.total_bytes;
      row.seconds_median = row.seconds_min = row.seconds_max = 1e-10 * static_cast<double>(row.sent_bytes);
      row.vectors_seconds = 1e-10 * static_cast<double>(2 * element * r.rows);
      row.spmv_seconds = 1e-9 * static_cast<double>(r.rows);
      row.repetitions = 7;
      row.gb_per_s = 10;
      row.speedup_vs_csr = row.speedup_vs_csr_arrays = row.byte_ratio = 1;
      r.formats.push_back(row);
    }
  return r;
}

BenchMeasure product(const std::string& format, const BenchRecord& record, double seconds, bool peer = false) {
  auto row = row_of<BenchMeasure>(format, "", "double", 12 * record.nnz);
  row.peer = peer;
  row.seconds_median = row.seconds_min = row.seconds_max = seconds;
  row.repetitions = 7;
  row.gb_per_s = 1e-9 * static_cast<double>(row.total_bytes + 16 * record.rows) / seconds;
  row.gflops = 2e-9 * static_cast<double>(record.nnz) / seconds;
  row.ratio_to_csr = 1;
  row.speedup_vs_csr = record.csr_seconds / seconds;
  return row;
}

/// The compressed format is three times as slow as MKL on one thread and scales; MKL stops at two threads.
BenchRecord threads_figure(std::uint64_t rows, int threads) {
  auto r = record_of<BenchRecord>("threads", rows, machine_with("cpu", threads));
  r.path = "folder_" + std::to_string(rows) + "/threads.mtx";
  const double one = 1e-8 * static_cast<double>(r.nnz), limited = one / std::min(threads, 2);
  r.csr_bytes = 12 * r.nnz;
  r.csr_seconds = limited;
  r.formats = {product("csr", r, limited), product("bccoo", r, 3 * one / threads), product("mkl", r, limited, true)};
  return r;
}

/// The paper's format is 1.25 times as fast as the fastest of the others.
BenchRecord density_figure(std::uint64_t n, std::uint64_t f) {
  auto r = record_of<BenchRecord>("density_n" + std::to_string(n) + "_f" + std::to_string(f), 1000 * n, gpu);
  r.generator = {"density", {{"n", 1000 * n}, {"max", std::uint64_t{64}}, {"f", f}}};
  r.csr_bytes = 12 * r.nnz;
  r.csr_seconds = 1e-9 * static_cast<double>(r.nnz * f);
  r.formats = {product("csr", r, r.csr_seconds), product("ell", r, 2 * r.csr_seconds),
               product("hyb", r, 1.5 * r.csr_seconds), product("ell-csr", r, 0.8 * r.csr_seconds)};
  return r;
}

/// 2% more are counted than predicted; cuSPARSE moves 12.8 bytes an entry.
BenchRecord traffic_figure(std::uint64_t rows) {
  auto r = record_of<BenchRecord>("traffic_" + std::to_string(rows), rows, gpu);
  r.csr_bytes = 12 * r.nnz;
  r.csr_seconds = 1e-9 * static_cast<double>(r.nnz);
  r.formats = {product("csr", r, r.csr_seconds), product("amb", r, 0.7 * r.csr_seconds),
               product("cusparse-csr-alg2", r, r.csr_seconds, true)};
  r.formats[1].predicted_bytes = 10 * r.nnz;
  r.formats[1].counted_bytes = r.nnz * 102 / 10;
  r.formats[2].counted_bytes = r.nnz * 128 / 10;
  return r;
}

/// Paper 004: an iteration with the pair takes as long as with its second format. Jacobi's method is a series of its
/// own.
SolveRecord pair_figure(const std::string& folder) {
  auto r = record_of<SolveRecord>("uneven", 1000, machine_with("cpu", 16));
  r.path = folder + "/uneven.mtx";
  for (const auto& [format, preconditioner, seconds] : {std::tuple{"hyb", "none", 2e-6},
                                                        {"ell-csr", "none", 1e-6},
                                                        {"ell-csr", "jacobi", 1e-6},
                                                        {"hyb>ell-csr", "none", 1e-6}}) {
    auto row = row_of<SolveMeasure>(format, "", "double", 300 * r.rows);
    row.preconditioner = preconditioner;
    row.stop = "converged";
    if (row.format.find('>') == std::string::npos) row.spmv_seconds = seconds;
    row.iterations_per_second = 1 / seconds;
    row.encode_seconds = 10 * seconds;
    r.formats.push_back(row);
  }
  return r;
}

/// As of earlier versions: right, but without the time of a product.
SolveRecord old_solve() {
  auto r = fem3d<SolveRecord>(16, gpu);
  r.formats = {row_of<SolveMeasure>("csr", "", "double", 300 * r.rows)};
  r.formats[0].stop = "converged";
  r.formats[0].encode_seconds = r.formats[0].transfer_seconds = 1;
  return r;
}

}  // namespace

Measurements sample_figures() {
  Measurements m;
  for (const std::uint64_t n : sizes) {
    m.solve.push_back(solve_figure(n, machine_with("cpu", 16)));
    m.solve.push_back(solve_figure(n, gpu));
    m.transfer.push_back(transfer_figure(n, gpu));
    for (const std::uint64_t f : {1, 2}) m.bench.push_back(density_figure(n, f));
    m.bench.push_back(traffic_figure(1000 * n));
  }
  m.solve.push_back(old_solve());
  for (const char* folder : {"a", "b"}) m.solve.push_back(pair_figure(folder));
  m.solve.push_back(solve_figure(sizes[0], other_host()));
  m.transfer.push_back(transfer_figure(sizes[0], machine_with("Absent GPU", 16)));
  for (const int threads : {1, 2, 4})
    for (const std::uint64_t rows : {1000, 2000}) m.bench.push_back(threads_figure(rows, threads));
  return m;
}

}  // namespace spress::reports

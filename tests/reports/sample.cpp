#include "tests/reports/sample.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace spress::reports {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// Between low and high, evenly on a logarithmic scale.
  std::uint64_t spread(double low, double high) {
    return static_cast<std::uint64_t>(std::llround(low * std::pow(high / low, unit())));
  }

 private:
  std::uint64_t state_;
};

/// Pictures are small, but for two in ten: a narrow band, and one that is as wide as the matrix's.
struct SpyShape {
  std::uint32_t size = 64;
  double widest = 1;
};
SpyShape spy_shape(std::size_t number) {
  return number % 10 == 1 ? SpyShape{256, 0.02} : number % 10 == 2 ? SpyShape{256, 1} : SpyShape{};
}

SpyRecord banded_spy(Random& random, std::uint32_t size, double width, double fill) {
  SpyRecord spy{size, std::string(std::size_t{size} * size, '0')};
  for (std::uint32_t r = 0; r < size; ++r) {
    for (std::uint32_t c = 0; c < size; ++c) {
      const double distance = std::abs(static_cast<double>(r) - static_cast<double>(c)) / size;
      if (r != c && (distance > width || random.unit() > fill)) continue;
      spy.cells[std::size_t{r} * size + c] = static_cast<char>('1' + random.below(r == c ? 9 : 5));
    }
  }
  return spy;
}

int bits_for(double value, double limit8, double limit16) { return value <= limit8 ? 8 : value <= limit16 ? 16 : 32; }

/// Counts that add up to `total`, with something in the class `bits` and nothing above.
ClassCounts split(Random& random, std::uint64_t total, int bits) {
  ClassCounts counts;
  const auto share = [&](std::uint64_t of) {
    return static_cast<std::uint64_t>(static_cast<double>(of) * random.unit());
  };
  if (bits == 32) counts.bits32 = std::max<std::uint64_t>(std::min<std::uint64_t>(total, 1), share(total));
  const std::uint64_t rest = total - counts.bits32;
  if (bits >= 16)
    counts.bits16 = bits == 16 ? std::max<std::uint64_t>(std::min<std::uint64_t>(rest, 1), share(rest)) : share(rest);
  counts.bits8 = rest - counts.bits16;
  return counts;
}

FootprintRecord footprint_of(std::uint64_t model, std::uint64_t index, const MatrixRecord& m, std::uint64_t csr_total) {
  FootprintRecord f;
  const std::uint64_t width = m.field == "complex" ? 16 : m.field == "pattern" ? 0 : 8;
  f.model_index_bytes = model;
  f.index_bytes = index;
  f.total_bytes = index + width * m.nnz;
  f.ratio_to_csr = static_cast<double>(f.total_bytes) / static_cast<double>(csr_total);
  const bool few = m.distinct_values <= 256;
  f.values = {{"raw", width * m.nnz},
              {"narrow", {}},
              {"lut8", few ? std::optional(m.nnz + 8 * m.distinct_values) : std::nullopt},
              {"lut16", m.distinct_values <= 65536 ? std::optional(2 * m.nnz + 8 * m.distinct_values) : std::nullopt},
              {"iso", {}}};
  return f;
}

struct Shape {
  double bandwidth, largest_gap, scatter;  ///< scatter: blocks per entry
};

void add_classes(Random& random, const MatrixRecord& m, const Shape& shape, OrderingRecord& o) {
  const auto add = [&](const char* strategy, int bits) {
    o.index_classes.push_back({strategy, {bits, split(random, m.rows, bits), split(random, m.nnz, bits)}});
  };
  add("direct", bits_for(static_cast<double>(m.cols) - 1, 255, 65535));
  add("delta-to-diagonal", bits_for(shape.bandwidth, 127, 32767));
  add("delta", bits_for(shape.largest_gap, 255, 65535));
  add("delta-anchored", bits_for(std::max(shape.largest_gap / 2, shape.bandwidth), 127, 32767));
}

OrderingRecord ordering_of(Random& random, const MatrixRecord& m, const Shape& shape, const SpyShape& picture) {
  OrderingRecord o;
  o.seconds = 1e-8 * static_cast<double>(m.nnz) * (1 + random.unit());
  o.bandwidth = static_cast<std::uint64_t>(shape.bandwidth);
  o.profile = static_cast<std::uint64_t>(shape.bandwidth * static_cast<double>(m.rows) * 0.4);
  o.max_wavefront = std::min(m.rows, o.bandwidth + 1);
  o.rms_wavefront = 0.6 * static_cast<double>(o.max_wavefront);
  add_classes(random, m, shape, o);
  o.blocks_8x8.count =
      std::max<std::uint64_t>(m.nnz > 0, static_cast<std::uint64_t>(static_cast<double>(m.nnz) * shape.scatter));
  o.blocks_8x8.nnz_per_block =
      o.blocks_8x8.count == 0 ? 0 : static_cast<double>(m.nnz) / static_cast<double>(o.blocks_8x8.count);
  const std::uint64_t csr = 4 * m.nnz + 4 * (m.rows + 1);
  const std::uint64_t csr_total = footprint_of(csr, csr, m, 1).total_bytes;
  const ClassCounts& nnz = o.index_classes[2].second.nnz;
  const std::uint64_t opt = 4 * nnz.bits32 + 2 * nnz.bits16 + nnz.bits8 + 4 * (m.rows + 1) + 4;
  const auto part = [&](double share) { return static_cast<std::uint64_t>(share * static_cast<double>(m.nnz)); };
  FootprintRecord bccoo = footprint_of(part(1 + 3 * random.unit()), part(1 + 3 * random.unit()), m, csr_total);
  bccoo.details = {{"columns_of_4_bytes", part(random.unit() / 2)},
                   {"columns_of_2_bytes", part(random.unit() / 2)},
                   {"values_in_full", part(random.unit())}};
  FootprintRecord amb = footprint_of(2 * m.nnz, 3 * m.nnz, m, csr_total);
  const std::uint64_t traffic = 10 * m.nnz + 16 * m.rows;
  amb.details = {{"single_block", 1 + random.below(10)},
                 {"single_segment", m.cols},
                 {"single_value_slots", m.nnz + part(2 * random.unit() * random.unit())},
                 {"single_traffic_bytes", traffic - part(3 * random.unit())},
                 {"single_traffic_bytes_block_1", traffic}};
  const auto gpu = static_cast<std::uint64_t>(static_cast<double>(m.nnz) * (2 + 4 * random.unit()));
  o.footprint = {{"coo", footprint_of(8 * m.nnz, 8 * m.nnz, m, csr_total)},
                 {"csr", footprint_of(csr, csr, m, csr_total)},
                 {"opt-csr", footprint_of(opt, opt + 4 * m.rows, m, csr_total)},
                 {"bmsparse", footprint_of(16 * o.blocks_8x8.count, 20 * o.blocks_8x8.count + 4, m, csr_total)},
                 {"bccoo", bccoo},
                 {"bccoo-gpu", footprint_of(gpu, gpu, m, csr_total)},
                 {"amb", amb}};
  const double width = std::min(picture.widest, shape.bandwidth / std::max(1.0, static_cast<double>(m.rows)));
  o.spy = banded_spy(random, picture.size, width, 0.2 + 0.6 * random.unit());
  return o;
}

MatrixRecord matrix_of(Random& random, std::size_t number) {
  static const char* const stems[] = {"bcsstk", "ex",   "circuit_", "lp_",      "web-",
                                      "fem_",   "poli", "cryg",     "af_shell", "rajat"};
  MatrixRecord m;
  m.name = stems[random.below(std::size(stems))] + std::to_string(number);
  if (number == 3) m.name = "</script><img src=x onerror=document.title='broken'>";
  if (number == 5) m.name = "quote\"apostrophe'&amp;<b>bold</b>";
  if (number == 7) m.name = "Größe_行列";
  if (number == 9) m.name = "=1+1";
  m.path = "collection/group" + std::to_string(number % 17) + "/" + m.name + ".mtx.gz";
  m.rows = random.spread(5, 2e6);
  const bool rectangular = random.below(8) == 0;
  m.cols = rectangular ? random.spread(5, 2e6) : m.rows;
  m.nnz = m.rows * random.spread(1, 60);
  m.pattern_symmetric = !rectangular && random.below(3) != 0;
  m.field = random.below(6) == 0 ? "pattern" : random.below(20) == 0 ? "complex" : "real";
  m.symmetry = m.pattern_symmetric && random.below(2) == 0 ? "symmetric" : "general";
  m.stored_entries = m.symmetry == "symmetric" ? m.nnz / 2 + 1 : m.nnz;
  m.distinct_values = m.field == "pattern" ? 0 : std::min(m.nnz, random.spread(1, 1e6));
  m.values = {m.distinct_values, random.unit(), 1, random.unit()};
  m.max_row_nnz = std::min(m.cols, m.nnz);
  return m;
}

void choose_best(AnalyzeRecord& record) {
  for (const auto& [ordering, o] : record.orderings) {
    for (const auto& [format, f] : o.footprint) {
      for (const auto& [store, bytes] : f.values) {
        if (!bytes) continue;
        const std::uint64_t total = f.index_bytes + *bytes;
        if (record.best.format.empty() || total < record.best.total_bytes)
          record.best = {format, ordering, store, total, f.parameters};
      }
    }
  }
}

/// What auto takes: the order in which opt-csr with raw values is smallest.
void choose_order(AnalyzeRecord& record) {
  ChoiceRecord choice;
  choice.goal = "size";
  for (const auto& [ordering, o] : record.orderings) {
    if (o.status != "ok") continue;
    CandidateRecord candidate;
    candidate.ordering = ordering;
    candidate.format = "opt-csr";
    candidate.values = "raw";
    candidate.total_bytes = o.footprint[2].second.total_bytes;
    candidate.exact = true;
    choice.candidates.push_back(candidate);
  }
  std::stable_sort(choice.candidates.begin(), choice.candidates.end(),
                   [](const auto& a, const auto& b) { return a.total_bytes < b.total_bytes; });
  record.choice = choice;
}

AnalyzeRecord record_of(Random& random, std::size_t number) {
  AnalyzeRecord record;
  record.tool = {"0.1.0", "0123abcd"};
  record.matrix = matrix_of(random, number);
  record.key = {record.matrix.path, 1000 + number, 0, "orderings=none,rcm"};
  if (number % 40 == 11) {
    record.error = record.matrix.path + ":14: column 0: ids start at 1";
    return record;
  }
  const MatrixRecord& m = record.matrix;
  const double rows = static_cast<double>(m.rows);
  const Shape before{std::floor((rows - 1) * std::pow(random.unit(), 2)), rows * std::pow(random.unit(), 3),
                     0.1 + 0.9 * random.unit()};
  record.orderings.push_back({"none", ordering_of(random, m, before, spy_shape(number))});
  if (m.rows != m.cols) {
    OrderingRecord rcm;
    rcm.status = "not_applicable";
    rcm.reason = "the matrix is not square";
    record.orderings.push_back({"rcm", rcm});
  } else {
    const double shrink = std::min(1.3, std::pow(10.0, -2 * random.unit()) * 1.5);
    const Shape after{std::floor(std::min(rows - 1, before.bandwidth * shrink)), before.largest_gap * shrink,
                      std::min(1.0, before.scatter * (0.5 + 0.7 * random.unit()))};
    record.orderings.push_back({"rcm", ordering_of(random, m, after, spy_shape(number))});
  }
  record.seconds = 1e-6 * static_cast<double>(m.nnz);
  choose_best(record);
  choose_order(record);
  return record;
}

BenchMeasure bench_row(Random& random, const std::string& format, const std::string& values, double ratio,
                       const BenchRecord& record) {
  BenchMeasure row;
  row.format = format;
  row.values = values;
  row.type = "double";
  row.total_bytes = static_cast<std::uint64_t>(ratio * static_cast<double>(record.csr_bytes));
  row.bytes_per_nnz = 12.5 * ratio;
  row.ratio_to_csr = ratio;
  row.speedup_vs_csr = format == "csr" ? 1 : (0.7 + 0.3 * random.unit()) / ratio;
  row.seconds_median = record.csr_seconds / row.speedup_vs_csr;
  row.seconds_min = 0.95 * row.seconds_median;
  row.seconds_max = 1.2 * row.seconds_median;
  row.repetitions = 20;
  row.gb_per_s = 20 * row.speedup_vs_csr * ratio;
  row.gflops = 2 * row.speedup_vs_csr;
  row.speedup_vs_best_peer = row.speedup_vs_csr / 1.1;
  row.encode_in_csr_spmv = 40 * random.unit();
  row.max_error_ratio = 0.1;
  row.ok = true;
  return row;
}

BenchRecord bench_record(Random& random, const MatrixRecord& m, int threads) {
  BenchRecord record;
  record.tool = {"0.1.0", "0123abcd"};
  record.name = m.name;
  record.path = m.path;
  record.rows = m.rows;
  record.cols = m.cols;
  record.nnz = m.nnz;
  record.machine.machine = "Sample processor <16 cores>";
  record.machine.compiler = "GCC 12.2.0";
  record.machine.commit = "0123abcd";
  record.machine.command = "spress bench matrices --json";
  record.machine.threads = threads;
  record.machine.instruction_set = "avx2";
  record.machine.copy_gb_per_s = 15.5 * threads;
  record.machine.last_level_cache_bytes = 32 << 20;
  record.csr_bytes = 12 * m.nnz + 4 * m.rows;
  record.csr_seconds = 1e-9 * static_cast<double>(m.nnz);
  record.working_set_in_cache = record.csr_bytes < record.machine.last_level_cache_bytes;
  record.formats.push_back(bench_row(random, "csr", "raw", 1, record));
  record.formats.push_back(bench_row(random, "opt-csr", "raw", 0.8 + 0.1 * random.unit(), record));
  record.formats.push_back(bench_row(random, "sell", "raw", 1.01 + random.unit() / 4, record));
  record.formats.push_back(bench_row(random, "sell", "lut8", 0.4 + random.unit() / 4, record));
  record.formats.push_back(bench_row(random, "bccoo", "raw", 0.2 + random.unit() / 2, record));
  record.formats.push_back(bench_row(random, "mkl", "raw", 1, record));
  record.formats.back().peer = true;
  record.formats.back().speedup_vs_best_peer = not_measured;
  return record;
}

/// The same on a GPU: kernels by name, and cuSPARSE's products as peers.
BenchRecord gpu_record(Random& random, const MatrixRecord& m) {
  BenchRecord record = bench_record(random, m, 16);
  record.machine.device = "Sample GPU <80 GB>";
  record.machine.driver = "13.0";
  record.machine.instruction_set = "sm_90";
  record.machine.copy_gb_per_s = 3000;
  record.csr_seconds /= 100;
  record.formats.pop_back();
  for (const char* peer : {"cusparse-csr-alg2", "cusparse-sell"}) {
    record.formats.push_back(bench_row(random, peer, "raw", 1, record));
    record.formats.back().peer = true;
  }
  for (BenchMeasure& row : record.formats) {
    row.kernel = "row per warp";
    row.repeatable = true;
    row.gb_per_s *= 100;
    row.seconds_median = row.seconds_median / 100;
    row.speedup_vs_best_cusparse = row.peer ? not_measured : row.speedup_vs_csr / 0.95;
    if (row.peer) row.speedup_vs_best_peer = not_measured;
  }
  return record;
}

SolveRecord solve_record(const MatrixRecord& m, const MachineRecord& machine) {
  SolveRecord record;
  record.machine = machine;
  record.tool = {"0.1.0", "0123abcd"};
  record.name = m.name;
  record.path = m.path;
  record.rows = record.cols = m.rows;
  record.nnz = m.nnz;
  record.right_hand_side = "A*x";
  record.tolerance = 1e-10;
  record.max_iterations = 1000;
  record.threads = 2;
  for (const char* format : {"csr", "sell", "csr -> sell"}) {
    SolveMeasure row;
    row.format = format;
    row.values = "raw";
    row.type = "double";
    row.preconditioner = "jacobi";
    row.iterations = 321;
    row.converged = true;
    row.stop = "converged";
    row.seconds = 0.5;
    row.transfer_seconds = 0.0625;
    row.true_residual = 1.5e-11;
    row.speedup_vs_csr = record.formats.empty() ? 1 : 1.25;
    if (record.formats.size() == 2) row.switched_at = 40;
    row.ok = true;
    record.formats.push_back(row);
  }
  return record;
}

TransferRecord transfer_record(Random& random, const BenchRecord& bench) {
  TransferRecord record;
  record.tool = bench.tool;
  record.name = bench.name;
  record.path = bench.path;
  record.rows = bench.rows;
  record.cols = bench.cols;
  record.nnz = bench.nnz;
  record.machine = bench.machine;
  record.pinned_gb_per_s = 55;
  record.pageable_gb_per_s = 7;
  record.staged_gb_per_s = 30;
  for (const char* memory : {"pinned", "pageable", "staged"})
    for (const char* format : {"csr", "opt-csr", "sell"})
      for (const char* route : {"packed", "separate", "expanded"}) {
        if (std::string(route) == "expanded" && std::string(format) != "opt-csr") continue;
        TransferMeasure row;
        row.format = format;
        row.values = "raw";
        row.type = "double";
        row.route = route;
        row.memory = memory;
        row.byte_ratio = std::string(format) == "csr" ? 1 : 0.9 + 0.6 * random.unit();
        row.total_bytes = row.sent_bytes =
            static_cast<std::uint64_t>(static_cast<double>(bench.csr_bytes) / row.byte_ratio);
        row.copies = std::string(route) == "packed" ? 1 : 3;
        row.gb_per_s = std::string(memory) == "pinned" ? 50 : 6;
        row.seconds_median = row.seconds_min = row.seconds_max =
            1e-9 * static_cast<double>(row.sent_bytes) / row.gb_per_s;
        row.repetitions = 10;
        row.speedup_vs_csr = row.speedup_vs_csr_arrays = (0.9 + 0.1 * random.unit()) * row.byte_ratio;
        row.encode_seconds = 0.01;
        row.spmv_seconds = 0.001;
        row.break_even_spmv = 40;
        row.ok = true;
        record.formats.push_back(row);
      }
  FileTransferMeasure way;
  way.way = "csr";
  way.file_bytes = way.sent_bytes = bench.csr_bytes;
  way.seconds_median = way.seconds_min = way.seconds_max = way.read_seconds = 0.5;
  way.decode_seconds = 0;
  way.copy_seconds = 0.1;
  way.repetitions = 7;
  way.gb_per_s = 3;
  way.speedup_vs_csr = 1;
  way.ok = true;
  record.file = FileTransferRecord{true, {way}};
  return record;
}

}  // namespace

PaperFormats sample_papers() {
  return {"coo",
          "bccoo-gpu",
          "bccoo",
          "amb",
          "bmsparse",
          "opt-csr",
          {{"000 on a CPU", "bccoo", {"bcoo"}, true},
           {"001", "amb", {"sell"}, true},
           {"003", "sell", {"csr"}, false},
           {"004", "ell-csr", {"csr", "ell", "hyb"}, false}}};
}

std::vector<AnalyzeRecord> sample_records(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<AnalyzeRecord> records;
  for (std::size_t i = 0; i < count; ++i) records.push_back(record_of(random, i));
  return records;
}

Measurements sample_measurements(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Measurements measured;
  for (const int threads : {1, 16})
    for (std::size_t i = 0; i < count; ++i)
      measured.bench.push_back(bench_record(random, matrix_of(random, i), threads));
  measured.bench[0].formats[3].ok = false;
  measured.bench[0].formats[3].reason = "row 7 is wrong";
  BenchMeasure& unsupported = measured.bench[0].formats[4];
  unsupported = {};
  unsupported.format = "bccoo";
  unsupported.values = "raw";
  unsupported.type = "double";
  unsupported.reason = "complex values";
  measured.bench.back().error = "no such file";
  for (std::size_t i = 0; i < count; ++i) measured.bench.push_back(gpu_record(random, matrix_of(random, i)));
  for (std::size_t i = 0; i < count; ++i)
    measured.transfer.push_back(transfer_record(random, measured.bench[2 * count + i]));
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 4); ++i) {  // one kind of matrix in several sizes
    measured.transfer[i].name = "fem3d_n" + std::to_string(32 << i) + "_values-noise";
    measured.transfer[i].generator = {"fem3d", {{"n", std::uint64_t{32} << i}, {"values", "noise"}}};
    measured.transfer[i].rows = std::uint64_t{1} << (15 + 3 * i);
  }
  measured.transfer[0].formats[1].ok = false;
  measured.transfer[0].formats[1].reason = "col_idx arrived otherwise than it was";
  for (std::size_t i = 0; i < 2; ++i)
    measured.solve.push_back(solve_record(matrix_of(random, i + 3), measured.bench[0].machine));
  return measured;
}

}  // namespace spress::reports

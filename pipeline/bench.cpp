#include "pipeline/bench.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <set>

#include "analyze/value_statistics.hpp"
#include "encode/any.hpp"
#include "formats/memory.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/peers/peer.hpp"
#include "kernels/reference.hpp"
#include "pipeline/machine.hpp"
#include "pipeline/source.hpp"
#include "pipeline/timing.hpp"
#include "pipeline/version.hpp"

namespace spress::pipeline {
namespace {

using reports::BenchMeasure;
using reports::BenchRecord;
using reports::not_measured;

/// A row before anything is measured.
BenchMeasure start_row(const std::string& format, const std::string& parameters, std::string_view values,
                       ValueType type) {
  BenchMeasure row;
  row.format = format;
  row.parameters = parameters;
  row.values = values;
  row.type = enum_name(type);
  for (double* figure : {&row.seconds_median, &row.seconds_min, &row.seconds_max, &row.gb_per_s, &row.gflops,
                         &row.speedup_vs_csr, &row.max_error_ratio})
    *figure = not_measured;
  return row;
}

/// A row that ends without figures: null for what cannot be done, false for what went wrong.
void fail(BenchMeasure& row, const Error& error) {
  const bool unfit = error.code == ErrorCode::not_applicable || error.code == ErrorCode::unsupported ||
                     error.code == ErrorCode::too_large;
  row.ok = unfit ? std::optional<bool>() : false;
  row.reason = error.message;
}

/// Values that the format stores, padding included; none where it has no value store but codes values itself.
template <template <class> class F>
std::optional<std::uint64_t> value_slots(const F<Owned>& f) {
  std::optional<std::uint64_t> slots;
  for_each_scalar(
      [&](std::string_view name, const auto& value) {
        if (name == "value_count") slots = static_cast<std::uint64_t>(value);
      },
      f);
  return slots;
}

/// The smallest store but raw, if it is smaller than raw.
std::optional<StoreKind> smallest_store(const analyze::ValueStatistics& statistics, ValueType type,
                                        std::uint64_t slots) {
  auto least = analyze::store_bytes(StoreKind::raw, statistics, type, slots);
  std::optional<StoreKind> best;
  for (StoreKind kind : all_stores)
    if (const auto bytes = analyze::store_bytes(kind, statistics, type, slots); bytes && least && *bytes < *least) {
      least = bytes;
      best = kind;
    }
  return best;
}

/// A row and where it belongs.
struct Placed {
  std::size_t format;  // in the order given
  StoreKind store;
  BenchMeasure row;
};

/// One matrix with values of type T.
template <class T>
class Bench {
 public:
  Bench(const Csr<Viewed>& a, const BenchOptions& options, BenchRecord& record)
      : a_(a), options_(options), record_(record), smaller_(options.formats.size()) {}

  Status run() {
    SPRESS_CHECK(prepare());
    measure_peers();
    measure_stores();
    finish();
    return Ok{};
  }

 private:
  [[nodiscard]] int threads() const { return record_.machine.threads; }

  Status prepare() {
    const std::uint64_t vectors = a_.cols * sizeof(T) + a_.rows * (2 * sizeof(T) + 2 * sizeof(long double) + 8);
    SPRESS_CHECK(fits_memory(vectors, "the vectors of the product and its reference"));
    x_ = test_vector<T>(a_.cols);
    y_.resize(a_.rows);
    y_baseline_.resize(a_.rows);
    reference_ = reference_product<T>(a_, x_.data());
    baseline_ = [this](const T* x, T* y) { cpu::spmv<T>(a_, x, y, threads()); };
    const Verdict verdict = judged(baseline_);
    if (verdict.ok) return Ok{};
    return Error{ErrorCode::damaged, "our CSR's own product is wrong: " + verdict.reason, record_.path, 0};
  }

  Verdict judged(const Multiply<T>& multiply) {
    std::fill(y_.begin(), y_.end(), std::numeric_limits<T>::quiet_NaN());
    multiply(x_.data(), y_.data());
    return judge(reference_, y_.data());
  }

  static bool accept(const Verdict& verdict, BenchMeasure& row) {
    row.ok = verdict.ok;
    row.reason = verdict.reason;
    row.max_error_ratio = verdict.max_error_ratio;
    return verdict.ok;
  }

  /// Judges, times and judges again what came last: a product that races may be wrong only now and then.
  void measure(BenchMeasure& row, const Multiply<T>& multiply) {
    fill_sizes(row);
    if (!accept(judged(multiply), row)) return;
    const PairedTimes times = time_pairs([&] { baseline_(x_.data(), y_baseline_.data()); },
                                         [&] { multiply(x_.data(), y_.data()); }, options_.pairing);
    if (!accept(judge(reference_, y_.data()), row)) return;
    baseline_times_.insert(baseline_times_.end(), times.baseline.begin(), times.baseline.end());
    fill_times(row, times);
  }

  void fill_sizes(BenchMeasure& row) const {
    const auto bytes = static_cast<double>(row.total_bytes);
    if (a_.nnz != 0) row.bytes_per_nnz = bytes / static_cast<double>(a_.nnz);
    if (record_.csr_bytes != 0) row.ratio_to_csr = bytes / static_cast<double>(record_.csr_bytes);
  }

  void fill_times(BenchMeasure& row, const PairedTimes& times) const {
    const auto [least, most] = std::minmax_element(times.candidate.begin(), times.candidate.end());
    row.seconds_median = median(times.candidate);
    row.seconds_min = *least;
    row.seconds_max = *most;
    row.repetitions = static_cast<int>(times.candidate.size());
    row.speedup_vs_csr = paired_speedup(times);
    const auto moved = static_cast<double>(row.total_bytes + (a_.rows + a_.cols) * sizeof(T));
    row.gb_per_s = 1e-9 * moved / row.seconds_median;
    row.gflops = 2e-9 * static_cast<double>(a_.nnz) / row.seconds_median;
  }

  // --- Peers ---

  auto prepare_peer(const BenchPeer& peer) const {
    if constexpr (std::is_same_v<T, float>)
      return peer.prepare_float(a_, threads());
    else
      return peer.prepare_double(a_, threads());
  }

  void measure_peers() {
    for (const BenchPeer& peer : options_.peers) {
      BenchMeasure row = start_row(peer.name, "", "raw", value_type_of<T>);
      row.peer = true;
      tell(peer.name);
      const auto start = Clock::now();
      auto multiply = prepare_peer(peer);
      if (multiply.ok()) {
        row.encode_seconds = seconds_since(start);
        row.total_bytes = a_.row_ptr.bytes() + a_.col_idx.bytes() + a_.nnz * sizeof(T);  // of a pattern it keeps ones
        measure(row, *multiply);
      } else {
        fail(row, multiply.error());
      }
      peer_rows_.push_back(std::move(row));
    }
  }

  // --- Formats ---

  /// Store by store, so that one store is held at a time; raw first, since its encodings tell the others' sizes.
  void measure_stores() {
    if (options_.choice == StoreChoice::smallest && a_.values.type != ValueType::none)
      statistics_ = analyze::value_statistics(a_.values, threads());
    for (StoreKind kind : all_stores) {
      const auto formats = formats_wanting(kind);
      if (!formats.empty()) measure_store(kind, formats);
    }
  }

  /// Places in the list of formats.
  [[nodiscard]] std::vector<std::size_t> formats_wanting(StoreKind kind) const {
    std::vector<std::size_t> formats;
    for (std::size_t f = 0; f < options_.formats.size(); ++f)
      if (wanted(kind, f)) formats.push_back(f);
    return formats;
  }

  [[nodiscard]] bool wanted(StoreKind kind, std::size_t format) const {
    const auto& listed = options_.stores;
    if (options_.choice == StoreChoice::listed) return std::find(listed.begin(), listed.end(), kind) != listed.end();
    if (options_.choice == StoreChoice::all) return true;
    return kind == StoreKind::raw || smaller_[format] == kind;
  }

  void measure_store(StoreKind kind, const std::vector<std::size_t>& formats) {
    Csr<Viewed> stored = a_;
    std::optional<Result<ValueStore<Owned>>> values;
    double seconds = 0;
    if (kind != StoreKind::raw) {
      const auto start = Clock::now();
      values = with_store(a_.values, kind);
      seconds = seconds_since(start);
      if (values->ok()) stored.values = view_of(values->value());
      if (!values->ok() && options_.choice == StoreChoice::all) return;
    }
    for (std::size_t f : formats) {
      const Spec& spec = options_.formats[f];
      BenchMeasure row = start_row(spec.name, spec.parameters(), enum_name(kind), value_type_of<T>);
      tell(spec.text() + " " + row.values);
      if (values && !values->ok())
        fail(row, values->error());
      else
        measure_format(row, f, stored, seconds);
      rows_.push_back({f, kind, std::move(row)});
    }
  }

  void measure_format(BenchMeasure& row, std::size_t format, const Csr<Viewed>& stored, double store_seconds) {
    try {
      const auto encoded = timed_encode(row, stored, options_.formats[format]);
      if (!encoded.ok()) return fail(row, encoded.error());
      row.encode_seconds += store_seconds;
      with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) { measure_encoded(row, format, f); });
    } catch (const std::bad_alloc&) {
      fail(row, {ErrorCode::too_large, "not enough memory for this format", {}, 0});
    }
  }

  /// Encodes again while that costs little, so that small matrices get a median too; one encoding is held at a time.
  Result<AnyFormat> timed_encode(BenchMeasure& row, const Csr<Viewed>& stored, const Spec& spec) const {
    std::vector<double> seconds;
    Result<AnyFormat> encoded = AnyFormat{};
    double spent = 0;
    do {
      encoded = AnyFormat{};
      const auto start = Clock::now();
      encoded = encode_any(stored, spec);
      seconds.push_back(seconds_since(start));
      spent += seconds.back();
    } while (encoded.ok() && seconds.size() < 5 && spent < 0.1 * options_.pairing.seconds);
    if (encoded.ok()) row.encode_seconds = median(std::move(seconds));
    return encoded;
  }

  template <template <class> class F>
  void measure_encoded(BenchMeasure& row, std::size_t format, const F<Owned>& f) {
    row.total_bytes = byte_totals(f).total();
    const F<Viewed> view = view_of(f);
    const int threads = this->threads();
    measure(row, [&view, threads](const T* x, T* y) { cpu::spmv<T>(view, x, y, threads); });
    if (const auto slots = value_slots(f); statistics_ && slots && row.values == "raw")
      smaller_[format] = smallest_store(*statistics_, a_.values.type, *slots);
  }

  // --- The record ---

  void tell(const std::string& what) const {
    if (!options_.on_progress) return;
    const std::size_t done = peer_rows_.size() + rows_.size();
    std::size_t total = options_.peers.size();
    for (StoreKind kind : all_stores) total += formats_wanting(kind).size();
    options_.on_progress({record_.name, what, done, std::max(total, done + 1)});
  }

  void finish() {
    std::stable_sort(rows_.begin(), rows_.end(), [](const Placed& a, const Placed& b) {
      return std::pair(a.format, a.store) < std::pair(b.format, b.store);
    });
    for (Placed& placed : rows_) record_.formats.push_back(std::move(placed.row));
    const auto after_csr = std::find_if(record_.formats.rbegin(), record_.formats.rend(),
                                        [](const BenchMeasure& row) { return row.format == "csr"; });
    record_.formats.insert(after_csr == record_.formats.rend() ? record_.formats.begin() : after_csr.base(),
                           peer_rows_.begin(), peer_rows_.end());
    record_.csr_seconds = median(std::move(baseline_times_));
    double best_peer = not_measured;
    for (const BenchMeasure& row : peer_rows_) best_peer = std::fmax(best_peer, row.speedup_vs_csr);
    for (BenchMeasure& row : record_.formats) {
      row.encode_in_csr_spmv = row.encode_seconds / record_.csr_seconds;
      if (!row.peer) row.speedup_vs_best_peer = row.speedup_vs_csr / best_peer;
      record_.ok = record_.ok && row.ok.value_or(true);
    }
  }

  Csr<Viewed> a_;  // with raw values: the baseline
  const BenchOptions& options_;
  BenchRecord& record_;
  std::vector<T> x_, y_, y_baseline_;
  Reference reference_;
  Multiply<T> baseline_;
  std::vector<double> baseline_times_;
  std::optional<analyze::ValueStatistics> statistics_;
  std::vector<std::optional<StoreKind>> smaller_;  // of each format, once its raw encoding is known
  std::vector<BenchMeasure> peer_rows_;
  std::vector<Placed> rows_;
};

template <class T>
Status bench_as(Matrix& matrix, const BenchOptions& options, BenchRecord& record) {
  Csr<Owned>& csr = matrix.csr;
  if (csr.values.type != ValueType::none && csr.values.type != value_type_of<T>) {
    SPRESS_TRY(csr.values, with_type(view_of(csr.values), value_type_of<T>));
  }
  record.csr_bytes = byte_totals(csr).total();
  const std::uint64_t working_set = record.csr_bytes + (csr.rows + csr.cols) * sizeof(T);
  record.working_set_in_cache = working_set <= record.machine.last_level_cache_bytes;
  return Bench<T>(view_of(csr), options, record).run();
}

void refuse_complex(const BenchOptions& options, BenchRecord& record) {
  for (const Spec& spec : options.formats) {
    record.formats.push_back(start_row(spec.name, spec.parameters(), "raw", ValueType::c128));
    record.formats.back().reason = "no product for complex values";
  }
}

template <class T>
Result<Multiply<T>> prepare_peer(const std::string& name, const Csr<Viewed>& a, int threads) {
  SPRESS_TRY(auto product, peers::prepare<T>(name, a, threads));
  return Multiply<T>([held = std::shared_ptr(std::move(product))](const T* x, T* y) { held->multiply(x, y); });
}

BenchRecord start_record(const std::string& name, const std::string& path, const BenchOptions& options) {
  BenchRecord record;
  record.tool = tool_record();
  record.name = name;
  record.path = path;
  record.machine = options.machine;
  return record;
}

}  // namespace

std::vector<BenchPeer> bench_peers() {
  std::vector<BenchPeer> out;
  for (const std::string& name : peers::built_names())
    out.push_back({name, [name](const Csr<Viewed>& a, int threads) { return prepare_peer<double>(name, a, threads); },
                   [name](const Csr<Viewed>& a, int threads) { return prepare_peer<float>(name, a, threads); }});
  return out;
}

Result<BenchRecord> bench(Matrix matrix, const BenchOptions& given) {
  BenchOptions options = given;
  if (options.formats.empty()) options.formats = all_formats();
  std::set<std::string> seen;
  for (const Spec& spec : options.formats) {
    SPRESS_CHECK(check_format(spec));
    if (!seen.insert(spec.text()).second)
      return Error{ErrorCode::usage, "the format '" + spec.text() + "' is given twice", {}, 0};
  }

  BenchRecord record = start_record(matrix.info.name, matrix.info.path, options);
  record.machine.threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  record.rows = matrix.csr.rows;
  record.cols = matrix.csr.cols;
  record.nnz = matrix.csr.nnz;
  const DefaultThreads scope(record.machine.threads);
  if (matrix.csr.values.type == ValueType::c128) {
    record.csr_bytes = byte_totals(matrix.csr).total();
    refuse_complex(options, record);
    return record;
  }
  SPRESS_CHECK(options.value == ValueType::f32 ? bench_as<float>(matrix, options, record)
                                               : bench_as<double>(matrix, options, record));
  return record;
}

BenchRecord bench_error_record(const std::string& input, const std::string& message, const BenchOptions& options) {
  BenchRecord record = start_record(name_of_input(input), input, options);
  record.ok = false;
  record.error = message;
  return record;
}

}  // namespace spress::pipeline

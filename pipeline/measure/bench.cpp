#include "pipeline/measure/bench.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include "analyze/value_statistics.hpp"
#include "encode/shared/any.hpp"
#include "formats/core/clock.hpp"
#include "formats/core/memory.hpp"
#include "formats/core/threads.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "pipeline/choose.hpp"
#include "pipeline/measure/bench_row.hpp"
#include "pipeline/measure/pairing.hpp"
#include "pipeline/measure/rows.hpp"

namespace spress::pipeline {
namespace {

using reports::BenchMeasure;
using reports::BenchRecord;
using reports::not_measured;

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

/// A row and where it belongs.
struct Placed {
  std::size_t format;  // in the order given
  StoreKind store;
  BenchMeasure row;
};

/// The least of five times of one product of CSR on the CPU.
template <class T>
double csr_product_seconds(const Csr<Viewed>& a, int threads) {
  std::vector<T> x(a.cols, T(1)), y(a.rows);
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 5; ++run) {
    const auto start = Clock::now();
    cpu::spmv<T>(a, x.data(), y.data(), threads);
    least = std::min(least, seconds_since(start));
  }
  return least;
}

/// One matrix with values of type T.
template <class T>
class Bench {
 public:
  Bench(const Csr<Viewed>& a, const BenchOptions& options, BenchRecord& record)
      : a_(a), options_(options), record_(record), formats_(options.formats), smaller_(formats_.size()) {}

  Status run() {
    if (options_.choose_by) SPRESS_CHECK(choose());
    SPRESS_CHECK(prepare());
    take_baseline();
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
    auto x = test_vector<T>(a_.cols);
    reference_ = reference_product<T>(a_, x.data());
    if constexpr (std::is_same_v<T, float>)
      device_ = options_.device.make_float(threads());
    else
      device_ = options_.device.make_double(threads());
    return device_->place(std::move(x), a_.rows);
  }

  /// What `auto` takes joins the formats unless it is among them.
  Status choose() {
    AutoOptions how;
    how.choice.goal = Goal::spmv;
    how.choice.model = &options_.choose_by->model;
    how.choice.threads = threads();
    SPRESS_TRY(const auto choice, choose_auto(a_, how));
    record_.choice = choice_record(choice, Goal::spmv, &*options_.choose_by);
    SPRESS_TRY(record_.choice->seconds, choice_seconds(how));
    record_.choice->csr_products = record_.choice->seconds / csr_product_seconds<T>(a_, threads());
    chosen_ = {add_once(formats_, choice.best().format), choice.best().values};
    smaller_.resize(formats_.size());
    return Ok{};
  }

  /// Of choosing once more, the median of some.
  [[nodiscard]] Result<double> choice_seconds(const AutoOptions& how) const {
    std::vector<double> seconds(5);
    for (double& each : seconds) {
      SPRESS_TRY(const auto choice, choose_auto(a_, how));
      each = choice.seconds;
    }
    return median(std::move(seconds));
  }

  /// CSR, unless it cannot be had or is wrong: then its row says so.
  void take_baseline() {
    const Spec csr{"csr", {}};
    BenchMeasure row = begin_row<BenchMeasure>(csr, StoreKind::raw, value_type_of<T>);
    take_size(row, record_.csr_bytes);
    auto product =
        options_.device_memory == 0 ? device_->prepare(a_, csr) : device_->prepare_in(a_, csr, options_.device_memory);
    if (product.ok() && is_right(*product, row)) {
      baseline_ = std::move(product).value();
      return;
    }
    if (!product.ok()) end_row(row, product.error());
    broken_baseline_ = std::move(row);
  }

  bool is_right(const DeviceProduct<T>& product, BenchMeasure& row) {
    return accept(run_and_judge(*device_, product, reference_), row);
  }

  static bool accept(const Result<Verdict>& verdict, BenchMeasure& row) {
    if (!verdict.ok()) {
      end_row(row, verdict.error());
      return false;
    }
    row.ok = verdict->ok;
    row.reason = verdict->reason;
    row.max_error_ratio = verdict->max_error_ratio;
    return verdict->ok;
  }

  /// What the candidate left when it was timed.
  Result<Verdict> judge_last() {
    SPRESS_TRY(const T* y, device_->last_result());
    return judge(reference_, y);
  }

  /// Judges, times and judges again what came last: a product that races may be wrong only now and then.
  void measure(BenchMeasure& row, const DeviceProduct<T>& product) {
    row.kernel = product.kernel;
    row.repeatable = product.repeatable;
    if (!is_right(product, row)) return;
    const auto times = device_->time(baseline_ ? *baseline_ : product, product, options_.pairing);
    if (!times.ok()) return end_row(row, times.error());
    if (!accept(judge_last(), row)) return;
    fill_times(row, *times, record_, sizeof(T));
    if (!baseline_) return;
    row.speedup_vs_csr = paired_speedup(*times);
    baseline_times_.insert(baseline_times_.end(), times->baseline.begin(), times->baseline.end());
  }

  void take_size(BenchMeasure& row, std::uint64_t total_bytes) const { pipeline::take_size(row, total_bytes, record_); }

  // --- Peers ---

  auto prepare_peer(const Peer& peer) const {
    if constexpr (std::is_same_v<T, float>)
      return peer.prepare_float(a_, threads());
    else
      return peer.prepare_double(a_, threads());
  }

  void measure_peers() {
    for (const Peer& peer : options_.device.peers) {
      BenchMeasure row = begin_row<BenchMeasure>({peer.name, {}}, StoreKind::raw, value_type_of<T>);
      row.peer = true;
      tell(peer.name);
      const auto start = Clock::now();
      const auto product = prepare_peer(peer);
      if (product.ok()) {
        row.encode_seconds = product->seconds.value_or(seconds_since(start));
        take_size(row, product->total_bytes != 0 ? product->total_bytes : bytes_with_ones());
        measure(row, *product);
      } else {
        end_row(row, product.error());
      }
      peer_rows_.push_back(std::move(row));
    }
  }

  /// Of CSR as most peers hold it: with values even for a pattern.
  [[nodiscard]] std::uint64_t bytes_with_ones() const {
    return a_.row_ptr.bytes() + a_.col_idx.bytes() + a_.nnz * sizeof(T);
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
    for (std::size_t f = 0; f < formats_.size(); ++f)
      if (wanted(kind, f)) formats.push_back(f);
    return formats;
  }

  [[nodiscard]] bool wanted(StoreKind kind, std::size_t format) const {
    if (chosen_ && chosen_->first == format && (chosen_->second == kind || format >= options_.formats.size()))
      return chosen_->second == kind;
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
      const Spec& spec = formats_[f];
      BenchMeasure row = begin_row<BenchMeasure>(spec, kind, value_type_of<T>);
      tell(spec.text() + " " + row.values);
      if (values && !values->ok())
        end_row(row, values->error());
      else
        measure_format(row, f, stored, seconds);
      rows_.push_back({f, kind, std::move(row)});
    }
  }

  void measure_format(BenchMeasure& row, std::size_t format, const Csr<Viewed>& stored, double store_seconds) {
    try {
      if (options_.device_memory != 0) return measure_in_pieces(row, format, stored, store_seconds);
      const auto encoded = timed_encode(row, stored, formats_[format]);
      if (!encoded.ok()) return end_row(row, encoded.error());
      row.encode_seconds += store_seconds;
      with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) { measure_encoded(row, format, f); });
    } catch (const std::bad_alloc&) {
      end_row(row, {ErrorCode::too_large, "not enough memory for this format"});
    }
  }

  /// The matrix may be larger than the device's memory.
  void measure_in_pieces(BenchMeasure& row, std::size_t format, const Csr<Viewed>& stored, double store_seconds) {
    const Spec& spec = formats_[format];
    const auto product = device_->prepare_in(stored, spec, options_.device_memory);
    if (!product.ok()) return end_row(row, product.error());
    row.encode_seconds = store_seconds + product->seconds.value_or(0);
    row.streamed_bytes = product->streamed_bytes;
    take_size(row, product->total_bytes);
    measure(row, *product);
    row.link_gb_per_s = 1e-9 * static_cast<double>(product->streamed_bytes) / row.seconds_median;
    with_format(spec.name, [&]<template <class> class F>(Tag<F>) {
      if (statistics_ && value_slots(F<Owned>()) && row.values == "raw")
        smaller_[format] = smaller_store(*statistics_, a_.values.type, a_.nnz);
    });
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
    take_size(row, byte_totals(f).total());
    if (const auto product = device_->prepare(view_of(f), formats_[format]); product.ok())
      measure(row, *product);
    else
      end_row(row, product.error());
    if (const auto slots = value_slots(f); statistics_ && slots && row.values == "raw")
      smaller_[format] = smaller_store(*statistics_, a_.values.type, *slots);
  }

  // --- The record ---

  void tell(const std::string& what) const {
    if (!options_.on_progress) return;
    const std::size_t done = peer_rows_.size() + rows_.size();
    std::size_t total = options_.device.peers.size();
    for (StoreKind kind : all_stores) total += formats_wanting(kind).size();
    options_.on_progress({record_.name, what, done, std::max(total, done + 1)});
  }

  void finish() {
    order_rows();
    record_.csr_seconds = median(std::move(baseline_times_));
    double best_peer = not_measured;
    for (const BenchMeasure& row : peer_rows_) best_peer = std::fmax(best_peer, row.speedup_vs_csr);
    for (BenchMeasure& row : record_.formats) {
      row.encode_in_csr_spmv = row.encode_seconds / record_.csr_seconds;
      if (!row.peer) row.speedup_vs_best_peer = row.speedup_vs_csr / best_peer;
      if (options_.device.kind == DeviceKind::cuda) row.speedup_vs_best_cusparse = row.speedup_vs_best_peer;
      record_.ok = record_.ok && row.ok.value_or(true);
    }
    if (record_.choice) judge_choice();
  }

  /// How far the row that `auto` chose is behind the fastest.
  void judge_choice() {
    const reports::CandidateRecord& chosen = record_.choice->candidates.front();
    double best = not_measured, ours = not_measured;
    for (const BenchMeasure& row : record_.formats) {
      if (row.peer || !row.ok.value_or(false)) continue;
      best = std::fmax(best, row.speedup_vs_csr);
      if (row.format == chosen.format && row.parameters == chosen.parameters && row.values == chosen.values)
        ours = row.speedup_vs_csr;
    }
    if (std::isfinite(ours)) record_.choice->behind_best = best / ours - 1;
  }

  void order_rows() {
    std::stable_sort(rows_.begin(), rows_.end(), [](const Placed& a, const Placed& b) {
      return std::pair(a.format, a.store) < std::pair(b.format, b.store);
    });
    auto& formats = record_.formats;
    for (Placed& placed : rows_) formats.push_back(std::move(placed.row));
    const auto is_csr = [](const BenchMeasure& row) { return row.format == "csr"; };
    const auto tells = [&](const BenchMeasure& row) {
      return is_csr(row) && row.parameters.empty() && row.ok == broken_baseline_->ok;
    };
    if (broken_baseline_ && std::none_of(formats.begin(), formats.end(), tells))
      formats.insert(formats.begin(), *broken_baseline_);
    const auto after_csr = std::find_if(formats.rbegin(), formats.rend(), is_csr);
    formats.insert(after_csr == formats.rend() ? formats.begin() : after_csr.base(), peer_rows_.begin(),
                   peer_rows_.end());
  }

  Csr<Viewed> a_;  // with raw values: the baseline
  const BenchOptions& options_;
  BenchRecord& record_;
  std::unique_ptr<ProductDevice<T>> device_;
  Reference reference_;
  std::optional<DeviceProduct<T>> baseline_;
  std::optional<BenchMeasure> broken_baseline_;
  std::vector<double> baseline_times_;
  std::optional<analyze::ValueStatistics> statistics_;
  std::vector<Spec> formats_;
  std::optional<std::pair<std::size_t, StoreKind>> chosen_;  // of formats_
  std::vector<std::optional<StoreKind>> smaller_;            // of each format, once its raw encoding is known
  std::vector<BenchMeasure> peer_rows_;
  std::vector<Placed> rows_;
};

/// Rows that say why nothing is measured.
void refuse(const BenchOptions& options, ValueType type, const std::string& reason, BenchRecord& record) {
  for (const Spec& spec : options.formats) {
    record.formats.push_back(begin_row<BenchMeasure>(spec, StoreKind::raw, type));
    record.formats.back().reason = reason;
  }
}

template <class T>
Status bench_as(Matrix& matrix, const BenchOptions& options, BenchRecord& record) {
  Csr<Owned>& csr = matrix.csr;
  std::string beyond;
  if (csr.values.type != ValueType::none && csr.values.type != value_type_of<T>) {
    if (std::is_same_v<T, float>) beyond = entry_beyond_float(view_of(csr));
    SPRESS_TRY(csr.values, with_type(view_of(csr.values), value_type_of<T>));
  }
  record.csr_bytes = byte_totals(csr).total();
  const std::uint64_t working_set = record.csr_bytes + (csr.rows + csr.cols) * sizeof(T);
  record.working_set_in_cache = working_set <= cached_bytes(options);
  if (beyond.empty()) return Bench<T>(view_of(csr), options, record).run();
  refuse(options, value_type_of<T>, beyond + ": use double", record);
  return Ok{};
}

}  // namespace

Result<BenchRecord> bench(Matrix matrix, const BenchOptions& given) {
  BenchOptions options = given;
  SPRESS_TRY(options.formats, formats_to_walk(given.formats));

  BenchRecord record;
  identify(record, matrix);
  record.machine = options.machine;
  record.machine.threads = thread_count(options.threads);
  const DefaultThreads scope(record.machine.threads);
  if (matrix.csr.values.type == ValueType::c128) {
    record.csr_bytes = byte_totals(matrix.csr).total();
    refuse(options, ValueType::c128, "no product for complex values", record);
    return record;
  }
  SPRESS_CHECK(options.value == ValueType::f32 ? bench_as<float>(matrix, options, record)
                                               : bench_as<double>(matrix, options, record));
  return record;
}

BenchRecord failed_bench_record(const std::string& input, const std::string& message, const BenchOptions& options) {
  return failed_record<BenchRecord>(input, message, options.machine);
}

}  // namespace spress::pipeline

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analyze/value_statistics.hpp"
#include "encode/shared/any.hpp"
#include "formats/core/clock.hpp"
#include "formats/core/threads.hpp"
#include "kernels/reference.hpp"
#include "pipeline/device/cuda_part.hpp"
#include "pipeline/measure/bench.hpp"
#include "pipeline/measure/bench_row.hpp"
#include "pipeline/measure/rows.hpp"
#include "pipeline/ranks/part_product.hpp"

namespace spress::pipeline {
namespace {

using reports::BenchMeasure;
using reports::BenchRecord;

/// How long this rank waited for elements of x, in the products of one row.
struct Waits {
  double seconds = 0, products = 0;
};

/// The part of a matrix that this rank has, with values of type T.
template <class T>
class PartBench {
 public:
  /// reference: of the rows as they are in the whole matrix, so that their part is judged too.
  PartBench(const MatrixPart& part, const Csr<Viewed>& a, Reference reference, const BenchOptions& options,
            BenchRecord& record)
      : part_(part),
        ranks_(part.ranks()),
        a_(a),
        options_(options),
        record_(record),
        exchange_(part),
        reference_(std::move(reference)) {
    pairing_ = options.pairing;
    pairing_.agreed = [this](double seconds) { return ranks_.largest(seconds); };
  }

  Status run() {
    auto x = part_.with_ghosts_of(std::span<const T>(test_vector<T>(part_.all_columns())));
    if constexpr (std::is_same_v<T, float>)
      device_ = options_.device.make_float(record_.machine.threads);
    else
      device_ = options_.device.make_double(record_.machine.threads);
    SPRESS_CHECK(ranks_.agree(device_->place(std::move(x), a_.rows)));
#ifdef SPRESS_WITH_CUDA
    if (on_gpu()) {
      SPRESS_TRY(links_, link_gpus<T>(part_));
    }
#endif
    SPRESS_TRY(baseline_, product_of(a_, {"csr", {}}, std::make_shared<Waits>()));
    measure_all();
    record_.csr_seconds = median(std::move(baseline_times_));
    for (BenchMeasure& row : record_.formats) {
      row.encode_in_csr_spmv = row.encode_seconds / record_.csr_seconds;
      record_.ok = record_.ok && row.ok.value_or(true);
    }
    return Ok{};
  }

 private:
  void measure_all() {
    // The smallest store is that of the first rank, so that all time the same.
    const auto all = wanted_stores(options_.choice, options_.stores, a_, record_.machine.threads,
                                   [&](StoreKind best) { return ranks_.gather(best).front(); });
    std::size_t done = 0;
    for (const Spec& spec : options_.formats)
      for (const StoreKind kind : all) {
        BenchMeasure row = begin_row<BenchMeasure>(spec, kind, value_type_of<T>);
        if (options_.on_progress)
          options_.on_progress(
              {record_.name, spec.text() + " " + row.values, done, options_.formats.size() * all.size()});
        if (const Status status = measure(row, spec, kind); !status.ok()) end_row(row, status.error());
        record_.formats.push_back(std::move(row));
        ++done;
      }
  }

  Status measure(BenchMeasure& row, const Spec& spec, StoreKind kind) {
    const auto start = Clock::now();
    Csr<Viewed> stored = a_;
    ValueStore<Owned> values;
    if (kind != StoreKind::raw) {
      SPRESS_TRY(values, ranks_.agree(with_store(a_.values, kind)));
      stored.values = view_of(values);
    }
    const double store_seconds = ranks_.largest(seconds_since(start));
    const auto waits = std::make_shared<Waits>();
    SPRESS_TRY(const auto product, product_of(stored, spec, waits));
    row.encode_seconds = store_seconds + product.seconds.value_or(0);
    row.kernel = product.kernel;
    row.repeatable = product.repeatable;
    take_size(row, product.total_bytes, record_);
    if (!accept(run_and_judge(*device_, product, reference_), row)) return Ok{};
    SPRESS_TRY(const auto times, ranks_.agree(device_->time(*baseline_, product, pairing_)));
    if (!on_gpu()) row.waited_seconds = ranks_.gather(waits->seconds / waits->products);
    if (!accept(judge_last(), row)) return Ok{};
    fill_times(row, times, record_, sizeof(T));
    row.speedup_vs_csr = paired_speedup(times);
    baseline_times_.insert(baseline_times_.end(), times.baseline.begin(), times.baseline.end());
    return Ok{};
  }

  /// Errors: as EncodedPart::make.
  Result<DeviceProduct<T>> product_of(const Csr<Viewed>& stored, const Spec& spec,
                                      const std::shared_ptr<Waits>& waits) {
    SPRESS_TRY(auto made, EncodedPart::make(part_, stored, spec));
    const auto encoded = std::make_shared<const EncodedPart>(std::move(made));
    SPRESS_TRY(auto product, ranks_.agree(placed(encoded, waits)));
    product.total_bytes = encoded->bytes;
    product.seconds = encoded->encode_seconds;
    return product;
  }

  Result<DeviceProduct<T>> placed(const std::shared_ptr<const EncodedPart>& encoded,
                                  const std::shared_ptr<Waits>& waits) {
    DeviceProduct<T> product;
    if (on_gpu()) {
#ifdef SPRESS_WITH_CUDA
      SPRESS_TRY(const auto made, part_product<T>(*encoded, links_));
      product.kernel = made.kernel;
      product.repeatable = made.repeatable;
      product.multiply = [multiply = made.multiply](const T* x, T* y) { return multiply(x, y, nullptr); };
#endif
      return product;
    }
    SPRESS_CHECK(check_cpu_product(encoded->spec));
    product.multiply = [this, encoded, waits](const T* x, T* y) -> Status {
      const double before = exchange_.waited_seconds();
      multiply(*encoded, exchange_, x, y, record_.machine.threads);
      waits->seconds += exchange_.waited_seconds() - before;
      ++waits->products;
      return Ok{};
    };
    return product;
  }

  [[nodiscard]] bool on_gpu() const { return options_.device.kind == DeviceKind::cuda; }

  Result<Verdict> judge_last() {
    SPRESS_TRY(const T* y, device_->last_result());
    return judge(reference_, y);
  }

  /// Whether the rows of all ranks are right; the row says so, or why not.
  bool accept(const Result<Verdict>& mine, BenchMeasure& row) const {
    const Error wrong = {ErrorCode::damaged,
                         fmt::format("rank {}, counting rows from its first, {}: {}", ranks_.rank(), part_.first_row(),
                                     mine.ok() ? mine->reason : mine.error().message)};
    const Status all = ranks_.agree(mine.ok() && mine->ok ? Status(Ok{}) : Status(wrong));
    row.max_error_ratio = ranks_.largest(mine.ok() ? mine->max_error_ratio : 0);
    row.ok = all.ok();
    row.reason = all.ok() ? "" : all.error().message;
    return all.ok();
  }

  const MatrixPart& part_;
  const Ranks& ranks_;
  Csr<Viewed> a_;  // with raw values and ghosts
  const BenchOptions& options_;
  BenchRecord& record_;
  GhostExchange<T> exchange_;
#ifdef SPRESS_WITH_CUDA
  std::shared_ptr<cuda::PartLinks<T>> links_;
#endif
  Pairing pairing_;
  std::unique_ptr<ProductDevice<T>> device_;
  Reference reference_;
  std::optional<DeviceProduct<T>> baseline_;
  std::vector<double> baseline_times_;
};

template <class T>
Status bench_part(const Ranks& ranks, RankRows& rows, const BenchOptions& options, BenchRecord& record) {
  Csr<Owned>& csr = rows.matrix.csr;
  if (csr.values.type != ValueType::none && csr.values.type != value_type_of<T>) {
    std::string beyond;
    if (std::is_same_v<T, float>) beyond = entry_beyond_float(view_of(csr));
    SPRESS_CHECK(
        ranks.agree(beyond.empty() ? Status(Ok{}) : Status(Error{ErrorCode::not_applicable, beyond + ": use double"})));
    SPRESS_TRY(csr.values, ranks.agree(with_type(view_of(csr.values), value_type_of<T>)));
  }
  record.csr_bytes = ranks.sum(byte_totals(csr).total());
  const int caches = options.device.kind == DeviceKind::cuda ? ranks.size() : ranks.size() / ranks.place().node_size;
  const std::uint64_t working_set = record.csr_bytes + (record.rows + record.cols) * sizeof(T);
  record.working_set_in_cache = working_set <= cached_bytes(options, caches);
  auto reference = reference_product<T>(view_of(csr), test_vector<T>(csr.cols).data());
  MatrixPart part = part_of(ranks, rows);
  csr = part.take_csr();
  record.parts = part.records(rows.bytes_read);
  return PartBench<T>(part, view_of(csr), std::move(reference), options, record).run();
}

}  // namespace

Result<BenchRecord> bench(const Ranks& ranks, RankRows rows, const BenchOptions& given) {
  BenchOptions options = given;
  SPRESS_TRY(options.formats, formats_to_walk(given.formats));
  BenchRecord record;
  identify(record, rows.matrix);
  record.rows = rows.rows.total();
  record.nnz = rows.nnz;
  record.machine = options.machine;
  record.machine.threads = thread_count(options.threads);
  const DefaultThreads scope(record.machine.threads);
  if (rows.matrix.csr.values.type == ValueType::c128)
    return Error{ErrorCode::unsupported, "no product for complex values", rows.matrix.info.path, 0};
  SPRESS_CHECK(options.value == ValueType::f32 ? bench_part<float>(ranks, rows, options, record)
                                               : bench_part<double>(ranks, rows, options, record));
  return record;
}

}  // namespace spress::pipeline

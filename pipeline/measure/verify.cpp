#include "pipeline/measure/verify.hpp"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "encode/shared/any.hpp"
#include "kernels/reference.hpp"
#include "pipeline/measure/rows.hpp"

namespace spress::pipeline {
namespace {

using reports::MeasureRecord;

/// A matrix in one value type, with the device that holds the vector, and the exact product, that all its encodings
/// share.
template <class T>
struct Case {
  Csr<Owned> csr;
  std::unique_ptr<ProductDevice<T>> device;
  Reference reference;
  std::string beyond;  ///< names an entry that T makes infinite, or empty
};

template <class T>
Result<Case<T>> make_case(const Csr<Viewed>& a, std::unique_ptr<ProductDevice<T>> device) {
  Case<T> out;
  if (std::is_same_v<T, float> && a.values.type == ValueType::f64) out.beyond = entry_beyond_float(a);
  SPRESS_TRY(out.csr, with_value_type(a, value_type_of<T>));
  out.device = std::move(device);
  auto x = test_vector<T>(a.cols);
  out.reference = reference_product<T>(view_of(out.csr), x.data());
  SPRESS_CHECK(out.device->place(std::move(x), a.rows));
  return out;
}

Error wrong(std::string message) { return {ErrorCode::damaged, std::move(message)}; }

/// Everything about one encoding but its product.
template <template <class> class F>
Status check_encoding(const Csr<Viewed>& a, const F<Owned>& f, const SizeEstimate& size) {
  SPRESS_CHECK(validate(view_of(f)));
  const ByteTotals totals = byte_totals(f);
  if (totals.index_bytes != size.index_bytes)
    return wrong("holds " + std::to_string(totals.index_bytes) + " index bytes, estimated " +
                 std::to_string(size.index_bytes));
  if (!identical(view_of(decode<F>(view_of(f))), a)) return wrong("decoding gives other bits than were encoded");
  return Ok{};
}

/// The product from one packed buffer, judged.
template <class T, template <class> class F>
Status check_product(const F<Owned>& f, const Spec& spec, const Case<T>& c, MeasureRecord& record) {
  HostArray<std::uint8_t> buffer(packed_size(f));
  SPRESS_TRY(const auto product, c.device->prepare(pack(view_of(f), buffer.data()), spec));
  record.kernel = product.kernel;
  record.repeatable = product.repeatable;
  SPRESS_TRY(const Verdict verdict, run_and_judge(*c.device, product, c.reference));
  record.max_error_ratio = verdict.max_error_ratio;
  record.ok = verdict.ok;
  record.reason = verdict.reason;
  if (verdict.ok && !c.beyond.empty()) {  // right for a matrix with infinities, which is not the one given
    record.ok = std::nullopt;
    record.reason = c.beyond;
  }
  return Ok{};
}

/// One format with one store. `product` multiplies and judges, or is empty where products are unsupported.
template <class Product>
Status check(const Csr<Viewed>& a, const Spec& spec, MeasureRecord& record, Product&& product) {
  return with_spec<Ok>(spec, [&]<template <class> class F>(Tag<F>, const ParamsOf<F>& params) -> Status {
    SPRESS_TRY(const auto size, estimate<F>(a, params));
    SPRESS_TRY(const auto f, encode<F>(a, params));
    record.total_bytes = byte_totals(f).total();
    SPRESS_CHECK(check_encoding<F>(a, f, size));
    return product(f, spec, record);
  });
}

/// A format codes values in a way of its own and so takes them in full only, or holds no such matrix at all: its row
/// for raw values tells all there is to tell.
bool is_for_raw(const Csr<Viewed>& a, const Spec& spec) {
  const auto raw = with_values(a, StoreKind::raw);
  if (!raw.ok()) return false;
  const auto size = estimate_any(view_of(*raw), spec);
  return !size.ok() || size->own_value_bytes.has_value();
}

/// All formats with all stores that hold these values. A format says with raw values why it cannot hold the matrix; the
/// stores that it does not take, as one that codes values in its own way, have no rows.
template <class Product>
void check_all(const Csr<Viewed>& a, const std::vector<Spec>& formats, ValueType type, Product&& product,
               std::vector<MeasureRecord>& records) {
  for (StoreKind kind : all_stores) {
    const auto stored = with_values(a, kind);
    if (!stored.ok()) continue;
    for (const Spec& spec : formats) {
      auto row = begin_row<MeasureRecord>(spec, kind, type);
      const Status done = check(view_of(*stored), spec, row, product);
      if (!done.ok() && done.error().code == ErrorCode::not_applicable && kind != StoreKind::raw && is_for_raw(a, spec))
        continue;
      if (!done.ok()) end_row(row, done.error());
      records.push_back(std::move(row));
    }
  }
}

template <class T>
Status check_type(const Csr<Viewed>& a, const std::vector<Spec>& formats, std::unique_ptr<ProductDevice<T>> device,
                  std::vector<MeasureRecord>& records) {
  SPRESS_TRY(const auto c, make_case<T>(a, std::move(device)));
  const auto product = [&](const auto& f, const Spec& spec, MeasureRecord& record) {
    return check_product<T>(f, spec, c, record);
  };
  check_all(view_of(c.csr), formats, value_type_of<T>, product, records);
  return Ok{};
}

}  // namespace

Result<reports::VerifyRecord> verify(const Matrix& matrix, const VerifyOptions& options) {
  SPRESS_TRY(const auto formats, formats_to_walk(options.formats));
  reports::VerifyRecord record;
  identify(record, matrix);
  record.device = options.device.name;
  const auto a = view_of(matrix.csr);
  if (a.values.type == ValueType::c128) {
    const auto unsupported = [](const auto&, const Spec&, MeasureRecord& r) -> Status {
      r.reason = "no product for complex values";
      return Ok{};
    };
    check_all(a, formats, ValueType::c128, unsupported, record.formats);
  } else {
    SPRESS_CHECK(check_type(a, formats, options.device.make_double(options.threads), record.formats));
    SPRESS_CHECK(check_type(a, formats, options.device.make_float(options.threads), record.formats));
  }
  for (const MeasureRecord& r : record.formats) record.ok = record.ok && r.ok.value_or(true);
  return record;
}

}  // namespace spress::pipeline

#include "pipeline/verify.hpp"

#include <limits>

#include "encode/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "pipeline/version.hpp"

namespace spress::pipeline {
namespace {

using reports::MeasureRecord;

/// A matrix in one value type, with the vector and the exact product that all its encodings share.
template <class T>
struct Case {
  Csr<Owned> csr;
  std::vector<T> x;
  Reference reference;
};

template <class T>
Result<Case<T>> make_case(const Csr<Viewed>& a) {
  Case<T> out;
  SPRESS_TRY(out.csr, with_value_type(a, value_type_of<T>));
  out.x = test_vector<T>(a.cols);
  out.reference = reference_product<T>(view_of(out.csr), out.x.data());
  return out;
}

Error wrong(std::string message) { return {ErrorCode::damaged, std::move(message), {}, 0}; }

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
Verdict check_product(const F<Owned>& f, const Case<T>& c, int threads) {
  HostArray<std::uint8_t> buffer(packed_size(f));
  const F<Viewed> packed = pack(view_of(f), buffer.data());
  std::vector<T> y(f.rows, std::numeric_limits<T>::quiet_NaN());
  cpu::spmv<T>(packed, c.x.data(), y.data(), threads);
  return judge(c.reference, y.data());
}

MeasureRecord start_record(const Spec& spec, StoreKind kind, std::string_view type) {
  MeasureRecord record;
  record.format = spec.name;
  record.parameters = spec.parameters();
  record.values = enum_name(kind);
  record.type = type;
  for (double* figure : {&record.seconds_median, &record.seconds_min, &record.seconds_max, &record.gb_per_s,
                         &record.gflops, &record.speedup_vs_csr, &record.max_error_ratio})
    *figure = reports::not_measured;
  return record;
}

void fail(MeasureRecord& record, const Error& error) {
  const bool unfit = error.code == ErrorCode::not_applicable || error.code == ErrorCode::unsupported ||
                     error.code == ErrorCode::too_large;
  record.ok = unfit ? std::optional<bool>() : false;
  record.reason = error.message;
}

/// One format with one store. `product` multiplies and judges, or is empty where products are unsupported.
template <class Product>
MeasureRecord check(const Csr<Viewed>& a, const Spec& spec, MeasureRecord record, Product&& product) {
  const auto done = with_spec<Ok>(spec, [&]<template <class> class F>(Tag<F>, const ParamsOf<F>& params) -> Status {
    SPRESS_TRY(const auto size, estimate<F>(a, params));
    SPRESS_TRY(const auto f, encode<F>(a, params));
    record.total_bytes = byte_totals(f).total();
    SPRESS_CHECK(check_encoding<F>(a, f, size));
    product(f, record);
    return Ok{};
  });
  if (!done.ok()) fail(record, done.error());
  return record;
}

/// All formats with all stores that hold these values.
template <class Product>
void check_all(const Csr<Viewed>& a, const std::vector<Spec>& formats, std::string_view type, Product&& product,
               std::vector<MeasureRecord>& records) {
  for (StoreKind kind : all_stores) {
    const auto stored = with_values(a, kind);
    if (!stored.ok()) continue;
    for (const Spec& spec : formats)
      records.push_back(check(view_of(*stored), spec, start_record(spec, kind, type), product));
  }
}

template <class T>
Status check_type(const Csr<Viewed>& a, const VerifyOptions& options, std::string_view type,
                  std::vector<MeasureRecord>& records) {
  SPRESS_TRY(const auto c, make_case<T>(a));
  const auto product = [&](const auto& f, MeasureRecord& record) {
    const auto verdict = check_product<T>(f, c, options.threads);
    record.max_error_ratio = verdict.max_error_ratio;
    record.ok = verdict.ok;
    record.reason = verdict.reason;
  };
  check_all(view_of(c.csr), options.formats, type, product, records);
  return Ok{};
}

}  // namespace

Result<reports::VerifyRecord> verify(const Matrix& matrix, const VerifyOptions& given) {
  VerifyOptions options = given;
  if (options.formats.empty()) options.formats = all_formats();
  for (const Spec& spec : options.formats) SPRESS_CHECK(check_format(spec));

  reports::VerifyRecord record;
  record.tool = tool_record();
  record.name = matrix.info.name;
  record.path = matrix.info.path;
  record.device = "cpu";
  record.rows = matrix.csr.rows;
  record.cols = matrix.csr.cols;
  record.nnz = matrix.csr.nnz;
  const auto a = view_of(matrix.csr);
  if (a.values.type == ValueType::c128) {
    const auto unsupported = [](const auto&, MeasureRecord& r) { r.reason = "no product for complex values"; };
    check_all(a, options.formats, "complex-double", unsupported, record.formats);
  } else {
    SPRESS_CHECK(check_type<double>(a, options, "double", record.formats));
    SPRESS_CHECK(check_type<float>(a, options, "float", record.formats));
  }
  for (const MeasureRecord& r : record.formats) record.ok = record.ok && r.ok.value_or(true);
  return record;
}

}  // namespace spress::pipeline

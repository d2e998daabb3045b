// Formats chosen at run time by a spec such as "opt-csr:index=delta": the walk over the list, done once here.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "encode/shared/codec.hpp"
#include "formats/core/params.hpp"

namespace spress {

/// A row of `spress list formats`.
struct FormatEntry {
  std::string name, summary;
  std::vector<OptionText> options;  ///< with their defaults
};
[[nodiscard]] std::vector<FormatEntry> format_entries();

/// Every format of the list with default parameters.
[[nodiscard]] std::vector<Spec> all_formats();

/// The formats among which `auto` chooses by bytes: all that do not declare slow_product. The products of the others on
/// a CPU are slower than CSR's, however few bytes they read.
[[nodiscard]] std::vector<Spec> pacing_formats();

/// Checks a spec: the format exists and takes these parameters.
/// Errors: usage, listing the choices.
[[nodiscard]] Status check_format(const Spec& spec);

/// The spec without the parameter that only products on a GPU go by: what a file says.
[[nodiscard]] Spec stored_spec(Spec spec);

/// Errors: unsupported where a parameter chooses among products on a GPU, since a CPU has one.
[[nodiscard]] Status check_cpu_product(const Spec& spec);

/// Calls use(Tag<F>{}, params), which returns Result<R>, for the format and parameters that `spec` names.
/// Errors: as check_format.
template <class R, class Use>
[[nodiscard]] Result<R> with_spec(const Spec& spec, Use&& use) {
  Result<R> result = Error{ErrorCode::usage, "no format"};
  const bool found = with_format(spec.name, [&]<template <class> class F>(Tag<F> tag) {
    auto params = parse_params<ParamsOf<F>>(spec);
    result = params.ok() ? use(tag, *params) : Result<R>(std::move(params).error());
  });
  if (!found) SPRESS_CHECK(check_format(spec));
  return result;
}

/// Errors: as check_format and encode.
[[nodiscard]] Result<AnyFormat> encode_any(const Csr<Viewed>& a, const Spec& spec);
/// Encodes with the values in a store. Errors: also as with_store.
[[nodiscard]] Result<AnyFormat> encode_any(const Csr<Viewed>& a, const Spec& spec, StoreKind values);
[[nodiscard]] Result<SizeEstimate> estimate_any(const Csr<Viewed>& a, const Spec& spec);

/// The size of a matrix that comes in panels; null for formats whose size is not found so. Errors: as check_format.
[[nodiscard]] Result<std::unique_ptr<SizeStream>> size_stream_any(const Spec& spec);

/// Calls use(f) with the format held. Requires: not empty.
template <class Use>
void with_any(const AnyFormat& any, Use&& use) {
  std::visit(
      [&](const auto& f) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(f)>, std::monostate>) use(f);
      },
      any);
}

[[nodiscard]] Csr<Owned> decode_any(const AnyFormat& any);
/// All its bytes; 0 where it is empty.
[[nodiscard]] std::uint64_t total_bytes(const AnyFormat& any);
[[nodiscard]] std::string_view name_of(const AnyFormat& any);

/// The same matrix with its values in another store. Errors: as with_store.
[[nodiscard]] Result<Csr<Owned>> with_values(const Csr<Viewed>& a, StoreKind kind);

/// The same matrix with real values rounded to or widened to `type`. Errors: as with_type.
[[nodiscard]] Result<Csr<Owned>> with_value_type(const Csr<Viewed>& a, ValueType type);

}  // namespace spress

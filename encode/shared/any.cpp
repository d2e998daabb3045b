#include "encode/shared/any.hpp"

#include "encode/shared/common.hpp"
#include "formats/core/names.hpp"

namespace spress {

std::vector<FormatEntry> format_entries() {
  std::vector<FormatEntry> entries;
  for_each_format([&]<template <class> class F>(Tag<F>) {
    entries.push_back({std::string(F<Owned>::name), std::string(F<Owned>::summary), list_params(ParamsOf<F>{})});
  });
  return entries;
}

namespace {

/// Those of the list for whose tag `wanted` answers true, with default parameters.
template <class Wanted>
std::vector<Spec> formats_where(const Wanted& wanted) {
  std::vector<Spec> specs;
  specs.reserve(std::variant_size_v<AnyFormat>);
  for_each_format([&]<template <class> class F>(Tag<F> tag) {
    if (wanted(tag)) specs.push_back({std::string(F<Owned>::name), {}});
  });
  return specs;
}

}  // namespace

std::vector<Spec> all_formats() {
  return formats_where([]<template <class> class F>(Tag<F>) { return true; });
}

std::vector<Spec> pacing_formats() {
  return formats_where([]<template <class> class F>(Tag<F>) {
    return !requires { F<Owned>::slow_product; };
  });
}

namespace {

/// Errors: those that an encoder has of its parameters, whatever the matrix is.
template <template <class> class F>
Status check_numbers(const ParamsOf<F>& params) {
  Csr<Owned> none;
  none.row_ptr = make_positions({0});
  none.values = uninitialised_raw_store(ValueType::f64, 0);
  auto encoded = encode<F>(view_of(none), params);
  return encoded.ok() || encoded.error().code != ErrorCode::usage ? Status(Ok{}) : std::move(encoded).error();
}

}  // namespace

Status check_format(const Spec& spec) {
  Status status = Ok{};
  const bool found = with_format(spec.name, [&]<template <class> class F>(Tag<F>) {
    auto params = parse_params<ParamsOf<F>>(spec);
    if (!params.ok())
      status = std::move(params).error();
    else if (!spec.options.empty())
      status = check_numbers<F>(*params);
  });
  if (found) return status;
  std::vector<std::string> names;
  for_each_format([&]<template <class> class F>(Tag<F>) { names.emplace_back(F<Owned>::name); });
  return unknown_name("format", spec.name, names);
}

namespace {

/// The format's parameter that only products on a GPU go by; empty where it has none.
std::string_view gpu_parameter_of(const Spec& spec) {
  std::string_view name;
  with_format(spec.name, [&]<template <class> class F>(Tag<F>) {
    if constexpr (requires { F<Owned>::gpu_parameter; }) name = F<Owned>::gpu_parameter;
  });
  return name;
}

}  // namespace

Spec stored_spec(Spec spec) {
  std::erase_if(spec.options, [name = gpu_parameter_of(spec)](const auto& option) { return option.first == name; });
  return spec;
}

Status check_cpu_product(const Spec& spec) {
  for (const auto& [key, value] : spec.options)
    if (key == gpu_parameter_of(spec) && value != "auto")
      return Error{ErrorCode::unsupported, spec.name + ": " + key + "=" + value +
                                               " chooses among products on a GPU: use --device cuda, or " +
                                               stored_spec(spec).text() + " on the CPU"};
  return Ok{};
}

Result<AnyFormat> encode_any(const Csr<Viewed>& a, const Spec& spec) {
  return with_spec<AnyFormat>(spec,
                              [&]<template <class> class F>(Tag<F>, const ParamsOf<F>& params) -> Result<AnyFormat> {
                                SPRESS_TRY(auto encoded, encode<F>(a, params));
                                return AnyFormat(std::move(encoded));
                              });
}

Result<AnyFormat> encode_any(const Csr<Viewed>& a, const Spec& spec, StoreKind values) {
  if (a.values.kind == values) return encode_any(a, spec);
  SPRESS_TRY(const auto store, with_store(a.values, values));
  Csr<Viewed> stored = a;
  stored.values = view_of(store);
  return encode_any(stored, spec);
}

Result<SizeEstimate> estimate_any(const Csr<Viewed>& a, const Spec& spec) {
  return with_spec<SizeEstimate>(
      spec, [&]<template <class> class F>(Tag<F>, const ParamsOf<F>& params) { return estimate<F>(a, params); });
}

Result<std::unique_ptr<SizeStream>> size_stream_any(const Spec& spec) {
  using Stream = std::unique_ptr<SizeStream>;
  return with_spec<Stream>(
      spec, []<template <class> class F>(Tag<F>, [[maybe_unused]] const ParamsOf<F>& params) -> Result<Stream> {
        if constexpr (requires { F<Owned>::sized_by_panels; })
          return size_stream<F>(params);
        else
          return Stream();
      });
}

std::uint64_t total_bytes(const AnyFormat& any) {
  std::uint64_t bytes = 0;
  with_any(any, [&](const auto& f) { bytes = byte_totals(f).total(); });
  return bytes;
}

Csr<Owned> decode_any(const AnyFormat& any) {
  Csr<Owned> out;
  with_any(any, [&]<template <class> class F>(const F<Owned>& f) { out = decode<F>(view_of(f)); });
  return out;
}

std::string_view name_of(const AnyFormat& any) {
  std::string_view name;
  with_any(any, [&]<class F>(const F&) { name = F::name; });
  return name;
}

Result<Csr<Owned>> with_values(const Csr<Viewed>& a, StoreKind kind) {
  SPRESS_TRY(auto values, with_store(a.values, kind));
  Csr<Owned> out = copy_pattern(a);
  out.values = std::move(values);
  return out;
}

Result<Csr<Owned>> with_value_type(const Csr<Viewed>& a, ValueType type) {
  SPRESS_TRY(auto values, with_type(a.values, type));
  Csr<Owned> out = copy_pattern(a);
  out.values = std::move(values);
  return out;
}

}  // namespace spress
